/* choice: parameters that take a word of which there are only some. */
#ifndef PM_STORE_CHOICE_H
#define PM_STORE_CHOICE_H

#include "store/file/sql.h"
#include "store/read/catalog.h"

/* PMAPDB_NOTFOUND, with the words that there are, where the value is none of them: a category, a
 * dialect, a state, a host, or what the header's text lists. Any other parameter takes any. */
pmapdb_status pm_choice_check(pm_sql *sql, const pm_query_param *p, pm_text value,
                              pmapdb_error *err);

#endif
