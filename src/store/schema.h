/* schema: whether the tables, views and triggers of a file are those that this program makes. What
 * somebody put in their place would be run, or believed, by every command. */
#ifndef PM_STORE_SCHEMA_H
#define PM_STORE_SCHEMA_H

#include "store/store.h"

/* Of a store of that version of the schema: PMAPDB_SCHEMA where something is missing, different, or
 * a trigger more, and says what. Tables, views and indexes that people have added are theirs. */
pmapdb_status pm_schema_check(pmapdb_store *s, const pm_schema *schema, int64_t version,
                              pmapdb_error *err);

#endif
