/* capture_test: one beat of live processes, compared with the output of the kernel. */
#include "api/live.h"
#include "source/child.h"

#include <pthread.h>

/* Returns the sum of the numbers after `key` in a file of /proc, without the program's own parsers.
 * (Do not use it for Pss, which changes when this process, the parent, touches shared pages.) */
static int64_t sum_of(int64_t pid, const char *file, const char *key)
{
    char path[64], line[1024];
    int64_t sum = 0;
    FILE *in;

    snprintf(path, sizeof path, "/proc/%lld/%s", (long long)pid, file);
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in))
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
            sum += strtoll(line + strlen(key) + 1, NULL, 10);
    fclose(in);
    return sum;
}

static int64_t start_time_of(int64_t pid)
{
    char line[4096], *at;

    assert_true(child_line((pid_t)pid, "stat", "", line));
    at = strrchr(line, ')');
    for (int field = 3; field <= 22; field++)
        at = strchr(at, ' ') + 1;
    return strtoll(at, NULL, 10);
}

WITH_RUN(one_process)
{
    char boot[4096];

    child(l, "worker");
    ask(l, 0, 'g');
    run(l);
    expect(l, "worker smaps complete status\n");
    assert_int_equal(l->result.stored, 1);
    assert_int_equal(l->result.trouble, 0);
    assert_int_equal(number(l, "SELECT rss_kib FROM snapshot"), sum_of(l->pids[0], "smaps", "Rss"));
    assert_int_equal(number(l, "SELECT tool_rss_kib FROM snapshot"),
                     sum_of(l->pids[0], "status", "VmRSS"));
    assert_int_equal(number(l, "SELECT tool_size_kib FROM snapshot"),
                     sum_of(l->pids[0], "status", "VmSize"));
    assert_int_equal(number(l, "SELECT sum(rss_kib) FROM mappings"),
                     sum_of(l->pids[0], "smaps", "Rss"));
    assert_int_equal(number(l, "SELECT start_time FROM process"), start_time_of(l->pids[0]));
    assert_int_equal(number(l, "SELECT pid FROM process"), l->pids[0]);
    assert_int_equal(number(l, "SELECT ppid FROM live_process"), getpid());
    assert_true(file_line("/proc/sys/kernel/random/boot_id", "", boot));
    boot[36] = '\0';
    word(l, "SELECT boot_id FROM process", boot);
    word(l, "SELECT comm FROM live_process", "worker");
    word(l, "SELECT time_source FROM snapshot", "live");
    word(l, "SELECT selection = (SELECT pid FROM process) FROM schedule", "1");
    word(l, "SELECT name FROM host", "here");
}

WITH_RUN(several_are_one_moment)
{
    for (int i = 0; i < 4; i++)
        child(l, "worker");
    run(l);
    assert_int_equal(l->result.stored, 4);
    assert_int_equal(number(l, "SELECT count(DISTINCT taken_ms) FROM snapshot"), 1);
    assert_int_equal(number(l, "SELECT count(DISTINCT moment_ms) FROM snapshot"), 1);
    assert_int_equal(number(l, "SELECT count(DISTINCT capture_id) FROM snapshot"), 1);
    assert_int_equal(number(l, "SELECT count(*) FROM capture"), 1);
    assert_int_equal(number(l, "SELECT ended_ms >= started_ms FROM beat"), 1);
    assert_int_equal(number(l, "SELECT count(*) FROM snapshot JOIN beat USING (capture_id) "
                               "WHERE taken_ms = started_ms"),
                     4);
}

/* Two of the named processes exist; the other pids are missing, a kernel thread, or given twice. */
WITH_RUN(named_pids_that_are_missing)
{
    int64_t pids[] = {0, 2, 4194303, 0, 0};

    child(l, "one");
    child(l, "two");
    pids[0] = l->pids[0];
    pids[3] = l->pids[1];
    pids[4] = l->pids[1]; /* a pid that is named twice counts once */
    l->options.pids = pids;
    l->options.n_pids = COUNT(pids);
    run(l);
    assert_int_equal(l->result.stored, 2);
    assert_int_equal(l->result.trouble, 2);
    assert_non_null(strstr(l->news.data, "no such process\n"));
    assert_int_equal(number(l, "SELECT length(selection) - length(replace(selection, ' ', '')) "
                               "FROM schedule"),
                     3);
}

static void *wait_long(void *tid)
{
    *(_Atomic int64_t *)tid = gettid();
    pause();
    return NULL;
}

WITH_RUN(threads_and_zombies)
{
    pthread_t thread;
    _Atomic int64_t tid = 0;
    int64_t pids[2];
    siginfo_t info;

    child(l, "worker");
    assert_int_equal(pthread_create(&thread, NULL, wait_long, &tid), 0);
    while (!tid)
        ;
    kill((pid_t)l->pids[0], SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)l->pids[0], &info, WEXITED | WNOWAIT), 0);
    pids[0] = tid;
    pids[1] = l->pids[0];
    l->options.pids = pids;
    l->options.n_pids = COUNT(pids);
    run(l);
    assert_int_equal(l->result.stored, 0);
    assert_int_equal(l->result.trouble, 2);
    assert_non_null(strstr(l->news.data, "a thread of process "));
    assert_non_null(strstr(l->news.data, "it has ended (a zombie)\n"));
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

WITH_RUN(by_expression)
{
    char expression[64];

    child(l, "alpha");
    child(l, "alpha");
    child(l, "beta");
    l->options.n_pids = 0;
    l->options.match = "comm = 'alpha' AND NOT descendant_of(1)";
    run(l);
    assert_int_equal(l->result.stored, 0); /* all descend from process 1 */
    snprintf(expression, sizeof expression, "comm = 'alpha' AND descendant_of(%d)", (int)getpid());
    l->options.match = expression;
    run(l);
    expect(l, "alpha smaps complete status\nalpha smaps complete status\n");
    assert_int_equal(number(l, "SELECT count(*) FROM beat"), 2); /* an empty beat counts, too */
    snprintf(expression, sizeof expression, "comm = 'beta' AND ppid = %d OR pid = %d",
             (int)getpid(), (int)getpid());
    run(l);
    assert_int_equal(l->result.stored, 1); /* a run does not capture itself */
    l->options.match = "comm =";
    assert_int_equal(try_run(l), PMAPDB_USAGE);
}

WITH_RUN(kept_environment)
{
    static const char *const names[] = {"COLOUR", "NOT_THERE"};

    setenv("PMAPDB_OTHER", "1", 1);
    child(l, "worker");
    ask(l, 0, 'g');
    run(l);
    assert_int_equal(number(l, "SELECT count(*) FROM environment"), 0);
    ask(l, child(l, "other"), 'e'); /* a program with the environment that the child made */
    l->options.pids = l->pids + 1;
    l->options.n_pids = 1;
    l->options.keep_env = names;
    l->options.n_keep_env = 2;
    run(l);
    expect(l, "cat smaps complete status\n");
    assert_int_equal(number(l, "SELECT count(*) FROM environment"), 1);
    word(l, "SELECT name || '=' || value FROM environment", "COLOUR=red");
    word(l, "SELECT cmdline FROM live_process WHERE comm = 'cat'", "cat");
    unsetenv("PMAPDB_OTHER");
}

/* A capture is cheaper by option or by budget: only the second stores a reason. The process is the
 * same. */
WITH_RUN(measures)
{
    child(l, "worker");
    for (int i = 0; i < 80; i++)
        ask(l, 0, 'g');
    l->options.measure = PMAPDB_MEASURE_MAPS;
    run(l);
    expect(l, "worker maps complete none\n");
    assert_int_equal(number(l, "SELECT count(*) FROM live_reading WHERE degraded IS NULL"), 1);
    l->options.measure = PMAPDB_MEASURE_AUTO;
    l->options.max_stall_us = 1;
    run(l);
    expect(l, "worker pagemap complete status degraded\n");
    assert_int_equal(number(l, "SELECT sum(degraded) FROM beat"), 0);
    assert_int_equal(number(l, "SELECT count(*) FROM live_reading WHERE predicted_us > 1"), 1);
    assert_true(number(l, "SELECT tool_rss_kib FROM snapshot ORDER BY 1 LIMIT 1") > 81920);
    l->options.measure = PMAPDB_MEASURE_SMAPS;
    run(l);
    expect(l, "worker smaps complete status\n");
    assert_int_equal(number(l, "SELECT count(*) FROM process"), 1);
}

WITH_RUN(wrong_options)
{
    assert_int_equal(try_run(l), PMAPDB_USAGE); /* nothing chosen */
    l->options.all = true;
    l->options.match = "comm = 'x'";
    assert_int_equal(try_run(l), PMAPDB_USAGE);
    l->options.match = NULL;
    l->options.name = "all";
    assert_int_equal(try_run(l), PMAPDB_USAGE);
    l->options.name = NULL;
    l->options.count = 3;
    assert_int_equal(try_run(l), PMAPDB_USAGE);
    l->options.every_ms = 99;
    assert_int_equal(try_run(l), PMAPDB_USAGE);
    assert_int_equal(number(l, "SELECT count(*) FROM beat"), 0);
}

RUN_TESTS(NULL, NULL)
