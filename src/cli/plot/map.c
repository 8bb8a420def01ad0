/* map: reads the mappings of the process that a picture shows. */
#include "cli/plot/plot.h"

#include "cli/run.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct reading {
    const pm_plot_data *data;
    pm_plot_map *out;
    pmapdb_rows *rows;
    int column[8];
    int64_t epoch;     /* of the row before, */
    size_t *moment, n; /* and its moments */
    pm_text category;  /* of the row before: rows of one region follow each other */
    const pm_plot_layer *layer;
} reading;

enum { EPOCH, FIRST, LAST, START, END, RSS, CATEGORY, LINEAGE };

static const char *const columns[] = {"epoch_id", "first",   "last",     "start",
                                      "end",      "rss_kib", "category", "lineage_id"};

/* The moments of the newest life as a JSON list of snapshots. */
static void list_snapshots(const pm_plot_data *d, pm_buf *out)
{
    const pm_plot *plot = &d->plot;

    for (size_t i = 0; i < plot->n; i++)
        if (plot->moment[i].process_id == plot->moment[plot->n - 1].process_id)
            pm_buf_addf(out, NULL, "%c%" PRId64, out->len ? ',' : '[', plot->moment[i].snapshot_id);
    pm_buf_addf(out, NULL, "]");
}

/* Lists the moments of a sequence of captures, in the order of their places. */
static void list_moments(reading *r, int64_t epoch)
{
    const pm_plot *plot = &r->data->plot;

    r->epoch = epoch;
    r->n = 0;
    for (size_t i = 0; i < plot->n; i++)
        if (plot->moment[i].epoch_id == epoch)
            r->moment[r->n++] = i;
}

/* The number of listed moments before this place. */
static size_t count_before(const reading *r, int64_t place)
{
    size_t low = 0, high = r->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (r->data->plot.moment[r->moment[middle]].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the moments that a row covers; false if it covers none. Rows of one sequence follow each
 * other. */
static bool find_moments(reading *r, pm_plot_stretch *s)
{
    int64_t epoch = pmapdb_rows_int(r->rows, r->column[EPOCH]);
    int64_t last = pmapdb_rows_int(r->rows, r->column[LAST]);
    size_t from, to;

    if (epoch != r->epoch)
        list_moments(r, epoch);
    from = count_before(r, pmapdb_rows_int(r->rows, r->column[FIRST]));
    to = last == PMAPDB_UNKNOWN ? r->n : count_before(r, last + 1);
    if (from >= to)
        return false;
    s->first = (int)r->moment[from];
    s->last = (int)r->moment[to - 1];
    return true;
}

static void find_category(reading *r)
{
    pm_text t;

    t.data = pmapdb_rows_text(r->rows, r->column[CATEGORY], &t.len);
    if (pm_text_equal(t, r->category))
        return;
    r->category = pm_answer_keep(r->data->texts, t);
    r->layer = NULL;
    for (size_t i = 0; i < r->data->plot.n_layers; i++)
        if (pm_text_equal(r->data->plot.layer[i].name, r->category))
            r->layer = &r->data->plot.layer[i];
}

static void add_stretch(reading *r)
{
    pm_plot_map *map = r->out;
    pm_plot_stretch s = {0};
    pmapdb_error err;

    if (!find_moments(r, &s)) /* most rows of a long series lie between two moments */
        return;
    s.start = (uint64_t)pmapdb_rows_int(r->rows, r->column[START]);
    s.end = (uint64_t)pmapdb_rows_int(r->rows, r->column[END]);
    s.rss = pmapdb_rows_int(r->rows, r->column[RSS]);
    s.lineage = pmapdb_rows_int(r->rows, r->column[LINEAGE]);
    if (s.end <= s.start)
        return;
    find_category(r);
    s.category = r->category;
    s.state = r->layer ? r->layer->state : PM_PLOT_QUIET;
    s.rgb = r->layer ? r->layer->rgb : 0;
    pm_cli_must(pm_grow(&map->stretch, &map->cap, map->n, sizeof *map->stretch, &err), &err);
    map->stretch[map->n++] = s;
}

void pm_plot_read_map(const pm_plot_data *data, pmapdb_store *store, pm_plot_map *out)
{
    reading r = {.data = data,
                 .out = out,
                 .moment = calloc(data->plot.n, sizeof *r.moment),
                 .category = PM_TEXT("")};
    pm_buf snapshots = {0};

    if (!r.moment)
        pm_cli_no_memory();
    *out = (pm_plot_map){0};
    list_snapshots(data, &snapshots);
    r.rows = pm_answer_ask(store, "plot-map",
                           (pm_answer_arg[]){{"snapshots", pm_cli_text(&snapshots)}, {NULL, NULL}});
    for (int i = 0; i < 8; i++)
        r.column[i] = pm_answer_column(r.rows, columns[i]);
    while (pm_run_next(r.rows))
        add_stretch(&r);
    pmapdb_rows_close(r.rows);
    pm_buf_free(&snapshots);
    free(r.moment);
}
