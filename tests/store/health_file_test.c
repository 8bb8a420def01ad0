/* health_file_test: results of pmapdb_doctor() about the file itself, compared with the file.
 * Damage of pages is also in tests/cli/doctor.sh. */
#include "heard.h"

#include <fcntl.h>
#include <math.h>
#include <sys/statvfs.h>

/* Runs SQL in a separate connection while the store is closed. */
static void by_hand(const kit *k, const char *sql)
{
    sqlite3 *db;
    char *text = NULL;

    assert_int_equal(sqlite3_open(k->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s", text);
    sqlite3_close(db);
}

static void file_is(const kit *k, const char *end, int64_t bytes)
{
    char path[128];

    snprintf(path, sizeof path, "%s%s", k->path, end);
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    assert_int_equal(truncate(path, bytes), 0);
}

/* ---- size, free, disk ---- */

IN_KIT(sizes_are_those_of_the_file)
{
    struct statvfs disk;
    heard h;
    double got;

    for (int64_t i = 0; i < 50; i++)
        snapshot(k, 1, i);
    heard_checkpoint(k);
    kit_close(k);
    ask(k, &h, false);
    assert_int_equal(h.number[find(&h, "size")] * 1024, kit_bytes(k, ""));
    expect(&h, "size", OK, " -wal 0 KiB");
    /* Other programs write to this disk, too. */
    assert_int_equal(statvfs(k->path, &disk), 0);
    got = h.number[find(&h, "disk")];
    assert_true(fabs(got - (double)disk.f_bavail * (double)disk.f_frsize / 1024) < got / 4);
    file_is(k, "-wal", INT64_C(65536) * 1024);
    hears(k, "size", OK, "-wal 64 MiB");
    file_is(k, "-wal", INT64_C(65537) * 1024);
    hears(
        k, "size", NOTE,
        "-wal 64 MiB: a reader that stays open keeps SQLite from copying the -wal into the store");
}

/* The disk has less room than the store takes: the -wal is a sparse file. */
IN_KIT(a_disk_that_is_small)
{
    struct statvfs disk;
    heard h;
    int64_t free_bytes;

    kit_close(k);
    assert_int_equal(statvfs(k->path, &disk), 0);
    free_bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
    if (free_bytes > INT64_C(1) << 42 || free_bytes < INT64_C(1) << 28)
        skip();
    file_is(k, "-wal", free_bytes / 2);
    ask(k, &h, false);
    assert_int_equal(h.state[find(&h, "disk")], OK);
    file_is(k, "-wal", free_bytes * 2);
    hears(k, "disk", NOTE, ": less than the store, which a VACUUM needs");
}

/* The check turns into a note at a quarter of the pages. */
IN_KIT(pages_that_are_free)
{
    heard h;

    kit_close(k);
    by_hand(k, "PRAGMA auto_vacuum = 0; VACUUM; CREATE TABLE x (y); CREATE TABLE z (y);"
               "INSERT INTO x VALUES (zeroblob(65536)); INSERT INTO z VALUES (zeroblob(1048576));"
               "DROP TABLE x");
    ask(k, &h, false);
    expect(&h, "free", OK, "KiB of the file is unused");
    assert_true(fabs(h.number[find(&h, "free")] - 64) < 20);
    by_hand(k, "DROP TABLE z");
    ask(k, &h, false);
    expect(&h, "free", NOTE, "of the file is unused: pmapdb prune --compact gives it back");
    assert_true(fabs(h.number[find(&h, "free")] - 1088) < 40);
}

IN_KIT(a_journal_that_is_not_wal)
{
    hears(k, "journal", OK, "wal readers and a writer do not wait");
    kit_close(k);
    by_hand(k, "PRAGMA journal_mode = DELETE");
    hears(k, "journal", NOTE, "delete not wal: readers and writers wait for each other");
}

IN_KIT(who_may_write)
{
    if (geteuid() == 0)
        skip(); /* root may always write */
    kit_close(k);
    chmod(k->path, 0400);
    hears(k, "write", NOTE, "no this user may not write the file");
    chmod(k->path, 0600);
    chmod(k->dir, 0500);
    hears(k, "write", NOTE, "no this user may not write the folder");
    chmod(k->dir, 0700);
}

/* ---- the full answer ---- */

/* An index that lacks a row of its table: --deep compares the two. */
IN_KIT(an_index_that_lacks_a_row)
{
    heard h;

    kit_close(k);
    by_hand(k, "CREATE TEMP TABLE i AS SELECT * FROM sqlite_master WHERE name = 'lineage_process';"
               "PRAGMA writable_schema = ON;"
               "DELETE FROM sqlite_master WHERE name = 'lineage_process';"
               "PRAGMA writable_schema = RESET;"
               "PRAGMA foreign_keys = OFF; INSERT INTO refused VALUES (1, 1, 'x');"
               "INSERT INTO lineage (process_id, first_snapshot_id, category_id) VALUES (1, 1, 1);"
               "PRAGMA writable_schema = ON; INSERT INTO main.sqlite_master SELECT * FROM i;"
               "PRAGMA writable_schema = RESET");
    hears(k, "integrity", OK, "0 every page; --deep also");
    ask(k, &h, true);
    expect(&h, "integrity", TROUBLE, "lineage_process");
    expect(&h, "next", NOTE, "rescue sqlite3 ");
}

/* A page that the -wal lacks is damage: of the errors of pages, only code 7 is a lack of memory. */
IN_KIT(a_wal_that_was_cut)
{
    snapshot(k, 1, 0);
    heard_checkpoint(k);
    kit_exec(k, "INSERT INTO pin (snapshot_id, reason, pinned_ms) VALUES (1, 'x', 0)");
    file_is(k, "-wal", 32);
    hears(k, "integrity", TROUBLE, "unable to get the page. error code=522");
}

/* Each check that finds damage also adds the row that tells how to rescue the store. */
IN_KIT(rows_that_name_nothing)
{
    pmapdb_doctor_options options;
    heard h;

    snapshot(k, 1, 0);
    kit_exec(k, "PRAGMA foreign_keys = OFF; DELETE FROM object");
    pmapdb_doctor_defaults(&options);
    options.deep = true;
    ask_with(k, &h, options);
    expect(&h, "references", TROUBLE, "refers to a row that is missing in object");
    expect(&h, "next", NOTE, "rescue sqlite3 ");
}

IN_KIT(a_database_of_another)
{
    char path[128];

    kit_remove_store(k);
    by_hand(k, "PRAGMA page_size = 65536; PRAGMA application_id = 1886217314;"
               "PRAGMA user_version = 1; CREATE TABLE x (y); CREATE TABLE z (y)");
    file_is(k, "", 65536); /* of three pages */
    hears(k, "header", TROUBLE, "cut 1 of 3 pages exist: the end of the file is missing");
    snprintf(path, sizeof path, "%s", k->path);
    unlink(path);
    kit_open(k);
}

/* ---- sums ---- */

/* A capture with sums only has no mappings to compare; a sum is known if all rows know it. */
IN_KIT(sums_of_every_kind)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 1, BEATS_MS + 1000);
    pm_mapping m = {.start = 0x9000, .end = 0xa000, .perms = "r--p", .path = PM_TEXT("/x")};
    pm_capture *sums = kit_totals(k, PM_DIALECT_ROLLUP, 1, BEATS_MS + 2000);
    heard h;

    snapshot(k, 1, 0);
    for (int i = 0; i < 2; i++) {
        pm_set(&m, PM_SIZE, 4);
        pm_set(&m, PM_RSS, 4);
        if (i)
            pm_set(&m, PM_PSS, 4);
        m.start += 0x2000 * (uint64_t)i;
        m.end = m.start + 4096;
        kit_add(k, c, &m);
    }
    kit_put(k, c);
    kit_total(sums, PM_TOTAL_RSS, PM_BIT(PM_RSS), 32);
    kit_put(k, sums);
    ask(k, &h, true);
    expect_exactly(&h, "sums", OK, "3 match the sums of their mappings");
    expect_exactly(&h, "categories", OK, "3 match the sums of their categories");
    kit_exec(k, "UPDATE snapshot SET rss_kib = rss_kib + 1 WHERE snapshot_id < 3");
    ask(k, &h, true);
    expect_exactly(&h, "sums", TROUBLE, "2 do not match the sums of their mappings: @1 to @2");
    kit_exec(k, "UPDATE snapshot SET rss_kib = rss_kib + 1");
    ask(k, &h, true);
    expect_exactly(&h, "categories", TROUBLE,
                   "3 do not match the sums of their categories: @1 to @3");
    expect_exactly(&h, "sums", TROUBLE, "2 do not match the sums of their mappings: @1 to @2");
}

RUN_TESTS(NULL, NULL)
