/* proc_facts_test: the facts beside the map, for children with awkward programs, arguments,
 * environments and users. */
#include "source/box.h"
#include "source/child.h"
#include "source/proc_text.h"

#include <grp.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/resource.h>

static char *const no_environment[] = {NULL};

/* Returns the facts of the child; the caller frees the memory. */
static pm_standing standing_of(pid_t pid, unsigned want, pm_buf *memory)
{
    int root = child_root();
    pm_proc_host *host = NULL;
    pm_live live = {.standing = {.uid = PMAPDB_UNKNOWN, .ns_pid = PMAPDB_UNKNOWN}};
    pm_proc p;

    assert_int_equal(pm_proc_host_new(root, &host, NULL), PMAPDB_OK);
    pm_proc_host_renew(host);
    assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
    assert_true(!(want & PM_NEED_UID) || pm_proc_status(&p, &live) == 0);
    assert_int_equal(pm_proc_standing(&p, host, want, memory, &live, NULL), PMAPDB_OK);
    pm_proc_close(&p);
    pm_proc_host_free(host);
    close(root);
    return live.standing;
}

static void assert_text(pm_text found, const char *wanted)
{
    char *copy = pm_text_copy(found);

    assert_string_equal(copy, wanted);
    assert_int_equal(found.len, strlen(wanted));
    free(copy);
}

/* ---- the program ---- */

static void copy_myself(const char *to)
{
    pm_buf bytes = box_bytes("/proc/self/exe");

    box_write(to, bytes.data, bytes.len);
    assert_int_equal(chmod(to, 0700), 0);
    pm_buf_free(&bytes);
}

/* Expects `wanted` below the current folder as the program of `pid`. */
static void expect_exe(pid_t pid, const char *wanted)
{
    char here[4096];
    pm_buf memory = {0}, path = {0};
    pm_standing s = standing_of(pid, PM_NEED_EXE, &memory);

    assert_non_null(getcwd(here, sizeof here));
    pm_buf_addf(&path, NULL, "%s/%s", here, wanted);
    assert_text(s.exe, path.data);
    pm_buf_free(&path);
    pm_buf_free(&memory);
}

IN_BOX(removed_program)
{
    static const char *const names[] = {"plain", "new\nline )\x80"};

    for (size_t i = 0; i < COUNT(names); i++) {
        char *argv[] = {(char *)"child", (char *)CHILD_STOP, NULL};
        pid_t pid;

        copy_myself(names[i]);
        pid = child_start(names[i], argv, no_environment, NULL);
        expect_exe(pid, names[i]);
        assert_int_equal(unlink(names[i]), 0);
        expect_exe(pid, names[i]);
        box_text(names[i], "another file in its place");
        expect_exe(pid, names[i]);
        child_end(pid);
    }
}

/* ---- arguments ---- */

/* Returns a text of n bytes: `begin`, then x. The caller frees the text. */
static char *long_text(const char *begin, size_t n)
{
    char *text = malloc(n + 1);

    memset(text, 'x', n);
    memcpy(text, begin, strlen(begin));
    text[n] = '\0';
    return text;
}

static pid_t with_arguments(char *const *argv)
{
    return child_start("/proc/self/exe", argv, no_environment, NULL);
}

static void expect_cmdline(pid_t pid, const char *wanted)
{
    pm_buf memory = {0};

    assert_text(standing_of(pid, PM_NEED_CMDLINE, &memory).cmdline, wanted);
    pm_buf_free(&memory);
    child_end(pid);
}

TEST(arguments)
{
    char *odd[] = {(char *)"",          (char *)CHILD_STOP, (char *)"a b", (char *)"",
                   (char *)"new\nline", (char *)"\xff\x01", NULL};
    char *titled[] = {(char *)"a program with a long name", (char *)CHILD_RETITLE,
                      (char *)"and arguments", NULL};

    expect_cmdline(with_arguments(odd), " " CHILD_STOP " a b  new\nline \xff\x01");
    expect_cmdline(with_arguments(titled), "a title");
}

TEST(long_arguments)
{
    size_t n = 100000;
    char *large = long_text("", n);
    char *argv[] = {(char *)"c", (char *)CHILD_STOP, large, large, NULL};
    pm_buf memory = {0};
    pm_text cmdline;
    pid_t pid = with_arguments(argv);

    cmdline = standing_of(pid, PM_NEED_CMDLINE, &memory).cmdline;
    assert_int_equal(cmdline.len, PM_PROC_TEXT_MAX);
    assert_memory_equal(cmdline.data, "c " CHILD_STOP " xxx", 2 + strlen(CHILD_STOP) + 4);
    assert_int_equal(cmdline.data[2 + strlen(CHILD_STOP) + 1 + n], ' ');
    pm_buf_free(&memory);
    child_end(pid);
    free(large);
}

/* NULs separate arguments, not blanks. The choice of arguments comes before the cut. */
TEST(kept_arguments)
{
    static const char *const all[] = {"--.*"};
    char *large = long_text("", 5999);
    char *argv[] = {
        (char *)"c", (char *)CHILD_STOP, (char *)"--password", (char *)"my secret", large, NULL};
    const char *wanted = "c --password my secret x";
    pm_buf memory = {0}, kept = {0};
    pm_keep_cmdline keep = {0};
    pm_text cmdline, part;
    pid_t pid = with_arguments(argv);

    cmdline = standing_of(pid, PM_NEED_CMDLINE | PM_NEED_ARGUMENTS, &memory).cmdline;
    assert_int_equal(pm_keep_cmdline_init(NULL, 0, &keep, NULL), PMAPDB_OK);
    assert_int_equal(pm_proc_keep_arguments(cmdline, &keep, &kept, &part, NULL), PMAPDB_OK);
    assert_int_equal(part.len, 1);
    pm_keep_cmdline_free(&keep);
    assert_int_equal(pm_keep_cmdline_init(all, 1, &keep, NULL), PMAPDB_OK);
    assert_int_equal(pm_proc_keep_arguments(cmdline, &keep, &kept, &part, NULL), PMAPDB_OK);
    assert_memory_equal(part.data, wanted, strlen(wanted));
    assert_int_equal(part.len, PM_PROC_KEPT_MAX);
    assert_memory_equal(part.data + PM_PROC_KEPT_MAX - 4, "x...", 4);
    pm_keep_cmdline_free(&keep);
    pm_buf_free(&memory);
    pm_buf_free(&kept);
    child_end(pid);
    free(large);
}

/* ---- environment ---- */

static pm_text environment_of(char *const *envp, pm_buf *memory)
{
    char *argv[] = {(char *)"child", (char *)CHILD_STOP, NULL};
    pid_t pid = child_start("/proc/self/exe", argv, envp, NULL);
    pm_text out = standing_of(pid, PM_NEED_ENVIRONMENT, memory).environment;

    child_end(pid);
    return out;
}

static void expect_kept(pm_text environment, const char *const *names, size_t n, pm_text wanted)
{
    pm_buf memory = {0};
    pm_text kept;

    assert_int_equal(pm_proc_keep_environment(environment, names, n, &memory, &kept, NULL),
                     PMAPDB_OK);
    assert_int_equal(kept.len, wanted.len);
    assert_memory_equal(kept.data, wanted.data, wanted.len);
    pm_buf_free(&memory);
}

TEST(environment)
{
    static const char *const names[] = {"ROLE", "A", "NONE", "A", "EMPTY", "TWO"};
    char *envp[] = {
        (char *)"ROLE=prim\nary", (char *)"AB=no",      (char *)"A=b=c \xff", (char *)"TWO=first",
        (char *)"EMPTY=",         (char *)"TWO=second", (char *)"without",    NULL};
    pm_buf memory = {0};
    pm_text all = environment_of(envp, &memory);

    assert_int_equal(all.data[all.len - 1], '\0');
    expect_kept(all, names, 6, PM_TEXT("A=b=c \xff\0EMPTY=\0ROLE=prim\nary\0TWO=first\0"));
    expect_kept(all, names + 2, 1, PM_TEXT(""));
    expect_kept(all, names, 0, PM_TEXT(""));
    expect_kept(PM_TEXT(""), names, 6, PM_TEXT(""));
    pm_buf_free(&memory);
}

/* A variable that is cut off at the end of the reading is not kept as a shorter value. */
TEST(long_environment)
{
    static const char *const names[] = {"X1", "X2", "X3"};
    size_t n = 60000;
    char *envp[] = {long_text("X1=", n), long_text("X2=", n), long_text("X3=", n), NULL};
    pm_buf memory = {0}, kept_memory = {0};
    pm_text all, kept;

    all = environment_of(envp, &memory);
    assert_int_equal(all.len, 2 * (n + 1));
    assert_int_equal(pm_proc_keep_environment(all, names, 3, &kept_memory, &kept, NULL), PMAPDB_OK);
    assert_int_equal(kept.len, 2 * (3 + PM_PROC_KEPT_MAX + 1)); /* "X1=", a NUL */
    assert_memory_equal(kept.data + 3 + PM_PROC_KEPT_MAX - 4, "x...\0X2=x", 9);
    pm_buf_free(&memory);
    pm_buf_free(&kept_memory);
    for (int i = 0; i < 3; i++)
        free(envp[i]);
}

/* ---- user, limits, sizes ---- */

/* Only the effective user and group are nobody; the real user is another one. */
static void become_nobody(void)
{
    gid_t groups[5000];

    for (size_t i = 0; i < 5000; i++)
        groups[i] = 100000 + (gid_t)i;
    if (setgroups(5000, groups) != 0 || setresgid(1, 65534, 65534) != 0 ||
        setresuid(1, 65534, 65534) != 0)
        _exit(8);
}

TEST(another_user)
{
    const struct passwd *entry = getpwuid(65534);
    pm_buf memory = {0};
    pm_standing s;
    pm_live live;
    pid_t pid;
    pm_proc p;

    if (geteuid() != 0) {
        print_message("skipped: only root can be somebody else\n");
        skip();
    }
    pid = child_plain(CHILD_STOP, become_nobody);
    s = standing_of(pid, PM_NEED_ALL, &memory);
    assert_int_equal(s.uid, 65534);
    assert_text(s.user, entry ? entry->pw_name : "");
    assert_int_equal(s.ppid, getpid());
    assert_true(s.exe.len > 0 && s.cmdline.len > 0);
    assert_text(s.comm, "exe"); /* the last part of /proc/self/exe */
    pm_buf_free(&memory);
    /* the status is longer than a page: 5,000 groups come before the sizes */
    assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
    assert_int_equal(pm_proc_status(&p, &live), 0);
    assert_true(live.rss_kib > 0 && live.threads == 1);
    pm_proc_close(&p);
    child_end(pid);
}

static void set_limits(void)
{
    struct rlimit space = {(rlim_t)1 << 50, RLIM_INFINITY},
                  stack = {(rlim_t)12345 * 1024, RLIM_INFINITY};

    if (setrlimit(RLIMIT_AS, &space) != 0 || setrlimit(RLIMIT_STACK, &stack) != 0)
        _exit(8);
}

static void lift_limits(void)
{
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};

    if (setrlimit(RLIMIT_AS, &none) != 0 || setrlimit(RLIMIT_STACK, &none) != 0)
        _exit(8);
}

TEST(limits)
{
    pid_t limited = child_plain(CHILD_STOP, set_limits),
          lifted = child_plain(CHILD_STOP, lift_limits);
    pm_buf memory = {0};
    pm_standing s = standing_of(limited, PM_NEED_LIMITS, &memory);
    char line[4096];

    assert_int_equal(s.address_limit_kib, INT64_C(1) << 40);
    assert_int_equal(s.stack_limit_kib, 12345);
    assert_true(file_line("/proc/sys/vm/max_map_count", "", line));
    assert_int_equal(s.max_map_count, strtoll(line, NULL, 10));
    s = standing_of(lifted, PM_NEED_LIMITS, &memory);
    assert_int_equal(s.address_limit_kib, PM_NO_LIMIT);
    assert_int_equal(s.stack_limit_kib, PM_NO_LIMIT);
    pm_buf_free(&memory);
    child_end(limited);
    child_end(lifted);
}

TEST(only_what_is_wanted)
{
    pid_t pid = child_plain(CHILD_STOP, NULL);
    pm_buf memory = {0};
    pm_standing s = standing_of(pid, 0, &memory);

    assert_int_equal(
        s.comm.len + s.exe.len + s.cmdline.len + s.user.len + s.cgroup.len + s.environment.len, 0);
    assert_int_equal(s.uid, PMAPDB_UNKNOWN);
    assert_int_equal(s.memory_max_kib, PMAPDB_UNKNOWN);
    assert_int_equal(s.stack_limit_kib, PMAPDB_UNKNOWN);
    assert_int_equal(s.ppid, getpid());
    pm_buf_free(&memory);
    child_end(pid);
}

TEST(sizes)
{
    static const struct {
        const char *key;
        size_t at;
    } keys[] = {
        {"Threads:", offsetof(pm_live, threads)},   {"VmSize:", offsetof(pm_live, size_kib)},
        {"VmRSS:", offsetof(pm_live, rss_kib)},     {"VmHWM:", offsetof(pm_live, hwm_kib)},
        {"VmSwap:", offsetof(pm_live, swap_kib)},   {"VmPTE:", offsetof(pm_live, page_tables_kib)},
        {"RssAnon:", offsetof(pm_live, anon_kib)},  {"RssFile:", offsetof(pm_live, file_kib)},
        {"RssShmem:", offsetof(pm_live, shmem_kib)}};
    pid_t pid = child_plain(CHILD_STOP, NULL);
    pm_live live = {.read_us = 7};
    pm_proc p;

    assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
    assert_int_equal(pm_proc_status(&p, &live), 0);
    for (size_t i = 0; i < COUNT(keys); i++)
        assert_int_equal(*(int64_t *)((char *)&live + keys[i].at),
                         child_number(pid, "status", keys[i].key));
    assert_int_equal(live.read_us, 7); /* not a field of the status */
    child_end(pid);
    assert_int_not_equal(pm_proc_status(&p, &live), 0);
    assert_int_equal(live.rss_kib, PMAPDB_UNKNOWN);
    pm_proc_close(&p);
}

RUN_TESTS_WITH_CHILDREN
