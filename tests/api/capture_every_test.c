/* capture_every_test: the beats of a run, omitted processes, lost beats; how runs end and exclude
 * each other. */
#include "api/live.h"

#include "api/capture/lock.h"
#include <sys/stat.h>

#define STEP_MS 100

static void begin_run(live *l, int64_t count)
{
    l->options.every_ms = STEP_MS;
    l->options.count = count;
}

/* All beats except the first are aligned, and all captures are of one process. */
WITH_RUN(beats_are_aligned)
{
    child(l, "worker");
    begin_run(l, 4);
    run(l);
    assert_int_equal(l->result.beats, 4);
    assert_int_equal(l->result.stored, 4);
    assert_int_equal(l->beats, 4);
    assert_int_equal(number(l, "SELECT count(*) FROM process"), 1);
    assert_int_equal(number(l, "SELECT count(*) FROM schedule WHERE every_ms = 100"), 1);
    assert_int_equal(number(l, "SELECT count(*) FROM beat"), 4);
    assert_int_equal(number(l, "SELECT sum(missed) FROM beat"), l->result.missed);
    assert_true(number(l, "SELECT count(*) FROM beat WHERE started_ms % 100 < 30") >= 3);
}

WITH_RUN(stopped)
{
    child(l, "worker");
    child(l, "worker");
    begin_run(l, PMAPDB_UNKNOWN);
    l->stop_after = 2;
    assert_int_equal(try_run(l), PMAPDB_STOPPED);
    assert_int_equal(l->result.beats, 2);
    assert_int_equal(number(l, "SELECT count(*) FROM beat"), 2);
    assert_int_equal(number(l, "SELECT count(*) FROM snapshot"), 4);
}

static void end_them(live *l)
{
    end_child(l, l->beats - 1);
}

/* The run goes on while a process is left. */
WITH_RUN(all_have_ended)
{
    int64_t pids[2];

    child(l, "worker");
    child(l, "worker");
    pids[0] = l->pids[0];
    pids[1] = l->pids[1];
    l->options.pids = pids;
    begin_run(l, PMAPDB_UNKNOWN);
    l->at_beat = end_them;
    l->stop_after = 10;
    run(l);
    assert_true(l->result.ended);
    assert_int_equal(l->result.trouble, 0);
    assert_int_equal(l->result.stored, 3);
    assert_non_null(strstr(l->news.data, "(note) it has ended\n"));
}

WITH_RUN(only_the_large)
{
    child(l, "worker");
    child(l, "idle");
    begin_run(l, 1);
    l->options.rss_above_kib = 1;
    run(l);
    assert_int_equal(l->result.stored, 2);
    l->options.rss_above_kib = 1 << 30;
    run(l);
    assert_int_equal(l->result.stored, 0);
    assert_int_equal(l->last.unmoved, 2);
}

static void exec_it(live *l)
{
    if (l->beats == 1)
        ask(l, 0, 'e');
}

/* After an execve the process is the same, with the name of the new program. */
WITH_RUN(becomes_another_program)
{
    child(l, "worker");
    begin_run(l, 2);
    l->at_beat = exec_it;
    run(l);
    assert_int_equal(number(l, "SELECT count(*) FROM process"), 1);
    assert_int_equal(number(l, "SELECT count(DISTINCT live_process_id) FROM live_reading"), 2);
    word(l, "SELECT exe LIKE '%/cat' FROM live_process ORDER BY live_process_id DESC", "1");
}

/* ---- a store that is busy or fails ---- */

static sqlite3 *other;

/* Another writer holds the store from the first beat to the third. */
static void hold_store(live *l)
{
    const char *sql = l->beats == 1 ? "BEGIN IMMEDIATE" : l->beats == 3 ? "ROLLBACK" : "";

    assert_int_equal(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
}

WITH_RUN(lost_beats)
{
    child(l, "worker");
    assert_int_equal(sqlite3_open("t.db", &other), SQLITE_OK);
    begin_run(l, 4);
    l->at_beat = hold_store;
    run(l);
    sqlite3_close(other);
    assert_int_equal(l->lost, 2);
    assert_int_equal(l->result.beats, 2);
    assert_int_equal(l->result.stored, 2);
    assert_true(l->result.missed >= 2);
    assert_int_equal(number(l, "SELECT count(*) FROM beat"), 2);
    assert_int_equal(number(l, "SELECT missed FROM beat ORDER BY capture_id DESC"),
                     l->result.missed);
}

/* The store fails at the second process of the second beat: the first is not kept either. */
static void fail_in_between(live *l)
{
    const char *sql = l->beats == 1
                          ? "CREATE TRIGGER fail BEFORE INSERT ON snapshot WHEN (SELECT count(*) "
                            "FROM snapshot) = 3 BEGIN SELECT RAISE(ABORT, 'as asked for'); END"
                      : l->beats == 2 ? "DROP TRIGGER fail"
                                      : "";

    assert_int_equal(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
}

WITH_RUN(whole_or_not_at_all)
{
    child(l, "one");
    child(l, "two");
    assert_int_equal(sqlite3_open("t.db", &other), SQLITE_OK);
    begin_run(l, 3);
    l->at_beat = fail_in_between;
    run(l);
    sqlite3_close(other);
    assert_int_equal(l->lost, 1);
    assert_int_equal(l->result.stored, 4);
    assert_int_equal(number(l, "SELECT count(*) FROM snapshot"), 4);
    assert_int_equal(number(l, "SELECT count(*) FROM capture"), 2);
    assert_int_equal(number(l, "SELECT count(*) FROM beat"), 2);
}

WITH_RUN(one_beat_is_not_lost_silently)
{
    child(l, "worker");
    assert_int_equal(sqlite3_open("t.db", &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(try_run(l), PMAPDB_BUSY);
    sqlite3_close(other);
    expect(l, "");
    run(l);
    assert_int_equal(l->result.stored, 1);
}

/* Only users who may write the store may open its lock file: a reader must not hold up runs. */
IN_BOX(lock_is_for_writers)
{
    static const struct {
        mode_t store, lock;
    } modes[] = {{0644, 0600}, {0600, 0600}, {0664, 0660}, {0666, 0666}, {0640, 0600}};

    for (size_t i = 0; i < COUNT(modes); i++) {
        struct stat info;
        live l;
        int fd;

        unlink("t.db-capture");
        begin(&l);
        assert_int_equal(chmod("t.db", modes[i].store), 0);
        assert_int_equal(pm_capture_lock("t.db", "h", "s", 0, on_progress, &l, &fd, NULL),
                         PMAPDB_OK);
        assert_int_equal(fstat(fd, &info), 0);
        assert_int_equal(info.st_mode & 0777, modes[i].lock);
        close(fd);
        end(&l);
    }
}

static void ask_patience(live *l)
{
    assert_int_equal(l->store->patience_ms, 1000);
}

/* A run waits for another writer as long as its step, but at least a second. After the run the
 * store is as patient as before. */
WITH_RUN(patience)
{
    child(l, "worker");
    pm_store_set_patience(l->store, 60000);
    begin_run(l, 1);
    l->at_beat = ask_patience;
    run(l);
    assert_int_equal(l->beats, 1);
    assert_int_equal(l->store->patience_ms, 60000);
}

/* ---- runs beside each other ---- */

static bool never(void *ctx, const pmapdb_progress *progress)
{
    (void)ctx;
    (void)progress;
    return false;
}

WITH_RUN(one_run_of_a_selection)
{
    int fd, second;
    pmapdb_error err;

    l->options.match = "comm = 'nobody'";
    assert_int_equal(
        pm_capture_lock("t.db", "here", "--match comm = 'nobody'", 0, on_progress, l, &fd, &err),
        PMAPDB_OK);
    assert_int_equal(try_run(l), PMAPDB_BUSY);
    assert_non_null(strstr(l->err.text, "--match comm = 'nobody'"));
    l->options.lock_wait_ms = 250;
    assert_int_equal(try_run(l), PMAPDB_BUSY);
    assert_int_equal(pm_capture_lock("t.db", "here", "--match comm = 'nobody'", 9999, never, NULL,
                                     &second, &err),
                     PMAPDB_STOPPED);
    assert_int_equal(second, -1);
    l->options.match = "comm = 'somebody'";
    run(l);
    l->options.match = "comm = 'nobody'";
    l->options.host = "there"; /* a run on another host that shares the store */
    run(l);
    l->options.host = "here";
    if (fork() == 0) { /* the child holds the lock, too, for a while */
        usleep(200000);
        _exit(0);
    }
    close(fd);
    l->options.lock_wait_ms = 60000;
    run(l);
    wait(NULL);
    assert_int_equal(symlink("t.db", "link.db"), 0);
    assert_int_equal(pm_capture_lock("t.db", "h", "s", 0, on_progress, l, &fd, &err), PMAPDB_OK);
    assert_int_equal(pm_capture_lock("link.db", "h", "s", 0, on_progress, l, &second, &err),
                     PMAPDB_BUSY);
    close(fd);
}

RUN_TESTS(NULL, NULL)
