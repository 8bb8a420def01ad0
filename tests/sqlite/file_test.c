/* file_test: pmap_file against what a store makes of the same files, and over logs,
 * folders, archives, damage. Numbers themselves are checked by shell.sh. */
#include "sqlite/kit.h"

#include "pmapdb.h"
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char dir[] = "/tmp/pmapdb-XXXXXX";

static const char *in_dir(const char *name)
{
    return kit_sql("%s/%s", dir, name);
}

static void write_file(const char *name, const char *text, size_t n)
{
    FILE *out = fopen(in_dir(name), "w");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

static void read_file(const char *path, pm_buf *out)
{
    char block[4096];
    FILE *in = fopen(path, "r");
    size_t n;

    if (!in)
        fail_msg("no %s", path);
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        assert_int_equal(pm_buf_add(out, block, n, NULL), PMAPDB_OK);
    fclose(in);
}

/* A store that holds one file, attached as `store`. */
static void attach_store(sqlite3 *db, const char *path)
{
    pmapdb_open_options how = {.mode = PMAPDB_WRITE};
    pmapdb_import_options options;
    pmapdb_import_result result;
    pmapdb_store *store;
    pmapdb_error err;

    pmapdb_import_defaults(&options);
    options.at_ms = 1000;
    assert_int_equal(pmapdb_open(in_dir("store.db"), &how, &store, &err), PMAPDB_OK);
    if (path && pmapdb_import(store, &path, 1, &options, &result, &err) != PMAPDB_OK)
        fail_msg("%s", err.text);
    pmapdb_close(store);
    assert_int_equal(
        sqlite3_exec(db, kit_sql("ATTACH %Q AS store", in_dir("store.db")), NULL, NULL, NULL),
        SQLITE_OK);
}

static void detach_store(sqlite3 *db)
{
    assert_int_equal(sqlite3_exec(db, "DETACH store", NULL, NULL, NULL), SQLITE_OK);
    unlink(in_dir("store.db"));
    unlink(in_dir("store.db-wal"));
    unlink(in_dir("store.db-shm"));
}

/* The columns of the view except ids, then the columns that say where the row was found. */
CONNECTED(columns_are_the_views)
{
    static const char *const tables[] = {"smaps", "maps", "pmap_file"};
    pm_buf view = {0}, table = {0};

    attach_store(db, NULL);
    kit_rows(db,
             "SELECT name FROM pragma_table_info('mappings', 'store') WHERE name NOT LIKE '%\\_id' "
             "ESCAPE '\\'",
             &view);
    assert_non_null(strstr(pm_buf_text(&view).data, "protection_key"));
    for (size_t i = 0; i < 3; i++) {
        kit_rows(db, kit_sql("SELECT name FROM pragma_table_info(%Q)", tables[i]), &table);
        assert_memory_equal(table.data, view.data, view.len);
        if (i < 2)
            assert_int_equal(table.len, view.len);
    }
    pm_buf_free(&view);
    pm_buf_free(&table);
    detach_store(db);
}

/* Every column of every mapping, in both directions. perms: a store has no text for unknown. */
CONNECTED(rows_are_the_stores)
{
    static const char *const files[] = {
        "parse/demo-X.txt",         "parse/demo-XX.txt",
        "parse/demo-XXp.txt",       "parse/demo-d.txt",
        "parse/demo-default.txt",   "parse/demo-maps.txt",
        "parse/demo-smaps.txt",     "parse/demo-x.txt",
        "tools/busybox-1.37-x.txt", "tools/procps-3.2.8cvs-x.txt",
        "tools/procps-4.0.2-C.txt", "tools/procps-3.3.10-x.txt",
        "tools/procps-4.0.2-c.txt", "tools/procps-4.0.2-fr_FR-X.txt",
    };
    static const char columns[] =
        "start, end, size_kib, rss_kib, pss_kib, dirty_kib, private_kib, private_dirty_kib, "
        "swap_kib, nullif(perms, ''), offset, device, inode, category, flags, path, "
        "kernel_page_kib, mmu_page_kib, pss_dirty_kib, shared_clean_kib, shared_dirty_kib, "
        "private_clean_kib, referenced_kib, anonymous_kib, ksm_kib, lazy_free_kib, anon_huge_kib, "
        "shmem_pmd_kib, file_pmd_kib, shared_hugetlb_kib, private_hugetlb_kib, swap_pss_kib, "
        "locked_kib, thp_eligible, protection_key, extra, inferred, name_cut, parent, base";

    for (size_t i = 0; i < COUNT(files); i++) {
        const char *path = kit_sql("tests/fixtures/%s", files[i]);
        pm_buf here = {0}, stored = {0};

        attach_store(db, path);
        kit_rows(db, kit_sql("SELECT %s FROM pmap_file(%Q) ORDER BY start", columns, path), &here);
        kit_rows(
            db,
            kit_sql("SELECT %s FROM store.mappings WHERE snapshot_id = 1 ORDER BY start", columns),
            &stored);
        if (stored.len < 1000)
            fail_msg("%s: only %s", path, pm_buf_text(&stored).data);
        assert_string_equal(here.data, stored.data);
        kit_rows(db,
                 kit_sql("SELECT pid, dialect, state, missing FROM pmap_file(%Q) LIMIT 1", path),
                 &here);
        kit_rows(db,
                 "SELECT pid, s.dialect, state, missing FROM store.snapshot s JOIN store.process "
                 "USING (process_id)",
                 &stored);
        assert_string_equal(here.data, stored.data);
        pm_buf_free(&here);
        pm_buf_free(&stored);
        detach_store(db);
    }
}

enum { BLOCKS = 400 };

/* A log of n blocks, each with its time and a larger heap. */
static void write_log(const char *name)
{
    pm_buf text = {0};

    for (int i = 0; i < BLOCKS; i++)
        pm_buf_addf(&text, NULL,
                    "2026-11-21T%02d:%02d:00Z\n%d:   /srv/one %d\n"
                    "Address           Kbytes     RSS   Dirty Mode  Mapping\n"
                    "0000560000000000      16      16       0 r-x-- one\n"
                    "0000560001000000 %7d %7d %7d rw---   [ anon ]\n"
                    "---------------- ------- ------- ------- \n"
                    "total kB         %7d %7d %7d\n",
                    i / 60, i % 60, 100 + i, i, 4 * (i + 1), 4 * i, 4 * i, 4 * i + 20, 4 * i + 16,
                    4 * i);
    write_file(name, text.data, text.len);
    pm_buf_free(&text);
}

/* Blocks in their order, each with its own time, however many a piece of the file holds. */
CONNECTED(log_of_blocks)
{
    write_log("blocks.log");
    kit_same(db,
             kit_sql("SELECT count(*), count(DISTINCT block), min(block), max(block), "
                     "sum(size_kib), sum(rss_kib), sum(pid = 99 + block), min(taken_at), "
                     "max(taken_at), sum(checked = 'footer'), sum(category = 'heap') "
                     "FROM pmap_file(%Q)",
                     in_dir("blocks.log")),
             kit_sql("800|400|1|400|%d|%d|800|2026-11-21T00:00:00Z|2026-11-21T06:39:00Z|800|400\n",
                     16 * BLOCKS + 4 * (BLOCKS * (BLOCKS + 1) / 2),
                     16 * BLOCKS + 4 * (BLOCKS * (BLOCKS - 1) / 2)));
    kit_same(db,
             kit_sql("SELECT block, command, taken_at, count(*) FROM pmap_file(%Q) WHERE pid = 250 "
                     "GROUP BY 1",
                     in_dir("blocks.log")),
             "151|/srv/one 150|2026-11-21T02:30:00Z|2\n");
}

/* A log with more distinct rows than one pool keeps. The pool of a file ends with its blocks. */
CONNECTED(long_log)
{
    enum { LONG = 60, ROWS = 700 };
    pm_buf text = {0};

    for (int i = 0; i < LONG; i++) {
        pm_buf_addf(&text, NULL, "%d:   /srv/one\n", 100 + i);
        for (int j = 0; j < ROWS; j++)
            pm_buf_addf(&text, NULL, "00007f%04x%06x %6dK r---- file-%d-%d\n", j, i << 12, 4, i, j);
        pm_buf_addf(&text, NULL, " total %16dK\n", 4 * ROWS);
    }
    write_file("long.log", text.data, text.len);
    pm_buf_free(&text);
    kit_same(
        db,
        kit_sql("SELECT count(*), count(DISTINCT block), sum(path = 'file-' || (block - 1) || "
                "'-' || ((start >> 24) & 65535)), sum(size_kib), sum(state = 'complete') FROM "
                "pmap_file(%Q)",
                in_dir("long.log")),
        kit_sql("%d|%d|%d|%d|%d\n", LONG * ROWS, LONG, LONG * ROWS, 4 * LONG * ROWS, LONG * ROWS));
}

/* A block that is not a capture has a number and no rows. */
CONNECTED(numbers)
{
    pm_buf text = {0};

    read_file("tests/fixtures/tools/procps-4.0.2-kthread.txt", &text);
    read_file("tests/fixtures/parse/demo-x.txt", &text);
    read_file("tests/fixtures/tools/procps-4.0.2-kthread.txt", &text);
    write_file("three.txt", text.data, text.len);
    pm_buf_free(&text);
    kit_same(db,
             kit_sql("SELECT min(block), max(block), count(*) > 5 FROM pmap_file(%Q)",
                     in_dir("three.txt")),
             "2|2|1\n");
}

/* The dialect may be a column of a joined table. */
CONNECTED(dialect_of_a_join)
{
    kit_same(db,
             "WITH d(name) AS (VALUES ('smaps'), (NULL)) SELECT name, count(*) > 5, count(rss_kib) "
             "> 5, min(as_dialect) FROM pmap_file('tests/fixtures/parse/demo-smaps.txt', d.name), "
             "d GROUP BY 1 ORDER BY 1",
             "NULL|1|1|NULL\nsmaps|1|1|smaps\n");
}

/* A folder is read as an import reads it, helper files and other texts left out; a name that no
 * capture has is not even opened. */
CONNECTED(folder)
{
    pm_buf smaps = {0};
    char back[4096];

    assert_non_null(getcwd(back, sizeof back));
    read_file("tests/fixtures/parse/demo-smaps.txt", &smaps);
    assert_int_equal(mkdir(in_dir("77"), 0700), 0);
    write_file("77/smaps", smaps.data, smaps.len);
    write_file("77/comm", smaps.data, smaps.len);
    write_file("77/environ", smaps.data, smaps.len);
    write_file("77/notes", "none\n", 5);
    kit_same(db,
             kit_sql("SELECT pid, source = %Q FROM pmap_file(%Q) GROUP BY 1, 2", in_dir("77/smaps"),
                     in_dir("77")),
             "77|1\n");
    write_file("-", smaps.data, smaps.len);
    kit_same(db, kit_sql("SELECT count(*) > 0 FROM pmap_file(%Q)", in_dir("-")), "1\n");
    /* a name of digits stays a name */
    assert_int_equal(chdir(dir), 0);
    write_file("0012", smaps.data, smaps.len);
    kit_same(db,
             "SELECT count(*) > 0, file FROM pmap_file('0012') UNION ALL "
             "SELECT count(*) > 0, file FROM pmap_file WHERE file IN ('0012', NULL)",
             "1|0012\n1|0012\n");
    assert_int_equal(chdir(back), 0);
    pm_buf_free(&smaps);
}

/* Compressed and cut: the rows, then the failure, so no sum looks whole; the blocks, then one
 * that says so. */
CONNECTED(damaged)
{
    sqlite3_stmt *stmt;
    struct stat info;
    int rows = 0;

    write_log("cut.log");
    if (system(kit_sql("gzip %s", in_dir("cut.log"))) != 0)
        skip();
    assert_int_equal(stat(in_dir("cut.log.gz"), &info), 0);
    assert_int_equal(truncate(in_dir("cut.log.gz"), info.st_size * 9 / 10), 0);
    assert_int_equal(
        sqlite3_prepare_v2(db, kit_sql("SELECT start FROM pmap_file(%Q)", in_dir("cut.log.gz")), -1,
                           &stmt, NULL),
        SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        rows++;
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_ERROR);
    assert_in_range(rows, 2, 2 * BLOCKS - 2);
    kit_fails(db, kit_sql("SELECT sum(rss_kib) FROM pmap_file(%Q)", in_dir("cut.log.gz")),
              "cut.log.gz");
}

/* Reading 8 GiB of zeroes stops early. */
CONNECTED(huge_file)
{
    clock_t before = clock();

    write_file("huge", "x\n", 2);
    assert_int_equal(truncate(in_dir("huge"), (off_t)8 << 30), 0);
    kit_fails(db, kit_sql("SELECT count(*) FROM pmap_file(%Q)", in_dir("huge")),
              "no capture of a memory map in it");
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 2);
}

/* Bytes that are not UTF-8 come through; a statement that is not read to its end leaves nothing. */
CONNECTED(odd_names)
{
    static const char text[] = "55d0c0000000-55d0c0001000 r--p 00000000 08:01 7 "
                               "                         /srv/a\xff|b, \"c\" \xe2\x82\xac\n"
                               "7f0000000000-7f0000002000 rw-s 00000000 00:01 0 "
                               "                         /dev/zero (deleted)\n";
    sqlite3_stmt *stmt;

    write_file("odd.maps", text, sizeof text - 1);
    kit_same(db,
             kit_sql("SELECT hex(path), inode, device, size_kib FROM pmap_file(%Q) LIMIT 1",
                     in_dir("odd.maps")),
             "2F7372762F61FF7C622C20226322"
             "20E282AC|7|08:01|4\n");
    assert_int_equal(sqlite3_prepare_v2(db,
                                        kit_sql("SELECT * FROM pmap_file(%Q)", in_dir("odd.maps")),
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_int_equal(sqlite3_reset(stmt), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
}

static int make_dir(void **state)
{
    return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
    return system(kit_sql("rm -r %s", dir));
}

RUN_TESTS(make_dir, drop_dir)
