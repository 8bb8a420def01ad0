/* store: closing the SQLite file; transactions. */
#include "store/store.h"

#include "store/space.h"
#include "store/write.h"
#include <stdlib.h>

/* Somebody put another file into its place, or none. */
static bool has_moved(pmapdb_store *s)
{
    int moved = 0;

    return sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved;
}

/* Whoever opens what is at its name now would take a -wal that lies there for its own: what stands
 * in it goes into the file that it belongs to, wherever that is now. */
static void leave(pmapdb_store *s, char **wal)
{
    sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    free(*wal);
    *wal = NULL; /* no room is kept in it */
}

/* The last to leave empties the -wal: whoever comes next would read all that is in it, not knowing
 * that it is in the store by now, and with one capture after another it would grow for ever. */
static void close_writer(pmapdb_store *s)
{
    const char *wal = sqlite3_filename_wal(sqlite3_db_filename(s->db, "main"));
    char *path = wal ? strdup(wal) : NULL;

    sqlite3_exec(s->db, "PRAGMA journal_size_limit = 0", NULL, NULL, NULL);
    if (has_moved(s))
        leave(s, &path);
    sqlite3_close(s->db);
    if (path)
        pm_space_reserve(path);
    free(path);
}

void pmapdb_close(pmapdb_store *s)
{
    if (!s)
        return;
    pm_writer_free(s->writer);
    pm_sql_free(s->sql);
    if (s->writes)
        close_writer(s);
    else
        sqlite3_close(s->db);
    free(s->path);
    free(s->query_dir);
    free(s);
}

void pm_store_uncounted(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

bool pmapdb_is_immutable(const pmapdb_store *s)
{
    return s->immutable;
}

pmapdb_status pm_store_begin(pmapdb_store *s, pmapdb_error *err)
{
    int64_t version = s->version;
    pmapdb_status st = pm_sql_run(s->sql, "BEGIN IMMEDIATE", PM_NO_ARGS, err);

    if (st != PMAPDB_OK || !version)
        return st;
    st = pm_sql_int(s->sql, "PRAGMA user_version", PM_NO_ARGS, 0, &version, err);
    if (st == PMAPDB_OK && version != s->version)
        st = pm_fail(err, PMAPDB_SCHEMA,
                     "%s: a newer pmapdb has changed its schema since it was opened here; nothing "
                     "was written",
                     s->path);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

pmapdb_status pm_store_begin_adding(pmapdb_store *s, pmapdb_error *err)
{
    bool scarce = false;
    pmapdb_status st = pm_space_check(s, &scarce, err);

    if (st == PMAPDB_OK)
        st = pm_store_begin(s, err);
    s->scarce = st == PMAPDB_OK && scarce;
    return st;
}

pmapdb_status pm_store_commit(pmapdb_store *s, pmapdb_error *err)
{
    bool scarce = s->scarce;
    pmapdb_status st = scarce ? pm_space_check_written(s, err) : PMAPDB_OK;

    if (st == PMAPDB_OK && s->writes && has_moved(s))
        st = pm_fail(err, PMAPDB_IO,
                     "'%s' was removed or replaced while it was written: what was stored before is "
                     "in the file that was there, wherever that is now; run this again",
                     s->path);
    if (st == PMAPDB_OK)
        st = pm_sql_run(s->sql, "COMMIT", PM_NO_ARGS, err);
    if (st != PMAPDB_OK)
        return st; /* the caller rolls it back */
    s->scarce = false;
    if (scarce)
        pm_space_settle(s);
    return PMAPDB_OK;
}

pmapdb_status pm_store_version(pmapdb_store *s, int64_t *version, pmapdb_error *err)
{
    return pm_sql_int(s->sql, "PRAGMA data_version", PM_NO_ARGS, 0, version, err);
}

pmapdb_status pm_store_begin_tidying(pmapdb_store *s, pmapdb_error *err)
{
    pm_writer_free(s->writer);
    s->writer = NULL;
    /* What the -wal holds is copied if that is possible at once: then it is written over from its
     * start, and a full disk has that much room. */
    pm_space_copy_wal(s);
    if (sqlite3_exec(s->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL) != SQLITE_OK)
        return pm_sql_fail(s->db, "set up the connection", err);
    return PMAPDB_OK;
}

void pm_store_end_tidying(pmapdb_store *s)
{
    sqlite3_exec(s->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
}

void pm_store_rollback(pmapdb_store *s)
{
    s->scarce = false;
    if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}
