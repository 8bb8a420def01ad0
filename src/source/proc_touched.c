/* proc_touched: clears the accessed bits of a process, and says whether memory is short: reclaim
 * reads the same bits, and would take pages in use for idle ones. */
#include "source/proc_host.h"
#include "source/proc_text.h"

#include "base/clock/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CGROUP_MAX ((size_t)256 * 1024)

int pm_proc_clear_refs(const pm_proc *p, int64_t *took_us)
{
    int fd = openat(p->dir, "clear_refs", O_WRONLY | O_CLOEXEC | O_NOFOLLOW), failed = 0;
    int64_t began;
    ssize_t n;

    if (fd < 0)
        return errno;
    began = pm_now_ns(CLOCK_THREAD_CPUTIME_ID) / 1000;
    do
        n = write(fd, "1", 1); /* of all pages, not only of anonymous ones */
    while (n < 0 && errno == EINTR);
    if (n < 0)
        failed = errno;
    *took_us = pm_now_ns(CLOCK_THREAD_CPUTIME_ID) / 1000 - began;
    close(fd);
    return failed;
}

/* ---- pressure ---- */

int64_t pm_proc_pressure(int dir, const char *file)
{
    char block[256];
    int64_t ten, sixty;
    pm_text text;

    if (!pm_proc_peek(dir, file, block, sizeof block, &text))
        return PMAPDB_UNKNOWN;
    text = pm_proc_after(text, "some ");
    ten = pm_proc_average(text, "avg10=");
    sixty = pm_proc_average(text, "avg60=");
    return ten < 0 || sixty < 0 ? PMAPDB_UNKNOWN : ten > sixty ? ten : sixty;
}

/* The older hierarchy does not tell the pressure of a cgroup: there it is known only of a process
 * that no cgroup limits, for which the machine's counts. */
pmapdb_status pm_proc_cgroup_pressure(const pm_proc *p, pm_proc_host *host, int64_t *out,
                                      pmapdb_error *err)
{
    pm_buf bytes = {0};
    pm_cgroup cgroup = {0};
    bool unified = true;
    pm_text path;
    pmapdb_status st;

    *out = PMAPDB_UNKNOWN;
    pm_proc_slurp(p->dir, "cgroup", CGROUP_MAX, &bytes);
    st = pm_buf_status(&bytes, err);
    path = pm_cgroup_path(pm_buf_text(&bytes), &unified);
    if (st == PMAPDB_OK && unified) {
        st = pm_cgroup_pressure(pm_buf_text(&host->mounts), path, out, err);
    } else if (st == PMAPDB_OK) {
        st = pm_proc_host_cgroup(host, path, unified, &cgroup, err);
        *out = cgroup.limit_kib == PM_NO_LIMIT ? 0 : PMAPDB_UNKNOWN;
    }
    pm_buf_free(&bytes);
    return st;
}
