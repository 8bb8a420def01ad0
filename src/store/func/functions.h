/* functions: the SQL functions of this project, for the program's own connections and, compiled a
 * second time, for the loadable extension. */
#ifndef PM_STORE_FUNCTIONS_H
#define PM_STORE_FUNCTIONS_H

#include <stdint.h>

struct sqlite3;

/* Adds kib_text(kib), span_text(ms), vmflags_text(flags), perms_text(perms), call_words(kind, a0,
 * ..., a5), call_error(kind, ret) and the functions of address.h, func/expression.h,
 * leak_functions.h, which counts reports in *judged (or NULL). Returns SQLite's result code. */
int pm_functions_add(struct sqlite3 *db, int64_t *judged);

#endif
