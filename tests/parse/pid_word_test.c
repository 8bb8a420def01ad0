/* pid_word: lines that name one process, and lines that name no process or two. */
#include "unit.h"

#include "parse/block.h"

static const struct {
    const char *line;
    int64_t pid;
} named[] = {
    {"PID 4711", 4711},
    {"checking PID 4711", 4711},
    {"pid=4711 rss check", 4711},
    {"pid: 4711", 4711},
    {"Pid:\t4711", 4711},
    {"PID#4711", 4711},
    {"(pid: 4711)", 4711},
    {"redis (pid 4711): total", 4711},
    {"[pid 4711] brk(0)", 4711},
    {"x[pid=4711]: y", 4711},
    {"Main PID: 4711 (redis-server)", 4711},
    {"--pid=4711", 4711},
    {"process 4711", 4711},
    {"Killed process 4711 (x)", 4711},
    {"pid\":4711}", 4711},
    {"{\"pid\": \"4711\"}", 4711},
    {"pid 4711.", 4711},
    {"pid 4711, 12 kB", 4711},
    {"pid 4711: x", 4711},
    {"pid 4711 -- x", 4711},
    {"# pid=15858, tid=0x00007f12", 15858},
    {"#  SIGSEGV (0xb) at pc=0x00007f12, pid=15858, tid=15859", 15858},
    {"pid 4711, ppid 1", 4711},
    {"cat /proc/4711/smaps", 4711},
    {"/proc/4711/maps", 4711},
    {"/host/proc/4711/smaps_rollup:", 4711},
    {"cat: /proc/4711/maps: Permission denied", 4711},
    {"pid 4711: /proc/4711/smaps", 4711},
    {"pid 1", 1},
    {"pid 4194304", 4194304},
};

static char unnamed[] =
    "|pid|pid |pid4711|pidfile 3|rapid 5|pids 3|ppid 3|my_pid 3|parent-pid 3|redis.pid 3|"
    "/run/pid 3|stupid 5|process|processes 3|reprocess 3|process 3 of 5|process 3/5|"
    "process 30%|pid 0|pid 04711|pid 0x4711|pid -4711|pid 4194305|pid 12345678|pid 4711k|"
    "pid 4711_1|pid 4711-4712|pid 4711/4712|pid 4711,4712|pid 4711.5|pid 4711 pid 4712|"
    "PID 4711, parent pid 1|process 4711: /proc/4712/smaps|/proc/4711/maps /proc/4712/maps|"
    "/proc/self/maps|/proc/4711|/proc/4711/fd/3|/proc/04711/maps|/proc/4711/smaps_x|"
    "/proc/4711/task/4712/maps|PID TTY          TIME CMD|total kB 4711 2 3|4711:   /usr/bin/x";

TEST(lines)
{
    for (size_t i = 0; i < COUNT(named); i++) {
        int64_t pid = -1;

        if (!pm_pid_in_words(pm_text_of(named[i].line), &pid) || pid != named[i].pid)
            fail_msg("'%s': %lld, wanted %lld", named[i].line, (long long)pid,
                     (long long)named[i].pid);
    }
    for (char *rest = unnamed, *line; (line = strsep(&rest, "|"));) {
        int64_t pid = -1;

        if (pm_pid_in_words(pm_text_of(line), &pid))
            fail_msg("'%s' names %lld", line, (long long)pid);
        assert_int_equal(pid, -1);
    }
}

/* A line that is cut anywhere is read to its end and no further. */
TEST(cut_anywhere)
{
    static const char line[] = "(pid: 4711) process 4711 /proc/4711/smaps_rollup";
    int64_t pid;

    assert_false(pm_pid_in_words((pm_text){NULL, 0}, &pid));
    for (size_t n = 1; n < sizeof line; n++) {
        char *exact = malloc(n);
        bool found;

        memcpy(exact, line, n);
        found = pm_pid_in_words((pm_text){exact, n}, &pid);
        /* "(pid: 4" is a pid, too; "process 47" is a second process, and then there is no pid */
        assert_true(found == (n >= 7 && (n < 21 || n > 23)));
        free(exact);
    }
    assert_int_equal(pid, 4711);
}

RUN_TESTS(NULL, NULL)
