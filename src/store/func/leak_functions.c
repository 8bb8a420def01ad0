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

#define ARGUMENTS_MAX 12

/* The arguments of a function: kinds: w a whole number, n a number or NULL, t a text. */
typedef struct signature {
    const char *function, *kinds, *names;
} signature;

/* The room that the verdicts of one function of a connection share; they run one after the other.
 * Processes of one host were captured at the same times. */
typedef struct desk {
    const signature *is;
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

static const signature leak_verdict = {"leak_verdict", "wwwnwnn",
                                       "first_ms last_ms n value life limit_kib page_kib"};

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

/* Reads the numbers; NaN for NULL and for texts. */
static bool take(sqlite3_context *out, const signature *s, int argc, sqlite3_value **argv,
                 double *to)
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
    return true;
}

/* Checks to[first] and to[last], which are times. */
static bool take_times(sqlite3_context *out, const signature *s, int first, int last,
                       const double *to)
{
    if (to[first] > to[last])
        return refuse(out, s, first, "is later than last_ms");
    return (to[first] >= -LAST_MS || refuse(out, s, first, "is beyond the year -9999")) &&
           (to[last] <= LAST_MS || refuse(out, s, last, "is beyond the year 9999"));
}

/* ---- leak_verdict ---- */

static void verdict_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, sizeof *l);
    double v[ARGUMENTS_MAX] = {0};

    if (!l) {
        sqlite3_result_error_nomem(out);
        return;
    }
    if (!take(out, &leak_verdict, argc, argv, v) || !take_times(out, &leak_verdict, 0, 1, v))
        return;
    if (l->n_runs == 0) {
        l->options.metric = argc > 6 && v[6] == 0 ? PM_METRIC_MAPPINGS : PM_METRIC_RSS;
        l->options.limit_kib = argc > 5 ? v[5] : NAN;
    }
    if (v[2] < 1 || v[2] > (double)(MOST_SNAPSHOTS - l->n_stretched))
        refuse(out, &leak_verdict, 2,
               v[2] < 1 ? "must be 1 or more" : "makes more than 1048576 snapshots");
    else if (pm_leak_lives_stretch(l,
                                   (pm_leak_piece){.first = (int64_t)v[0],
                                                   .last = (int64_t)v[1],
                                                   .n = (int64_t)v[2],
                                                   .life = (int64_t)v[4]},
                                   v[3], NULL) != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
}

/* ---- the rows of a process ---- */

static const signature leak_moments = {
    "leak_moments", "wwwwtnnnnnnn",
    "taken_ms process_id epoch_id off sums mappings size_kib rss_kib pss_kib private_kib "
    "private_dirty_kib swap_kib"};

static const signature leak_runs = {
    "leak_runs", "ttwwwnnnnnnn",
    "key category epoch_id first last mappings size_kib rss_kib pss_kib private_kib "
    "private_dirty_kib swap_kib"};

static const signature leak_windows = {"leak_windows", "ttwwnnn",
                                       "key category from_ms to_ms was_kib rss_kib touched_kib"};

/* The rows so far; NULL: the error is set. */
static pm_leak_lives *begin(sqlite3_context *out, const signature *s, int argc,
                            sqlite3_value **argv, double *v)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, sizeof *l);

    if (!l)
        sqlite3_result_error_nomem(out);
    return l && take(out, s, argc, argv, v) ? l : NULL;
}

static void end(sqlite3_context *out, pmapdb_status st)
{
    if (st != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
}

static void moments_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    double v[ARGUMENTS_MAX] = {0};
    pm_leak_lives *l = begin(out, &leak_moments, argc, argv, v);
    pm_text sums = pm_argument_text(argv[4]);
    pm_leak_moment moment = {.sums = {.hides_keys = sums.data != NULL,
                                      .vm_rss = !pm_text_equal(sums, PM_TEXT("total"))}};

    if (!l || !take_times(out, &leak_moments, 0, 0, v))
        return;
    moment.ms = (int64_t)v[0];
    moment.life = (int64_t)v[1];
    moment.place = (pm_leak_place){(int64_t)v[2], (int64_t)v[3]};
    memcpy(moment.sums.value, v + 5, sizeof moment.sums.value);
    end(out, pm_leak_lives_moment(l, &moment, NULL));
}

static void runs_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    double v[ARGUMENTS_MAX] = {0};
    pm_leak_lives *l = begin(out, &leak_runs, argc, argv, v);
    pm_leak_piece run;

    if (!l)
        return;
    run = (pm_leak_piece){.epoch = (int64_t)v[2], .first = (int64_t)v[3], .last = (int64_t)v[4]};
    memcpy(run.value, v + 5, sizeof run.value);
    end(out,
        pm_leak_lives_run(l, pm_argument_text(argv[0]), pm_argument_text(argv[1]), &run, NULL));
}

static void windows_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    double v[ARGUMENTS_MAX] = {0};
    pm_leak_lives *l = begin(out, &leak_windows, argc, argv, v);

    if (l && take_times(out, &leak_windows, 2, 3, v))
        end(out, pm_leak_lives_window(
                     l, pm_argument_text(argv[0]), pm_argument_text(argv[1]),
                     &(pm_leak_window){(int64_t)v[2], (int64_t)v[3], v[4], v[5], v[6]}, NULL));
}

static void free_rows(void *rows)
{
    pm_leak_lives_free(rows);
    free(rows);
}

/* The rows become a pointer, which SQL can only hand to leak_report. */
static void give_rows(sqlite3_context *out)
{
    const desk *d = sqlite3_user_data(out);
    pm_leak_lives *l = sqlite3_aggregate_context(out, 0), *rows = l ? malloc(sizeof *rows) : NULL;

    if (rows) {
        *rows = *l;
        sqlite3_result_pointer(out, rows, d->is->function, free_rows);
    } else if (l) {
        pm_leak_lives_free(l);
        sqlite3_result_error_nomem(out);
    }
}

/* ---- leak_report ---- */

enum { ROWS, METRIC = ROWS + 3, LIMIT, SENSITIVITY, LIVE, ARGUMENTS = LIVE + 5 };

static const signature leak_report = {
    "leak_report", "ttttntnnnnn",
    "moments runs windows metric limit_kib sensitivity memory_max_kib address_limit_kib "
    "stack_limit_kib max_map_count process_ms"};

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

static bool take_options(sqlite3_context *out, int argc, sqlite3_value **argv, pm_leak_options *o)
{
    static const char *const sensitivities[] = {"low", "normal", "high"};
    static const double weights[] = {0.8, 0.5, 0.35};
    const char *metrics[1 + PM_METRIC_COUNT] = {"joint"};
    int metric = 0, sensitivity = 1;
    double v[ARGUMENTS_MAX] = {0};

    for (int i = 0; i < PM_METRIC_COUNT; i++)
        metrics[1 + i] = pm_metric_name((pm_metric)i);
    if (!take(out, &leak_report, argc, argv, v) ||
        !take_word(out, METRIC, argv, metrics, 1 + PM_METRIC_COUNT, &metric) ||
        !take_word(out, SENSITIVITY, argv, sensitivities, 3, &sensitivity))
        return false;
    o->metric = metric - 1;
    o->limit_kib = v[LIMIT];
    o->leak_posterior = weights[sensitivity];
    o->memory_max_kib = v[LIVE];
    o->address_limit_kib = v[LIVE + 1];
    o->stack_limit_kib = v[LIVE + 2];
    o->max_map_count = v[LIVE + 3];
    o->process_ms = v[LIVE + 4];
    return true;
}

static void judge(sqlite3_context *out, pm_leak_lives *l)
{
    const desk *d = sqlite3_user_data(out);
    pm_buf json = {0};
    pmapdb_error err = {0};

    if (d->judged && !l->n_stretched)
        ++*d->judged;
    l->options.room = room_of(out);
    if (!l->options.room)
        sqlite3_result_error_nomem(out);
    else if (l->n_moments || l->n_stretched)
        pm_argument_give(out, &json, pm_leak_lives_judge(l, &json, &err), &err);
    pm_buf_free(&json);
}

/* Judging reorders the rows, so they count once. */
static void report(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    static const signature *const kinds[] = {&leak_moments, &leak_runs, &leak_windows};
    pm_leak_lives all = {0};

    if (!take_options(out, argc, argv, &all.options))
        return;
    for (int i = 0; i < 3; i++)
        pm_leak_lives_move(&all, sqlite3_value_pointer(argv[ROWS + i], kinds[i]->function));
    judge(out, &all);
    pm_leak_lives_free(&all);
}

static void give_verdict(sqlite3_context *out)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, 0);

    if (!l)
        return;
    judge(out, l);
    pm_leak_lives_free(l);
}

int pm_leak_functions_add(struct sqlite3 *db, int64_t *judged)
{
    static const struct {
        const signature *is;
        int args;
        void (*scalar)(sqlite3_context *out, int argc, sqlite3_value **argv);
        void (*step)(sqlite3_context *out, int argc, sqlite3_value **argv);
        void (*final)(sqlite3_context *out);
    } functions[] = {{&leak_verdict, 5, NULL, verdict_step, give_verdict},
                     {&leak_verdict, 6, NULL, verdict_step, give_verdict},
                     {&leak_verdict, 7, NULL, verdict_step, give_verdict},
                     {&leak_moments, 12, NULL, moments_step, give_rows},
                     {&leak_runs, 12, NULL, runs_step, give_rows},
                     {&leak_windows, 7, NULL, windows_step, give_rows},
                     {&leak_report, ARGUMENTS, report, NULL, NULL}};
    int rc = SQLITE_OK;

    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++) {
        desk *d = calloc(1, sizeof *d);

        if (!d)
            return SQLITE_NOMEM;
        *d = (desk){.is = functions[i].is, .judged = judged};
        rc = sqlite3_create_function_v2(db, functions[i].is->function, functions[i].args,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, d,
                                        functions[i].scalar, functions[i].step, functions[i].final,
                                        close_desk);
    }
    return rc;
}
