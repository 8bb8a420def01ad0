/* leaks: pmapdb leaks: a verdict on every part of every process, or on series from elsewhere.
 */
#include "cli/leaks.h"
#include "cli/leak_cards.h"
#include "cli/who_top.h"
#include "cli/write.h"

#include "base/err.h"
#include "stats/trend.h"
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(pm_leaks_cmd, field)

static const pm_option options[] = {
    {"check", 0, PM_OPT_FLAG, AT(check), NULL,
     "Exit status 1 if there is a leak; suspects do not count", NULL},
    {"series", 0, PM_OPT_FILE, AT(series), "FILE",
     "Judge the series of a CSV file with the columns series_id, ts, kb and perhaps pid, instead "
     "of the store; - is standard input",
     NULL},
    {"meta", 0, PM_OPT_FILE, AT(meta), "FILE",
     "With --series, what is known of each: series_id, category, metric, page_kb, limit_kb, "
     "companion",
     NULL},
    {"context", 0, PM_OPT_FILE, AT(context), "FILE",
     "With --series, what was measured besides: series_id, ts, size_kb, private_kb, perhaps "
     "mappings",
     NULL},
    {0}};

void pm_leaks_count(pm_leaks_cmd *l, pm_text verdict, int64_t snapshots)
{
    if (!pm_text_equal(verdict, pm_text_of(pm_verdict_name(PM_VERDICT_TOO_FEW)))) {
        l->judged++;
        l->leaks += pm_text_equal(verdict, pm_text_of(pm_verdict_name(PM_VERDICT_LEAK)));
        return;
    }
    l->too_few++;
    if (snapshots != PMAPDB_UNKNOWN && snapshots > l->most)
        l->most = snapshots;
}

static bool shows_cards(const pm_leaks_cmd *l)
{
    return !l->series && l->cli->format == PM_FORMAT_TABLE && !l->cli->wide;
}

/* Trouble first, then what was found, then that there was nothing to judge. */
static int exit_code_of(const pm_leaks_cmd *l, int so_far)
{
    if (so_far != PM_EXIT_OK)
        return so_far;
    if (l->judged)
        return l->check && l->leaks ? PM_EXIT_FOUND : PM_EXIT_OK;
    if (!l->too_few && !shows_cards(l))
        pm_cli_say("there are no snapshots to judge");
    else if (!shows_cards(l) && l->most >= PM_TREND_MIN)
        pm_cli_say("no life is long enough for a verdict, of %lld snapshots", (long long)l->most);
    else if (!shows_cards(l))
        pm_cli_say("too few snapshots for a verdict: the longest series has %lld, %d are needed",
                   (long long)l->most, PM_TREND_MIN);
    return PM_EXIT_TOO_FEW;
}

/* ---- of a store ---- */

static void see_row(void *ctx, const pmapdb_rows *row)
{
    pm_leaks_cmd *l = ctx;
    int64_t snapshots = PMAPDB_UNKNOWN;
    pm_text verdict = {"", 0};

    for (int i = 0; i < pmapdb_rows_columns(row); i++) {
        const char *name = pmapdb_rows_name(row, i);

        if (strcmp(name, "verdict") == 0 && pmapdb_rows_type(row, i) == PMAPDB_TEXT)
            verdict.data = pmapdb_rows_text(row, i, &verdict.len);
        else if (strcmp(name, "snapshots") == 0 && pmapdb_rows_type(row, i) == PMAPDB_INT)
            snapshots = pmapdb_rows_int(row, i);
    }
    pm_leaks_count(l, verdict, snapshots);
}

typedef struct writing {
    const pm_leaks_cmd *l;
    const pm_leak_rows *rows;
    pmapdb_store *store; /* NULL: without recordings */
    const char *by;
} writing;

static pmapdb_status write_cards(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    const writing *w = ctx;
    pm_render_options how = pm_cli_render_options(w->l->cli);

    return pm_leak_cards(w->rows, w->store, w->by, &how, sink, err);
}

static pmapdb_status show_cards(pm_leaks_cmd *l, pmapdb_store *store, const char *by,
                                pmapdb_rows *rows, pmapdb_error *err)
{
    pm_leak_rows held = {0};
    writing w = {l, &held, NULL, by};
    bool recorded = false;
    pmapdb_status st = pm_leak_rows_read(&held, rows, err);

    for (size_t i = 0; i < held.n && st == PMAPDB_OK; i++)
        pm_leaks_count(l, pm_text_of(pm_verdict_name(held.row[i].verdict)), held.row[i].snapshots);
    if (st == PMAPDB_OK)
        st = pm_who_any(store, &recorded, err);
    if (recorded)
        w.store = store;
    if (st == PMAPDB_OK)
        st = pm_cli_write_with(l->cli, write_cards, &w, err);
    pm_leak_rows_free(&held);
    return st;
}

static pmapdb_status ask(pm_leaks_cmd *l, pmapdb_store *store, pmapdb_error *err)
{
    const char *by = pm_run_given(&l->args, "by");
    pmapdb_rows *rows = NULL;
    pmapdb_status st = pmapdb_query(store, "leaks", &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(&l->args, rows, err);
    if (st == PMAPDB_OK && shows_cards(l))
        st = show_cards(l, store, by ? by : "category", rows, err);
    else if (st == PMAPDB_OK)
        st = pm_cli_write_seen(l->cli, rows, see_row, l, err);
    pmapdb_rows_close(rows);
    return st;
}

static int run(pm_leaks_cmd *l)
{
    pmapdb_open_options open_options = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    int exit_code = PM_EXIT_OK;
    pmapdb_error err;
    pmapdb_status st;

    if (pm_cli_open(l->cli, &open_options, &store) != PMAPDB_OK)
        return PM_EXIT_TROUBLE;
    st = ask(l, store, &err);
    if (st != PMAPDB_OK)
        exit_code = pm_cli_fail(st, &err);
    pmapdb_close(store);
    return exit_code;
}

int pm_cli_leaks(pm_cli *cli, int argc, char **argv)
{
    pm_leaks_cmd l = {.cli = cli};
    pm_query_info *info = NULL;
    pmapdb_error err;
    int exit_code;

    pm_run_find_query_dir(cli, argc, argv);
    pm_cli_must(pm_catalog_find(cli->query_dir, "leaks", &info, &err), &err);
    l.args = (pm_run_args){.cli = cli, .info = info, .own = options, .own_values = &l};
    pm_run_parse(&l.args, argc, argv);
    if (!l.series && (l.meta || l.context))
        pm_cli_usage(cli, "--meta and --context go with --series FILE");
    exit_code = exit_code_of(&l, l.series ? pm_leaks_series(&l) : run(&l));
    pm_catalog_free(info);
    return exit_code;
}
