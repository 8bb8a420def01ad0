/* proc_map_test: the maps of children of this program, compared with the output of the kernel; also
 * of children that end or become another program during the reading, and of processes of other
 * users. */
#include "source/child.h"

#include <sys/personality.h>
#include <time.h>

typedef struct told {
    pm_buf text;
    size_t most;
    int pieces;
    pid_t pid; /* `act` gets this pid at the first piece */
    void (*act)(pid_t pid);
    pmapdb_status fail;
} told;

static pmapdb_status take(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    told *t = ctx;

    t->most = n > t->most ? n : t->most;
    if (t->pieces++ == 0 && t->act)
        t->act(t->pid);
    if (t->fail != PMAPDB_OK)
        return pm_fail(err, t->fail, "enough");
    return pm_buf_add(&t->text, bytes, n, err);
}

static pm_proc_fate read_map(pid_t pid, const char *file, size_t piece, told *t, pm_live *reading)
{
    pm_proc_fate fate = PM_PROC_UNREADABLE;
    pm_proc p;

    assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
    assert_int_equal(pm_proc_read_map(&p, file, piece, take, t, reading, &fate, NULL), PMAPDB_OK);
    pm_proc_close(&p);
    return fate;
}

/* True if the line of smaps cannot change while the process is stopped. */
static bool is_steady(const char *line)
{
    return strchr(line, '-') || strncmp(line, "Size:", 5) == 0 || strncmp(line, "Rss:", 4) == 0 ||
           strncmp(line, "VmFlags:", 8) == 0;
}

static void steady_lines(FILE *in, pm_buf *out)
{
    char line[8192];

    while (fgets(line, sizeof line, in))
        if (is_steady(line))
            pm_buf_addf(out, NULL, "%s", line);
}

TEST(same_text)
{
    static const char *const files[] = {"smaps", "maps"};
    static const size_t pieces[] = {1, 512, 3072, 4096, 65536, 1 << 20};
    pid_t pid = child_plain(CHILD_STOP, NULL);

    for (size_t i = 0; i < 2 * COUNT(pieces); i++) {
        size_t piece = pieces[i / 2];
        told t = {0};
        pm_buf expected = {0}, found = {0};
        pm_live r;
        char path[64];
        FILE *in;

        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, files[i % 2]);
        in = fopen(path, "r");
        assert_non_null(in);
        steady_lines(in, &expected);
        fclose(in);
        assert_int_equal(read_map(pid, files[i % 2], piece, &t, &r), PM_PROC_GOOD);
        in = fmemopen(t.text.data, t.text.len, "r");
        steady_lines(in, &found);
        fclose(in);
        assert_true(expected.len > 100);
        assert_string_equal(found.data, expected.data);
        assert_in_range(t.most, 1, 65536);
        assert_true(r.read_us >= r.longest_us && r.longest_us >= 0 && r.cpu_us >= 0);
        pm_buf_free(&t.text);
        pm_buf_free(&expected);
        pm_buf_free(&found);
    }
    child_end(pid);
}

TEST(two_clocks)
{
    struct timespec before, after, utc;
    told t = {0};
    pm_live r;

    clock_gettime(CLOCK_REALTIME, &utc);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(read_map(getpid(), "maps", PM_PROC_PIECE, &t, &r), PM_PROC_GOOD);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(r.mono_ns >= before.tv_sec * INT64_C(1000000000) + before.tv_nsec);
    assert_true(r.mono_ns <= after.tv_sec * INT64_C(1000000000) + after.tv_nsec);
    assert_true(r.utc_ms / 1000 >= utc.tv_sec && r.utc_ms / 1000 - utc.tv_sec < 3600);
    pm_buf_free(&t.text);
}

TEST(feed_fails)
{
    pid_t pid = child_plain(CHILD_STOP, NULL);
    told t = {.fail = PMAPDB_STOPPED};
    pm_proc_fate fate = PM_PROC_UNREADABLE;
    pm_live r;
    pmapdb_error err = {0};
    pm_proc p;

    assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
    assert_int_equal(pm_proc_read_map(&p, "smaps", PM_PROC_PIECE, take, &t, &r, &fate, &err),
                     PMAPDB_STOPPED);
    assert_string_equal(err.text, "enough");
    assert_int_equal(t.pieces, 1);
    assert_int_equal(fate, PM_PROC_UNREADABLE); /* not set */
    pm_proc_close(&p);
    child_end(pid);
}

/* ---- changes during the reading ---- */

static void end_it(pid_t pid)
{
    child_end(pid);
}

static void make_zombie(pid_t pid)
{
    siginfo_t info;

    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static void let_exec(pid_t pid)
{
    kill(pid, SIGCONT);
    child_wait_stopped(pid);
}

TEST(ends_meanwhile)
{
    for (int i = 0; i < 4; i++) {
        pid_t pid = child_plain(CHILD_STOP, NULL);
        told t = {.pid = pid, .act = i % 2 ? end_it : make_zombie};
        pm_live r;

        assert_int_equal(read_map(pid, i < 2 ? "smaps" : "maps", PM_PROC_PIECE, &t, &r),
                         PM_PROC_GONE);
        pm_buf_free(&t.text);
        if (i % 2 == 0)
            assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
}

TEST(becomes_another)
{
    pid_t pid = child_plain(CHILD_RENEW, NULL);
    told t = {.pid = pid, .act = let_exec};
    pm_live r;

    assert_int_equal(read_map(pid, "smaps", PM_PROC_PIECE, &t, &r), PM_PROC_CHANGED);
    pm_buf_free(&t.text);
    child_end(pid);
}

static void lay_out_alike(void)
{
    personality(ADDR_NO_RANDOMIZE);
}

/* The stat of both programs is the same, but the rest of the smaps is missing. */
TEST(becomes_the_same)
{
    pid_t pid = child_plain(CHILD_RENEW, lay_out_alike);
    told t = {.pid = pid, .act = let_exec};
    pm_live r;
    pm_proc before, after;

    assert_int_equal(child_open(pid, &before), PM_PROC_GOOD);
    let_exec(pid);
    assert_int_equal(child_open(pid, &after), PM_PROC_GOOD);
    pm_proc_close(&before);
    pm_proc_close(&after);
    if (before.life.start_stack != after.life.start_stack) {
        child_end(pid);
        print_message("skipped: addresses cannot be made alike\n");
        skip();
    }
    assert_int_equal(read_map(pid, "smaps", PM_PROC_PIECE, &t, &r), PM_PROC_CHANGED);
    pm_buf_free(&t.text);
    child_end(pid);
}

/* The process became another program after its folder was opened and before the map was. */
TEST(became_another_before)
{
    pid_t pid = child_plain(CHILD_RENEW, NULL);
    pm_proc_fate fate = PM_PROC_GOOD;
    pm_live r;
    told t = {0};
    pm_proc p;

    assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
    let_exec(pid);
    assert_int_equal(pm_proc_same(&p), PM_PROC_CHANGED);
    assert_int_equal(pm_proc_read_map(&p, "maps", PM_PROC_PIECE, take, &t, &r, &fate, NULL),
                     PMAPDB_OK);
    assert_int_equal(fate, PM_PROC_CHANGED);
    pm_buf_free(&t.text);
    pm_proc_close(&p);
    child_end(pid);
}

/* A user reads a process of root without the right to see its map. */
TEST(denied)
{
    pid_t target, reader;
    int status;

    if (geteuid() != 0) {
        print_message("skipped: only root can be somebody else\n");
        skip();
    }
    target = child_plain(CHILD_STOP, NULL);
    reader = child_fork();
    if (reader == 0) {
        pm_proc p;
        pm_live r;
        pm_proc_fate fate = PM_PROC_GOOD;
        pm_proc_extent extent;
        told t = {0};

        if (setgid(65534) != 0 || setuid(65534) != 0 || child_open(target, &p) != PM_PROC_GOOD)
            _exit(2);
        _exit(pm_proc_read_map(&p, "smaps", PM_PROC_PIECE, take, &t, &r, &fate, NULL) ==
                          PMAPDB_OK &&
                      fate == PM_PROC_UNREADABLE && t.pieces == 0 && p.life.start_stack == 0 &&
                      pm_proc_same(&p) == PM_PROC_GOOD && pm_proc_statm(&p, &extent) &&
                      !pm_proc_largest(&p, &extent)
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(status, 0);
    child_end(target);
}

RUN_TESTS_WITH_CHILDREN
