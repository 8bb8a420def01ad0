/* store: opens, migrates and closes the SQLite file; transactions. The rest of this folder uses an
 * open pmapdb_store. */
#ifndef PM_STORE_STORE_H
#define PM_STORE_STORE_H

#include "store/file/sql.h"

#define PM_APPLICATION_ID 0x706d6462 /* "pmdb" */
#define PM_SCHEMA_VERSION 1

struct pm_writer; /* the state that store/write/put.c keeps between captures */

/* The methods of the -wal while the store is closed, with another xTruncate: see keep_wal. */
typedef struct pm_wal_methods {
    sqlite3_io_methods own;
    int (*truncate)(sqlite3_file *wal, sqlite3_int64 size);
} pm_wal_methods;

struct pmapdb_store {
    sqlite3 *db;
    pm_sql *sql;
    char *path;
    char *query_dir; /* may be NULL */
    int64_t version; /* version of the schema when the store was opened */
    bool immutable;
    bool in_memory; /* there is no file */
    bool writes;
    int64_t patience_ms; /* how long this handle waits for another writer */
    int64_t turn_ms;     /* how long it keeps other writers waiting */
    int wal_pages;       /* from this length on, a commit restarts the -wal */
    pm_wal_methods wal_methods;
    int64_t waits_since_ms, begun_ms, ended_ms, held_ms; /* see pm_store_turn_is_over */
    struct pm_writer *writer;                            /* may be NULL */
    void (*free_writer)(struct pm_writer *);
    void (*finish)(struct pmapdb_store *); /* what the writer still has to do before a commit */
    pmapdb_progress_fn on_progress;        /* pmapdb_on_progress() */
    void *progress_ctx;
    bool has_functions; /* pm_statement_functions has added the SQL functions */
    int64_t judged;     /* processes that leak_report() has judged */
};

/* The files that make a schema, in order; its version is their number. */
typedef struct pm_schema {
    const struct pm_embedded *file;
    int64_t version;
    /* Adds the rows that every store has: to a new store, and to an older one after a migration. */
    void (*fill)(pm_sql *sql, bool is_new); /* may be NULL */
} pm_schema;

/* The built-in schema, with the rows that every store has: categories, dialects, and in a new store
 * the default rules. Defined in rules/rule_set.c. */
extern const pm_schema pm_schema_built_in;

/* Gives SQLite the memory of lookaside.c, and turns off its memory statistics and its locks: from
 * then on, only one thread may use SQLite. For a program that only captures or imports; call before
 * it opens a store. Ad-hoc SQL needs the statistics for its limit, see adhoc.h. */
void pm_store_lookaside(void);

/* Runs BEGIN IMMEDIATE: takes the write lock at once, so that reads inside see the newest state.
 * Fails if a newer program has migrated the store since it was opened. */
pmapdb_status pm_store_begin(pmapdb_store *s, pmapdb_error *err);
/* Fails if the file was removed or replaced meanwhile. After any failure call pm_store_rollback,
 * which also drops the state that the writer keeps. */
pmapdb_status pm_store_commit(pmapdb_store *s, pmapdb_error *err);
void pm_store_rollback(pmapdb_store *s);

/* Collects the failure that the steps have kept; commits, or rolls back after any failure. */
pmapdb_status pm_store_end(pmapdb_store *s, pmapdb_error *err);

/* True if the transaction has lasted `turns` times turn_ms: if it has more to do, it should commit,
 * because other writers may wait. pm_store_begin then pauses for a moment, in which one of them
 * gets its turn: SQLite itself favours the writer that has just committed. */
bool pm_store_turn_is_over(const pmapdb_store *s, int turns);

/* The hook of a commit, which copies the -wal into the file from time to time. SQLite's own hook
 * waits for no reader: if readers overlap without end, the -wal is never restarted and only grows.
 * So the commit that makes the -wal too long waits up to a second for the readers of old states to
 * end; readers that begin meanwhile do not need the -wal. */
#define PM_WAL_LONG 4096 /* pages in the -wal from which on a commit restarts it */
int pm_store_on_commit(void *store, sqlite3 *db, const char *name, int pages);

/* True if the -wal at this path has no pages: it does not exist, has no bytes, or no header. */
bool pm_wal_is_empty(const char *wal);

/* Drops the state that the writer keeps. */
void pm_store_forget(pmapdb_store *s);

/* Sets the time in ms for which the handle waits for another one. */
void pm_store_set_patience(pmapdb_store *s, int64_t ms);

/* Call before and after removing rows that no other row refers to. Turns foreign keys off: SQLite
 * would search all referring tables for each row, most of them without an index. Also drops the
 * state that the writer keeps. Not inside a transaction. */
pmapdb_status pm_store_begin_tidying(pmapdb_store *s, pmapdb_error *err);
void pm_store_end_tidying(pmapdb_store *s);

/* Returns PMAPDB_SCHEMA for a file of another program, of a newer pmapdb, or with a trigger, which
 * pmapdb never creates. Changes nothing in the file. Sets s->version; 0 for an empty file. */
pmapdb_status pm_check_identity(pmapdb_store *s, const pm_schema *schema, pmapdb_error *err);

/* Applies the files after user_version in one transaction: if the program is killed, the old schema
 * stays. A file may recreate a table that others refer to: references are checked at the end. On a
 * read-only store: only checks. */
pmapdb_status pm_migrate(pmapdb_store *s, const pm_schema *schema, bool write, pmapdb_error *err);

#endif
