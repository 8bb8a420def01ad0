/* proc_memory: the facts about the memory of the machine, from meminfo, vmstat and pressure/memory;
 * whether memory is short; and the accessed bits, which may be cleared only while memory is not
 * short, because reclaim reads the same bits and would take pages in use for idle ones. */
#include "source/proc_host.h"

#include "base/clock/clock.h"
#include "source/proc_text.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CGROUP_MAX ((size_t)256 * 1024)

#define FILE_MAX ((size_t)256 * 1024)

/* The places of the facts: meminfo; vmstat as pages or as a count; the lines of pressure/memory. */
typedef enum fact_place { MEMINFO, PAGES, COUNT, SOME, FULL, N_PLACES } fact_place;

static const struct {
    const char *key;
    fact_place place;
} facts[] = {
#define X(column, place, key) {key, place},
    PM_HOST_FACTS(X)
#undef X
};

static int64_t read_fact(pm_text text, fact_place place, const char *key)
{
    int64_t number;

    if (place == SOME || place == FULL)
        return pm_proc_average(text, key);
    number = pm_proc_number(text, key);
    return place == PAGES && number >= 0 ? number * (sysconf(_SC_PAGESIZE) / 1024) : number;
}

pmapdb_status pm_proc_memory(int root, pm_host_memory *out, pmapdb_error *err)
{
    pm_buf meminfo = {0}, vmstat = {0}, pressure = {0};
    pm_text texts[N_PLACES];
    bool short_of_memory;

    pm_proc_slurp(root, "meminfo", FILE_MAX, &meminfo);
    pm_proc_slurp(root, "vmstat", FILE_MAX, &vmstat);
    pm_proc_slurp(root, "pressure/memory", FILE_MAX, &pressure);
    texts[MEMINFO] = pm_buf_text(&meminfo);
    texts[PAGES] = texts[COUNT] = pm_buf_text(&vmstat);
    texts[SOME] = pm_text_after(pm_buf_text(&pressure), "some ");
    texts[FULL] = pm_text_after(pm_buf_text(&pressure), "full ");
    for (size_t i = 0; i < PM_HOST_N; i++)
        out->v[i] = read_fact(texts[facts[i].place], facts[i].place, facts[i].key);
    short_of_memory = meminfo.failed || vmstat.failed || pressure.failed;
    pm_buf_free(&meminfo);
    pm_buf_free(&vmstat);
    pm_buf_free(&pressure);
    return short_of_memory ? pm_fail_nomem(err) : PMAPDB_OK;
}

/* ---- accessed bits ---- */

int pm_proc_clear_refs(const pm_proc *p, int64_t *took_us)
{
    int fd = openat(p->dir, "clear_refs", O_WRONLY | O_CLOEXEC | O_NOFOLLOW), failed = 0;
    int64_t began;

    if (fd < 0)
        return errno;
    began = pm_now_ns(CLOCK_THREAD_CPUTIME_ID) / 1000;
    if (TEMP_FAILURE_RETRY(write(fd, "1", 1)) < 0) /* of all pages, not only of anonymous ones */
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
    text = pm_text_after(text, "some ");
    ten = pm_proc_average(text, "avg10=");
    sixty = pm_proc_average(text, "avg60=");
    return ten < 0 || sixty < 0 ? PMAPDB_UNKNOWN : ten > sixty ? ten : sixty;
}

/* The older hierarchy does not tell the pressure of a cgroup. There the pressure is known only for
 * a process that no cgroup limits: the pressure of the machine stands for it. */
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
