/* gauge: the role of a column in Prometheus, by its type in the header of the query. Private to
 * src/render.
 *
 * Text, categories, processes and numbers that only identify are labels; other numbers are gauges
 * in their base unit; a time is a gauge of its age, because the collector refuses samples with
 * times of their own; snapshots, addresses and sources are neither, because each capture would
 * begin new series. */
#ifndef PM_RENDER_GAUGE_H
#define PM_RENDER_GAUGE_H

#include "render/format.h"

typedef enum pm_role { PM_ROLE_NEITHER, PM_ROLE_LABEL, PM_ROLE_GAUGE, PM_ROLE_AGE } pm_role;

typedef struct pm_gauge {
    pm_role role;
    const char *unit; /* base unit of OpenMetrics, the end of the name; "": no unit */
    pm_buf name;      /* of the label or of the gauge */
} pm_gauge;

/* The role of a column without a declared type (ad-hoc SQL) follows from its values. */
void pm_gauge_name(pm_render *r, const pm_column *c, const pm_held_kinds *kinds, pm_gauge *out);

/* Appends NAME="VALUE", after a comma unless `out` is empty; nothing for an unknown or empty value,
 * which equal a missing label. Repairs UTF-8: the collector rejects a file with one bad byte. */
void pm_gauge_add_label(pm_render *r, pm_buf *out, pm_text name, pm_text value);
void pm_gauge_add_value_label(pm_render *r, pm_buf *out, pm_text name, const pm_value *v);

/* Appends text for a HELP line. `quote` replaces double quotes, which the two formats escape
 * differently. */
void pm_gauge_add_help(pm_render *r, pm_buf *out, pm_text help, const char *quote);

#endif
