/* format: the state that the formats share, and the functions of a format. Private to src/render.
 *
 * Errors are sticky: after the first failure, which `st` and `error` keep, pm_put and pm_putf do
 * nothing, and pm_render_... returns the failure. A format need not check. */
#ifndef PM_RENDER_FORMAT_H
#define PM_RENDER_FORMAT_H

#include "base/buf.h"
#include "render/render.h"

typedef struct pm_render_ops {
    void (*open)(pm_render *r);
    void (*close)(pm_render *r); /* also after a failed open */
    void (*begin)(pm_render *r); /* before the first row, or before the end if there is no row */
    void (*row)(pm_render *r, const pm_value *values);
    void (*end)(pm_render *r);
} pm_render_ops;

/* The kinds of values that a column had. */
typedef struct pm_held_kinds {
    bool text, number;
} pm_held_kinds;

struct pm_render {
    const pm_render_ops *ops;
    pm_render_options options;
    pm_sink sink;
    pm_column *columns; /* owns their names */
    size_t n_columns;
    size_t n_rows; /* before the current one */
    size_t n_left_out;
    bool pieces; /* the amounts of the row are mappings, not KiB */
    bool begun;
    pm_buf line;          /* output before the sink gets it: at most a row */
    pm_buf scratch;       /* one value as text */
    pm_buf held;          /* rows that a format keeps until the end */
    pm_held_kinds *kinds; /* one per column */
    void *state;          /* the format's own */
    pmapdb_status st;
    pmapdb_error error;
};

#define PM_FORMAT(id, name) extern const pm_render_ops pm_render_##name;
PM_FORMATS(PM_FORMAT, PM_FORMAT)
#undef PM_FORMAT

void pm_put(pm_render *r, const char *bytes, size_t n);
void pm_putf(pm_render *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Zeroed memory; NULL if memory runs out. */
void *pm_render_alloc(pm_render *r, size_t n, size_t size);

bool pm_value_unknown(const pm_value *v);

/* One value, or the name of a column, for people: printable, one line, valid until the next call.
 * If the numbers show their unit, the name drops it: rss_kib_delta -> rss_delta. */
pm_text pm_cell(pm_render *r, size_t column, const pm_value *v);
pm_text pm_cell_name(pm_render *r, size_t column);

/* True for numbers, also in a column of an ad-hoc SELECT, which is declared as text. */
bool pm_is_right_aligned(const pm_render *r, size_t column);

#endif
