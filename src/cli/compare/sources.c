/* sources: reads the runs that compare and baseline ask about, as JSON: queries align and judge
 * them. */
#include "cli/compare/compare.h"

#include "api/one_file.h"
#include "cli/run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- CSV files ---- */

typedef struct csv_file {
    const char *path;
    pm_buf *json;
    int rows;
    int64_t ms; /* of the row before */
} csv_file;

static pmapdb_status refuse_row(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    const csv_file *f = ctx;

    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s", f->path, (unsigned long long)line, what);
}

static int read_csv(csv_file *f, const pm_csv_column *columns, size_t n_columns,
                    pmapdb_status (*take)(void *, uint64_t, const pm_text *, pmapdb_error *))
{
    const pm_csv_options options = {.path = f->path,
                                    .columns = columns,
                                    .n_columns = n_columns,
                                    .ctx = f,
                                    .row = take,
                                    .bad = refuse_row};
    pmapdb_error err;

    pm_cli_must(pm_buf_add(f->json, "[", 1, &err), &err);
    pm_cli_must(pm_one_file_csv(f->path, &options, &err), &err);
    pm_cli_must(pm_buf_add(f->json, "]", 1, &err), &err);
    return f->rows;
}

/* ---- a file of baseline ---- */

enum { RUN, KEY, DIALECT, BLOCK, AT_S, WORK, MAPPINGS, RSS, RSS_MAX, PAGE, N_FIELDS };

static const pm_csv_column fields[N_FIELDS] = {
    [RUN] = {"run", true},           [KEY] = {"key", true},     [DIALECT] = {"dialect", false},
    [BLOCK] = {"block", true},       [AT_S] = {"at_s", true},   [WORK] = {"work", false},
    [MAPPINGS] = {"mappings", true}, [RSS] = {"rss_kib", true}, [RSS_MAX] = {"rss_max_kib", true},
    [PAGE] = {"page_kib", false}};

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    csv_file *f = ctx;
    const pm_sink sink = {f->json, pm_sink_add};
    pm_pair pairs[N_FIELDS] = {{0}};
    char began[PM_CLOCK_TEXT];
    int64_t ms;

    for (int i = 0; i < N_FIELDS; i++) {
        double number = NAN;

        if (i >= BLOCK && field[i].len && !pm_csv_number(field[i], &number))
            return refuse_row(ctx, line, "not a number", err);
        pairs[i] = (pm_pair){
            .key = fields[i].name,
            .value = i >= BLOCK ? pm_value_real(number)
                                : (pm_value){.kind = field[i].len ? PM_VALUE_TEXT : PM_VALUE_NULL,
                                             .t = field[i]}};
    }
    if (!pm_csv_moment(field[RUN], &ms) ||
        !(pairs[BLOCK].value.kind && pairs[BLOCK].value.r <= 9) || !pairs[AT_S].value.kind ||
        !field[KEY].len)
        return refuse_row(ctx, line, "not a row of pmapdb baseline", err);
    pm_clock_format(ms, began);
    pairs[RUN].value = pm_value_text(began);
    pairs[BLOCK].value = pm_value_int((int64_t)pairs[BLOCK].value.r);
    if (f->rows++)
        pm_buf_add(f->json, ",", 1, NULL);
    return pm_render_object(&sink, pairs, N_FIELDS, err);
}

/* ---- a counter of work ---- */

static pmapdb_status take_count(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    csv_file *f = ctx;
    double count;
    int64_t ms;

    if (!pm_csv_moment(field[0], &ms))
        return refuse_row(f, line, "time wants seconds since 1970 or an ISO 8601 time", err);
    if (!pm_csv_number(field[1], &count))
        return refuse_row(f, line, "count wants a number", err);
    if (f->rows && ms < f->ms)
        return refuse_row(f, line, "its time is before that of the row above", err);
    f->ms = ms;
    return pm_buf_addf(f->json, err, "%s[%lld,%.17g]", f->rows++ ? "," : "", (long long)ms, count);
}

/* Reads rows of time,count (requests so far) into the parameter work of the query runs. */
static void read_work(const char *path, pm_buf *json)
{
    static const pm_csv_column columns[] = {{"time", true}, {"count", true}};
    int rows = read_csv(&(csv_file){.path = path, .json = json}, columns, 2, take_count);

    if (rows < 2)
        pm_cli_die("'%s' has %d row%s: a counter of work has two at least", path, rows,
                   rows == 1 ? "" : "s");
}

/* ---- a store ---- */

/* What of a store is asked for; each may be NULL. */
typedef struct store_part {
    const char *process, *from, *to, *label;
} store_part;

/* An empty word is not given. */
static const char *given(const char *value)
{
    return value && *value ? value : NULL;
}

static void read_store(const pm_cli *cli, const pm_runs_options *options, const store_part *part,
                       pm_buf *json)
{
    pmapdb_store *store = pm_cli_store(cli, PMAPDB_READ);
    pm_buf work = {0};
    pmapdb_rows *rows;

    if (options->work)
        read_work(options->work, &work);
    rows = pm_answer_ask(store, "runs",
                         (pm_answer_arg[]){{"work", work.data},
                                           {"process", given(part->process)},
                                           {"from", given(part->from)},
                                           {"to", given(part->to)},
                                           {"label", given(part->label)},
                                           {"warm-up", given(options->warm_up)},
                                           {"dialect", given(options->dialect)},
                                           {NULL, NULL}});
    pm_answer_json(rows, json);
    pm_buf_free(&work);
    pmapdb_rows_close(rows);
    pmapdb_close(store);
}

/* Splits NAME, NAME@FROM..TO or NAME@KEY=VALUE. */
static store_part split(char *words)
{
    store_part part = {.process = words};
    char *at = strrchr(words, '@'), *dots = at ? strstr(at, "..") : NULL;

    if (strchr(words, '/') || pm_text_ends(pm_text_of(words), PM_TEXT(".csv")) ||
        pm_text_ends(pm_text_of(words), PM_TEXT(".db")))
        pm_cli_die("'%s': no such file", words);
    if (at && strchr(at, '=')) {
        *at = '\0';
        part.label = at + 1;
    } else if (dots) {
        *at = *dots = '\0';
        part.from = at + 1;
        part.to = dots + 2;
    }
    return part;
}

static bool is_store(const char *path)
{
    static const char magic[] = "SQLite format 3";
    FILE *file = fopen(path, "rb");
    char head[sizeof magic] = "";
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;

    if (file)
        fclose(file);
    return n == sizeof head && memcmp(head, magic, sizeof magic) == 0;
}

void pm_sources_add(pm_buf *sources, const pm_cli *cli, const char *word, bool of_b,
                    const pm_runs_options *options)
{
    const char *name = word ? word : "the store";
    const pm_sink sink = {sources, pm_sink_add};
    const pm_pair pairs[] = {{.key = "source", .value = pm_value_text(name)},
                             {.key = "of_b", .value = pm_value_int(of_b)}};
    store_part part = {.process = options->process};
    pm_cli of_file = *cli;
    char *words = pm_text_copy(pm_text_of(word));
    struct stat st;
    size_t begin;
    pmapdb_error err;

    if (!words)
        pm_cli_no_memory();
    pm_cli_must(pm_buf_addf(sources, &err, sources->len ? ",[" : "[["), &err);
    pm_cli_must(pm_render_object(&sink, pairs, 2, &err), &err);
    pm_cli_must(pm_buf_add(sources, ",", 1, &err), &err);
    begin = sources->len;
    if (word && stat(word, &st) == 0 && !is_store(word)) {
        read_csv(&(csv_file){.path = word, .json = sources}, fields, N_FIELDS, take_row);
    } else {
        if (word && stat(word, &st) == 0)
            of_file.db = word;
        else if (word)
            part = split(words);
        read_store(&of_file, options, &part, sources);
    }
    if (sources->len == begin + strlen("[]"))
        pm_cli_die("'%s' has no runs", name);
    pm_cli_must(pm_buf_add(sources, "]", 1, &err), &err);
    free(words);
}

pmapdb_store *pm_sources_end(pm_buf *sources, const pm_cli *cli)
{
    pmapdb_open_options open = {
        .mode = PMAPDB_WRITE, .in_memory = true, .query_dir = cli->query_dir};
    pmapdb_store *store;
    pmapdb_error err;

    pm_cli_must(pm_buf_add(sources, "]", 1, &err), &err);
    pm_cli_must(pmapdb_open("the runs", &open, &store, &err), &err);
    return store;
}
