/* pending: the captures and problems of an import that wait to be stored or reported. */
#include "api/import/intake.h"

#include "store/write/put.h"
#include <stdlib.h>

#define ALLOCATION (size_t)24 /* what malloc adds to an allocation */

/* ---- lifetime ---- */

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
    if (in->n_labels)
        pm_intake_free_labels(in);
    free(in->pending);
    free(in->problems);
    free(in->siblings);
    pm_map_free(&in->sibling_index);
    pm_blocks_free(in->blocks);
    pm_buf_free(&in->heard);
    if (in->keeps)
        pm_keep_cmdline_free(&in->keep_cmdline);
    if (in->options->names)
        pm_names_close(&in->names);
    pm_pool_free(in->pool);
}

void pm_intake_clear(pm_intake *in)
{
    forget_pending(in);
    pm_pool_free(in->pool);
    in->pool = NULL;
    PM_STEP(in->st, pm_pool_new(&in->pool, &in->error));
}

void pm_intake_problem(pm_intake *in, const char *path, const char *text, bool trouble,
                       uint64_t hash)
{
    pm_problem p = {strdup(path), strdup(text), trouble, hash};

    if (!p.path || !p.text)
        PM_STEP(in->st, pm_fail_nomem(&in->error));
    PM_STEP(in->st, pm_grow(&in->problems, &in->cap_problems, in->n_problems, sizeof *in->problems,
                            &in->error));
    if (in->st == PMAPDB_OK) {
        in->problems[in->n_problems++] = p;
        return;
    }
    free(p.path);
    free(p.text);
}

void pm_intake_go_on(pm_intake *in)
{
    const pmapdb_import_options *o = in->options;
    const pmapdb_progress reading = {
        .what = "reading", .unit = "captures", .done = in->captures, .bytes = in->bytes};
    const pmapdb_progress storing = {
        .what = "storing", .unit = "captures", .done = in->stored, .of = in->to_store};

    if (in->st == PMAPDB_OK && o->on_progress &&
        !o->on_progress(o->ctx, in->to_store ? &storing : &reading))
        in->st = pm_fail(&in->error, PMAPDB_STOPPED, "stopped");
}

/* ---- one capture ---- */

/* The bytes that a capture takes until it is stored: its place in `pending` (three times, because
 * the array may double and sorting copies it), its rows and texts, and the answer of the store. */
static size_t bytes_of(const pm_capture *c)
{
    const char *const texts[] = {c->source_dir, c->source_name, c->name,
                                 c->command,    c->missing,     c->notes};
    size_t n = 3 * sizeof(pm_pending) + sizeof *c + c->n_rows * sizeof *c->rows + sizeof(pm_stored);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        n += texts[i] ? strlen(texts[i]) + ALLOCATION : 0;
    return n + 2 * ALLOCATION;
}

pm_text pm_intake_kept(pm_intake *in, pm_text arguments)
{
    const pmapdb_import_options *o = in->options;
    pm_text kept = {0};

    if (!in->keeps)
        PM_STEP(in->st, pm_keep_cmdline_init(o->keep_cmdline, o->n_keep_cmdline, &in->keep_cmdline,
                                             &in->error));
    in->keeps = true;
    PM_STEP(in->st, pm_keep_cmdline_of(&in->keep_cmdline, arguments, &kept, &in->error));
    return kept;
}

/* Takes the name from the command line, and keeps only the part of it that may be stored. */
static void read_command(pm_intake *in, pm_capture *c)
{
    char *command;

    pm_offer_name(c, pm_interpreted_name(c->block.command), PM_NAME_HEADER);
    command = pm_text_copy(pm_intake_kept(in, c->block.command));
    if (!command)
        PM_STEP(in->st, pm_fail_nomem(&in->error));
    free(c->command);
    c->command = command;
    c->block.command = pm_text_of(command);
    pm_offer_name(c, pm_place_name(c->block.command), PM_NAME_HEADER);
}

void pm_intake_add(pm_intake *in, pm_capture *c)
{
    c->host = in->options->host;
    pm_offer_name(c, pm_text_of(in->options->name), PM_NAME_GIVEN);
    if (c->block.command.len)
        read_command(in, c);
    PM_STEP(in->st, pm_grow(&in->pending, &in->cap_pending, in->n_pending, sizeof *in->pending,
                            &in->error));
    if (in->st != PMAPDB_OK) {
        pm_capture_free(c);
        return;
    }
    in->pending[in->n_pending++] = (pm_pending){.capture = c, .file = in->files};
    in->captures++;
    in->held += bytes_of(c);
}

/* ---- the order of storing ---- */

#define COMPARE(a, b)                  \
    do {                               \
        if ((a) != (b))                \
            return (a) < (b) ? -1 : 1; \
    } while (0)

static int compare_pending(const void *a, const void *b)
{
    const pm_capture *x = ((const pm_pending *)a)->capture, *y = ((const pm_pending *)b)->capture;

    COMPARE(x->taken_ms, y->taken_ms);
    COMPARE(x->block.dialect, y->block.dialect);
    COMPARE(x->pid, y->pid);
    COMPARE(x->ordinal, y->ordinal);
    COMPARE(x->block.hash, y->block.hash);
    return strcmp(x->source_name, y->source_name);
}

/* Names a capture by the user's rules. Text has no more facts than these. */
static void apply_names(pm_intake *in, pm_capture *c)
{
    const pm_facts facts = {.pid = c->pid,
                            .ppid = PMAPDB_UNKNOWN,
                            .uid = PMAPDB_UNKNOWN,
                            .comm = pm_text_of(c->name),
                            .cmdline = c->block.command};
    pm_text name = PM_TEXT("");

    PM_STEP(in->st, pm_names_find(&in->names, &facts, &name, &in->error));
    pm_offer_name(c, name, PM_NAME_GIVEN);
}

void pm_intake_settle(pm_intake *in)
{
    for (size_t i = 0; i < in->n_pending; i++) {
        if (in->pending[i].siblings)
            pm_sibling_join(in, i);
        if (in->names.n)
            apply_names(in, in->pending[i].capture);
    }
    if (in->n_pending)
        qsort(in->pending, in->n_pending, sizeof *in->pending, compare_pending);
}
