/* intake: takes blocks of files as captures that wait to be stored. */
#include "api/import/intake.h"

#include "base/clock/clock.h"
#include "base/hash.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIBLING_MAX ((size_t)65536)
#define STORE_SHARE 16 /* storing needs 1/16 of --max-memory */
#define FRESH_MS 10000 /* no tool pauses longer between two pieces of its output */

/* ---- a file ---- */

static bool on_file(void *ctx, const pm_source_entry *entry, bool *more)
{
    pm_intake *in = ctx;

    in->entry = entry;
    in->first = in->n_pending;
    in->nothing = in->foreign = (pm_nothing){0};
    in->foreign_hash = 0;
    in->cut = in->last_bare = in->may_label = in->heard_labels = false;
    in->held = 0;
    in->pool_before = pm_pool_bytes(in->pool);
    in->bytes_before = in->bytes;
    pm_buf_clear(&in->heard);
    in->files++;
    in->kind = pm_place_sibling(pm_text_of(entry->name), &in->slot, &in->only);
    in->hear = in->kind.len && entry->in_archive;
    *more = in->only && in->hear;
    return !in->only;
}

static pmapdb_status on_bytes(void *ctx, const char *bytes, size_t n, bool *more, pmapdb_error *err)
{
    pm_intake *in = ctx;
    pm_text head = {bytes, n < PM_LABELS_HEAD ? n : PM_LABELS_HEAD};
    pmapdb_status st = PMAPDB_OK;
    bool hears;

    if (in->bytes == in->bytes_before && !in->only)
        in->may_label = pm_labels_guess(head);
    hears =
        in->may_label ? in->heard.len < PM_LABELS_BYTES : in->hear && in->heard.len < SIBLING_MAX;
    if (hears)
        st = pm_buf_add(&in->heard, bytes, n, err);
    in->bytes += n;
    /* so that no file takes more than its share: no part of a file can be stored before its end,
     * which shows whether it is a log without times */
    in->in_memory = in->held + in->heard.len + pm_pool_bytes(in->pool) - in->pool_before +
                    in->options->max_memory / STORE_SHARE;
    pm_intake_go_on(in);
    *more = hears && (in->may_label || in->only);
    return st == PMAPDB_OK ? in->st : st;
}

void pm_intake_open(pm_intake *in, pmapdb_store *store, const pmapdb_import_options *options,
                    const char *const *paths, size_t n_paths)
{
    const pm_blocks_options how = {.paths = paths,
                                   .n_paths = n_paths,
                                   .dialect = options->dialect,
                                   .pool = &in->pool,
                                   .max_memory = options->max_memory,
                                   .max_unpacked = options->max_unpacked,
                                   .hooks = {in, on_file, on_bytes, &in->in_memory}};

    *in = (pm_intake){.store = store, .options = options, .paths = paths, .n_paths = n_paths};
    if (options->names)
        PM_STEP(in->st, pm_names_read(options->names, &in->names, &in->error));
    PM_STEP(in->st, pm_pool_new(&in->pool, &in->error));
    PM_STEP(in->st, pm_blocks_new(&how, &in->blocks, &in->error));
}

/* ---- one block ---- */

static void take_block(pm_intake *in, pm_found_block *found)
{
    const pm_block *block = &found->capture->block;
    pm_nothing *nothing = block->foreign ? &in->foreign : &in->nothing;

    in->last_bare = found->error;
    if (block->foreign)
        in->foreign_hash = pm_hash(&block->hash, sizeof block->hash, in->foreign_hash);
    if (!found->error) {
        pm_intake_add(in, found->capture);
        found->capture = NULL;
    } else if (nothing->n++ == 0) {
        nothing->text = found->error;
    }
}

/* ---- the end of a file ---- */

/* Reports the text once for each path, because every sweep of a host contains kernel threads and
 * the like. The next import only counts them. */
static void name_once(pm_intake *in, const char *text, bool trouble)
{
    const char *path = in->entry->path;
    uint64_t hash = pm_hash(text, strlen(text), 0);

    pm_intake_problem(in, path, text, trouble, pm_hash(path, strlen(path), hash));
}

static void report_wrapped(pm_intake *in, const pm_found_block *end)
{
    if (in->entry->named)
        pm_intake_problem(in, end->path, end->error, true, 0);
    else if (end->wrap.likely)
        name_once(in, end->error, true);
    else
        in->skipped++;
}

static void report_foreign(pm_intake *in)
{
    char text[256];

    if (!in->foreign.n)
        return;
    snprintf(text, sizeof text, "%zu captures: %s", in->foreign.n, in->foreign.text);
    pm_intake_problem(in, in->entry->path, in->foreign.n > 1 ? text : in->foreign.text, true,
                      in->entry->named ? 0 : in->foreign_hash);
}

/* Reports a file without a capture. */
static void report_nothing(pm_intake *in, const pm_found_block *end)
{
    const char *text = in->nothing.n ? in->nothing.text : end->error;

    if (in->entry->named) {
        pm_intake_problem(in, end->path, text, true, 0);
    } else if (in->nothing.n || end->is_empty) {
        in->empty += in->nothing.n ? in->nothing.n : 1;
        name_once(in, text, false);
    } else {
        in->skipped++;
    }
}

static void report_damage(pm_intake *in, const pmapdb_error *damage)
{
    uint64_t hash = pm_hash(damage->text, strlen(damage->text), 0);

    for (size_t i = in->first; i < in->n_pending; i++)
        hash = pm_hash(&in->pending[i].capture->block.hash, 8, hash);
    pm_intake_problem(in, in->entry->path, damage->text, true,
                      pm_err_is_passing(damage) ? 0 : hash);
}

/* Drops the last block if more of it may come. */
static bool drop_begun(pm_intake *in, bool last_is_torn)
{
    pm_capture *last = in->pending[in->n_pending - 1].capture;

    if (in->last_bare) { /* a header without rows so far */
        if (in->foreign.n + in->nothing.n > 1)
            return false;
        in->foreign.n = in->nothing.n = 0;
        return true;
    }
    if (!last_is_torn || last->block.checked != PM_CHECKED_NONE)
        return false;
    pm_capture_free(last);
    in->n_pending--;
    return true;
}

/* Leaves the last block of a log that is still being written: it would be stored as complete,
 * beside the real block of a later import. The next import finds all of it. */
static void leave_begun(pm_intake *in)
{
    const pm_source_entry *e = in->entry;
    size_t n = in->n_pending - in->first;
    bool fresh =
        !e->in_archive && e->mtime_ms != PMAPDB_UNKNOWN && pm_clock_now() - e->mtime_ms < FRESH_MS;
    bool partial = n > 1 && in->pending[in->n_pending - 1].capture->block.state == PM_STATE_PARTIAL;

    if (n && (e->changed || fresh) && drop_begun(in, e->changed || partial))
        pm_intake_problem(in, e->path,
                          "it is being written: its last capture is left for the next import",
                          false, 0);
}

static void finish_file(pm_intake *in, const pm_found_block *end)
{
    report_foreign(in);
    if (in->n_pending == in->first) {
        if (!in->heard_labels && !(in->foreign.n && !in->nothing.n))
            report_nothing(in, end);
        return;
    }
    in->empty += in->nothing.n;
    if (in->nothing.n)
        name_once(in, in->nothing.text, false);
    if (in->entry->in_archive)
        pm_sibling_expect(in);
    else if (!in->entry->is_stdin)
        pm_sibling_look(in);
    pm_intake_time(in);
}

static void end_captures(pm_intake *in, const pm_found_block *end)
{
    bool found = in->n_pending > in->first;

    if (in->may_label)
        pm_labels_end(in);
    in->cut = end->damage.status != PMAPDB_OK;
    if (in->cut)
        report_damage(in, &end->damage);
    else
        leave_begun(in);
    if (in->n_pending > in->first || !(in->cut || found))
        finish_file(in, end);
}

static void end_file(pm_intake *in, const pm_found_block *end)
{
    if (end->damage.os_errno == EINTR) /* a signal may want to stop the run */
        pm_intake_go_on(in);
    if (end->entry->skipped)
        in->skipped++;
    else if (end->wrap.what)
        report_wrapped(in, end);
    else if (!in->only)
        end_captures(in, end);
    if (in->hear && !end->entry->skipped)
        pm_sibling_keep(in, in->kind, &in->slot);
}

/* Reports a file or directory that cannot be opened; the import goes on. A path that the user
 * named, or a failure of the machine, is trouble each time; a file in a directory that may not be
 * read is reported once. */
static void unreadable(pm_intake *in, const pmapdb_error *why)
{
    uint64_t hash = pm_hash(why->text, strlen(why->text), 0);

    in->held = 0;
    pm_intake_go_on(in); /* a signal may have come during the wait for a FIFO's writer */
    for (size_t i = 0; i < in->n_paths; i++)
        if (access(in->paths[i], R_OK) != 0 && strstr(why->text, in->paths[i]))
            hash = 0;
    pm_intake_problem(in, "", why->text, true, pm_err_is_passing(why) ? 0 : hash);
}

bool pm_intake_file(pm_intake *in)
{
    pm_found_block *found = NULL;
    bool ended = false;

    while (!ended) {
        PM_STEP(in->st, pm_blocks_next(in->blocks, &found, &in->error));
        if (in->st != PMAPDB_OK || !found)
            return false;
        ended = !found->capture;
        if (!ended)
            take_block(in, found);
        else if (!found->entry)
            unreadable(in, &found->damage);
        else
            end_file(in, found);
        pm_found_block_free(found);
    }
    return true;
}
