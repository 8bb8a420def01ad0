/* leak_vm_rss_test: the VmRSS that the three queries of pmapdb leaks use for memory that mappings
 * do not show. */
#include "leak_lives.h"

static const life maps = {NULL, "web", 1, PM_DIALECT_MAPS, 1000, 0};
static const life x = {NULL, "web", 1, PM_DIALECT_PMAP_SMALL_X, 1000, 0};
static const life plain = {NULL, "web", 1, PM_DIALECT_PMAP, 1000, 0};

static void vm_rss(const kit *k, int process, int from, int step)
{
    beats_exec(k,
               "UPDATE snapshot SET tool_rss_kib = %d + %d * ((taken_ms - %lld) / 60000) WHERE "
               "process_id = %d",
               from, step, (long long)BEATS_MS, process);
}

#define RESIDENT "name verdict snapshots first last rss_from"

/* VmRSS counts only if mappings do not show RSS, and for its own process only. */
IN_KIT(whose_vm_rss_counts)
{
    static const life l[] = {{NULL, "blind", 1, PM_DIALECT_MAPS, 1000, 0},
                             {NULL, "other", 2, PM_DIALECT_MAPS, 1000, 0},
                             {NULL, "tells", 3, PM_DIALECT_SMAPS, 1000, 0}};

    for (size_t i = 0; i < 3; i++)
        lives(k, &l[i], 0, 20);
    expect(k, "name metric rss_from",
           "blind size unknown\nother size unknown\ntells rss mappings\n");
    vm_rss(k, 1, 700, 100);
    vm_rss(k, 3, 900, 100);
    expect(k, RESIDENT,
           "blind leak 21 700 2700 VmRSS\nother steady 21 1000 1000 unknown\n"
           "tells steady 21 500 500 mappings\n");
    vm_rss(k, 2, 800, 0);
    expect(k, RESIDENT,
           "blind leak 21 700 2700 VmRSS\nother steady 21 800 800 VmRSS\n"
           "tells steady 21 500 500 mappings\n");
}

/* VmRSS of all dialects counts, except of partial captures; --dialect and --since limit it. */
IN_KIT(which_vm_rss_counts)
{
    pm_capture *c;

    lives(k, &maps, 0, 20);
    lives(k, &plain, 21, 30);
    vm_rss(k, 1, 700, 100);
    expect(k, RESIDENT, "web leak 31 700 3700 VmRSS\n");
    expect_with(k, GIVEN("dialect", "maps"), RESIDENT, "web leak 21 700 2700 VmRSS\n");
    expect_with(k, GIVEN("since", "2023-11-14T22:23:20Z"), RESIDENT,
                "web leak 21 1700 3700 VmRSS\n");
    c = one(k, &plain, 31);
    kit_partial(c);
    kit_put(k, c);
    vm_rss(k, 1, 700, 100);
    expect(k, RESIDENT, "web leak 31 700 3700 VmRSS\n");
    kit_exec(k, "UPDATE snapshot SET tool_rss_kib = NULL WHERE snapshot_id > 20");
    lives(k, &x, 32, 33); /* the mappings sum up to 500 */
    expect(k, "first last snapshots", "700 500 22\n");
}

/* A capture with sums only has the same dialect, but no mappings that show RSS. */
IN_KIT(vm_rss_beside_sums)
{
    pm_capture *c = kit_totals(k, PM_DIALECT_PMAP, 1, BEATS_MS + INT64_C(21) * MINUTE * 1000);

    lives(k, &plain, 0, 20);
    kit_total(c, PM_TOTAL_SIZE, PM_BIT(PM_SIZE), 1000);
    kit_name(c, "web", PM_NAME_GIVEN);
    kit_put(k, c);
    vm_rss(k, 1, 700, 100);
    expect(k, RESIDENT, "web leak 22 700 2800 VmRSS\n");
}

/* Most captures show RSS; after the last of them only VmRSS grows. */
IN_KIT(vm_rss_after_the_last_known_rss)
{
    lives(k, &x, 0, 20);
    lives(k, &maps, 21, 32);
    vm_rss(k, 1, -9500, 500);
    kit_exec(k, "UPDATE snapshot SET tool_rss_kib = NULL WHERE dialect = 'pmap-x'");
    expect(k, RESIDENT " dialect", "web leak 33 500 6500 VmRSS pmap-x\n");
}

/* The swap of a live capture adds to VmRSS. */
IN_KIT(swap_beside_vm_rss)
{
    lives(k, &maps, 0, 20);
    vm_rss(k, 1, 700, 0);
    stands(k, 1, 0, -1);
    kit_exec(k, "UPDATE live_reading SET swap_kib = 50 * snapshot_id");
    expect(k, RESIDENT, "web leak 21 750 1750 VmRSS\n");
    kit_exec(k, "UPDATE live_reading SET swap_kib = NULL WHERE snapshot_id = 5");
    expect(k, RESIDENT, "web steady 21 700 700 VmRSS\n");
}

/* A restart is not part of the growth. */
IN_KIT(vm_rss_of_two_lives)
{
    static const life b = {NULL, "web", 2, PM_DIALECT_MAPS, 1000, 0};

    lives(k, &maps, 0, 20);
    lives(k, &b, 21, 40);
    vm_rss(k, 1, 700, 0);
    vm_rss(k, 2, 9000, 0);
    expect(k, RESIDENT " lives", "web steady 41 700 9000 VmRSS 2\n");
}

RUN_TESTS(NULL, NULL)
