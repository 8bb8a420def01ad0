/* gauge: what a column is to Prometheus, by its type in the query's header. Private to src/render.
 *
 * Text, categories, processes and numbers that only identify are labels; other numbers are gauges
 * in their base unit; a time is a gauge of its age, because the collector refuses samples with
 * times of their own. Snapshots, addresses and sources are left out, because each capture would
 * begin new series. */
#ifndef PM_RENDER_GAUGE_H
#define PM_RENDER_GAUGE_H

#include "render/format.h"

typedef enum pm_role { PM_ROLE_NONE, PM_ROLE_LABEL, PM_ROLE_GAUGE, PM_ROLE_AGE } pm_role;

/* What a column of one type is. A value times `up` by `down` is in the base unit. */
typedef struct pm_measure {
    pm_role role;
    int up, down;
    const char *unit;     /* OpenMetrics' base unit, which ends the metric's name; or "" */
    const char *words[2]; /* of the column's name, which say the unit that it had */
} pm_measure;

/* One column. */
typedef struct pm_gauge {
    pm_measure is;
    bool known;  /* what it is: an undeclared column shows it with its first known value */
    pm_buf name; /* of the label or of the metric */
} pm_gauge;

/* Decides what a column is and names it. is_text: a column that declares nothing (ad-hoc SQL) holds
 * text. */
void pm_gauge_name(pm_render *r, pm_gauge *g, const pm_column *c, bool is_text);

/* Adds NAME="VALUE", after a comma if `out` has something; nothing for an empty value, which is as
 * good as no label, says the format. */
void pm_gauge_label(pm_render *r, pm_buf *out, pm_text name, pm_text value);

/* Adds text as one line. `quote` stands for a double quote, which the two formats escape
 * differently in HELP. Malformed UTF-8 is repaired, because one bad byte would cost the whole file.
 */
void pm_gauge_escape(pm_render *r, pm_buf *out, pm_text text, const char *quote);

/* What the query says of its rows; empty where it says nothing. */
const pm_about *pm_gauge_about(const pm_render *r);

#endif
