/* leak_functions: the verdicts of src/stats as SQL functions. This file takes the rows;
 * leak_process.c, which does not depend on SQLite, judges them. */
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

/* The arguments of a function, one letter each in `kinds`: t a text; v a number or NULL that
 * becomes a value of the row; o another number or NULL; all other letters whole numbers (whole_of).
 */
typedef struct signature {
    const char *function, *kinds, *names;
} signature;

/* The user data of one function of a connection. Its verdicts run one after the other and share
 * the room, because processes of one host were captured at the same times. */
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

static const signature leak_verdict = {"leak_verdict", "aznvpoo",
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

/* The member of a row for a whole number; a, z and m are times, and z is not before a. */
static int64_t *whole_of(pm_leak_row *row, char kind)
{
    return pm_char_in(kind, "af")   ? &row->first
           : pm_char_in(kind, "zl") ? &row->last
           : kind == 'm'            ? &row->ms
           : kind == 'e'            ? &row->epoch
           : kind == 'p'            ? &row->life
           : kind == 'n'            ? &row->n
                                    : NULL;
}

/* Reads the arguments into `to`, NaN for NULL and for texts, and the members of the row. */
static bool take(sqlite3_context *out, const signature *s, int argc, sqlite3_value **argv,
                 pm_leak_row *row, double *to)
{
    double *value = row->sums.value;

    for (int i = 0; i < argc; i++) {
        char kind = s->kinds[i];
        int type = sqlite3_value_type(argv[i]);
        int64_t *whole = whole_of(row, kind);

        to[i] = kind == 't' || type == SQLITE_NULL ? NAN : sqlite3_value_double(argv[i]);
        if (whole && type != SQLITE_INTEGER)
            return refuse(out, s, i, "must be a whole number");
        if (kind != 't' && type != SQLITE_INTEGER && type != SQLITE_FLOAT && type != SQLITE_NULL)
            return refuse(out, s, i, "must be a number or NULL");
        if (fabs(to[i]) > MOST_KIB)
            return refuse(out, s, i, "is more than 2^53");
        if (kind == 'z' && i > 0 && to[i - 1] > to[i])
            return refuse(out, s, i, "is before the beginning of the span");
        if (pm_char_in(kind, "maz") && fabs(to[i]) > LAST_MS)
            return refuse(out, s, i, "is beyond the years -9999 to 9999");
        if (whole)
            *whole = (int64_t)to[i];
        if (kind == 'v')
            *value++ = to[i];
    }
    return true;
}

/* ---- aggregates ---- */

/* Reads the arguments and returns the state of the aggregate; NULL: the error is set. */
static void *begin(sqlite3_context *out, int size, const signature *s, int argc,
                   sqlite3_value **argv, pm_leak_row *row, double *v)
{
    void *kept = sqlite3_aggregate_context(out, size);

    if (!kept)
        sqlite3_result_error_nomem(out);
    return kept && take(out, s, argc, argv, row, v) ? kept : NULL;
}

static void end(sqlite3_context *out, pmapdb_status st)
{
    if (st != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
}

static void verdict_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    double v[ARGUMENTS_MAX] = {0};
    pm_leak_row run = {0};
    pm_leak_lives *l = begin(out, sizeof *l, &leak_verdict, argc, argv, &run, v);

    if (!l)
        return;
    if (l->runs.n == 0) {
        l->options.metric = argc > 6 && v[6] == 0 ? PM_METRIC_MAPPINGS : PM_METRIC_RSS;
        l->options.limit_kib = argc > 5 ? v[5] : NAN;
    }
    for (int m = 0; m < PM_METRIC_COUNT; m++)
        run.sums.value[m] = m == l->options.metric ? v[3] : NAN;
    if (run.n < 1 || run.n > MOST_SNAPSHOTS - l->n_spread) {
        refuse(out, &leak_verdict, 2,
               run.n < 1 ? "must be 1 or more" : "makes more than 1048576 snapshots");
        return;
    }
    l->n_spread += run.n;
    end(out, pm_leak_rows_add(&l->runs, &run, PM_TEXT(""), PM_TEXT(""), NULL));
}

/* ---- the rows of a process ---- */

static const signature leak_moments = {
    "leak_moments", "mpeftvvvvvvv",
    "taken_ms process_id epoch_id off sums mappings size_kib rss_kib pss_kib private_kib "
    "private_dirty_kib swap_kib"};

static const signature leak_runs = {
    "leak_runs", "tteflvvvvvvv",
    "key category epoch_id first last mappings size_kib rss_kib pss_kib private_kib "
    "private_dirty_kib swap_kib"};

static const signature leak_windows = {"leak_windows", "ttazvvv",
                                       "key category from_ms to_ms was_kib rss_kib touched_kib"};

static void rows_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const desk *d = sqlite3_user_data(out);
    bool is_moment = d->is == &leak_moments;
    pm_text sums = is_moment ? pm_argument_text(argv[4]) : PM_TEXT("");
    double v[ARGUMENTS_MAX];
    pm_leak_row row = {.sums = {.hides_keys = sums.data != NULL,
                                .vm_rss = !pm_text_equal(sums, PM_TEXT("total"))}};
    pm_leak_rows *rows = begin(out, sizeof *rows, d->is, argc, argv, &row, v);

    if (rows)
        end(out, pm_leak_rows_add(rows, &row, is_moment ? PM_TEXT("") : pm_argument_text(argv[0]),
                                  is_moment ? PM_TEXT("") : pm_argument_text(argv[1]), NULL));
}

static void free_rows(void *rows)
{
    pm_leak_rows_free(rows);
    free(rows);
}

/* The rows become a pointer, which SQL can only hand to leak_report. */
static void give_rows(sqlite3_context *out)
{
    const desk *d = sqlite3_user_data(out);
    pm_leak_rows *rows = sqlite3_aggregate_context(out, 0),
                 *copy = rows ? malloc(sizeof *copy) : NULL;

    if (copy) {
        *copy = *rows;
        sqlite3_result_pointer(out, copy, d->is->function, free_rows);
    } else if (rows) {
        pm_leak_rows_free(rows);
        sqlite3_result_error_nomem(out);
    }
}

/* ---- leak_report ---- */

enum { MOMENTS, RUNS, WINDOWS, METRIC, LIMIT, SENSITIVITY, LIVE, ARGUMENTS = LIVE + 5 };

static const signature leak_report = {
    "leak_report", "ttttotooooo",
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
    double v[ARGUMENTS_MAX];
    pm_leak_row none = {0};

    for (int i = 0; i < PM_METRIC_COUNT; i++)
        metrics[1 + i] = pm_metric_names[(pm_metric)i];
    if (!take(out, &leak_report, argc, argv, &none, v) ||
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
    pm_buf json = {0};
    pmapdb_error err = {0};

    l->options.room = room_of(out);
    if (!l->options.room)
        sqlite3_result_error_nomem(out);
    else
        pm_argument_give(out, &json, pm_leak_lives_judge(l, &json, &err), &err);
    pm_buf_free(&json);
}

/* Takes the rows out of the pointer: judging reorders them, so they can be judged only once. */
static void take_rows(pm_leak_rows *to, sqlite3_value *v, const signature *s)
{
    pm_leak_rows *from = sqlite3_value_pointer(v, s->function);

    if (from) {
        *to = *from;
        *from = (pm_leak_rows){0};
    }
}

static void report(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const desk *d = sqlite3_user_data(out);
    pm_leak_lives all = {0};

    if (!take_options(out, argc, argv, &all.options))
        return;
    take_rows(&all.moments, argv[MOMENTS], &leak_moments);
    take_rows(&all.runs, argv[RUNS], &leak_runs);
    take_rows(&all.windows, argv[WINDOWS], &leak_windows);
    if (d->judged)
        ++*d->judged;
    if (all.moments.n)
        judge(out, &all);
    pm_leak_lives_free(&all);
}

static void give_verdict(sqlite3_context *out)
{
    pm_leak_lives *l = sqlite3_aggregate_context(out, 0);

    if (!l)
        return;
    if (l->runs.n)
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
                     {&leak_moments, 12, NULL, rows_step, give_rows},
                     {&leak_runs, 12, NULL, rows_step, give_rows},
                     {&leak_windows, 7, NULL, rows_step, give_rows},
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
