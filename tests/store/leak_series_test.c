/* leak_series_test: the snapshots and limits that the three queries of pmapdb leaks combine: lives
 * of a name that make one series, and no data of any other process. tests/stats checks the
 * conclusions. */
#include "leak_lives.h"

/* The processes differ in pid and size. */
static const life web[] = {{NULL, "web", 1, PM_DIALECT_PMAP_SMALL_X, 1000, 0},
                           {NULL, "web", 2, PM_DIALECT_PMAP_SMALL_X, 2000, 0},
                           {NULL, "web", 3, PM_DIALECT_PMAP_SMALL_X, 3000, 0},
                           {NULL, "web", 4, PM_DIALECT_PMAP_SMALL_X, 4000, 0},
                           {NULL, "web", 5, PM_DIALECT_PMAP_SMALL_X, 5000, 0}};
static const life smaps = {NULL, "web", 1, PM_DIALECT_SMAPS, 2000, 0};

/* ---- lives of one series ---- */

#define WHO "name pid process_id lives snapshots first last"

/* A life follows if it begins after the last snapshot of another life; at the same time it is
 * parallel. Parallel lives belong to no series before or after. */
IN_KIT(lives_that_follow_are_joined)
{
    lives(k, &web[0], 0, 9);
    lives(k, &web[1], 9, 20);
    expect(k, WHO, "web 1 1 1 10 500 500\nweb 2 2 1 12 1000 1000\n");
    lives(k, &web[2], -20, -11);
    expect(k, WHO, "web 1 1 1 10 500 500\nweb 2 2 1 12 1000 1000\nweb 3 3 1 10 1500 1500\n");
    lives(k, &web[3], 30, 39);
    expect(k, WHO, "web 1 1 1 10 500 500\nweb 2 2 1 12 1000 1000\nweb 4 4 2 20 1500 2000\n");
    kit_exec(k, "UPDATE snapshot SET taken_ms = taken_ms + 1 WHERE process_id = 2 AND taken_ms = "
                "1700000540000");
    expect(k, WHO, "web 4 4 4 42 1500 2000\n");
}

/* The first life is parallel to the second and the third, although these follow each other; the
 * fourth and the fifth are one series. */
IN_KIT(a_long_life_beside_short_ones)
{
    lives(k, &web[4], 60, 69);
    lives(k, &web[3], 50, 59);
    lives(k, &web[0], 0, 40);
    lives(k, &web[2], 20, 30);
    lives(k, &web[1], 5, 15);
    expect(k, "pid lives snapshots first last",
           "5 2 20 2000 2500\n1 1 41 500 500\n3 1 11 1500 1500\n2 1 11 1000 1000\n");
}

/* Each of two hosts has its own web; processes without a name never form a series. */
IN_KIT(names_that_are_not_one)
{
    static const life here = {"a", "web", 1, PM_DIALECT_PMAP_SMALL_X, 1000, 0};
    static const life there = {"b", "web", 2, PM_DIALECT_PMAP_SMALL_X, 2000, 0};
    static const life nameless[] = {{NULL, "?", 3, PM_DIALECT_PMAP_SMALL_X, 3000, 0},
                                    {NULL, "?", 4, PM_DIALECT_PMAP_SMALL_X, 4000, 0}};

    lives(k, &here, 0, 9);
    lives(k, &there, 20, 29);
    lives(k, &nameless[0], 0, 9);
    lives(k, &nameless[1], 20, 29);
    expect(k, WHO,
           "? 3 3 1 10 1500 1500\n? 4 4 1 10 2000 2000\nweb 1 1 1 10 500 500\n"
           "web 2 2 1 10 1000 1000\n");
}

IN_KIT(one_process_of_a_name)
{
    static const life other = {NULL, "db", 3, PM_DIALECT_PMAP_SMALL_X, 3000, 0};

    lives(k, &web[0], 0, 9);
    lives(k, &web[1], 10, 20);
    lives(k, &other, 0, 9);
    expect_with(k, GIVEN("process", "web"), WHO, "web 2 2 2 21 500 1000\n");
    expect_with(k, GIVEN("process", "1"), WHO, "web 1 1 1 10 500 500\n");
}

/* The snapshot at --since is the first one that counts. */
IN_KIT(since_a_time)
{
    static const life b = {NULL, "web", 2, PM_DIALECT_PMAP_SMALL_X, 2000, 10};

    lives(k, &web[0], 0, 11);
    lives(k, &b, 5, 30);
    expect(k, "pid snapshots", "1 12\n2 26\n");
    expect_with(k, GIVEN("since", "2023-11-14T22:24:20Z"), "pid snapshots", "1 1\n2 20\n");
    expect_with(k, GIVEN("since", "2023-11-14T22:25:20Z"), "pid lives snapshots first last last_at",
                "2 1 19 1060 1150 2023-11-14T22:43:20Z\n");
}

/* A partial capture neither makes lives parallel nor adds a value. */
IN_KIT(partial_ones_are_left_out)
{
    for (int64_t minute = -1; minute <= 12; minute += 13) {
        pm_capture *c = one(k, minute < 0 ? &web[1] : &web[0], minute < 0 ? 5 : minute);

        kit_partial(c);
        kit_put(k, c);
    }
    lives(k, &web[0], 0, 9);
    lives(k, &web[1], 10, 20);
    expect(k, "pid lives snapshots first last", "2 2 21 500 1000\n");
}

/* ---- the dialect ---- */

/* Each moment has a preferred dialect. The most frequent one gives the keys; the process is judged
 * by all snapshots. */
IN_KIT(the_dialect_with_most)
{
    static const life wide = {NULL, "web", 1, PM_DIALECT_PMAP_X, 3000, 0};

    lives(k, &web[0], 0, 25);
    lives(k, &smaps, 0, 11);
    expect(k, "dialect snapshots last", "pmap-x 26 500\n"); /* 14 to 12 */
    lives(k, &wide, 12, 13);
    expect(k, "dialect snapshots last", "smaps 26 500\n"); /* 12 to 12 to 2 */
    expect_with(k, GIVEN("dialect", "pmap-x"), "dialect snapshots last", "pmap-x 26 500\n");
    expect_with(k, GIVEN("since", "2023-11-14T22:29:20Z"), "dialect snapshots last",
                "pmap-x 10 500\n");
}

/* Snapshots of other processes do not count for the choice of the dialect. */
IN_KIT(the_dialect_of_each_process)
{
    static const life other = {NULL, "db", 2, PM_DIALECT_SMAPS, 3000, 0};

    lives(k, &web[0], 0, 25);
    lives(k, &smaps, 0, 11);
    lives(k, &other, 0, 40);
    expect(k, "name dialect snapshots last", "db smaps 41 1500\nweb pmap-x 26 500\n");
}

/* ---- limits ---- */

/* The limits are those of the newest snapshot of the newest life, if it is a live capture. */
IN_KIT(whose_limits_count)
{
    static const life l[] = {{"a", "web", 1, PM_DIALECT_SMAPS, 1000, 100},
                             {"a", "web", 2, PM_DIALECT_SMAPS, 1000, 100},
                             {"a", "db", 3, PM_DIALECT_SMAPS, 1000, 100}};

    lives(k, &l[0], 0, 9);
    lives(k, &l[1], 10, 20);
    lives(k, &l[2], 0, 30);
    stands(k, 1, 0, 111111);
    stands(k, 2, 0, 222222);
    stands(k, 2, 15, 333333);
    expect(k, "name limit limit_by", "db ? ?\nweb ? ?\n"); /* no boot is known: text */
    kit_exec(k, "UPDATE process SET boot_id = 'b'");
    expect(k, "name limit limit_by", "db ? ?\nweb 333333 cgroup\n");
    stands(k, 3, 30, 444444);
    expect(k, "name limit limit_by", "db 444444 cgroup\nweb 333333 cgroup\n");
    kit_exec(k, "DELETE FROM live_reading WHERE snapshot_id IN (SELECT snapshot_id FROM snapshot "
                "WHERE process_id = 2)");
    expect(k, "name limit limit_by", "db 444444 cgroup\nweb ? ?\n");
}

/* Each limit has its own name. */
IN_KIT(which_limit_it_is)
{
    static const struct {
        const char *set, *wanted;
    } cases[] = {
        {"memory_max_kib = 9001, address_limit_kib = -1", "9001 cgroup\n"},
        {"memory_max_kib = -1, address_limit_kib = 9002", "9002 address space\n"},
        {"memory_max_kib = -1, address_limit_kib = -1, stack_limit_kib = 9003", "? ?\n"},
    };
    static const life l = {NULL, "web", 1, PM_DIALECT_SMAPS, 1000, 100};

    lives(k, &l, 0, 20);
    stands(k, 1, 0, -1);
    kit_exec(k, "UPDATE process SET boot_id = 'b'");
    for (size_t i = 0; i < COUNT(cases); i++) {
        beats_exec(k, "UPDATE live_process SET %s", cases[i].set);
        expect(k, "limit limit_by", cases[i].wanted);
    }
    expect_with(k, GIVEN("metric", "mappings"), "limit limit_by", "65530 map count\n");
}

RUN_TESTS(NULL, NULL)
