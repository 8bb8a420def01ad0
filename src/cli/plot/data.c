/* data: reads the series and the verdicts of the process that a picture shows. */
#include "cli/plot/plot.h"

#include "base/clock/clock.h"
#include "cli/leaks/leaks.h"
#include "cli/run.h"
#include "render/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LAYERS_MAX "8"

pm_plot_state pm_plot_state_of(pm_verdict verdict)
{
    return verdict == PM_VERDICT_LEAK      ? PM_PLOT_LEAK
           : verdict == PM_VERDICT_SUSPECT ? PM_PLOT_SUSPECT
                                           : PM_PLOT_QUIET;
}

/* ---- the process ---- */

static void choose(pm_plot_data *d, const pm_leak_rows *judged, int64_t process_id)
{
    size_t n, i = 0;
    pm_leak_group *groups = pm_leak_groups(judged, &n);

    while (process_id && i < n && groups[i].begin->process_id != process_id)
        i++;
    if (i < n) {
        d->group = groups[i];
        d->worst = pm_leak_group_worst(&groups[i]);
    }
    if (!d->group.begin)
        pm_cli_die("there are no snapshots to draw");
    for (i = 0; i < n; i++)
        d->siblings += pm_text_equal(groups[i].begin->name, d->group.begin->name);
    free(groups);
    snprintf(d->process, sizeof d->process, "@%" PRId64, d->group.begin->process_id);
    if (d->worst)
        d->state = pm_plot_state_of(d->worst->verdict);
}

/* ---- the series ---- */

static void add_moment(pm_plot_data *d, const pmapdb_rows *rows)
{
    pm_plot *plot = &d->plot;
    pmapdb_error err;

    pm_cli_must(pm_grow(&plot->moment, &plot->cap, plot->n, sizeof *plot->moment, &err), &err);
    plot->moment[plot->n] = (pm_plot_moment){.ms = pm_answer_int(rows, "taken_ms"),
                                             .epoch_id = pm_answer_int(rows, "epoch_id"),
                                             .place = pm_answer_int(rows, "place"),
                                             .snapshot_id = pm_answer_int(rows, "snapshot_id"),
                                             .process_id = pm_answer_int(rows, "process_id"),
                                             .pid = pm_answer_int(rows, "pid"),
                                             .missed = pm_answer_int(rows, "missed"),
                                             .total = pm_answer_int(rows, "value")};
    d->snapshots += pm_answer_int(rows, "n");
    d->partial += pm_answer_int(rows, "partial");
    plot->n += plot->moment[plot->n].total != PMAPDB_UNKNOWN;
}

static const pm_leak_row *finding_of(const pm_plot_data *d, pm_text category)
{
    for (const pm_leak_row *r = d->group.begin; r < d->group.end; r++)
        if (!r->whole && r->verdict >= PM_VERDICT_SUSPECT && pm_text_equal(r->key, category))
            return r;
    return NULL;
}

/* True if the rate of a row is that of the number which is drawn. */
static bool is_drawn(const pm_plot_data *d, const pm_leak_row *r)
{
    return pm_leak_row_is_kib(r) && !d->plot.count &&
           (!d->asked || pm_text_equal(r->metric, pm_text_of(d->plot.metric)));
}

/* Begins the layer of the current row. */
static pm_plot_layer *add_layer(pm_plot_data *d, const pmapdb_rows *rows)
{
    pm_text name;
    pm_plot_layer *layer;
    const pm_leak_row *r;
    uint32_t id;
    pmapdb_error err;

    pm_cli_must(pm_pool_text(d->texts, pm_answer_bytes(rows, "category"), &id, &err), &err);
    name = pm_pool_text_get(d->texts, id);
    pm_cli_must(pm_plot_add(&d->plot, name, &layer, &err), &err);
    r = finding_of(d, name);
    if (r) {
        layer->state = pm_plot_state_of(r->verdict);
        layer->rate = is_drawn(d, r) ? r->rate : NAN;
    }
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
    if (d->plot.n_layers == 1 && pm_text_equal(layer->name, PM_TEXT("[no category]"))) {
        layer->name = PM_TEXT("total"); /* sums only */
        layer->state = d->plot.whole;
        layer->rgb = pm_plot_layer_color(layer->name, layer->state, 1);
    }
}

/* Of the sum of what leaks, if its KiB grow. */
static void read_verdict(pm_plot_data *d)
{
    const pm_leak_row *total = d->group.begin;
    pm_plot *plot = &d->plot;

    plot->limit = plot->rate = plot->low = plot->high = NAN;
    plot->limit_words = "limit ";
    plot->since_ms = PMAPDB_UNKNOWN;
    if (d->worst && d->worst->since.len)
        pm_clock_parse(d->worst->since, &plot->since_ms);
    if (!is_drawn(d, total))
        return;
    plot->limit = total->limit;
    if (*pm_leak_limit_words(total))
        plot->limit_words = pm_leak_limit_words(total);
    if (d->state == PM_PLOT_LEAK && total->rate > 0) {
        plot->rate = total->rate;
        plot->low = total->low;
        plot->high = total->high;
    }
    if (d->worst && d->worst->whole)
        plot->whole = d->state;
}

/* ---- words ---- */

static void print_title(pm_plot_data *d)
{
    const pm_plot *plot = &d->plot;
    char who[192], from[PM_CLOCK_TEXT], to[PM_CLOCK_TEXT];
    FILE *out = pm_words_begin(&d->title);

    pm_leak_row_who(d->group.begin, who, sizeof who);
    fputs(who, out);
    pm_words_end(&d->title);
    out = pm_words_begin(&d->about);
    if (d->siblings > 1)
        fprintf(out, "one of %zu processes of this name; ", d->siblings);
    pm_clock_format(plot->moment[0].ms, from);
    pm_clock_format(plot->moment[plot->n - 1].ms, to);
    fprintf(out, "%.10s %.8s to %.*s%s%.8s UTC, %" PRId64 " snapshot%s", from, from + 11,
            memcmp(from, to, 10) ? 10 : 0, to, memcmp(from, to, 10) ? " " : "", to + 11,
            d->snapshots, d->snapshots == 1 ? "" : "s");
    if (d->partial)
        fprintf(out, ", %" PRId64 " partial left out", d->partial);
    pm_words_end(&d->about);
}

/* Says what is known where nothing leaks. */
static const char *print_quiet(const pm_plot_data *d, FILE *out)
{
    const pm_leak_row *total = d->group.begin;
    size_t grown = 0;

    if (!pm_leak_group_healthy(&d->group)) {
        fprintf(out, "No verdict yet: %" PRId64 " snapshot%s; at least %d of one life are needed",
                d->snapshots, d->snapshots == 1 ? "" : "s", PM_TREND_MIN);
        return "TOO FEW";
    }
    for (const pm_leak_row *r = d->group.begin; r < d->group.end; r++)
        if (!r->whole && r->verdict == PM_VERDICT_PLATEAU && grown++ < 3)
            fprintf(out, "%s%.*s", grown > 1 ? ", " : "", (int)r->key.len, r->key.data);
    fputs(grown ? " grew and stopped" : "Nothing grows", out);
    if (pm_leak_row_blind(total)) {
        fputs("; resident memory is unknown", out);
        return "UNKNOWN";
    }
    return "NO LEAK";
}

/* Prints a text of the current row. */
static void print_words(FILE *out, const char *before, pmapdb_rows *words, const char *column)
{
    fprintf(out, "%s%s", before, pm_answer_bytes(words, column).data);
}

static void print_verdict(pm_plot_data *d, pmapdb_store *store)
{
    FILE *out = pm_words_begin(&d->verdict);
    const pm_leak_row *w = d->worst ? d->worst : d->group.begin;
    size_t found = pm_leak_group_found(&d->group);
    pmapdb_rows *words = pm_leak_words(store, w, w + 1, true);

    pm_run_next(words);
    if (!d->worst) {
        d->badge = print_quiet(d, out);
    } else {
        d->badge = d->state == PM_PLOT_LEAK ? "LEAK" : "SUSPECT";
        fprintf(out, "%.*s", w->whole ? 17 : (int)w->key.len,
                w->whole ? "the whole process" : w->key.data);
        print_words(out, " ", words, "rate_words");
        print_words(out, ", ", words, "shape_words");
        if (found > 1)
            fprintf(out, "; %zu more", found - 1);
    }
    pm_words_end(&d->verdict);
    out = pm_words_begin(&d->facts);
    if (d->snapshots > 1)
        print_words(out, "", words, "course_words");
    if (!isnan(w->limit))
        print_words(out, "; limit: ", words, "limit_words");
    pm_words_end(&d->facts);
    pmapdb_rows_close(words);
}

void pm_plot_judge(pm_leak_rows *out, pmapdb_store *store, const pm_plot_ask *ask)
{
    pmapdb_rows *rows = pm_answer_ask(store, "leaks",
                                      (pm_answer_arg[]){{"process", ask->process},
                                                        {"metric", ask->metric},
                                                        {"since", ask->since},
                                                        {"limit", ask->limit},
                                                        {"dialect", ask->dialect},
                                                        {NULL, NULL}});

    pm_leak_rows_free(out);
    *out = (pm_leak_rows){0};
    pm_leak_rows_read(out, rows);
    pmapdb_rows_close(rows);
}

/* Writes the verdicts on the process as JSON. */
static void write_findings(const pm_plot_data *d, pm_buf *json)
{
    const pm_sink sink = {json, pm_sink_add};
    pmapdb_error err;

    for (const pm_leak_row *r = d->group.begin; r < d->group.end; r++) {
        pm_cli_must(pm_buf_addf(json, &err, r == d->group.begin ? "[" : ","), &err);
        pm_cli_must(pm_leak_row_write(r, &sink, &err), &err);
    }
    pm_cli_must(pm_buf_addf(json, &err, "]"), &err);
}

static pmapdb_rows *ask_growth(const pm_plot_data *d, pmapdb_store *store, const pm_plot_ask *ask,
                               int points)
{
    pm_buf findings = {0};
    pmapdb_rows *rows;
    char number[16];
    char *category = pm_text_copy(d->worst && !d->worst->whole ? d->worst->key : PM_TEXT(""));

    snprintf(number, sizeof number, "%d", points);
    write_findings(d, &findings);
    rows = pm_answer_ask(store, "plot-growth",
                         (pm_answer_arg[]){{"process", d->process},
                                           {"chain", d->group.begin->lives > 1 ? "1" : "0"},
                                           {"metric", d->plot.metric},
                                           {"category", category},
                                           {"points", number},
                                           {"layers", LAYERS_MAX},
                                           {"findings", findings.data},
                                           {"since", ask->since},
                                           {"dialect", ask->dialect},
                                           {NULL, NULL}});
    free(category);
    pm_buf_free(&findings);
    return rows;
}

void pm_plot_read(pm_plot_data *out, pmapdb_store *store, const pm_plot_ask *ask,
                  const pm_leak_rows *judged, int points)
{
    pmapdb_rows *rows;

    *out = (pm_plot_data){
        .texts = judged->texts, .plot.metric = ask->metric, .asked = ask->metric != NULL};
    choose(out, judged, ask->process_id);
    if (!out->plot.metric)
        out->plot.metric = pm_leak_row_blind(out->group.begin) ? "size" : "rss";
    out->plot.count = strcmp(out->plot.metric, "mappings") == 0;
    read_verdict(out);
    rows = ask_growth(out, store, ask, points);
    read_series(out, rows);
    pmapdb_rows_close(rows);
    if (!out->plot.n)
        pm_cli_die("no capture of %s shows %s: --metric chooses another number", out->process,
                   out->plot.metric);
    print_title(out);
    print_verdict(out, store);
}

void pm_plot_data_free(pm_plot_data *d)
{
    pm_plot_free(&d->plot);
    free(d->title.data);
    free(d->about.data);
    free(d->verdict.data);
    free(d->facts.data);
}

/* ---- the head of a picture ---- */

static pm_text text_of(const pm_words *w)
{
    return (pm_text){w->data, w->len};
}

double pm_plot_head(pm_picture *p, const pm_plot_data *d)
{
    const pm_ink bold = {.rgb = PM_PLOT_TEXT, .bold = true}, plain = {.rgb = PM_PLOT_TEXT},
                 muted = {.rgb = PM_PLOT_MUTED},
                 badge = {.rgb = d->state                      ? pm_plot_state_text(p, d->state)
                                 : strcmp(d->badge, "NO LEAK") ? PM_PLOT_MUTED
                                                               : 0x0b6b5a,
                          .bold = true};
    double y = p->line * (p->terminal ? .5 : 1), left = p->terminal ? 0 : p->em, width;
    double word = (double)(strlen(d->badge) + (p->terminal ? 2 : 3)) * p->em;

    width = (double)d->title.len * (p->terminal ? 1 : 1.15) + 2; /* bold is wider */
    width = fmin(width * p->em, p->width / 2);
    pm_picture_text(p, (pm_point){left, y}, PM_ALIGN_LEFT, width, &bold, text_of(&d->title));
    pm_picture_text(p, (pm_point){left + width, y}, PM_ALIGN_LEFT, p->width - width - 2 * left,
                    &muted, text_of(&d->about));
    y += p->line;
    pm_picture_text(p, (pm_point){left, y}, PM_ALIGN_LEFT, word, &badge, pm_text_of(d->badge));
    y += pm_picture_words(p, (pm_point){left + word, y}, p->width - word - 2 * left, &plain,
                          text_of(&d->verdict));
    y += pm_picture_words(p, (pm_point){left + word, y}, p->width - word - 2 * left, &muted,
                          text_of(&d->facts));
    return y;
}
