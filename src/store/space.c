/* space: the size of the store's file, giving back what is free in it, and the room on the disk
 * that is kept for a prune. */
#include "store/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PAGES 512      /* moved and freed in one transaction */
#define PAGES_LEAST 16 /* ... on a full disk */
#define SCARCE ((uint64_t)64 << 20)
#define LEAST_RESERVE (PM_SPACE_RESERVE_BYTES / 8) /* worth having */
#define MOST_GROWTH (PM_SPACE_RESERVE_BYTES / 2)
#define WAITS 20 /* for a reader that is about to end */
#define WAIT_MS 25
#define INCREMENTAL 2 /* PRAGMA auto_vacuum */

pmapdb_status pm_space_read(pmapdb_store *s, pm_space *out, pmapdb_error *err)
{
    int64_t pages, free_pages, page_size, mode, trees;
    pmapdb_status st = pm_sql_int(s->sql, "PRAGMA page_count", PM_NO_ARGS, 0, &pages, err);

    if (st == PMAPDB_OK)
        st = pm_sql_int(s->sql, "PRAGMA freelist_count", PM_NO_ARGS, 0, &free_pages, err);
    if (st == PMAPDB_OK)
        st = pm_sql_int(s->sql, "PRAGMA page_size", PM_NO_ARGS, 0, &page_size, err);
    if (st == PMAPDB_OK)
        st = pm_sql_int(s->sql, "PRAGMA auto_vacuum", PM_NO_ARGS, 0, &mode, err);
    if (st ==
        PMAPDB_OK) /* every table and index has a page, as have the schema and the list of pages */
        st = pm_sql_int(s->sql, "SELECT count(*) + 8 FROM sqlite_master WHERE rootpage > 0",
                        PM_NO_ARGS, 0, &trees, err);
    if (st != PMAPDB_OK)
        return st;
    *out = (pm_space){.file_kib = pages * page_size / 1024,
                      .used_kib = (pages - free_pages) * page_size / 1024,
                      .bare_kib = trees * page_size / 1024,
                      .shrinks = mode == INCREMENTAL};
    return PMAPDB_OK;
}

/* ---- the reserve ---- */

static int open_wal(const char *wal)
{
    return open(wal, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
}

static int open_own_wal(const pmapdb_store *s)
{
    return open_wal(sqlite3_filename_wal(sqlite3_db_filename(s->db, "main")));
}

/* Blocks behind the end of the -wal. False where the disk does not have them all: then as many as
 * it has, by halves. A file system that cannot give any makes no difference to anything. */
static bool reserve(int fd, const struct stat *info)
{
    if ((int64_t)info->st_blocks * 512 >= (int64_t)info->st_size + PM_SPACE_RESERVE_BYTES)
        return true; /* without asking the file system, which takes longer */
    for (off_t n = PM_SPACE_RESERVE_BYTES; n >= LEAST_RESERVE; n /= 2) {
        if (fallocate(fd, FALLOC_FL_KEEP_SIZE, info->st_size, n) == 0)
            return n == PM_SPACE_RESERVE_BYTES;
        if (errno != ENOSPC && errno != EDQUOT)
            return true;
    }
    return false;
}

void pm_space_reserve(const char *wal)
{
    int fd = open_wal(wal);
    struct stat info;

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && info.st_size == 0)
        reserve(fd, &info);
    close(fd);
}

static bool has_reserve(const pmapdb_store *s, bool *scarce)
{
    int fd = open_own_wal(s);
    struct stat info;
    struct statvfs disk;
    bool has;

    *scarce = false;
    if (fd < 0)
        return true;
    has = fstat(fd, &info) != 0 || reserve(fd, &info);
    *scarce = fstatvfs(fd, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < SCARCE;
    close(fd);
    return has;
}

/* ---- the -wal into the file ---- */

/* In bytes. */
typedef struct room {
    int64_t wal;    /* the -wal is so long */
    int64_t usable; /* free on the disk, or behind the end of the -wal */
    int64_t growth; /* of the file, when all that the -wal holds is in it */
} room;

static bool read_room(const pmapdb_store *s, int fd, room *out)
{
    struct stat wal, file;
    struct statvfs disk;
    int64_t pages = 0, page_size = 0, behind;

    if (fstat(fd, &wal) != 0 || stat(sqlite3_db_filename(s->db, "main"), &file) != 0 ||
        fstatvfs(fd, &disk) != 0 ||
        pm_sql_int(s->sql, "PRAGMA page_count", PM_NO_ARGS, 0, &pages, NULL) != PMAPDB_OK ||
        pm_sql_int(s->sql, "PRAGMA page_size", PM_NO_ARGS, 0, &page_size, NULL) != PMAPDB_OK)
        return false;
    behind = (int64_t)wal.st_blocks * 512 - (int64_t)wal.st_size;
    *out = (room){.wal = (int64_t)wal.st_size,
                  .usable = (int64_t)((uint64_t)disk.f_bavail * disk.f_frsize) +
                            (behind > 0 ? behind : 0),
                  .growth = pages * page_size - (int64_t)file.st_size};
    if (out->growth > 0)
        out->growth += 2 * page_size; /* what the file system itself needs for that */
    else
        out->growth = 0;
    return true;
}

/* The blocks behind the end of the -wal become free, if that is enough for the file to grow into.
 * Under the writer's lock: nobody else's writing is cut off. */
static bool give_up_reserve(pmapdb_store *s)
{
    int fd = open_own_wal(s);
    bool gave = false;
    room r;

    if (fd < 0)
        return false;
    if (pm_store_begin(s, NULL) == PMAPDB_OK) {
        gave = read_room(s, fd, &r) && r.growth <= r.usable && ftruncate(fd, r.wal) == 0;
        pm_store_rollback(s);
    }
    close(fd);
    return gave;
}

/* Waits for nobody, and makes nobody wait. The -wal is written over from its start when all of it
 * is copied: so the disk has more for its reserve than was given up. */
static int copy_wal_once(pmapdb_store *s, int *in_wal, int *copied)
{
    int rc = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, in_wal, copied);
    bool scarce;

    if ((rc & 0xff) == SQLITE_FULL && give_up_reserve(s)) {
        rc = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, in_wal, copied);
        has_reserve(s, &scarce);
    }
    return rc;
}

void pm_space_copy_wal(pmapdb_store *s)
{
    copy_wal_once(s, NULL, NULL);
}

/* The WAL itself is as long as it ever was; a WAL in use stays as it is. */
static void shorten_wal(pmapdb_store *s)
{
    int64_t busy_ms = 0;

    if (pm_sql_int(s->sql, "PRAGMA busy_timeout", PM_NO_ARGS, 0, &busy_ms, NULL) != PMAPDB_OK)
        return;
    sqlite3_busy_timeout(s->db, 0);
    sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(s->db, (int)busy_ms);
}

/* ---- may something be added ---- */

static pmapdb_status fail_reserve(const pmapdb_store *s, pmapdb_error *err)
{
    pm_fail(err, PMAPDB_DATABASE,
            "cannot add to %s: no space left on the device but what is kept for a prune; what was "
            "stored before is whole; pmapdb prune makes room",
            sqlite3_db_filename(s->db, "main"));
    if (err)
        err->db_code = SQLITE_FULL;
    return PMAPDB_DATABASE;
}

pmapdb_status pm_space_check(pmapdb_store *s, bool *scarce, pmapdb_error *err)
{
    if (has_reserve(s, scarce))
        return PMAPDB_OK;
    pm_space_settle(s);
    return has_reserve(s, scarce) ? PMAPDB_OK : fail_reserve(s, err);
}

pmapdb_status pm_space_check_written(pmapdb_store *s, pmapdb_error *err)
{
    int fd = open_own_wal(s);
    bool fits = true;
    room r;

    if (fd < 0)
        return PMAPDB_OK;
    if (sqlite3_db_cacheflush(s->db) != SQLITE_OK) {
        close(fd);
        return pm_sql_fail(s->db, "write", err);
    }
    if (read_room(s, fd, &r))
        fits = r.growth <= r.usable && r.usable - r.growth + r.wal >= PM_SPACE_RESERVE_BYTES;
    close(fd);
    return fits ? PMAPDB_OK : fail_reserve(s, err);
}

/* Much growth that is not in the file yet may find the disk filled by somebody else. */
static bool is_settled(const pmapdb_store *s)
{
    int fd = open_own_wal(s);
    bool scarce, settled;
    room r;

    if (fd < 0)
        return true;
    settled = has_reserve(s, &scarce) && read_room(s, fd, &r) && r.growth <= MOST_GROWTH;
    close(fd);
    return settled;
}

void pm_space_settle(pmapdb_store *s)
{
    bool scarce;

    if (is_settled(s))
        return;
    pm_space_copy_wal(s);
    shorten_wal(s);
    has_reserve(s, &scarce);
}

/* ---- giving space back ---- */

bool pm_space_is_full(pmapdb_status st, const pmapdb_error *err)
{
    return st == PMAPDB_DATABASE && err && (err->db_code & 0xff) == SQLITE_FULL;
}

/* Unlike others, this statement gives a row per page: sqlite3_exec reads it to its end. */
static pmapdb_status free_some(pmapdb_store *s, size_t pages, pmapdb_error *err)
{
    char text[64];

    snprintf(text, sizeof text, "PRAGMA incremental_vacuum(%zu)", pages);
    if (sqlite3_exec(s->db, text, NULL, NULL, NULL) != SQLITE_OK)
        return pm_sql_fail(s->db, "give space back", err);
    return PMAPDB_OK;
}

static pmapdb_status free_pages(pmapdb_store *s, const pm_steps *steps, pmapdb_error *err)
{
    pm_pace pace = pm_pace_of(PAGES, PAGES_LEAST);
    int64_t left, before = INT64_MAX, all = 0;
    pmapdb_status st;

    for (;;) {
        st = pm_sql_int(s->sql, "PRAGMA freelist_count", PM_NO_ARGS, 0, &left, err);
        if (st != PMAPDB_OK || left == 0 || left >= before) /* others may be freeing as well */
            return st;
        all = all ? all : left;
        st = pm_steps_tell(steps, "giving space back", left < all ? (uint64_t)(all - left) : 0,
                           (uint64_t)all, err);
        if (st != PMAPDB_OK)
            return st;
        st = free_some(s, pace.now, err);
        if (st == PMAPDB_OK) {
            pm_pace_fitted(&pace);
            before = left;
        } else if (pm_space_is_full(st, err) && pm_pace_slower(&pace)) {
            pm_space_copy_wal(s);
        } else {
            return st;
        }
    }
}

/* What is free at the end of the file comes first: when the file is shorter by that, the -wal may
 * take as much more, so that less has to be done at a time. */
bool pm_space_try_again(pmapdb_store *s, pm_pace *pace, pmapdb_status st, const pmapdb_error *err)
{
    const pm_steps silent = {0};
    pmapdb_error own = {0};

    if (!pm_space_is_full(st, err) || !pm_pace_slower(pace))
        return false;
    pm_store_rollback(s);
    pm_space_copy_wal(s);
    free_pages(s, &silent, &own);
    pm_space_copy_wal(s);
    return true;
}

/* The file gets its new size when everything is copied out of the WAL, which readers of older
 * states hold up. None of the two calls waits for anybody, or makes anybody wait. */
static pmapdb_status copy_wal(pmapdb_store *s, bool *held, pmapdb_error *err)
{
    int in_wal = 0, copied = 0, rc;

    *held = true;
    for (int i = 0; i < WAITS && *held; i++) {
        if (i > 0)
            sqlite3_sleep(WAIT_MS);
        rc = copy_wal_once(s, &in_wal, &copied);
        if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY)
            return pm_sql_fail_code(s->db, rc, "copy the WAL", err);
        *held = rc != SQLITE_OK || copied < in_wal;
    }
    return PMAPDB_OK;
}

pmapdb_status pm_space_give_back(pmapdb_store *s, const pm_steps *steps, bool *held,
                                 pmapdb_error *err)
{
    pm_space space;
    pmapdb_status st = pm_space_read(s, &space, err);

    *held = false;
    if (st == PMAPDB_OK && space.shrinks)
        st = free_pages(s, steps, err);
    if (st == PMAPDB_OK)
        st = copy_wal(s, held, err);
    if (st == PMAPDB_OK && !*held)
        shorten_wal(s);
    return st;
}

pmapdb_status pm_space_vacuum(pmapdb_store *s, pmapdb_error *err)
{
    if (sqlite3_exec(s->db, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM", NULL, NULL, NULL) !=
        SQLITE_OK)
        return pm_sql_fail(s->db, "vacuum", err);
    return PMAPDB_OK;
}
