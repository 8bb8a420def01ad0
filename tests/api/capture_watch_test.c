/* capture_watch_test: a long run whose store loses one of its files, and one whose store lives. */
#include "api/live.h"

#include <fcntl.h>
#include <sys/stat.h>

#define STEP_MS 100

static void begin_run(live *l, int64_t count, void (*at_beat)(live *l))
{
    begin(l);
    child(l, "worker");
    l->options.n_pids = 1;
    l->options.every_ms = STEP_MS;
    l->options.count = count;
    l->at_beat = at_beat;
}

static int64_t count_snapshots(void)
{
    live l = {0};
    int64_t n;

    assert_int_equal(
        pmapdb_open("t.db", &(pmapdb_open_options){.mode = PMAPDB_READ}, &l.store, &l.err),
        PMAPDB_OK);
    word(&l, "PRAGMA integrity_check", "ok");
    n = number(&l, "SELECT count(*) FROM snapshot");
    pmapdb_close(l.store);
    return n;
}

/* The run ends behind its second beat, and says which file it was and what is left. */
static void assert_ended(live *l, const char *part, const char *left)
{
    assert_int_equal(try_run(l), PMAPDB_IO);
    assert_int_equal(l->beats, 2);
    assert_non_null(strstr(l->err.text, part));
    assert_non_null(strstr(l->err.text, left));
    end(l);
}

#define SAVED "what was captured is in the store"
#define UNSURE "what was captured last may be lost"

static void make(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* ---- files that go ---- */

static void remove_wal(live *l)
{
    if (l->beats == 2)
        assert_int_equal(unlink("t.db-wal"), 0);
}

static void wal_is_removed(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 5, remove_wal);
    assert_ended(&l, "'t.db-wal'", SAVED);
    assert_int_equal(count_snapshots(), 2);
}

/* As by whoever opens the store next. */
static void empty_wal(live *l)
{
    remove_wal(l);
    if (l->beats == 2)
        make("t.db-wal", "");
}

static void wal_is_replaced(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 5, empty_wal);
    assert_ended(&l, "'t.db-wal'", SAVED);
    assert_int_equal(count_snapshots(), 2);
}

static off_t size_then;

static void others_wal(live *l)
{
    struct stat info;

    remove_wal(l);
    if (l->beats != 2)
        return;
    make("t.db-wal", "what another one wrote");
    assert_int_equal(stat("t.db", &info), 0);
    size_then = info.st_size;
}

/* What others wrote is not mixed with what this one did. */
static void wal_is_anothers(void **state)
{
    struct stat info;
    live l;

    (void)state;
    begin_run(&l, 5, others_wal);
    assert_ended(&l, "'t.db-wal'", UNSURE);
    assert_int_equal(stat("t.db", &info), 0);
    assert_int_equal(info.st_size, size_then);
}

static void rename_wal(live *l)
{
    if (l->beats == 2)
        assert_int_equal(rename("t.db-wal", "kept"), 0);
}

static void wal_is_renamed(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 5, rename_wal);
    assert_ended(&l, "'t.db-wal'", SAVED);
    assert_int_equal(count_snapshots(), 2);
}

static void remove_shm(live *l)
{
    if (l->beats == 2)
        assert_int_equal(unlink("t.db-shm"), 0);
}

/* Whoever comes next reads the -wal that is there. */
static void shm_is_removed(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 5, remove_shm);
    assert_ended(&l, "'t.db-shm'", UNSURE);
    assert_int_equal(count_snapshots(), 2);
}

static void rename_store(live *l)
{
    if (l->beats == 2)
        assert_int_equal(rename("t.db", "kept"), 0);
}

static void store_is_renamed(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 5, rename_store);
    assert_ended(&l, "'t.db' was removed", "start this run again");
}

/* ---- when ---- */

static void behind_the_last_beat(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 2, remove_wal);
    assert_ended(&l, "'t.db-wal'", SAVED);
}

static void when_it_is_stopped(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 5, remove_wal);
    l.stop_after = 2;
    assert_ended(&l, "'t.db-wal'", SAVED);
}

static void before_the_first_beat(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 5, NULL);
    assert_int_equal(unlink("t.db-wal"), 0);
    assert_int_equal(try_run(&l), PMAPDB_IO);
    assert_int_equal(l.beats, 0);
    end(&l);
}

/* ---- a store that lives ---- */

static void live_on(live *l)
{
    static const char *const doings[] = {"PRAGMA wal_checkpoint(TRUNCATE)",
                                         "VACUUM",
                                         "PRAGMA journal_size_limit = 0; PRAGMA wal_checkpoint",
                                         "SELECT count(*) FROM mappings",
                                         "CREATE TABLE t AS SELECT 1; DROP TABLE t",
                                         "PRAGMA wal_checkpoint(RESTART)"};
    sqlite3 *other;

    assert_int_equal(sqlite3_open("t.db", &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, doings[(l->beats - 1) % 6], NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
}

static void nothing_is_lost(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 12, live_on);
    run(&l);
    assert_int_equal(l.result.stored, 12);
    end(&l);
    assert_int_equal(count_snapshots(), 12);
}

/* Without a -wal none is missed. */
static void without_a_wal(void **state)
{
    live l;

    (void)state;
    begin_run(&l, 3, NULL);
    word(&l, "PRAGMA journal_mode = DELETE", "delete");
    unlink("t.db-wal");
    unlink("t.db-shm");
    run(&l);
    assert_int_equal(l.result.stored, 3);
    end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wal_is_removed, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(wal_is_replaced, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(wal_is_anothers, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(wal_is_renamed, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(shm_is_removed, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(store_is_renamed, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(behind_the_last_beat, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(when_it_is_stopped, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(before_the_first_beat, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(nothing_is_lost, box_enter, box_leave),
        cmocka_unit_test_setup_teardown(without_a_wal, box_enter, box_leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
