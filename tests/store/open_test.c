/* open_test: a new store is created once, completely or not at all, whichever process is killed or
 * first. */
#include "kit.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* A VFS of SQLite that kills the program at the call number `die_at` of the calls that open, write
 * or delete a file. It never syncs: only a loss of power would show the difference. */
static struct {
    sqlite3_vfs *real;
    sqlite3_vfs vfs;
    sqlite3_io_methods mortal[2];
    int (*write[2])(sqlite3_file *, const void *, int, sqlite3_int64);
    int calls, die_at;
} death;

static void next_call(void)
{
    if (++death.calls == death.die_at)
        raise(SIGKILL);
}

static int write_file(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at)
{
    next_call();
    return death.write[f->pMethods == &death.mortal[1]](f, bytes, n, at);
}

static int sync_nothing(sqlite3_file *f, int flags)
{
    (void)f;
    (void)flags;
    return SQLITE_OK;
}

static int open_mortal(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
    int other = !(flags & SQLITE_OPEN_MAIN_DB), rc = death.real->xOpen(vfs, name, f, flags, out);

    next_call();
    if (rc != SQLITE_OK)
        return rc;
    death.mortal[other] = *f->pMethods;
    death.write[other] = f->pMethods->xWrite;
    death.mortal[other].xWrite = write_file;
    death.mortal[other].xSync = sync_nothing;
    f->pMethods = &death.mortal[other];
    return rc;
}

static int delete_mortal(sqlite3_vfs *vfs, const char *name, int sync)
{
    next_call();
    return death.real->xDelete(vfs, name, sync);
}

static int become_mortal(void **state)
{
    death.real = sqlite3_vfs_find(NULL);
    death.vfs = *death.real;
    death.vfs.zName = "mortal";
    death.vfs.xOpen = open_mortal;
    death.vfs.xDelete = delete_mortal;
    return sqlite3_vfs_register(&death.vfs, 1);
}

static pmapdb_status open_as(const kit *k, int mode, pmapdb_store **store, pmapdb_error *err)
{
    pmapdb_open_options options = {.mode = mode};

    return pmapdb_open(k->path, &options, store, err);
}

static void remove_store(kit *k)
{
    char journal[128];

    snprintf(journal, sizeof journal, "%s-journal", k->path);
    kit_remove_store(k);
    unlink(journal);
}

/* Opens the store in a child process, which exits with 0 if it could create the store. */
static pid_t make_in_child(const kit *k, int die_at)
{
    pid_t child = fork();
    pmapdb_store *store = NULL;

    if (child != 0)
        return child;
    death.calls = 0;
    death.die_at = die_at;
    _exit(open_as(k, PMAPDB_WRITE, &store, NULL) == PMAPDB_OK ? 0 : 1);
}

static void is_whole(kit *k)
{
    pmapdb_error err = {0};
    pmapdb_store *s;

    kit_ok(open_as(k, PMAPDB_WRITE, &k->store, &err), &err);
    s = k->store;
    if (!s)
        abort();
    /* pm_watch needs both files before the first statement */
    assert_true(kit_bytes(k, "-wal") >= 0);
    assert_true(kit_bytes(k, "-shm") > 0);
    assert_int_equal(kit_number(s, "PRAGMA user_version"), PM_SCHEMA_VERSION);
    assert_int_equal(kit_number(s, "PRAGMA auto_vacuum"), 2);
    assert_int_equal(kit_number(s, "PRAGMA synchronous"), 1);
    assert_int_equal(kit_number(s, "SELECT count(*) FROM rule_set"), 1);
    assert_int_equal(kit_number(s, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(kit_number(s, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
}

IN_KIT(written_once)
{
    pmapdb_error err = {0};

    remove_store(k);
    kit_ok(open_as(k, PMAPDB_WRITE, &k->store, &err), &err);
    assert_int_equal(kit_bytes(k, ""), 4096 * kit_number(k->store, "PRAGMA page_count"));
    kit_close(k);
    is_whole(k);
}

/* A reader sees no tables or all of them; the next writer completes the store. One that is killed
 * after it made the tables leaves a store that is not in WAL mode yet. */
IN_KIT(killed_at_a_write)
{
    int status = 0, empty = 0, whole = 0;

    /* Tries some of the calls in the middle, and all calls before and after them. */
    for (int die_at = 1; status || die_at == 1; die_at += die_at > 8 && die_at < 64 ? 8 : 1) {
        pmapdb_error err = {0};
        pmapdb_store *reader = NULL;
        pid_t child;

        remove_store(k);
        child = make_in_child(k, die_at);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        if (open_as(k, PMAPDB_READ, &reader, &err) == PMAPDB_OK) {
            whole++;
        } else {
            empty++;
            kit_says(&err, "an empty file; import or capture first");
        }
        pmapdb_close(reader);
        is_whole(k);
    }
    assert_true(empty > 20);
    assert_true(whole > 3); /* also before the file is in WAL mode */
}

IN_KIT(many_at_once)
{
    pid_t child[4];

    for (int round = 0; round < 3; round++) {
        remove_store(k);
        for (size_t i = 0; i < 4; i++)
            child[i] = make_in_child(k, 0);
        for (size_t i = 0; i < 4; i++) {
            int status = -1;

            assert_int_equal(waitpid(child[i], &status, 0), child[i]);
            assert_int_equal(status, 0);
        }
        is_whole(k);
    }
}

RUN_TESTS(become_mortal, NULL)
