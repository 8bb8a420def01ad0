/* merge_test: pmapdb_merge of several stores, known captures, and files that cannot be merged.
 * store/merge_test.c tests that the result equals a single store. */
#include "api/merging.h"

WITH_MERGE(two_hosts_and_again)
{
    make_store("a.db", "alpha", 7, 0, 3);
    make_store("b.db", "beta", 7, 5, 2);
    assert_int_equal(MERGE(m, "all.db", "a.db", "b.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 3 snapshots, 3 new, 0 known\n"
                   "b.db: 1 hosts, 1 processes, 2 snapshots, 2 new, 0 known\n");
    assert_int_equal(m->result.new_ones, 5);
    assert_int_equal(ask("all.db", SNAPSHOTS), 5);
    assert_int_equal(ask("all.db", "SELECT count(*) FROM process"), 2);
    make_store("b.db", "beta", 7, 25, 1);
    assert_int_equal(MERGE(m, "all.db", "a.db", "b.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 3 snapshots, 0 new, 3 known\n"
                   "b.db: 1 hosts, 1 processes, 3 snapshots, 1 new, 2 known\n");
    assert_int_equal(ask("all.db", SNAPSHOTS), 6);
    assert_int_equal(ask("all.db", "SELECT count(*) FROM process"), 2);
}

/* A file that cannot be merged does not stop the others. */
WITH_MERGE(files_that_are_not_stores)
{
    pmapdb_store *newer;

    make_store("a.db", "alpha", 7, 0, 1);
    make_store("all.db", "alpha", 8, 0, 1);
    make_store("newer.db", "alpha", 9, 0, 1);
    newer = open_store("newer.db", PMAPDB_WRITE);
    sqlite3_exec(newer->db, "PRAGMA user_version = 99", NULL, NULL, NULL);
    pmapdb_close(newer);
    shell("ln all.db link.db; echo text >text; mkdir d; sqlite3 other.db 'CREATE TABLE t (a)' || "
          "touch other.db");
    assert_int_equal(
        MERGE(m, "all.db", "all.db", "link.db", "none.db", "text", "d", "newer.db", "a.db"),
        PMAPDB_OK);
    expect_news(m,
                "all.db: 0 hosts, 0 processes, 0 snapshots, 0 new, 0 known ERROR 'all.db' is the "
                "store itself\n"
                "link.db: 0 hosts, 0 processes, 0 snapshots, 0 new, 0 known ERROR 'link.db' is the "
                "store itself\n"
                "none.db: 0 hosts, 0 processes, 0 snapshots, 0 new, 0 known ERROR none.db: no such "
                "file\n"
                "text: 0 hosts, 0 processes, 0 snapshots, 0 new, 0 known ERROR text: not a "
                "pmapdb store\n"
                "d: 0 hosts, 0 processes, 0 snapshots, 0 new, 0 known ERROR 'd' is a directory, "
                "not a store\n"
                "newer.db: 0 hosts, 0 processes, 0 snapshots, 0 new, 0 known ERROR newer.db: "
                "written by a newer pmapdb (schema 99, this one knows 1)\n"
                "a.db: 1 hosts, 1 processes, 1 snapshots, 1 new, 0 known\n");
    assert_int_equal(m->result.failed, 6);
    assert_int_equal(m->result.stores, 7);
}

WITH_MERGE(dry_run)
{
    make_store("a.db", "alpha", 7, 0, 3);
    make_store("all.db", "alpha", 7, 0, 1);
    m->options.dry_run = true;
    assert_int_equal(MERGE(m, "all.db", "a.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 3 snapshots, 2 new, 1 known\n");
    assert_int_equal(ask("all.db", SNAPSHOTS), 1);
    assert_int_equal(MERGE(m, NULL, "a.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 3 snapshots, 3 new, 0 known\n");
    m->options.dry_run = false;
    assert_int_equal(MERGE(m, NULL, "a.db"), PMAPDB_USAGE);
}

#define MELTED                                                                          \
    "1 process is of an unknown host, like some in this store: all count as one host; " \
    "--host NAME keeps them apart"

WITH_MERGE(unknown_hosts)
{
    make_store("a.db", NULL, 7, 0, 1);
    make_store("b.db", NULL, 8, 0, 1);
    assert_int_equal(MERGE(m, "melted.db", "a.db", "b.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 1 snapshots, 1 new, 0 known\n"
                   "b.db: 1 hosts, 1 processes, 1 snapshots, 1 new, 0 known [" MELTED "]\n");
    m->options.host = "alpha";
    assert_int_equal(MERGE(m, "apart.db", "a.db"), PMAPDB_OK);
    m->options.host = "beta";
    assert_int_equal(MERGE(m, "apart.db", "b.db"), PMAPDB_OK);
    expect_news(m, "b.db: 1 hosts, 1 processes, 1 snapshots, 1 new, 0 known\n");
    assert_int_equal(MERGE(m, "apart.db", "b.db"), PMAPDB_OK);
    expect_news(m, "b.db: 1 hosts, 1 processes, 1 snapshots, 0 new, 1 known\n");
    assert_int_equal(ask("apart.db", "SELECT count(*) FROM host"), 2);
    assert_int_equal(ask("apart.db", "SELECT count(*) FROM process WHERE host_id IS NULL"), 0);
}

/* A log of `n` blocks without times, written `late` seconds after the last beat. */
static void make_log(const char *store, int n, int late)
{
    char command[160];

    for (int i = 0; i < n; i++)
        write_capture(7, i, 64 + 4 * i);
    snprintf(command, sizeof command, "cat *.x >app.log; rm -f *.x; touch -d @%d app.log",
             1795229318 + 60 * n + late);
    shell(command);
    import_into(store, "alpha", 60000);
}

/* Two stores imported one log with different times. Its blocks are known by their sequence, and are
 * not stored twice. */
WITH_MERGE(logs_without_times)
{
    make_log("a.db", 4, 0);
    make_log("b.db", 6, 7);
    assert_int_equal(MERGE(m, "all.db", "a.db", "b.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 4 snapshots, 4 new, 0 known\n"
                   "b.db: 1 hosts, 1 processes, 6 snapshots, 2 new, 4 known\n");
    assert_int_equal(MERGE(m, "all.db", "b.db", "a.db"), PMAPDB_OK);
    assert_int_equal(m->result.new_ones, 0);
    assert_int_equal(ask("all.db", "SELECT count(DISTINCT import_log_id) FROM snapshot"), 1);
    /* in the other order all blocks of the second store are known */
    assert_int_equal(MERGE(m, "round.db", "b.db", "a.db"), PMAPDB_OK);
    expect_news(m, "b.db: 1 hosts, 1 processes, 6 snapshots, 6 new, 0 known\n"
                   "a.db: 1 hosts, 1 processes, 4 snapshots, 0 new, 4 known\n");
    /* a store that merged the log knows the file itself, too */
    make_log("all.db", 6, 7);
    assert_int_equal(ask("all.db", SNAPSHOTS), 6);
}

/* The second log seems earlier: its new blocks still come after the known blocks. */
WITH_MERGE(logs_that_ran_late)
{
    make_log("a.db", 4, 0);
    make_log("b.db", 6, -200);
    assert_int_equal(MERGE(m, "all.db", "a.db", "b.db"), PMAPDB_OK);
    assert_int_equal(m->result.new_ones, 6);
    assert_int_equal(ask("all.db", "SELECT count(*) FROM snapshot WHERE taken_ms > "
                                   "(1795229318 + 240) * 1000 AND size_kib >= 216"),
                     2);
    assert_int_equal(MERGE(m, "all.db", "a.db", "b.db"), PMAPDB_OK);
    assert_int_equal(m->result.new_ones, 0);
}

/* A rotated log of an idle process begins like the log before it, a day later. */
WITH_MERGE(logs_that_are_alike)
{
    make_log("a.db", 3, 0);
    make_log("b.db", 3, 86400);
    assert_int_equal(MERGE(m, "all.db", "a.db", "b.db"), PMAPDB_OK);
    assert_int_equal(ask("all.db", SNAPSHOTS), 6);
    assert_int_equal(ask("all.db", "SELECT count(DISTINCT import_log_id) FROM snapshot"), 2);
    assert_int_equal(MERGE(m, "all.db", "a.db", "b.db"), PMAPDB_OK);
    assert_int_equal(m->result.new_ones, 0);
}

/* The writer of the store is in a transaction; the committed captures are merged. */
WITH_MERGE(a_store_in_use)
{
    pmapdb_store *writer;

    make_store("a.db", "alpha", 7, 0, 2);
    writer = open_store("a.db", PMAPDB_WRITE);
    assert_int_equal(sqlite3_exec(writer->db,
                                  "BEGIN IMMEDIATE; INSERT INTO host (name) VALUES ('half')", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(MERGE(m, "all.db", "a.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 2 snapshots, 2 new, 0 known\n");
    assert_int_equal(sqlite3_exec(writer->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    pmapdb_close(writer);
}

/* A stopped merge keeps the committed captures, and the next merge goes on. */
WITH_MERGE(stopped)
{
    int64_t n;

    make_store("a.db", "alpha", 7, 0, 3);
    make_store("a.db", "alpha", 8, 0, 3);
    make_store("a.db", "alpha", 9, 0, 3);
    m->go_on = 1;
    assert_int_equal(MERGE(m, "all.db", "a.db"), PMAPDB_STOPPED);
    n = ask("all.db", SNAPSHOTS);
    assert_true(n > 0 && n < 9);
    m->go_on = -1;
    assert_int_equal(MERGE(m, "all.db", "a.db"), PMAPDB_OK);
    assert_int_equal(m->result.known, n);
    assert_int_equal(ask("all.db", SNAPSHOTS), 9);
}

static void prune_to(const char *path, int64_t last)
{
    pmapdb_store *store = open_store(path, PMAPDB_WRITE);
    pmapdb_prune_options options;
    pmapdb_prune_result result;
    pmapdb_error err = {0};

    pmapdb_prune_defaults(&options);
    options.keep.last = last;
    if (pmapdb_prune(store, &options, &result, &err) != PMAPDB_OK)
        fail_msg("%s", err.text);
    pmapdb_close(store);
}

/* Captures that the target pruned do not come back; captures that the source pruned stay. */
WITH_MERGE(pruned_here_or_there)
{
    make_store("a.db", "alpha", 7, 0, 6);
    assert_int_equal(MERGE(m, "all.db", "a.db"), PMAPDB_OK);
    prune_to("all.db", 2);
    assert_int_equal(MERGE(m, "all.db", "a.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 6 snapshots, 0 new, 6 known\n");
    assert_int_equal(ask("all.db", SNAPSHOTS), 2);
    prune_to("a.db", 1);
    make_store("a.db", "alpha", 7, 100, 1);
    assert_int_equal(MERGE(m, "all.db", "a.db"), PMAPDB_OK);
    expect_news(m, "a.db: 1 hosts, 1 processes, 2 snapshots, 1 new, 1 known\n");
    assert_int_equal(ask("all.db", SNAPSHOTS), 3);
}

RUN_TESTS(NULL, NULL)
