/* runs: reads and aligns the runs that compare judges. */
#include "cli/compare/runs.h"

#include "api/one_file.h"
#include "cli/run.h"
#include "parse/files/csv_table.h"
#include "stats/order.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCKS_MIN 4    /* fewer show neither a level nor a growth */
#define EARLY 0.5       /* a run shorter than this share of the median ended early */
#define MUCH_LONGER 1.2 /* runs that differ less in length are of one length */

void pm_runs_open(pm_runs *runs)
{
    pmapdb_error err;

    *runs = (pm_runs){0};
    pm_cli_must(pm_pool_new(&runs->keys, &err), &err);
}

void pm_runs_free(pm_runs *runs)
{
    pm_pool_free(runs->keys);
    free(runs->run);
    free(runs->point);
}

/* ---- rows ---- */

typedef struct run_row {
    int64_t run, block;
    double at_s;
    pm_text key;
    double mappings, rss_kib, rss_max_kib;
} run_row;

typedef struct reading {
    pm_runs *runs;
    const char *source;
    bool of_b;
    size_t begin; /* the first run of the source */
} reading;

static pm_one_run *run_of(reading *r, int64_t number)
{
    pm_runs *runs = r->runs;
    pm_one_run *run;
    pmapdb_error err;

    if (runs->n > r->begin && runs->run[runs->n - 1].number == number)
        return &runs->run[runs->n - 1];
    pm_cli_must(pm_grow(&runs->run, &runs->cap, runs->n, sizeof *runs->run, &err), &err);
    run = &runs->run[runs->n++];
    *run = (pm_one_run){.source = r->source, .number = number, .of_b = r->of_b};
    for (int b = 0; b <= PM_BLOCKS; b++)
        run->at_s[b] = NAN;
    return run;
}

static void add_row(reading *r, const run_row *row)
{
    pm_one_run *run = run_of(r, row->run);
    pm_runs *runs = r->runs;
    pm_run_point point = {.run = (uint32_t)(run - runs->run),
                          .block = (uint32_t)row->block,
                          .mappings = row->mappings,
                          .rss_kib = row->rss_kib,
                          .rss_max_kib = row->rss_max_kib};
    pmapdb_error err;

    run->at_s[row->block] = row->at_s;
    pm_cli_must(pm_pool_text(runs->keys, row->key, &point.key, &err), &err);
    pm_cli_must(pm_grow(&runs->point, &runs->cap_points, runs->n_points, sizeof *runs->point, &err),
                &err);
    runs->point[runs->n_points++] = point;
}

/* ---- a store ---- */

static double real_of(const pmapdb_rows *rows, const char *column)
{
    int i = pm_answer_column(rows, column);

    return pmapdb_rows_type(rows, i) == PMAPDB_NULL ? NAN : pmapdb_rows_real(rows, i);
}

static void bind(pmapdb_rows *rows, const char *param, const char *value)
{
    pmapdb_error err;

    if (value && *value)
        pm_cli_must(pmapdb_bind(rows, param, value, &err), &err);
}

/* `from` and `to` may be NULL. */
static void read_store(reading *r, const pm_cli *cli, const pm_runs_options *o, const char *process,
                       const char *from, const char *to)
{
    pmapdb_store *store = pm_cli_store(cli, PMAPDB_READ);
    pmapdb_rows *rows = NULL;
    pmapdb_error err;

    pm_cli_must(pmapdb_query(store, "baseline", &rows, &err), &err);
    bind(rows, "process", process);
    bind(rows, "from", from);
    bind(rows, "to", to);
    bind(rows, "warm-up", o->warm_up);
    bind(rows, "dialect", o->dialect);
    while (pm_run_next(rows)) {
        run_row row = {.run = pm_answer_int(rows, "run"),
                       .block = pm_answer_int(rows, "block"),
                       .at_s = real_of(rows, "at_s"),
                       .mappings = real_of(rows, "mappings"),
                       .rss_kib = real_of(rows, "rss_kib"),
                       .rss_max_kib = real_of(rows, "rss_max_kib")};

        row.key.data = pmapdb_rows_text(rows, pm_answer_column(rows, "key"), &row.key.len);
        add_row(r, &row);
    }
    pmapdb_rows_close(rows);
    pmapdb_close(store);
}

/* Reads NAME or NAME@FROM..TO. */
static void read_name(reading *r, const pm_cli *cli, const pm_runs_options *o)
{
    char *words = strdup(r->source), *dots, *at;

    if (!words)
        pm_cli_no_memory();
    at = strrchr(words, '@');
    dots = at ? strstr(at, "..") : NULL;
    if (dots)
        *at = *dots = '\0';
    read_store(r, cli, o, words, dots ? at + 1 : NULL, dots ? dots + 2 : NULL);
    free(words);
}

/* ---- a file of the query baseline ---- */

enum { RUN, BLOCK, AT_S, KEY, MAPPINGS, RSS, RSS_MAX, N_FIELDS };

static const pm_csv_column fields[N_FIELDS] = {[RUN] = {"run", true},
                                               [BLOCK] = {"block", true},
                                               [AT_S] = {"at_s", true},
                                               [KEY] = {"key", true},
                                               [MAPPINGS] = {"mappings", true},
                                               [RSS] = {"rss_kib", true},
                                               [RSS_MAX] = {"rss_max_kib", true}};

static pmapdb_status refuse_row(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    const reading *r = ctx;

    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s", r->source, (unsigned long long)line, what);
}

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    double number[N_FIELDS];

    for (int i = 0; i < N_FIELDS; i++) {
        number[i] = NAN;
        if (i != KEY && field[i].len && !pm_csv_number(field[i], &number[i]))
            return refuse_row(ctx, line, "not a number", err);
    }
    if (!(number[RUN] >= 1) || !(number[BLOCK] >= 0 && number[BLOCK] <= PM_BLOCKS) ||
        isnan(number[AT_S]) || !field[KEY].len)
        return refuse_row(ctx, line, "not a row of pmapdb baseline", err);
    add_row(ctx, &(run_row){.run = (int64_t)number[RUN],
                            .block = (int64_t)number[BLOCK],
                            .at_s = number[AT_S],
                            .key = field[KEY],
                            .mappings = number[MAPPINGS],
                            .rss_kib = number[RSS],
                            .rss_max_kib = number[RSS_MAX]});
    return PMAPDB_OK;
}

static void read_csv(reading *r, const char *text, size_t n)
{
    const pm_csv_options options = {.path = r->source,
                                    .columns = fields,
                                    .n_columns = N_FIELDS,
                                    .ctx = r,
                                    .row = take_row,
                                    .bad = refuse_row};
    pm_csv *csv = NULL;
    pmapdb_error err;

    pm_cli_must(pm_csv_new(&options, &csv, &err), &err);
    pm_cli_must(pm_csv_feed(csv, text, n, &err), &err);
    pm_cli_must(pm_csv_finish(csv, &err), &err);
    pm_csv_free(csv);
}

#define BASELINE_MAX ((size_t)64 << 20)

static void read_file(reading *r, const pm_cli *cli, const pm_runs_options *o)
{
    static const char magic[] = "SQLite format 3";
    pm_cli of_file = *cli;
    pm_buf bytes = {0};
    pmapdb_error err;
    FILE *file = fopen(r->source, "rb");
    char head[sizeof magic] = "";
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;

    if (file)
        fclose(file);
    if (n == sizeof head && memcmp(head, magic, sizeof magic) == 0) {
        of_file.db = r->source;
        read_store(r, &of_file, o, o->process, NULL, NULL);
        return;
    }
    pm_cli_must(pm_one_file_read(r->source, BASELINE_MAX, &bytes, &err), &err);
    read_csv(r, bytes.data, bytes.len);
    pm_buf_free(&bytes);
}

void pm_runs_read(pm_runs *runs, const pm_cli *cli, const char *source, bool of_b,
                  const pm_runs_options *options)
{
    reading r = {.runs = runs, .source = source, .of_b = of_b, .begin = runs->n};
    struct stat st;

    if (stat(source, &st) == 0)
        read_file(&r, cli, options);
    else
        read_name(&r, cli, options);
    if (runs->n == r.begin)
        pm_cli_die("'%s' has no runs", source);
}

/* ---- alignment ---- */

static double last_s(const pm_one_run *run)
{
    int b = PM_BLOCKS;

    while (b > 0 && isnan(run->at_s[b]))
        b--;
    return b ? run->at_s[b] : 0;
}

static int count_blocks(const pm_one_run *run)
{
    int n = 0;

    for (int b = 1; b <= PM_BLOCKS; b++)
        n += run->used[b];
    return n;
}

static double median_length(const pm_runs *runs)
{
    double *length = calloc(runs->n, sizeof *length), median;

    if (!length)
        pm_cli_no_memory();
    for (size_t i = 0; i < runs->n; i++)
        length[i] = last_s(&runs->run[i]);
    median = pm_median(length, runs->n);
    free(length);
    return median;
}

static void leave_out(pm_one_run *run, const char *why)
{
    run->left_out = true;
    pm_cli_say("%s: run %lld is left out: after %.0f s %s", run->source, (long long)run->number,
               last_s(run), why);
}

void pm_runs_align(pm_runs *runs, const pm_cli *cli)
{
    double median = median_length(runs), common = INFINITY, longest = 0;

    for (size_t i = 0; i < runs->n; i++) {
        pm_one_run *run = &runs->run[i];
        double length = last_s(run);

        if (length < median * EARLY) {
            leave_out(run, "it ended, before half of the time that most runs last");
            continue;
        }
        common = fmin(common, length);
        longest = fmax(longest, length);
    }
    if (longest > common * MUCH_LONGER)
        pm_cli_note(cli, "the runs last %.0f to %.0f s: only the first %.0f s of each count",
                    common, longest, common);
    for (size_t i = 0; i < runs->n; i++) {
        pm_one_run *run = &runs->run[i];

        for (int b = 0; b <= PM_BLOCKS; b++)
            run->used[b] = run->at_s[b] <= common * MUCH_LONGER;
        if (!run->left_out && count_blocks(run) < BLOCKS_MIN)
            leave_out(run, "it has too few snapshots: capture more often");
    }
}

size_t pm_runs_count(const pm_runs *runs, bool of_b)
{
    size_t n = 0;

    for (size_t i = 0; i < runs->n; i++)
        n += runs->run[i].of_b == of_b && !runs->run[i].left_out;
    return n;
}
