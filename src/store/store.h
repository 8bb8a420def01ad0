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
    bool immutable;
    struct pm_writer *writer;
};

/* BEGIN IMMEDIATE: takes the write lock at once, so that what is read inside is the last state. */
pmapdb_status pm_store_begin(pmapdb_store *s, pmapdb_error *err);
pmapdb_status pm_store_commit(pmapdb_store *s, pmapdb_error *err);
void pm_store_rollback(pmapdb_store *s);

/* A file of another program, or of a newer pmapdb, is PMAPDB_SCHEMA. Changes nothing. */
pmapdb_status pm_check_identity(pmapdb_store *s, int64_t *version, pmapdb_error *err);

/* Applies the schema files above user_version. On a read-only store: checks only. */
pmapdb_status pm_migrate(pmapdb_store *s, bool write, pmapdb_error *err);

#endif
