/* plot: layers in order, colours, the axis of time, words at the edge of the data. */
#include "render/picture/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ZONE .28 /* share of the width after the last snapshot */

/* ---- colours: verdicts are warm, all else is cool; told apart with every colour vision ---- */

uint32_t pm_plot_color(pm_text category)
{
    static const struct {
        const char *word;
        uint32_t rgb;
    } families[] = {
        {"heap", 0x4b69b3},          {"stack", 0x4b32a8},       {"shared-library", 0xb9c0ca},
        {"program", 0x708398},       {"mapped-file", 0x41c8a1}, {"deleted-file", 0x41c8a1},
        {"shared-memory", 0xa28beb}, {"memfd", 0x199e85},       {"kernel", 0xd3d8df},
        {"reserve", 0xe4e8ed},       {"anonymous", 0xa1beeb},   {"[", 0xc9ced6}};
    static const uint32_t anonymous[] = {0x6d8fd1, 0xa99adb, 0x67a9bd, 0x5b79a8,
                                         0xc3b5ea, 0x85a7c9, 0x4f93a3};
    unsigned sum = 0;

    for (size_t i = 0; i < category.len; i++)
        sum = sum * 31 + (unsigned char)category.data[i];
    if (pm_text_starts(category, PM_TEXT("anonymous/")))
        return anonymous[sum % (sizeof anonymous / sizeof *anonymous)];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (pm_text_starts(category, pm_text_of(families[i].word)))
            return families[i].rgb;
    return 0xa1beeb;
}

uint32_t pm_plot_layer_color(pm_text category, pm_plot_state state, int64_t weight)
{
    static const uint32_t warm[][3] = {[PM_PLOT_SUSPECT] = {0xe6a100, 0xf0c04a, 0xe6a100},
                                       [PM_PLOT_LEAK] = {0xd55e00, 0xee8a3a, 0xb34700}};

    return state == PM_PLOT_QUIET ? pm_plot_color(category) : warm[state][(weight - 1) % 3];
}

uint32_t pm_plot_state_color(pm_plot_state state)
{
    static const uint32_t colors[] = {PM_PLOT_TEXT, 0xe6a100, 0xd55e00};

    return colors[state];
}

uint32_t pm_plot_state_text(const pm_picture *p, pm_plot_state state)
{
    static const uint32_t colors[] = {PM_PLOT_TEXT, 0x8a5a00, 0xb84600};

    return p->terminal ? pm_plot_state_color(state) : colors[state];
}

/* ---- layers ---- */

pmapdb_status pm_plot_add(pm_plot *plot, pm_text name, pm_plot_layer **out, pmapdb_error *err)
{
    int64_t *value = calloc(plot->n + 1, sizeof *value);
    pmapdb_status st =
        value ? pm_grow(&plot->layer, &plot->cap_layers, plot->n_layers, sizeof *plot->layer, err)
              : pm_fail_nomem(err);

    if (st != PMAPDB_OK) {
        free(value);
        return st;
    }
    *out = &plot->layer[plot->n_layers++];
    **out = (pm_plot_layer){.name = name, .value = value, .rate = NAN};
    return st;
}

void pm_plot_free(pm_plot *plot)
{
    while (plot->n_layers)
        free(plot->layer[--plot->n_layers].value);
    free(plot->layer);
    free(plot->moment);
}

/* ---- time ---- */

pm_plot_frame pm_plot_place(const pm_picture *p, const pm_plot *plot, double top, double bottom)
{
    int64_t first = plot->moment[0].ms, last = plot->moment[plot->n - 1].ms;
    double span = last > first ? (double)(last - first) : 1, width, zone, until;
    pm_plot_frame f = {.left = (p->terminal ? 10 : 16) * p->em,
                       .right = p->width - p->em,
                       .top = top,
                       .bottom = bottom,
                       .first_ms = first,
                       .last_ms = last};

    width = f.right - f.left;
    zone = fmax((p->terminal ? 24 : 32) * p->em, plot->rate > 0 ? ZONE * width : 0);
    f.ms = span * width / (width - zone);
    until = (plot->limit - (double)plot->moment[plot->n - 1].total) / plot->rate * 3600000 * 1.12;
    if (plot->rate > 0 && until > f.ms - span && until < 1.3 * span) /* shows the crossing */
        f.ms = span + until;
    f.now = last > first ? pm_plot_x(&f, last) : f.right - zone; /* one snapshot is a bar */
    return f;
}

double pm_plot_x(const pm_plot_frame *f, int64_t ms)
{
    return f->left + ((double)ms - (double)f->first_ms) / f->ms * (f->right - f->left);
}

/* The least step of the clock at which `n` words fit into a span. */
static int64_t step_of(double span, double n)
{
    static const int seconds[] = {1,      2,      5,       10,      15,      30,
                                  60,     120,    300,     600,     900,     1800,
                                  3600,   7200,   10800,   21600,   43200,   86400,
                                  172800, 604800, 1209600, 2592000, 7776000, 31536000};
    size_t i = 0, last = sizeof seconds / sizeof *seconds - 1;

    while (i < last && seconds[i] * 1000.0 * n < span)
        i++;
    return seconds[i] * INT64_C(1000);
}

void pm_plot_time_axis(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f)
{
    const pm_ink grid = {.rgb = 0xd9dde2, .width = 1, .opacity = .4}, ink = {.rgb = PM_PLOT_MUTED};
    double end = plot->rate > 0 ? f->right : f->now, word = 10 * p->em;
    int64_t step = step_of(f->ms, (f->right - f->left) / (1.3 * word));
    int64_t last = f->first_ms + (int64_t)((end - f->left) / (f->right - f->left) * f->ms);

    for (int64_t ms = f->first_ms / step * step; ms <= last; ms += step) {
        time_t seconds = (time_t)(ms / 1000);
        char word_text[32];
        struct tm t;

        if (ms < f->first_ms || !gmtime_r(&seconds, &t))
            continue;
        if (step >= 86400000 || (ms % 86400000 == 0 && f->last_ms - f->first_ms > 43200000))
            strftime(word_text, sizeof word_text, step > 2592000000 ? "%Y-%m" : "%m-%d", &t);
        else
            strftime(word_text, sizeof word_text, step < 60000 ? "%H:%M:%S" : "%H:%M", &t);
        pm_picture_line(p, pm_plot_x(f, ms), f->top, pm_plot_x(f, ms), f->bottom - 1, &grid);
        pm_picture_text(p, (pm_point){pm_plot_x(f, ms), f->bottom + p->line / 2}, PM_ALIGN_MIDDLE,
                        word, &ink, pm_text_of(word_text));
    }
}

void pm_plot_breaks(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f)
{
    const pm_ink gap = {.rgb = 0x9aa6b4, .opacity = .25}, words = {.rgb = PM_PLOT_MUTED};
    const pm_ink line = {.rgb = PM_PLOT_MUTED, .width = 1, .dashed = true};
    double free_from = f->left;

    for (size_t i = 1; i < plot->n; i++) {
        const pm_plot_moment *m = &plot->moment[i];
        double from = pm_plot_x(f, m[-1].ms), to = pm_plot_x(f, m->ms), width = 14 * p->em;
        bool restart = m->process_id != m[-1].process_id;
        char text[48];

        if (!restart && m->missed <= 0)
            continue;
        if (m->missed > 0)
            pm_picture_rect(p, from, f->top, to - from, f->bottom - f->top, &gap);
        if (restart)
            pm_picture_line(p, to, f->top, to, f->bottom, &line);
        if (restart && m->pid != PMAPDB_UNKNOWN)
            snprintf(text, sizeof text, "restart: %lld", (long long)m->pid);
        else
            snprintf(text, sizeof text, restart ? "restart" : "%lld missed", (long long)m->missed);
        if (from < free_from || to + width > f->right)
            continue; /* no room for the words */
        free_from = to + width;
        pm_picture_text(p, (pm_point){to + p->em / 2, f->top + p->line / 2}, PM_ALIGN_LEFT, width,
                        &words, pm_text_of(text));
    }
}

void pm_plot_marks(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f)
{
    const pm_ink ink = {.rgb = 0x1f5fbf}, line = {.rgb = 0x1f5fbf, .width = 1};
    double end = plot->rate > 0 ? f->right : f->now, free_from = f->left;

    for (size_t i = 0; i < plot->n_marks; i++) {
        double x = pm_plot_x(f, plot->mark[i].ms), room = f->now - x - p->em;

        if (x < f->left || x > end)
            continue;
        pm_picture_line(p, x, f->top, x, f->bottom - 1, &line);
        if (!p->terminal)
            pm_picture_path(p, (pm_point[]){{x, f->top - 4}, {x + 7, f->top}, {x, f->top + 4}}, 3,
                            &ink, NULL);
        if (x < free_from || room < 6 * p->em)
            continue; /* no room for the words */
        free_from = x + (double)(strlen(plot->mark[i].text) + 3) * p->em;
        pm_picture_text(p, (pm_point){x + 1.2 * p->em, f->top + p->line / 2}, PM_ALIGN_LEFT, room,
                        &ink, pm_text_of(plot->mark[i].text));
    }
}

/* ---- words ---- */

static int by_y(const void *x, const void *y)
{
    const pm_plot_label *a = x, *b = y;

    return a->y < b->y ? -1 : a->y > b->y;
}

void pm_plot_labels(pm_picture *p, const pm_plot_frame *f, pm_plot_label *labels, size_t n)
{
    double least = f->top + p->line / 2, most = f->bottom - p->line / 2;

    qsort(labels, n, sizeof *labels, by_y);
    for (size_t i = 0; i < n; i++) /* down, away from the one above */
        labels[i].y = fmax(labels[i].y, i ? labels[i - 1].y + p->line : least);
    for (size_t i = n; i-- > 0;) /* up again, from the lower edge */
        labels[i].y = fmin(labels[i].y, i + 1 < n ? labels[i + 1].y - p->line : most);
    for (size_t i = 0; i < n && labels[i].y >= least - p->line / 2; i++) {
        const pm_ink swatch = {.rgb = labels[i].swatch},
                     ink = {.rgb = p->terminal ? labels[i].swatch : labels[i].rgb,
                            .bold = labels[i].bold};
        double x = f->now + p->em;

        if (!p->terminal) {
            pm_picture_rect(p, x, labels[i].y - p->line / 4, p->line / 2, p->line / 2, &swatch);
            x += p->line / 2 + p->em / 2;
        }
        pm_picture_text(p, (pm_point){x, labels[i].y}, PM_ALIGN_LEFT, p->width - x, &ink,
                        pm_text_of(labels[i].text));
    }
}
