/* gauge: what a column is to Prometheus, and the names and labels of samples. Private to
 * src/render.
 */
#ifndef PM_RENDER_GAUGE_H
#define PM_RENDER_GAUGE_H

#include "render/format.h"

typedef enum pm_role {
    PM_ROLE_UNDECIDED,
    PM_ROLE_OMITTED,
    PM_ROLE_LABEL,
    PM_ROLE_GAUGE,
    PM_ROLE_AGE
} pm_role;

/* What a column of one type is. A value times `up` by `down` is in the base unit. */
typedef struct pm_measure {
    pm_role role;
    int up, down;
    const char *unit;     /* OpenMetrics' base unit, which ends the metric's name; or "" */
    const char *words[2]; /* of the column's name, which say the unit that it had */
} pm_measure;

/* One column. */
typedef struct pm_gauge {
    pm_measure is; /* PM_ROLE_UNDECIDED: an undeclared column shows it with its first known value */
    pm_buf name;   /* of the label or of the metric */
    pm_buf samples; /* lines */
} pm_gauge;

/* What the query says of its rows; empty where it says nothing. */
const pm_about *pm_gauge_about(const pm_render *r);

/* Adds text as one line. `quote` stands for a double quote, which the two formats escape
 * differently in HELP. Malformed UTF-8 is repaired, because one bad byte would cost the whole file.
 */
void pm_gauge_escape(pm_buf *out, pm_text t, const char *quote);

/* Adds NAME="VALUE"; nothing for an empty value, which is as good as no label, says the format. */
void pm_gauge_label(pm_buf *out, pm_text name, pm_text value);

/* Decides what a column is and names it. is_text: a column that declares nothing (ad-hoc SQL) holds
 * text. */
void pm_gauge_decide(pm_render *r, pm_gauge *g, const pm_column *c, bool is_text);

#endif
