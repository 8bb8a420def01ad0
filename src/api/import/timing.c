/* timing: the pids and moments of the captures of one file, and logs whose blocks have no time. */
#include "api/import/intake.h"

#include "base/clock/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "store/write/import_log.h"
#include <stdio.h>
#include <stdlib.h>

static pm_capture *capture_at(pm_intake *in, size_t i)
{
    return in->pending[i].capture;
}

/* Removes the unwanted captures and keeps the order. Returns their hash; 0 if there were none. */
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
        hash = pm_hash(&p->capture->block.hash, 8, hash);
        pm_capture_free(p->capture);
        free(p->warning);
    }
    in->n_pending = kept;
    return hash;
}

/* Returns how often the key was counted before, and counts it once more. */
static int64_t count(pm_intake *in, pm_map *counts, uint64_t key)
{
    int64_t before = 0;

    pm_map_get(counts, key, &before);
    PM_STEP(in->st, pm_map_put(counts, key, before + 1, &in->error));
    return before;
}

/* ---- pids ---- */

static bool has_no_pid(const pm_capture *c)
{
    return c->pid == PMAPDB_UNKNOWN;
}

static void set_pids(pm_intake *in)
{
    static const char text[] = "no pid in the capture or in its file name: stored as a separate "
                               "process; give its pid with --pid N";
    bool told = false; /* reported once for a log of a thousand blocks */

    for (size_t i = in->first; i < in->n_pending; i++) {
        pm_capture *c = capture_at(in, i);

        if (c->pid == PMAPDB_UNKNOWN)
            c->pid = in->options->pid;
        if (c->pid != PMAPDB_UNKNOWN)
            continue;
        if (in->options->strict)
            pm_intake_problem(in, in->entry->path,
                              "no pid in the capture or in its file name: give --pid N", true,
                              c->block.hash);
        else if (!told && !(in->pending[i].warning = strdup(text)))
            PM_STEP(in->st, pm_fail_nomem(&in->error));
        told = true;
    }
    if (in->options->strict)
        drop(in, has_no_pid);
}

/* ---- moments ---- */

/* Decides the time of a capture: the first source that has a time counts. --time-from leaves only
 * the sources of its word. */
void pm_intake_moment(const pm_intake *in, pm_capture *c)
{
    const char *from = in->options->time_from;
    int64_t in_name = PMAPDB_UNKNOWN;
    pm_text where;
    struct {
        pm_time_source source;
        const char *word;
        int64_t ms;
    } sources[] = {{PM_TIME_STREAM, "", c->block.time_ms},
                   {PM_TIME_NAME, "name", PMAPDB_UNKNOWN},
                   {PM_TIME_MTIME, "mtime", in->entry->mtime_ms},
                   {PM_TIME_NOW, "mtime", pm_clock_now()}};

    if (pm_clock_in_name(pm_text_of(in->entry->name), &in_name, &where))
        sources[1].ms = in_name;
    c->taken_ms = in->options->at_ms;
    c->time_source = PM_TIME_GIVEN;
    for (size_t i = 0; i < sizeof sources / sizeof *sources && c->taken_ms == PMAPDB_UNKNOWN; i++) {
        if (from && strcmp(from, sources[i].word) != 0)
            continue;
        c->taken_ms = sources[i].ms;
        c->time_source = sources[i].source;
    }
    if (c->taken_ms == PMAPDB_UNKNOWN)
        c->time_source = PM_TIME_NONE;
}

/* True if the capture shows no time of its own: its time is that of the file or of --at. */
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

/* The first capture of a log without times, and how many are alike; or n_pending. With --every, a
 * file whose only time is its mtime is a log from its first block on: tomorrow the file will have
 * two. */
static size_t find_log(pm_intake *in, size_t *alike)
{
    for (size_t i = in->first; i < in->n_pending; i++) {
        const pm_capture *c = capture_at(in, i);
        bool file_time = c->time_source == PM_TIME_MTIME || c->time_source == PM_TIME_NOW;

        *alike = count_alike(in, i);
        if (is_untimed(c) && (*alike > 1 || (file_time && in->options->every_ms != PMAPDB_UNKNOWN)))
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

static void refuse_log(pm_intake *in, size_t at, size_t alike)
{
    const pm_capture *c = capture_at(in, at);
    char text[320], who[48] = "one process";

    if (c->pid != PMAPDB_UNKNOWN)
        snprintf(who, sizeof who, "pid %lld", (long long)c->pid);
    snprintf(text, sizeof text, "%zu capture%s of %s %s no time: give %s--first TIME --every 5m%s",
             alike, alike == 1 ? "" : "s", who, alike == 1 ? "carries" : "carry",
             in->cut ? "" : "--every 5m (counted back from the file's mtime) or ",
             in->cut ? "; the end of the file is missing, so times cannot be counted back from it"
                     : "");
    pm_intake_problem(in, in->entry->path, text, true, drop(in, is_untimed));
}

/* The moment of block i of the n blocks of one pid. */
static int64_t counted(const pm_intake *in, int64_t written_ms, size_t i, size_t n)
{
    int64_t every = in->options->every_ms;

    if (in->options->first_ms != PMAPDB_UNKNOWN)
        return in->options->first_ms + (int64_t)i * every;
    return written_ms - (int64_t)(n - 1 - i) * every;
}

/* Sets the time of block k of the file, which is block i of the n_pid blocks of its pid. last_ms:
 * the time of the newest known block. */
static void set_counted(pm_intake *in, const pm_log_block *b, size_t k, size_t i, size_t n_pid,
                        int64_t last_ms, int64_t written_ms)
{
    pm_capture *c = capture_at(in, in->first + k);

    c->time_source = PM_TIME_EVERY;
    c->taken_ms = b->known ? b->taken_ms : counted(in, written_ms, i, n_pid);
    /* Even if the log was written late, new blocks get times after those of the known blocks. */
    if (!b->known && last_ms != PMAPDB_UNKNOWN && c->taken_ms <= last_ms)
        c->taken_ms = last_ms + 1 + (int64_t)k;
}

static void time_blocks(pm_intake *in, pm_log_block *blocks, size_t n, pm_map *all, pm_map *seen)
{
    int64_t written_ms = in->entry->mtime_ms, log_id = 0, last_ms = PMAPDB_UNKNOWN, i, n_pid = 0;

    if (written_ms == PMAPDB_UNKNOWN)
        written_ms = pm_clock_now();
    for (size_t k = 0; k < n; k++) {
        const pm_capture *c = capture_at(in, in->first + k);

        blocks[k] = (pm_log_block){.pid = c->pid, .hash = c->block.hash};
        count(in, all, (uint64_t)c->pid);
    }
    PM_STEP(in->st, pm_log_match(in->store, in->options->host, blocks, n, written_ms, &log_id,
                                 &last_ms, &in->error));
    for (size_t k = 0; k < n && in->st == PMAPDB_OK; k++) {
        i = count(in, seen, (uint64_t)blocks[k].pid);
        pm_map_get(all, (uint64_t)blocks[k].pid, &n_pid);
        capture_at(in, in->first + k)->log_id = (uint64_t)log_id;
        set_counted(in, &blocks[k], k, (size_t)i, (size_t)n_pid, last_ms, written_ms);
    }
}

static void time_log(pm_intake *in)
{
    size_t n = in->n_pending - in->first;
    pm_log_block *blocks = calloc(n + 1, sizeof *blocks);
    pm_map all = {0}, seen = {0};

    if (blocks)
        time_blocks(in, blocks, n, &all, &seen);
    else
        PM_STEP(in->st, pm_fail_nomem(&in->error));
    pm_map_free(&all);
    pm_map_free(&seen);
    free(blocks);
}

/* ---- the file ---- */

/* Numbers the captures of one process, dialect and moment in the order of the text. */
static void set_ordinals(pm_intake *in)
{
    pm_map seen = {0};

    for (size_t i = in->first; i < in->n_pending; i++) {
        pm_capture *c = capture_at(in, i);
        const int64_t key[] = {c->pid, c->block.dialect, c->taken_ms};

        c->ordinal = count(in, &seen, pm_hash(key, sizeof key, 0));
    }
    pm_map_free(&seen);
}

static bool is_timeless(const pm_capture *c)
{
    return c->time_source == PM_TIME_NONE;
}

static void drop_timeless(pm_intake *in)
{
    size_t n = in->n_pending;
    uint64_t hash = drop(in, is_timeless);

    if (n != in->n_pending)
        pm_intake_problem(in, in->entry->path, "no time in the file's name (--time-from name)",
                          true, hash);
}

void pm_intake_time(pm_intake *in)
{
    size_t log, alike = 0;

    set_pids(in);
    for (size_t i = in->first; i < in->n_pending; i++)
        pm_intake_moment(in, capture_at(in, i));
    drop_timeless(in);
    log = find_log(in, &alike);
    if (log < in->n_pending && is_countable(in))
        time_log(in);
    else if (log < in->n_pending)
        refuse_log(in, log, alike);
    set_ordinals(in);
}
