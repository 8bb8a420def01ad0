/* family: what a column is to Prometheus: a label, a gauge with its unit, an age, or nothing.
 * Private to src/render. */
#ifndef PM_RENDER_FAMILY_H
#define PM_RENDER_FAMILY_H

#include "base/buf.h"
#include "render/render.h"

typedef enum pm_family_kind {
    PM_FAMILY_NONE, /* snapshots, their sources, addresses: each capture would begin new series */
    PM_FAMILY_LABEL,
    PM_FAMILY_GAUGE,
    PM_FAMILY_AGE
} pm_family_kind;

typedef struct pm_family {
    pm_family_kind kind;
    bool additive;    /* rows that differ in no label are added up */
    const char *unit; /* OpenMetrics' base unit, which ends the name; "" for none */
    pm_buf name;      /* of the label or of the metric */
} pm_family;

/* `numbers`: the column holds numbers and no text, which says what a column is that declares
 * nothing. */
pmapdb_status pm_family_of(const pm_column *c, pm_text query, bool numbers, pm_family *out,
                           pmapdb_error *err);

/* A number that is known. */
bool pm_family_known(const pm_value *v);

/* Adds a gauge's value in its base unit, as Prometheus writes numbers. */
pmapdb_status pm_family_add_value(pm_buf *out, pm_unit unit, const pm_value *v, pmapdb_error *err);

/* Adds NAME="VALUE", with a comma before it where there is something already, with what Prometheus
 * wants escaped; what is no UTF-8 becomes U+FFFD, because one bad byte would cost the whole file.
 * Unknown and empty ones are left out, as the format asks. */
pmapdb_status pm_family_add_label(pm_buf *out, pm_text name, pm_text value, pmapdb_error *err);

/* Text for HELP: one line, no double quotes, which the two formats escape differently. */
pmapdb_status pm_family_add_help(pm_buf *out, pm_text help, pmapdb_error *err);

#endif
