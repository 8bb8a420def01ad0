/* series_fuzz: series of a CSV file, what is known of them, and what was measured beside them:
 * three files, 0xff between them, each read from a descriptor without a name. Byte 0: one time in
 * eight they are judged, which takes longer. */
#include "kit.h"

#include "cli/cli.h"
#include "cli/series.h"
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

typedef pmapdb_status (*read_fn)(pm_series_set *set, const char *path, pmapdb_error *err);

/* What the command says of bad rows: each has words. */
void pm_cli_say(const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    FUZZ_CHECK(vsnprintf(text, sizeof text, format, args) > 0, "nothing said");
    va_end(args);
}

static bool read_text(read_fn read_it, pm_series_set *set, pm_text t)
{
    static int fd = -1;
    char path[32];
    pmapdb_error err = {0};
    pmapdb_status st;

    if (fd < 0)
        fd = memfd_create("series", MFD_CLOEXEC);
    FUZZ_CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, t.data, t.len, 0) == (ssize_t)t.len,
               "no descriptor");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    st = read_it(set, path, &err);
    FUZZ_CHECK(st == PMAPDB_OK || st == PMAPDB_INPUT || st == PMAPDB_USAGE, "status %d: %s",
               (int)st, err.text);
    if (st != PMAPDB_OK)
        fuzz_message(&err);
    return st == PMAPDB_OK;
}

static void check_verdict(const pm_series_one *one)
{
    const pm_leak *found = &one->found;

    FUZZ_CHECK(one->judged, "not judged");
    FUZZ_CHECK(strcmp(pm_verdict_name(found->verdict), "?") != 0, "verdict %d",
               (int)found->verdict);
    FUZZ_CHECK(memchr(found->reason, '\0', sizeof found->reason), "a reason without end");
    FUZZ_CHECK(isnan(found->eta_h) || found->eta_h >= 0, "eta %g", found->eta_h);
    FUZZ_CHECK(isnan(found->trend.rate) || isfinite(found->trend.rate), "rate");
}

static void judge(pm_series_set *set)
{
    FUZZ_CHECK(pm_series_judge(set, NAN, 1, NULL) == PMAPDB_OK, "not judged");
    for (size_t i = 0; i < set->n; i++)
        check_verdict(&set->one[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_open(data, size);
    bool judged = fuzz_byte(&in) % 8 == 0;
    pm_text series = fuzz_until(&in, 0xff), meta = fuzz_until(&in, 0xff), more = fuzz_rest(&in);
    pm_series_set set = {0};

    FUZZ_CHECK(pm_series_new(&set, NULL) == PMAPDB_OK, "memory");
    if (read_text(pm_series_read, &set, series)) {
        if (meta.len)
            (void)read_text(pm_series_read_meta, &set, meta);
        if (more.len)
            (void)read_text(pm_series_read_context, &set, more);
        for (size_t i = 0; i < set.n; i++)
            FUZZ_CHECK(pm_series_id(&set, i).len > 0, "a series without a name");
        if (judged)
            judge(&set);
    }
    pm_series_free(&set);
    return 0;
}
