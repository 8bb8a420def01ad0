/* prune_show: what a prune prints. */
#include "cli/prune_show.h"

#include "base/clock.h"
#include "cli/stop.h"
#include "cli/value.h"
#include <stdio.h>
#include <unistd.h>

static const pm_column moment_columns[] = {
    {"host", PM_UNIT_TEXT},       {"name", PM_UNIT_TEXT},   {"moment_at", PM_UNIT_TIME},
    {"snapshots", PM_UNIT_COUNT}, {"action", PM_UNIT_TEXT}, {"why", PM_UNIT_TEXT}};

/* The last two are of the store, and stand below a table. */
static const pm_column series_columns[] = {{"host", PM_UNIT_TEXT},
                                           {"name", PM_UNIT_TEXT},
                                           {"moments_kept", PM_UNIT_COUNT},
                                           {"moments_removed", PM_UNIT_COUNT},
                                           {"snapshots_kept", PM_UNIT_COUNT},
                                           {"snapshots_removed", PM_UNIT_COUNT},
                                           {"why", PM_UNIT_TEXT},
                                           {"store_kib_before", PM_UNIT_KIB},
                                           {"store_kib_after", PM_UNIT_KIB}};

#define N_MOMENT (int)(sizeof moment_columns / sizeof *moment_columns)
#define N_SERIES (int)(sizeof series_columns / sizeof *series_columns)
#define N_STORE 2

pmapdb_status pm_prune_show_open(pm_prune_show *s, const pm_cli *cli, const pm_sink *sink,
                                 bool moments, const pmapdb_prune_result *result, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(cli);
    int n = moments ? N_MOMENT : N_SERIES - (pm_cli_is_for_people(cli) ? N_STORE : 0);

    *s = (pm_prune_show){
        .cli = cli, .result = result, .progress = isatty(STDERR_FILENO) && !cli->quiet};
    pm_stop_catch();
    return pm_render_new(&how, sink, moments ? moment_columns : series_columns, n, &s->render, err);
}

static void clear_progress(const pm_prune_show *s)
{
    if (s->progress && s->shown_ms)
        fputs("\r\033[K", stderr);
}

pmapdb_status pm_prune_show_close(pm_prune_show *s, pmapdb_status st, pmapdb_error *err)
{
    clear_progress(s);
    if (s->st != PMAPDB_OK && err)
        *err = s->err;
    st = s->st != PMAPDB_OK ? s->st : st;
    if (st == PMAPDB_OK)
        st = pm_render_end(s->render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(s->cli, s->render);
    pm_render_free(s->render);
    return st;
}

void pm_prune_show_moment(void *ctx, const pmapdb_prune_moment *m)
{
    pm_prune_show *s = ctx;
    char at[PM_CLOCK_TEXT];
    pm_value values[N_MOMENT] = {pm_value_text(m->host),
                                 pm_value_text(m->name),
                                 {.kind = PM_VALUE_NULL},
                                 pm_value_int(m->snapshots),
                                 pm_value_text(m->kept ? "keep" : "remove"),
                                 pm_value_text(m->why)};

    pm_clock_format(m->moment_ms, at);
    values[2] = pm_value_text(at);
    if (s->st == PMAPDB_OK)
        s->st = pm_render_row(s->render, values, &s->err);
}

void pm_prune_show_series(void *ctx, const pmapdb_prune_series *series)
{
    pm_prune_show *s = ctx;
    pm_value values[N_SERIES] = {
        pm_value_text(series->host),          pm_value_text(series->name),
        pm_value_int(series->moments_kept),   pm_value_int(series->moments_removed),
        pm_value_int(series->snapshots_kept), pm_value_int(series->snapshots_removed),
        pm_value_text(series->why),           pm_value_int(s->result->kib_before),
        pm_value_int(s->result->kib_after)};

    if (s->st == PMAPDB_OK)
        s->st = pm_render_row(s->render, values, &s->err);
}

bool pm_prune_show_progress(void *ctx, const char *step, uint64_t done, uint64_t of)
{
    pm_prune_show *s = ctx;
    int64_t now;

    if (pm_stop_asked() || s->st != PMAPDB_OK)
        return false;
    if (!s->progress)
        return true;
    now = pm_clock_now();
    if (now - s->shown_ms < 200)
        return true;
    s->shown_ms = now;
    fprintf(stderr, "\r\033[K%s: %llu of %llu", step, (unsigned long long)done,
            (unsigned long long)of);
    return true;
}
