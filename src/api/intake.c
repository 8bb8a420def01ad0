/* intake: files -> captures that wait to be stored. */
#include "api/intake.h"

#include "api/labels.h"
#include "api/wrap.h"
#include "base/hash.h"
#include "parse/reader.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- lifetime ---- */

pmapdb_status pm_intake_init(pm_intake *in, pmapdb_store *store,
                             const pmapdb_import_options *options, pmapdb_error *err)
{
    pmapdb_status st;

    *in = (pm_intake){.store = store, .options = options};
    st =
        pm_keep_cmdline_new(options->keep_cmdline, options->n_keep_cmdline, &in->keep_cmdline, err);
    PM_STEP(st, pm_pool_new(&in->pool, err));
    return st;
}

static void forget_pending(pm_intake *in)
{
    for (size_t i = 0; i < in->n_pending; i++) {
        pm_capture_free(in->pending[i].capture);
        free(in->pending[i].warning);
    }
    for (size_t i = 0; i < in->n_problems; i++) {
        free(in->problems[i].path);
        free(in->problems[i].text);
    }
    in->n_pending = in->n_problems = 0;
}

void pm_intake_free(pm_intake *in)
{
    forget_pending(in);
    pm_labels_forget(in);
    for (size_t i = 0; i < in->n_beside; i++)
        free(in->beside[i].key);
    free(in->pending);
    free(in->problems);
    free(in->beside);
    pm_map_free(&in->beside_index);
    free(in->rows);
    free(in->empty_text);
    free(in->foreign_text);
    pm_buf_free(&in->heard);
    pm_keep_cmdline_free(in->keep_cmdline);
    pm_pool_free(in->pool);
}

pmapdb_status pm_intake_clear(pm_intake *in, pmapdb_error *err)
{
    forget_pending(in);
    pm_pool_free(in->pool);
    in->pool = NULL;
    return pm_pool_new(&in->pool, err);
}

pmapdb_status pm_intake_problem(pm_intake *in, const char *path, const char *text, bool trouble,
                                uint64_t hash, pmapdb_error *err)
{
    pm_problem p = {strdup(path), strdup(text), trouble, hash};
    pmapdb_status st =
        pm_grow(&in->problems, &in->cap_problems, in->n_problems, sizeof *in->problems, err);

    if (st == PMAPDB_OK && (!p.path || !p.text))
        st = pm_fail_nomem(err);
    if (st != PMAPDB_OK) {
        free(p.path);
        free(p.text);
        return st;
    }
    in->problems[in->n_problems++] = p;
    return PMAPDB_OK;
}

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
    pm_pending p = {.file = in->files};
    pmapdb_status st;

    in->last_bare = block->foreign || block->empty.len;
    if (block->foreign) {
        in->n_foreign++;
        in->foreign_hash = pm_hash_seeded(&block->hash, sizeof block->hash, in->foreign_hash);
        if (!in->foreign_text)
            in->foreign_text = pm_text_copy(block->empty);
        in->n_rows = 0;
        return PMAPDB_OK;
    }
    if (block->empty.len) {
        in->n_empty++;
        if (!in->empty_text)
            in->empty_text = pm_text_copy(block->empty);
        in->n_rows = 0;
        return PMAPDB_OK;
    }
    st = pm_grow(&in->pending, &in->cap_pending, in->n_pending, sizeof *in->pending, err);
    PM_STEP(st, pm_intake_capture(in, block, &p.capture, err));
    in->n_rows = 0;
    if (st != PMAPDB_OK)
        return st;
    if (in->options->name)
        pm_offer_name(p.capture, pm_text_of(in->options->name), PM_NAME_GIVEN);
    pm_offer_name(p.capture, pm_place_name(p.capture->block.command), PM_NAME_HEADER);
    in->pending[in->n_pending++] = p;
    in->captures++;
    in->held += sizeof p + sizeof *p.capture + p.capture->n_rows * sizeof *p.capture->rows +
                p.capture->block.command.len + strlen(in->entry->path);
    return PMAPDB_OK;
}

/* ---- one file ---- */

/* Kernel threads and the like lie in every sweep of a host: remembered by their place, so that the
 * next import only counts them. */
static pmapdb_status name_once(pm_intake *in, const char *text, bool trouble, pmapdb_error *err)
{
    const char *path = in->entry->path;
    uint64_t hash = pm_hash(text, strlen(text));

    hash = pm_hash_seeded(path, strlen(path), hash);
    return pm_intake_problem(in, path, text, trouble, hash, err);
}

/* What is not read because something is around it. */
static pmapdb_status report_wrap(pm_intake *in, pm_wrap wrap, pmapdb_error *err)
{
    in->wrapped = true;
    if (in->entry->named)
        return pm_intake_problem(in, in->entry->path, wrap.what, true, 0, err);
    if (wrap.likely)
        return name_once(in, wrap.what, true, err);
    in->skipped++;
    return PMAPDB_OK;
}

/* Feeds the file to the parser. *damage: reading ended early, and why. */
static pmapdb_status feed(pm_intake *in, pm_source *source, pm_reader *reader,
                          bool (*keep_going)(void *), void *ctx, pmapdb_error *damage,
                          pmapdb_error *err)
{
    const char *bytes;
    size_t n;
    pmapdb_status st = PMAPDB_OK;

    for (uint64_t before = in->bytes;
         st == PMAPDB_OK && (in->listener || !pm_reader_hopeless(reader));) {
        pm_wrap wrap = {0};

        if (pm_source_read(source, &bytes, &n, damage) != PMAPDB_OK || n == 0) {
            if (damage->os_errno == EINTR && !keep_going(ctx))
                st = pm_fail(err, PMAPDB_STOPPED, "stopped");
            break;
        }
        if (in->bytes == before)
            wrap = pm_wrap_of((pm_text){bytes, n}, in->entry->in_archive);
        if (wrap.what)
            return report_wrap(in, wrap, err);
        st = pm_labels_hear(in, bytes, n, in->bytes == before, err);
        in->bytes += n;
        PM_STEP(st, pm_reader_feed(reader, bytes, n, err));
        PM_STEP(st, pm_intake_bound(in, reader, err));
        if (st == PMAPDB_OK && in->hear)
            st = pm_beside_hear(in, bytes, n, err);
        if (st == PMAPDB_OK && !keep_going(ctx))
            st = pm_fail(err, PMAPDB_STOPPED, "stopped");
    }
    PM_STEP(st, damage->status == PMAPDB_OK ? pm_reader_finish(reader, err)
                                            : pm_intake_finish_cut(in, reader, err));
    return st == PMAPDB_OK ? pm_labels_end(in, err) : st;
}

static pmapdb_status report_foreign(pm_intake *in, pmapdb_error *err)
{
    pm_buf text = {0};
    pmapdb_status st = PMAPDB_OK;

    if (!in->n_foreign)
        return PMAPDB_OK;
    if (in->n_foreign > 1)
        st = pm_buf_addf(&text, err, "%zu captures: ", in->n_foreign);
    PM_STEP(st, pm_buf_addf(&text, err, "%s", in->foreign_text ? in->foreign_text : ""));
    PM_STEP(st, pm_intake_problem(in, in->entry->path, text.data, true,
                                  in->entry->named ? 0 : in->foreign_hash, err));
    pm_buf_free(&text);
    return st;
}

/* What a file gave no capture for. */
static pmapdb_status report_nothing(pm_intake *in, bool was_empty, pmapdb_error *err)
{
    const pm_source_entry *e = in->entry;
    const char *text = in->empty_text ? in->empty_text : was_empty ? "an empty file" : NULL;

    if (!text) {
        if (e->named)
            return pm_intake_problem(in, e->path, "no capture of a memory map in it", true, 0, err);
        in->skipped++;
        return PMAPDB_OK;
    }
    if (e->named)
        return pm_intake_problem(in, e->path, text, true, 0, err);
    in->empty += in->n_empty ? in->n_empty : 1;
    return name_once(in, text, false, err);
}

static pmapdb_status report_damage(pm_intake *in, const pmapdb_error *damage, pmapdb_error *err)
{
    uint64_t hash = pm_hash(damage->text, strlen(damage->text));

    for (size_t i = in->first; i < in->n_pending; i++)
        hash = pm_hash_seeded(&in->pending[i].capture->block.hash, 8, hash);
    return pm_intake_problem(in, in->entry->path, damage->text, true,
                             pm_err_is_passing(damage) ? 0 : hash, err);
}

static pmapdb_status finish_file(pm_intake *in, uint64_t bytes, pmapdb_error *err)
{
    pmapdb_status st = report_foreign(in, err);

    if (st != PMAPDB_OK)
        return st;
    if (in->n_pending == in->first)
        return in->heard_labels || (in->n_foreign && !in->n_empty)
                   ? PMAPDB_OK
                   : report_nothing(in, bytes == 0, err);
    if (in->n_empty) {
        in->empty += in->n_empty;
        st = name_once(in, in->empty_text, false, err);
        if (st != PMAPDB_OK)
            return st;
    }
    if (in->entry->in_archive)
        st = pm_beside_expect(in, err);
    else if (!in->entry->is_stdin)
        st = pm_beside_look(in, err);
    return st == PMAPDB_OK ? pm_intake_time(in, err) : st;
}

static void begin_file(pm_intake *in, const pm_source_entry *entry)
{
    in->entry = entry;
    in->first = in->n_pending;
    in->n_rows = in->n_empty = in->n_foreign = 0;
    free(in->empty_text);
    free(in->foreign_text);
    in->empty_text = in->foreign_text = NULL;
    in->foreign_hash = 0;
    in->wrapped = in->cut = in->last_bare = false;
    in->held = 0;
    in->pool_before = pm_intake_pooled(in);
    pm_labels_begin(in);
    pm_buf_clear(&in->heard);
    in->files++;
}

/* A file that is nothing but a helper; on disk its captures look for it. */
static pmapdb_status hear_all(pm_intake *in, pm_source *source, pmapdb_error *err)
{
    const char *bytes;
    size_t n;
    pmapdb_status st = PMAPDB_OK;

    while (in->hear && st == PMAPDB_OK && pm_source_read(source, &bytes, &n, NULL) == PMAPDB_OK &&
           n)
        st = pm_beside_hear(in, bytes, n, err);
    return st;
}

static pmapdb_status read_captures(pm_intake *in, pm_source *source, bool (*keep_going)(void *),
                                   void *ctx, pmapdb_error *err)
{
    const pm_reader_events events = {in, NULL, on_block};
    pm_dialect dialect = PM_DIALECT_COUNT;
    pmapdb_error damage = {0};
    pm_reader *reader = NULL;
    uint64_t bytes = in->bytes;
    bool found;
    pmapdb_status st;

    if (in->options->dialect)
        dialect = pm_dialect_find(pm_text_of(in->options->dialect));
    st = pm_reader_new(&events, dialect, &reader, err);
    if (st == PMAPDB_OK) {
        pm_reader_intern(reader, in->pool, on_row);
        st = feed(in, source, reader, keep_going, ctx, &damage, err);
    }
    pm_reader_free(reader);
    if (st == PMAPDB_INPUT) { /* this file's fault, not the run's */
        damage = err ? *err : damage;
        st = PMAPDB_OK;
    }
    in->cut = damage.status != PMAPDB_OK;
    found = in->n_pending > in->first;
    PM_STEP(st, in->cut ? report_damage(in, &damage, err) : pm_intake_leave_begun(in, source, err));
    if (st == PMAPDB_OK && !in->wrapped && (in->n_pending > in->first || !(in->cut || found)))
        st = finish_file(in, in->bytes - bytes, err);
    return st;
}

pmapdb_status pm_intake_file(pm_intake *in, pm_source *source, const pm_source_entry *entry,
                             bool (*keep_going)(void *), void *ctx, pmapdb_error *err)
{
    pm_slot slot;
    bool only;
    pm_text kind = pm_place_sibling(pm_text_of(entry->name), &slot, &only);
    pmapdb_status st;

    begin_file(in, entry);
    if (entry->closed) {
        in->skipped++;
        return PMAPDB_OK;
    }
    in->hear = kind.len && entry->in_archive;
    if (kind.len && only && !entry->is_stdin)
        st = hear_all(in, source, err);
    else
        st = read_captures(in, source, keep_going, ctx, err);
    if (st == PMAPDB_OK && in->hear)
        st = pm_beside_keep(in, kind, &slot, err);
    return st;
}

/* ---- the order of storing ---- */

static int compare_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_pending(const void *a, const void *b)
{
    const pm_capture *x = ((const pm_pending *)a)->capture, *y = ((const pm_pending *)b)->capture;

    if (x->taken_ms != y->taken_ms)
        return x->taken_ms < y->taken_ms ? -1 : 1;
    if (x->block.dialect != y->block.dialect)
        return x->block.dialect < y->block.dialect ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->ordinal != y->ordinal)
        return x->ordinal < y->ordinal ? -1 : 1;
    if (x->block.hash != y->block.hash)
        return x->block.hash < y->block.hash ? -1 : 1;
    return compare_text(x->source_name, y->source_name);
}

void pm_intake_settle(pm_intake *in)
{
    for (size_t i = 0; i < in->n_pending; i++)
        pm_beside_join(in, i);
    if (in->n_pending)
        qsort(in->pending, in->n_pending, sizeof *in->pending, compare_pending);
}
