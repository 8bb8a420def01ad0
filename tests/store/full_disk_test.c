/* full_disk_test: a prune on a disk without room for its writes. */
#include "prune_world.h"

#define FRAME (4096 + 24) /* a page in the -wal */

/* A disk that refuses SQLite's writes beyond these limits. */
static struct {
    const sqlite3_io_methods *real;
    sqlite3_io_methods wal, file;
    int64_t wal_most, file_most;
    unsigned refused;
} disk;

static int write_until(sqlite3_file *f, const void *bytes, int n, int64_t at, int64_t most)
{
    if (at + n > most) {
        disk.refused++;
        return SQLITE_FULL;
    }
    return disk.real->xWrite(f, bytes, n, at);
}

static int write_wal(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at)
{
    return write_until(f, bytes, n, at, disk.wal_most);
}

static int write_file(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at)
{
    return write_until(f, bytes, n, at, disk.file_most);
}

/* Empties the -wal, and leaves room for `pages` pages in the -wal and in the file. */
static void fill_disk(const kit *k, int64_t pages)
{
    sqlite3_file *wal = NULL, *file = NULL;
    sqlite3 *db = k->store->db;

    assert_int_equal(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file), SQLITE_OK);
    assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal),
                     SQLITE_OK);
    disk.real = file->pMethods;
    disk.file = *file->pMethods;
    disk.wal = *wal->pMethods; /* a -wal has no locks, but the same writes */
    disk.wal.xWrite = write_wal;
    disk.file.xWrite = write_file;
    disk.wal_most = 32 + pages * FRAME;
    disk.refused = 0;
    assert_int_equal(file->pMethods->xFileSize(file, (sqlite3_int64 *)&disk.file_most), SQLITE_OK);
    disk.file_most += pages * 4096;
    wal->pMethods = &disk.wal;
    file->pMethods = &disk.file;
}

static void empty_disk(void)
{
    disk.wal_most = disk.file_most = INT64_MAX;
}

static void fill_store(const kit *k)
{
    world_history h;

    pw_history(k, &h, 3, 70);
    for (size_t i = 0; i < h.n; i++)
        kit_put(k, h.capture[i]);
    pw_remember(k);
}

static pmapdb_status keep_two(const kit *k, pmapdb_error *err)
{
    pmapdb_prune_options o = {.keep.last = 2, .max_kib = PMAPDB_UNKNOWN};
    pmapdb_prune_result r;

    return pmapdb_prune(k->store, &o, &r, err);
}

/* The prune reports the full disk, and nothing has changed. */
IN_KIT(nothing_fits)
{
    pmapdb_error err = {0};
    int64_t snapshots;

    fill_store(k);
    snapshots = kit_number(k->store, "SELECT count(*) FROM snapshot");
    fill_disk(k, 1);
    kit_fails(keep_two(k, &err), PMAPDB_DATABASE, &err, "no space left on the device");
    assert_int_equal(kit_number(k->store, "SELECT count(*) FROM snapshot"), snapshots);
    assert_true(PW_NONE(k, pw_changed) && PW_NONE(k, whole_broken));
    empty_disk();
}

RUN_TESTS(NULL, NULL)
