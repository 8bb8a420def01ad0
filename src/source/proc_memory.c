/* proc_memory: what the machine says about its memory: meminfo, vmstat and pressure/memory. */
#include "source/proc.h"

#include "source/proc_text.h"
#include <unistd.h>

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
    text = pm_proc_after(text, key);
    number = pm_proc_number(pm_proc_word(&text));
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
    texts[SOME] = pm_proc_after(pm_buf_text(&pressure), "some ");
    texts[FULL] = pm_proc_after(pm_buf_text(&pressure), "full ");
    for (size_t i = 0; i < PM_HOST_N; i++)
        out->v[i] = read_fact(texts[facts[i].place], facts[i].place, facts[i].key);
    short_of_memory = meminfo.failed || vmstat.failed || pressure.failed;
    pm_buf_free(&meminfo);
    pm_buf_free(&vmstat);
    pm_buf_free(&pressure);
    return short_of_memory ? pm_fail_nomem(err) : PMAPDB_OK;
}
