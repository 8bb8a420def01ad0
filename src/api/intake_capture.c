/* intake_capture: a block of text -> a capture that owns what it says. */
#include "api/intake.h"

#include <stdlib.h>

/* The path in two: up to and with the last slash, and the rest. */
static bool set_source(pm_capture *c, const char *path)
{
    pm_text whole = pm_text_of(path), name = pm_text_basename(whole);

    c->source_dir = pm_text_copy((pm_text){path, whole.len - name.len});
    c->source_name = pm_text_copy(name);
    return c->source_dir && c->source_name;
}

static pm_capture *make_capture(const pm_intake *in, const pm_block *block, pm_text command)
{
    pm_capture *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->block = *block;
    c->pool = in->pool;
    c->host = in->options->host;
    c->pid = block->pid;
    c->start_time = PMAPDB_UNKNOWN;
    c->taken_ms = PMAPDB_UNKNOWN;
    c->command = pm_text_copy(command);
    c->missing = pm_text_copy(block->missing);
    c->notes = pm_text_copy(block->notes);
    c->rows = malloc((in->n_rows + 1) * sizeof *c->rows);
    if (!set_source(c, in->entry->path) || !c->command || !c->missing || !c->notes || !c->rows) {
        pm_capture_free(c);
        return NULL;
    }
    c->block.command = pm_text_of(c->command);
    c->block.missing = pm_text_of(c->missing);
    c->block.notes = pm_text_of(c->notes);
    c->block.why = c->block.tool = PM_TEXT("");
    if (in->n_rows)
        memcpy(c->rows, in->rows, in->n_rows * sizeof *c->rows);
    c->n_rows = in->n_rows;
    return c;
}

pmapdb_status pm_intake_capture(pm_intake *in, const pm_block *block, pm_capture **out,
                                pmapdb_error *err)
{
    pm_text command;
    pmapdb_status st = pm_keep_cmdline_of(in->keep_cmdline, block->command, &command, err);

    if (st != PMAPDB_OK)
        return st;
    *out = make_capture(in, block, command);
    return *out ? PMAPDB_OK : pm_fail_nomem(err);
}
