/* merge: merges other stores into one, each separately: an error in one does not stop the others.
 */
#include "store/copy/merge.h"

#include "base/buf.h"
#include <sys/stat.h>

#define SWEEP_MS 1000
#define SWEEP_MAX_MS 3600000 /* queries look no further for the snapshots of a moment */

void pmapdb_merge_defaults(pmapdb_merge_options *o)
{
    *o = (pmapdb_merge_options){.sweep_ms = SWEEP_MS};
}

typedef struct merge_run {
    const pmapdb_merge_options *options;
    const char *path; /* of the current store */
    pmapdb_merge_result result;
} merge_run;

/* ---- news ---- */

static bool keep_going(void *ctx, const pm_merge_counts *counts)
{
    const merge_run *run = ctx;
    const pmapdb_progress progress = {
        .what = run->path, .unit = "snapshots", .done = counts->snapshots};

    return !run->options->on_progress || run->options->on_progress(run->options->ctx, &progress);
}

static pmapdb_status warn(const pm_merge_counts *counts, bool immutable, pm_buf *out,
                          pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (immutable)
        st = pm_buf_addf(out, err,
                         "read as a file that does not change (no permission for its -shm)");
    if (st == PMAPDB_OK && counts->hostless && counts->met_hostless)
        st = pm_buf_addf(out, err,
                         "%s%llu %s of an unknown host, like some in this store: all count as one "
                         "host; --host NAME keeps them apart",
                         out->len ? "; " : "", (unsigned long long)counts->hostless,
                         counts->hostless == 1 ? "process is" : "processes are");
    return st;
}

static void tell(merge_run *run, const pm_merge_counts *counts, const char *error,
                 const char *warning)
{
    run->result.stores++;
    run->result.failed += error != NULL;
    run->result.new_ones += counts->new;
    run->result.known += counts->known;
    if (run->options->on_event)
        run->options->on_event(run->options->ctx,
                               &(pmapdb_merge_event){.path = run->path,
                                                     .error = error,
                                                     .warning = warning,
                                                     .hosts = counts->hosts,
                                                     .processes = counts->processes,
                                                     .snapshots = counts->snapshots,
                                                     .new_ones = counts->new,
                                                     .known = counts->known});
}

/* The message names the store, whichever function wrote it. */
static pmapdb_status tell_error(merge_run *run, const pm_merge_counts *counts,
                                const pmapdb_error *why, pmapdb_error *err)
{
    const char *text = why->status == PMAPDB_NOTFOUND ? "no such file" : why->text;
    pm_buf named = {0};
    pmapdb_status st = PMAPDB_OK;

    if (!strstr(text, run->path))
        st = pm_buf_addf(&named, err, "%s: ", run->path);
    PM_STEP(st, pm_buf_addf(&named, err, "%s", text));
    if (st == PMAPDB_OK)
        tell(run, counts, named.data, NULL);
    pm_buf_free(&named);
    return st;
}

/* ---- one store ---- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static pmapdb_status merge_open(merge_run *run, pmapdb_store *into, pmapdb_store *from,
                                pmapdb_error *err)
{
    const pmapdb_merge_options *o = run->options;
    pm_merge_options options = {.host = o->host,
                                .sweep_ms = o->sweep_ms,
                                .dry_run = o->dry_run,
                                .ctx = run,
                                .keep_going = keep_going};
    pm_merge_counts counts;
    pmapdb_error why = {0};
    bool theirs;
    pm_buf warning = {0};
    pmapdb_status st = pm_merge_store(into, from, &options, &counts, &theirs, &why);

    if (st != PMAPDB_OK && theirs)
        return tell_error(run, &counts, &why, err);
    if (st != PMAPDB_OK && err)
        *err = why;
    PM_STEP(st, warn(&counts, pmapdb_is_immutable(from), &warning, err));
    if (st == PMAPDB_OK || st == PMAPDB_STOPPED)
        tell(run, &counts, NULL, warning.data);
    pm_buf_free(&warning);
    return st;
}

static pmapdb_status merge_one(merge_run *run, pmapdb_store *into, pmapdb_error *err)
{
    pmapdb_open_options options = {.mode = PMAPDB_READ};
    pm_merge_counts none = {0};
    pmapdb_store *from = NULL;
    pmapdb_error why = {0};
    pmapdb_status st;

    if (into && is_same_file(into->path, run->path)) {
        pm_fail(&why, PMAPDB_USAGE, "'%s' is the store itself", run->path);
        return tell_error(run, &none, &why, err);
    }
    st = pmapdb_open(run->path, &options, &from, &why);
    if (st == PMAPDB_NOMEM)
        return pm_fail_nomem(err);
    if (st != PMAPDB_OK)
        return tell_error(run, &none, &why, err);
    st = merge_open(run, into, from, err);
    pmapdb_close(from);
    return st;
}

pmapdb_status pmapdb_merge(pmapdb_store *store, const char *const *paths, size_t n_paths,
                           const pmapdb_merge_options *options, pmapdb_merge_result *result,
                           pmapdb_error *err)
{
    merge_run run = {.options = options};
    pmapdb_status st = PMAPDB_OK;

    if (options->sweep_ms < 0 || options->sweep_ms >= SWEEP_MAX_MS)
        return pm_fail(err, PMAPDB_USAGE, "--sweep must be below one hour");
    if (!store && !options->dry_run)
        return pm_fail(err, PMAPDB_USAGE, "no store to merge into");
    for (size_t i = 0; i < n_paths && st == PMAPDB_OK; i++) {
        run.path = paths[i];
        st = merge_one(&run, store, err);
    }
    *result = run.result;
    return st;
}
