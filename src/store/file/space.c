/* space: the size of a store's file, and returning its free space. */
#include "store/file/space.h"

#define PAGES "512" /* pages freed in one transaction */
#define WAITS 20    /* for a reader that is about to end */
#define WAIT_MS 25
#define INCREMENTAL 2 /* PRAGMA auto_vacuum */

pm_space pm_space_read(pmapdb_store *s)
{
    int64_t pages = pm_sql_value(s->sql, "PRAGMA page_count", PM_NO_ARGS, 0);
    int64_t free_pages = pm_sql_value(s->sql, "PRAGMA freelist_count", PM_NO_ARGS, 0);
    int64_t page_size = pm_sql_value(s->sql, "PRAGMA page_size", PM_NO_ARGS, 0);
    int64_t mode = pm_sql_value(s->sql, "PRAGMA auto_vacuum", PM_NO_ARGS, 0);
    /* every table and index has a page, and so have the schema and the list of pages */
    int64_t trees = pm_sql_value(
        s->sql, "SELECT count(*) + 8 FROM sqlite_master WHERE rootpage > 0", PM_NO_ARGS, 0);

    return (pm_space){.file_kib = pages * page_size / 1024,
                      .used_kib = (pages - free_pages) * page_size / 1024,
                      .bare_kib = trees * page_size / 1024,
                      .shrinks = mode == INCREMENTAL};
}

bool pm_space_is_full(pmapdb_status st, const pmapdb_error *err)
{
    return st == PMAPDB_DATABASE && err && (err->db_code & 0xff) == SQLITE_FULL;
}

/* Frees some pages at a time, so that other writers do not wait long. The pragma returns a row per
 * page, all of which are read. */
static void free_pages(pmapdb_store *s, const pm_steps *steps)
{
    int64_t left, before = INT64_MAX, all = 0;

    for (;; before = left) {
        left = pm_sql_value(s->sql, "PRAGMA freelist_count", PM_NO_ARGS, 0);
        if (left == 0 || left >= before) /* other processes may be freeing pages, too */
            return;
        all = all ? all : left;
        PM_SQL_STEP(s->sql,
                    pm_steps_tell(steps, "giving space back", "pages",
                                  left < all ? (uint64_t)(all - left) : 0, (uint64_t)all, &err));
        pm_sql_exec(s->sql, "PRAGMA incremental_vacuum(" PAGES ")", "give space back");
    }
}

/* Copies the -wal. The file gets its new size when the full -wal is copied into it; readers of
 * older states delay the copy. A passive checkpoint waits for no process and makes none wait.
 * Returns false if the copy is not complete. */
static bool copy_wal(pmapdb_store *s)
{
    int in_wal = 0, copied = 0, rc;

    for (int i = 0; i < WAITS && pm_sql_ok(s->sql); i++) {
        if (i > 0)
            sqlite3_sleep(WAIT_MS);
        rc = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_wal, &copied);
        if (rc == SQLITE_OK && copied >= in_wal)
            return true;
        if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY)
            PM_SQL_STEP(s->sql, pm_sql_fail_code(s->db, rc, "copy the WAL", &err));
    }
    return false;
}

bool pm_space_give_back(pmapdb_store *s, const pm_steps *steps)
{
    int64_t patience = s->patience_ms;

    if (pm_space_read(s).shrinks)
        free_pages(s, steps);
    if (!copy_wal(s))
        return true;
    /* otherwise the -wal keeps its largest size; a -wal in use stays */
    pm_store_set_patience(s, 0);
    sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    pm_store_set_patience(s, patience);
    return false;
}

void pm_space_vacuum(pmapdb_store *s)
{
    pm_sql_exec(s->sql, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM", "vacuum");
}
