/* timing: the pids and moments of one file's captures, and logs whose blocks carry no time. */
#include "api/intake.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "store/write/import_log.h"
#include <stdio.h>
#include <stdlib.h>

static pm_capture *capture_at(pm_intake *in, size_t i)
{
    return in->pending[i].capture;
}

/* Takes those out that are so, order kept. Their hash, or 0 where there was none. */
static uint64_t drop(pm_intake *in, bool (*unwanted)(const pm_capture *c))
{
    size_t kept = in->first;
    uint64_t hash = 0;

    for (size_t i = in->first; i < in->n_pending; i++) {
        pm_pending *p = &in->pending[i];

        if (!unwanted(p->capture)) {
            in->pending[kept++] = *p;
            continue;
        }
        hash = pm_hash_seeded(&p->capture->block.hash, 8, hash);
        pm_capture_free(p->capture);
        free(p->warning);
    }
    in->n_pending = kept;
    return hash;
}

/* How often the key was counted before; counts it once more. */
static pmapdb_status count(pm_map *counts, uint64_t key, int64_t *before, pmapdb_error *err)
{
    *before = 0;
    pm_map_get(counts, key, before);
    return pm_map_put(counts, key, *before + 1, err);
}

/* ---- pids ---- */

static bool has_no_pid(const pm_capture *c)
{
    return c->pid == PMAPDB_UNKNOWN;
}

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
        if (in->options->strict)
            st = pm_intake_problem(in, in->entry->path, "no pid in it or in its name: give --pid N",
                                   true, c->block.hash, err);
        else if (!told && !(in->pending[i].warning = strdup(text)))
            st = pm_fail_nomem(err);
        told = true;
    }
    if (in->options->strict)
        drop(in, has_no_pid);
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

/* The first capture of a log without times, or n_pending. With --every, a file whose only time
 * is its mtime is one from its first block on: tomorrow it will have two. */
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

static bool is_countable(const pm_intake *in)
{
    const pmapdb_import_options *o = in->options;

    return o->every_ms != PMAPDB_UNKNOWN && (o->first_ms != PMAPDB_UNKNOWN || !in->cut);
}

static pmapdb_status refuse_log(pm_intake *in, size_t at, pmapdb_error *err)
{
    const pm_capture *c = capture_at(in, at);
    char text[320], who[48] = "one process";
    size_t alike = count_alike(in, at);

    if (c->pid != PMAPDB_UNKNOWN)
        snprintf(who, sizeof who, "pid %lld", (long long)c->pid);
    snprintf(text, sizeof text, "%zu capture%s of %s %s no time: give %s--first TIME --every 5m%s",
             alike, alike == 1 ? "" : "s", who, alike == 1 ? "carries" : "carry",
             in->cut ? "" : "--every 5m (counted back from the file's mtime) or ",
             in->cut ? ", since from its end, which is missing, they cannot be counted back" : "");
    return pm_intake_problem(in, in->entry->path, text, true, drop(in, is_untimed), err);
}

/* Moment of the i-th of n blocks of one pid. */
static int64_t counted(const pm_intake *in, int64_t written_ms, size_t i, size_t n)
{
    int64_t every = in->options->every_ms;

    if (in->options->first_ms != PMAPDB_UNKNOWN)
        return in->options->first_ms + (int64_t)i * every;
    return written_ms - (int64_t)(n - 1 - i) * every;
}

/* Block k of a file whose known blocks are in `blocks`; n_pid: number of blocks of its pid. */
static void set_counted(pm_intake *in, const pm_log_block *b, size_t k, size_t i, size_t n_pid,
                        int64_t last_ms, int64_t written_ms)
{
    pm_capture *c = capture_at(in, in->first + k);

    c->time_source = PM_TIME_EVERY;
    c->taken_ms = b->known ? b->taken_ms : counted(in, written_ms, i, n_pid);
    /* A beat that was late: the new ones still come after those that are known. */
    if (!b->known && last_ms != PMAPDB_UNKNOWN && c->taken_ms <= last_ms)
        c->taken_ms = last_ms + 1 + (int64_t)k;
}

static pmapdb_status time_blocks(pm_intake *in, pm_log_block *blocks, size_t n, pm_map *all,
                                 pm_map *seen, pmapdb_error *err)
{
    int64_t written_ms = in->entry->mtime_ms, log_id = 0, last_ms = PMAPDB_UNKNOWN, i, n_pid;
    pmapdb_status st = PMAPDB_OK;

    if (written_ms == PMAPDB_UNKNOWN)
        written_ms = pm_clock_now();
    for (size_t k = 0; k < n && st == PMAPDB_OK; k++) {
        const pm_capture *c = capture_at(in, in->first + k);

        blocks[k] = (pm_log_block){.pid = c->pid, .hash = c->block.hash};
        st = count(all, (uint64_t)c->pid, &i, err);
    }
    PM_STEP(st, pm_log_match(in->store, in->options->host, blocks, n, written_ms, &log_id, &last_ms,
                             err));
    for (size_t k = 0; k < n && st == PMAPDB_OK; k++) {
        st = count(seen, (uint64_t)blocks[k].pid, &i, err);
        pm_map_get(all, (uint64_t)blocks[k].pid, &n_pid);
        capture_at(in, in->first + k)->log_id = (uint64_t)log_id;
        set_counted(in, &blocks[k], k, (size_t)i, (size_t)n_pid, last_ms, written_ms);
    }
    return st;
}

static pmapdb_status time_log(pm_intake *in, pmapdb_error *err)
{
    size_t n = in->n_pending - in->first;
    pm_log_block *blocks = calloc(n + 1, sizeof *blocks);
    pm_map all = {0}, seen = {0};
    pmapdb_status st = blocks ? time_blocks(in, blocks, n, &all, &seen, err) : pm_fail_nomem(err);

    pm_map_free(&all);
    pm_map_free(&seen);
    free(blocks);
    return st;
}

/* ---- the file ---- */

/* Captures of one process, dialect and moment keep the order of the text. */
static pmapdb_status set_ordinals(pm_intake *in, pmapdb_error *err)
{
    pm_map seen = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = in->first; i < in->n_pending && st == PMAPDB_OK; i++) {
        pm_capture *c = capture_at(in, i);
        const int64_t key[] = {c->pid, c->block.dialect, c->taken_ms};

        st = count(&seen, pm_hash(key, sizeof key), &c->ordinal, err);
    }
    pm_map_free(&seen);
    return st;
}

static bool is_timeless(const pm_capture *c)
{
    return c->time_source == PM_TIME_NONE;
}

static pmapdb_status drop_timeless(pm_intake *in, pmapdb_error *err)
{
    size_t n = in->n_pending;
    uint64_t hash = drop(in, is_timeless);

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
    PM_STEP(st, drop_timeless(in, err));
    log = st == PMAPDB_OK ? find_log(in) : in->n_pending;
    if (st == PMAPDB_OK && log < in->n_pending)
        st = is_countable(in) ? time_log(in, err) : refuse_log(in, log, err);
    return st == PMAPDB_OK ? set_ordinals(in, err) : st;
}
