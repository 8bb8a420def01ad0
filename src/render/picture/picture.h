/* picture: areas, lines, text and a field of small cells, drawn on one of three papers: SVG, PNG
 * (cairo, loaded when it is asked for), or the cells of a terminal.
 *
 * The unit is a pixel from the upper left corner; in a terminal a dot of braille, of which a
 * character has 2 x 4. Drawings place things by the size of a character, so that one drawing fits
 * all papers. Later things cover earlier ones. The first failure is kept in `st`, and nothing is
 * drawn after it. */
#ifndef PM_RENDER_PICTURE_H
#define PM_RENDER_PICTURE_H

#include "base/buf.h"
#include "render/render.h"

typedef struct pm_point {
    double x, y;
} pm_point;

typedef struct pm_ink {
    uint32_t rgb;
    double opacity; /* 0: opaque, like 1 */
    double width;   /* of a line; 0: the path is filled */
    bool dashed, bold;
    bool sparse; /* fills only every second dot of a terminal, which may have no colour */
} pm_ink;

typedef enum pm_align { PM_ALIGN_LEFT, PM_ALIGN_MIDDLE, PM_ALIGN_RIGHT } pm_align;

/* A value is an index into `inks`; 0: nothing. A terminal without colour or without UTF-8 shows
 * the value's character of `letters` instead. */
typedef struct pm_raster {
    pm_point at;
    int columns, rows;
    double width, height; /* of a cell */
    const uint8_t *cell;
    const pm_ink *inks;
    const char *letters;
    int n_inks;
} pm_raster;

typedef struct pm_picture pm_picture;

typedef struct pm_picture_ops {
    /* `name` is shown where the pointer rests, on papers that know a pointer; or NULL. */
    void (*path)(pm_picture *p, const pm_point *at, size_t n, const pm_ink *ink, const char *name);
    /* `at` is the left, middle or right end of the text, half a line above its lower edge. */
    void (*text)(pm_picture *p, pm_point at, pm_align align, const pm_ink *ink, pm_text text);
    void (*field)(pm_picture *p, const pm_raster *field);
    void (*end)(pm_picture *p); /* writes the picture */
    void (*close)(pm_picture *p);
} pm_picture_ops;

struct pm_picture {
    const pm_picture_ops *ops;
    const pm_sink *sink;
    double width, height;
    double em, line; /* the width and the height that a character takes */
    double cell;     /* the least width and height of a cell of a field */
    bool terminal;
    void *state;
    pmapdb_status st;
    pmapdb_error *err;
};

typedef struct pm_picture_terminal {
    int columns, lines;
    bool color, utf8; /* 256 colours; braille and half blocks */
} pm_picture_terminal;

/* Describes an SVG to readers who do not see it. */
typedef struct pm_picture_about {
    pm_text title, about;
} pm_picture_about;

pmapdb_status pm_picture_svg(pm_picture *out, int width, int height, const pm_picture_about *about,
                             const pm_sink *sink, pmapdb_error *err);
/* PMAPDB_IO without the library; the error says how to install it, and which format needs none. */
pmapdb_status pm_picture_png(pm_picture *out, int width, int height, const pm_sink *sink,
                             pmapdb_error *err);
pmapdb_status pm_picture_on_terminal(pm_picture *out, const pm_picture_terminal *how,
                                     const pm_sink *sink, pmapdb_error *err);

void pm_picture_path(pm_picture *p, const pm_point *at, size_t n, const pm_ink *ink,
                     const char *name);
void pm_picture_rect(pm_picture *p, double x, double y, double width, double height,
                     const pm_ink *ink);
void pm_picture_line(pm_picture *p, double x, double y, double x2, double y2, const pm_ink *ink);
void pm_picture_raster(pm_picture *p, const pm_raster *field);
/* Text of unknown origin; what does not fit into `width` is cut, and an ellipsis says so. */
void pm_picture_text(pm_picture *p, pm_point at, pm_align align, double width, const pm_ink *ink,
                     pm_text text);
/* Words over several lines; returns the height that they take. */
double pm_picture_words(pm_picture *p, pm_point at, double width, const pm_ink *ink, pm_text text);
/* What papers of pixels have in common. */
#define PM_PICTURE_FONT 13
void pm_picture_begin(pm_picture *out, const pm_picture_ops *ops, int width, int height,
                      void *state, const pm_sink *sink, pmapdb_error *err);
/* Passes the cells of one value to `put` as few rectangles. */
void pm_picture_rectangles(pm_picture *p, const pm_raster *f, int value,
                           void (*put)(pm_picture *p, double x, double y, double width,
                                       double height));

/* Writes the picture and releases it. */
pmapdb_status pm_picture_end(pm_picture *p);

#endif
