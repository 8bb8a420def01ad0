/* sources: reads the runs that compare and baseline ask about, as JSON: queries align and judge
 * them. */
#include "cli/compare/compare.h"

#include "cli/csv.h"
#include "cli/run.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- files ---- */

/* Reads a file of baseline. */
static void read_baseline(const char *path, pm_buf *json)
{
    static const pm_csv_field fields[] = {{"run", PM_CSV_TIME, true, true},
                                          {"key", PM_CSV_TEXT, true, true},
                                          {"dialect", PM_CSV_TEXT},
                                          {"block", PM_CSV_NUMBER, true, true},
                                          {"at_s", PM_CSV_NUMBER, true, true},
                                          {"work", PM_CSV_NUMBER},
                                          {"mappings", PM_CSV_NUMBER, true},
                                          {"rss_kib", PM_CSV_NUMBER, true},
                                          {"rss_max_kib", PM_CSV_NUMBER, true},
                                          {"page_kib", PM_CSV_NUMBER}};

    pm_csv_json(
        &(pm_csv_file){.path = path, .field = fields, .n_fields = sizeof fields / sizeof *fields},
        json);
}

/* Reads a counter of work (requests so far) for the query runs. */
static void read_work(const char *path, pm_buf *json)
{
    static const pm_csv_field fields[] = {{"time", PM_CSV_MS, true, true},
                                          {"count", PM_CSV_NUMBER, true, true}};
    pm_csv_file file = {.path = path, .field = fields, .n_fields = 2, .ordered = true};

    pm_csv_json(&file, json);
    if (file.n < 2)
        pm_cli_die("'%s' has %zu row%s: a counter of work has two at least", path, file.n,
                   file.n == 1 ? "" : "s");
}

/* ---- a store ---- */

/* The part of a store that is asked for; each member may be NULL. */
typedef struct store_part {
    const char *process, *from, *to, *label;
} store_part;

/* Returns NULL for an empty word: the parameter then keeps its default. */
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
    char *words = pm_cli_memory(pm_text_copy(pm_text_of(word)));
    struct stat st;
    size_t begin;

    pm_buf_addf(sources, NULL, sources->len ? ",[" : "[[");
    if (pm_render_object(&sink, pairs, 2, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
    pm_buf_addf(sources, NULL, ",");
    begin = sources->len;
    if (word && stat(word, &st) == 0 && !is_store(word)) {
        read_baseline(word, sources);
    } else {
        if (word && stat(word, &st) == 0)
            of_file.db = word;
        else if (word)
            part = split(words);
        read_store(&of_file, options, &part, sources);
    }
    if (sources->len == begin + strlen("[]"))
        pm_cli_die("'%s' has no runs", name);
    pm_buf_addf(sources, NULL, "]");
    free(words);
}

pmapdb_store *pm_sources_end(pm_buf *sources, const pm_cli *cli)
{
    pm_buf_addf(sources, NULL, "]");
    pm_cli_text(sources);
    return pm_cli_store_in_memory(cli);
}
