/* leak_json: a verdict as a JSON object; no SQLite here. An unknown value is absent. */
#ifndef PM_STORE_LEAK_JSON_H
#define PM_STORE_LEAK_JSON_H

#include "base/buf.h"
#include "stats/leaks/leaks.h"

/* A series outside of a process has no key (NULL), and its JSON has no metrics. */
pmapdb_status pm_leak_json_add(pm_buf *out, const pm_leak *row, const char *key,
                               const char *category, pmapdb_error *err);

#endif
