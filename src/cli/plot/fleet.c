/* fleet: reads many processes, and draws them the worst first. */
#include "cli/plot/plot.h"

#include "cli/run.h"
#include <stdlib.h>

typedef struct fleet {
    pm_pool *texts;
    pm_plot_tile *tile; /* of each process that has a value */
    pm_plot_value *value;
    size_t n, cap, n_values, cap_values;
    int64_t judged; /* processes */
} fleet;

/* Rows of one process follow each other. Of a series of lives only the newest is drawn. */
static void read_values(fleet *f, pmapdb_rows *rows)
{
    int64_t process = PMAPDB_UNKNOWN;
    pmapdb_error err;

    pm_cli_must(pm_pool_new(&f->texts, &err), &err);
    for (; pm_run_next(rows); f->n_values++) {
        if (pm_answer_int(rows, "process_id") != process) {
            pm_cli_must(pm_grow(&f->tile, &f->cap, f->n, sizeof *f->tile, &err), &err);
            f->tile[f->n++] = (pm_plot_tile){
                .name = pm_answer_keep(f->texts, pm_answer_bytes(rows, "called")),
                .verdict = pm_answer_keep(f->texts, pm_answer_bytes(rows, "verdict")).data,
                .state = (pm_plot_state)pm_answer_int(rows, "grade")};
        }
        process = pm_answer_int(rows, "process_id");
        f->judged = pm_answer_int(rows, "processes");
        f->tile[f->n - 1].n++;
        pm_cli_must(pm_grow(&f->value, &f->cap_values, f->n_values, sizeof *f->value, &err), &err);
        f->value[f->n_values] =
            (pm_plot_value){pm_answer_int(rows, "taken_ms"), pm_answer_int(rows, "value")};
    }
    for (size_t i = 0, first = 0; i < f->n; first += f->tile[i++].n)
        f->tile[i].value = f->value + first;
}

static void draw(const fleet *f, pm_picture *p, const char *metric)
{
    const pm_ink bold = {.rgb = PM_PLOT_TEXT, .bold = true}, muted = {.rgb = PM_PLOT_MUTED};
    size_t leaks = 0, suspects = 0, shown;
    double y = p->line * (p->terminal ? .5 : 1), left = p->terminal ? 0 : p->em;
    char words[128];

    for (size_t i = 0; i < f->n; i++) {
        leaks += f->tile[i].state == PM_PLOT_LEAK;
        suspects += f->tile[i].state == PM_PLOT_SUSPECT;
    }
    shown = pm_plot_fleet_draw(p, p->terminal ? 2 * p->line : y + p->line, f->tile, f->n,
                               strcmp(metric, "mappings") == 0);
    snprintf(words, sizeof words, "%lld process%s, %zu leak%s, %zu suspect%s", (long long)f->judged,
             f->judged == 1 ? "" : "es", leaks, leaks == 1 ? "" : "s", suspects,
             suspects == 1 ? "" : "s");
    pm_picture_text(p, (pm_point){left, y}, PM_ALIGN_LEFT, p->width / 2, &bold, pm_text_of(words));
    snprintf(words, sizeof words, "%s, one scale; %zu shown, the worst first", metric, shown);
    pm_picture_text(p, (pm_point){p->width - left, y}, PM_ALIGN_RIGHT, p->width, &muted,
                    pm_text_of(words));
}

void pm_plot_fleet(pm_picture *p, pmapdb_store *store, const pm_plot_ask *ask)
{
    fleet f = {0};
    pmapdb_rows *rows;

    rows = pm_answer_ask(store, "leaks-processes",
                         (pm_answer_arg[]){{"leaks", .of = pm_plot_judge(store, ask)}, {0}});
    rows = pm_answer_ask(store, "plot-fleet",
                         (pm_answer_arg[]){{"processes", .of = rows},
                                           {"metric", ask->metric},
                                           {"process", ask->process},
                                           {"since", ask->since},
                                           {"dialect", ask->dialect},
                                           {NULL, NULL}});
    read_values(&f, rows);
    pmapdb_rows_close(rows);
    draw(&f, p, ask->metric ? ask->metric : "rss");
    free(f.tile);
    free(f.value);
    pm_pool_free(f.texts);
}
