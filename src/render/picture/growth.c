/* growth: categories through time, one on the other, with limit and forecast. */
#include "render/picture/plot.h"

#include "base/clock/clock.h"
#include "render/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HOUR_MS 3600000.0
#define LABELS_MAX 40

typedef struct growth {
    pm_picture *p;
    const pm_plot *plot;
    const pm_plot_frame *f;
    bool change;        /* lines of the change since the first snapshot, not areas */
    double least, most; /* of the axis */
    double *floor;      /* of the next layer, per moment */
    pm_point *point;
    pm_plot_label label[LABELS_MAX];
    size_t n_labels;
} growth;

static double y_of(const growth *g, double v)
{
    double y = g->f->bottom - (v - g->least) / (g->most - g->least) * (g->f->bottom - g->f->top);

    return g->p->terminal ? fmin(y, g->f->bottom - .5) : y; /* the next dot is in another line */
}

static double value_of(const pm_plot_layer *l, size_t i)
{
    return l->value[i] == PMAPDB_UNKNOWN ? 0 : (double)l->value[i];
}

/* ---- the axis of sizes ---- */

/* A step of 1, 2 or 5 times a power of ten of the unit that suits the axis. */
static double step_of(double span, double n, bool count)
{
    static const double nice[] = {1, 2, 5, 10, 20, 50, 100, 200, 500};
    double unit = 1;

    while (500 * unit * n < span)
        unit *= count ? 1000 : 1024;
    for (size_t i = 0; i < sizeof nice / sizeof *nice; i++)
        if (nice[i] * unit * n >= span)
            return nice[i] * unit;
    return 500 * unit;
}

static void print_value(const growth *g, double v, char out[PM_NUMBER_TEXT])
{
    if (g->plot->count)
        pm_number_brief(v, out);
    else
        pm_number_size(v, out);
}

static void draw_caption(const growth *g)
{
    const pm_ink ink = {.rgb = PM_PLOT_MUTED};
    char text[64];

    snprintf(text, sizeof text, "%s by category%s", g->plot->metric,
             g->change ? ": the change since the first snapshot" : "");
    pm_picture_text(g->p, (pm_point){g->f->left, g->f->top - g->p->line / 2}, PM_ALIGN_LEFT,
                    g->f->right - g->f->left, &ink, pm_text_of(text));
}

static void draw_axis(const growth *g)
{
    const pm_ink grid = {.rgb = 0xd9dde2, .width = 1, .opacity = .4}, ink = {.rgb = PM_PLOT_MUTED},
                 frame = {.rgb = PM_PLOT_MUTED, .width = 1};
    double lines = fmin(6, (g->f->bottom - g->f->top) / (2.5 * g->p->line));
    double step = step_of(g->most - g->least, lines, g->plot->count);

    for (double v = ceil(g->least / step) * step; v <= g->most; v += step) {
        char number[PM_NUMBER_TEXT], text[PM_NUMBER_TEXT + 1];

        print_value(g, fabs(v) < step / 2 ? 0 : v, number);
        snprintf(text, sizeof text, "%s%s", g->change && v > step / 2 ? "+" : "", number);
        pm_picture_line(g->p, g->f->left, y_of(g, v), g->f->right, y_of(g, v), &grid);
        pm_picture_text(g->p,
                        (pm_point){g->f->left - g->p->em / 2, fmin(y_of(g, v), g->f->bottom - 1)},
                        PM_ALIGN_RIGHT, g->f->left, &ink, pm_text_of(text));
    }
    pm_picture_line(g->p, g->f->left - 1, g->f->top, g->f->left - 1, g->f->bottom - 1, &frame);
}

/* ---- layers ---- */

/* The end of the stretch of moments that nothing breaks. */
static size_t stretch_end(const pm_plot *plot, size_t from)
{
    size_t to = from + 1;

    while (to < plot->n && plot->moment[to].missed <= 0 &&
           plot->moment[to].process_id == plot->moment[to - 1].process_id)
        to++;
    return to;
}

/* Draws the area between the floor and the floor plus the layer, with a line over it if the layer
 * grows or the paper is a terminal; of a change, only the line. */
static void draw_stretch(growth *g, const pm_plot_layer *l, size_t from, size_t to,
                         const char *name)
{
    const pm_ink fill = {.rgb = l->rgb, .sparse = l->state == PM_PLOT_QUIET},
                 edge = {.rgb = l->state == PM_PLOT_QUIET || g->change || g->p->terminal ? l->rgb
                                                                                         : 0x7a3600,
                         .width = 1.2};
    size_t n = to - from;

    for (size_t i = from; i < to; i++) {
        double x = pm_plot_x(g->f, g->plot->moment[i].ms);

        g->point[i - from] = (pm_point){x, y_of(g, g->floor[i] + value_of(l, i))};
        g->point[2 * n - 1 - (i - from)] = (pm_point){x, y_of(g, g->floor[i])};
    }
    if (n == 1) /* a snapshot alone is a bar */
        pm_picture_rect(g->p, g->point[0].x, g->point[0].y,
                        g->plot->n == 1 ? g->f->now - g->f->left : g->p->em / 2,
                        g->point[1].y - g->point[0].y, &fill);
    else if (!g->change)
        pm_picture_path(g->p, g->point, 2 * n, &fill, name);
    if (g->change || l->state != PM_PLOT_QUIET || g->p->terminal)
        pm_picture_path(g->p, g->point, n, &edge, g->change ? name : NULL);
}

static void add_label(growth *g, const pm_plot_layer *l)
{
    size_t last = g->plot->n - 1;
    double v = value_of(l, last), floor = g->floor[last];
    double y = y_of(g, g->change ? floor + v : floor + v / 2);
    pm_plot_label *label = &g->label[g->n_labels];
    int name = l->name.len < 60 ? (int)l->name.len : 60, n;
    char number[PM_NUMBER_TEXT];

    if (g->n_labels == LABELS_MAX ||
        (l->state == PM_PLOT_QUIET &&
         fabs(y_of(g, g->change ? floor + v : v) - y_of(g, 0)) < g->p->line))
        return;
    g->n_labels++;
    *label = (pm_plot_label){.y = y,
                             .rgb = pm_plot_state_text(g->p, l->state),
                             .swatch = l->rgb,
                             .bold = l->state != PM_PLOT_QUIET};
    print_value(g, isnan(l->rate) ? v : l->rate, number);
    n = snprintf(label->text, sizeof label->text, "%.*s %s%s%s%s", name, l->name.data,
                 l->state == PM_PLOT_SUSPECT ? "? " : "", l->rate > 0 ? "+" : "", number,
                 isnan(l->rate) ? "" : "/h");
    if (n > (g->p->width - g->f->now) / g->p->em - 3) /* no room for the number */
        label->text[name] = '\0';
}

static void draw_layer(growth *g, const pm_plot_layer *l)
{
    size_t last = g->plot->n - 1;
    char from[PM_NUMBER_TEXT], to[PM_NUMBER_TEXT], name[256];

    print_value(g, value_of(l, 0), from);
    print_value(g, value_of(l, last), to);
    snprintf(name, sizeof name, "%.*s: %s -> %s (%lld -> %lld)",
             (int)(l->name.len < 99 ? l->name.len : 99), l->name.data, from, to,
             (long long)value_of(l, 0), (long long)value_of(l, last));
    for (size_t i = 0; g->change && i <= last; i++)
        g->floor[i] = -value_of(l, 0);
    for (size_t i = 0; i <= last; i = stretch_end(g->plot, i))
        draw_stretch(g, l, i, stretch_end(g->plot, i), name);
    add_label(g, l);
    for (size_t i = 0; i <= last; i++)
        g->floor[i] += value_of(l, i);
}

/* ---- forecast and limit ---- */

/* Returns the end of a forecast that is `from` now: at the right or the upper edge. */
static pm_point forecast_end(const growth *g, double from, double rate)
{
    double width = g->f->right - g->f->now;
    double hours = width / (g->f->right - g->f->left) * g->f->ms / HOUR_MS;
    double at = fmin(hours, (g->most - from) / rate);

    return (pm_point){g->f->now + width * at / hours, y_of(g, from + rate * at)};
}

static bool has_limit(const growth *g)
{
    return !g->change && g->plot->limit <= g->most;
}

static void draw_forecast(const growth *g)
{
    const pm_plot *plot = g->plot;
    const pm_ink zone = {.rgb = 0x9aa6b4, .opacity = .12}, muted = {.rgb = PM_PLOT_MUTED},
                 fan = {.rgb = 0xd55e00, .opacity = .18},
                 line = {.rgb = 0xd55e00, .width = 1.6, .dashed = true};
    double last = (double)plot->moment[plot->n - 1].total;
    double from = g->change ? last - (double)plot->moment[0].total : last, y;
    pm_point now = {g->f->now, y_of(g, from)};

    if (!(plot->rate > 0))
        return;
    pm_picture_rect(g->p, g->f->now, g->f->top, g->f->right - g->f->now, g->f->bottom - g->f->top,
                    &zone);
    if (plot->low > 0 && plot->high > 0) {
        pm_point high = forecast_end(g, from, plot->high), low = forecast_end(g, from, plot->low);

        pm_picture_path(g->p, (pm_point[]){now, high, {low.x, high.y}, low}, 4, &fan, NULL);
    }
    pm_picture_path(g->p, (pm_point[]){now, forecast_end(g, from, plot->rate)}, 2, &line,
                    "if it goes on");
    if (has_limit(g) && g->p->terminal)
        return; /* the words of the limit need the room */
    y = (has_limit(g) ? y_of(g, plot->limit) : g->f->top) + g->p->line / 2;
    pm_picture_text(g->p, (pm_point){g->f->now + g->p->em, y}, PM_ALIGN_LEFT, 14 * g->p->em, &muted,
                    PM_TEXT("if it goes on"));
}

static void draw_limit(const growth *g)
{
    const pm_ink line = {.rgb = 0xb34700, .width = 1.6, .dashed = true}, ink = {.rgb = 0xb34700};
    char number[PM_NUMBER_TEXT], text[128], at[PM_CLOCK_TEXT], words[48];
    double y = y_of(g, g->plot->limit);
    double hours = (g->plot->limit - (double)g->plot->moment[g->plot->n - 1].total) / g->plot->rate;
    pm_point full = {pm_plot_x(g->f, g->f->last_ms) +
                         hours * HOUR_MS / g->f->ms * (g->f->right - g->f->left),
                     y};

    if (!has_limit(g))
        return;
    print_value(g, g->plot->limit, number);
    snprintf(text, sizeof text, "%s%s", g->plot->limit_words, number);
    if (full.x <= g->f->right && g->plot->rate > 0) {
        int64_t ms = g->f->last_ms + (int64_t)(hours * HOUR_MS);

        pm_clock_format(ms - ms % 1000, at);
        snprintf(words, sizeof words, "full %.10s %.8s", at, at + 11);
        if (!g->p->terminal)
            pm_picture_rect(g->p, full.x - 3, y - 3, 6, 6, &ink);
        pm_picture_text(g->p, (pm_point){full.x, y - g->p->line / 2}, PM_ALIGN_RIGHT, 25 * g->p->em,
                        &ink, pm_text_of(words));
    }
    pm_picture_line(g->p, g->f->left, y, g->f->right, y, &line);
    pm_picture_text(g->p, (pm_point){g->f->left + g->p->em, y + g->p->line / 2}, PM_ALIGN_LEFT,
                    30 * g->p->em, &ink, pm_text_of(text));
}

static void draw_since(const growth *g)
{
    const pm_ink line = {.rgb = 0x1f5fbf, .width = 1, .dashed = true}, ink = {.rgb = 0x1f5fbf};
    double x = pm_plot_x(g->f, g->plot->since_ms);

    if (g->plot->since_ms <= g->f->first_ms || g->plot->since_ms > g->f->last_ms)
        return;
    pm_picture_line(g->p, x, g->f->top, x, g->f->bottom, &line);
    pm_picture_text(g->p, (pm_point){x + g->p->em / 2, g->f->top + 1.5 * g->p->line}, PM_ALIGN_LEFT,
                    14 * g->p->em, &ink, PM_TEXT("grows since"));
}

/* A leak that is small beside the whole is not seen in a stack: then the lines of the change are
 * drawn. */
static bool is_small(const pm_plot *plot, double most)
{
    double grown = 0;
    bool any = false;

    for (size_t i = 0; i < plot->n_layers; i++)
        if (plot->layer[i].state != PM_PLOT_QUIET) {
            any = true;
            grown += value_of(&plot->layer[i], plot->n - 1) - value_of(&plot->layer[i], 0);
        }
    return any && grown < .2 * most;
}

static void measure(growth *g)
{
    const pm_plot *plot = g->plot;
    double reach, end;

    for (size_t i = 0; i < plot->n; i++)
        g->most = fmax(g->most, (double)plot->moment[i].total);
    g->change = is_small(plot, g->most);
    if (g->change)
        g->most = 0;
    for (size_t k = 0; g->change && k < plot->n_layers; k++)
        for (size_t i = 0; i < plot->n; i++) {
            double v = value_of(&plot->layer[k], i) - value_of(&plot->layer[k], 0);

            g->most = fmax(g->most, v);
            g->least = fmin(g->least, v);
        }
    reach = (g->f->right - g->f->now) / (g->f->right - g->f->left) * g->f->ms / HOUR_MS;
    end = (double)plot->moment[plot->n - 1].total + (plot->rate > 0 ? plot->rate * reach : 0);
    if (g->change)
        end -= (double)plot->moment[0].total;
    g->most = fmax(g->most, fmin(2.5 * g->most, end));
    if (!g->change && plot->limit <= 1.6 * g->most) /* a higher one would squeeze the data */
        g->most = fmax(g->most, plot->limit);
    g->most = g->most > 0 ? 1.06 * g->most : 1;
    g->least *= 1.06;
}

void pm_plot_growth(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f)
{
    growth g = {.p = p,
                .plot = plot,
                .f = f,
                .floor = calloc(plot->n, sizeof *g.floor),
                .point = calloc(2 * plot->n, sizeof *g.point)};

    if (!g.floor || !g.point)
        p->st = pm_fail_nomem(p->err);
    if (p->st == PMAPDB_OK) {
        measure(&g);
        draw_caption(&g);
        draw_axis(&g);
        pm_plot_time_axis(p, plot, f);
        pm_plot_breaks(p, plot, f);
        for (size_t i = 0; i < plot->n_layers; i++)
            draw_layer(&g, &plot->layer[i]);
        draw_forecast(&g);
        draw_limit(&g);
        draw_since(&g);
        pm_plot_marks(p, plot, f);
        pm_plot_labels(p, f, g.label, g.n_labels);
    }
    free(g.floor);
    free(g.point);
}
