/* perf: imports a text of perf script into the store's tables of calls and of their effects on
 * addresses. */

#include "api/blocks.h"
#include "api/one_file.h"
#include "base/hash.h"
#include "store/perf/recording.h"
#include <errno.h>

#define PROGRESS_BYTES ((uint64_t)4 << 20)

#define HOW_TO                                                                                  \
    "record with perf record -e 'syscalls:sys_*_mmap,syscalls:sys_*_munmap,syscalls:sys_*_brk," \
    "syscalls:sys_*_mremap,syscalls:sys_*_mprotect' -k CLOCK_MONOTONIC --call-graph dwarf "     \
    "-p PID, then perf script"

typedef struct perf_run {
    pm_hash_parts hash;
    const pmapdb_perf_options *options;
    uint64_t bytes, told;
    pm_recording recording;
    pm_perf perf;
} perf_run;

void pmapdb_perf_defaults(pmapdb_perf_options *o)
{
    *o = (pmapdb_perf_options){.pid = PMAPDB_UNKNOWN, .clock_offset_ns = PMAPDB_UNKNOWN};
}

/* ---- reading ---- */

static pmapdb_status keep_going(perf_run *run, const char *path, pmapdb_error *err)
{
    const pmapdb_progress progress = {
        .what = path, .unit = "events", .done = run->perf.counts.seen, .bytes = run->bytes};

    if (run->bytes - run->told < PROGRESS_BYTES)
        return PMAPDB_OK;
    run->told = run->bytes;
    if (run->options->on_progress && !run->options->on_progress(run->options->ctx, &progress))
        return pm_fail(err, PMAPDB_STOPPED, "stopped");
    return PMAPDB_OK;
}

static pmapdb_status refuse_wrap(const perf_run *run, pm_text begin, const char *path,
                                 pmapdb_error *err)
{
    if (run->bytes)
        return PMAPDB_OK;
    if (pm_text_starts(begin, PM_TEXT("PERFILE2")))
        return pm_fail(err, PMAPDB_INPUT,
                       "'%s' is perf's own file: perf script -i FILE | pmapdb import-perf -", path);
    return pm_wrap_of(begin, false).what
               ? pm_fail(err, PMAPDB_INPUT, "'%s' is %s", path, pm_wrap_of(begin, false).what)
               : PMAPDB_OK;
}

/* A longer text without an event is refused: it may be a device without an end. */
#define HOPELESS_BYTES ((uint64_t)64 << 20)

static pmapdb_status read_entry(perf_run *run, pm_source *source, const char *path,
                                pmapdb_error *err)
{
    const char *bytes;
    size_t n = 0;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && (st = pm_source_read(source, &bytes, &n, err)) == PMAPDB_OK && n) {
        st = refuse_wrap(run, (pm_text){bytes, n}, path, err);
        if (st == PMAPDB_OK && run->bytes > HOPELESS_BYTES && run->perf.counts.seen == 0)
            return PMAPDB_OK; /* check_read writes the message */
        PM_STEP(st, pm_perf_feed(&run->perf, bytes, n, err));
        pm_hash_parts_add(&run->hash, bytes, n);
        run->bytes += n;
        PM_STEP(st, keep_going(run, path, err));
    }
    return st == PMAPDB_OK ? pm_perf_finish(&run->perf, err) : st;
}

/* Reads one file. Refuses a folder or an archive, whose members are separate recordings. */
static pmapdb_status read_path(perf_run *run, const char *path, pmapdb_error *err)
{
    pm_source *source = NULL;
    pmapdb_status st = pm_one_file_open(
        &path, "a folder or an archive: name the files of perf script in it", &source, err);

    PM_STEP(st, read_entry(run, source, path, err));
    if (st == PMAPDB_IO && err->os_errno == EINTR) { /* a signal came during a wait for input */
        run->told = run->bytes - PROGRESS_BYTES;
        st = keep_going(run, path, err) == PMAPDB_OK ? st : PMAPDB_STOPPED;
    }
    pm_source_free(source);
    return st;
}

static pmapdb_status check_read(const perf_run *run, const char *path, pmapdb_error *err)
{
    if (run->bytes == 0)
        return pm_fail(err, PMAPDB_INPUT, "'%s' is empty; " HOW_TO, path);
    if (run->perf.counts.seen == 0)
        return pm_fail(err, PMAPDB_INPUT, "'%s' is not the output of perf script; " HOW_TO, path);
    if (run->perf.counts.taken == 0)
        return pm_fail(
            err, PMAPDB_INPUT,
            "'%s': none of its %llu events is an mmap, munmap, brk, mremap or mprotect; " HOW_TO,
            path, (unsigned long long)run->perf.counts.seen);
    return PMAPDB_OK;
}

/* ---- the import ---- */

static pmapdb_status import(perf_run *run, pmapdb_store *store, const char *path,
                            pmapdb_perf_result *result, pmapdb_error *err)
{
    const pm_recording *r = &run->recording;
    pmapdb_status st;

    pm_perf_init(&run->perf, pm_recording_add, &run->recording);
    pm_recording_begin(&run->recording, store);
    st = read_path(run, path, err);
    PM_STEP(st, check_read(run, path, err));
    PM_STEP(st, pm_recording_store(&run->recording, &run->perf.counts,
                                   pm_hash_parts_end(&run->hash), path, run->options, err));
    PM_STEP(st, pm_perf_link(store, err));
    if (st == PMAPDB_OK)
        *result = (pmapdb_perf_result){.recording_id = r->recording_id,
                                       .known = r->known,
                                       .shallow =
                                           !r->known && r->brks >= 8 && 2 * r->short_brks > r->brks,
                                       .chainless = !r->known && !r->any_chain};
    return st;
}

pmapdb_status pmapdb_import_perf(pmapdb_store *store, const char *path,
                                 const pmapdb_perf_options *options, pmapdb_perf_result *result,
                                 pmapdb_error *err)
{
    perf_run run = {.options = options};
    pmapdb_error local;
    pmapdb_status st;

    pm_hash_parts_begin(&run.hash);
    st = import(&run, store, path, result, err ? err : &local);
    pm_perf_free(&run.perf);
    pm_recording_free(&run.recording);
    return st;
}
