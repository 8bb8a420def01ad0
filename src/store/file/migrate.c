/* migrate: brings a file to the newest schema, or reports why it is not a store.
 *
 * A new file of schema/ that adds a column also changes the INSERTs without names of columns, which
 * would fail. */
#include "store/file/embedded.h"
#include "store/file/store.h"

#include <stdio.h>

static void apply(pmapdb_store *s, const pm_schema *schema, int64_t from)
{
    char mark[96];
    int64_t n = 0;

    for (int64_t v = from; v < schema->version; v++)
        pm_sql_exec(s->sql, schema->file[v].text, "apply the schema");
    if (schema->fill)
        schema->fill(s->sql, from == 0);
    if (from > 0) /* a new store has no rows */
        n = pm_sql_value(s->sql, "SELECT count(*) FROM pragma_foreign_key_check", PM_NO_ARGS, 0);
    if (n > 0)
        PM_SQL_STEP(s->sql,
                    pm_fail(&err, PMAPDB_DATABASE,
                            "%s: %lld rows refer to rows that are missing; the store is damaged "
                            "and keeps its older schema; pmapdb doctor --deep lists them",
                            s->path, (long long)n));
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %lld",
             PM_APPLICATION_ID, (long long)schema->version);
    pm_sql_exec(s->sql, mark, "apply the schema");
}

/* Another process may be creating the store at this moment, in one transaction: the tables are
 * looked for after the version and before the mark of a store, so that nobody mistakes the new
 * store for a file of another program. */
pmapdb_status pm_check_identity(pmapdb_store *s, const pm_schema *schema, pmapdb_error *err)
{
    int64_t version, has_trigger, application;
    pmapdb_status st;

    version = pm_sql_value(s->sql, "PRAGMA user_version", PM_NO_ARGS, 0);
    /* PMAPDB_UNKNOWN: the file has no tables */
    has_trigger = pm_sql_value(s->sql, "SELECT max(type = 'trigger') FROM sqlite_master",
                               PM_NO_ARGS, PMAPDB_UNKNOWN);
    application = pm_sql_value(s->sql, "PRAGMA application_id", PM_NO_ARGS, 0);
    st = pm_sql_end(s->sql, err);
    if (st != PMAPDB_OK)
        return st;
    if (has_trigger != PMAPDB_UNKNOWN && application != PM_APPLICATION_ID)
        return pm_fail(err, PMAPDB_SCHEMA, "%s: a SQLite file, but not a pmapdb store", s->path);
    if (version > schema->version)
        return pm_fail(err, PMAPDB_SCHEMA,
                       "%s: written by a newer pmapdb (schema %lld, this one knows %d)", s->path,
                       (long long)version, (int)schema->version);
    if (has_trigger == 1) /* a trigger would run within every write */
        return pm_fail(err, PMAPDB_SCHEMA,
                       "%s: has a trigger, which pmapdb never makes; nothing is read or written "
                       "until sqlite3 FILE 'DROP TRIGGER ...' removes it",
                       s->path);
    s->version = version;
    return PMAPDB_OK;
}

static pmapdb_status migrate(pmapdb_store *s, const pm_schema *schema, int64_t from,
                             pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (from == 0) { /* the pragma must precede the first page; it takes the lock to write */
        pm_sql_exec(s->sql, "BEGIN; PRAGMA auto_vacuum = INCREMENTAL", "apply the schema");
        st = pm_sql_end(s->sql, err);
    } else {
        st = pm_store_begin(s, err);
    }
    if (st == PMAPDB_OK) /* another process may have migrated it first */
        st = pm_check_identity(s, schema, err);
    if (st == PMAPDB_OK && s->version < schema->version) {
        apply(s, schema, s->version);
        st = pm_sql_end(s->sql, err);
    }
    PM_STEP(st, pm_store_commit(s, err));
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

pmapdb_status pm_migrate(pmapdb_store *s, const pm_schema *schema, bool write, pmapdb_error *err)
{
    pmapdb_status st = pm_check_identity(s, schema, err);
    int64_t from = s->version;

    if (st != PMAPDB_OK || from == schema->version)
        return st;
    if (!write)
        return pm_fail(err, PMAPDB_SCHEMA,
                       from ? "%s: an older store; run an import to bring it up to date"
                            : "no store at '%s', an empty file; import or capture first",
                       s->path);
    s->version = 0;                      /* another process may migrate it first */
    st = pm_store_begin_tidying(s, err); /* foreign keys off: impossible in a transaction */
    PM_STEP(st, migrate(s, schema, from, err));
    pm_store_end_tidying(s);
    if (st == PMAPDB_OK)
        s->version = schema->version;
    return st;
}
