/* memory: pictures of memory page by page. */
#include "render/picture/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAP_WIDTH 1024 /* pixels */
#define MARGIN 80
#define LEGEND_WIDTH 380
#define BAND_HEIGHT 18
#define LABEL_WIDTH 520

static const pm_ink ink = {.rgb = 0x222222}, faint = {.rgb = 0x666666};

/* ---- dots ---- */

/* The order in which the dots of 8 x 8 change to another colour. */
static int bayer(int x, int y)
{
    int v = 0;

    for (int bit = 0; bit < 3; bit++)
        v = v << 2 | ((x >> bit & 1) ^ (y >> bit & 1)) << 1 | (y >> bit & 1);
    return v;
}

/* The class of a dot at a place: its share of the dots is its share of the pages. */
static uint8_t choose(const uint32_t counts[PM_MEMORY_CLASSES], int x, int y)
{
    uint64_t all = 0, met = 0, wanted;
    int i = 0;

    for (int k = 0; k < PM_MEMORY_CLASSES; k++)
        all += counts[k];
    wanted = all * (uint64_t)(2 * bayer(x % 8, y % 8) + 1);
    while (i < PM_MEMORY_CLASSES - 1 && (met += counts[i]) * 128 <= wanted)
        i++;
    return (uint8_t)i;
}

/* The place of dot number d in a square of side x side dots, on a Hilbert curve. */
static void place(int side, size_t d, int *x, int *y)
{
    *x = *y = 0;
    for (int s = 1; s < side; s *= 2, d /= 4) {
        int right = (int)(d / 2 & 1), up = (int)((d ^ (size_t)right) & 1), was;

        if (!up) {
            if (right) {
                *x = s - 1 - *x;
                *y = s - 1 - *y;
            }
            was = *x;
            *x = *y;
            *y = was;
        }
        *x += s * right;
        *y += s * up;
    }
}

/* ---- the machine ---- */

typedef struct layout {
    size_t pages;      /* of a dot */
    int side;          /* dots of a square */
    size_t squares;    /* of a dot, at least 1 */
    int columns, rows; /* dots */
} layout;

static layout lay_out(const pm_memory *m, size_t most, double ratio)
{
    layout l = {.pages = PM_SQUARE_PAGES / 64, .side = 8, .squares = 1};
    size_t cells, per_row = 1;

    while (m->n * PM_SQUARE_PAGES / l.pages > most) {
        l.pages *= 4;
        l.side = l.side > 1 ? l.side / 2 : 1;
    }
    if (l.pages > PM_SQUARE_PAGES)
        l.squares = l.pages / PM_SQUARE_PAGES;
    cells = (m->n + l.squares - 1) / l.squares;
    while ((double)(per_row * per_row) * 2 < (double)cells * ratio) /* the nearest power of 2 */
        per_row *= 2;
    l.columns = (int)per_row * l.side;
    l.rows = (int)((cells + per_row - 1) / per_row) * l.side;
    return l;
}

static void fill_square(const pm_memory *m, const layout *l, size_t cell, uint8_t *out)
{
    size_t per_row = (size_t)(l->columns / l->side), first = cell * l->squares * PM_SQUARE_PAGES;
    size_t end = first + l->squares * PM_SQUARE_PAGES, all = m->n * PM_SQUARE_PAGES;

    for (size_t d = 0, at = first; at < end && at < all; d++, at += l->pages) {
        uint32_t counts[PM_MEMORY_CLASSES] = {0};
        int x, y;

        for (size_t i = at; i < at + l->pages && i < all; i++)
            counts[m->class[i]]++;
        place(l->side, d, &x, &y);
        x += (int)(cell % per_row) * l->side;
        y += (int)(cell / per_row) * l->side;
        out[(size_t)y * (size_t)l->columns + (size_t)x] = choose(counts, x, y);
    }
}

static void draw_raster(pm_picture *p, const pm_memory_legend *legend, pm_raster *r)
{
    pm_ink inks[PM_MEMORY_CLASSES];
    char letters[PM_MEMORY_CLASSES];

    for (int i = 0; i < legend->n; i++) {
        inks[i] = (pm_ink){.rgb = legend->classes[i].rgb};
        letters[i] = legend->classes[i].letter;
    }
    r->inks = inks;
    r->letters = letters;
    r->n_inks = legend->n;
    pm_picture_raster(p, r);
}

static void put_text(pm_picture *p, double x, double y, pm_align align, double width,
                     const char *text)
{
    pm_picture_text(p, (pm_point){x, y}, align, width, &ink, pm_text_of(text));
}

static const char *say_pages(char out[32], int64_t pages, int64_t page_kib)
{
    double mib = (double)pages * (double)page_kib / 1024;

    snprintf(out, 32,
             mib >= 10240 ? "%.1f GiB"
             : mib >= 100 ? "%.0f MiB"
                          : "%.1f MiB",
             mib >= 10240 ? mib / 1024 : mib);
    return out;
}

/* The classes that the picture has, with their sums. */
static void draw_legend(pm_picture *p, const pm_memory_legend *l, double x, double y, double width)
{
    for (int i = 0; i < l->n; i++) {
        const pm_memory_class *c = &l->classes[i];
        char line[96], size[32];

        if (!c->pages || !c->name[0])
            continue;
        snprintf(line, sizeof line, "%s  %s", c->name, say_pages(size, c->pages, l->page_kib));
        if (p->terminal) {
            const uint8_t cell[2] = {(uint8_t)i, (uint8_t)i};

            draw_raster(p, l,
                        &(pm_raster){.at = {x, floor(y / p->line) * p->line},
                                     .columns = 1,
                                     .rows = 2,
                                     .width = p->cell,
                                     .height = p->cell,
                                     .cell = cell});
        } else {
            pm_picture_rect(p, x, y - .4 * p->line, 1.5 * p->em, .8 * p->line,
                            &(pm_ink){.rgb = c->rgb});
        }
        put_text(p, x + 2.5 * p->em, y, PM_ALIGN_LEFT, width - 3 * p->em, line);
        y += (p->terminal ? 1 : 1.2) * p->line;
    }
}

void pm_memory_size(const pm_memory *m, size_t most, int *width, int *height)
{
    layout l = lay_out(m, most, 4.0 / 3);
    int cell = l.columns < MAP_WIDTH ? MAP_WIDTH / l.columns : 1;
    int map = l.rows * cell + 60;

    *width = MARGIN + l.columns * cell + LEGEND_WIDTH;
    *height = map > 420 ? map : 420;
}

/* Writes at the left, for a row out of every few, its address in GiB. */
static void draw_addresses(pm_picture *p, const pm_memory *m, const pm_memory_legend *legend,
                           const layout *l, const pm_raster *r)
{
    size_t per_row = (size_t)(l->columns / l->side) * l->squares, every = 1;
    double row = r->height * l->side, gib = (double)legend->page_kib * PM_SQUARE_PAGES / 1048576;

    while ((double)every * row < 2 * p->line)
        every *= 2;
    for (size_t i = 0; i * per_row < m->n; i += every) {
        char text[32];

        snprintf(text, sizeof text, "%.1f GiB", (double)m->square[i * per_row] * gib);
        pm_picture_text(p, (pm_point){r->at.x - p->em, r->at.y + (double)i * row + .5 * p->line},
                        PM_ALIGN_RIGHT, r->at.x, &faint, pm_text_of(text));
    }
}

void pm_memory_draw(pm_picture *p, const pm_memory *m, const pm_memory_legend *legend, size_t most)
{
    layout l;
    uint8_t *cells;
    pm_raster r;
    double left = p->terminal ? 12 * p->em : MARGIN;

    if (p->terminal) /* two dots in a character, below the title and above the legend */
        most = (size_t)((p->width - 14 * p->em) / 2) * (size_t)((p->height / p->line - 14) * 2);
    l = lay_out(m, most, p->terminal ? 4 : 4.0 / 3);
    cells = calloc((size_t)l.columns * (size_t)l.rows + 1, 1);
    if (!cells) {
        p->st = pm_fail_nomem(p->err);
        return;
    }
    for (size_t i = 0; i * l.squares < m->n; i++)
        fill_square(m, &l, i, cells);
    r = (pm_raster){.at = {left, 2 * p->line}, .columns = l.columns, .rows = l.rows, .cell = cells};
    r.width = r.height = p->terminal ? p->cell : floor(MAP_WIDTH / (double)l.columns);
    if (r.width < 1)
        r.width = r.height = 1;
    put_text(p, left, p->line, PM_ALIGN_LEFT, p->width - left, legend->title);
    draw_raster(p, legend, &r);
    draw_addresses(p, m, legend, &l, &r);
    if (p->terminal)
        draw_legend(p, legend, left, r.at.y + l.rows * r.height + 1.5 * p->line, p->width - left);
    else
        draw_legend(p, legend, left + l.columns * r.width + 30, 3 * p->line, LEGEND_WIDTH - 40);
    free(cells);
}

/* ---- a process ---- */

void pm_memory_bands_size(size_t n, int *width, int *height)
{
    *width = LABEL_WIDTH + PM_BAND_DOTS * 3 + 30;
    *height = (int)n * BAND_HEIGHT + 60 + 8 * 24;
}

void pm_memory_bands_draw(pm_picture *p, const pm_memory_band *bands, size_t n,
                          const pm_memory_legend *legend)
{
    double left = p->terminal ? floor(p->width / 2) : LABEL_WIDTH;
    int columns = p->terminal ? (int)((p->width - left) / p->cell) : PM_BAND_DOTS, each;
    double row = p->terminal ? p->line : BAND_HEIGHT, y = 2 * p->line;
    uint8_t cells[2 * PM_BAND_DOTS];

    columns = columns > PM_BAND_DOTS ? PM_BAND_DOTS : columns;
    each = (PM_BAND_DOTS + columns - 1) / columns;
    columns = PM_BAND_DOTS / each;
    put_text(p, p->em, p->line, PM_ALIGN_LEFT, p->width - 2 * p->em, legend->title);
    for (size_t i = 0; i < n; i++, y += row) {
        pm_raster r = {.at = {left, y},
                       .columns = columns,
                       .rows = 2,
                       .cell = cells,
                       .width = p->terminal ? p->cell : 3,
                       .height = p->terminal ? p->cell : 7};

        for (int x = 0; x < 2 * columns; x++) {
            uint32_t counts[PM_MEMORY_CLASSES] = {0};

            for (int k = 0; k < each * PM_MEMORY_CLASSES; k++)
                counts[k % PM_MEMORY_CLASSES] +=
                    bands[i]
                        .dots[x % columns * each + k / PM_MEMORY_CLASSES][k % PM_MEMORY_CLASSES];
            cells[x] = choose(counts, x % columns, (int)i * 2 + x / columns);
        }
        pm_picture_text(p, (pm_point){p->em, y + row / 2 - 2}, PM_ALIGN_LEFT, left - 2 * p->em,
                        &ink, pm_text_of(bands[i].label));
        draw_raster(p, legend, &r);
    }
    draw_legend(p, legend, p->em, y + 1.5 * p->line, p->width);
}
