/* perf_calls_test: events of perf script become calls: pairs by thread, halves, order of time. */
#include "kit.h"

#include "store/perf/recording.h"

/* "+0m1000": thread 0 enters mmap with 0x1000; "-0m5": it exits with 5. */
static void add(pm_recording *r, int64_t ns, const char *word)
{
    uint64_t value = strtoull(word + 3, NULL, 16);
    pm_perf_event e = {.comm = PM_TEXT("worker"),
                       .pid = 1,
                       .tid = word[1] - '0',
                       .time_ns = ns,
                       .exit = *word == '-',
                       .kind = (pm_call_kind)(strchr("mubrp", word[2]) - "mubrp"),
                       .arg = {value},
                       .has = 1,
                       .ret = value};

    kit_ok(pm_recording_add(r, &e, NULL), NULL);
}

/* Stores the events, and compares the calls, and the halves in the order of time. */
static void stored(const kit *k, pm_recording *r, const char *calls, const char *halves)
{
    static uint64_t hash;
    const pmapdb_perf_options options = {.pid = PMAPDB_UNKNOWN, .clock_offset_ns = PMAPDB_UNKNOWN};
    pmapdb_error err = {0};

    kit_ok(pm_recording_store(r, &(pm_perf_counts){.taken = 1}, ++hash, "p", &options, &err), &err);
    kit_expect(k,
               "SELECT group_concat(text, '; ') FROM (SELECT "
               "CASE c.kind WHEN 0 THEN 'mmap' WHEN 1 THEN 'munmap' WHEN 2 THEN 'brk' "
               "WHEN 3 THEN 'mremap' ELSE 'mprotect' END || '/' || h.tid || coalesce(' ' || c.a0, "
               "'') || coalesce(' -> ' || c.ret, '') AS text FROM call c JOIN thread h USING "
               "(thread_id) JOIN traced_process p USING (traced_process_id) WHERE p.recording_id = "
               "(SELECT max(recording_id) FROM recording) ORDER BY c.call_id)",
               calls);
    kit_expect(k,
               "SELECT group_concat(text, ' ') FROM (SELECT CASE WHEN exit THEN n || ')' ELSE '(' "
               "|| n END AS text FROM (SELECT at, exit, dense_rank() OVER (ORDER BY call_id) AS n "
               "FROM temp.traced_half) ORDER BY at)",
               halves);
    pm_recording_free(r);
}

static void expect(const kit *k, const char *script, const char *calls, const char *halves)
{
    pm_recording r;
    int64_t ns = 100;

    pm_recording_begin(&r, k->store);
    for (const char *s = script; *s; s += strcspn(s, " "), s += strspn(s, " "))
        add(&r, ns++, s);
    stored(k, &r, calls, halves);
}

IN_KIT(by_thread)
{
    /* Pairs are made per thread: per process, the calls would be paired wrongly. */
    expect(k, "+0m1 +1m2 -0ma -1mb", "mmap/0 1 -> 10; mmap/1 2 -> 11\n", "(1 (2 1) 2)\n");
    expect(k, "+0m1 +1p2 +2b3 -1p0 -2b3 -0m9", "mprotect/1 2 -> 0; brk/2 3 -> 3; mmap/0 1 -> 9\n",
           "(3 (1 (2 1) 2) 3)\n");
}

IN_KIT(halves)
{
    expect(k, "-0m5 +0m1 +0m2 -0m6", "mmap/0 -> 5; mmap/0 1; mmap/0 2 -> 6\n", "1) (2 (3 3)\n");
    expect(k, "+0m1 -0b7 -0m8", "mmap/0 1; brk/0 -> 7; mmap/0 -> 8\n", "(1 2) 3)\n");
    expect(k, "+0u1 +1m2 -1m3", "mmap/1 2 -> 3; munmap/0 1\n", "(2 (1 1)\n");
    expect(k, "+3r1", "mremap/3 1\n", "(1\n");
    kit_expect(k, "SELECT calls, failed, unended, unbegun FROM recording ORDER BY recording_id",
               "1|0|1|1\n0|0|1|2\n1|0|1|0\n0|0|1|0\n");
}

/* Events of other processors come late in the text; events of equal times keep their order. */
IN_KIT(in_the_order_of_time)
{
    pm_recording r;

    pm_recording_begin(&r, k->store);
    add(&r, 30, "+0u2");
    add(&r, 30, "-0u0");
    add(&r, 20, "-0m1");
    add(&r, 10, "+0m7");
    stored(k, &r, "mmap/0 7 -> 1; munmap/0 2 -> 0\n", "(1 1) (2 2)\n");
    kit_expect(k, "SELECT first_ns, last_ns FROM recording", "10|30\n");
}

RUN_TESTS(NULL, NULL)
