/* watch: what a run that goes on for days asks of its store. */
#include "store/watch.h"

#include "store/process.h"
#include <stdio.h>
#include <sys/stat.h>

pmapdb_status pm_watch_rss(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                           int64_t start_time, int64_t *rss_kib, pmapdb_error *err)
{
    return pm_sql_int(sql,
                      "SELECT coalesce(s.tool_rss_kib, s.rss_kib) FROM process p "
                      "JOIN snapshots s ON s.process_id = p.process_id WHERE " PM_IS_LIVE_PROCESS
                      " ORDER BY s.taken_ms DESC LIMIT 1",
                      PM_ARGS(PM_I(pid), PM_S(host), PM_S(boot_id), PM_I(start_time)),
                      PMAPDB_UNKNOWN, rss_kib, err);
}

#define READING "s.taken_ms, s.tool_rss_kib, i.swap_kib, s.mappings, i.cpu_us, i.longest_us "

static pmapdb_status read_rows(pm_sql *sql, sqlite3_stmt *stmt, pm_watch_reading *out, size_t *n,
                               pmapdb_error *err)
{
    bool has;
    pmapdb_status st;

    *n = 0;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has)
        out[(*n)++] =
            (pm_watch_reading){pm_col_int(stmt, 0), pm_col_int(stmt, 1), pm_col_int(stmt, 2),
                               pm_col_int(stmt, 3), pm_col_int(stmt, 4), pm_col_int(stmt, 5)};
    return st;
}

pmapdb_status pm_watch_own(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                           int64_t start_time, pm_watch_reading *out, bool *found,
                           pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    size_t n = 0;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT " READING "FROM process p JOIN snapshots s ON s.process_id = p.process_id "
        "JOIN sight i ON i.snapshot_id = s.snapshot_id WHERE " PM_IS_LIVE_PROCESS
        " AND s.dialect = 'smaps' ORDER BY s.taken_ms DESC LIMIT 1",
        PM_ARGS(PM_I(pid), PM_S(host), PM_S(boot_id), PM_I(start_time)), &stmt, err);

    if (st == PMAPDB_OK)
        st = read_rows(sql, stmt, out, &n, err);
    *found = n > 0;
    return st;
}

/* Of little, nothing is learnt; and however long the store is, only its end is looked at. */
pmapdb_status pm_watch_host(pm_sql *sql, const char *host, pm_watch_reading *out, size_t max,
                            size_t *n, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT " READING "FROM (SELECT * FROM sight ORDER BY snapshot_id DESC LIMIT 4096) i "
        "JOIN snapshots s ON s.snapshot_id = i.snapshot_id "
        "JOIN process p ON p.process_id = s.process_id "
        "WHERE p.host_id = (SELECT host_id FROM host WHERE name = ?1) "
        "AND s.dialect = 'smaps' AND s.tool_rss_kib >= 65536 LIMIT ?2",
        PM_ARGS(PM_S(host), PM_I((int64_t)max)), &stmt, err);

    return st == PMAPDB_OK ? read_rows(sql, stmt, out, n, err) : st;
}

int64_t pm_watch_patience(pmapdb_store *s)
{
    int64_t ms = 0;

    pm_sql_int(s->sql, "PRAGMA busy_timeout", PM_NO_ARGS, 0, &ms, NULL);
    return ms;
}

void pm_watch_set_patience(pmapdb_store *s, int64_t ms)
{
    sqlite3_busy_timeout(s->db, (int)ms);
}

/* ---- the files ---- */

static const char *const parts[] = {"-wal", "-shm"};

static bool stat_part(pmapdb_store *s, const char *part, struct stat *out)
{
    char path[4200];

    snprintf(path, sizeof path, "%s%s", sqlite3_db_filename(s->db, "main"), part);
    return stat(path, out) == 0;
}

/* On a file system that cannot share memory a store is written without a -wal. */
static bool has_wal(pmapdb_store *s)
{
    sqlite3_stmt *stmt;
    bool has = false, wal;

    if (pm_sql_rows(s->sql, "PRAGMA journal_mode", PM_NO_ARGS, &stmt, NULL) != PMAPDB_OK ||
        pm_sql_step(s->sql, stmt, &has, NULL) != PMAPDB_OK || !has)
        return false;
    wal = pm_text_equal(pm_col_text(stmt, 0), PM_TEXT("wal"));
    pm_sql_done(stmt);
    return wal;
}

void pm_watch_begin(pmapdb_store *s, pm_watch_files *out)
{
    struct stat info;

    *out = (pm_watch_files){.has_wal = has_wal(s)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (stat_part(s, parts[i], &info)) {
            out->part[i].device = info.st_dev;
            out->part[i].inode = info.st_ino;
        }
}

static bool is_in_its_place(pmapdb_store *s, const pm_watch_files *files, size_t i)
{
    struct stat info;

    return stat_part(s, parts[i], &info) && info.st_dev == files->part[i].device &&
           info.st_ino == files->part[i].inode;
}

const char *pm_watch_lost(pmapdb_store *s, const pm_watch_files *files)
{
    int moved = 0;

    if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved)
        return "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts && files->has_wal; i++)
        if (!is_in_its_place(s, files, i))
            return parts[i];
    return NULL;
}

bool pm_watch_clear(pmapdb_store *s, const pm_watch_files *files)
{
    if (!files->has_wal || !is_in_its_place(s, files, 0))
        return true;
    return sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) ==
           SQLITE_OK;
}

/* What stands in a -wal that has no name any more goes into the file, unless another -wal that is
 * not empty stands in its place: its pages and these do not fit together. Where only -shm was lost,
 * whoever opens the store next reads the -wal from its start. */
bool pm_watch_save(pmapdb_store *s)
{
    struct stat info;
    int in_wal = 0, copied = -1;

    if (stat_part(s, "-wal", &info) && info.st_size > 0) {
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        return false;
    }
    return sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_FULL, &in_wal, &copied) ==
               SQLITE_OK &&
           copied == in_wal;
}
