/* capture_watch_test: a long run whose store loses a file, and a run whose store others change. */
#include "api/live.h"

#include <fcntl.h>
#include <sys/stat.h>

#define STEP_MS 100
#define SAVED "what was captured is in the store"
#define UNSURE "what was captured last may be lost"

static void set_run(live *l, int64_t count, void (*at_beat)(live *l))
{
    child(l, "worker");
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

/* ---- files that disappear after the second beat ---- */

static void make(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static off_t size_of_store(void)
{
    struct stat info;

    assert_int_equal(stat("t.db", &info), 0);
    return info.st_size;
}

typedef struct loss {
    const char *file, *to;   /* if `to` is NULL, the file is removed */
    const char *instead;     /* the text of a new file in its place, or NULL */
    const char *part, *left; /* parts of the message */
    int64_t count;
    uint64_t stop_after;
    int64_t snapshots; /* -1: the store is not opened */
} loss;

static const loss *lost;
static off_t size_then;

static void lose(live *l)
{
    if (l->beats != 2)
        return;
    assert_int_equal(lost->to ? rename(lost->file, lost->to) : unlink(lost->file), 0);
    if (lost->instead)
        make(lost->file, lost->instead);
    if (lost->snapshots >= 0)
        size_then = size_of_store();
}

/* The run ends after its second beat, and names the lost file and what is left. */
static void run_and_lose(live *l)
{
    set_run(l, lost->count, lose);
    l->stop_after = lost->stop_after;
    assert_int_equal(try_run(l), PMAPDB_IO);
    assert_int_equal(l->beats, 2);
    assert_non_null(strstr(l->err.text, lost->part));
    assert_non_null(strstr(l->err.text, lost->left));
}

IN_BOX(a_file_disappears)
{
    static const loss cases[] = {
        {"t.db-wal", NULL, NULL, "'t.db-wal'", SAVED, 5, 0, 2},
        {"t.db-wal", NULL, "", "'t.db-wal'", SAVED, 5, 0, 2}, /* a new one of the next user */
        {"t.db-wal", "kept", NULL, "'t.db-wal'", SAVED, 5, 0, 2},
        /* the next user of the store reads the -wal */
        {"t.db-shm", NULL, NULL, "'t.db-shm'", UNSURE, 5, 0, 2},
        {"t.db", "kept", NULL, "'t.db' was removed", "start this run again", 5, 0, -1},
        /* after the last beat; when the run is stopped */
        {"t.db-wal", NULL, NULL, "'t.db-wal'", SAVED, 2, 0, 2},
        {"t.db-wal", NULL, NULL, "'t.db-wal'", SAVED, 5, 2, 2},
    };

    for (lost = cases; lost < cases + COUNT(cases); lost++) {
        live l;

        begin(&l);
        run_and_lose(&l);
        end(&l);
        if (lost->snapshots >= 0)
            assert_int_equal(count_snapshots(), lost->snapshots);
        unlink("t.db");
        unlink("t.db-wal");
        unlink("t.db-shm");
        unlink("kept");
    }
}

/* The frames of another writer are not mixed with the frames of this run. */
WITH_RUN(wal_is_anothers)
{
    static const loss wal = {"t.db-wal", NULL, "what another one wrote", "", UNSURE, 5, 0, 0};

    lost = &wal;
    run_and_lose(l);
    pmapdb_close(l->store);
    l->store = NULL;
    assert_int_equal(size_of_store(), size_then);
}

WITH_RUN(before_the_first_beat)
{
    set_run(l, 5, NULL);
    assert_int_equal(unlink("t.db-wal"), 0);
    assert_int_equal(try_run(l), PMAPDB_IO);
    assert_int_equal(l->beats, 0);
}

/* ---- a store that others change ---- */

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

WITH_RUN(nothing_is_lost)
{
    set_run(l, 12, live_on);
    run(l);
    assert_int_equal(l->result.stored, 12);
    assert_int_equal(count_snapshots(), 12);
}

/* The run does not expect a -wal in another journal mode. */
WITH_RUN(without_a_wal)
{
    set_run(l, 3, NULL);
    word(l, "PRAGMA journal_mode = DELETE", "delete");
    unlink("t.db-wal");
    unlink("t.db-shm");
    run(l);
    assert_int_equal(l->result.stored, 3);
}

RUN_TESTS(NULL, NULL)
