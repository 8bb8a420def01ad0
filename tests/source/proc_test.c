/* proc_test: children of this program that are stopped, end or have hostile names; compared with
 * the output of the kernel, read in a different way. */
#include "source/child.h"

#include <sys/resource.h>

TEST(stopped)
{
    pid_t pid = child_plain(CHILD_STOP, NULL);
    char line[4096];
    long long start, stack;
    pm_proc p;

    assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
    assert_int_equal(p.pid, pid);
    assert_int_equal(p.ppid, getpid());
    assert_true(child_line(pid, "stat", "", line));
    /* 19 words after the state up to start time, 5 more up to the start of the stack */
    assert_int_equal(sscanf(strrchr(line, ')') + 4,
                            "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                            "%*s %lld %*s %*s %*s %*s %*s %lld",
                            &start, &stack),
                     2);
    assert_int_equal(p.life.start_time, start);
    assert_int_equal(p.life.start_stack, stack);
    assert_true(stack != 0);
    assert_int_equal(pm_proc_same(&p), PM_PROC_GOOD);
    child_end(pid);
    assert_int_equal(pm_proc_same(&p), PM_PROC_GONE);
    pm_proc_close(&p);
}

static const char *const hostile[] = {") R 1 (", "a b  c",  "\n\n",           "(((",
                                      ")))",     "x\ty\\n", "\x80\xff ) Z 0", "1) S 77"};

TEST(hostile_names)
{
    for (size_t i = 0; i < COUNT(hostile); i++) {
        pid_t pid = child_fork();
        pm_proc p;

        if (pid == 0) {
            prctl(PR_SET_NAME, hostile[i]);
            raise(SIGSTOP);
            _exit(0);
        }
        child_wait_stopped(pid);
        assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
        assert_string_equal(p.comm, hostile[i]);
        assert_int_equal(p.ppid, getpid());
        assert_int_equal(pm_proc_same(&p), PM_PROC_GOOD);
        pm_proc_close(&p);
        child_end(pid);
    }
}

TEST(zombie_and_gone)
{
    pid_t pid = child_fork();
    siginfo_t info;
    pm_proc p;

    if (pid == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(child_open(pid, &p), PM_PROC_ZOMBIE);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(child_open(pid, &p), PM_PROC_GONE);
    assert_int_equal(child_open(0, &p), PM_PROC_GONE);
}

/* kthreadd is process 2 on every host that shows kernel threads. */
TEST(kernel_thread)
{
    char name[4096];
    pm_proc p;

    if (!file_line("/proc/2/comm", "kthreadd\n", name)) {
        print_message("skipped: no kernel threads here\n");
        skip();
    }
    assert_int_equal(child_open(2, &p), PM_PROC_KERNEL);
}

TEST(no_handles_left)
{
    pid_t pid = child_fork();
    int status;

    if (pid == 0) {
        struct rlimit none = {4, 4};
        int root = child_root();
        pm_proc_fate fate;
        pmapdb_error err = {0};
        pm_proc p;

        while (open("/dev/null", O_RDONLY) >= 0 && setrlimit(RLIMIT_NOFILE, &none) == 0)
            ;
        _exit(pm_proc_open(root, getpid(), &p, &fate, &err) == PMAPDB_IO && err.os_errno == EMFILE
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

TEST(listed)
{
    pid_t pid = child_plain(CHILD_STOP, NULL);
    int root = child_root(), met = 0;
    int64_t *pids = NULL;
    size_t n = 0;

    for (int turn = 0; turn < 2; turn++) { /* the folder is read from its start again */
        assert_int_equal(pm_proc_list(root, &pids, &n, NULL), PMAPDB_OK);
        for (size_t i = 0; i < n; i++) {
            met += pids[i] == pid || pids[i] == getpid();
            assert_true(i == 0 || pids[i] > pids[i - 1]);
        }
        free(pids);
    }
    assert_int_equal(met, 4);
    close(root);
    child_end(pid);
}

TEST(boot_id)
{
    char id[64], line[4096];
    int root = child_root();

    assert_true(file_line("/proc/sys/kernel/random/boot_id", "", line));
    assert_int_equal(pm_proc_boot_id(root, id, NULL), PMAPDB_OK);
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(id, line);
    assert_int_equal(strlen(id), 36);
    close(root);
}

RUN_TESTS_WITH_CHILDREN
