/* leak_group: the rows of one process among those of the leaks queries, and which are findings. */
#include "cli/leak_group.h"

static void count(pm_leak_group *p, const pm_leak_row *r)
{
    p->leaks += r->verdict == PM_VERDICT_LEAK;
    p->suspects += r->verdict == PM_VERDICT_SUSPECT;
    p->steady += r->verdict == PM_VERDICT_STEADY;
    p->plateau += r->verdict == PM_VERDICT_PLATEAU;
    p->shrinking += r->verdict == PM_VERDICT_SHRINKING;
    p->too_few += r->verdict == PM_VERDICT_TOO_FEW;
}

/* A total that only sums up its parts is no finding of its own; one that is worse than any is. */
static bool stands_alone(const pm_leak_group *p)
{
    for (const pm_leak_row *part = p->begin; part < p->end; part++)
        if (!part->whole && part->verdict >= p->begin->verdict)
            return false;
    return p->begin->whole && p->begin->verdict >= PM_VERDICT_SUSPECT;
}

pm_leak_group pm_leak_group_at(const pm_leak_rows *rows, size_t begin)
{
    pm_leak_group p = {.begin = &rows->row[begin], .end = &rows->row[begin]};
    const pm_leak_row *end = rows->row + rows->n;
    bool parts = false;

    for (; p.end < end && p.end->process_id == p.begin->process_id; p.end++)
        if (!p.end->whole) {
            count(&p, p.end);
            parts = true;
        }
    if (!parts || stands_alone(&p))
        count(&p, p.begin);
    return p;
}

bool pm_leak_group_finds(const pm_leak_group *p, const pm_leak_row *r)
{
    return r->verdict >= PM_VERDICT_SUSPECT && (!r->whole || stands_alone(p));
}
