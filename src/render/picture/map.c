/* map: the address space through time: addresses upwards, holes folded. */
#include "render/picture/address_scale.h"

#include "render/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STRENGTHS 4
#define COLORS_MAX 240
#define LABELS_MAX 14

typedef struct map {
    pm_picture *p;
    const pm_plot *plot;
    const pm_plot_frame *f;
    const pm_plot_map *of;
    pm_address_scale scale;
    pm_raster raster;
    uint8_t *cell;
    int *from, *to; /* the columns of each moment */
    pm_ink ink[COLORS_MAX];
    char letters[COLORS_MAX + 1];
    uint32_t base[COLORS_MAX / STRENGTHS];
    int n_base;
} map;

/* ---- cells ---- */

static int64_t kib_of(const pm_plot_stretch *s)
{
    return s->rss != PMAPDB_UNKNOWN ? s->rss : (int64_t)((s->end - s->start) / 1024);
}

/* The value of a cell: one of STRENGTHS per colour, the share that is resident. */
static uint8_t value_of(map *m, const pm_plot_stretch *s)
{
    uint32_t rgb = s->state == PM_PLOT_QUIET ? pm_plot_color(s->category) : s->rgb;
    double share = (double)kib_of(s) * 1024 / (double)(s->end - s->start);
    int i = 0, strength = (int)ceil(fmin(1, share) * (STRENGTHS - 1));

    while (i < m->n_base && m->base[i] != rgb)
        i++;
    if (i == m->n_base) {
        if ((i + 1) * STRENGTHS >= COLORS_MAX)
            return 1;
        m->base[m->n_base++] = rgb;
        for (int k = 0; k < STRENGTHS; k++) {
            m->ink[1 + i * STRENGTHS + k] =
                (pm_ink){.rgb = rgb, .opacity = .25 + .75 * k / (STRENGTHS - 1)};
            m->letters[1 + i * STRENGTHS + k] =
                s->state != PM_PLOT_QUIET ? "-##"[k > 1 ? 2 : k] : ".-++"[k];
        }
    }
    return (uint8_t)(1 + i * STRENGTHS + strength);
}

/* The columns of a moment: from its time to the time of the next moment; one column where captures
 * are missing, no column for another life. */
static void place_moments(map *m)
{
    const pm_plot *plot = m->plot;

    for (size_t k = m->of->life; k < plot->n; k++) {
        bool next = k + 1 < plot->n, broken = next && plot->moment[k + 1].missed > 0;
        double x = pm_plot_x(m->f, plot->moment[k].ms) - m->f->left,
               end = next ? pm_plot_x(m->f, plot->moment[k + 1].ms) - m->f->left
                          : m->f->now - m->f->left;

        m->from[k] = (int)floor(x / m->raster.width);
        m->to[k] = broken ? m->from[k] + 1 : (int)ceil(end / m->raster.width);
        if (m->to[k] > m->raster.columns)
            m->to[k] = m->raster.columns;
    }
}

static void paint(map *m, const pm_plot_stretch *s)
{
    double low = pm_address_scale_row(&m->scale, s->start),
           high = pm_address_scale_row(&m->scale, s->end);
    uint8_t value = value_of(m, s);
    int from = (int)floor(low + .01), to = (int)floor(high + .5);

    if (low < 0 || high < 0)
        return;
    to = to > from ? to : from + 1;
    for (int k = s->first; k <= s->last; k++)
        for (int x = m->from[k]; x < m->to[k]; x++)
            for (int y = from; y < to && y < m->raster.rows; y++)
                m->cell[(m->raster.rows - 1 - y) * m->raster.columns + x] = value;
}

/* ---- words ---- */

/* The memory of a category in a block at the last moment. */
typedef struct sum {
    pm_text category;
    const pm_plot_stretch *of;
    int block;
    double kib, bytes, row; /* row: times bytes */
} sum;

static void add_to(sum *sums, size_t *n, const map *m, const pm_plot_stretch *s)
{
    double row = pm_address_scale_row(&m->scale, s->start),
           middle = pm_address_scale_row(&m->scale, s->start + (s->end - s->start) / 2);
    int block = pm_address_scale_block(&m->scale, s->start);
    size_t i = 0;

    while (i < *n && !(sums[i].block == block && sums[i].of->state == s->state &&
                       pm_text_equal(sums[i].category, s->category)))
        i++;
    if (row < 0 || i == 200)
        return;
    if (i == *n)
        sums[(*n)++] = (sum){.category = s->category, .of = s, .block = block};
    sums[i].kib += s->rss == PMAPDB_UNKNOWN ? 0 : (double)s->rss;
    sums[i].bytes += (double)(s->end - s->start);
    sums[i].row += middle * (double)(s->end - s->start);
    if (s->end - s->start > sums[i].of->end - sums[i].of->start)
        sums[i].of = s;
}

static int by_importance(const void *x, const void *y)
{
    const sum *a = x, *b = y;

    if (a->of->state != b->of->state)
        return a->of->state > b->of->state ? -1 : 1;
    return a->kib > b->kib ? -1 : a->kib < b->kib;
}

static void draw_labels(const map *m)
{
    sum sums[200];
    pm_plot_label labels[LABELS_MAX];
    size_t n = 0, shown = 0;
    double most = 1, lines = (m->f->bottom - m->f->top) / m->p->line;

    for (size_t i = 0; i < m->of->n; i++)
        if (m->of->stretch[i].last == (int)m->plot->n - 1)
            add_to(sums, &n, m, &m->of->stretch[i]);
    qsort(sums, n, sizeof *sums, by_importance);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, sums[i].kib);
    for (size_t i = 0; i < n; i++) /* a small category is not named, unless it leaks */
        if (sums[i].of->state != PM_PLOT_QUIET || sums[i].kib >= .04 * most)
            sums[shown++] = sums[i];
    shown = shown < LABELS_MAX ? shown : LABELS_MAX;
    shown = (double)shown < lines ? shown : (size_t)lines;
    for (size_t i = 0; i < shown; i++) {
        const sum *s = &sums[i];
        bool warm = s->of->state != PM_PLOT_QUIET;
        char kib[PM_NUMBER_TEXT];

        pm_number_size(s->kib, kib);
        labels[i] = (pm_plot_label){.y = m->f->bottom - (s->row / s->bytes + .5) * m->raster.height,
                                    .rgb = pm_plot_state_text(m->p, s->of->state),
                                    .swatch = warm ? s->of->rgb : pm_plot_color(s->category),
                                    .bold = warm};
        snprintf(labels[i].text, sizeof labels[i].text, "%.*s %s%s",
                 s->category.len < 50 ? (int)s->category.len : 50, s->category.data, kib,
                 s->of->way > 0   ? ", up"
                 : s->of->way < 0 ? ", down"
                                  : "");
    }
    pm_plot_labels(m->p, m->f, labels, shown);
}

/* The lowest address of each block, at its lower edge. */
static void draw_axis(const map *m)
{
    const pm_ink ink = {.rgb = PM_PLOT_MUTED};
    double above = m->f->bottom + m->p->line;

    for (size_t i = 0; i < m->scale.n; i++) {
        const pm_address_part *part = &m->scale.part[i];
        double y = m->f->bottom - (part->row + 1) * m->raster.height;
        char text[24];

        if (i && part->block == part[-1].block)
            continue;
        if (y > above - m->p->line)
            continue;
        above = y;
        snprintf(text, sizeof text, "%012" PRIx64, part->start);
        pm_picture_text(m->p, (pm_point){m->f->left - m->p->em / 2, y}, PM_ALIGN_RIGHT, m->f->left,
                        &ink, (pm_text){text, m->p->terminal ? 8 : strlen(text)});
    }
}

static void draw(map *m)
{
    const pm_ink ink = {.rgb = PM_PLOT_MUTED}, ground = {.rgb = 0x9aa6b4, .opacity = .08};

    pm_address_scale_place(&m->scale, m->raster.rows, m->p->terminal ? 1 : 3);
    place_moments(m);
    for (int rank = 0; rank < 6; rank++) /* leaks last, and resident memory after the rest */
        for (size_t i = 0; i < m->of->n; i++)
            if (2 * (int)m->of->stretch[i].state + (m->of->stretch[i].rss != 0) == rank)
                paint(m, &m->of->stretch[i]);
    m->raster.n_inks = 1 + m->n_base * STRENGTHS;
    pm_picture_text(m->p, (pm_point){m->f->left, m->f->top - m->p->line / 2}, PM_ALIGN_LEFT,
                    m->f->right - m->f->left, &ink,
                    m->p->terminal
                        ? PM_TEXT("address space, low at the bottom; pale (-) is hardly resident")
                        : PM_TEXT("address space, low at the bottom; pale is hardly resident"));
    pm_picture_rect(m->p, m->f->left, m->f->top, m->f->now - m->f->left, m->f->bottom - m->f->top,
                    &ground);
    pm_plot_time_axis(m->p, m->plot, m->f);
    pm_picture_raster(m->p, &m->raster);
    pm_plot_breaks(m->p, m->plot, m->f);
    pm_plot_marks(m->p, m->plot, m->f);
    draw_axis(m);
    draw_labels(m);
}

void pm_plot_map_draw(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f,
                      const pm_plot_map *of)
{
    int columns = (int)((f->now - f->left) / p->cell), rows = (int)((f->bottom - f->top) / p->cell);
    map m = {.p = p,
             .plot = plot,
             .f = f,
             .of = of,
             .cell = calloc((size_t)(columns + 1) * (size_t)(rows + 1), 1),
             .from = calloc(plot->n, sizeof *m.from),
             .to = calloc(plot->n, sizeof *m.to)};

    m.raster = (pm_raster){{f->left, f->bottom - rows * p->cell},
                           columns,
                           rows,
                           p->cell,
                           p->cell,
                           m.cell,
                           m.ink,
                           m.letters,
                           1};
    p->st = m.cell && m.from && m.to ? pm_address_scale_new(&m.scale, of, p->err)
                                     : pm_fail_nomem(p->err);
    if (p->st == PMAPDB_OK)
        draw(&m);
    free(m.scale.part);
    free(m.cell);
    free(m.from);
    free(m.to);
}
