/* leak_functions: the verdicts of src/stats as SQL aggregates: takes the rows. The judging is in
 * leak_series.c and leak_process.c, which do not depend on SQLite. */
#include "store/func/functions.h"

#include "store/func/argument.h"
#include "store/func/leak_process.h"
#include "store/func/leak_series.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_SNAPSHOTS ((int64_t)1 << 20) /* the judge takes some 250 bytes for each */
#define MOST_KIB 9007199254740992.0       /* 2^53: no memory is larger; squares stay finite */
#define LAST_MS 253402300799999           /* of the year 9999: differences fit, and so do dates */

/* The room that the verdicts of one function of a connection share; they run one after the other.
 * Processes of one host were captured at the same times. */
typedef struct desk {
    pm_trend_room *room; /* NULL until the first verdict */
    int64_t *judged;     /* counts the reports; may be NULL */
} desk;

static void close_desk(void *ctx)
{
    desk *d = ctx;

    pm_trend_room_close(d->room);
    free(d);
}

/* NULL if memory runs out. */
static pm_trend_room *room_of(sqlite3_context *out)
{
    desk *d = sqlite3_user_data(out);

    if (!d->room)
        pm_trend_room_open(&d->room, NULL);
    return d->room;
}

/* Fails with an error that names the function and its argument; returns false. */
static bool refuse(sqlite3_context *out, const char *function, const char *argument,
                   const char *what)
{
    char text[128];

    snprintf(text, sizeof text, "%s: %s %s", function, argument, what);
    sqlite3_result_error(out, text, -1);
    return false;
}

static bool take_int(sqlite3_context *out, const char *function, const char *argument,
                     sqlite3_value *v, int64_t *to)
{
    *to = sqlite3_value_int64(v);
    return sqlite3_value_type(v) == SQLITE_INTEGER ||
           refuse(out, function, argument, "must be a whole number");
}

/* NaN for NULL. */
static bool take_real(sqlite3_context *out, const char *function, const char *argument,
                      sqlite3_value *v, double *to)
{
    int type = sqlite3_value_type(v);

    *to = type == SQLITE_NULL ? NAN : sqlite3_value_double(v);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT && type != SQLITE_NULL)
        return refuse(out, function, argument, "must be a number or NULL");
    return !(fabs(*to) > MOST_KIB) || refuse(out, function, argument, "is more than 2^53");
}

static bool take_span(sqlite3_context *out, const char *function, sqlite3_value **v, int64_t *first,
                      int64_t *last)
{
    return take_int(out, function, "first_ms", v[0], first) &&
           take_int(out, function, "last_ms", v[1], last) &&
           (*first <= *last || refuse(out, function, "first_ms", "is later than last_ms")) &&
           ((*first >= -LAST_MS && *last <= LAST_MS) ||
            refuse(out, function, "a time", "is beyond the year 9999"));
}

/* ---- leak_verdict ---- */

static void verdict_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_leak_series *s = sqlite3_aggregate_context(out, sizeof *s);
    pm_stretch run;

    if (!s) {
        sqlite3_result_error_nomem(out);
        return;
    }
    if (!take_span(out, "leak_verdict", argv, &run.first_ms, &run.last_ms) ||
        !take_int(out, "leak_verdict", "n", argv[2], &run.n) ||
        !take_real(out, "leak_verdict", "value", argv[3], &run.value) ||
        !take_int(out, "leak_verdict", "life", argv[4], &run.life))
        return;
    if (s->n_runs == 0) {
        s->limit_kib = NAN;
        s->page_kib = 4;
        if ((argc > 5 && !take_real(out, "leak_verdict", "limit_kib", argv[5], &s->limit_kib)) ||
            (argc > 6 && !take_real(out, "leak_verdict", "page_kib", argv[6], &s->page_kib)))
            return;
    }
    if (run.n < 1 || run.n > MOST_SNAPSHOTS - s->snapshots) {
        refuse(out, "leak_verdict", "n",
               run.n < 1 ? "must be 1 or more" : "makes more than 1048576 snapshots");
        return;
    }
    if (pm_leak_series_add(s, &run, NULL) != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
}

static void verdict_final(sqlite3_context *out)
{
    pm_leak_series *s = sqlite3_aggregate_context(out, 0);
    pm_buf json = {0};
    pmapdb_error err = {0};

    if (!s || s->n_runs == 0)
        return;
    s->room = room_of(out);
    if (s->room)
        pm_argument_give(out, &json, pm_leak_series_judge(s, &json, &err), &err);
    else
        sqlite3_result_error_nomem(out);
    pm_buf_free(&json);
    pm_leak_series_free(s);
}

/* ---- leak_report ---- */

enum {
    KEY,
    CATEGORY,
    FIRST,
    LAST,
    LIFE,
    NUMBERS,
    METRIC = NUMBERS + PM_METRIC_COUNT,
    LIMIT,
    SENSITIVITY,
    LIVE, /* the arguments from here on may be missing */
    ARGUMENTS = LIVE + 5,
    WAS = ARGUMENTS,
    TOUCHED,
    ALL_ARGUMENTS
};

/* Reads one of the words; NULL is the default. False: the error is set. */
static bool take_word(sqlite3_context *out, const char *what, sqlite3_value *v,
                      const char *const *words, size_t n_words, size_t *to)
{
    pm_text given = pm_argument_text(v);
    size_t found = given.data ? (size_t)pm_text_index(given, words, (int)n_words) : *to;
    char text[64];

    *to = found;
    if (found < n_words)
        return true;
    snprintf(text, sizeof text, "is not '%.30s'", given.data);
    return refuse(out, "leak_report", what, text);
}

/* Reads the limits of the kernel, of which -1 is no limit, and the start of the process. */
static bool take_live(sqlite3_context *out, sqlite3_value **argv, pm_leak_options *o)
{
    static const char *const names[] = {"memory_max_kib", "address_limit_kib", "stack_limit_kib",
                                        "max_map_count", "process_ms"};
    double *const to[] = {&o->memory_max_kib, &o->address_limit_kib, &o->stack_limit_kib,
                          &o->max_map_count, &o->process_ms};

    for (int i = 0; i < ARGUMENTS - LIVE; i++)
        if (!take_real(out, "leak_report", names[i], argv[LIVE + i], to[i]))
            return false;
    return true;
}

static bool take_options(sqlite3_context *out, int argc, sqlite3_value **argv, pm_leak_options *o)
{
    static const char *const sensitivities[] = {"low", "normal", "high"};
    static const double weights[] = {0.8, 0.5, 0.35};
    const char *metrics[1 + PM_METRIC_COUNT] = {"joint"};
    size_t metric = 0, sensitivity = 1;

    for (int i = 0; i < PM_METRIC_COUNT; i++)
        metrics[1 + i] = pm_metric_name((pm_metric)i);
    if (!take_word(out, "metric", argv[METRIC], metrics, 1 + PM_METRIC_COUNT, &metric) ||
        !take_real(out, "leak_report", "limit_kib", argv[LIMIT], &o->limit_kib) ||
        !take_word(out, "sensitivity", argv[SENSITIVITY], sensitivities, 3, &sensitivity))
        return false;
    o->metric = (int)metric - 1;
    o->leak_posterior = weights[sensitivity];
    return argc == LIVE || take_live(out, argv, o);
}

static void report_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, sizeof *l);
    pm_text key = pm_argument_text(argv[KEY]), category = pm_argument_text(argv[CATEGORY]);
    bool vm_rss = pm_text_equal(category, PM_TEXT("VmRSS"));
    bool hides_keys = vm_rss || pm_text_equal(category, PM_TEXT("total"));
    pm_leak_moment moment = {.sums = {.hides_keys = hides_keys, .vm_rss = vm_rss || !hides_keys}};
    int64_t last;
    double *value = moment.sums.value;
    pmapdb_status st;

    if (!l) {
        sqlite3_result_error_nomem(out);
        return;
    }
    if (l->n_runs + l->n_moments == 0 && !take_options(out, argc, argv, &l->options))
        return;
    if (!take_span(out, "leak_report", argv + FIRST, &moment.ms, &last) ||
        !take_int(out, "leak_report", "life", argv[LIFE], &moment.life))
        return;
    for (int i = 0; i < PM_METRIC_COUNT; i++)
        if (!take_real(out, "leak_report", "a metric", argv[NUMBERS + i], &value[i]))
            return;
    if (argc == ALL_ARGUMENTS && sqlite3_value_type(argv[WAS]) != SQLITE_NULL) {
        pm_leak_window w = {moment.ms, last, 0, value[PM_METRIC_RSS], 0};

        if (!take_real(out, "leak_report", "was_kib", argv[WAS], &w.was_kib) ||
            !take_real(out, "leak_report", "touched_kib", argv[TOUCHED], &w.touched_kib))
            return;
        st = key.data ? pm_leak_lives_window(l, key, category, &w, NULL) : PMAPDB_OK;
    } else if (key.data)
        st = pm_leak_lives_run(l, key, category, moment.ms, last, value, NULL);
    else
        st = pm_leak_lives_moment(l, &moment, NULL);
    if (st != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
}

static void report_final(sqlite3_context *out)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, 0);
    const desk *d = sqlite3_user_data(out);
    pm_buf json = {0};
    pmapdb_error err = {0};

    if (!l)
        return;
    if (d->judged)
        ++*d->judged;
    l->options.room = room_of(out);
    if (!l->options.room)
        sqlite3_result_error_nomem(out);
    else if (l->n_moments)
        pm_argument_give(out, &json, pm_leak_lives_judge(l, &json, &err), &err);
    pm_buf_free(&json);
    pm_leak_lives_free(l);
}

int pm_leak_functions_add(struct sqlite3 *db, int64_t *judged)
{
    static const struct {
        const char *name;
        int args;
        void (*step)(sqlite3_context *out, int argc, sqlite3_value **argv);
        void (*final)(sqlite3_context *out);
    } functions[] = {{"leak_verdict", 5, verdict_step, verdict_final},
                     {"leak_verdict", 6, verdict_step, verdict_final},
                     {"leak_verdict", 7, verdict_step, verdict_final},
                     {"leak_report", LIVE, report_step, report_final},
                     {"leak_report", ARGUMENTS, report_step, report_final},
                     {"leak_report", ALL_ARGUMENTS, report_step, report_final}};
    int rc = SQLITE_OK;

    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++) {
        desk *d = calloc(1, sizeof *d);

        if (!d)
            return SQLITE_NOMEM;
        d->judged = judged;
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].args,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, d,
                                        NULL, functions[i].step, functions[i].final, close_desk);
    }
    return rc;
}
