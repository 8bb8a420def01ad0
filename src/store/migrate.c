/* migrate: brings a file to the newest schema, or says why it is none of ours. */
#include "store/categories.h"
#include "store/embedded.h"
#include "store/rules/rule_set.h"
#include "store/schema.h"

#include <stdio.h>

const pm_schema pm_schema_built_in = {pm_embedded_schema, PM_SCHEMA_VERSION};

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

/* Only of an older store: a new one has no rows. */
static pmapdb_status check_references(pmapdb_store *s, pmapdb_error *err)
{
    int64_t n = 0;
    pmapdb_status st = pragma_int(s, "SELECT count(*) FROM pragma_foreign_key_check", &n, err);

    if (st != PMAPDB_OK || n == 0)
        return st;
    return pm_fail(err, PMAPDB_DATABASE,
                   "%s: %lld rows name what is not there; the store is damaged and stays an older "
                   "one; pmapdb doctor --deep says more",
                   s->path, (long long)n);
}

static pmapdb_status apply(pmapdb_store *s, const pm_schema *schema, int64_t from,
                           pmapdb_error *err)
{
    char mark[96];
    pmapdb_status st = PMAPDB_OK;

    for (int64_t v = from; v < schema->version && st == PMAPDB_OK; v++)
        st = run_script(s, schema->file[v].text, err);
    if (st == PMAPDB_OK)
        st = pm_category_ids_built_in(s->sql, err);
    if (st == PMAPDB_OK)
        st = from == 0 ? pm_rule_text_built_in(s->sql, err) : check_references(s, err);
    if (st != PMAPDB_OK)
        return st;
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %lld",
             PM_APPLICATION_ID, (long long)schema->version);
    return run_script(s, mark, err);
}

static pmapdb_status check_identity(pmapdb_store *s, const pm_schema *schema, int64_t *version,
                                    pmapdb_error *err)
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
    if (*version > schema->version)
        return pm_fail(err, PMAPDB_SCHEMA,
                       "%s: written by a newer pmapdb (schema %lld, this one knows %d)", s->path,
                       (long long)*version, (int)schema->version);
    return *version > 0 ? pm_schema_check(s, schema, *version, err) : PMAPDB_OK;
}

/* In one transaction: another process may be creating the store at this moment. */
pmapdb_status pm_check_identity(pmapdb_store *s, const pm_schema *schema, int64_t *version,
                                pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(s->sql, "BEGIN", PM_NO_ARGS, err);

    if (st == PMAPDB_OK)
        st = check_identity(s, schema, version, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st == PMAPDB_OK)
        s->version = *version;
    else
        pm_store_rollback(s);
    return st;
}

/* A file is told before its first page that it may shrink: behind that it is of no use. The pragma
 * writes, and so takes the lock that BEGIN IMMEDIATE takes. */
static pmapdb_status begin_new(pmapdb_store *s, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(s->sql, "BEGIN", PM_NO_ARGS, err);

    return st == PMAPDB_OK ? run_script(s, "PRAGMA auto_vacuum = INCREMENTAL", err) : st;
}

static pmapdb_status migrate(pmapdb_store *s, const pm_schema *schema, int64_t from,
                             pmapdb_error *err)
{
    int64_t version = 0;
    pmapdb_status st = from == 0 ? begin_new(s, err) : pm_store_begin(s, err);

    if (st == PMAPDB_OK) /* another process may have been first */
        st = check_identity(s, schema, &version, err);
    if (st == PMAPDB_OK && version < schema->version)
        st = apply(s, schema, version, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

pmapdb_status pm_migrate(pmapdb_store *s, const pm_schema *schema, bool write, pmapdb_error *err)
{
    int64_t version = 0;
    pmapdb_status st = pm_check_identity(s, schema, &version, err);

    if (st != PMAPDB_OK)
        return st;
    if (version < schema->version && !write)
        return pm_fail(err, PMAPDB_SCHEMA,
                       version ? "%s: an older store; run an import to bring it up to date"
                               : "no store at '%s', an empty file; import or capture first",
                       s->path);
    if (version < schema->version) {
        s->version = 0;                      /* another process may be first */
        st = pm_store_begin_tidying(s, err); /* foreign keys are off, which no transaction can do */
        if (st == PMAPDB_OK)
            st = migrate(s, schema, version, err);
        pm_store_end_tidying(s);
    }
    if (st == PMAPDB_OK)
        s->version = schema->version;
    return st;
}
