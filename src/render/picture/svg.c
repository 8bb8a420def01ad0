/* svg: a picture as SVG, without scripts and without anything from outside. */
#include "render/picture/picture.h"

#include "render/terminal.h"
#include <math.h>
#include <stdlib.h>

#define FONT_SIZE 13

static pm_buf *buf_of(pm_picture *p)
{
    return p->state;
}

#define PUT(p, ...) PM_STEP((p)->st, pm_buf_addf(buf_of(p), (p)->err, __VA_ARGS__))

/* Tenths of a pixel, with a point in every locale. */
static void put_number(pm_picture *p, double v)
{
    long tenths = lround(v * 10);

    PUT(p, tenths < 0 ? "-%ld" : "%ld", labs(tenths) / 10);
    if (tenths % 10)
        PUT(p, ".%ld", labs(tenths) % 10);
}

static void put_attribute(pm_picture *p, const char *name, double v)
{
    PUT(p, " %s=\"", name);
    put_number(p, v);
    PUT(p, "\"");
}

static void put_point(pm_picture *p, char before, pm_point at)
{
    PUT(p, "%c", before);
    put_number(p, at.x);
    PUT(p, " ");
    put_number(p, at.y);
}

static void put_step(pm_picture *p, const char *command, double by)
{
    PUT(p, "%s", command);
    put_number(p, by);
}

static void put_escaped(pm_picture *p, pm_text t)
{
    pm_buf shown = {0};

    PM_STEP(p->st, pm_terminal_escape(t, &shown, p->err));
    for (size_t i = 0; i < shown.len && p->st == PMAPDB_OK; i++)
        if (pm_char_in(shown.data[i], "&<>\"'"))
            PUT(p, "&#%d;", shown.data[i]);
        else
            p->st = pm_buf_add(buf_of(p), shown.data + i, 1, p->err);
    pm_buf_free(&shown);
}

static void put_ink(pm_picture *p, const char *attribute, const pm_ink *ink)
{
    PUT(p, " %s=\"#%06x\"", attribute, (unsigned)ink->rgb);
    if (ink->opacity > 0 && ink->opacity < 1)
        PUT(p, " opacity=\".%02d\"", (int)lround(ink->opacity * 100));
}

static void path(pm_picture *p, const pm_point *at, size_t n, const pm_ink *ink, const char *name)
{
    PUT(p, "<path");
    if (ink->width > 0) {
        put_ink(p, "fill=\"none\" stroke", ink);
        put_attribute(p, "stroke-width", ink->width);
        if (ink->dashed)
            PUT(p, " stroke-dasharray=\"5 4\"");
    } else {
        put_ink(p, "fill", ink);
    }
    PUT(p, " d=\"");
    for (size_t i = 0; i < n; i++)
        put_point(p, i ? 'L' : 'M', at[i]);
    PUT(p, ink->width > 0 ? "\"" : "Z\"");
    if (name) {
        PUT(p, "><title>");
        put_escaped(p, pm_text_of(name));
        PUT(p, "</title></path>\n");
    } else {
        PUT(p, "/>\n");
    }
}

static void text(pm_picture *p, pm_point at, pm_align align, const pm_ink *ink, pm_text t)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};

    PUT(p, "<text");
    put_attribute(p, "x", at.x);
    put_attribute(p, "y", at.y + FONT_SIZE * .36);
    put_ink(p, "fill", ink);
    PUT(p, "%s%s>", anchors[align], ink->bold ? " font-weight=\"bold\"" : "");
    put_escaped(p, t);
    PUT(p, "</text>\n");
}

/* The number of cells of this colour from here down. */
static int run_at(const pm_raster *f, int x, int y, int color)
{
    int n = 0;

    while (y + n < f->rows && f->cell[(y + n) * f->columns + x] == color)
        n++;
    return n;
}

/* True if a run of exactly this length begins here. */
static bool is_run(const pm_raster *f, int x, int y, int color, int length)
{
    return x >= 0 && x < f->columns && (y == 0 || f->cell[(y - 1) * f->columns + x] != color) &&
           run_at(f, x, y, color) == length;
}

/* One path per colour. Equal cells below each other are a run, equal runs beside each other one
 * rectangle. */
static void put_rectangles(pm_picture *p, const pm_raster *f, int color)
{
    for (int x = 0; x < f->columns; x++)
        for (int y = 0, down; y < f->rows; y += down ? down : 1) {
            int across = 1;

            down = run_at(f, x, y, color);
            if (!down || is_run(f, x - 1, y, color, down))
                continue;
            while (is_run(f, x + across, y, color, down))
                across++;
            put_point(p, 'M', (pm_point){f->at.x + x * f->width, f->at.y + y * f->height});
            put_step(p, "h", across * f->width);
            put_step(p, "v", down * f->height);
            put_step(p, "h", -across * f->width);
            PUT(p, "z");
        }
}

static void field(pm_picture *p, const pm_raster *f)
{
    for (int color = 1; color < f->n_colors; color++)
        if (memchr(f->cell, color, (size_t)(f->columns * f->rows))) {
            PUT(p, "<path fill=\"#%06x\" d=\"", (unsigned)f->colors[color]);
            put_rectangles(p, f, color);
            PUT(p, "\"/>\n");
        }
}

static void end(pm_picture *p)
{
    PUT(p, "</svg>\n");
    PM_STEP(p->st, p->sink->write(p->sink->ctx, buf_of(p)->data, buf_of(p)->len, p->err));
}

static void close(pm_picture *p)
{
    pm_buf_free(buf_of(p));
    free(p->state);
}

pmapdb_status pm_picture_svg(pm_picture *out, int width, int height, pm_text title, pm_text about,
                             const pm_sink *sink, pmapdb_error *err)
{
    static const pm_picture_ops ops = {path, text, field, end, close};
    pm_buf *buf = calloc(1, sizeof *buf);

    if (!buf)
        return pm_fail_nomem(err);
    *out = (pm_picture){.ops = &ops,
                        .sink = sink,
                        .width = width,
                        .height = height,
                        .em = FONT_SIZE * .6,
                        .line = FONT_SIZE * 1.4,
                        .cell = 2,
                        .state = buf,
                        .err = err};
    PUT(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
        "%d\" role=\"img\" font-family=\"DejaVu Sans,Liberation Sans,Arial,sans-serif\" "
        "font-size=\"%d\">\n<title>",
        width, height, width, height, FONT_SIZE);
    put_escaped(out, title);
    PUT(out, "</title>\n<desc>");
    put_escaped(out, about);
    PUT(out, "</desc>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    return out->st;
}
