/* map: reads the mappings of the process that a picture shows. */
#include "cli/plot/plot.h"

#include "cli/run.h"
#include <inttypes.h>

enum { FIRST, LAST, START, END, RSS, CATEGORY, GRADE, WAY, COLUMNS };

static const char *const columns[COLUMNS] = {"first",   "last",     "start", "end",
                                             "rss_kib", "category", "grade", "way"};

/* Adds the snapshots of the newest life as a JSON list. Returns the index of its first moment. */
static size_t list_snapshots(const pm_plot *plot, pm_buf *out)
{
    size_t first = plot->n - 1;

    while (first && plot->moment[first - 1].process_id == plot->moment[first].process_id)
        first--;
    for (size_t i = first; i < plot->n; i++)
        pm_buf_addf(out, NULL, "%c%" PRId64, i > first ? ',' : '[', plot->moment[i].snapshot_id);
    pm_buf_addf(out, NULL, "]");
    return first;
}

static uint32_t color_of(const pm_plot *plot, pm_text category)
{
    for (size_t i = 0; i < plot->n_layers; i++)
        if (pm_text_equal(plot->layer[i].name, category))
            return plot->layer[i].rgb;
    return 0;
}

static void add_stretch(const pm_plot_data *d, const int64_t v[COLUMNS], pm_text category,
                        pm_plot_map *map)
{
    pmapdb_error err;

    pm_cli_must(pm_grow(&map->stretch, &map->cap, map->n, sizeof *map->stretch, &err), &err);
    map->stretch[map->n++] = (pm_plot_stretch){.start = (uint64_t)v[START],
                                               .end = (uint64_t)v[END],
                                               .first = (int)(map->life + (size_t)v[FIRST]),
                                               .last = (int)(map->life + (size_t)v[LAST]),
                                               .rss = v[RSS],
                                               .category = category,
                                               .state = (pm_plot_state)v[GRADE],
                                               .rgb = v[GRADE] ? color_of(&d->plot, category) : 0,
                                               .way = (int)v[WAY]};
}

void pm_plot_read_map(const pm_plot_data *data, pmapdb_store *store, pm_plot_map *out)
{
    pm_buf snapshots = {0};
    pm_text category = PM_TEXT(""), name;
    pmapdb_rows *rows;
    int column[COLUMNS];
    int64_t v[COLUMNS];

    *out = (pm_plot_map){.life = list_snapshots(&data->plot, &snapshots)};
    rows = pm_answer_ask(store, "plot-map",
                         (pm_answer_arg[]){{"snapshots", pm_cli_text(&snapshots)},
                                           {"findings", pm_answer_bytes(data->judged, "rows").data},
                                           {0}});
    for (int i = 0; i < COLUMNS; i++)
        column[i] = pm_answer_column(rows, columns[i]);
    while (pm_run_next(rows)) {
        for (int i = 0; i < COLUMNS; i++)
            v[i] = pmapdb_rows_int(rows, column[i]);
        name.data = pmapdb_rows_text(rows, column[CATEGORY], &name.len);
        if (!pm_text_equal(name, category)) /* one copy for rows that follow each other */
            category = pm_answer_keep(data->texts, name);
        add_stretch(data, v, category, out);
    }
    pmapdb_rows_close(rows);
    pm_buf_free(&snapshots);
}
