/* store: opening, migrating and closing the SQLite file; transactions. The rest of this folder
 * works on an open pmapdb_store. */
#ifndef PM_STORE_STORE_H
#define PM_STORE_STORE_H

#include "store/file/sql.h"

#define PM_APPLICATION_ID 0x706d6462 /* "pmdb" */
#define PM_SCHEMA_VERSION 1

struct pm_writer; /* what store/write/put.c remembers between captures */

struct pmapdb_store {
    sqlite3 *db;
    pm_sql *sql;
    char *path;
    char *query_dir; /* or NULL */
    int64_t version; /* of the schema, when the store was opened */
    bool immutable;
    bool writes;
    struct pm_writer *writer; /* or NULL */
    void (*free_writer)(struct pm_writer *);
};

/* The files that make a schema, in their order; its version is how many there are. */
typedef struct pm_schema {
    const struct pm_embedded *file;
    int64_t version;
    /* Adds the rows that every store has: to a new store, and to an older one after a migration. */
    pmapdb_status (*fill)(pm_sql *sql, bool is_new, pmapdb_error *err); /* or NULL */
} pm_schema;

/* Like pmapdb_open, but without the SQL functions. */
pmapdb_status pm_store_open(const char *path, const pmapdb_open_options *options,
                            const pm_schema *schema, pmapdb_store **out, pmapdb_error *err);

/* For a program that captures or imports and does nothing else, before it opens a store: SQLite
 * then does not count its memory, which costs a lock at every allocation. Ad-hoc SQL needs that
 * count for its limit, see adhoc.h. */
void pm_store_uncounted(void);

/* BEGIN IMMEDIATE: takes the write lock at once, so that reads inside see the last state. Refused
 * if a newer program has migrated the store since it was opened. */
pmapdb_status pm_store_begin(pmapdb_store *s, pmapdb_error *err);
/* Refused if the file was removed or replaced meanwhile. After any failure call pm_store_rollback.
 */
pmapdb_status pm_store_commit(pmapdb_store *s, pmapdb_error *err);
void pm_store_rollback(pmapdb_store *s);

/* A different number than before: another connection has written meanwhile. */
pmapdb_status pm_store_version(pmapdb_store *s, int64_t *version, pmapdb_error *err);

/* Drops what the writer remembers. */
void pm_store_forget(pmapdb_store *s);

/* How long another writer is waited for, in ms. */
int64_t pm_store_patience(pmapdb_store *s);
void pm_store_set_patience(pmapdb_store *s, int64_t ms);

/* Around the removal of rows that nothing refers to any more: SQLite would search all referring
 * tables for each, and most have no index for that. Also drops what the writer remembers. Not
 * inside a transaction. */
pmapdb_status pm_store_begin_tidying(pmapdb_store *s, pmapdb_error *err);
void pm_store_end_tidying(pmapdb_store *s);

/* PMAPDB_SCHEMA: a file of another program, or of a newer pmapdb, or one with a trigger, which
 * pmapdb never makes. Changes nothing. *version is 0 for an empty file. */
pmapdb_status pm_check_identity(pmapdb_store *s, const pm_schema *schema, int64_t *version,
                                pmapdb_error *err);

/* Applies the files above user_version, all in one transaction: a program that is killed leaves the
 * schema from before. A file may remake a table that others refer to: references are checked at
 * the end. On a read-only store: checks only. */
pmapdb_status pm_migrate(pmapdb_store *s, const pm_schema *schema, bool write, pmapdb_error *err);

#endif
