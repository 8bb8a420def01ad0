/* blame: the row of a diff that grew most. */
#include "cli/blame.h"

#include "cli/next.h"
#include "cli/who_top.h"
#include "render/flow.h"
#include "stats/constants.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void see(struct pm_blamed *b, const pmapdb_rows *rows, const char *metric)
{
    int64_t delta = pm_side_int(rows, metric);

    /* What leaks takes for noise is none to blame. */
    if (delta == PMAPDB_UNKNOWN || (double)delta < PM_MATERIAL_KIB || delta <= b->delta)
        return;
    b->delta = delta;
    b->lineage = pm_side_int(rows, "lineage_id");
    pm_side_text(rows, "category", b->category, sizeof b->category);
    pm_side_text(rows, "object", b->key, sizeof b->key);
}

void pm_blame_row(pm_blame *b, const pmapdb_rows *rows)
{
    see(&b->by_rss, rows, "rss_kib_delta");
    see(&b->by_size, rows, "size_kib_delta");
}

/* What --from or --to takes. */
static void moment_of(const pm_side *s, char *out, size_t size)
{
    if (s->snapshot_id != PMAPDB_UNKNOWN)
        snprintf(out, size, "@%" PRId64, s->snapshot_id);
    else
        snprintf(out, size, "%s", s->taken_at);
}

/* Adds nothing where perf recorded none of it. */
static pmapdb_status add_who(pm_buf *out, const struct pm_blamed *b, const pm_blame_asked *asked,
                             pmapdb_error *err)
{
    char from[32], to[32];
    pm_who_of of = {.process_id = asked->newer->process_id,
                    .lineage = b->lineage,
                    .category = pm_text_of(b->category),
                    .dialect = pm_text_of(asked->dialect)};
    bool any = false;
    pmapdb_status st = pm_who_any(asked->store, &any, err);

    /* An object is of no one category. */
    if (st != PMAPDB_OK || !any || !pm_side_same_process(asked->older, asked->newer) ||
        (b->key[0] && strcmp(b->key, b->category) != 0))
        return st;
    moment_of(asked->older, from, sizeof from);
    moment_of(asked->newer, to, sizeof to);
    of.from = pm_text_of(from);
    of.to = pm_text_of(to);
    return pm_who_add_top(out, asked->store, &of, err);
}

static pmapdb_status add_next(pm_buf *out, const struct pm_blamed *b, const pm_blame_asked *asked,
                              bool recorded, pmapdb_error *err)
{
    const pm_side *older = asked->older, *newer = asked->newer;
    bool same = pm_side_same_process(older, newer);
    char from[32], to[32], command[32];
    pm_next next = {.category = pm_text_of(b->category),
                    .name = pm_text_of(newer->name),
                    .pid = newer->pid,
                    .process_id = same ? newer->process_id : PMAPDB_UNKNOWN,
                    .lives = !same,
                    .lineage = b->lineage,
                    .recorded = recorded,
                    .dialect = pm_text_of(asked->dialect)};

    moment_of(older, from, sizeof from);
    moment_of(newer, to, sizeof to);
    snprintf(command, sizeof command, "diff --by %s", asked->by);
    next.from = pm_text_of(from);
    next.to = pm_text_of(to);
    next.asked = pm_text_of(command);
    return pm_next_add(out, &next, err);
}

static void put_what(pm_flow *f, const struct pm_blamed *b)
{
    if (b->lineage != PMAPDB_UNKNOWN)
        pm_flow_say(f, 0, "lineage %" PRId64 " (%s)", b->lineage, b->category);
    else if (b->key[0] && strcmp(b->key, b->category) != 0)
        pm_flow_say(f, 0, "%s (%s)", b->key, b->category);
    else
        pm_flow_say(f, 0, "%s", b->category);
}

pmapdb_status pm_blame_write(const pm_blame *b, const pm_blame_asked *asked,
                             const pm_render_options *how, const pm_sink *sink, pmapdb_error *err)
{
    const struct pm_blamed *most = b->by_rss.delta ? &b->by_rss : &b->by_size;
    pm_flow f = {.sink = sink, .err = err, .width = how->width, .color = how->color};
    pm_buf next = {0}, who = {0};

    if (!most->delta)
        return PMAPDB_OK;
    f.st = add_who(&who, most, asked, err);
    if (f.st == PMAPDB_OK)
        f.st = add_next(&next, most, asked, who.len > 0, err);
    pm_flow_begin(&f, 0, 4);
    put_what(&f, most);
    pm_flow_say(&f, 1, "grew most%s;", b->by_rss.delta ? "" : " in address space");
    if (who.len) {
        pm_flow_say(&f, 1, "who:");
        pm_flow_words(&f, 1, pm_buf_text(&who));
        pm_flow_put(&f, 0, PM_FLOW_PLAIN, PM_TEXT(";"));
    }
    pm_flow_say(&f, 1, "next:");
    pm_flow_words(&f, 1, pm_buf_text(&next));
    pm_flow_end(&f);
    pm_flow_free(&f);
    pm_buf_free(&next);
    pm_buf_free(&who);
    return f.st;
}
