/* png: a picture as PNG, by cairo, which is loaded when the first PNG is asked for: it takes X11
 * and font libraries with it, which a server lacks and nothing else here needs. */
#include "render/picture/picture.h"

#include "base/library.h"
#include <stdlib.h>

#define CAIRO "libcairo.so.2"

typedef struct extents {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
} extents;

typedef int (*write_fn)(void *closure, const unsigned char *data, unsigned n);

/* The functions used, as cairo declares them since 1.0; enumerations and statuses are int. */
void *cairo_image_surface_create(int format, int width, int height);
void *cairo_create(void *surface);
void cairo_set_source_rgba(void *cr, double r, double g, double b, double a);
void cairo_move_to(void *cr, double x, double y);
void cairo_line_to(void *cr, double x, double y);
void cairo_rectangle(void *cr, double x, double y, double width, double height);
void cairo_close_path(void *cr);
void cairo_fill(void *cr);
void cairo_stroke(void *cr);
void cairo_set_line_width(void *cr, double width);
void cairo_set_dash(void *cr, const double *dashes, int n, double offset);
void cairo_set_antialias(void *cr, int how);
void cairo_select_font_face(void *cr, const char *family, int slant, int weight);
void cairo_set_font_size(void *cr, double size);
void cairo_text_extents(void *cr, const char *text, extents *out);
void cairo_show_text(void *cr, const char *text);
int cairo_surface_write_to_png_stream(void *surface, write_fn write, void *closure);
void cairo_destroy(void *cr);
void cairo_surface_destroy(void *surface);

typedef struct sheet {
    void *surface, *cr;
} sheet;

static void set_ink(const sheet *s, const pm_ink *ink)
{
    PM_LIBRARY(cairo_set_source_rgba)
    (s->cr, (ink->rgb >> 16 & 255) / 255.0, (ink->rgb >> 8 & 255) / 255.0, (ink->rgb & 255) / 255.0,
     ink->opacity > 0 ? ink->opacity : 1);
}

static void path(pm_picture *p, const pm_point *at, size_t n, const pm_ink *ink, const char *name)
{
    static const double dashes[] = {5, 4};
    const sheet *s = p->state;

    (void)name;
    set_ink(s, ink);
    for (size_t i = 0; i < n; i++)
        (i ? PM_LIBRARY(cairo_line_to) : PM_LIBRARY(cairo_move_to))(s->cr, at[i].x, at[i].y);
    if (ink->width > 0) {
        PM_LIBRARY(cairo_set_line_width)(s->cr, ink->width);
        PM_LIBRARY(cairo_set_dash)(s->cr, dashes, ink->dashed ? 2 : 0, 0);
        PM_LIBRARY(cairo_stroke)(s->cr);
    } else {
        PM_LIBRARY(cairo_close_path)(s->cr);
        PM_LIBRARY(cairo_fill)(s->cr);
    }
}

static void text(pm_picture *p, pm_point at, pm_align align, const pm_ink *ink, pm_text t)
{
    static const double part[] = {0, .5, 1};
    const sheet *s = p->state;
    char *shown = pm_text_copy(t);
    extents size;

    if (!shown) {
        p->st = pm_fail_nomem(p->err);
        return;
    }
    set_ink(s, ink);
    PM_LIBRARY(cairo_select_font_face)(s->cr, "DejaVu Sans", 0, ink->bold);
    PM_LIBRARY(cairo_set_font_size)(s->cr, PM_PICTURE_FONT);
    PM_LIBRARY(cairo_text_extents)(s->cr, shown, &size);
    PM_LIBRARY(cairo_move_to)
    (s->cr, at.x - part[align] * size.x_advance, at.y + PM_PICTURE_FONT * .36);
    PM_LIBRARY(cairo_show_text)(s->cr, shown);
    free(shown);
}

static void put_rectangle(pm_picture *p, double x, double y, double width, double height)
{
    const sheet *s = p->state;

    PM_LIBRARY(cairo_rectangle)(s->cr, x, y, width, height);
}

static void raster(pm_picture *p, const pm_raster *f)
{
    const sheet *s = p->state;

    PM_LIBRARY(cairo_set_antialias)(s->cr, 1); /* none: cells touch each other */
    for (int value = 1; value < f->n_inks; value++) {
        set_ink(s, &f->inks[value]);
        pm_picture_rectangles(p, f, value, put_rectangle);
        PM_LIBRARY(cairo_fill)(s->cr);
    }
    PM_LIBRARY(cairo_set_antialias)(s->cr, 0);
}

static int write_png(void *closure, const unsigned char *data, unsigned n)
{
    pm_picture *p = closure;

    PM_STEP(p->st, p->sink->write(p->sink->ctx, (const char *)data, n, p->err));
    return p->st == PMAPDB_OK ? 0 : 11; /* CAIRO_STATUS_WRITE_ERROR */
}

static void end(pm_picture *p)
{
    const sheet *s = p->state;

    if (PM_LIBRARY(cairo_surface_write_to_png_stream)(s->surface, write_png, p) != 0 &&
        p->st == PMAPDB_OK)
        p->st = pm_fail(p->err, PMAPDB_NOMEM, "cairo cannot write a PNG of %.0fx%.0f", p->width,
                        p->height);
}

static void close(pm_picture *p)
{
    sheet *s = p->state;

    PM_LIBRARY(cairo_destroy)(s->cr);
    PM_LIBRARY(cairo_surface_destroy)(s->surface);
    free(s);
}

pmapdb_status pm_picture_png(pm_picture *out, int width, int height, const pm_sink *sink,
                             pmapdb_error *err)
{
    static const pm_picture_ops ops = {path, text, raster, end, close};
    sheet *s = calloc(1, sizeof *s);

    if (!s)
        return pm_fail_nomem(err);
    if (!pm_library_load(CAIRO, "cairo_create")) {
        free(s);
        return pm_fail(err, PMAPDB_IO,
                       "a PNG needs " CAIRO
                       ", which is not installed (Debian: libcairo2); an .svg needs nothing");
    }
    s->surface = PM_LIBRARY(cairo_image_surface_create)(1, width, height); /* 24 bits */
    s->cr = PM_LIBRARY(cairo_create)(s->surface);
    pm_picture_begin(out, &ops, width, height, s, sink, err);
    pm_picture_rect(out, 0, 0, width, height, &(pm_ink){.rgb = 0xffffff});
    return out->st;
}
