/* built_in: the built-in schema and the rows that every store has: the categories, and in a new
 * store the default rules. */
#ifndef PM_STORE_BUILT_IN_H
#define PM_STORE_BUILT_IN_H

#include "store/file/store.h"

extern const pm_schema pm_schema_built_in;

#endif
