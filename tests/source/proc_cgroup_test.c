/* proc_cgroup_test: limits of simulated hierarchies in a folder, as seen on a host, in a container
 * with and without a cgroup namespace, and in a container that sees the hierarchy of the host. */
#include "source/box.h"

#include "base/record/live.h"
#include "source/proc_host.h"
#include "source/proc_text.h"
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

/* ---- which cgroup ---- */

static void expect_path(const char *cgroup, const char *wanted, bool wanted_unified)
{
    bool unified;
    char *found = pm_text_copy(pm_cgroup_path(pm_text_of(cgroup), &unified));

    assert_string_equal(found, wanted);
    assert_int_equal(unified, wanted_unified);
    free(found);
}

TEST(path)
{
    expect_path("0::/user.slice/a:b/c\n", "/user.slice/a:b/c", true);
    expect_path("0::/\n", "/", true);
    expect_path("", "", true);
    expect_path("5:cpu,memory:/docker/1\n0::/\n", "/docker/1", false);
    expect_path("0::/system.slice\n4:memory:/docker/1\n1:name=systemd:/x\n", "/docker/1", false);
    expect_path("4:memory:/\n0::/system.slice/x.service\n", "/system.slice/x.service", true);
    expect_path("4:memory:/\n0::/\n", "/", false);
    expect_path("4:memoryless:/a\n3:cpu:/b\n", "", true);
    expect_path("1:name=systemd:/x\n", "", true);
}

/* ---- which limit ---- */

#define TOP "here now\t\\" /* a name that mountinfo escapes */

static void limit(const char *dir, const char *file, const char *text)
{
    pm_buf path_of = {0};

    pm_buf_addf(&path_of, NULL, "%s/%s", dir, file);
    box_text(path_of.data, text);
    pm_buf_free(&path_of);
}

static void make(const char *dir)
{
    assert_int_equal(mkdir(dir, 0700), 0);
}

/* Mountinfo in which `root` of the hierarchy is mounted at TOP in the current folder. */
static pm_buf mounted(const char *root, bool unified)
{
    char here[4096];
    pm_buf text = {0};
    pm_buf out = {0};

    assert_non_null(getcwd(here, sizeof here));
    pm_buf_addf(
        &text, NULL,
        "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
        "30 27 0:99 / /elsewhere rw shared:4 - cgroup cgroup rw,cpu,memoryless\n"
        "30 27 0:28 / /nowhere rw - cgroup2 x rw\n"
        "30 27 0:29 / /nowhere rw - cgroup x rw,memory\n"
        "31 27 0:28 %s %s/here\\040now\\011\\134 rw,relatime shared:5 master:1 - %s x rw%s\n"
        "40 27 0:28 / /nowhere rw - cgroup2 x rw\n"
        "40 27 0:29 / /nowhere rw - cgroup x rw,memory\n",
        root, here, unified ? "cgroup2" : "cgroup", unified ? "" : ",cpuset,memory");
    assert_int_equal(pm_cgroup_mounts(pm_buf_text(&text), &out, NULL), PMAPDB_OK);
    pm_buf_free(&text);
    return out;
}

static void expect_limit(const char *root, bool unified, const char *cgroup, int64_t wanted)
{
    pm_buf m = mounted(root, unified); /* four of its five mounts do not exist any more */
    pm_cgroup found;

    assert_int_equal(pm_cgroup_read(pm_buf_text(&m), pm_text_of(cgroup), unified, &found, NULL),
                     PMAPDB_OK);
    assert_int_equal(found.limit_kib, wanted);
    assert_int_equal(pm_cgroup_read(pm_buf_text(&m), pm_text_of(cgroup), !unified, &found, NULL),
                     PMAPDB_OK);
    assert_int_equal(found.limit_kib, PMAPDB_UNKNOWN);
    pm_buf_free(&m);
}

/* The limits are a: 2 GiB, a/b: max, a/b/c: 3 GiB; a/b/c/d and e have no file of a limit. */
static void make_unified(void)
{
    make(TOP);
    make(TOP "/a");
    make(TOP "/a/b");
    make(TOP "/a/b/c");
    make(TOP "/a/b/c/d");
    make(TOP "/e");
    limit(TOP "/a", "memory.max", "2147483648\n");
    limit(TOP "/a/b", "memory.max", "max\n");
    limit(TOP "/a/b/c", "memory.max", "3221225472\n");
}

IN_BOX(on_a_host)
{
    make_unified();
    expect_limit("/", true, "/a", 2097152);
    expect_limit("/", true, "/a/b", 2097152);
    expect_limit("/", true, "/a/b/c/d", 2097152);
    expect_limit("/", true, "/e", PM_NO_LIMIT);
    expect_limit("/", true, "/", PM_NO_LIMIT);
    expect_limit("/", true, "/gone", PMAPDB_UNKNOWN);
    expect_limit("/", true, "/a (deleted)", PMAPDB_UNKNOWN);
    expect_limit("/", true, "", PMAPDB_UNKNOWN);
    limit(TOP "/a", "memory.max", "4294967296\n");
    expect_limit("/", true, "/a/b/c", 3145728);
    limit(TOP "/a", "memory.max", "0\n");
    expect_limit("/", true, "/a/b/c", 0);
    limit(TOP "/a", "memory.max", "?\n");
    expect_limit("/", true, "/a/b/c", PMAPDB_UNKNOWN);
    expect_limit("/\\!!!\\04", true, "/a", PMAPDB_UNKNOWN); /* damaged escapes */
}

/* The container's own cgroup is mounted: the top folder has its limit. */
IN_BOX(in_a_container)
{
    make_unified();
    limit(TOP, "memory.max", "1073741824\n");
    make(TOP "2"); /* wrong paths would lead to these folders */
    make("a");
    expect_limit("/", true, "/", 1048576);
    expect_limit("/", true, "/a/b", 1048576);
    expect_limit("/docker/1", true, "/docker/1", 1048576);
    expect_limit("/docker/1", true, "/docker/1/a/b/c", 1048576);
    expect_limit("/docker/1", true, "/docker/12", PMAPDB_UNKNOWN);
    expect_limit("/docker/1", true, "/", PMAPDB_UNKNOWN);
    /* a process outside of the namespace, and a mount that shows more than the namespace */
    expect_limit("/", true, "/../a", PMAPDB_UNKNOWN);
    expect_limit("/..", true, "/../a/b", 1048576);
    expect_limit("/..", true, "/../../a", PMAPDB_UNKNOWN);
    expect_limit("/..", true, "/", PMAPDB_UNKNOWN);
}

static pm_cgroup_use use_of(const char *cgroup, bool unified)
{
    pm_buf m = mounted("/", unified);
    pm_cgroup found;

    assert_int_equal(pm_cgroup_read(pm_buf_text(&m), pm_text_of(cgroup), unified, &found, NULL),
                     PMAPDB_OK);
    pm_buf_free(&m);
    return found.use;
}

static void expect_use(pm_cgroup_use use, int64_t current, int64_t file, int64_t shmem,
                       int64_t oom_kills)
{
    assert_int_equal(use.current_kib, current);
    assert_int_equal(use.file_kib, file);
    assert_int_equal(use.shmem_kib, shmem);
    assert_int_equal(use.oom_kills, oom_kills);
}

/* The use is that of the cgroup with the lowest limit, which may be a parent. */
IN_BOX(use)
{
    make_unified();
    expect_use(use_of("/e", true), PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN);
    expect_use(use_of("/a/b/c", true), PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN,
               PMAPDB_UNKNOWN);
    limit(TOP "/a", "memory.current", "1073741824\n");
    limit(TOP "/a", "memory.stat", "anon 1\nfile 2097152\nkernel 3\nshmem 1048576\n");
    limit(TOP "/a", "memory.events", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 3\n");
    limit(TOP "/a/b/c", "memory.current", "4096\n");
    expect_use(use_of("/a/b/c", true), 1048576, 2048, 1024, 3);
    limit(TOP "/a/b/c", "memory.max", "65536\n");
    expect_use(use_of("/a/b/c", true), 4, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN);
}

IN_BOX(older_use)
{
    make(TOP);
    make(TOP "/a");
    limit(TOP "/a", "memory.limit_in_bytes", "536870912\n");
    limit(TOP "/a", "memory.usage_in_bytes", "8192\n");
    limit(TOP "/a", "memory.stat", "cache 1\nshmem 1\ntotal_cache 4096\ntotal_shmem 2048\n");
    limit(TOP "/a", "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
    expect_use(use_of("/a", false), 8, 4, 2, 5);
}

IN_BOX(older_hierarchy)
{
    make(TOP);
    make(TOP "/a");
    make(TOP "/a/b");
    limit(TOP, "memory.limit_in_bytes", "9223372036854771712\n");
    limit(TOP "/a", "memory.limit_in_bytes", "9223372036854771712\n");
    limit(TOP "/a/b", "memory.limit_in_bytes", "536870912\n");
    expect_limit("/", false, "/a", PM_NO_LIMIT);
    expect_limit("/", false, "/a/b", 524288);
    limit(TOP, "memory.limit_in_bytes", "268435456\n");
    expect_limit("/", false, "/a/b", 262144);
}

static pm_text slurped(const char *name, pm_buf *out)
{
    assert_int_equal(pm_proc_slurp(AT_FDCWD, name, 1 << 20, out), 0);
    return pm_buf_text(out);
}

static void compare_with_mountinfo(void)
{
    int root = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pm_buf cgroup = {0}, mountinfo = {0}, mounts = {0};
    pm_cgroup found, wanted;
    pm_proc_host *host;
    bool unified;
    pm_text path = pm_cgroup_path(slurped("/proc/self/cgroup", &cgroup), &unified);

    assert_true(root >= 0);
    assert_int_equal(pm_proc_host_new(root, &host, NULL), PMAPDB_OK);
    assert_int_equal(pm_cgroup_mounts(slurped("/proc/self/mountinfo", &mountinfo), &mounts, NULL),
                     PMAPDB_OK);
    assert_int_equal(pm_proc_host_cgroup(host, path, unified, &found, NULL), PMAPDB_OK);
    assert_int_equal(pm_cgroup_read(pm_buf_text(&mounts), path, unified, &wanted, NULL), PMAPDB_OK);
    assert_int_equal(found.limit_kib, wanted.limit_kib);
    pm_proc_host_free(host);
    pm_buf_free(&cgroup);
    pm_buf_free(&mountinfo);
    pm_buf_free(&mounts);
    close(root);
}

/* A host may know its mounts without mountinfo; in another cgroup namespace it lists them. Both
 * show the limit of this program. */
TEST(as_mountinfo)
{
    int before = open("/proc/self/ns/cgroup", O_RDONLY | O_CLOEXEC);

    compare_with_mountinfo();
    if (before >= 0 && unshare(CLONE_NEWCGROUP) == 0) { /* needs root */
        compare_with_mountinfo();
        assert_int_equal(setns(before, CLONE_NEWCGROUP), 0);
    }
    close(before);
}

/* Only the lines of mountinfo that mount a hierarchy with memory are kept. */
TEST(several_mounts)
{
    static const char wanted[] =
        "31 27 0:28 /x /no\\134where rw - cgroup2 none rw\n"
        "33 27 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
    pm_buf text = {0}, found = {0};

    pm_buf_addf(&text, NULL, "damaged\n%s34 27 0:28 / /proc rw - proc proc rw\n", wanted);
    assert_int_equal(pm_cgroup_mounts(pm_buf_text(&text), &found, NULL), PMAPDB_OK);
    assert_string_equal(found.data, wanted);
    pm_buf_free(&text);
    pm_buf_free(&found);
}

RUN_TESTS(NULL, NULL)
