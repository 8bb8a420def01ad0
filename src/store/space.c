/* space: the size of the store's file, and giving back what is free in it. */
#include "store/space.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES 512 /* moved and freed in one transaction */
#define WAITS 20  /* for a reader that is about to end */
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

/* Unlike others, this statement gives a row per page: sqlite3_exec reads it to its end. */
#define TEXT_OF(number) #number
#define FREE_SOME(pages) "PRAGMA incremental_vacuum(" TEXT_OF(pages) ")"

static pmapdb_status free_pages(pmapdb_store *s, const pm_steps *steps, pmapdb_error *err)
{
    int64_t left, before = INT64_MAX, all = 0;
    pmapdb_status st;

    for (;; before = left) {
        st = pm_sql_int(s->sql, "PRAGMA freelist_count", PM_NO_ARGS, 0, &left, err);
        if (st != PMAPDB_OK || left == 0 || left >= before) /* others may be freeing as well */
            return st;
        all = all ? all : left;
        st = pm_steps_tell(steps, "giving space back", left < all ? (uint64_t)(all - left) : 0,
                           (uint64_t)all, err);
        if (st != PMAPDB_OK)
            return st;
        if (sqlite3_exec(s->db, FREE_SOME(PAGES), NULL, NULL, NULL) != SQLITE_OK)
            return pm_sql_fail(s->db, "give space back", err);
    }
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
        rc = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_wal, &copied);
        if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY)
            return pm_sql_fail(s->db, "copy the WAL", err);
        *held = rc != SQLITE_OK || copied < in_wal;
    }
    return PMAPDB_OK;
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

/* Blocks behind the end of the -wal, which stays empty. A file system that cannot give them makes
 * no difference to anything else. */
void pm_space_reserve(const char *wal)
{
    int fd = open(wal, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat info;

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && info.st_size == 0)
        fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, PM_SPACE_RESERVE_BYTES);
    close(fd);
}
