/* fleet: reads many processes, and draws them the worst first. */
#include "cli/plot/plot.h"

#include "cli/run.h"
#include <stdlib.h>

/* A process, the worst first. */
typedef struct one {
    pm_plot_tile tile;
    int64_t process_id;
    size_t first; /* of its values */
    char name[192];
} one;

typedef struct pm_plot_fleet_data {
    pm_leak_rows rows;
    one *one;
    size_t n;
    pm_plot_value *value;
    size_t n_values, cap;
} pm_plot_fleet_data;

static void read_processes(pm_plot_fleet_data *f)
{
    pm_leak_group *groups = pm_leak_groups(&f->rows, &f->n);

    f->one = calloc(f->n + 1, sizeof *f->one);
    if (!f->one)
        pm_cli_no_memory();
    for (size_t i = 0; i < f->n; i++) {
        one *o = &f->one[i];
        pm_verdict verdict = groups[i].begin->verdict;

        for (const pm_leak_row *part = groups[i].begin; part < groups[i].end; part++)
            verdict = part->verdict > verdict ? part->verdict : verdict;
        o->process_id = groups[i].begin->process_id;
        pm_leak_row_who(groups[i].begin, o->name, sizeof o->name);
        o->tile.name = pm_text_of(o->name);
        o->tile.verdict = pm_verdict_name(verdict);
        o->tile.state = pm_plot_state_of(verdict);
    }
    free(groups);
}

/* Rows of one process follow each other. Of a series of lives only the newest is drawn. */
static void read_values(pm_plot_fleet_data *f, pmapdb_rows *rows)
{
    size_t at = f->n;
    pmapdb_error err;

    while (pm_run_next(rows)) {
        int64_t process = pm_answer_int(rows, "process_id");

        if (at == f->n || f->one[at].process_id != process)
            for (at = 0; at < f->n && f->one[at].process_id != process;)
                at++;
        if (at == f->n)
            continue;
        pm_cli_must(pm_grow(&f->value, &f->cap, f->n_values, sizeof *f->value, &err), &err);
        if (!f->one[at].tile.n++)
            f->one[at].first = f->n_values;
        f->value[f->n_values++] =
            (pm_plot_value){pm_answer_int(rows, "taken_ms"), pm_answer_int(rows, "value")};
    }
}

static void draw(const pm_plot_fleet_data *f, pm_picture *p, const char *metric)
{
    const pm_ink bold = {.rgb = PM_PLOT_TEXT, .bold = true}, muted = {.rgb = PM_PLOT_MUTED};
    pm_plot_tile *tiles = calloc(f->n + 1, sizeof *tiles);
    size_t n = 0, leaks = 0, suspects = 0, shown;
    double y = p->line * (p->terminal ? .5 : 1), left = p->terminal ? 0 : p->em;
    char words[128];

    if (!tiles)
        pm_cli_no_memory();
    for (size_t i = 0; i < f->n; i++) {
        if (!f->one[i].tile.n)
            continue;
        tiles[n] = f->one[i].tile;
        tiles[n].value = f->value + f->one[i].first;
        leaks += tiles[n].state == PM_PLOT_LEAK;
        suspects += tiles[n].state == PM_PLOT_SUSPECT;
        n++;
    }
    shown = pm_plot_fleet_draw(p, p->terminal ? 2 * p->line : y + p->line, tiles, n,
                               strcmp(metric, "mappings") == 0);
    snprintf(words, sizeof words, "%zu process%s, %zu leak%s, %zu suspect%s", f->n,
             f->n == 1 ? "" : "es", leaks, leaks == 1 ? "" : "s", suspects,
             suspects == 1 ? "" : "s");
    pm_picture_text(p, (pm_point){left, y}, PM_ALIGN_LEFT, p->width / 2, &bold, pm_text_of(words));
    snprintf(words, sizeof words, "%s, one scale; %zu shown, the worst first", metric, shown);
    pm_picture_text(p, (pm_point){p->width - left, y}, PM_ALIGN_RIGHT, p->width, &muted,
                    pm_text_of(words));
    free(tiles);
}

void pm_plot_fleet(pm_picture *p, pmapdb_store *store, const pm_plot_ask *ask)
{
    const char *metric = ask->metric ? ask->metric : "rss";
    const pm_answer_arg args[] = {{"metric", ask->metric},
                                  {"process", ask->process},
                                  {"since", ask->since},
                                  {"dialect", ask->dialect},
                                  {NULL, NULL}};
    pm_plot_fleet_data f = {0};
    pmapdb_rows *rows;

    pm_plot_judge(&f.rows, store, ask);
    read_processes(&f);
    rows = pm_answer_ask(store, "plot-fleet", args);
    read_values(&f, rows);
    pmapdb_rows_close(rows);
    draw(&f, p, metric);
    pm_leak_rows_free(&f.rows);
    free(f.one);
    free(f.value);
}
