/* fleet: reads many processes, and draws them the worst first. */
#include "cli/plot/plot.h"

#include "cli/run.h"
#include <stdlib.h>

typedef struct fleet {
    pm_leak_group *group; /* the processes, the worst first, */
    pm_plot_tile *tile;   /* and what is drawn of each */
    char (*name)[192];
    size_t n, *first; /* first: of its values */
    pm_plot_value *value;
    size_t n_values, cap;
} fleet;

static void read_processes(fleet *f, const pm_leak_rows *judged)
{
    f->group = pm_leak_groups(judged, &f->n);
    f->tile = calloc(f->n + 1, sizeof *f->tile);
    f->name = calloc(f->n + 1, sizeof *f->name);
    f->first = calloc(f->n + 1, sizeof *f->first);
    if (!f->tile || !f->name || !f->first)
        pm_cli_no_memory();
    for (size_t i = 0; i < f->n; i++) {
        pm_verdict verdict = f->group[i].begin->verdict;

        for (const pm_leak_row *part = f->group[i].begin; part < f->group[i].end; part++)
            verdict = part->verdict > verdict ? part->verdict : verdict;
        pm_leak_row_who(f->group[i].begin, f->name[i], sizeof f->name[i]);
        f->tile[i] = (pm_plot_tile){.name = pm_text_of(f->name[i]),
                                    .verdict = pm_verdict_name(verdict),
                                    .state = pm_plot_state_of(verdict)};
    }
}

/* Rows of one process follow each other. Of a series of lives only the newest is drawn. */
static void read_values(fleet *f, pmapdb_rows *rows)
{
    size_t at = f->n;
    pmapdb_error err;

    while (pm_run_next(rows)) {
        int64_t process = pm_answer_int(rows, "process_id");

        if (at == f->n || f->group[at].begin->process_id != process)
            for (at = 0; at < f->n && f->group[at].begin->process_id != process;)
                at++;
        if (at == f->n)
            continue;
        pm_cli_must(pm_grow(&f->value, &f->cap, f->n_values, sizeof *f->value, &err), &err);
        if (!f->tile[at].n++)
            f->first[at] = f->n_values;
        f->value[f->n_values++] =
            (pm_plot_value){pm_answer_int(rows, "taken_ms"), pm_answer_int(rows, "value")};
    }
}

static void draw(const fleet *f, pm_picture *p, const char *metric)
{
    const pm_ink bold = {.rgb = PM_PLOT_TEXT, .bold = true}, muted = {.rgb = PM_PLOT_MUTED};
    size_t n = 0, leaks = 0, suspects = 0, shown;
    double y = p->line * (p->terminal ? .5 : 1), left = p->terminal ? 0 : p->em;
    char words[128];

    for (size_t i = 0; i < f->n; i++) {
        if (!f->tile[i].n)
            continue;
        leaks += f->tile[i].state == PM_PLOT_LEAK;
        suspects += f->tile[i].state == PM_PLOT_SUSPECT;
        f->tile[i].value = f->value + f->first[i];
        f->tile[n++] = f->tile[i];
    }
    shown = pm_plot_fleet_draw(p, p->terminal ? 2 * p->line : y + p->line, f->tile, n,
                               strcmp(metric, "mappings") == 0);
    snprintf(words, sizeof words, "%zu process%s, %zu leak%s, %zu suspect%s", f->n,
             f->n == 1 ? "" : "es", leaks, leaks == 1 ? "" : "s", suspects,
             suspects == 1 ? "" : "s");
    pm_picture_text(p, (pm_point){left, y}, PM_ALIGN_LEFT, p->width / 2, &bold, pm_text_of(words));
    snprintf(words, sizeof words, "%s, one scale; %zu shown, the worst first", metric, shown);
    pm_picture_text(p, (pm_point){p->width - left, y}, PM_ALIGN_RIGHT, p->width, &muted,
                    pm_text_of(words));
}

void pm_plot_fleet(pm_picture *p, pmapdb_store *store, const pm_plot_ask *ask)
{
    pm_leak_rows judged = {0};
    fleet f = {0};
    pmapdb_rows *rows;

    pm_plot_judge(&judged, store, ask);
    read_processes(&f, &judged);
    rows = pm_answer_ask(store, "plot-fleet",
                         (pm_answer_arg[]){{"metric", ask->metric},
                                           {"process", ask->process},
                                           {"since", ask->since},
                                           {"dialect", ask->dialect},
                                           {NULL, NULL}});
    read_values(&f, rows);
    pmapdb_rows_close(rows);
    draw(&f, p, ask->metric ? ask->metric : "rss");
    pm_leak_rows_free(&judged);
    free(f.group);
    free(f.tile);
    free(f.name);
    free(f.first);
    free(f.value);
}
