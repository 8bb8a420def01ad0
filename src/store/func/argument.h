/* argument: arguments and results of SQL functions. One source, two builds: in the library the
 * names of sqlite3.h are SQLite's functions (SQLITE_CORE is set), in the extension they go through
 * the table that SQLite passes. */
#ifndef PM_STORE_ARGUMENT_H
#define PM_STORE_ARGUMENT_H

#include "base/buf.h"
#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

/* {NULL, 0} for NULL. */
static inline pm_text pm_argument_text(sqlite3_value *v)
{
    const char *data = (const char *)sqlite3_value_text(v);

    return (pm_text){data, data ? (size_t)sqlite3_value_bytes(v) : 0};
}

static inline void pm_argument_fail(sqlite3_context *out, pmapdb_status st, const pmapdb_error *err)
{
    if (st == PMAPDB_NOMEM)
        sqlite3_result_error_nomem(out);
    else
        sqlite3_result_error(out, err->text, -1);
}

/* Returns the text to SQLite, or the failure of making it. Frees the text. */
static inline void pm_argument_give(sqlite3_context *out, pm_buf *text, pmapdb_status st,
                                    const pmapdb_error *err)
{
    if (st == PMAPDB_OK)
        sqlite3_result_text64(out, pm_buf_text(text).data, text->len, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    else
        pm_argument_fail(out, st, err);
    pm_buf_free(text);
}

#endif
