/* leak_functions: the verdicts of src/stats as SQL aggregates: takes the rows. The judging is in
 * leak_process.c, which does not depend on SQLite. */
#include "store/func/functions.h"

#include "store/func/argument.h"
#include "store/func/leak_process.h"
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

#define ARGUMENTS_MAX 22

/* The arguments of a function: kinds: w a whole number, n a number or NULL, t a text. */
typedef struct signature {
    const char *function, *kinds, *names;
} signature;

static const signature leak_verdict = {"leak_verdict", "wwwnwnn",
                                       "first_ms last_ms n value life limit_kib page_kib"};

static const signature leak_report = {
    "leak_report", "ttwwwnnnnnnntntnnnnnnn",
    "key category first_ms last_ms life mappings size_kib rss_kib pss_kib private_kib "
    "private_dirty_kib swap_kib metric limit_kib sensitivity memory_max_kib address_limit_kib "
    "stack_limit_kib max_map_count process_ms was_kib touched_kib"};

/* Fails with an error that names the function and argument i; returns false. */
static bool refuse(sqlite3_context *out, const signature *s, int i, const char *what)
{
    pm_text rest = pm_text_of(s->names), name = {NULL, 0};
    char text[128];

    for (int k = 0; k <= i; k++)
        name = pm_text_word(&rest, " ");
    snprintf(text, sizeof text, "%s: %.*s %s", s->function, (int)name.len, name.data, what);
    sqlite3_result_error(out, text, -1);
    return false;
}

/* Reads the numbers; NaN for NULL and for texts. to[first] and the next one are times. */
static bool take(sqlite3_context *out, const signature *s, int first, int argc,
                 sqlite3_value **argv, double *to)
{
    for (int i = 0; i < argc; i++) {
        char kind = s->kinds[i];
        int type = sqlite3_value_type(argv[i]);

        to[i] = kind == 't' || type == SQLITE_NULL ? NAN : sqlite3_value_double(argv[i]);
        if (kind == 'w' && type != SQLITE_INTEGER)
            return refuse(out, s, i, "must be a whole number");
        if (kind == 'n' && type != SQLITE_INTEGER && type != SQLITE_FLOAT && type != SQLITE_NULL)
            return refuse(out, s, i, "must be a number or NULL");
        if (fabs(to[i]) > MOST_KIB)
            return refuse(out, s, i, "is more than 2^53");
    }
    if (to[first] > to[first + 1])
        return refuse(out, s, first, "is later than last_ms");
    return (to[first] >= -LAST_MS || refuse(out, s, first, "is beyond the year -9999")) &&
           (to[first + 1] <= LAST_MS || refuse(out, s, first + 1, "is beyond the year 9999"));
}

/* ---- leak_verdict ---- */

static void verdict_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, sizeof *l);
    double v[ARGUMENTS_MAX];

    if (!l) {
        sqlite3_result_error_nomem(out);
        return;
    }
    if (!take(out, &leak_verdict, 0, argc, argv, v))
        return;
    if (l->n_runs == 0) {
        l->options.metric = argc > 6 && v[6] == 0 ? PM_METRIC_MAPPINGS : PM_METRIC_RSS;
        l->options.limit_kib = argc > 5 ? v[5] : NAN;
    }
    if (v[2] < 1 || v[2] > (double)(MOST_SNAPSHOTS - l->n_stretched))
        refuse(out, &leak_verdict, 2,
               v[2] < 1 ? "must be 1 or more" : "makes more than 1048576 snapshots");
    else if (pm_leak_lives_stretch(l,
                                   &(pm_leak_piece){.first_ms = (int64_t)v[0],
                                                    .last_ms = (int64_t)v[1],
                                                    .n = (int64_t)v[2],
                                                    .life = (int64_t)v[4]},
                                   v[3], NULL) != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
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
static bool take_word(sqlite3_context *out, int argument, sqlite3_value **argv,
                      const char *const *words, int n_words, int *to)
{
    pm_text given = pm_argument_text(argv[argument]);
    char text[64];

    *to = given.data ? pm_text_index(given, words, n_words) : *to;
    if (*to < n_words)
        return true;
    snprintf(text, sizeof text, "is not '%.30s'", given.data);
    return refuse(out, &leak_report, argument, text);
}

static bool take_options(sqlite3_context *out, int argc, sqlite3_value **argv, const double *v,
                         pm_leak_options *o)
{
    static const char *const sensitivities[] = {"low", "normal", "high"};
    static const double weights[] = {0.8, 0.5, 0.35};
    const char *metrics[1 + PM_METRIC_COUNT] = {"joint"};
    int metric = 0, sensitivity = 1;

    for (int i = 0; i < PM_METRIC_COUNT; i++)
        metrics[1 + i] = pm_metric_name((pm_metric)i);
    if (!take_word(out, METRIC, argv, metrics, 1 + PM_METRIC_COUNT, &metric) ||
        !take_word(out, SENSITIVITY, argv, sensitivities, 3, &sensitivity))
        return false;
    o->metric = metric - 1;
    o->limit_kib = v[LIMIT];
    o->leak_posterior = weights[sensitivity];
    if (argc > LIVE) {
        o->memory_max_kib = v[LIVE];
        o->address_limit_kib = v[LIVE + 1];
        o->stack_limit_kib = v[LIVE + 2];
        o->max_map_count = v[LIVE + 3];
        o->process_ms = v[LIVE + 4];
    }
    return true;
}

static void report_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, sizeof *l);
    pm_text key = pm_argument_text(argv[KEY]), category = pm_argument_text(argv[CATEGORY]);
    bool vm_rss = pm_text_equal(category, PM_TEXT("VmRSS"));
    bool hides_keys = vm_rss || pm_text_equal(category, PM_TEXT("total"));
    pm_leak_moment moment = {.sums = {.hides_keys = hides_keys, .vm_rss = vm_rss || !hides_keys}};
    double v[ARGUMENTS_MAX];
    pmapdb_status st = PMAPDB_OK;

    if (!l) {
        sqlite3_result_error_nomem(out);
        return;
    }
    if (!take(out, &leak_report, FIRST, argc, argv, v) ||
        (l->n_runs + l->n_moments == 0 && !take_options(out, argc, argv, v, &l->options)))
        return;
    moment.ms = (int64_t)v[FIRST];
    moment.life = (int64_t)v[LIFE];
    memcpy(moment.sums.value, v + NUMBERS, sizeof moment.sums.value);
    if (argc == ALL_ARGUMENTS && !isnan(v[WAS])) {
        pm_leak_window w = {moment.ms, (int64_t)v[LAST], v[WAS], v[NUMBERS + PM_METRIC_RSS],
                            v[TOUCHED]};

        if (key.data)
            st = pm_leak_lives_window(l, key, category, &w, NULL);
    } else if (key.data)
        st = pm_leak_lives_run(l, key, category, moment.ms, (int64_t)v[LAST], v + NUMBERS, NULL);
    else
        st = pm_leak_lives_moment(l, &moment, NULL);
    if (st != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
}

static void give_verdicts(sqlite3_context *out)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, 0);
    const desk *d = sqlite3_user_data(out);
    pm_buf json = {0};
    pmapdb_error err = {0};

    if (!l)
        return;
    if (d->judged && !l->n_stretched)
        ++*d->judged;
    l->options.room = room_of(out);
    if (!l->options.room)
        sqlite3_result_error_nomem(out);
    else if (l->n_moments || l->n_stretched)
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
    } functions[] = {{"leak_verdict", 5, verdict_step, give_verdicts},
                     {"leak_verdict", 6, verdict_step, give_verdicts},
                     {"leak_verdict", 7, verdict_step, give_verdicts},
                     {"leak_report", LIVE, report_step, give_verdicts},
                     {"leak_report", ARGUMENTS, report_step, give_verdicts},
                     {"leak_report", ALL_ARGUMENTS, report_step, give_verdicts}};
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
