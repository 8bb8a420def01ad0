/* store: opening, migrating and closing the SQLite file; transactions. The rest of this folder
 * works on an open pmapdb_store. */
#ifndef PM_STORE_STORE_H
#define PM_STORE_STORE_H

#include "store/sql.h"

#define PM_APPLICATION_ID 0x706d6462 /* "pmdb" */
#define PM_SCHEMA_VERSION 1

struct pm_writer; /* write.c: what the writer remembers between captures */

struct pmapdb_store {
    sqlite3 *db;
    pm_sql *sql;
    char *path;
    char *query_dir; /* or NULL */
    int64_t version; /* of its schema, since it is open */
    bool immutable;
    bool writes;
    bool scarce; /* the transaction adds something, and the disk is nearly full */
    struct pm_writer *writer;
};

/* For a program that captures or imports and does nothing else, before it opens a store: SQLite
 * then does not count its memory, which costs a lock at every allocation. What people type needs
 * that count as its limit, see adhoc.h. */
void pm_store_uncounted(void);

/* BEGIN IMMEDIATE: takes the write lock at once, so that what is read inside is the last state.
 * Refused where a newer program has migrated the store since it was opened. */
pmapdb_status pm_store_begin(pmapdb_store *s, pmapdb_error *err);

/* The same for what adds to the store: where the disk is full it is refused as long as a prune
 * still has room, see pm_space_check; pm_store_commit then refuses what would take that. */
pmapdb_status pm_store_begin_adding(pmapdb_store *s, pmapdb_error *err);
pmapdb_status pm_store_commit(pmapdb_store *s, pmapdb_error *err);
void pm_store_rollback(pmapdb_store *s);

/* Another number means that another connection has written meanwhile. */
pmapdb_status pm_store_version(pmapdb_store *s, int64_t *version, pmapdb_error *err);

/* Around the removal of rows that nothing refers to any more. SQLite would look for whoever refers
 * to each, and for most tables that is to read all of another: ver has no index by region. Also
 * drops what the writer remembers. Not inside a transaction. */
pmapdb_status pm_store_begin_tidying(pmapdb_store *s, pmapdb_error *err);
void pm_store_end_tidying(pmapdb_store *s);

/* The files that make a schema, in their order; its version is how many there are. */
typedef struct pm_schema {
    const struct pm_embedded *file;
    int64_t version;
} pm_schema;

extern const pm_schema pm_schema_built_in;

/* A file of another program, or of a newer pmapdb, or one whose tables somebody has changed, is
 * PMAPDB_SCHEMA. Changes nothing. */
pmapdb_status pm_check_identity(pmapdb_store *s, const pm_schema *schema, int64_t *version,
                                pmapdb_error *err);

/* Applies the files above user_version, all in one transaction: whoever is killed leaves the schema
 * from before. A file may remake a table that others refer to: references are not asked for row by
 * row but at the end, all of them. On a read-only store: checks only. */
pmapdb_status pm_migrate(pmapdb_store *s, const pm_schema *schema, bool write, pmapdb_error *err);

#endif
