/* runs: reads and aligns the runs that compare judges. */
#include "cli/compare/compare.h"

#include "api/one_file.h"
#include "cli/run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    int64_t began_ms, block;
    double at_s, work;
    pm_text key, dialect;
    double mappings, rss_kib, rss_max_kib, page_kib;
} run_row;

typedef struct reading {
    pm_runs *runs;
    const char *source;
    bool of_b;
    size_t begin; /* the first run of the source */
} reading;

/* Finds the run of the row; adds it if it is new. A merge of two branches may have mixed the rows
 * of a file. */
static pm_one_run *run_of(reading *r, const run_row *row)
{
    pm_runs *runs = r->runs;
    pm_one_run *run;
    pmapdb_error err;

    for (size_t i = runs->n; i > r->begin; i--)
        if (runs->run[i - 1].began_ms == row->began_ms)
            return &runs->run[i - 1];
    pm_cli_must(pm_grow(&runs->run, &runs->cap, runs->n, sizeof *runs->run, &err), &err);
    run = &runs->run[runs->n++];
    *run = (pm_one_run){
        .source = r->source, .began_ms = row->began_ms, .page_kib = row->page_kib, .of_b = r->of_b};
    pm_cli_must(pm_pool_text(runs->keys, row->dialect, &run->dialect, &err), &err);
    for (int b = 0; b <= PM_BLOCKS; b++)
        run->at_s[b] = run->work[b] = NAN;
    return run;
}

static void add_row(reading *r, const run_row *row)
{
    pm_one_run *run = run_of(r, row);
    pm_runs *runs = r->runs;
    pm_run_point point = {.run = (uint32_t)(run - runs->run),
                          .block = (uint32_t)row->block,
                          .mappings = row->mappings,
                          .rss_kib = row->rss_kib,
                          .rss_max_kib = row->rss_max_kib};
    pmapdb_error err;

    run->at_s[row->block] = row->at_s;
    run->work[row->block] = row->work;
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

/* An empty word is not given. */
static const char *given(const char *value)
{
    return value && *value ? value : NULL;
}

/* What of a store is asked for; each may be NULL. */
typedef struct store_part {
    const char *process, *from, *to, *label;
} store_part;

static void read_store(reading *r, const pm_cli *cli, const pm_runs_options *o,
                       const store_part *part)
{
    pmapdb_store *store = pm_cli_store(cli, PMAPDB_READ);
    pm_buf work = {0};
    pmapdb_rows *rows;

    if (o->work)
        pm_work_read(o->work, &work);
    rows = pm_answer_ask(store, "runs",
                         (pm_answer_arg[]){{"work", work.data},
                                           {"process", given(part->process)},
                                           {"from", given(part->from)},
                                           {"to", given(part->to)},
                                           {"label", given(part->label)},
                                           {"warm-up", given(o->warm_up)},
                                           {"dialect", given(o->dialect)},
                                           {NULL, NULL}});
    while (pm_run_next(rows)) {
        run_row row = {.block = pm_answer_int(rows, "block"),
                       .at_s = real_of(rows, "at_s"),
                       .work = real_of(rows, "work"),
                       .key = pm_answer_bytes(rows, "key"),
                       .dialect = pm_answer_bytes(rows, "dialect"),
                       .mappings = real_of(rows, "mappings"),
                       .rss_kib = real_of(rows, "rss_kib"),
                       .rss_max_kib = real_of(rows, "rss_max_kib"),
                       .page_kib = real_of(rows, "page_kib")};

        pm_csv_moment(pm_answer_bytes(rows, "run"), &row.began_ms);
        add_row(r, &row);
    }
    pm_buf_free(&work);
    pmapdb_rows_close(rows);
    pmapdb_close(store);
}

/* Reads NAME, NAME@FROM..TO or NAME@KEY=VALUE. */
static void read_name(reading *r, const pm_cli *cli, const pm_runs_options *o)
{
    char *words = strdup(r->source), *dots, *at;
    store_part part = {.process = words};

    if (!words)
        pm_cli_no_memory();
    if (strchr(words, '/') || pm_text_ends(pm_text_of(words), PM_TEXT(".csv")) ||
        pm_text_ends(pm_text_of(words), PM_TEXT(".db")))
        pm_cli_die("'%s': no such file", words);
    at = strrchr(words, '@');
    dots = at ? strstr(at, "..") : NULL;
    if (at && strchr(at, '=')) {
        *at = '\0';
        part.label = at + 1;
    } else if (dots) {
        *at = *dots = '\0';
        part.from = at + 1;
        part.to = dots + 2;
    }
    read_store(r, cli, o, &part);
    free(words);
}

/* ---- a file of baseline ---- */

enum { RUN, BLOCK, AT_S, WORK, KEY, MAPPINGS, RSS, RSS_MAX, DIALECT, PAGE, N_FIELDS };

static const pm_csv_column fields[N_FIELDS] = {
    [RUN] = {"run", true},          [BLOCK] = {"block", true},
    [AT_S] = {"at_s", true},        [WORK] = {"work", false},
    [KEY] = {"key", true},          [MAPPINGS] = {"mappings", true},
    [RSS] = {"rss_kib", true},      [RSS_MAX] = {"rss_max_kib", true},
    [DIALECT] = {"dialect", false}, [PAGE] = {"page_kib", false}};

static pmapdb_status refuse_row(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    const reading *r = ctx;

    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s", r->source, (unsigned long long)line, what);
}

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    double number[N_FIELDS];
    int64_t began_ms;

    for (int i = 0; i < N_FIELDS; i++) {
        bool text = i == RUN || i == KEY || i == DIALECT;

        number[i] = NAN;
        if (!text && field[i].len && !pm_csv_number(field[i], &number[i]))
            return refuse_row(ctx, line, "not a number", err);
    }
    if (!pm_csv_moment(field[RUN], &began_ms) ||
        !(number[BLOCK] >= 0 && number[BLOCK] <= PM_BLOCKS) || isnan(number[AT_S]) ||
        !field[KEY].len)
        return refuse_row(ctx, line, "not a row of pmapdb baseline", err);
    add_row(ctx, &(run_row){.began_ms = began_ms,
                            .block = (int64_t)number[BLOCK],
                            .at_s = number[AT_S],
                            .work = number[WORK],
                            .key = field[KEY],
                            .dialect = field[DIALECT],
                            .mappings = number[MAPPINGS],
                            .rss_kib = number[RSS],
                            .rss_max_kib = number[RSS_MAX],
                            .page_kib = number[PAGE]});
    return PMAPDB_OK;
}

static void read_csv(reading *r)
{
    const pm_csv_options options = {.path = r->source,
                                    .columns = fields,
                                    .n_columns = N_FIELDS,
                                    .ctx = r,
                                    .row = take_row,
                                    .bad = refuse_row};
    pmapdb_error err;

    pm_cli_must(pm_one_file_csv(r->source, &options, &err), &err);
}

static void read_file(reading *r, const pm_cli *cli, const pm_runs_options *o)
{
    static const char magic[] = "SQLite format 3";
    pm_cli of_file = *cli;
    FILE *file = fopen(r->source, "rb");
    char head[sizeof magic] = "";
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;

    if (file)
        fclose(file);
    if (n == sizeof head && memcmp(head, magic, sizeof magic) == 0) {
        of_file.db = r->source;
        read_store(r, &of_file, o, &(store_part){.process = o->process});
    } else {
        read_csv(r);
    }
}

void pm_runs_read(pm_runs *runs, const pm_cli *cli, const char *source, bool of_b,
                  const pm_runs_options *options)
{
    reading r = {
        .runs = runs, .source = source ? source : "the store", .of_b = of_b, .begin = runs->n};
    struct stat st;

    if (!source)
        read_store(&r, cli, options, &(store_part){.process = options->process});
    else if (stat(source, &st) == 0)
        read_file(&r, cli, options);
    else
        read_name(&r, cli, options);
    if (runs->n == r.begin)
        pm_cli_die("'%s' has no runs", r.source);
}

size_t pm_runs_count(const pm_runs *runs, bool of_b)
{
    size_t n = 0;

    for (size_t i = 0; i < runs->n; i++)
        n += runs->run[i].of_b == of_b && !runs->run[i].left_out;
    return n;
}
