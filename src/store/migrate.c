/* migrate: brings a file to the newest schema, or says why it is none of ours. */
#include "store/categories.h"
#include "store/embedded.h"
#include "store/rules/rule_set.h"
#include "store/store.h"

#include <stdio.h>

static pmapdb_status pragma_int(pmapdb_store *s, const char *sql, int64_t *out, pmapdb_error *err)
{
    return pm_sql_int(s->sql, sql, PM_NO_ARGS, 0, out, err);
}

static pmapdb_status run_script(pmapdb_store *s, const char *text, pmapdb_error *err)
{
    if (sqlite3_exec(s->db, text, NULL, NULL, NULL) != SQLITE_OK)
        return pm_sql_fail(s->db, "apply the schema", err);
    return PMAPDB_OK;
}

static pmapdb_status apply(pmapdb_store *s, int64_t from, pmapdb_error *err)
{
    char mark[96];
    pmapdb_status st = PMAPDB_OK;

    for (int64_t v = from; v < PM_SCHEMA_VERSION && st == PMAPDB_OK; v++)
        st = run_script(s, pm_embedded_schema[v].text, err);
    if (st == PMAPDB_OK)
        st = pm_category_ids_built_in(s->sql, err);
    if (st == PMAPDB_OK && from == 0)
        st = pm_rule_text_built_in(s->sql, err);
    if (st != PMAPDB_OK)
        return st;
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             PM_APPLICATION_ID, PM_SCHEMA_VERSION);
    return run_script(s, mark, err);
}

static pmapdb_status check_identity(pmapdb_store *s, int64_t *version, pmapdb_error *err)
{
    int64_t application = 0, tables = 0;
    pmapdb_status st = pragma_int(s, "PRAGMA application_id", &application, err);

    if (st == PMAPDB_OK)
        st = pragma_int(s, "PRAGMA user_version", version, err);
    if (st == PMAPDB_OK)
        st = pragma_int(s, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (st != PMAPDB_OK)
        return st;
    if (tables > 0 && application != PM_APPLICATION_ID)
        return pm_fail(err, PMAPDB_SCHEMA, "%s: a SQLite file, but not a pmapdb store", s->path);
    if (*version > PM_SCHEMA_VERSION)
        return pm_fail(err, PMAPDB_SCHEMA,
                       "%s: written by a newer pmapdb (schema %lld, this one knows %d)", s->path,
                       (long long)*version, PM_SCHEMA_VERSION);
    return PMAPDB_OK;
}

/* In one transaction: another process may be creating the store at this moment. */
pmapdb_status pm_check_identity(pmapdb_store *s, int64_t *version, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(s->sql, "BEGIN", PM_NO_ARGS, err);

    if (st == PMAPDB_OK)
        st = check_identity(s, version, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

pmapdb_status pm_migrate(pmapdb_store *s, bool write, pmapdb_error *err)
{
    int64_t version = 0;
    pmapdb_status st = pm_check_identity(s, &version, err);

    if (st != PMAPDB_OK || version == PM_SCHEMA_VERSION)
        return st;
    if (!write)
        return pm_fail(err, PMAPDB_SCHEMA,
                       version ? "%s: an older store; run an import to bring it up to date"
                               : "no store at '%s', an empty file; import or capture first",
                       s->path);
    st = pm_store_begin(s, err);
    if (st != PMAPDB_OK)
        return st;
    st = check_identity(s, &version, err); /* another process may have been first */
    if (st == PMAPDB_OK && version < PM_SCHEMA_VERSION)
        st = apply(s, version, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}
