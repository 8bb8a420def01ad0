/* store: closing the SQLite file; transactions. */
#include "store/file/store.h"

#include "base/clock/clock.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAUSE_MS 6 /* what a writer leaves the others after its turn */
#define LOOK_MS 2  /* a waiting writer looks this often */

#define WAL_PAGES 1000 /* pages in the -wal from which on they are copied into the file */
#define RESTART_MS 1000
#define WAL_KEPT (1 << 20) /* bytes of the -wal that stay */

/* ---- the -wal of a closed store ---- */

/* Makes the -wal empty by its header: SQLite ignores a -wal without its magic number. The header
 * need not be synced. SQLite syncs the next header before it writes a page, and until then the old
 * header leads to pages that the file has. */
static int empty_wal(sqlite3_file *wal, sqlite3_int64 size)
{
    static const char header[32];
    const pm_wal_methods *methods = (const pm_wal_methods *)wal->pMethods;
    sqlite3_int64 now;

    if (size == 0 && wal->pMethods->xFileSize(wal, &now) == SQLITE_OK && now <= WAL_KEPT)
        return wal->pMethods->xWrite(wal, header, sizeof header, 0);
    return methods->truncate(wal, size);
}

/* Call before the connection is closed. SQLite truncates the -wal to 0 bytes when the last process
 * closes the store; the next capture from cron would allocate the same blocks again, which takes
 * about 2 % of its CPU time. */
static void keep_wal(pmapdb_store *s)
{
    sqlite3_file *wal = NULL;

    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal);
    if (!wal || !wal->pMethods)
        return;
    s->wal_methods = (pm_wal_methods){*wal->pMethods, wal->pMethods->xTruncate};
    s->wal_methods.own.xTruncate = empty_wal;
    if (s->wal_methods.own.iVersion > 3) /* a newer SQLite has methods that the copy lacks */
        s->wal_methods.own.iVersion = 3;
    wal->pMethods = &s->wal_methods.own;
}

bool pm_wal_is_empty(const char *wal)
{
    struct stat info;
    char first = 1;
    int fd;

    if (stat(wal, &info) != 0 || info.st_size == 0)
        return true;
    fd = open(wal, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (read(fd, &first, 1) != 1)
        first = 1;
    close(fd);
    return first == 0;
}

/* ---- closing ---- */

/* True if the path of the store now leads to another file or to no file. */
static bool has_moved(pmapdb_store *s)
{
    int moved = 0;

    return sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved;
}

/* A writer empties the -wal if it is the last process. If the -wal stayed full, the next process
 * would read all of it, though the file already has its pages, and with one capture after another
 * it would grow without limit. If the file was moved, its -wal must not stay next to the file that
 * took its place, so its content is copied into its own file at once. */
void pmapdb_close(pmapdb_store *s)
{
    if (!s)
        return;
    pm_store_forget(s);
    pm_sql_free(s->sql);
    if (s->writes) {
        sqlite3_exec(s->db, "PRAGMA journal_size_limit = 0", NULL, NULL, NULL);
        keep_wal(s);
    }
    if (s->writes && has_moved(s))
        sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_close(s->db);
    free(s->path);
    free(s->query_dir);
    free(s);
}

bool pmapdb_is_immutable(const pmapdb_store *s)
{
    return s->immutable;
}

/* ---- turns ---- */

static int64_t steady_ms(void)
{
    return pm_now_ns(CLOCK_MONOTONIC) / 1000000;
}

/* SQLite's own handler sleeps longer and longer, and would miss the pauses of a busy writer. */
static int wait_for_turn(void *store, int times)
{
    pmapdb_store *s = store;
    int64_t now = steady_ms();

    if (times == 0)
        s->waits_since_ms = now;
    if (now - s->waits_since_ms >= s->patience_ms)
        return 0;
    sqlite3_sleep(LOOK_MS);
    return 1;
}

void pm_store_set_patience(pmapdb_store *s, int64_t ms)
{
    s->patience_ms = ms;
    sqlite3_busy_handler(s->db, wait_for_turn, s);
}

int pm_store_on_commit(void *store, sqlite3 *db, const char *name, int pages)
{
    pmapdb_store *s = store;
    int64_t patience = s->patience_ms;

    if (pages < WAL_PAGES)
        return SQLITE_OK;
    sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    if (pages < s->wal_pages)
        return SQLITE_OK;
    pm_store_set_patience(s, RESTART_MS);
    s->wal_pages = sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_RESTART, NULL, NULL)
                       ? pages + PM_WAL_LONG
                       : PM_WAL_LONG;
    pm_store_set_patience(s, patience);
    return SQLITE_OK;
}

bool pm_store_turn_is_over(const pmapdb_store *s, int turns)
{
    return steady_ms() - s->begun_ms >= turns * s->turn_ms;
}

static void end_turn(pmapdb_store *s)
{
    s->ended_ms = steady_ms();
    s->held_ms += s->ended_ms - s->begun_ms;
}

/* ---- transactions ---- */

pmapdb_status pm_store_begin(pmapdb_store *s, pmapdb_error *err)
{
    pmapdb_status st;

    if (s->held_ms >= s->turn_ms) {
        if (steady_ms() - s->ended_ms < PAUSE_MS)
            sqlite3_sleep(PAUSE_MS);
        s->held_ms = 0;
    }
    pm_sql_do(s->sql, "BEGIN IMMEDIATE", PM_NO_ARGS);
    s->begun_ms = steady_ms();
    if (s->version && pm_sql_value(s->sql, "PRAGMA user_version", PM_NO_ARGS, 0) != s->version)
        pm_sql_keep(s->sql,
                    pm_fail(err, PMAPDB_SCHEMA,
                            "%s: a newer pmapdb has changed its schema since this one opened it; "
                            "nothing was written",
                            s->path),
                    err);
    st = pm_sql_end(s->sql, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

pmapdb_status pm_store_commit(pmapdb_store *s, pmapdb_error *err)
{
    if (s->writes && has_moved(s))
        return pm_fail(err, PMAPDB_IO,
                       "'%s' was removed or replaced while it was written: what was stored before "
                       "is in the file that was removed or moved; run this again",
                       s->path);
    if (s->writer && pm_sql_ok(s->sql))
        s->finish(s);
    pm_sql_do(s->sql, "COMMIT", PM_NO_ARGS);
    end_turn(s);
    return pm_sql_end(s->sql, err);
}

pmapdb_status pm_store_end(pmapdb_store *s, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_end(s->sql, err);

    PM_STEP(st, pm_store_commit(s, err));
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

/* The first read after BEGIN fixes the state. */
pmapdb_status pmapdb_begin_read(pmapdb_store *s, pmapdb_error *err)
{
    pm_sql_do(s->sql, "BEGIN", PM_NO_ARGS);
    pm_sql_value(s->sql, "SELECT count(*) FROM sqlite_master", PM_NO_ARGS, 0);
    return pm_sql_end(s->sql, err);
}

void pmapdb_end_read(pmapdb_store *s)
{
    pm_store_rollback(s);
}

/* SQLite may have rolled back by itself, as after a full disk: the state of the writer is wrong
 * then, too. */
void pm_store_rollback(pmapdb_store *s)
{
    pm_store_forget(s);
    if (sqlite3_get_autocommit(s->db))
        return;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    end_turn(s);
}

void pm_store_forget(pmapdb_store *s)
{
    if (s->writer)
        s->free_writer(s->writer);
    s->writer = NULL;
}

pmapdb_status pm_store_begin_tidying(pmapdb_store *s, pmapdb_error *err)
{
    pm_store_forget(s);
    /* If the full -wal can be copied at once, SQLite overwrites it from its start: on a full disk
     * this is free room. */
    sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    if (sqlite3_exec(s->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL) != SQLITE_OK)
        return pm_sql_fail(s->db, "set up the connection", err);
    return PMAPDB_OK;
}

void pm_store_end_tidying(pmapdb_store *s)
{
    sqlite3_exec(s->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
}
