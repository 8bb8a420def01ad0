/* script: the text of a statement or a query file, and where in it something stands. */
#ifndef PM_STORE_SCRIPT_H
#define PM_STORE_SCRIPT_H

#include "base/err.h"
#include "base/text.h"

typedef struct pm_script {
    const char
        *where; /* what errors call it; NULL: the command line, of which only the line counts */
    pm_text text;
} pm_script;

/* "WHERE:LINE: ..." for the place `at` in the text; `at` NULL: "WHERE: ...". */
pmapdb_status pm_script_fail(const pm_script *script, const char *at, pmapdb_error *err,
                             pmapdb_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Takes the next token off *sql: a word, a number, a string or name with its quotes, a parameter
 * with its sign, or one other byte. Blanks and comments are skipped. Empty at the end. */
pm_text pm_script_token(pm_text *sql);

/* The first token that is `wanted`, quoted or not; data NULL where there is none. */
pm_text pm_script_find(pm_text sql, pm_text wanted);

#endif
