/* leak_json: a verdict as a JSON object; no SQLite here. An unknown value is absent. */
#ifndef PM_STORE_LEAK_JSON_H
#define PM_STORE_LEAK_JSON_H

#include "base/buf.h"
#include "stats/leaks/leaks.h"

/* A series outside of a process has no key, and its JSON has no metrics. */
typedef struct pm_leak_label {
    pm_text key, category; /* data NULL: none */
} pm_leak_label;

pmapdb_status pm_leak_json_add(pm_buf *out, const pm_leak *row, const pm_leak_label *label,
                               pmapdb_error *err);

#endif
