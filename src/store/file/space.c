/* space: the size of a store's file, and returning its free space. */
#include "store/file/space.h"

#define PAGES "512" /* pages freed in one transaction */
#define WAITS 20    /* for a reader that is about to end */
#define WAIT_MS 25
#define INCREMENTAL 2 /* PRAGMA auto_vacuum */

pmapdb_status pm_space_read(pmapdb_store *s, pm_space *out, pmapdb_error *err)
{
    int64_t pages = pm_sql_value(s->sql, "PRAGMA page_count", PM_NO_ARGS, 0);
    int64_t free_pages = pm_sql_value(s->sql, "PRAGMA freelist_count", PM_NO_ARGS, 0);
    int64_t page_size = pm_sql_value(s->sql, "PRAGMA page_size", PM_NO_ARGS, 0);
    int64_t mode = pm_sql_value(s->sql, "PRAGMA auto_vacuum", PM_NO_ARGS, 0);
    /* every table and index has a page, and so have the schema and the list of pages */
    int64_t trees = pm_sql_value(
        s->sql, "SELECT count(*) + 8 FROM sqlite_master WHERE rootpage > 0", PM_NO_ARGS, 0);

    *out = (pm_space){.file_kib = pages * page_size / 1024,
                      .used_kib = (pages - free_pages) * page_size / 1024,
                      .bare_kib = trees * page_size / 1024,
                      .shrinks = mode == INCREMENTAL};
    return pm_sql_end(s->sql, err);
}

bool pm_space_is_full(pmapdb_status st, const pmapdb_error *err)
{
    return st == PMAPDB_DATABASE && err && (err->db_code & 0xff) == SQLITE_FULL;
}

/* Frees some pages at a time, so that other writers do not wait long. The pragma returns a row per
 * page: sqlite3_exec reads all of them. */
static pmapdb_status free_pages(pmapdb_store *s, const pm_steps *steps, pmapdb_error *err)
{
    int64_t left, before = INT64_MAX, all = 0;
    pmapdb_status st;

    for (;; before = left) {
        left = pm_sql_value(s->sql, "PRAGMA freelist_count", PM_NO_ARGS, 0);
        st = pm_sql_end(s->sql, err);
        if (st != PMAPDB_OK || left == 0 ||
            left >= before) /* other processes may be freeing pages, too */
            return st;
        all = all ? all : left;
        st = pm_steps_tell(steps, "giving space back", "pages",
                           left < all ? (uint64_t)(all - left) : 0, (uint64_t)all, err);
        if (st != PMAPDB_OK)
            return st;
        if (sqlite3_exec(s->db, "PRAGMA incremental_vacuum(" PAGES ")", NULL, NULL, NULL) !=
            SQLITE_OK)
            return pm_sql_fail(s->db, "give space back", err);
    }
}

/* Copies the -wal. The file gets its new size when the full -wal is copied into it; readers of
 * older states delay the copy. A passive checkpoint waits for no process and makes none wait. */
static pmapdb_status copy_wal(pmapdb_store *s, bool *held, pmapdb_error *err)
{
    int in_wal = 0, copied = 0, rc;

    *held = true;
    for (int i = 0; i < WAITS && *held; i++) {
        if (i > 0)
            sqlite3_sleep(WAIT_MS);
        rc = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_wal, &copied);
        if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY)
            return pm_sql_fail_code(s->db, rc, "copy the WAL", err);
        *held = rc != SQLITE_OK || copied < in_wal;
    }
    return PMAPDB_OK;
}

/* Truncates the -wal, which otherwise keeps its largest size. A -wal in use stays as it is. */
static void shorten_wal(pmapdb_store *s)
{
    int64_t patience = s->patience_ms;

    pm_store_set_patience(s, 0);
    sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    pm_store_set_patience(s, patience);
}

pmapdb_status pm_space_give_back(pmapdb_store *s, const pm_steps *steps, bool *held,
                                 pmapdb_error *err)
{
    pm_space space;
    pmapdb_status st = pm_space_read(s, &space, err);

    *held = false;
    if (st == PMAPDB_OK && space.shrinks)
        st = free_pages(s, steps, err);
    PM_STEP(st, copy_wal(s, held, err));
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
