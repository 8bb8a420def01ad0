/* child: processes for the tests to read: the test program itself, started again. Its main is
 * RUN_TESTS_WITH_CHILDREN. */
#ifndef TESTS_SOURCE_CHILD_H
#define TESTS_SOURCE_CHILD_H

#include "unit.h"

#include "source/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_MIB ((size_t)1 << 20)
#define CHILD_STOP "child-stop"       /* stops itself */
#define CHILD_RENEW "child-renew"     /* stops, then starts the same program again, and so on */
#define CHILD_RETITLE "child-retitle" /* writes "a title" over its arguments, then stops */

/* Forks a child that does not outlive a failing test. */
static inline pid_t child_fork(void)
{
    pid_t pid = fork();

    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static inline void child_main(int argc, char **argv)
{
    if (argc < 2 || strncmp(argv[1], "child-", 6) != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (strcmp(argv[1], CHILD_RETITLE) == 0) {
        const char *end = argv[argc - 1] + strlen(argv[argc - 1]);

        memset(argv[0], 0, (size_t)(end - argv[0]));
        memcpy(argv[0], "a title", 7);
        raise(SIGSTOP);
    }
    raise(SIGSTOP);
    if (strcmp(argv[1], CHILD_RENEW) == 0)
        execv("/proc/self/exe", argv);
    _exit(0);
}

static inline void child_wait_stopped(pid_t pid)
{
    int status;

    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
}

/* Starts a program and waits until it stops. `prepare` runs in the child first, and may be NULL. */
static inline pid_t child_start(const char *program, char *const *argv, char *const *envp,
                                void (*prepare)(void))
{
    pid_t pid = child_fork();

    if (pid == 0) {
        if (prepare)
            prepare();
        execve(program, argv, envp);
        _exit(9);
    }
    child_wait_stopped(pid);
    return pid;
}

static inline pid_t child_plain(const char *how, void (*prepare)(void))
{
    char *argv[] = {(char *)"child", (char *)how, NULL}, *envp[] = {NULL};

    return child_start("/proc/self/exe", argv, envp, prepare);
}

static inline void child_end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static inline int child_root(void)
{
    int root;

    assert_int_equal(pm_proc_open_root("/proc", &root, NULL), PMAPDB_OK);
    return root;
}

static inline pm_proc_fate child_open(pid_t pid, pm_proc *out)
{
    int root = child_root();
    pm_proc_fate fate = PM_PROC_CHANGED;

    assert_int_equal(pm_proc_open(root, pid, out, &fate, NULL), PMAPDB_OK);
    close(root);
    return fate;
}

/* Finds the first line that begins with `key`; false if the file has no such line. */
static inline bool file_line(const char *path, const char *key, char line[4096])
{
    FILE *in = fopen(path, "r");
    bool found = false;

    line[0] = '\0';
    while (in && !found && fgets(line, 4096, in))
        found = strncmp(line, key, strlen(key)) == 0;
    if (in)
        fclose(in);
    return found;
}

/* Like file_line, for /proc/PID/FILE. */
static inline bool child_line(pid_t pid, const char *file, const char *key, char line[4096])
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    return file_line(path, key, line);
}

/* Returns the number after `key`. */
static inline int64_t child_number(pid_t pid, const char *file, const char *key)
{
    char line[4096];

    assert_true(child_line(pid, file, key, line));
    return strtoll(line + strlen(key), NULL, 10);
}

#define RUN_TESTS_WITH_CHILDREN      \
    int main(int argc, char **argv)  \
    {                                \
        child_main(argc, argv);      \
        return unit_run(NULL, NULL); \
    }

#endif
