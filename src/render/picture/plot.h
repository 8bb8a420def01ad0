/* plot: what the pictures of a process are made of, and how they are laid out. Pure: no store, no
 * output but the picture. */
#ifndef PM_RENDER_PLOT_H
#define PM_RENDER_PLOT_H

#include "render/picture/picture.h"

#define PM_PLOT_TEXT 0x1a1f26
#define PM_PLOT_MUTED 0x5b6673

typedef enum pm_plot_state { PM_PLOT_QUIET, PM_PLOT_SUSPECT, PM_PLOT_LEAK } pm_plot_state;

/* A snapshot of the series, or several as one; `total` is known. */
typedef struct pm_plot_moment {
    int64_t ms, snapshot_id, process_id, pid;
    int64_t missed; /* captures that are missing before it; 0: none */
    int64_t total;
} pm_plot_moment;

/* A category through time; the lowest layer comes first. */
typedef struct pm_plot_layer {
    pm_text name;
    pm_plot_state state;
    double rate;    /* growth per hour; NaN: not said */
    int64_t *value; /* one per moment; may be PMAPDB_UNKNOWN */
    uint32_t rgb;
} pm_plot_layer;

/* An event at a moment. */
typedef struct pm_plot_mark {
    int64_t ms;
    char text[120];
} pm_plot_mark;

typedef struct pm_plot {
    pm_plot_moment *moment;
    size_t n, cap;
    pm_plot_layer *layer;
    size_t n_layers, cap_layers;
    const char *metric;
    bool count; /* values are numbers of mappings, not KiB */
    /* Of the sum of the leaking layers; NaN: not known, or nothing leaks. */
    double rate, low, high;
    double limit;
    const char *limit_words;
    int64_t since_ms; /* PMAPDB_UNKNOWN: nothing began */
    const pm_plot_mark *mark;
    size_t n_marks;
} pm_plot;

/* Where time runs on a picture: from left to right, the data up to `now`, the forecast to `right`.
 */
typedef struct pm_plot_frame {
    double left, now, right, top, bottom;
    int64_t first_ms, last_ms;
    double ms; /* of the whole width */
} pm_plot_frame;

/* Adds a category, 0 in every moment. */
pmapdb_status pm_plot_add(pm_plot *plot, pm_text name, pm_plot_layer **out, pmapdb_error *err);
void pm_plot_free(pm_plot *plot);

/* The colour of a category that does not leak. */
uint32_t pm_plot_color(pm_text category);
/* The colour of a layer; weight: its rank among those that leak, from 1 on. */
uint32_t pm_plot_layer_color(pm_text category, pm_plot_state state, int64_t weight);
uint32_t pm_plot_state_color(pm_plot_state state);
/* The same for words: darker on white paper. */
uint32_t pm_plot_state_text(const pm_picture *p, pm_plot_state state);

pm_plot_frame pm_plot_place(const pm_picture *p, const pm_plot *plot, double top, double bottom);
double pm_plot_x(const pm_plot_frame *f, int64_t ms);
/* Draws the axis of time below the frame, and the breaks in the series. */
void pm_plot_time_axis(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f);
void pm_plot_breaks(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f);
/* Draws flags over what is drawn already. */
void pm_plot_marks(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f);

void pm_plot_growth(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f);

/* A mapping of the newest life while its numbers stay, from one moment to another. */
typedef struct pm_plot_stretch {
    uint64_t start, end;
    int first, last; /* moments */
    int64_t rss;     /* KiB; may be PMAPDB_UNKNOWN */
    pm_text category;
    pm_plot_state state; /* of what grows */
    uint32_t rgb;        /* of what grows */
    int way;             /* it grows to higher addresses: 1, to lower ones: -1 */
} pm_plot_stretch;

typedef struct pm_plot_map {
    pm_plot_stretch *stretch;
    size_t n, cap;
    size_t life; /* the first moment of the newest life */
} pm_plot_map;

/* Draws the address space through time. */
void pm_plot_map_draw(pm_picture *p, const pm_plot *plot, const pm_plot_frame *f,
                      const pm_plot_map *map);

/* A value of one of many processes. */
typedef struct pm_plot_value {
    int64_t ms, value;
} pm_plot_value;

/* A process; n is at least 1. */
typedef struct pm_plot_tile {
    pm_text name;
    const char *verdict;
    pm_plot_state state;
    const pm_plot_value *value;
    size_t n;
} pm_plot_tile;

/* Draws as many as there is room for; returns how many. */
size_t pm_plot_fleet_draw(pm_picture *p, double top, const pm_plot_tile *tiles, size_t n,
                          bool count);

/* Words at the right edge of the data, which do not overlap. */
typedef struct pm_plot_label {
    double y;             /* wanted */
    uint32_t rgb, swatch; /* of the words; of what they are about */
    bool bold;
    char text[96];
} pm_plot_label;

void pm_plot_labels(pm_picture *p, const pm_plot_frame *f, pm_plot_label *labels, size_t n);

#endif
