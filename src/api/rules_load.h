/* rules_load: where the texts of rules and of their tests come from. */
#ifndef PM_API_RULES_LOAD_H
#define PM_API_RULES_LOAD_H

#include "base/buf.h"

/* All bytes of a file, or of standard input ("-"), packed or not. */
pmapdb_status pm_rules_load(const char *path, pm_buf *out, pmapdb_error *err);

/* The text of the set that is built in under this name, else of the file. */
pmapdb_status pm_rules_find(const char *name_or_path, pm_buf *out, pmapdb_error *err);

#endif
