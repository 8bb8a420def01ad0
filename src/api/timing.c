/* timing: the pids and moments of one file's captures, and logs whose blocks carry no time. */
#include "api/intake.h"

#include "base/clock.h"
#include "store/log.h"
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

static pm_capture *capture_at(pm_intake *in, size_t i)
{
    return in->pending[i].capture;
}

/* Takes pending capture i out, order kept. */
static void drop(pm_intake *in, size_t i)
{
    pm_capture_free(in->pending[i].capture);
    free(in->pending[i].warning);
    in->n_pending--;
    memmove(&in->pending[i], &in->pending[i + 1], (in->n_pending - i) * sizeof *in->pending);
}

/* ---- pids ---- */

static pmapdb_status set_pids(pm_intake *in, pmapdb_error *err)
{
    static const char text[] =
        "no pid in it or in its name: kept as a process of its own; --pid N would tell";
    pm_text path = pm_text_of(in->entry->own_path), name = pm_text_of(in->entry->name);
    pm_text dir = {path.data, path.len - pm_text_basename(path).len};
    int64_t from_path = pm_place_pid(dir, name);
    bool told = false; /* a log of a thousand blocks says it once */
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = in->first; i < in->n_pending && st == PMAPDB_OK; i++) {
        pm_capture *c = capture_at(in, i);

        if (c->pid == PMAPDB_UNKNOWN)
            c->pid = from_path != PMAPDB_UNKNOWN ? from_path : in->options->pid;
        if (c->pid != PMAPDB_UNKNOWN)
            continue;
        if (in->options->strict) {
            st = pm_intake_problem(in, in->entry->path, "no pid in it or in its name: give --pid N",
                                   true, c->block.hash, err);
            drop(in, i--);
        } else if (!told && !(in->pending[i].warning = strdup(text))) {
            st = pm_fail_nomem(err);
        }
        told = true;
    }
    return st;
}

/* ---- moments ---- */

static bool from(const pm_intake *in, const char *what)
{
    return !in->options->time_from || strcmp(in->options->time_from, what) == 0;
}

void pm_intake_moment(const pm_intake *in, pm_capture *c)
{
    const pm_source_entry *e = in->entry;
    int64_t ms;

    if (in->options->at_ms != PMAPDB_UNKNOWN) {
        c->taken_ms = in->options->at_ms;
        c->time_source = PM_TIME_GIVEN;
    } else if (!in->options->time_from && c->block.time_ms != PMAPDB_UNKNOWN) {
        c->taken_ms = c->block.time_ms;
        c->time_source = PM_TIME_STREAM;
    } else if (from(in, "name") && pm_clock_in_name(pm_text_of(e->name), &ms)) {
        c->taken_ms = ms;
        c->time_source = PM_TIME_NAME;
    } else if (from(in, "mtime") && e->mtime_ms != PMAPDB_UNKNOWN) {
        c->taken_ms = e->mtime_ms;
        c->time_source = PM_TIME_MTIME;
    } else if (from(in, "mtime")) {
        c->taken_ms = pm_clock_now();
        c->time_source = PM_TIME_NOW;
    }
}

/* Its time is the file's and not its own. */
static bool is_untimed(const pm_capture *c)
{
    return c->time_source != PM_TIME_STREAM;
}

static size_t count_alike(pm_intake *in, size_t i)
{
    const pm_capture *c = capture_at(in, i);
    size_t n = 0;

    for (size_t k = in->first; k < in->n_pending; k++) {
        const pm_capture *o = capture_at(in, k);

        n += is_untimed(o) && o->pid == c->pid && o->block.dialect == c->block.dialect;
    }
    return n;
}

/* The first capture of a log without times, or n_pending. With --every, a file whose only time is
 * its mtime is one from its first block on: tomorrow it will have two. */
static size_t find_log(pm_intake *in)
{
    for (size_t i = in->first; i < in->n_pending; i++) {
        const pm_capture *c = capture_at(in, i);
        bool file_time = c->time_source == PM_TIME_MTIME || c->time_source == PM_TIME_NOW;

        if (is_untimed(c) &&
            (count_alike(in, i) > 1 || (file_time && in->options->every_ms != PMAPDB_UNKNOWN)))
            return i;
        if (i > in->first + 1) /* logs repeat at once; a file of many pids need not be searched */
            break;
    }
    return in->n_pending;
}

/* ---- logs without times ---- */

static pmapdb_status refuse_log(pm_intake *in, size_t at, pmapdb_error *err)
{
    const pm_capture *c = capture_at(in, at);
    char text[320], who[48] = "one process";
    uint64_t hash = 0;

    if (c->pid != PMAPDB_UNKNOWN)
        snprintf(who, sizeof who, "pid %lld", (long long)c->pid);
    snprintf(text, sizeof text,
             "%zu captures of %s carry no time: give --every 5m (counted back from the file's "
             "mtime) or --first TIME --every 5m",
             count_alike(in, at), who);
    for (size_t i = in->first; i < in->n_pending;) {
        if (is_untimed(capture_at(in, i))) {
            hash = XXH3_64bits_withSeed(&capture_at(in, i)->block.hash, 8, hash);
            drop(in, i);
        } else {
            i++;
        }
    }
    return pm_intake_problem(in, in->entry->path, text, true, hash, err);
}

/* Moment of the i-th of n blocks of one pid. */
static int64_t counted(const pm_intake *in, int64_t written_ms, size_t i, size_t n)
{
    int64_t every = in->options->every_ms;

    if (in->options->first_ms != PMAPDB_UNKNOWN)
        return in->options->first_ms + (int64_t)i * every;
    return written_ms - (int64_t)(n - 1 - i) * every;
}

static void set_counted(pm_intake *in, const pm_log_block *blocks, size_t n, int64_t log_id,
                        int64_t last_ms, int64_t written_ms)
{
    for (size_t k = 0; k < n; k++) {
        size_t all = 0, before = 0;

        if (capture_at(in, in->first + k)->time_source == PM_TIME_EVERY)
            continue; /* of a pid that was counted already */
        for (size_t j = k; j < n; j++)
            all += blocks[j].pid == blocks[k].pid;
        for (size_t j = k; j < n; j++) {
            pm_capture *c = capture_at(in, in->first + j);

            if (blocks[j].pid != blocks[k].pid)
                continue;
            c->log_id = (uint64_t)log_id;
            c->time_source = PM_TIME_EVERY;
            c->taken_ms =
                blocks[j].known ? blocks[j].taken_ms : counted(in, written_ms, before, all);
            /* A beat that was late: the new ones still come after those that are known. */
            if (!blocks[j].known && last_ms != PMAPDB_UNKNOWN && c->taken_ms <= last_ms)
                c->taken_ms = last_ms + 1 + (int64_t)j;
            before++;
        }
    }
}

static pmapdb_status time_log(pm_intake *in, pmapdb_error *err)
{
    size_t n = in->n_pending - in->first;
    pm_log_block *blocks = calloc(n + 1, sizeof *blocks);
    int64_t written_ms = in->entry->mtime_ms, log_id, last_ms;
    pmapdb_status st;

    if (!blocks)
        return pm_fail_nomem(err);
    if (written_ms == PMAPDB_UNKNOWN)
        written_ms = pm_clock_now();
    for (size_t k = 0; k < n; k++)
        blocks[k] = (pm_log_block){.pid = capture_at(in, in->first + k)->pid,
                                   .hash = capture_at(in, in->first + k)->block.hash};
    st = pm_log_match(in->store, in->options->host, blocks, n, written_ms, &log_id, &last_ms, err);
    if (st == PMAPDB_OK)
        set_counted(in, blocks, n, log_id, last_ms, written_ms);
    free(blocks);
    return st;
}

/* ---- the file ---- */

/* Captures of one process, dialect and moment keep the order of the text. */
static void set_ordinals(pm_intake *in)
{
    for (size_t i = in->first; i < in->n_pending; i++) {
        pm_capture *c = capture_at(in, i);

        for (size_t k = i; k > in->first; k--) {
            const pm_capture *o = capture_at(in, k - 1);

            if (o->taken_ms != c->taken_ms)
                break;
            if (o->pid == c->pid && o->block.dialect == c->block.dialect) {
                c->ordinal = o->ordinal + 1;
                break;
            }
        }
    }
}

static pmapdb_status drop_timeless(pm_intake *in, pmapdb_error *err)
{
    uint64_t hash = 0;
    size_t n = in->n_pending;

    for (size_t i = in->first; i < in->n_pending;) {
        if (capture_at(in, i)->time_source != PM_TIME_NONE) {
            i++;
            continue;
        }
        hash = XXH3_64bits_withSeed(&capture_at(in, i)->block.hash, 8, hash);
        drop(in, i);
    }
    if (n == in->n_pending)
        return PMAPDB_OK;
    return pm_intake_problem(in, in->entry->path, "no time in the file's name (--time-from name)",
                             true, hash, err);
}

pmapdb_status pm_intake_time(pm_intake *in, pmapdb_error *err)
{
    size_t log;
    pmapdb_status st = set_pids(in, err);

    for (size_t i = in->first; i < in->n_pending && st == PMAPDB_OK; i++)
        pm_intake_moment(in, capture_at(in, i));
    if (st == PMAPDB_OK)
        st = drop_timeless(in, err);
    log = st == PMAPDB_OK ? find_log(in) : in->n_pending;
    if (st == PMAPDB_OK && log < in->n_pending)
        st = in->options->every_ms == PMAPDB_UNKNOWN ? refuse_log(in, log, err) : time_log(in, err);
    if (st == PMAPDB_OK)
        set_ordinals(in);
    return st;
}
