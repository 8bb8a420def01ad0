/* fleet: many processes as small pictures of one scale, the worst first. */
#include "render/picture/plot.h"

#include "render/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct fleet {
    pm_picture *p;
    const pm_plot_tile *tile;
    size_t n;
    double most;
    int64_t first_ms, last_ms;
    bool count;
} fleet;

static void measure(fleet *f)
{
    f->first_ms = INT64_MAX;
    f->last_ms = INT64_MIN;
    f->most = 1;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->tile[i].n; k++) {
            const pm_plot_value *v = &f->tile[i].value[k];

            f->first_ms = v->ms < f->first_ms ? v->ms : f->first_ms;
            f->last_ms = v->ms > f->last_ms ? v->ms : f->last_ms;
            f->most = fmax(f->most, (double)v->value);
        }
}

static void draw_course(const fleet *f, const pm_plot_tile *t, double x, double top, double width,
                        double bottom)
{
    const pm_ink ink = {.rgb = t->state == PM_PLOT_QUIET ? pm_plot_color(PM_TEXT("anonymous"))
                                                         : pm_plot_state_color(t->state),
                        .sparse = t->state == PM_PLOT_QUIET},
                 edge = {.rgb = ink.rgb, .width = 1.2};
    double span = f->last_ms > f->first_ms ? (double)(f->last_ms - f->first_ms) : 1;
    pm_point *at = calloc(t->n + 2, sizeof *at);

    if (!at) {
        f->p->st = pm_fail_nomem(f->p->err);
        return;
    }
    for (size_t i = 0; i < t->n; i++)
        at[i + 1] = (pm_point){x + (double)(t->value[i].ms - f->first_ms) / span * width,
                               bottom - (double)t->value[i].value / f->most * (bottom - top)};
    at[0] = (pm_point){at[1].x, bottom};
    at[t->n + 1] = (pm_point){at[t->n].x, bottom};
    pm_picture_path(f->p, at, t->n + 2, &ink, NULL);
    pm_picture_path(f->p, at + 1, t->n, &edge, NULL);
    free(at);
}

static void draw_tile(const fleet *f, const pm_plot_tile *t, double x, double y, double width,
                      double height)
{
    const pm_ink text = {.rgb = PM_PLOT_TEXT, .bold = true}, muted = {.rgb = PM_PLOT_MUTED},
                 verdict = {.rgb = t->state == PM_PLOT_QUIET ? PM_PLOT_MUTED
                                                             : pm_plot_state_text(f->p, t->state),
                            .bold = t->state != PM_PLOT_QUIET},
                 line = {.rgb = 0xd9dde2, .width = 1};
    double line_y = y + f->p->line / 2, bottom = y + height - f->p->line - 1;
    char number[PM_NUMBER_TEXT];

    pm_picture_text(f->p, (pm_point){x, line_y}, PM_ALIGN_LEFT, width, &text, t->name);
    draw_course(f, t, x, y + f->p->line, width, bottom);
    pm_picture_line(f->p, x, bottom, x + width, bottom, &line);
    line_y = y + height - f->p->line / 2;
    if (f->count)
        pm_number_brief((double)t->value[t->n - 1].value, number);
    else
        pm_number_size((double)t->value[t->n - 1].value, number);
    pm_picture_text(f->p, (pm_point){x, line_y}, PM_ALIGN_LEFT, width / 2, &verdict,
                    pm_text_of(t->verdict));
    pm_picture_text(f->p, (pm_point){x + width, line_y}, PM_ALIGN_RIGHT, width / 2 + f->p->em,
                    &muted, pm_text_of(number));
}

size_t pm_plot_fleet_draw(pm_picture *p, double top, const pm_plot_tile *tiles, size_t n,
                          bool count)
{
    fleet f = {.p = p, .tile = tiles, .n = n, .count = count};
    double width = 19 * p->em, height = (p->terminal ? 5 : 4.4) * p->line,
           left = p->terminal ? 0 : p->em;
    double between = p->terminal ? p->line : p->line / 2;
    size_t across = (size_t)((p->width - left) / (width + p->em));
    size_t down = (size_t)(fmax(p->height - top, 0) / (height + between));
    size_t shown = n < across * down ? n : across * down;

    measure(&f);
    for (size_t i = 0; i < shown; i++) {
        size_t column = i % across, row = i / across;

        draw_tile(&f, &tiles[i], left + (double)column * (width + p->em),
                  top + (double)row * (height + between), width, height);
    }
    return shown;
}
