/* full_disk_test: prunes where the disk has room for a few pages at a time, and none for a larger
 * file. */
#include "prune_world.h"

#define FRAME (4096 + 24) /* a page in the -wal */

/* The disk: SQLite's writes behind these ends are refused. */
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

/* Room for `pages` in the -wal, which becomes empty. */
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
    disk.wal = *wal->pMethods; /* locks nothing, but writes alike */
    disk.wal.xWrite = write_wal;
    disk.file.xWrite = write_file;
    disk.wal_most = 32 + pages * FRAME;
    disk.refused = 0;
    assert_int_equal(file->pMethods->xFileSize(file, (sqlite3_int64 *)&disk.file_most), SQLITE_OK);
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

static int64_t count(const kit *k, const char *sql)
{
    int64_t n = -1;
    pmapdb_error err = {0};

    kit_ok(pm_sql_int(k->store->sql, sql, PM_NO_ARGS, 0, &n, &err), &err);
    return n;
}

static pmapdb_status keep_two(const kit *k, pmapdb_error *err)
{
    pmapdb_prune_options o = {.keep.last = 2, .max_kib = PMAPDB_UNKNOWN};
    pmapdb_prune_result r;

    return pmapdb_prune(k->store, &o, &r, err);
}

/* Less and less room: the store is pruned and its file shorter, what stays is what was there; what
 * was not tidied, the next prune does. */
static void little_at_a_time(void **state)
{
    static const int64_t rooms[] = {60, 40, 20};
    kit *k = kit_of(state);

    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        pmapdb_error err = {0};
        int64_t pages;

        kit_remove_store(k);
        kit_open(k);
        fill_store(k);
        pages = count(k, "PRAGMA page_count");
        fill_disk(k, rooms[i]);
        kit_ok(keep_two(k, i % 2 ? &err : NULL), &err);
        assert_true(disk.refused > 0);
        assert_true(PW_NONE(k, pw_changed));
        assert_true(count(k, "PRAGMA page_count") < pages);
        empty_disk();
        kit_ok(keep_two(k, &err), &err);
        assert_true(PW_NONE(k, pw_changed) && PW_NONE(k, whole_broken) && PW_NONE(k, pw_untidy));
    }
}

/* A process whose epochs are larger than the room: they stay as they are, with their holes, until a
 * prune that has more. */
static void too_large_to_tidy(void **state)
{
    kit *k = kit_of(state);
    pmapdb_error err = {0};

    for (int64_t n = 0; n < 12; n++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, 1, PW_AT(n));

        for (uint64_t i = 0; i < 1500; i++)
            kit_map(k, c, 0x10000000 + (i << 20), 64 + 4 * (i % 7 == (uint64_t)n % 7), "rw-p", "");
        kit_put(k, c);
    }
    pw_remember(k);
    fill_disk(k, 24);
    kit_ok(keep_two(k, &err), &err);
    assert_int_equal(count(k, "SELECT count(*) FROM snapshot"), 2);
    assert_int_equal(count(k, "SELECT count(*) FROM untidy"), 1);
    assert_true(PW_NONE(k, pw_changed));
    empty_disk();
    kit_ok(keep_two(k, &err), &err);
    assert_true(PW_NONE(k, pw_changed) && PW_NONE(k, whole_broken) && PW_NONE(k, pw_untidy));
}

/* Many pages to give back, of a store of several MiB. */
static void a_larger_store(void **state)
{
    kit *k = kit_of(state);
    pmapdb_error err = {0};
    int64_t pages;

    pw_fill(k, 1200);
    pw_remember(k);
    pages = count(k, "PRAGMA page_count");
    fill_disk(k, 160);
    kit_ok(keep_two(k, &err), &err);
    assert_true(disk.refused > 0);
    assert_true(count(k, "PRAGMA page_count") < pages / 2);
    assert_true(PW_NONE(k, pw_changed) && PW_NONE(k, whole_broken) && PW_NONE(k, pw_untidy));
    empty_disk();
}

/* Where not even one moment fits: the line that says so, and nothing has changed. */
static void nothing_fits(void **state)
{
    kit *k = kit_of(state);
    pmapdb_error err = {0};
    int64_t snapshots;

    fill_store(k);
    snapshots = count(k, "SELECT count(*) FROM snapshot");
    fill_disk(k, 1);
    assert_int_equal(keep_two(k, &err), PMAPDB_DATABASE);
    assert_non_null(strstr(err.text, "no space left on the device"));
    assert_int_equal(count(k, "SELECT count(*) FROM snapshot"), snapshots);
    assert_true(PW_NONE(k, pw_changed) && PW_NONE(k, whole_broken));
    empty_disk();
}

/* Another program's state of the store, which stays what it was. */
static void beside_a_reader(void **state)
{
    kit *k = kit_of(state);
    pmapdb_open_options o = {.mode = PMAPDB_READ};
    pmapdb_error err = {0};
    kit reader = *k;
    int64_t snapshots;

    fill_store(k);
    snapshots = count(k, "SELECT count(*) FROM snapshot");
    fill_disk(k, 40);
    kit_ok(pmapdb_open(k->path, &o, &reader.store, &err), &err);
    kit_exec(&reader, "BEGIN");
    assert_int_equal(count(&reader, "SELECT count(*) FROM snapshot"), snapshots);
    assert_int_equal(keep_two(k, &err), PMAPDB_DATABASE); /* the -wal cannot begin anew */
    assert_int_equal(count(&reader, "SELECT count(*) FROM snapshot"), snapshots);
    assert_true(PW_NONE(k, pw_changed));
    kit_exec(&reader, "COMMIT");
    kit_ok(keep_two(k, &err), &err);
    pmapdb_close(reader.store);
    assert_true(PW_NONE(k, pw_changed));
    empty_disk();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(too_large_to_tidy), IN_KIT(little_at_a_time), IN_KIT(a_larger_store),
        IN_KIT(nothing_fits),      IN_KIT(beside_a_reader),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
