/* series: pmapdb leaks --series FILE.csv: judges series that are not in a store, each as the only
 * key of a process. */
#include "cli/leaks/leaks.h"

#include "api/one_file.h"
#include "base/clock/clock.h"
#include "base/num.h"
#include "base/pool.h"
#include "parse/files/csv_table.h"
#include "stats/leaks/leaks.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BAD_SHOWN 10 /* rows to print; the others are only counted */

enum { ID, TS, KB, SIZE, PRIVATE, MAPPINGS, LIMIT, PID, CATEGORY, N_FIELDS };
enum { NUMBERS = LIMIT + 1 - KB };

static const pm_csv_column fields[N_FIELDS] = {[ID] = {"series_id", true},
                                               [TS] = {"ts", true},
                                               [KB] = {"kb", true},
                                               [SIZE] = {"size_kb", false},
                                               [PRIVATE] = {"private_kb", false},
                                               [MAPPINGS] = {"mappings", false},
                                               [LIMIT] = {"limit_kb", false},
                                               [PID] = {"pid", false},
                                               [CATEGORY] = {"category", false}};

/* A row of the file. */
typedef struct point {
    uint32_t series, life, category; /* ids of the texts, in order of appearance in the file */
    int64_t ms;
    double value[NUMBERS]; /* of the fields from KB to LIMIT; NaN: unknown */
    size_t order; /* position in the file: the last of several points with equal times wins */
} point;

typedef struct reading {
    const char *path;
    pm_pool *ids, *texts; /* texts: pids and categories */
    point *points;
    size_t n, cap, n_bad;
} reading;

/* ---- reading ---- */

static pmapdb_status say_bad(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    reading *r = ctx;

    (void)err;
    if (r->n_bad++ < BAD_SHOWN)
        pm_cli_say("%s:%llu: %s", r->path, (unsigned long long)line, what);
    return PMAPDB_OK;
}

static pmapdb_status refuse(reading *r, uint64_t line, const pm_text *field, int i,
                            const char *wanted)
{
    char what[256];

    snprintf(what, sizeof what, "%s is '%.*s', not %s: the row is left out", fields[i].name,
             (int)(field[i].len < 64 ? field[i].len : 64), field[i].data, wanted);
    return say_bad(r, line, what, NULL);
}

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    reading *r = ctx;
    point p = {.order = r->n};

    if (!field[ID].len)
        return refuse(r, line, field, ID, "the name of a series");
    if (!pm_csv_moment(field[TS], &p.ms))
        return refuse(r, line, field, TS,
                      "seconds (not milliseconds) since 1970 or an ISO 8601 time");
    for (int i = KB; i <= LIMIT; i++) {
        p.value[i - KB] = NAN;
        if (field[i].len && !pm_csv_number(field[i], &p.value[i - KB]))
            return refuse(r, line, field, i, i == MAPPINGS ? "a number" : "a number of KiB");
    }
    pm_cli_must(pm_pool_text(r->ids, field[ID], &p.series, err), err);
    pm_cli_must(pm_pool_text(r->texts, field[PID], &p.life, err), err);
    pm_cli_must(pm_pool_text(r->texts, field[CATEGORY], &p.category, err), err);
    pm_cli_must(pm_grow(&r->points, &r->cap, r->n, sizeof *r->points, err), err);
    r->points[r->n++] = p;
    return PMAPDB_OK;
}

static void read_file(reading *r, const char *path)
{
    const pm_csv_options options = {.path = r->path,
                                    .columns = fields,
                                    .n_columns = N_FIELDS,
                                    .ctx = r,
                                    .row = take_row,
                                    .bad = say_bad};
    pmapdb_error err;

    pm_cli_must(pm_pool_new(&r->ids, &err), &err);
    pm_cli_must(pm_pool_new(&r->texts, &err), &err);
    pm_cli_must(pm_one_file_csv(path, &options, &err), &err);
    if (r->n_bad > BAD_SHOWN)
        pm_cli_say("%s: %zu more bad rows", r->path, r->n_bad - BAD_SHOWN);
    if (!r->n)
        pm_cli_die("'%s' has no series: not a single good row", path);
}

/* Orders by series, then by time, then by position in the file. */
static int compare(const void *x, const void *y)
{
    const point *a = x, *b = y;

    if (a->series != b->series)
        return a->series < b->series ? -1 : 1;
    if (a->ms != b->ms)
        return a->ms < b->ms ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* ---- verdicts ---- */

/* The known values of one series, one per moment, as the only key of a process. */
typedef struct curve {
    int64_t *ms;
    int32_t *life;
    pm_leak_run *run;
    size_t n;
    pm_leak verdict[2]; /* of the process, and of the key */
} curve;

/* Sets the metric that is judged to kb, and the other metrics to their own columns. */
static void set_run(pm_leak_run *run, size_t place, const point *p, pm_metric metric)
{
    *run = (pm_leak_run){.first = (uint32_t)place, .last = (uint32_t)place};
    for (int m = 0; m < PM_METRIC_COUNT; m++)
        run->value[m] = NAN;
    run->value[PM_METRIC_SIZE] = p->value[SIZE - KB];
    run->value[PM_METRIC_PRIVATE] = p->value[PRIVATE - KB];
    run->value[PM_METRIC_MAPPINGS] = p->value[MAPPINGS - KB];
    run->value[metric] = p->value[0];
}

static void fill(curve *c, const point *p, size_t n, pm_metric metric)
{
    c->n = 0;
    for (size_t i = 0; i < n; i++)
        if ((i + 1 == n || p[i + 1].ms != p[i].ms) && !isnan(p[i].value[0])) {
            c->ms[c->n] = p[i].ms;
            c->life[c->n] = (int32_t)p[i].life;
            set_run(&c->run[c->n], c->n, &p[i], metric);
            c->n++;
        }
}

/* Returns the options, with the newest limit that the rows name if they name one. */
static pm_leak_options with_limit(pm_leak_options how, const point *p, size_t n)
{
    for (size_t i = n; i > 0; i--)
        if (p[i - 1].value[LIMIT - KB] > 0) {
            how.limit_kib = p[i - 1].value[LIMIT - KB];
            break;
        }
    if (how.metric == PM_METRIC_SIZE)
        how.address_limit_kib = how.limit_kib;
    if (how.metric == PM_METRIC_MAPPINGS)
        how.max_map_count = how.limit_kib;
    return how;
}

static void judge(const reading *r, curve *c, const point *p, size_t n, const pm_leak_options *how)
{
    pm_leak_options options = with_limit(*how, p, n);
    pm_leak_key key = {.runs = c->run};
    pm_leak_process process = {.ms = c->ms, .life = c->life, .keys = &key, .n_keys = 1};
    pmapdb_error err;

    fill(c, p, n, how->metric < 0 ? PM_METRIC_RSS : (pm_metric)how->metric);
    process.n = key.n_runs = c->n;
    key.key = pm_pool_text_get(r->ids, p->series).data;
    key.category = pm_pool_text_get(r->texts, p[n - 1].category).data;
    pm_cli_must(pm_leaks_judge(&process, &options, c->verdict, &err), &err);
}

static const pm_column columns[] = {
    {"series_id", PM_UNIT_TEXT},  {"verdict", PM_UNIT_TEXT},  {"shape", PM_UNIT_TEXT},
    {"rate_per_h", PM_UNIT_REAL}, {"rate_low", PM_UNIT_REAL}, {"rate_high", PM_UNIT_REAL},
    {"confidence", PM_UNIT_REAL}, {"since", PM_UNIT_TIME},    {"detectable_per_h", PM_UNIT_REAL},
    {"limit", PM_UNIT_REAL},      {"eta_h", PM_UNIT_REAL},    {"snapshots", PM_UNIT_COUNT},
    {"lives", PM_UNIT_COUNT},     {"reason", PM_UNIT_TEXT},   {"metric", PM_UNIT_TEXT},
};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

/* Rounds an estimate to six significant digits; NULL if it is unknown. */
static pm_value estimate(bool known, double v)
{
    char text[40];

    if (!known || !isfinite(v))
        return (pm_value){.kind = PM_VALUE_NULL};
    snprintf(text, sizeof text, "%.6g", v);
    return (pm_value){.kind = PM_VALUE_REAL, .r = strtod(text, NULL)};
}

/* Returns the time when the growth began, or NULL if the series does not grow. */
static pm_value since_of(const curve *c, const pm_leak *row, char text[PM_CLOCK_TEXT])
{
    if (row->verdict < PM_VERDICT_SUSPECT)
        return pm_value_text(NULL);
    pm_clock_format(row->trend.since_ms == INT64_MIN ? c->ms[0] : row->trend.since_ms, text);
    return pm_value_text(text);
}

static void write_row(pm_output *out, pm_text id, const curve *c)
{
    const pm_leak *row = &c->verdict[1];
    const pm_trend *t = &row->trend;
    bool known = row->verdict != PM_VERDICT_TOO_FEW;
    char since[PM_CLOCK_TEXT];
    pm_value values[N_COLUMNS] = {
        {.kind = PM_VALUE_TEXT, .t = id},
        pm_value_text(pm_verdict_name(row->verdict)),
        pm_value_text(known ? pm_shape_name(t->shape) : NULL),
        estimate(known, t->rate),
        estimate(known, t->low),
        estimate(known, t->high),
        estimate(known, row->confidence),
        since_of(c, row, since),
        estimate(known && t->detectable > 0, t->detectable),
        estimate(true, row->limit),
        estimate(true, row->eta_h),
        pm_value_int((int64_t)c->n),
        pm_value_int(known ? t->lives : PMAPDB_UNKNOWN),
        pm_value_text(*row->reason ? row->reason : NULL),
        pm_value_text(pm_metric_name(row->metric)),
    };

    pm_output_row(out, values);
}

static void write_verdicts(pm_leaks_cmd *l, const reading *r, pm_leak_options how)
{
    static const pm_about about = {.name = {"series", 6}, .title = {"Verdicts on series", 18}};
    curve c = {.ms = calloc(r->n + 1, sizeof *c.ms),
               .life = calloc(r->n + 1, sizeof *c.life),
               .run = calloc(r->n + 1, sizeof *c.run)};
    pm_output out;
    pmapdb_error err;

    if (!c.ms || !c.life || !c.run)
        pm_cli_no_memory();
    pm_cli_must(pm_trend_room_open(&how.room, &err), &err);
    pm_output_open(&out, l->cli);
    pm_output_rows(&out, columns, N_COLUMNS, &about);
    for (size_t i = 0, n; i < r->n; i += n) {
        const point *p = &r->points[i];

        for (n = 1; i + n < r->n && p[n].series == p->series;)
            n++;
        judge(r, &c, p, n, &how);
        pm_leaks_count(l, c.verdict[1].verdict, (int64_t)c.n);
        write_row(&out, pm_pool_text_get(r->ids, p->series), &c);
    }
    pm_output_end(&out);
    pm_trend_room_close(how.room);
    free(c.ms);
    free(c.life);
    free(c.run);
}

/* ---- options ---- */

static double limit_of(const pm_leaks_cmd *l)
{
    const char *given = pm_run_given(&l->args, "limit");
    int64_t kib;

    if (!given)
        return NAN;
    if (!pm_num_size(pm_text_of(given), &kib))
        pm_cli_die("--limit wants a size like 4G, not '%s'", given);
    return (double)kib;
}

static pm_leak_options options_of(const pm_leaks_cmd *l)
{
    static const char *const of_store[] = {"process", "since", "dialect", "by"};
    const char *sensitivity = pm_run_given(&l->args, "sensitivity");
    const char *metric = pm_run_given(&l->args, "metric");
    pm_leak_options how = {.metric = -1, .limit_kib = limit_of(l)};

    for (size_t i = 0; i < sizeof of_store / sizeof *of_store; i++)
        if (pm_run_given(&l->args, of_store[i]))
            pm_cli_die("--%s asks the store, --series a file: not both", of_store[i]);
    for (int m = 0; metric && m < PM_METRIC_COUNT; m++)
        if (m != PM_METRIC_RSS && strcmp(metric, pm_metric_name((pm_metric)m)) == 0)
            how.metric = m;
    if (sensitivity && strcmp(sensitivity, "low") == 0)
        how.leak_posterior = 0.8;
    else if (sensitivity && strcmp(sensitivity, "high") == 0)
        how.leak_posterior = 0.35;
    else if (sensitivity && strcmp(sensitivity, "normal") != 0)
        pm_cli_die("--sensitivity is low, normal or high, not '%s'", sensitivity);
    return how;
}

int pm_leaks_series(pm_leaks_cmd *l)
{
    pm_leak_options how = options_of(l);
    reading r = {.path = strcmp(l->series, PM_SOURCE_STDIN) ? l->series : "standard input"};

    pm_output_keep_apart(l->cli, &l->series, 1, "reads");
    read_file(&r, l->series);
    qsort(r.points, r.n, sizeof *r.points, compare);
    write_verdicts(l, &r, how);
    free(r.points);
    pm_pool_free(r.ids);
    pm_pool_free(r.texts);
    return r.n_bad ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
