/* space_test: the space that a store takes on the disk next to its file, and the effects of a full
 * disk. */
#include "prune_world.h"

#include "store/file/space.h"
#include <pthread.h>
#include <stdatomic.h>

/* The pages that SQLite finds in the -wal of a store that no process uses. */
static int pages_left(kit *k)
{
    sqlite3 *db = NULL;
    int pages = -1, on = 1;

    assert_int_equal(sqlite3_open(k->path, &db), SQLITE_OK);
    sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
    sqlite3_exec(db, "SELECT count(*) FROM refused", NULL, NULL, NULL);
    sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, &pages, NULL);
    sqlite3_close(db);
    return pages;
}

/* Runs from cron must not leave pages in the -wal to the next run; the -wal keeps its size. */
IN_KIT(one_run_after_another)
{
    int64_t size = 0;

    for (int64_t n = 0; n < 20; n++) {
        pw_put_grown(k, 1, n, n + 1);
        kit_close(k);
        assert_int_equal(pages_left(k), 0);
        assert_true(n == 0 || kit_bytes(k, "-wal") == size);
        size = kit_bytes(k, "-wal");
        kit_open(k);
    }
    assert_true(size > 4096);
    kit_exec(k, "REPLACE INTO refused VALUES (1, 1, hex(zeroblob(1000000)))");
    kit_close(k);
    assert_int_equal(kit_bytes(k, "-wal"), 0);
}

/* ---- readers that overlap ---- */

typedef struct readers {
    const char *path;
    atomic_bool begun, end;
} readers;

static sqlite3 *begin_reading(const char *path)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "BEGIN; SELECT count(*) FROM refused", NULL, NULL, NULL) != SQLITE_OK)
        abort();
    return db;
}

/* Each reader begins before the previous one ends. */
static void *read_on(void *ctx)
{
    readers *r = ctx;
    sqlite3 *one = begin_reading(r->path), *next;

    r->begun = true;
    while (!r->end) {
        usleep(5000);
        next = begin_reading(r->path);
        sqlite3_close(one);
        one = next;
    }
    sqlite3_close(one);
    return NULL;
}

/* 200 MiB are written; the -wal begins anew again and again. */
IN_KIT(readers_that_overlap)
{
    readers r = {.path = k->path};
    pthread_t thread;
    int64_t longest = 0;

    assert_int_equal(pthread_create(&thread, NULL, read_on, &r), 0);
    while (!r.begun)
        usleep(1000);
    for (int64_t i = 0; i < 400; i++) {
        kit_exec(k, "REPLACE INTO refused VALUES (1, 1, hex(zeroblob(250000)))");
        longest = kit_bytes(k, "-wal") > longest ? kit_bytes(k, "-wal") : longest;
    }
    r.end = true;
    pthread_join(thread, NULL);
    assert_true(longest < 64 << 20);
}

/* ---- a full disk ---- */

IN_KIT(a_full_disk_is_a_failed_write)
{
    pmapdb_error err = {0};

    pw_put_grown(k, 1, 0, 1);
    kit_exec(k, "PRAGMA max_page_count = 1");
    pm_sql_do(k->store->sql, "CREATE TABLE large AS SELECT randomblob(1000000)", PM_NO_ARGS);
    assert_int_equal(pm_sql_end(k->store->sql, &err), PMAPDB_DATABASE);
    assert_memory_equal(err.text, "cannot write ", 13);
    kit_says(&err, "no space left on the device");
    kit_says(&err, "pmapdb prune makes the store smaller");
}

RUN_TESTS(NULL, NULL)
