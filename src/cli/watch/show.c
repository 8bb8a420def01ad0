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
const char *const pm_watch_orders[PM_WATCH_ORDERS] = {"rss", "rate", "name"};

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

void pm_watch_forget(pm_watch *w)
{
    while (w->n_rows)
        free(w->row[--w->n_rows].leaks);
}

static void add_row(pm_watch *w, const pmapdb_rows *rows)
{
    pm_watch_row *row;
    pmapdb_error err;

    pm_cli_must(pm_grow(&w->row, &w->cap_rows, w->n_rows, sizeof *w->row, &err), &err);
    row = &w->row[w->n_rows++];
    *row = (pm_watch_row){.process_id = pm_answer_int(rows, "process_id"),
                          .n = pm_answer_int(rows, "n"),
                          .siblings = pm_answer_int(rows, "siblings"),
                          .ended = pm_answer_int(rows, "ended"),
                          .state = (pm_plot_state)pm_answer_int(rows, "grade"),
                          .last = pm_answer_real(rows, "last"),
                          .grown = pm_answer_real(rows, "grown"),
                          .leaks = pm_cli_memory(pm_text_copy(pm_answer_bytes(rows, "rows")))};
    pm_answer_text(rows, "name", row->name, sizeof row->name);
    pm_answer_text(rows, "called", row->who, sizeof row->who);
    pm_answer_text(rows, "said", row->said, sizeof row->said);
}

void pm_watch_judge(pm_watch *w)
{
    int64_t begun = pm_clock_now();
    pmapdb_rows *rows = pm_plot_judge(w->store, &(pm_plot_ask){.limit = w->limit});

    rows = pm_answer_ask(w->store, "leaks-processes",
                         (pm_answer_arg[]){{"leaks", .of = rows},
                                           {"filter", *w->filter ? w->filter : NULL},
                                           {"by-name", w->by_name ? "1" : "0"},
                                           {"order", pm_watch_orders[w->order]},
                                           {0}});
    pm_watch_forget(w);
    while (pm_run_next(rows))
        add_row(w, rows);
    pmapdb_rows_close(rows);
    w->judged_ms = pm_clock_now();
    w->judging_ms = w->judged_ms - begun;
}

static void put_row(pm_picture *p, int line, int columns, const pm_watch_row *row, bool chosen)
{
    bool warm = row->state != PM_PLOT_QUIET && !row->ended;
    const pm_ink *ink = row->ended ? &muted : chosen ? &bold : &plain;
    pm_ink said = {.rgb = warm ? pm_plot_state_color(row->state) : PM_PLOT_MUTED, .bold = warm};

    put(p, line, 0, 24, ink, "%c %s", chosen ? '>' : ' ', row->who);
    put_size(p, line, 37, ink, row->last, false);
    put_size(p, line, 50, ink, row->grown, true);
    put(p, line, 52, columns - 52, &said, "%s", row->said);
}

static void show_list(pm_watch *w, pm_picture *p)
{
    static const char *const nouns[][2] = {{"processes", "process"}, {"names", "name"}};
    const pm_screen *s = &w->screen;
    size_t room = (size_t)(s->lines - 3);

    w->chosen = w->n_rows && w->chosen >= w->n_rows ? w->n_rows - 1 : w->chosen;
    w->top = w->chosen < w->top           ? w->chosen
             : w->chosen >= w->top + room ? w->chosen - room + 1
                                          : w->top;
    put(p, 0, 0, s->columns, &bold, "%zu %s, by %s%s%s%s", w->n_rows,
        nouns[w->by_name][w->n_rows == 1], pm_watch_orders[w->order], *w->filter ? ", /" : "",
        w->filter, w->paused ? ", paused" : "");
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

/* Returns the index of B, or of the last moment; notes the snapshots before and after it. */
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

/* Asks watch-changes about the first rows of the diff, more than a screen has room for. */
static pmapdb_rows *ask_changes(const pm_watch *w, const pm_plot_data *d, const char *from)
{
    char to[32];
    pmapdb_rows *rows;

    snprintf(to, sizeof to, "@%" PRId64, w->shown);
    rows =
        pm_answer_ask(w->store, w->each ? "diff-lineage" : "diff-category",
                      (pm_answer_arg[]){{"process", d->process}, {"from", from}, {"to", to}, {0}});
    pm_answer_wrap(rows, "SELECT * FROM (", ") LIMIT 200");
    return pm_answer_ask(w->store, "watch-changes",
                         (pm_answer_arg[]){{"rows", .of = rows},
                                           {"leaks", pm_answer_bytes(d->judged, "rows").data},
                                           {"metric", d->plot.metric},
                                           {0}});
}

static void show_diff(pm_watch *w, pm_picture *p, const pm_plot_data *d, int line)
{
    char from[32] = "first";
    pmapdb_rows *rows;

    if (w->a && w->a < w->shown)
        snprintf(from, sizeof from, "@%" PRId64, w->a);
    put(p, line, 0, 30, &muted, w->each ? "mapping" : "category");
    put(p, line, -45, 12, &muted, "%s", d->plot.metric);
    put(p, line, -60, 14, &muted, "since %s", *from == '@' ? "A" : "begin");
    put(p, line, 62, 20, &muted, w->each ? "category" : "verdict");
    if (w->shown == d->plot.moment[0].snapshot_id)
        return;
    rows = ask_changes(w, d, from);
    while (++line < w->screen.lines - 1 && pm_run_next(rows)) {
        const char *more = pm_answer_bytes(rows, "more").data;

        put(p, line, 0, 32, &plain, "%s", pm_answer_bytes(rows, "name").data);
        put_size(p, line, 45, &plain, pm_answer_real(rows, "now_kib"), false);
        put_size(p, line, 60, &plain, pm_answer_real(rows, "grown_kib"), true);
        put(p, line, 62, w->screen.columns - 62, pm_answer_int(rows, "leaks") ? &bold : &muted,
            "%s", more ? more : "");
    }
    pmapdb_rows_close(rows);
}

/* Returns the row of the process; a row without verdicts if the list no longer has the process. */
static const pm_watch_row *row_of(const pm_watch *w)
{
    static const pm_watch_row none = {.leaks = (char *)"[]"};

    for (size_t i = 0; i < w->n_rows; i++)
        if (w->row[i].process_id == w->process_id)
            return &w->row[i];
    return &none;
}

static void show_process(pm_watch *w, pm_picture *p)
{
    const pm_ink cursor = {.rgb = 0x1f5fbf, .width = 1, .dashed = true};
    const pm_plot_ask ask = {.metric = w->metric ? pm_watch_metrics[w->metric] : NULL};
    const pm_watch_row *row = row_of(w);
    pm_plot_data d;
    pm_plot_frame f;
    double top, bottom;
    size_t b;

    pm_plot_read(&d, w->store, &ask, row->leaks, row->siblings, 2 * w->screen.columns);
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
