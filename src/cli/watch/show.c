/* show: the two screens of pmapdb watch: all processes, and one through time. */
#include "cli/watch/watch.h"

#include "base/clock/clock.h"
#include "cli/run.h"
#include "render/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

const char *const pm_watch_metrics[PM_WATCH_METRICS] = {"rss", "private", "pss", "size", "swap"};

static const pm_ink plain = {.rgb = PM_PLOT_TEXT}, muted = {.rgb = PM_PLOT_MUTED},
                    bold = {.rgb = PM_PLOT_TEXT, .bold = true};

/* Writes into columns of a line; a negative column is the right end of the text. */
__attribute__((format(printf, 6, 7))) static void
put(pm_picture *p, int line, int column, int width, const pm_ink *ink, const char *format, ...)
{
    char text[1024];
    va_list args;
    bool right = column < 0;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pm_picture_text(p, (pm_point){2.0 * (right ? -column : column), 4.0 * line + 2},
                    right ? PM_ALIGN_RIGHT : PM_ALIGN_LEFT, 2.0 * width, ink, pm_text_of(text));
}

static void put_size(pm_picture *p, int line, int column, const pm_ink *ink, double kib, bool sign)
{
    char number[PM_NUMBER_TEXT] = "?";

    if (!isnan(kib))
        pm_number_size(kib, number);
    put(p, line, -column, 12, ink, "%s%s", sign && kib > 0 ? "+" : "", number);
}

static void put_keys(const pm_watch *w, pm_picture *p, const char *keys)
{
    const pm_screen *s = &w->screen;

    if (*w->message || w->typing)
        put(p, s->lines - 1, 0, s->columns, &bold, "%s%s", w->typing ? "/" : w->message,
            w->typing ? w->filter : "");
    else
        put(p, s->lines - 1, 0, s->columns, &muted, "%s", keys);
}

/* ---- the list ---- */

static const pm_leak_row *worst_of(const pm_leak_group *g)
{
    const pm_leak_row *worst = g->begin;

    for (const pm_leak_row *r = g->begin; r < g->end; r++)
        if ((!r->whole || g->alone || g->end - g->begin == 1) &&
            (worst->whole || r->verdict > worst->verdict))
            worst = r;
    return worst;
}

/* What has ended comes last. */
static int compare(const void *x, const void *y, void *ctx)
{
    const pm_watch_row *a = x, *b = y;
    pm_watch_order order = ((const pm_watch *)ctx)->order;
    double m = order == PM_WATCH_RATE ? a->rate : a->last;
    double n = order == PM_WATCH_RATE ? b->rate : b->last;

    m = isnan(m) ? -INFINITY : m;
    n = isnan(n) ? -INFINITY : n;
    if (a->ended != b->ended)
        return a->ended ? 1 : -1;
    if (order != PM_WATCH_NAME && m != n)
        return m > n ? -1 : 1;
    return strcmp(a->who, b->who);
}

/* Adds a process to the line of its name, or as a line. What has ended is not part of a sum. */
static void add_process(pm_watch *w, const pm_leak_group *g)
{
    const pm_leak_row *whole = g->begin;
    pm_watch_row row = {.group = *g,
                        .worst = worst_of(g),
                        .last = whole->last,
                        .grown = whole->last - whole->first,
                        .rate = whole->rate,
                        .n = 1,
                        .ended = !pm_text_equal(whole->last_at, w->newest)};

    pm_leak_row_who(whole, row.who, sizeof row.who);
    if (!strstr(row.who, w->filter))
        return;
    for (pm_watch_row *r = w->row; w->by_name && r < w->row + w->n_rows; r++)
        if (r->ended == row.ended && pm_text_equal(r->group.begin->name, whole->name)) {
            r->last += row.last;
            r->grown += row.grown;
            r->rate = fmax(r->rate, 0) + fmax(row.rate, 0);
            r->n++;
            if (row.worst->verdict > r->worst->verdict) {
                r->worst = row.worst;
                r->group = row.group;
            }
            snprintf(r->who, sizeof r->who, "%.*s (%zu)",
                     (int)(whole->name.len < 150 ? whole->name.len : 150), whole->name.data, r->n);
            return;
        }
    w->row[w->n_rows++] = row;
}

void pm_watch_judge(pm_watch *w)
{
    int64_t begun = pm_clock_now();

    pm_plot_judge(&w->rows, w->store, &(pm_plot_ask){.limit = w->limit});
    free(w->row);
    w->n_rows = 0;
    w->row = calloc(w->rows.n + 1, sizeof *w->row);
    if (!w->row)
        pm_cli_no_memory();
    w->newest = PM_TEXT("");
    for (const pm_leak_row *r = w->rows.row; r < w->rows.row + w->rows.n; r++)
        if (r->last_at.len && (!w->newest.len || strcmp(r->last_at.data, w->newest.data) > 0))
            w->newest = r->last_at;
    for (const pm_leak_row *r = w->rows.row; r < w->rows.row + w->rows.n;) {
        pm_leak_group g = pm_leak_group_at(&w->rows, r);

        add_process(w, &g);
        r = g.end;
    }
    qsort_r(w->row, w->n_rows, sizeof *w->row, compare, w);
    w->judged_ms = pm_clock_now();
    w->judging_ms = w->judged_ms - begun;
}

static void put_row(pm_picture *p, int line, int columns, const pm_watch_row *row, bool chosen)
{
    const pm_leak_row *worst = row->worst;
    bool warm = worst->verdict >= PM_VERDICT_SUSPECT;
    const pm_ink *ink = row->ended ? &muted : chosen ? &bold : &plain;
    pm_ink verdict = {.rgb = warm ? pm_plot_state_color(pm_plot_state_of(worst->verdict))
                                  : PM_PLOT_MUTED,
                      .bold = warm};

    put(p, line, 0, 24, ink, "%c %s", chosen ? '>' : ' ', row->who);
    put_size(p, line, 37, ink, row->last, false);
    put_size(p, line, 50, ink, row->grown, true);
    if (row->ended)
        put(p, line, 52, columns - 52, &muted, "ended");
    else
        put(p, line, 52, columns - 52, &verdict, "%s%s%.*s",
            worst->verdict == PM_VERDICT_TOO_FEW ? "too few yet" : pm_verdict_name(worst->verdict),
            warm ? ": " : "", warm ? (int)worst->key.len : 0, worst->key.data);
}

static void show_list(pm_watch *w, pm_picture *p)
{
    static const char *const orders[] = {"rss", "rate", "name"}, *const nouns[][2] = {
                                                                     {"processes", "process"},
                                                                     {"names", "name"}};
    const pm_screen *s = &w->screen;
    size_t room = (size_t)(s->lines - 3);

    w->chosen = w->n_rows && w->chosen >= w->n_rows ? w->n_rows - 1 : w->chosen;
    w->top = w->chosen < w->top           ? w->chosen
             : w->chosen >= w->top + room ? w->chosen - room + 1
                                          : w->top;
    put(p, 0, 0, s->columns, &bold, "%zu %s, by %s%s%s%s", w->n_rows,
        nouns[w->by_name][w->n_rows == 1], orders[w->order], *w->filter ? ", /" : "", w->filter,
        w->paused ? ", paused" : "");
    put(p, 0, -s->columns, 30, &muted, "every %gs, read in %" PRId64 " ms",
        (double)w->every_ms / 1000, w->read_ms);
    put(p, 1, 2, 20, &muted, w->by_name ? "name" : "process");
    put(p, 1, -37, 12, &muted, "rss");
    put(p, 1, -50, 12, &muted, "since begin");
    put(p, 1, 52, 20, &muted, "verdict");
    for (size_t i = w->top; i < w->n_rows && i < w->top + room; i++)
        put_row(p, (int)(2 + i - w->top), s->columns, &w->row[i], i == w->chosen);
    put_keys(w, p,
             "Enter into  j k choose  < > order  g by name  / filter  p pause  s save  q quit");
}

/* ---- one process ---- */

/* The moment of B, and those beside it. */
static size_t find_b(pm_watch *w, const pm_plot *plot)
{
    size_t b = plot->n - 1;

    for (size_t i = 0; i < plot->n; i++)
        if (plot->moment[i].snapshot_id == w->b)
            b = i;
    w->before = plot->moment[b ? b - 1 : 0].snapshot_id;
    w->after = b + 1 < plot->n - 1 ? plot->moment[b + 1].snapshot_id : 0;
    w->shown = plot->moment[b].snapshot_id;
    return b;
}

/* A line of the table: a category with its verdict, or a mapping. */
static void put_change(const pm_watch *w, pm_picture *p, const pm_plot_data *d, int line,
                       pmapdb_rows *rows)
{
    char category[200], path[200], column[48];
    const pm_leak_row *r = d->group.begin;
    const char *name;
    int64_t now, change;

    pm_answer_text(rows, "category", category, sizeof category);
    snprintf(column, sizeof column, "%s_kib_to", d->plot.metric);
    now = pm_answer_int(rows, column);
    snprintf(column, sizeof column, "%s_kib_delta", d->plot.metric);
    change = pm_answer_int(rows, column);
    put_size(p, line, 45, &plain, now == PMAPDB_UNKNOWN ? NAN : (double)now, false);
    put_size(p, line, 60, &plain, change == PMAPDB_UNKNOWN ? NAN : (double)change, true);
    if (w->each) {
        pm_answer_text(rows, "path", path, sizeof path);
        name = strrchr(path, '/');
        put(p, line, 0, 32, &plain, "#%" PRId64 " %s", pm_answer_int(rows, "lineage_id"),
            name && name[1] ? name + 1
            : *path         ? path
                            : category);
        put(p, line, 62, w->screen.columns - 62, &muted, "%s", category);
        return;
    }
    put(p, line, 0, 32, &plain, "%s", category);
    while (r < d->group.end && (r->whole || !pm_text_equal(r->key, pm_text_of(category))))
        r++;
    if (r < d->group.end)
        put(p, line, 62, w->screen.columns - 62, r->verdict >= PM_VERDICT_SUSPECT ? &bold : &muted,
            "%.*s", (int)r->verdict_name.len, r->verdict_name.data);
}

static void show_diff(pm_watch *w, pm_picture *p, const pm_plot_data *d, int line)
{
    char from[32] = "first", to[32];
    pmapdb_rows *rows;

    if (w->a && w->a < w->shown)
        snprintf(from, sizeof from, "@%" PRId64, w->a);
    snprintf(to, sizeof to, "@%" PRId64, w->shown);
    put(p, line, 0, 30, &muted, w->each ? "mapping" : "category");
    put(p, line, -45, 12, &muted, "%s", d->plot.metric);
    put(p, line, -60, 14, &muted, "since %s", *from == '@' ? "A" : "begin");
    put(p, line, 62, 20, &muted, w->each ? "category" : "verdict");
    if (w->shown == d->plot.moment[0].snapshot_id)
        return;
    rows =
        pm_answer_ask(w->store, w->each ? "diff-lineage" : "diff-category",
                      (pm_answer_arg[]){{"process", d->process}, {"from", from}, {"to", to}, {0}});
    while (++line < w->screen.lines - 1 && pm_run_next(rows))
        put_change(w, p, d, line, rows);
    pmapdb_rows_close(rows);
}

static void show_process(pm_watch *w, pm_picture *p)
{
    const pm_ink cursor = {.rgb = 0x1f5fbf, .width = 1, .dashed = true};
    const pm_plot_ask ask = {.process_id = w->process_id,
                             .metric = w->metric ? pm_watch_metrics[w->metric] : NULL};
    pm_plot_data d;
    pm_plot_frame f;
    double top, bottom;
    size_t b;

    pm_plot_read(&d, w->store, &ask, &w->rows, 2 * w->screen.columns);
    b = find_b(w, &d.plot);
    top = pm_plot_head(p, &d);
    top = 4 * ceil(top / 4) + 4;
    bottom = fmax(top + 16, 4 * floor(p->height / 8));
    f = pm_plot_place(p, &d.plot, top, bottom);
    pm_plot_growth(p, &d.plot, &f);
    for (size_t i = 0; i < d.plot.n; i++)
        if ((w->b && i == b) || (w->a && d.plot.moment[i].snapshot_id == w->a)) {
            double x = pm_plot_x(&f, d.plot.moment[i].ms);

            pm_picture_line(p, x, f.top, x, f.bottom - 1, &cursor);
            put(p, (int)(f.top / 4), (int)(x / 2) + 1, 1, &bold, w->b && i == b ? "B" : "A");
        }
    show_diff(w, p, &d, (int)(bottom / 4) + 1);
    put_keys(
        w, p,
        w->paused
            ? "paused  Esc list  Enter mappings  <- -> past  a set A  m metric  p go on  s save"
            : "Esc list  Enter mappings  <- -> the past  a set A  m metric  p pause  s save  q");
    pm_plot_data_free(&d);
}

void pm_watch_show(pm_watch *w)
{
    pm_picture p;
    pm_sink sink;
    pmapdb_error err;

    pm_screen_begin(&w->screen, &p, &sink, &err);
    if (w->process_id)
        show_process(w, &p);
    else
        show_list(w, &p);
    pm_screen_show(&w->screen, &p);
}
