/* watch: detects whether the files of a store were moved while it is open for a long time. */
#include "store/file/watch.h"

#include <stdio.h>

static const char *const parts[] = {"-wal", "-shm"};

typedef char part_path[4200];

static void path_of(pmapdb_store *s, const char *part, part_path out)
{
    snprintf(out, sizeof(part_path), "%s%s", sqlite3_db_filename(s->db, "main"), part);
}

static bool stat_part(pmapdb_store *s, const char *part, struct stat *out)
{
    part_path path;

    path_of(s, part, path);
    return stat(path, out) == 0;
}

/* True if the store has a -wal. On a file system without shared memory it has none. */
static bool has_wal(pmapdb_store *s)
{
    int64_t wal =
        pm_sql_value(s->sql, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", PM_NO_ARGS, 0);

    return pm_sql_end(s->sql, NULL) == PMAPDB_OK && wal;
}

void pm_watch_begin(pmapdb_store *s, pm_watch_files *out)
{
    *out = (pm_watch_files){.has_wal = has_wal(s)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        stat_part(s, parts[i], &out->part[i]);
}

static bool is_in_its_place(pmapdb_store *s, const pm_watch_files *files, size_t i)
{
    struct stat info;

    return stat_part(s, parts[i], &info) && info.st_dev == files->part[i].st_dev &&
           info.st_ino == files->part[i].st_ino;
}

/* Call if the store was moved without its -wal: the next program that opens the file in its place
 * would use the old -wal as its own. Copies the -wal into the file that it belongs to, wherever
 * that is now, and empties it. Returns false if another program still uses the -wal, which then
 * stays unchanged. */
static bool clear_wal(pmapdb_store *s, const pm_watch_files *files)
{
    if (!files->has_wal || !is_in_its_place(s, files, 0))
        return true;
    return sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) ==
           SQLITE_OK;
}

/* Copies a -wal that has no name any more into the file, unless another -wal that is not empty has
 * its place: their pages do not fit together, and the file stays as it is, also on close. If only
 * -shm was lost, the next program that opens the store reads the -wal from its start. Returns true
 * if all stored data is now in the file itself. */
static bool save_wal(pmapdb_store *s)
{
    part_path wal;
    int in_wal = 0, copied = -1;

    path_of(s, "-wal", wal);
    if (!pm_wal_is_empty(wal)) {
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        return false;
    }
    return sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_FULL, &in_wal, &copied) ==
               SQLITE_OK &&
           copied == in_wal;
}

pmapdb_status pm_watch_check(pmapdb_store *s, const pm_watch_files *files, pmapdb_error *err)
{
    static const char lost[] = "was removed or replaced while it was written";
    int moved = 0;

    if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved) {
        if (clear_wal(s, files))
            return pm_fail(err, PMAPDB_IO,
                           "'%s' %s: the captures are in the file that was removed or moved; start "
                           "this run again",
                           s->path, lost);
        return pm_fail(err, PMAPDB_IO,
                       "'%s' %s, and another program still has its -wal open: end that program, "
                       "then remove '%s-wal' and '%s-shm' before anything opens a new store of "
                       "this name",
                       s->path, lost, s->path, s->path);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts && files->has_wal; i++)
        if (!is_in_its_place(s, files, i))
            return pm_fail(err, PMAPDB_IO, "'%s%s' %s: %s; start this run again", s->path, parts[i],
                           lost,
                           save_wal(s) ? "what was captured is in the store"
                                       : "what was captured last may be lost");
    return PMAPDB_OK;
}
