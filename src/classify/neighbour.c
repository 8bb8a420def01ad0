/* neighbour: what the mappings right below and above one add to its category. */
#include "classify/neighbour.h"

#include "classify/shape.h"

#define GUARD_KIB_MAX 1024

/* Sizes that threads get, KiB: the usual limits, less a guard cut out of them or rounded up by
 * one. */
static const struct {
    uint64_t from, to;
} stack_sizes[] = {{8180, 8196}, {1000, 1032}, {2040, 2056}, {4088, 4104}};

static bool touch(const pm_neighbour *below, const pm_neighbour *above)
{
    return below && above && below->start + below->length == above->start;
}

static bool is_memory(const pm_neighbour *n)
{
    return n->category == PM_CATEGORY_ANONYMOUS && pm_shape_perms_private_rw(n->perms);
}

static bool may_be_guard(const pm_neighbour *n)
{
    return n->category == PM_CATEGORY_RESERVE && n->length / 1024 <= GUARD_KIB_MAX;
}

static bool may_be_stack(const pm_neighbour *n)
{
    uint64_t kib = n->length / 1024;

    if (!is_memory(n))
        return false;
    for (size_t i = 0; i < sizeof stack_sizes / sizeof *stack_sizes; i++)
        if (kib >= stack_sizes[i].from && kib <= stack_sizes[i].to)
            return true;
    return false;
}

pm_category pm_neighbour_category(const pm_neighbour *below, const pm_neighbour *row,
                                  const pm_neighbour *above)
{
    if (may_be_stack(row) && touch(below, row) && may_be_guard(below))
        return PM_CATEGORY_THREAD_STACK;
    if (may_be_guard(row) && touch(row, above) && is_memory(above))
        return PM_CATEGORY_GUARD;
    return PM_CATEGORY_COUNT;
}

const char *pm_neighbour_rule(pm_category category)
{
    switch (category) {
    case PM_CATEGORY_THREAD_STACK:
        return "stack";
    case PM_CATEGORY_GUARD:
        return "guard";
    default:
        return NULL;
    }
}
