/* proc_extent_test: the memory to walk through, compared with a count line by line. */
#include "source/child.h"

#include <sys/mman.h>

static void *take(size_t bytes, int prot, int flags)
{
    void *p = mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    assert_true(p != MAP_FAILED);
    return p;
}

/* Returns the size of the largest accessible mapping in KiB. */
static int64_t largest_of(pid_t pid)
{
    unsigned long long from, to;
    int64_t most = 0;
    char path[64], line[8192], perms[8];
    FILE *in;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in))
        if (sscanf(line, "%llx-%llx %7s", &from, &to, perms) == 3 && strcmp(perms, "---p") != 0 &&
            (int64_t)((to - from) / 1024) > most)
            most = (int64_t)((to - from) / 1024);
    fclose(in);
    return most;
}

/* Starts a child with an untouched mapping of `extra` bytes and a huge inaccessible mapping. */
static pid_t with_mappings(size_t extra)
{
    pid_t pid = child_fork();

    if (pid == 0) {
        take((size_t)1 << 42, PROT_NONE, MAP_NORESERVE);
        if (extra)
            take(extra, PROT_READ | PROT_WRITE, MAP_NORESERVE);
        memset(take(8 * CHILD_MIB, PROT_READ | PROT_WRITE, 0), 1, 8 * CHILD_MIB);
        raise(SIGSTOP);
        _exit(0);
    }
    child_wait_stopped(pid);
    return pid;
}

TEST(largest)
{
    static const size_t extra[] = {0, (size_t)1 << 36};

    for (size_t i = 0; i < 2; i++) {
        pid_t pid = with_mappings(extra[i]);
        int64_t page_kib = sysconf(_SC_PAGESIZE) / 1024, most = largest_of(pid), all;
        long long size, resident;
        char line[4096];
        pm_proc_extent e;
        pm_proc p;

        assert_int_equal(child_open(pid, &p), PM_PROC_GOOD);
        assert_true(pm_proc_statm(&p, &e));
        assert_int_equal(e.largest_kib, PMAPDB_UNKNOWN);
        assert_int_equal(e.small_kib, PMAPDB_UNKNOWN);
        assert_true(child_line(pid, "statm", "", line));
        assert_int_equal(sscanf(line, "%lld %lld", &size, &resident), 2);
        assert_int_equal(e.resident_kib, resident * page_kib);
        assert_int_equal(e.swap_kib, child_number(pid, "status", "VmSwap:"));
        all = e.resident_kib + e.swap_kib;
        assert_true(all >= 8192);
        assert_true(pm_proc_largest(&p, &e));
        assert_int_equal(e.largest_kib, most < all ? most : all);
        assert_true(e.small_kib >= child_number(pid, "status", "RssFile:") +
                                       child_number(pid, "status", "RssShmem:"));
        child_end(pid);
        assert_false(pm_proc_statm(&p, &e));
        assert_false(pm_proc_largest(&p, &e));
        pm_proc_close(&p);
    }
}

RUN_TESTS_WITH_CHILDREN
