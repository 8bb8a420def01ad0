/* proc_cgroup: finds the cgroup of a process in /proc/PID/cgroup and the lowest memory.max on the
 * way up. */
#include "source/proc_host.h"
#include "source/proc_text.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- mounts ---- */

/* Adds a text without escapes. The kernel writes blank, tab, newline and backslash as \040 and so
 * on. */
static void add_unescaped(pm_text t, pm_buf *out)
{
    while (t.len) {
        pm_text part = pm_text_cut(&t, '\\');

        pm_buf_add(out, part.data, part.len, NULL);
        if (t.len >= 3) {
            char c = (char)((t.data[0] & 7) << 6 | (t.data[1] & 7) << 3 | (t.data[2] & 7));

            pm_buf_add(out, &c, 1, NULL);
        }
        t = pm_text_from(t, 3);
    }
}

/* A line of mountinfo. The texts contain the escapes of the kernel; texts that a damaged line lacks
 * are empty. */
typedef struct mount_line {
    pm_text root, point, kind, options;
} mount_line;

/* Cuts the next line off the text: "36 31 0:33 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup
 * rw,memory": any number of words may precede the single dash. */
static mount_line next_mount(pm_text *mountinfo)
{
    pm_text line = pm_text_cut(mountinfo, '\n');
    mount_line out;

    for (int i = 0; i < 3; i++)
        pm_proc_word(&line);
    out.root = pm_proc_word(&line);
    out.point = pm_proc_word(&line);
    while (line.len && !pm_text_equal(pm_proc_word(&line), PM_TEXT("-")))
        ;
    out.kind = pm_proc_word(&line);
    pm_proc_word(&line);
    out.options = pm_proc_word(&line);
    return out;
}

static bool is_unified(mount_line m)
{
    return pm_text_equal(m.kind, PM_TEXT("cgroup2"));
}

pmapdb_status pm_cgroup_mounts(pm_text mountinfo, pm_buf *out, pmapdb_error *err)
{
    while (mountinfo.len) {
        pm_text line = mountinfo;
        mount_line m = next_mount(&mountinfo);

        line.len -= mountinfo.len;
        if (is_unified(m) || (pm_text_equal(m.kind, PM_TEXT("cgroup")) &&
                              pm_text_has(m.options, ",", PM_TEXT("memory"))))
            pm_buf_add(out, line.data, line.len, NULL);
    }
    return pm_buf_status(out, err);
}

/* ---- the cgroup of a process ---- */

/* Reads "0::/user.slice", "4:memory:/docker/0123". A path may contain colons. */
pm_text pm_cgroup_path(pm_text cgroup, bool *unified)
{
    pm_text ours = pm_text_after(cgroup, "0::"), memory = {0};

    while (cgroup.len) {
        pm_text path = pm_text_cut(&cgroup, '\n');

        pm_text_cut(&path, ':');
        if (pm_text_has(pm_text_cut(&path, ':'), ",", PM_TEXT("memory")))
            memory = path;
    }
    *unified = memory.len == 0 || (pm_text_equal(memory, PM_TEXT("/")) && ours.len > 1);
    return *unified ? ours : memory;
}

/* Finds the part of `path` below the root of a mount; false if the mount does not show the path. */
static bool below(pm_text root, pm_text path, pm_text *rest)
{
    if (pm_text_equal(root, PM_TEXT("/")))
        root.len = 0;
    if (!pm_text_starts(path, root) || (path.len > root.len && path.data[root.len] != '/'))
        return false;
    *rest = pm_text_from(path, root.len);
    if (pm_text_equal(*rest, PM_TEXT("/")))
        rest->len = 0;
    /* outside the cgroup namespace of this program a path looks like "/../other" */
    return !pm_text_has(*rest, "/", PM_TEXT(".."));
}

/* ---- the limit ---- */

#define STAT_MAX ((size_t)64 * 1024)

/* The files of a hierarchy, and their keys. */
static const struct {
    const char *limit, *current, *file, *shmem, *events;
} names[] = {{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache ", "total_shmem ",
              "memory.oom_control"},
             {"memory.max", "memory.current", "file ", "shmem ", "memory.events"}};

/* Reads the limit of one cgroup. A cgroup without the file has no limit of its own: the top cgroup,
 * or a cgroup whose parent does not enable the controller. */
static int64_t limit_of(int dir, const char *file)
{
    char block[64];
    pm_text text;

    errno = 0;
    if (!pm_proc_peek(dir, file, block, sizeof block, &text))
        return errno == ENOENT ? PM_NO_LIMIT : PMAPDB_UNKNOWN;
    return pm_proc_limit_kib(pm_proc_word(&text));
}

static int64_t kib(int64_t bytes)
{
    return bytes < 0 ? PMAPDB_UNKNOWN : bytes / 1024;
}

static pm_cgroup_use use_of(int dir, bool unified)
{
    pm_buf file = {0};
    pm_cgroup_use use = {.current_kib = kib(pm_proc_number_in(dir, names[unified].current))};

    pm_proc_slurp(dir, "memory.stat", STAT_MAX, &file);
    use.file_kib = kib(pm_proc_number(pm_buf_text(&file), names[unified].file));
    use.shmem_kib = kib(pm_proc_number(pm_buf_text(&file), names[unified].shmem));
    pm_buf_clear(&file);
    pm_proc_slurp(dir, names[unified].events, STAT_MAX, &file);
    use.oom_kills = pm_proc_number(pm_buf_text(&file), "oom_kill ");
    pm_buf_free(&file);
    return use;
}

/* Finds the lowest limit from `path`, the directory of a cgroup, up to the mount point, which is
 * the first `top` bytes. The mount point is included, because in a container it is the cgroup of
 * the container. */
static pm_cgroup lowest_limit(char *path, size_t top, bool unified)
{
    static const pm_cgroup unknown = {PMAPDB_UNKNOWN, PM_CGROUP_USE_UNKNOWN};
    pm_cgroup lowest = {PM_NO_LIMIT, PM_CGROUP_USE_UNKNOWN};

    for (;;) {
        int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int64_t limit = dir < 0 ? PMAPDB_UNKNOWN : limit_of(dir, names[unified].limit);
        char *slash;

        if (limit >= 0 && (lowest.limit_kib == PM_NO_LIMIT || limit < lowest.limit_kib))
            lowest = (pm_cgroup){limit, use_of(dir, unified)};
        if (dir >= 0)
            close(dir);
        if (limit == PMAPDB_UNKNOWN)
            return unknown;
        slash = strrchr(path, '/');
        if (!slash || (size_t)(slash - path) < top)
            return lowest;
        *slash = '\0';
    }
}

/* Finds the next mount that shows the cgroup `path`: its directory in `dir`, whose first `top`
 * bytes are the mount point. False after the last one, or if memory runs out (dir->failed). */
static bool next_directory(pm_text *mounts, pm_text path, bool unified, pm_buf *dir, size_t *top)
{
    bool found = false;
    pm_text rest;

    while (mounts->len && path.len && !found && !dir->failed) {
        mount_line m = next_mount(mounts);

        pm_buf_clear(dir);
        add_unescaped(m.root, dir);
        if (dir->failed)
            return false;
        found = is_unified(m) == unified && below(pm_buf_text(dir), path, &rest);
        pm_buf_clear(dir);
        add_unescaped(m.point, dir);
        *top = dir->len;
        if (found)
            pm_buf_add(dir, rest.data, rest.len, NULL);
    }
    return found && !dir->failed;
}

pmapdb_status pm_cgroup_read(pm_text mounts, pm_text path, bool unified, pm_cgroup *out,
                             pmapdb_error *err)
{
    pm_buf dir = {0};
    size_t top;
    bool failed;

    *out = (pm_cgroup){PMAPDB_UNKNOWN, PM_CGROUP_USE_UNKNOWN};
    while (out->limit_kib == PMAPDB_UNKNOWN && next_directory(&mounts, path, unified, &dir, &top))
        *out = lowest_limit(dir.data, top, unified);
    failed = dir.failed;
    pm_buf_free(&dir);
    return failed ? pm_fail_nomem(err) : PMAPDB_OK;
}

/* ---- pressure ---- */

/* The top cgroup has no such file; the pressure of the machine stands for it. */
pmapdb_status pm_cgroup_pressure(pm_text mounts, pm_text path, int64_t *out, pmapdb_error *err)
{
    pm_buf dir = {0};
    size_t top;
    bool failed;

    *out = pm_text_equal(path, PM_TEXT("/")) ? 0 : PMAPDB_UNKNOWN;
    while (*out == PMAPDB_UNKNOWN && next_directory(&mounts, path, true, &dir, &top)) {
        int fd = open(dir.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0)
            continue;
        *out = pm_proc_pressure(fd, "memory.pressure");
        close(fd);
    }
    failed = dir.failed;
    pm_buf_free(&dir);
    return failed ? pm_fail_nomem(err) : PMAPDB_OK;
}
