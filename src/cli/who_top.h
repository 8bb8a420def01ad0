/* who_top: the stack that allocated most of what grew, for the hints of leaks and diff. */
#ifndef PM_CLI_WHO_TOP_H
#define PM_CLI_WHO_TOP_H

#include "base/buf.h"

/* Texts may be empty, numbers PMAPDB_UNKNOWN. */
typedef struct pm_who_of {
    int64_t process_id;
    int64_t lineage;  /* or else: */
    pm_text category; /* empty: all that the process has */
    pm_text from, to; /* as --from and --to take them; empty: first, last */
    pm_text dialect;
} pm_who_of;

/* Whether it is worth asking: the store has a recording. */
pmapdb_status pm_who_any(pmapdb_store *store, bool *any, pmapdb_error *err);

/* Adds "97 % through session_alloc < handle_request < main (recording 2)"; nothing where no
 * recording of the process covers any of the growth. */
pmapdb_status pm_who_add_top(pm_buf *out, pmapdb_store *store, const pm_who_of *of,
                             pmapdb_error *err);

#endif
