/* refine_test: categories by neighbours: decided once per lineage, in its first capture of the
 * strongest dialect, and kept; late captures correct them. */
#include "whole.h"

#define T0 1700000000000
#define STACK 0x7f0000100000U
#define S PM_DIALECT_SMAPS
#define X PM_DIALECT_PMAP_SMALL_X

enum { GUARD = 1, MEMORY = 2, PARTIAL = 4, WIDE = 8 };

/* Returns a capture with the parts in `shown`: a guard of 64 KiB below STACK (WIDE: a reserve of 2
 * MiB), and 8 MiB at STACK. */
static pm_capture *capture_of(const kit *k, pm_dialect dialect, int minute, int shown)
{
    pm_capture *c = kit_capture(k, dialect, 7, T0 + (int64_t)minute * 60000);

    kit_name(c, "app", PM_NAME_HEADER);
    kit_map(k, c, 0x7ff000000000U, 132, "rw-p", "[stack]");
    if (shown & GUARD)
        kit_map(k, c, STACK - (shown & WIDE ? 2048 : 64) * 1024, shown & WIDE ? 2048 : 64, "---p",
                "");
    if (shown & MEMORY)
        kit_map(k, c, STACK, 8192, "rw-p", "");
    if (shown & PARTIAL)
        kit_partial(c);
    return c;
}

static void put(const kit *k, pm_dialect dialect, int minute, int shown)
{
    kit_put(k, capture_of(k, dialect, minute, shown));
    assert_true(whole_store(k));
}

/* minute, dialect, category and size, without the stack that the kernel names */
#define ROWS                                                                               \
    "SELECT (s.taken_ms - 1700000000000) / 60000, s.dialect, c.category, c.size_kib FROM " \
    "snapshot s JOIN categories c ON c.snapshot_id = s.snapshot_id WHERE c.category "      \
    "<> 'stack' ORDER BY 1, 2, 3"
/* the same from the rows */
#define SUMS                                                                               \
    "SELECT (s.taken_ms - 1700000000000) / 60000, s.dialect, m.category, sum(m.size_kib) " \
    "FROM snapshot s JOIN mappings m ON m.snapshot_id = s.snapshot_id WHERE m.category "   \
    "<> 'stack' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"

static void expect(const kit *k, const char *want)
{
    kit_expect(k, ROWS, want);
    kit_expect(k, SUMS, want);
}

IN_KIT(kept_for_life)
{
    put(k, S, 0, GUARD | MEMORY);
    put(k, S, 1, MEMORY);
    put(k, S, 2, GUARD | MEMORY);
    put(k, S, 3, GUARD);
    expect(k, "0|smaps|anonymous/thread-stack|8192\n0|smaps|reserve/guard|64\n"
              "1|smaps|anonymous/thread-stack|8192\n"
              "2|smaps|anonymous/thread-stack|8192\n2|smaps|reserve/guard|64\n"
              "3|smaps|reserve/guard|64\n");
    kit_expect(k,
               "SELECT c.category, l.rule, count(*) FROM lineage l JOIN category c USING "
               "(category_id) GROUP BY 1, 2 ORDER BY 1",
               "anonymous/thread-stack|stack|1\nreserve/guard|guard|2\nstack|?|1\n");
    kit_expect(k,
               "SELECT DISTINCT h.category FROM lineage l JOIN lineage_history h ON h.lineage_id "
               "= l.lineage_id ORDER BY 1",
               "anonymous/thread-stack\nreserve/guard\nstack\n");
}

IN_KIT(never_got_later)
{
    put(k, S, 0, MEMORY);
    put(k, S, 1, GUARD | MEMORY);
    /* the guard is new, the memory is not */
    expect(k, "0|smaps|anonymous|8192\n1|smaps|anonymous|8192\n1|smaps|reserve/guard|64\n");
}

/* The late capture is now the first: it decides, for the captures after it, too. */
IN_KIT(late_capture_decides)
{
    put(k, S, 1, MEMORY);
    put(k, S, 2, MEMORY);
    put(k, X, 2, MEMORY);
    expect(k, "1|smaps|anonymous|8192\n2|pmap-x|anonymous|8192\n2|smaps|anonymous|8192\n");
    put(k, S, 0, GUARD | MEMORY);
    expect(k, "0|smaps|anonymous/thread-stack|8192\n0|smaps|reserve/guard|64\n"
              "1|smaps|anonymous/thread-stack|8192\n2|pmap-x|anonymous/thread-stack|8192\n"
              "2|smaps|anonymous/thread-stack|8192\n");
    put(k, S, -1, MEMORY);
    expect(k, "-1|smaps|anonymous|8192\n0|smaps|anonymous|8192\n0|smaps|reserve/guard|64\n"
              "1|smaps|anonymous|8192\n2|pmap-x|anonymous|8192\n2|smaps|anonymous|8192\n");
}

/* A capture between two others breaks the lineage; the mapping after it begins another lineage,
 * decided there. */
IN_KIT(late_capture_breaks)
{
    put(k, S, 0, GUARD | MEMORY);
    put(k, S, 2, MEMORY);
    put(k, S, 3, MEMORY);
    put(k, S, 1, 0);
    expect(k, "0|smaps|anonymous/thread-stack|8192\n0|smaps|reserve/guard|64\n"
              "2|smaps|anonymous|8192\n3|smaps|anonymous|8192\n");
}

/* A late capture can join two lineages to the older one. */
IN_KIT(late_capture_joins)
{
    put(k, S, 0, GUARD | MEMORY);
    put(k, S, 1, 0);
    put(k, S, 3, MEMORY);
    put(k, S, 4, MEMORY);
    expect(k, "0|smaps|anonymous/thread-stack|8192\n0|smaps|reserve/guard|64\n"
              "3|smaps|anonymous|8192\n4|smaps|anonymous|8192\n");
    put(k, S, 2, GUARD | MEMORY);
    expect(k, "0|smaps|anonymous/thread-stack|8192\n0|smaps|reserve/guard|64\n"
              "2|smaps|anonymous/thread-stack|8192\n2|smaps|reserve/guard|64\n"
              "3|smaps|anonymous/thread-stack|8192\n4|smaps|anonymous/thread-stack|8192\n");
}

/* The first capture in the stronger dialect decides, and earlier weaker ones follow. */
IN_KIT(stronger_dialect_decides)
{
    put(k, X, 0, MEMORY);
    put(k, X, 1, MEMORY);
    put(k, S, 2, GUARD | MEMORY);
    expect(k, "0|pmap-x|anonymous/thread-stack|8192\n1|pmap-x|anonymous/thread-stack|8192\n"
              "2|smaps|anonymous/thread-stack|8192\n2|smaps|reserve/guard|64\n");
    put(k, X, 3, MEMORY);
    put(k, S, 4, MEMORY);
    put(k, X, 5, GUARD | MEMORY);
    kit_expect(k,
               "SELECT count(*), count(DISTINCT m.lineage_id) FROM mappings m WHERE m.category = "
               "'anonymous/thread-stack'",
               "6|1\n");
}

/* A weaker dialect never decides. */
IN_KIT(weaker_ones_follow)
{
    put(k, X, 0, GUARD | MEMORY);
    put(k, S, 1, MEMORY);
    expect(k, "0|pmap-x|anonymous|8192\n0|pmap-x|reserve/guard|64\n1|smaps|anonymous|8192\n");
}

/* A partial capture never decides. */
IN_KIT(partial_ones_follow)
{
    static const char stacks[] =
        "SELECT count(*) FROM mappings WHERE category = 'anonymous/thread-stack'";

    put(k, X, 0, MEMORY);
    put(k, S, 1, GUARD | MEMORY | PARTIAL);
    kit_expect(k, "SELECT count(DISTINCT lineage_id) FROM mappings WHERE perms = 'rw-p'", "2\n");
    kit_expect(k, stacks, "0\n");
    put(k, S, 2, GUARD | MEMORY);
    kit_expect(k, stacks, "3\n");
    put(k, X, -1, MEMORY);
    kit_expect(k, stacks, "4\n");
}

/* A guard that grows to a reserve stays one; a reserve that shrinks to a guard does not begin to be
 * one. */
IN_KIT(grows_and_stays)
{
    put(k, S, 0, GUARD | MEMORY);
    put(k, S, 1, GUARD | WIDE | MEMORY);
    expect(k, "0|smaps|anonymous/thread-stack|8192\n0|smaps|reserve/guard|64\n"
              "1|smaps|anonymous/thread-stack|8192\n1|smaps|reserve/guard|2048\n");
    put(k, S, -1, GUARD | WIDE | MEMORY);
    expect(k, "-1|smaps|anonymous|8192\n-1|smaps|reserve|2048\n"
              "0|smaps|anonymous|8192\n0|smaps|reserve|64\n"
              "1|smaps|anonymous|8192\n1|smaps|reserve|2048\n");
}

/* A weaker capture of the same beat takes the category. */
IN_KIT(borrows_the_category)
{
    put(k, S, 0, GUARD | MEMORY);
    put(k, X, 0, MEMORY);
    expect(k, "0|pmap-x|anonymous/thread-stack|8192\n0|smaps|anonymous/thread-stack|8192\n"
              "0|smaps|reserve/guard|64\n");
}

RUN_TESTS(NULL, NULL)
