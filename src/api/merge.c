/* merge: merges other stores into one, each separately: an error in one does not stop the others.
 */
#include "store/copy/merge.h"

#include "api/check.h"
#include "base/buf.h"
#include <sys/stat.h>

void pmapdb_merge_defaults(pmapdb_merge_options *o)
{
    *o = (pmapdb_merge_options){.sweep_ms = PM_SWEEP_MS};
}

typedef struct merge_run {
    const pmapdb_merge_options *options;
    const char *path; /* of the current store */
    pm_merge_counts counts;
    pmapdb_merge_result result;
} merge_run;

/* ---- news ---- */

/* The message names the store, whichever function wrote it. */
static void name_error(const merge_run *run, const pmapdb_error *why, pm_buf *out)
{
    const char *text = why->status == PMAPDB_NOTFOUND ? "no such file" : why->text;

    if (!strstr(text, run->path))
        pm_buf_addf(out, NULL, "%s: ", run->path);
    pm_buf_addf(out, NULL, "%s", text);
}

static void warn(const pm_merge_counts *counts, bool immutable, pm_buf *out)
{
    if (immutable)
        pm_buf_addf(out, NULL, "read as a file that does not change (no permission for its -shm)");
    if (counts->hostless && counts->met_hostless)
        pm_buf_addf(out, NULL,
                    "%s%llu %s of an unknown host, like some in this store: all count as one "
                    "host; --host NAME keeps them apart",
                    out->len ? "; " : "", (unsigned long long)counts->hostless,
                    counts->hostless == 1 ? "process is" : "processes are");
}

static void tell(merge_run *run, const char *error, const char *warning)
{
    pmapdb_merge_event *event = &run->counts.event;

    event->path = run->path;
    event->error = error;
    event->warning = warning;
    run->result.stores++;
    run->result.failed += error != NULL;
    run->result.new_ones += event->new_ones;
    run->result.known += event->known;
    if (run->options->on_event)
        run->options->on_event(run->options->ctx, event);
}

/* ---- one store ---- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* *theirs: the other store is the cause of a failure. */
static pmapdb_status merge_from(merge_run *run, pmapdb_store *into, pmapdb_store **from,
                                bool *theirs, pmapdb_error *err)
{
    pmapdb_status st;

    *theirs = true;
    if (into && is_same_file(into->path, run->path))
        return pm_fail(err, PMAPDB_USAGE, "'%s' is the store itself", run->path);
    st = pmapdb_open(run->path, &(pmapdb_open_options){.mode = PMAPDB_READ}, from, err);
    *theirs = st != PMAPDB_NOMEM;
    PM_STEP(st, pm_merge_store(into, *from, run->options, &run->counts, theirs, err));
    return st;
}

static pmapdb_status merge_one(merge_run *run, pmapdb_store *into, pmapdb_error *err)
{
    pmapdb_store *from = NULL;
    pmapdb_error why = {0};
    bool theirs, failed;
    pm_buf text = {0};
    pmapdb_status st, told;

    run->counts = (pm_merge_counts){0};
    st = merge_from(run, into, &from, &theirs, &why);
    failed = st != PMAPDB_OK && theirs;
    if (failed)
        name_error(run, &why, &text);
    else if (from)
        warn(&run->counts, pmapdb_is_immutable(from), &text);
    told = pm_buf_status(&text, err);
    if (told == PMAPDB_OK && (failed || st == PMAPDB_OK || st == PMAPDB_STOPPED))
        tell(run, failed ? text.data : NULL, failed ? NULL : text.data);
    if (told == PMAPDB_OK && !failed && st != PMAPDB_OK && err)
        *err = why;
    pm_buf_free(&text);
    pmapdb_close(from);
    return told != PMAPDB_OK || failed ? told : st;
}

pmapdb_status pmapdb_merge(pmapdb_store *store, const char *const *paths, size_t n_paths,
                           const pmapdb_merge_options *options, pmapdb_merge_result *result,
                           pmapdb_error *err)
{
    merge_run run = {.options = options};
    pmapdb_status st = PMAPDB_OK;

    if (options->sweep_ms < 0 || options->sweep_ms >= PM_SWEEP_MAX_MS)
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
