/* cells: a picture on a terminal: braille for paths, half blocks for fields. Without UTF-8, paths
 * and fields are plain characters; without colour, fields are. */
#include "render/picture/picture.h"

#include "base/utf8.h"
#include "render/terminal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX 16 /* bytes of one character with its combining marks */
#define RESET "\033[0m"

/* A colour is a number of the 256 of a terminal, or 0: its own colour. */
typedef struct cell {
    uint8_t dots;    /* of braille, in the order of Unicode */
    uint8_t half[2]; /* upper and lower half block: the value of a raster, 0: none */
    uint8_t color, half_color[2];
    bool bold, taken; /* taken: by the wide character on its left */
    char letter;      /* of the higher value */
    char text[TEXT_MAX];
} cell;

typedef struct grid {
    pm_picture_terminal how;
    cell *cell;
} grid;

/* Returns the nearest colour of the 6 x 6 x 6 that terminals share. The ground may be light or
 * dark, so nearly black becomes the terminal's own colour, and a dark grey becomes the grey in the
 * middle. */
static uint8_t color_of(const pm_picture *p, uint32_t rgb)
{
    static const int shade[] = {0, 95, 135, 175, 215, 255};
    const grid *g = p->state;
    int code = 16, most = 0, least = 255;

    for (int shift = 16, place = 36; shift >= 0; shift -= 8, place /= 6) {
        int v = (int)(rgb >> shift & 255), best = 0;

        for (int i = 1; i < 6; i++)
            if (abs(shade[i] - v) < abs(shade[best] - v))
                best = i;
        code += best * place;
        most = v > most ? v : most;
        least = v < least ? v : least;
    }
    if (most >= 64 && most < 144 && most - least < 32)
        code = 244;
    return g->how.color && most >= 64 ? (uint8_t)code : 0;
}

/* The colour of an ink on white. */
static uint32_t faded(const pm_ink *ink)
{
    double strength = ink->opacity > 0 ? ink->opacity : 1;
    uint32_t out = 0;

    for (int shift = 0; shift < 24; shift += 8)
        out |= (uint32_t)(255 - strength * (255 - (int)(ink->rgb >> shift & 255))) << shift;
    return out;
}

static void set_dot(pm_picture *p, int x, int y, uint8_t color)
{
    static const uint8_t bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    grid *g = p->state;
    cell *c;

    if (x < 0 || y < 0 || x >= 2 * g->how.columns || y >= 4 * g->how.lines)
        return;
    c = &g->cell[y / 4 * g->how.columns + x / 2];
    c->dots |= bit[y % 4][x % 2];
    c->color = color;
}

static void draw_line(pm_picture *p, pm_point a, pm_point b, const pm_ink *ink)
{
    uint8_t color = color_of(p, ink->rgb);
    int n = (int)ceil(fmax(fabs(b.x - a.x), fabs(b.y - a.y)));

    for (int i = 0; i <= n; i++) {
        double part = n ? (double)i / n : 0;
        int x = (int)floor(a.x + (b.x - a.x) * part), y = (int)floor(a.y + (b.y - a.y) * part);

        if (!ink->dashed || (x + y) % 4 < 2)
            set_dot(p, x, y, color);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Fills the dots of a row whose middle is inside the path. */
static void fill_row(pm_picture *p, const pm_point *at, size_t n, const pm_ink *ink, int row,
                     double *cross)
{
    uint8_t color = color_of(p, ink->rgb);
    double y = row + .5;
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        pm_point a = at[i], b = at[(i + 1) % n];

        if ((a.y <= y) != (b.y <= y))
            cross[found++] = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
    }
    qsort(cross, found, sizeof *cross, compare);
    for (size_t i = 0; i + 1 < found; i += 2)
        for (int x = (int)ceil(cross[i] - .5); x + .5 < cross[i + 1]; x++)
            if (!ink->sparse || (x + row) % 2 == 0)
                set_dot(p, x, row, color);
}

/* Leaves out a path that is more than half transparent, such as a ground. */
static void path(pm_picture *p, const pm_point *at, size_t n, const pm_ink *ink, const char *name)
{
    double *cross;

    (void)name;
    if (ink->opacity > 0 && ink->opacity < .5)
        return;
    for (size_t i = 1; ink->width > 0 && i < n; i++)
        draw_line(p, at[i - 1], at[i], ink);
    if (ink->width > 0)
        return;
    cross = malloc(n * sizeof *cross);
    if (!cross)
        p->st = pm_fail_nomem(p->err);
    for (int row = 0; cross && row < (int)p->height; row++)
        fill_row(p, at, n, ink, row, cross);
    free(cross);
}

/* Without UTF-8, a character that ASCII lacks is a question mark. */
static void text(pm_picture *p, pm_point at, pm_align align, const pm_ink *ink, pm_text t)
{
    grid *g = p->state;
    int width = (int)pm_terminal_width(t), row = (int)(at.y / 4);
    int x = (int)floor(at.x / 2) - (align == PM_ALIGN_LEFT    ? 0
                                    : align == PM_ALIGN_RIGHT ? width
                                                              : width / 2);
    cell *before = NULL;

    while (t.len) {
        uint32_t cp;
        size_t n = pm_utf8_next(t, &cp), wide = pm_terminal_width((pm_text){t.data, n});
        bool inside = row >= 0 && row < g->how.lines && x >= 0 && x + (int)wide <= g->how.columns;
        cell *c = inside ? &g->cell[row * g->how.columns + x] : NULL;

        if (!wide && before && strlen(before->text) + n < TEXT_MAX)
            strncat(before->text, t.data, n);
        if (wide && c) {
            *c = (cell){.color = color_of(p, ink->rgb), .bold = ink->bold};
            snprintf(c->text, sizeof c->text, "%.*s", cp < 128 || g->how.utf8 ? (int)n : 1,
                     cp < 128 || g->how.utf8 ? t.data : "?");
            if (wide == 2)
                c[1] = (cell){.taken = true};
            before = c;
        }
        x += (int)wide;
        t = pm_text_from(t, n);
    }
}

static void field(pm_picture *p, const pm_raster *f)
{
    grid *g = p->state;

    for (int y = 0; y < f->rows; y++)
        for (int x = 0; x < f->columns; x++) {
            int row = (int)(f->at.y / 2) + y, column = (int)(f->at.x / 2) + x;
            uint8_t v = f->cell[y * f->columns + x];
            bool inside = row >= 0 && row / 2 < g->how.lines && column < g->how.columns;
            cell *c = inside ? &g->cell[row / 2 * g->how.columns + column] : NULL;

            if (v && c) {
                c->letter = v >= c->half[0] && v >= c->half[1] ? f->letters[v] : c->letter;
                c->half[row % 2] = v;
                c->half_color[row % 2] = color_of(p, faded(&f->inks[v]));
            }
        }
}

/* ---- output ---- */

static bool is_blank(const cell *c)
{
    return !c->dots && !c->half[0] && !c->half[1] && !c->text[0] && !c->taken;
}

static bool is_blank_row(const grid *g, int row)
{
    int n = 0;

    while (n < g->how.columns && is_blank(&g->cell[row * g->how.columns + n]))
        n++;
    return n == g->how.columns;
}

static void put_cell(pm_picture *p, pm_buf *out, const cell *c)
{
    const grid *g = p->state;
    bool halves = c->half[0] || c->half[1];
    const char letter[] = {c->letter, 0}, braille[] = {(char)0xe2, (char)(0xa0 | c->dots >> 6),
                                                       (char)(0x80 | (c->dots & 63)), 0};
    int n = __builtin_popcount(c->dots);
    const char *shown = c->text[0]                                       ? c->text
                        : halves && !(g->how.color && g->how.utf8)       ? letter
                        : halves && c->half_color[0] == c->half_color[1] ? "█"
                        : halves      ? c->half[0] ? "▀" : "▄"
                        : !n          ? " "
                        : g->how.utf8 ? braille
                        : n < 3       ? "."
                        : n < 6       ? ":"
                                      : "#";

    PM_STEP(p->st, pm_buf_addf(out, p->err, "%s", shown));
}

/* Writes the change of colours before a cell. `now` has the codes in effect; empty at the start of
 * a line. */
static void put_colors(pm_picture *p, pm_buf *out, const cell *c, char now[32])
{
    bool halves = !c->text[0] && (c->half[0] || c->half[1]);
    int front = halves ? c->half_color[c->half[0] ? 0 : 1] : c->color;
    int back = halves && c->half[0] && c->half[1] && c->half_color[0] != c->half_color[1]
                   ? c->half_color[1]
                   : 0;
    char want[32];
    int n = snprintf(want, sizeof want, "%s", c->bold ? ";1" : "");

    if (front)
        n += snprintf(want + n, sizeof want - (size_t)n, ";38;5;%d", front);
    if (back)
        snprintf(want + n, sizeof want - (size_t)n, ";48;5;%d", back);
    if (strcmp(want, now) != 0)
        PM_STEP(p->st, pm_buf_addf(out, p->err, "\033[0%sm", want));
    memcpy(now, want, sizeof want);
}

static void end(pm_picture *p)
{
    const grid *g = p->state;
    int lines = g->how.lines;
    pm_buf out = {0};

    while (lines && is_blank_row(g, lines - 1))
        lines--;
    for (int y = 0; y < lines; y++) {
        const cell *row = g->cell + (size_t)y * (size_t)g->how.columns;
        char now[32] = "";
        int n = g->how.columns;

        while (n && is_blank(&row[n - 1]))
            n--;
        for (int x = 0; x < n; x++) {
            if (g->how.color && !row[x].taken && !is_blank(&row[x]))
                put_colors(p, &out, &row[x], now);
            if (!row[x].taken)
                put_cell(p, &out, &row[x]);
        }
        PM_STEP(p->st, pm_buf_addf(&out, p->err, "%s\n", *now ? RESET : ""));
    }
    if (out.len)
        PM_STEP(p->st, p->sink->write(p->sink->ctx, out.data, out.len, p->err));
    pm_buf_free(&out);
}

static void close(pm_picture *p)
{
    grid *g = p->state;

    free(g->cell);
    free(g);
}

pmapdb_status pm_picture_on_terminal(pm_picture *out, const pm_picture_terminal *how,
                                     const pm_sink *sink, pmapdb_error *err)
{
    static const pm_picture_ops ops = {path, text, field, end, close};
    grid *g = calloc(1, sizeof *g);

    if (g)
        *g = (grid){*how, calloc((size_t)how->columns * (size_t)how->lines, sizeof *g->cell)};
    if (!g || !g->cell) {
        free(g);
        return pm_fail_nomem(err);
    }
    *out = (pm_picture){.ops = &ops,
                        .sink = sink,
                        .width = 2 * how->columns,
                        .height = 4 * how->lines,
                        .em = 2,
                        .line = 4,
                        .cell = 2,
                        .terminal = true,
                        .state = g,
                        .err = err};
    return PMAPDB_OK;
}
