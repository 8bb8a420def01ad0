/* intake: reads files into captures that wait to be stored. */
#include "api/import/intake.h"

#include "api/blocks.h"
#include "api/import/labels.h"
#include "api/wrap.h"
#include "base/clock/clock.h"
#include "base/hash.h"
#include <errno.h>
#include <stdlib.h>

#define SIBLING_MAX ((size_t)65536)
#define FRESH_MS 10000 /* no tool pauses longer between two pieces of its output */

/* ---- one block ---- */

static pmapdb_status on_row(void *ctx, uint32_t id, pmapdb_error *err)
{
    pm_intake *in = ctx;
    pmapdb_status st = pm_grow(&in->rows, &in->cap_rows, in->n_rows, sizeof *in->rows, err);

    if (st == PMAPDB_OK)
        in->rows[in->n_rows++] = id;
    return st;
}

static pmapdb_status on_block(void *ctx, const pm_block *block, pmapdb_error *err)
{
    pm_intake *in = ctx;
    pm_nothing *nothing = block->foreign ? &in->foreign : &in->nothing;
    pmapdb_status st = PMAPDB_OK;

    in->last_bare = block->foreign || block->empty.len;
    if (block->foreign)
        in->foreign_hash = pm_hash_seeded(&block->hash, sizeof block->hash, in->foreign_hash);
    if (!in->last_bare)
        st = pm_intake_add(in, block, err);
    else if (nothing->n++ == 0)
        nothing->text = pm_text_copy(block->empty);
    in->n_rows = 0;
    return st;
}

/* ---- reading a file ---- */

/* Reports once: every sweep of a host contains kernel threads and the like. They are remembered by
 * path, so that the next import only counts them. */
static void name_once(pm_intake *in, const char *text, bool trouble)
{
    const char *path = in->entry->path;
    uint64_t hash = pm_hash(text, strlen(text));

    pm_intake_problem(in, path, text, trouble, pm_hash_seeded(path, strlen(path), hash));
}

/* True for a file that is not read because of its wrapping. */
static bool refuse_wrapped(pm_intake *in, pm_text begin)
{
    pm_wrap wrap = pm_wrap_of(begin, in->entry->in_archive);

    in->wrapped = wrap.what != NULL;
    if (in->wrapped && in->entry->named)
        pm_intake_problem(in, in->entry->path, wrap.what, true, 0);
    else if (in->wrapped && wrap.likely)
        name_once(in, wrap.what, true);
    else
        in->skipped += in->wrapped;
    return in->wrapped;
}

#define STORE_SHARE 16 /* storing needs 1/16 of --max-memory */

/* The bytes in memory for the current file, so that no file takes more than its share. No part of a
 * file can be stored before its end, which shows whether it is a log without times. */
static size_t held(const pm_intake *in, const pm_reader *reader)
{
    return in->held + pm_pool_bytes(in->pool) - in->pool_before + in->cap_rows * sizeof *in->rows +
           pm_reader_held(reader) + in->options->max_memory / STORE_SHARE;
}

/* Finishes the last block of a file that could not be read to its end. In smaps, nothing else shows
 * that rows are missing; and a header without rows need not be a kernel thread. */
static void finish_cut(pm_intake *in, pm_reader *reader)
{
    static const char missing[] = "the file could not be read to its end: rows may be missing";
    size_t n_pending = in->n_pending, n_nothing = in->nothing.n, n_foreign = in->foreign.n;
    pm_capture *last;

    PM_STEP(in->st, pm_reader_finish(reader, &in->error));
    in->nothing.n = n_nothing;
    in->foreign.n = n_foreign;
    if (in->st != PMAPDB_OK || in->n_pending == n_pending)
        return;
    last = in->pending[in->n_pending - 1].capture;
    if (last->block.state != PM_STATE_COMPLETE || last->block.checked != PM_CHECKED_NONE)
        return;
    free(last->missing);
    last->missing = strdup(missing);
    if (!last->missing)
        in->st = pm_fail_nomem(&in->error);
    last->block.missing = PM_TEXT("");
    if (last->missing)
        last->block.missing = pm_text_of(last->missing);
    last->block.state = PM_STATE_PARTIAL;
}

/* Feeds the file to the parser. *damage: why reading ended early. */
static void feed(pm_intake *in, pm_source *source, pm_reader *reader, pmapdb_error *damage)
{
    pmapdb_error *err = &in->error;
    uint64_t before = in->bytes;
    const char *bytes;
    size_t n;

    while (in->st == PMAPDB_OK && (in->listens || !pm_reader_hopeless(reader))) {
        if (pm_source_read(source, &bytes, &n, damage) != PMAPDB_OK || n == 0) {
            if (damage->os_errno == EINTR)
                pm_intake_go_on(in);
            break;
        }
        if (in->bytes == before && refuse_wrapped(in, (pm_text){bytes, n}))
            return;
        PM_STEP(in->st, pm_labels_hear(in, bytes, n, in->bytes == before, err));
        in->bytes += n;
        PM_STEP(in->st, pm_reader_feed(reader, bytes, n, err));
        PM_STEP(in->st, pm_blocks_within(held(in, reader), in->options->max_memory, err));
        if (in->hear && in->heard.len < SIBLING_MAX)
            PM_STEP(in->st, pm_buf_add(&in->heard, bytes, n, err));
        pm_intake_go_on(in);
    }
    if (damage->status == PMAPDB_OK)
        PM_STEP(in->st, pm_reader_finish(reader, err));
    else
        finish_cut(in, reader);
    PM_STEP(in->st, pm_labels_end(in, err));
}

/* ---- the end of a file ---- */

static void report_foreign(pm_intake *in)
{
    pm_buf text = {0};

    if (in->foreign.n > 1)
        PM_STEP(in->st, pm_buf_addf(&text, &in->error, "%zu captures: ", in->foreign.n));
    PM_STEP(in->st, pm_buf_addf(&text, &in->error, "%s", in->foreign.text ? in->foreign.text : ""));
    if (in->foreign.n && in->st == PMAPDB_OK)
        pm_intake_problem(in, in->entry->path, text.data, true,
                          in->entry->named ? 0 : in->foreign_hash);
    pm_buf_free(&text);
}

/* Reports a file without a capture. */
static void report_nothing(pm_intake *in, bool was_empty)
{
    const pm_source_entry *e = in->entry;
    const char *text = in->nothing.n && in->nothing.text ? in->nothing.text
                       : was_empty                       ? "an empty file"
                                                         : NULL;

    if (e->named) {
        pm_intake_problem(in, e->path, text ? text : "no capture of a memory map in it", true, 0);
    } else if (text) {
        in->empty += in->nothing.n ? in->nothing.n : 1;
        name_once(in, text, false);
    } else {
        in->skipped++;
    }
}

static void report_damage(pm_intake *in, const pmapdb_error *damage)
{
    uint64_t hash = pm_hash(damage->text, strlen(damage->text));

    for (size_t i = in->first; i < in->n_pending; i++)
        hash = pm_hash_seeded(&in->pending[i].capture->block.hash, 8, hash);
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
static void leave_begun(pm_intake *in, const pm_source *source)
{
    const pm_source_entry *e = in->entry;
    size_t n = in->n_pending - in->first;
    bool fresh =
        !e->in_archive && e->mtime_ms != PMAPDB_UNKNOWN && pm_clock_now() - e->mtime_ms < FRESH_MS;
    bool changed = pm_source_changed(source);
    bool partial = n > 1 && in->pending[in->n_pending - 1].capture->block.state == PM_STATE_PARTIAL;

    if (n && (changed || fresh) && drop_begun(in, changed || partial))
        pm_intake_problem(in, e->path,
                          "it is being written: its last capture is left for the next import",
                          false, 0);
}

static void finish_file(pm_intake *in, bool was_empty)
{
    report_foreign(in);
    if (in->n_pending == in->first) {
        if (!in->heard_labels && !(in->foreign.n && !in->nothing.n))
            report_nothing(in, was_empty);
        return;
    }
    in->empty += in->nothing.n;
    if (in->nothing.n)
        name_once(in, in->nothing.text ? in->nothing.text : "", false);
    if (in->entry->in_archive)
        pm_sibling_expect(in);
    else if (!in->entry->is_stdin)
        pm_sibling_look(in);
    pm_intake_time(in);
}

/* ---- one file ---- */

static void begin_file(pm_intake *in, const pm_source_entry *entry)
{
    in->entry = entry;
    in->first = in->n_pending;
    free(in->nothing.text);
    free(in->foreign.text);
    in->nothing = in->foreign = (pm_nothing){0};
    in->foreign_hash = 0;
    in->wrapped = in->cut = in->last_bare = false;
    in->n_rows = in->held = 0;
    in->pool_before = pm_pool_bytes(in->pool);
    in->heard_labels = false;
    pm_buf_clear(&in->heard);
    in->files++;
}

static void read_captures(pm_intake *in, pm_source *source)
{
    const pm_reader_events events = {in, NULL, on_block};
    pm_dialect dialect = PM_DIALECT_COUNT;
    pmapdb_error damage = {0};
    pm_reader *reader = NULL;
    uint64_t before = in->bytes;
    bool found;

    if (in->options->dialect)
        dialect = pm_dialect_find(pm_text_of(in->options->dialect));
    PM_STEP(in->st, pm_reader_new(&events, dialect, &reader, &in->error));
    if (in->st == PMAPDB_OK) {
        pm_reader_intern(reader, in->pool, on_row);
        feed(in, source, reader, &damage);
    }
    pm_reader_free(reader);
    if (in->st == PMAPDB_INPUT) { /* the fault of this file, not of the run */
        damage = in->error;
        in->st = PMAPDB_OK;
    }
    in->cut = damage.status != PMAPDB_OK;
    found = in->n_pending > in->first;
    if (in->cut)
        report_damage(in, &damage);
    else
        leave_begun(in, source);
    if (!in->wrapped && (in->n_pending > in->first || !(in->cut || found)))
        finish_file(in, in->bytes == before);
}

/* Reads a file that is only a sibling. On disk, captures look for their siblings themselves. */
static void hear_all(pm_intake *in, pm_source *source)
{
    const char *bytes;
    size_t n = 1;

    while (in->hear && in->st == PMAPDB_OK && in->heard.len < SIBLING_MAX && n &&
           pm_source_read(source, &bytes, &n, NULL) == PMAPDB_OK)
        PM_STEP(in->st, pm_buf_add(&in->heard, bytes, n, &in->error));
}

void pm_intake_file(pm_intake *in, pm_source *source, const pm_source_entry *entry)
{
    pm_slot slot;
    bool only;
    pm_text kind = pm_place_sibling(pm_text_of(entry->name), &slot, &only);

    begin_file(in, entry);
    in->skipped += entry->closed;
    if (entry->closed)
        return;
    in->hear = kind.len && entry->in_archive;
    if (kind.len && only && !entry->is_stdin)
        hear_all(in, source);
    else
        read_captures(in, source);
    if (in->hear)
        pm_sibling_keep(in, kind, &slot);
}
