/* explain: files -> how each block in them is read and why; nothing is stored. */
#include "api/intake.h"
#include "api/lines.h"
#include "api/place.h"
#include "api/wrap.h"
#include "base/err.h"
#include "parse/formats.h"
#include "parse/reader.h"
#include "source/source.h"

#include <stdlib.h>

typedef struct explain_run {
    const pmapdb_explain_options *options;
    pmapdb_explain_result result;
    const pm_source_entry *entry; /* the file at hand */
    uint64_t captures, refused;   /* in it */
} explain_run;

/* The texts of a block, as C strings. */
typedef struct block_texts {
    char *why, *notes, *tool, *missing, *empty;
} block_texts;

static void free_texts(block_texts *t)
{
    free(t->why);
    free(t->notes);
    free(t->tool);
    free(t->missing);
    free(t->empty);
}

static bool copy_texts(const pm_block *b, block_texts *t)
{
    *t = (block_texts){pm_text_copy(b->why), pm_text_copy(b->notes), pm_text_copy(b->tool),
                       pm_text_copy(b->missing), pm_text_copy(b->empty)};
    return t->why && t->notes && t->tool && t->missing && t->empty;
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static pmapdb_status tell(explain_run *run, const pmapdb_explain_event *event, pmapdb_error *err)
{
    run->captures += !event->error;
    run->refused += event->error != NULL;
    if (!run->options->on_event || run->options->on_event(run->options->ctx, event))
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_STOPPED, "stopped");
}

/* Something about the file at hand, or, without one, about what could not be opened. */
static pmapdb_status tell_file(explain_run *run, const char *error, pmapdb_error *err)
{
    return tell(run,
                &(pmapdb_explain_event){.path = run->entry ? run->entry->path : "",
                                        .error = error,
                                        .first_line = PMAPDB_UNKNOWN,
                                        .last_line = PMAPDB_UNKNOWN,
                                        .pid = PMAPDB_UNKNOWN,
                                        .mappings = PMAPDB_UNKNOWN,
                                        .size_kib = PMAPDB_UNKNOWN},
                err);
}

static pmapdb_status tell_block(explain_run *run, const pm_block *b, block_texts *t,
                                pmapdb_error *err)
{
    const char *why[PM_LINES_MAX], *notes[PM_LINES_MAX];
    bool known = b->dialect != PM_DIALECT_COUNT, stored = !b->empty.len;
    pmapdb_explain_event e = {
        .path = run->entry->path,
        .error = or_null(t->empty),
        .first_line = (int64_t)b->first_line,
        .last_line = (int64_t)b->last_line,
        .pid = b->pid != PMAPDB_UNKNOWN ? b->pid
                                        : pm_place_path_pid(run->entry->own_path, run->entry->name),
        .dialect = known ? pm_dialect_name(b->dialect) : NULL,
        .tool = stored ? or_null(t->tool) : NULL,
        .n_why = pm_lines_split(t->why, why),
        .why = why,
        .n_notes = pm_lines_split(t->notes, notes),
        .notes = notes,
        .confidence = stored ? pm_confidence_name(b->confidence) : NULL,
        .state = stored ? pm_state_name(b->state) : NULL,
        .checked = stored ? pm_checked_name(b->checked) : NULL,
        .missing = stored ? or_null(t->missing) : NULL,
        .mappings = stored ? pm_total_known(b->totals.v[PM_TOTAL_MAPPINGS]) : PMAPDB_UNKNOWN,
        .size_kib = stored ? pm_total_known(b->totals.v[PM_TOTAL_SIZE]) : PMAPDB_UNKNOWN,
    };

    return tell(run, &e, err);
}

static pmapdb_status on_block(void *ctx, const pm_block *block, pmapdb_error *err)
{
    block_texts texts;
    pmapdb_status st =
        copy_texts(block, &texts) ? tell_block(ctx, block, &texts, err) : pm_fail_nomem(err);

    free_texts(&texts);
    return st;
}

/* Feeds the file to the parser. *damage: reading ended early, and why. */
static pmapdb_status feed(const explain_run *run, pm_source *source, pm_reader *reader,
                          uint64_t *bytes_read, pmapdb_error *damage, pmapdb_error *err)
{
    const pm_source_entry *entry = run->entry;
    const char *bytes;
    pm_wrap wrap;
    size_t n;
    pmapdb_status st = PMAPDB_OK;

    *bytes_read = 0;
    while (st == PMAPDB_OK && !pm_reader_hopeless(reader)) {
        if (pm_source_read(source, &bytes, &n, damage) != PMAPDB_OK || n == 0)
            break;
        wrap = *bytes_read ? (pm_wrap){0} : pm_wrap_of((pm_text){bytes, n}, entry->in_archive);
        if (wrap.what && (wrap.likely || entry->named))
            return pm_fail(err, PMAPDB_INPUT, "%s", wrap.what);
        *bytes_read += n;
        st = pm_reader_feed(reader, bytes, n, err);
        PM_STEP(st, pm_intake_within(pm_reader_held(reader), run->options->max_memory, err));
    }
    return st == PMAPDB_OK ? pm_reader_finish(reader, err) : st;
}

/* `damage`: why reading ended early, or ""; `nothing`: what to say where no block was found. */
static pmapdb_status finish_file(explain_run *run, const char *damage, const char *nothing,
                                 pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (*damage)
        st = tell_file(run, damage, err);
    else if (run->captures + run->refused == 0)
        st = tell_file(run, nothing, err);
    run->result.captures += run->captures;
    run->result.refused += run->refused;
    run->result.trouble += *damage || (run->entry && run->entry->named && run->captures == 0);
    return st;
}

static pmapdb_status read_file(explain_run *run, pm_source *source, pmapdb_error *err)
{
    pm_reader_events events = {run, NULL, on_block};
    pm_dialect dialect;
    pmapdb_error damage = {0};
    pm_reader *reader = NULL;
    uint64_t bytes = 0;
    pmapdb_status st = pm_form_find(run->options->dialect, &dialect, err);

    PM_STEP(st, pm_reader_new(&events, dialect, &reader, err));
    PM_STEP(st, feed(run, source, reader, &bytes, &damage, err));
    pm_reader_free(reader);
    if (st == PMAPDB_INPUT) { /* this file's fault, not the run's */
        damage = *err;
        st = PMAPDB_OK;
    }
    if (st != PMAPDB_OK)
        return st;
    return finish_file(run, damage.text,
                       bytes ? "no capture of a memory map in it" : "an empty file", err);
}

static pmapdb_status read_all(explain_run *run, pm_source *source, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK) {
        pmapdb_error why = {0};

        run->captures = run->refused = 0;
        run->entry = NULL;
        if (pm_source_next(source, &run->entry, &why) != PMAPDB_OK)
            st = why.status == PMAPDB_NOMEM ? pm_fail_nomem(err)
                                            : finish_file(run, why.text, "", err);
        else if (!run->entry)
            break;
        else if (run->entry->closed)
            st = finish_file(run, "", "a name that no capture has: not read", err);
        else if (run->entry->named || !pm_place_is_sibling(run->entry->name))
            st = read_file(run, source, err);
    }
    return st;
}

pmapdb_status pmapdb_explain(const char *const *paths, size_t n_paths,
                             const pmapdb_explain_options *options, pmapdb_explain_result *result,
                             pmapdb_error *err)
{
    explain_run run = {.options = options};
    pm_source *source = NULL;
    pmapdb_error local;
    pm_dialect dialect;
    pmapdb_status st;

    err = err ? err : &local;
    st = pm_form_find(options->dialect, &dialect, err);
    PM_STEP(st, pm_source_new(paths, n_paths, &source, err));
    PM_STEP(st, read_all(&run, source, err));
    *result = run.result;
    pm_source_free(source);
    return st;
}
