/* format: what the formats share, and what each of them brings. Private to src/render. */
#ifndef PM_RENDER_FORMAT_H
#define PM_RENDER_FORMAT_H

#include "base/buf.h"
#include "render/others.h"
#include "render/render.h"

typedef struct pm_render_ops {
    pmapdb_status (*open)(pm_render *r, pmapdb_error *err);
    void (*close)(pm_render *r); /* also after a failed open */
    /* Before the first row, or before the end where there is none. */
    pmapdb_status (*begin)(pm_render *r, pmapdb_error *err);
    pmapdb_status (*row)(pm_render *r, const pm_value *values, pmapdb_error *err);
    pmapdb_status (*end)(pm_render *r, pmapdb_error *err);
    bool own_top;    /* it takes care of `top` itself */
    bool for_people; /* rows beyond `top` become one that sums them up */
} pm_render_ops;

struct pm_render {
    const pm_render_ops *ops;
    pm_render_options options;
    pm_sink sink;
    pm_column *columns; /* their names are owned */
    size_t n_columns;
    size_t n_rows; /* so far, without the one at hand */
    size_t n_left_out;
    pm_others *others; /* where `top` is given and the format is for people */
    bool begun;
    pm_buf line; /* the one at hand */
    void *state; /* the format's own */
};

extern const pm_render_ops pm_render_table, pm_render_csv, pm_render_json, pm_render_ndjson,
    pm_render_md, pm_render_prometheus, pm_render_spark;

bool pm_value_unknown(const pm_value *v);

/* Hands r->line to the sink and clears it. */
pmapdb_status pm_render_flush(pm_render *r, pmapdb_error *err);

#endif
