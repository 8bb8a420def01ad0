/* capture_choose_test: smaps or pagemap, chosen by the time that earlier readings took. */
#include "api/live.h"

#define BUDGET 15000 /* us; at 100 ns a page the child takes 2 ms, 6 with a sanitizer */
#define BAD 60000

#define SMAPS "worker smaps complete status\n"
#define SPARED "worker pagemap complete status degraded\n"

/* A process of 80 MiB, and a budget that makes its prediction matter. */
static void begin_large(live *l)
{
    child(l, "worker");
    for (int i = 0; i < 80; i++)
        ask(l, 0, 'g');
    l->options.max_stall_us = BUDGET;
}

static void capture(live *l, const char *wanted)
{
    run(l);
    expect(l, wanted);
}

/* Captures smaps, and writes into the store how long the longest read(2) took. The anonymous memory
 * is set to 0, so that the reading does not count for the cost on the host. */
static void capture_in(live *l, int us)
{
    char sql[200];

    capture(l, SMAPS);
    snprintf(sql, sizeof sql,
             "UPDATE live_reading SET longest_us = %d, cpu_us = %d, read_us = %d, anon_kib = 0 "
             "WHERE snapshot_id = (SELECT max(snapshot_id) FROM live_reading)",
             us, us, us);
    assert_int_equal(sqlite3_exec(l->store->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void spare(live *l, int n)
{
    l->options.measure = PMAPDB_MEASURE_MAPS;
    while (n--)
        run(l);
    l->options.measure = PMAPDB_MEASURE_AUTO;
}

static int64_t predicted(const live *l)
{
    return number(l, "SELECT predicted_us FROM live_reading ORDER BY snapshot_id DESC");
}

/* One bad reading (the host slept meanwhile) changes nothing. A second bad reading counts. */
WITH_RUN(one_bad_reading)
{
    begin_large(l);
    capture_in(l, BAD);
    assert_in_range(predicted(l), 1000, BUDGET);
    capture_in(l, 1500);
    capture_in(l, BAD);
    capture_in(l, BAD);
    capture(l, SPARED);
    assert_in_range(predicted(l), BAD, 2 * BAD);
}

/* A single good reading shows that the pages of this process cost less than those of others. */
WITH_RUN(one_good_reading)
{
    begin_large(l);
    capture_in(l, 7);
    l->options.max_stall_us = 500;
    capture_in(l, 7);
    assert_in_range(predicted(l), 7, 499);
    for (int i = 0; i < 20; i++) /* the largest mapping may contain all the growth */
        ask(l, 0, 'g');
    capture(l, SPARED);
    assert_in_range(predicted(l), 500, BUDGET);
}

/* A process that is spared is read again within 100 captures. */
WITH_RUN(read_again)
{
    begin_large(l);
    capture_in(l, BAD);
    capture_in(l, BAD);
    capture(l, SPARED);
    word(l,
         "SELECT degraded LIKE '%; read again within 100 captures' FROM live_reading "
         "ORDER BY snapshot_id DESC",
         "1");
    spare(l, 97);
    capture(l, SPARED);
    capture(l, SMAPS);
}

/* Smaps that may fit are read until two readings agree; never at over four times the budget. */
WITH_RUN(never_read)
{
    int64_t host_us;

    begin_large(l);
    capture_in(l, BAD);
    host_us = predicted(l);
    l->options.max_stall_us = host_us / 2;
    capture_in(l, BAD);
    capture(l, SPARED);
    spare(l, 100);
    capture_in(l, BAD);
    l->options.max_stall_us = host_us / 5;
    spare(l, 100);
    capture(l, SPARED);
    word(l,
         "SELECT degraded LIKE '%; a longer --max-stall allows smaps' "
         "FROM live_reading ORDER BY snapshot_id DESC",
         "1");
}

/* The median of at least three readings on the host predicts the cost for a new process. */
WITH_RUN(cost_on_host)
{
    int64_t before;

    begin_large(l);
    capture_in(l, 1500);
    before = predicted(l);
    capture_in(l, 1500);
    capture_in(l, 1500);
    assert_int_equal(sqlite3_exec(l->store->db,
                                  "UPDATE live_reading SET file_kib = 0, shmem_kib = 0, "
                                  "anon_kib = 400000, cpu_us = 1500 * snapshot_id * snapshot_id + "
                                  "(SELECT 2.5 * mappings FROM snapshot LIMIT 1); "
                                  "UPDATE process SET pid = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    capture(l, SMAPS); /* 6 ms for 100,000 pages */
    assert_in_range(predicted(l) * 100, before * 58, before * 62);
}

RUN_TESTS(NULL, NULL)
