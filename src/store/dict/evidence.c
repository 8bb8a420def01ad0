/* evidence: the facts that link captures of one pid to one life or tell the lives apart. */
#include "store/dict/evidence.h"

const char *pm_link_name(pm_link link)
{
    static const char *const names[] = {NULL, "start-time", "addresses", "command", "assumed"};

    return names[link];
}

/* ---- the evidence in a capture ---- */

static bool is_libc(pm_text name)
{
    return pm_text_starts(name, PM_TEXT("libc.so.")) || pm_text_starts(name, PM_TEXT("libc-2.")) ||
           pm_text_starts(name, PM_TEXT("libc.musl-")) || pm_text_equal(name, PM_TEXT("libc.so"));
}

static bool is_ld(pm_text name)
{
    return pm_text_starts(name, PM_TEXT("ld-linux")) || pm_text_starts(name, PM_TEXT("ld-2.")) ||
           pm_text_starts(name, PM_TEXT("ld-musl-")) || pm_text_starts(name, PM_TEXT("ld64.so")) ||
           pm_text_starts(name, PM_TEXT("ld.so"));
}

static void lowest(int64_t *anchor, uint64_t start)
{
    if (*anchor == PMAPDB_UNKNOWN || start < (uint64_t)*anchor)
        *anchor = (int64_t)start;
}

pm_evidence pm_evidence_none(void)
{
    pm_evidence e = {.exe = PMAPDB_UNKNOWN, .start_time = PMAPDB_UNKNOWN};

    for (int i = 0; i < PM_ANCHOR_COUNT; i++)
        e.anchor[i] = PMAPDB_UNKNOWN;
    return e;
}

pm_evidence pm_evidence_of(const pm_capture *c, const pm_classify_context *context)
{
    pm_evidence e = pm_evidence_none();

    e.start_time = c->start_time;
    e.command = c->block.command;
    if (c->live && c->live->boot_id)
        e.boot_id = pm_text_of(c->live->boot_id);
    for (size_t i = 0; i < c->n_rows; i++) {
        const pm_mapping *m = pm_capture_row(c, i);
        pm_text name = pm_text_basename(m->path);

        if (m->path.len == 0)
            continue;
        /* pmap can also call the mapping below the stack a stack: the highest end counts. */
        if (pm_text_equal(m->path, PM_TEXT("[stack]")) &&
            (e.anchor[PM_ANCHOR_STACK_END] == PMAPDB_UNKNOWN ||
             m->end > (uint64_t)e.anchor[PM_ANCHOR_STACK_END]))
            e.anchor[PM_ANCHOR_STACK_END] = (int64_t)m->end;
        else if (pm_text_equal(m->path, PM_TEXT("[vdso]")))
            lowest(&e.anchor[PM_ANCHOR_VDSO_START], m->start);
        else if (is_libc(name))
            lowest(&e.anchor[PM_ANCHOR_LIBC_START], m->start);
        else if (is_ld(name))
            lowest(&e.anchor[PM_ANCHOR_LD_START], m->start);
        if (context->program.len && pm_text_equal(m->path, context->program))
            lowest(&e.exe, m->start);
    }
    return e;
}

static pm_text first_word(pm_text t)
{
    const char *blank = t.len ? memchr(t.data, ' ', t.len) : NULL;

    return blank ? (pm_text){t.data, (size_t)(blank - t.data)} : t;
}

/* ---- comparing ---- */

pm_link pm_evidence_compare(const pm_evidence *a, const pm_evidence *b)
{
    bool shared = false;
    pm_link by = PM_LINK_ASSUMED;

    if (a->boot_id.len && b->boot_id.len && !pm_text_equal(a->boot_id, b->boot_id))
        return PM_LINK_NONE;
    if (a->start_time != PMAPDB_UNKNOWN && b->start_time != PMAPDB_UNKNOWN)
        return a->start_time == b->start_time ? PM_LINK_START_TIME : PM_LINK_NONE;
    for (int i = 0; i < PM_ANCHOR_COUNT; i++) {
        if (a->anchor[i] == PMAPDB_UNKNOWN || b->anchor[i] == PMAPDB_UNKNOWN)
            continue;
        if (a->anchor[i] != b->anchor[i])
            return PM_LINK_NONE;
        shared = true;
    }
    if (shared)
        return PM_LINK_ADDRESSES;
    if (a->exe != PMAPDB_UNKNOWN && b->exe != PMAPDB_UNKNOWN) {
        if (a->exe != b->exe)
            return PM_LINK_NONE;
        by = PM_LINK_COMMAND;
    }
    if (a->command.len && b->command.len) {
        if (!pm_text_equal(first_word(a->command), first_word(b->command)))
            return PM_LINK_NONE;
        by = PM_LINK_COMMAND;
    }
    return by;
}

pm_link pm_evidence_alone(const pm_evidence *e)
{
    if (e->start_time != PMAPDB_UNKNOWN)
        return PM_LINK_START_TIME;
    for (int i = 0; i < PM_ANCHOR_COUNT; i++)
        if (e->anchor[i] != PMAPDB_UNKNOWN)
            return PM_LINK_ADDRESSES;
    return e->exe != PMAPDB_UNKNOWN || e->command.len ? PM_LINK_COMMAND : PM_LINK_ASSUMED;
}
