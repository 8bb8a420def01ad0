/* dialects: table dialect, the dialects of formats.def with their rank. */
#ifndef PM_STORE_DIALECTS_H
#define PM_STORE_DIALECTS_H

#include "store/file/sql.h"

/* Adds the missing dialects and corrects the ranks of the others. A newer program may know dialects
 * that the program that made the store did not. */
void pm_dialects_add(pm_sql *sql);

#endif
