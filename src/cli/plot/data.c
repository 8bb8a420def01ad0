/* data: reads the series and the verdicts of the process that a picture shows. */
#include "cli/plot/plot.h"

#include "cli/leaks/leaks.h"
#include "cli/run.h"
#include <inttypes.h>
#include <math.h>

#define LAYERS_MAX "8"

/* ---- the process ---- */

pmapdb_rows *pm_plot_judge(pmapdb_store *store, const pm_plot_ask *ask)
{
    return pm_answer_ask(store, "leaks",
                         (pm_answer_arg[]){{"process", ask->process},
                                           {"metric", ask->metric},
                                           {"since", ask->since},
                                           {"limit", ask->limit},
                                           {"dialect", ask->dialect},
                                           {NULL, NULL}});
}

/* Finds the process with the worst verdict. */
static void choose(pm_plot_data *d, pmapdb_store *store, const char *leaks)
{
    d->judged =
        pm_answer_ask(store, "leaks-processes", (pm_answer_arg[]){{"leaks", leaks}, {NULL, NULL}});
    if (!pm_run_next(d->judged))
        pm_cli_die("there are no snapshots to draw");
    snprintf(d->process, sizeof d->process, "@%" PRId64, pm_answer_int(d->judged, "process_id"));
}

/* ---- the series ---- */

static void add_moment(pm_plot_data *d, const pmapdb_rows *rows)
{
    pm_plot *plot = &d->plot;
    pmapdb_error err;

    pm_cli_must(pm_grow(&plot->moment, &plot->cap, plot->n, sizeof *plot->moment, &err), &err);
    plot->moment[plot->n] = (pm_plot_moment){.ms = pm_answer_int(rows, "taken_ms"),
                                             .snapshot_id = pm_answer_int(rows, "snapshot_id"),
                                             .process_id = pm_answer_int(rows, "process_id"),
                                             .pid = pm_answer_int(rows, "pid"),
                                             .missed = pm_answer_int(rows, "missed"),
                                             .total = pm_answer_int(rows, "value")};
    d->snapshots += pm_answer_int(rows, "n");
    d->partial += pm_answer_int(rows, "partial");
    plot->n += plot->moment[plot->n].total != PMAPDB_UNKNOWN;
}

/* Begins the layer of the current row. */
static pm_plot_layer *add_layer(pm_plot_data *d, const pmapdb_rows *rows)
{
    int64_t grade = pm_answer_int(rows, "grade");
    pm_text name = pm_answer_keep(d->texts, pm_answer_bytes(rows, "category"));
    pm_plot_layer *layer;
    pmapdb_error err;

    pm_cli_must(pm_plot_add(&d->plot, name, &layer, &err), &err);
    layer->state = grade == PMAPDB_UNKNOWN ? PM_PLOT_QUIET : (pm_plot_state)grade;
    layer->rate = pm_answer_real(rows, "rate");
    layer->rgb = pm_plot_layer_color(name, layer->state, pm_answer_int(rows, "weight"));
    return layer;
}

/* The rows of the whole process come first, then those of one layer after another. */
static void read_series(pm_plot_data *d, pmapdb_rows *rows)
{
    pm_plot_layer *layer = NULL;
    size_t i = 0;

    while (pm_run_next(rows)) {
        pm_text category = pm_answer_bytes(rows, "category");

        if (!category.data) {
            add_moment(d, rows);
            continue;
        }
        if (!layer || !pm_text_equal(category, layer->name)) {
            layer = add_layer(d, rows);
            i = 0;
        }
        if (i < d->plot.n)
            layer->value[i++] = pm_answer_int(rows, "value");
    }
}

static pmapdb_rows *ask_growth(const pm_plot_data *d, pmapdb_store *store, const pm_plot_ask *ask,
                               int points)
{
    bool part = !pm_answer_int(d->judged, "whole");
    char number[16];

    snprintf(number, sizeof number, "%d", points);
    return pm_answer_ask(
        store, "plot-growth",
        (pm_answer_arg[]){{"process", d->process},
                          {"chain", pm_answer_int(d->judged, "lives") > 1 ? "1" : "0"},
                          {"metric", d->plot.metric},
                          {"exact", ask->metric ? "1" : "0"},
                          {"category", part ? pm_answer_bytes(d->judged, "key").data : NULL},
                          {"points", number},
                          {"layers", LAYERS_MAX},
                          {"findings", pm_answer_bytes(d->judged, "rows").data},
                          {"since", ask->since},
                          {"dialect", ask->dialect},
                          {NULL, NULL}});
}

/* ---- words ---- */

static void print_about(pm_plot_data *d, int64_t siblings)
{
    const pm_plot *plot = &d->plot;
    char from[PM_CLOCK_TEXT], to[PM_CLOCK_TEXT];

    if (siblings > 1)
        pm_buf_addf(&d->about, NULL, "one of %" PRId64 " processes of this name; ", siblings);
    pm_clock_format(plot->moment[0].ms, from);
    pm_clock_format(plot->moment[plot->n - 1].ms, to);
    pm_buf_addf(&d->about, NULL, "%.10s %.8s to %.*s%s%.8s UTC, %" PRId64 " snapshot%s", from,
                from + 11, memcmp(from, to, 10) ? 10 : 0, to, memcmp(from, to, 10) ? " " : "",
                to + 11, d->snapshots, d->snapshots == 1 ? "" : "s");
    if (d->partial)
        pm_buf_addf(&d->about, NULL, ", %" PRId64 " partial left out", d->partial);
    pm_cli_text(&d->about);
}

/* Reads the verdicts on the process, and the verdict and growth that the picture shows. */
static void read_verdict(pm_plot_data *d, pmapdb_store *store, bool exact)
{
    pmapdb_rows *words = pm_leak_words(store, pm_answer_bytes(d->judged, "rows").data, true);
    pm_plot *plot = &d->plot;
    pm_plot_state whole = PM_PLOT_QUIET; /* of memory without a category: captures with sums only */
    char number[24];

    snprintf(number, sizeof number, "%" PRId64, d->snapshots);
    d->said = pm_answer_ask(store, "plot-verdict",
                            (pm_answer_arg[]){{"words", .of = words},
                                              {"metric", plot->metric},
                                              {"exact", exact ? "1" : "0"},
                                              {"snapshots", number},
                                              {NULL, NULL}});
    pm_run_next(d->said);
    plot->limit = pm_answer_real(d->said, "limit");
    plot->limit_words = pm_answer_bytes(d->said, "limit_words").data;
    plot->rate = pm_answer_real(d->said, "rate");
    plot->low = pm_answer_real(d->said, "low");
    plot->high = pm_answer_real(d->said, "high");
    plot->since_ms = PMAPDB_UNKNOWN;
    pm_clock_parse(pm_answer_bytes(d->said, "since"), &plot->since_ms);
    if (pm_answer_int(d->said, "whole"))
        whole = (pm_plot_state)pm_answer_int(d->judged, "grade");
    if (plot->n_layers == 1 && pm_text_equal(plot->layer[0].name, PM_TEXT("[no category]")))
        plot->layer[0] = (pm_plot_layer){.name = PM_TEXT("total"), /* sums only */
                                         .state = whole,
                                         .rate = plot->layer[0].rate,
                                         .value = plot->layer[0].value,
                                         .rgb = pm_plot_layer_color(PM_TEXT("total"), whole, 1)};
}

void pm_plot_read(pm_plot_data *out, pmapdb_store *store, const pm_plot_ask *ask, const char *leaks,
                  int64_t siblings, int points)
{
    pmapdb_rows *rows;
    pmapdb_error err;

    *out = (pm_plot_data){.plot.metric = ask->metric};
    pm_cli_must(pm_pool_new(&out->texts, &err), &err);
    choose(out, store, leaks);
    if (!out->plot.metric)
        out->plot.metric = pm_answer_int(out->judged, "blind") ? "size" : "rss";
    out->plot.count = strcmp(out->plot.metric, "mappings") == 0;
    rows = ask_growth(out, store, ask, points);
    read_series(out, rows);
    pmapdb_rows_close(rows);
    if (!out->plot.n)
        pm_cli_die("no capture of %s shows %s: --metric chooses another number", out->process,
                   out->plot.metric);
    print_about(out, siblings ? siblings : pm_answer_int(out->judged, "siblings"));
    read_verdict(out, store, ask->metric != NULL);
}

void pm_plot_data_free(pm_plot_data *d)
{
    pm_plot_free(&d->plot);
    pmapdb_rows_close(d->judged);
    pmapdb_rows_close(d->said);
    pm_pool_free(d->texts);
    pm_buf_free(&d->about);
}

/* ---- the head of a picture ---- */

double pm_plot_head(pm_picture *p, const pm_plot_data *d)
{
    pm_text title = pm_answer_bytes(d->judged, "called"), word = pm_answer_bytes(d->said, "badge");
    pm_plot_state state = (pm_plot_state)pm_answer_int(d->judged, "grade");
    const pm_ink bold = {.rgb = PM_PLOT_TEXT, .bold = true}, plain = {.rgb = PM_PLOT_TEXT},
                 muted = {.rgb = PM_PLOT_MUTED},
                 badge = {.rgb = state ? pm_plot_state_text(p, state)
                                 : !pm_text_equal(word, PM_TEXT("NO LEAK")) ? PM_PLOT_MUTED
                                                                            : 0x0b6b5a,
                          .bold = true};
    double y = p->line * (p->terminal ? .5 : 1), left = p->terminal ? 0 : p->em, width;
    double from = left + (double)(word.len + (p->terminal ? 2 : 3)) * p->em;

    width = (double)title.len * (p->terminal ? 1 : 1.15) + 2; /* bold is wider */
    width = fmin(width * p->em, p->width / 2);
    pm_picture_text(p, (pm_point){left, y}, PM_ALIGN_LEFT, width, &bold, title);
    pm_picture_text(p, (pm_point){left + width, y}, PM_ALIGN_LEFT, p->width - width - 2 * left,
                    &muted, pm_buf_text(&d->about));
    y += p->line;
    pm_picture_text(p, (pm_point){left, y}, PM_ALIGN_LEFT, from - left, &badge, word);
    y += pm_picture_words(p, (pm_point){from, y}, p->width - from - left, &plain,
                          pm_answer_bytes(d->said, "said"));
    y += pm_picture_words(p, (pm_point){from, y}, p->width - from - left, &muted,
                          pm_answer_bytes(d->said, "facts"));
    return y;
}
