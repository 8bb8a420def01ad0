/* gauge: what a column is to Prometheus, by its type in the query's header. Private to src/render.
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
    const char *unit; /* OpenMetrics' base unit, which ends the name; "" for none */
    pm_buf name;      /* of the label or of the gauge */
} pm_gauge;

/* A column that declares nothing (ad-hoc SQL) is what its values are. */
void pm_gauge_name(pm_render *r, const pm_column *c, const pm_held_kinds *kinds, pm_gauge *out);

/* Adds NAME="VALUE", after a comma if out has something; nothing if the value is unknown or empty,
 * as the format asks. Malformed UTF-8 is repaired, because one bad byte would cost the whole file.
 */
void pm_gauge_add_label(pm_render *r, pm_buf *out, pm_text name, pm_text value);
void pm_gauge_add_value_label(pm_render *r, pm_buf *out, pm_text name, const pm_value *v);

/* Adds text for HELP: one line. `quote` replaces a double quote, which the two formats escape
 * differently there. */
void pm_gauge_add_help(pm_render *r, pm_buf *out, pm_text help, const char *quote);

#endif
