/* open: opens a store with the program's schema and SQL functions. */
#include "store/file/store.h"
#include "store/func/functions.h"
#include "store/rules/rule_set.h"

pmapdb_status pmapdb_open(const char *path, const pmapdb_open_options *options, pmapdb_store **out,
                          pmapdb_error *err)
{
    pmapdb_store *s = NULL;
    pmapdb_status st = pm_store_open(path, options, &pm_schema_built_in, &s, err);
    int rc;

    if (st == PMAPDB_OK && (rc = pm_functions_add(s->db, &s->judged)) != SQLITE_OK) {
        st = pm_sql_fail_code(s->db, rc, "add the functions", err);
        pmapdb_close(s);
    }
    if (st == PMAPDB_OK)
        *out = s;
    return st;
}
