/* svg: a picture as SVG, without scripts and without anything from outside. */
#include "render/picture/picture.h"

#include "render/terminal.h"
#include <math.h>
#include <stdlib.h>

/* The state of the picture is its text. */
#define PUT(p, ...) PM_STEP((p)->st, pm_buf_addf((p)->state, (p)->err, __VA_ARGS__))

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

static void put_escaped(pm_picture *p, pm_text t)
{
    pm_buf shown = {0};

    PM_STEP(p->st, pm_terminal_escape(t, &shown, p->err));
    for (size_t i = 0; i < shown.len && p->st == PMAPDB_OK; i++)
        if (pm_char_in(shown.data[i], "&<>\"'"))
            PUT(p, "&#%d;", shown.data[i]);
        else
            p->st = pm_buf_add(p->state, shown.data + i, 1, p->err);
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
    put_attribute(p, "y", at.y + PM_PICTURE_FONT * .36);
    put_ink(p, "fill", ink);
    PUT(p, "%s%s>", anchors[align], ink->bold ? " font-weight=\"bold\"" : "");
    put_escaped(p, t);
    PUT(p, "</text>\n");
}

static void put_rectangle(pm_picture *p, double x, double y, double width, double height)
{
    put_point(p, 'M', (pm_point){x, y});
    PUT(p, "h");
    put_number(p, width);
    PUT(p, "v");
    put_number(p, height);
    PUT(p, "h");
    put_number(p, -width);
    PUT(p, "z");
}

/* One path per value. */
static void field(pm_picture *p, const pm_raster *f)
{
    for (int value = 1; value < f->n_inks; value++)
        if (memchr(f->cell, value, (size_t)f->columns * (size_t)f->rows)) {
            PUT(p, "<path");
            put_ink(p, "fill", &f->inks[value]);
            PUT(p, " d=\"");
            pm_picture_rectangles(p, f, value, put_rectangle);
            PUT(p, "\"/>\n");
        }
}

static void end(pm_picture *p)
{
    const pm_buf *out = p->state;

    PUT(p, "</svg>\n");
    PM_STEP(p->st, p->sink->write(p->sink->ctx, out->data, out->len, p->err));
}

static void close(pm_picture *p)
{
    pm_buf_free(p->state);
    free(p->state);
}

pmapdb_status pm_picture_svg(pm_picture *out, int width, int height, const pm_picture_about *about,
                             const pm_sink *sink, pmapdb_error *err)
{
    static const pm_picture_ops ops = {path, text, field, end, close};
    pm_buf *buf = calloc(1, sizeof *buf);

    if (!buf)
        return pm_fail_nomem(err);
    pm_picture_begin(out, &ops, width, height, buf, sink, err);
    PUT(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
        "%d\" role=\"img\" font-family=\"DejaVu Sans,Liberation Sans,Arial,sans-serif\" "
        "font-size=\"%d\">\n<title>",
        width, height, width, height, PM_PICTURE_FONT);
    put_escaped(out, about->title);
    PUT(out, "</title>\n<desc>");
    put_escaped(out, about->about);
    PUT(out, "</desc>\n");
    pm_picture_rect(out, 0, 0, width, height, &(pm_ink){.rgb = 0xffffff});
    return out->st;
}
