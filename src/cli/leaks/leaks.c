/* leaks: pmapdb leaks: gives a verdict on every part of every process, or on series in a file. */
#include "cli/leaks/leaks.h"

#include "base/num.h"
#include "cli/csv.h"
#include "stats/trend.h"
#include <stdio.h>

typedef struct leaks_cmd {
    pm_cli *cli;
    pm_run_args args;
    const char *series; /* a file; NULL: judge the store */
    bool check;
    char top[24];                   /* the value of --top for the query */
    int64_t leaks, judged, too_few; /* rows so far */
    int64_t most;                   /* snapshots of the longest series with too few of them */
} leaks_cmd;

#define AT(field) offsetof(leaks_cmd, field)

static const pm_option options[] = {
    {"check", 0, PM_OPT_FLAG, AT(check), NULL, "Exit status 1 if there is a leak (not a suspect)"},
    {"series", 0, PM_OPT_WORD, AT(series), "FILE",
     "Judge the series of a CSV file instead of the store: columns series_id, ts, kb (the "
     "--metric, "
     "rss) and perhaps pid, category, size_kb, private_kb, mappings, limit_kb; - is standard "
     "input"},
    {0}};

/* Counts the verdict of a row. */
static void see_row(void *ctx, const pmapdb_rows *row)
{
    leaks_cmd *l = ctx;
    pm_text verdict = pm_answer_bytes(row, "verdict");
    int64_t snapshots = pm_answer_int(row, "snapshots");

    l->leaks += pm_text_equal(verdict, PM_TEXT("leak"));
    if (!pm_text_equal(verdict, PM_TEXT("too-few"))) {
        l->judged++;
        return;
    }
    l->too_few++;
    l->most = snapshots > l->most ? snapshots : l->most;
}

static bool shows_cards(const leaks_cmd *l)
{
    return !l->series && l->cli->format == PM_FORMAT_TABLE && !l->cli->wide && !l->cli->sort &&
           !l->cli->columns;
}

/* Returns the exit code. If nothing could be judged, says why, unless the cards said so. */
static int exit_code_of(const leaks_cmd *l)
{
    if (l->judged)
        return l->check && l->leaks ? PM_EXIT_FOUND : PM_EXIT_OK;
    if (shows_cards(l))
        return PM_EXIT_TOO_FEW; /* the cards say why */
    if (!l->too_few)
        pm_cli_say("there are no snapshots to judge");
    else if (l->most >= PM_TREND_MIN)
        pm_cli_say("no life is long enough for a verdict; the longest series has %lld snapshots",
                   (long long)l->most);
    else
        pm_cli_say("too few snapshots for a verdict: the longest series has %lld, %d are needed",
                   (long long)l->most, PM_TREND_MIN);
    return PM_EXIT_TOO_FEW;
}

/* Counts what the cards show. */
static void count(leaks_cmd *l, const char *leaks)
{
    pmapdb_rows *rows =
        pm_answer_sql(l->args.store, "SELECT ifnull(sum(verdict = 'leak'), 0) AS leaks, "
                                     "ifnull(sum(verdict <> 'too-few'), 0) AS judged "
                                     "FROM (SELECT json_extract(value, '$.verdict') AS verdict "
                                     "FROM json_each(:leaks))");

    pm_answer_bind(rows, "leaks", leaks);
    pm_run_next(rows);
    l->leaks = pm_answer_int(rows, "leaks");
    l->judged = pm_answer_int(rows, "judged");
    pmapdb_rows_close(rows);
}

static void show_cards(leaks_cmd *l, pmapdb_rows *rows)
{
    const char *by = pm_run_given(&l->args, "by");
    pm_buf leaks = {0};
    pm_output out;

    pm_answer_json(rows, &leaks);
    count(l, leaks.data);
    pm_output_open(&out, l->cli);
    pm_leak_cards(&out, leaks.data, l->args.store, by ? by : "category");
    pm_output_end(&out);
    pm_buf_free(&leaks);
}

/* Gives --top to the query, which takes the worst N rows; but cards, series and --sort need all
 * rows, and show the first N. */
static void take_top(leaks_cmd *l)
{
    const char *given = pm_run_given(&l->args, "top");
    uint64_t n = (uint64_t)l->cli->top;

    if (given && (!pm_num_all(pm_text_of(given), &n) || n < 1 || n > INT32_MAX))
        pm_cli_usage(l->cli, "--top wants a number of 1 or more, not '%s'", given);
    l->cli->top = (int64_t)n;
    snprintf(l->top, sizeof l->top, "%llu", (unsigned long long)n);
    pm_run_give(&l->args, "top",
                n && !l->series && !shows_cards(l) && !l->cli->sort ? l->top : NULL);
}

/* Judges series that are not in a store: the query leaks-series answers. Returns 0, or 2 if the
 * file has bad rows. */
static int judge_series(leaks_cmd *l)
{
    static const char *const of_store[] = {"process", "since", "dialect", "by"},
                             *const of_both[] = {"metric", "limit", "sensitivity"};
    static const char kib[] = "a number of KiB";
    static const pm_csv_field fields[] = {
        {"series_id", PM_CSV_TEXT, true, true, "the name of a series"},
        {"ts", PM_CSV_MS, true, true},
        {"kb", PM_CSV_NUMBER, true, false, kib},
        {"size_kb", PM_CSV_NUMBER, false, false, kib},
        {"private_kb", PM_CSV_NUMBER, false, false, kib},
        {"mappings", PM_CSV_NUMBER},
        {"limit_kb", PM_CSV_NUMBER, false, false, kib},
        {"pid", PM_CSV_TEXT},
        {"category", PM_CSV_TEXT}};
    pm_csv_file file = {.path = l->series,
                        .field = fields,
                        .n_fields = sizeof fields / sizeof *fields,
                        .lenient = true};
    pmapdb_store *store = pm_cli_store_in_memory(l->cli);
    pmapdb_rows *rows;
    pm_buf json = {0};

    for (size_t i = 0; i < sizeof of_store / sizeof *of_store; i++)
        if (pm_run_given(&l->args, of_store[i]))
            pm_cli_die("--%s asks the store, --series a file: not both", of_store[i]);
    pm_output_keep_apart(l->cli, &l->series, 1, "reads");
    rows = pm_answer_ask(store, "leaks-series", (pm_answer_arg[]){{NULL, NULL}});
    for (size_t i = 0; i < sizeof of_both / sizeof *of_both; i++)
        pm_answer_bind(rows, of_both[i], pm_run_given(&l->args, of_both[i]));
    pm_csv_json(&file, &json);
    if (!file.n)
        pm_cli_die("'%s' has no series: not a single good row", l->series);
    pm_answer_bind(rows, "series", json.data);
    pm_buf_free(&json);
    pm_answer_write(l->cli, rows, see_row, l);
    pmapdb_close(store);
    return file.n_bad ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

static void ask_store(leaks_cmd *l)
{
    pmapdb_rows *rows;
    char n[32];

    pm_run_open(&l->args);
    if (!pm_run_given(&l->args, "process") && !pm_run_given(&l->args, "grown") &&
        pm_run_ask(l->args.store, "SELECT count(*) FROM process", n, sizeof n))
        pm_num_all(pm_text_of(n), &l->args.progress.of); /* too many if lives follow each other */
    rows = pm_run_query(&l->args, "leaks");
    if (shows_cards(l))
        show_cards(l, rows);
    else
        pm_answer_write(l->cli, rows, see_row, l);
}

int pm_cli_leaks(pm_cli *cli, int argc, char **argv)
{
    leaks_cmd l = {.cli = cli};
    int trouble = PM_EXIT_OK;

    l.args = (pm_run_args){.cli = cli, .query = "leaks", .own = options, .own_values = &l};
    pm_run_parse(&l.args, argc, argv);
    take_top(&l);
    if (l.series)
        trouble = judge_series(&l);
    else
        ask_store(&l);
    pm_run_end(&l.args);
    return trouble ? trouble : exit_code_of(&l);
}
