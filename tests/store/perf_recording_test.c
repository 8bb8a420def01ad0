/* perf_recording_test: recordings in the store: threads and traced processes, known recordings,
 * links to captured processes, a full disk in the middle, merge and prune. */
#include "kit.h"

#include "store/copy/merge.h"
#include "store/keep/tidy.h"
#include "store/perf/recording.h"

#define S 1000000000LL
#define UTC_MS 1700000000000LL
#define PAGE ((uint64_t)4096)

/* ---- recordings by hand ---- */

typedef struct take {
    pm_perf_event *event;
    size_t n, cap;
    uint64_t bad, lost;
    int64_t ns, pid, tid;
} take;

static take begin_take(int64_t pid, int64_t tid)
{
    return (take){.ns = 1000 * S, .pid = pid, .tid = tid};
}

static void event(take *t, pm_call_kind kind, bool exit, uint64_t a, uint64_t b, const char *chain)
{
    pm_perf_event e = {.comm = PM_TEXT("worker"),
                       .pid = t->pid,
                       .tid = t->tid,
                       .time_ns = t->ns++,
                       .kind = kind,
                       .exit = exit,
                       .arg = {a, b},
                       .has = exit ? 0 : 3,
                       .ret = a,
                       .chain = pm_text_of(chain)};

    kit_ok(pm_grow(&t->event, &t->cap, t->n, sizeof e, NULL), NULL);
    t->event[t->n++] = e;
}

#define CHAIN_A \
    "\t10 mmap+0x10 (/lib/libc.so.6)\n\t20 leak<int, (anonymous namespace)::T>+0x5 (/srv/a)\n"
#define CHAIN_B "\t10 mmap+0x10 (/lib/libc.so.6)\n\t40 keep+0x7 (/srv/a)\n"

static void map(take *t, uint64_t at, uint64_t pages, const char *chain)
{
    event(t, PM_CALL_MMAP, false, 0, pages * PAGE, chain);
    event(t, PM_CALL_MMAP, true, at, 0, chain);
}

static void unmap(take *t, uint64_t at, uint64_t pages)
{
    event(t, PM_CALL_MUNMAP, false, at, pages * PAGE, CHAIN_B);
    event(t, PM_CALL_MUNMAP, true, 0, 0, CHAIN_B);
}

static pmapdb_perf_options usual(void)
{
    return (pmapdb_perf_options){.pid = PMAPDB_UNKNOWN, .clock_offset_ns = PMAPDB_UNKNOWN};
}

static pmapdb_status try_end(const kit *k, take *t, uint64_t hash, const pmapdb_perf_options *o,
                             pm_recording *r, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    pm_recording_begin(r, k->store);
    for (size_t i = 0; i < t->n; i++)
        PM_STEP(st, pm_recording_add(r, &t->event[i], err));
    PM_STEP(st, pm_recording_store(
                    r, &(pm_perf_counts){.taken = t->n, .bad = t->bad, .lost_records = t->lost},
                    hash, "p.txt", o, err));
    pm_recording_free(r);
    free(t->event);
    return st;
}

static pm_recording end_take(const kit *k, take *t, uint64_t hash, const pmapdb_perf_options *o)
{
    pmapdb_perf_options options = o ? *o : usual();
    pmapdb_error err = {0};
    pm_recording r;

    kit_ok(try_end(k, t, hash, &options, &r, &err), &err);
    kit_expect(k, "SELECT * FROM pragma_foreign_key_check", "");
    return r;
}

IN_KIT(into_tables)
{
    take t = begin_take(42, 43);

    map(&t, 0x10000, 4, CHAIN_A);
    map(&t, 0x20000, 2, CHAIN_B);
    unmap(&t, 0x11000, 1);
    unmap(&t, 0x90000, 1);
    event(&t, PM_CALL_MMAP, false, 0, PAGE, "");
    event(&t, PM_CALL_MMAP, true, (uint64_t)-12, 0, "");
    event(&t, PM_CALL_MPROTECT, false, 0x20000, PAGE, CHAIN_A);
    t.lost = 7;
    t.bad = 1;
    end_take(k, &t, 1, NULL);
    kit_expect(k,
               "SELECT file, first_ns, last_ns, calls, failed, unended, unbegun, bad, lost "
               "FROM recording",
               "p.txt|1000000000000|1000000000010|5|1|1|0|1|7\n");
    kit_expect(k,
               "SELECT pid, pid_source, tid, comm FROM traced_process JOIN thread USING "
               "(traced_process_id)",
               "42|text|43|worker\n");
    kit_expect(k,
               "SELECT printf('%x', start), length, call_id, died_ns - born_ns FROM extent "
               "ORDER BY start",
               "10000|4096|1|?\n11000|4096|1|3\n12000|8192|1|?\n20000|8192|2|?\n90000|4096|4|?\n");
    kit_expect(k,
               "SELECT c.kind, f.symbol, f.offset, f.dso, g.symbol, s.caller_id > 0, c.end_ns IS "
               "NULL FROM call c JOIN stack s USING (stack_id) LEFT JOIN frame f USING (frame_id) "
               "JOIN stack q ON q.stack_id = s.caller_id LEFT JOIN frame g ON g.frame_id = "
               "q.frame_id ORDER BY call_id",
               "0|mmap|16|/lib/libc.so.6|leak<int, (anonymous namespace)::T>|1|0\n"
               "0|mmap|16|/lib/libc.so.6|keep|1|0\n1|mmap|16|/lib/libc.so.6|keep|1|0\n"
               "1|mmap|16|/lib/libc.so.6|keep|1|0\n0|?|?|?|?|0|0\n"
               "4|mmap|16|/lib/libc.so.6|leak<int, (anonymous namespace)::T>|1|1\n");
    kit_expect(k, "SELECT count(*) FROM frame", "3\n");
    kit_expect(k, "SELECT count(*) FROM stack", "5\n");
}

IN_KIT(known_again)
{
    for (int i = 0; i < 2; i++) {
        take t = begin_take(42, 43);
        pm_recording r;

        map(&t, 0x10000, 4, CHAIN_A);
        r = end_take(k, &t, 99, NULL);
        assert_int_equal(r.known, i);
        assert_int_equal(r.recording_id, 1);
    }
    kit_expect(k, "SELECT count(*) FROM call", "1\n");
}

/* ---- whose threads they are ---- */

static void captured(const kit *k, int64_t pid, int64_t ms)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, pid, ms);

    kit_map(k, c, 0x560000000000, 100, "rw-p", "/srv/a");
    kit_put(k, c);
}

/* Makes a recording of threads 7, 8 and 9; the text names no process. */
static take three_threads(void)
{
    take t = begin_take(PMAPDB_UNKNOWN, 0);

    for (uint64_t i = 1; i <= 3; i++) {
        t.tid = 6 + (int64_t)i;
        map(&t, 0x10000 * i, 1, CHAIN_A);
    }
    return t;
}

#define TRACEES                                                                              \
    "SELECT t.pid, t.pid_source, group_concat(h.tid), (SELECT count(*) FROM extent e WHERE " \
    "e.traced_process_id = t.traced_process_id) FROM traced_process t JOIN thread h USING "  \
    "(traced_process_id) GROUP BY traced_process_id "                                        \
    "ORDER BY traced_process_id"

IN_KIT(whose_threads)
{
    pmapdb_perf_options given = usual();
    take t = three_threads();

    end_take(k, &t, 1, NULL);
    kit_expect(k, TRACEES, "?|unknown|7,8,9|0\n");
    t = three_threads(); /* now --pid is given */
    given.pid = 7;
    assert_false(end_take(k, &t, 1, &given).known);
    kit_expect(k, TRACEES, "7|given|7,8,9|3\n");
    t = three_threads();
    assert_true(end_take(k, &t, 1, &given).known);
    kit_expect(k, "SELECT count(*) FROM recording", "1\n");
}

IN_KIT(whose_threads_by_captures)
{
    take t = three_threads();

    captured(k, 8, UTC_MS);
    end_take(k, &t, 1, NULL);
    kit_expect(k, TRACEES, "8|assumed|7,8,9|3\n");
    captured(k, 9, UTC_MS);
    t = three_threads();
    end_take(k, &t, 2, NULL);
    kit_expect(k, TRACEES, "8|assumed|7,8,9|3\n?|unknown|7|0\n8|thread|8|1\n9|thread|9|1\n");
    t = begin_take(PMAPDB_UNKNOWN, 12); /* alone */
    map(&t, 0x1000, 1, CHAIN_A);
    end_take(k, &t, 3, NULL);
    kit_expect(k, "SELECT pid, pid_source FROM traced_process WHERE recording_id = 3",
               "12|assumed\n");
}

IN_KIT(a_text_that_says_it_takes_no_pid)
{
    pmapdb_perf_options o = usual();
    pm_recording r;
    take t = begin_take(1, 1);
    pmapdb_error err = {0};

    map(&t, 0x1000, 1, CHAIN_A);
    o.pid = 2;
    assert_int_equal(try_end(k, &t, 1, &o, &r, &err), PMAPDB_USAGE);
    assert_string_equal(err.text, "'p.txt' names the process of each thread: leave --pid out");
    kit_expect(k, "SELECT count(*) FROM recording", "0\n");
}

/* ---- links ---- */

#define LINK \
    "SELECT process_id, offset_ns, slack_ns < 1500000000, offset_source FROM traced_process"

static void expect_link(const kit *k, const char *wanted)
{
    kit_ok(pm_perf_link(k->store, NULL), NULL);
    kit_expect(k, LINK, wanted);
}

IN_KIT(linked_by_time)
{
    pmapdb_perf_options o = usual();
    take t = begin_take(42, 42);

    map(&t, 0x1000, 1, CHAIN_A);
    o.clock_offset_ns = (UTC_MS - 1000000) * 1000000; /* the recording begins at 1000 s */
    end_take(k, &t, 1, &o);
    expect_link(k, "?|1699999000000000000|1|given\n");
    captured(k, 42, UTC_MS + 3600000); /* an hour later: it may be another life */
    kit_ok(pm_perf_link(k->store, NULL), NULL);
    kit_expect(k, "SELECT process_id FROM traced_process", "?\n");
    captured(k, 42, UTC_MS + 500);
    expect_link(k, "1|1699999000000000000|1|given\n");
    t = begin_take(42, 42);
    map(&t, 0x1000, 1, CHAIN_A);
    assert_true(end_take(k, &t, 1, NULL).known); /* without a given offset, the offset is unknown */
    expect_link(k, "1|?|?|?\n");
}

IN_KIT(linked_by_clocks)
{
    take t = begin_take(42, 42);

    captured(k, 42, UTC_MS);
    kit_exec(k, "UPDATE process SET clock_mono_ns = 990000000000, clock_utc_ms = 1699999990000");
    map(&t, 0x1000, 1, CHAIN_A);
    end_take(k, &t, 1, NULL);
    expect_link(k, "1|1699999000000000000|1|clocks\n");
}

/* Makes a leak of a page every 3 s, captured every 2 s. */
static void leak(const kit *k, take *t, int64_t offset_ms)
{
    for (uint64_t i = 0; i < 30; i++) {
        t->ns = (1000 + 3 * (int64_t)i) * S;
        map(t, 0x7f0000000000 - i * PAGE, 1, CHAIN_A);
    }
    for (int64_t ms = 1000500; ms < 1090000; ms += 2000) {
        uint64_t pages = (uint64_t)(ms - 1000000) / 3000 + 1;
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 42, ms + offset_ms);

        kit_map(k, c, 0x560000000000, 100, "rw-p", "/srv/a");
        kit_map(k, c, 0x7f0000001000 - pages * PAGE, 4 * pages, "rw-p", "");
        kit_put(k, c);
    }
}

IN_KIT(linked_by_events)
{
    take t = begin_take(42, 42);

    leak(k, &t, UTC_MS - 1000000);
    end_take(k, &t, 1, NULL);
    kit_ok(pm_perf_link(k->store, NULL), NULL);
    kit_expect(k,
               "SELECT process_id, offset_source, abs(offset_ns - 1699999000000000000) <= "
               "slack_ns, slack_ns BETWEEN 100000000 AND 1500000000 FROM traced_process",
               "1|events|1|1\n");
}

/* Pages that come and go at a regular pace also fit a period later: no offset is taken. */
IN_KIT(even_beats_tell_nothing)
{
    take t = begin_take(42, 42);

    for (int64_t i = 0; i < 12; i++) {
        t.ns = (1000 + 4 * i) * S;
        map(&t, 0x10000, 1, CHAIN_A);
        t.ns = (1002 + 4 * i) * S;
        unmap(&t, 0x10000, 1);
    }
    for (int64_t i = 0; i < 24; i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 42, UTC_MS + 500 + 2000 * i);

        kit_map(k, c, 0x560000000000, 100, "rw-p", "/srv/a");
        if (i % 2 == 0)
            kit_map(k, c, 0x10000, 4, "rw-p", "");
        kit_put(k, c);
    }
    end_take(k, &t, 1, NULL);
    expect_link(k, "1|?|?|?\n");
}

/* If perf's clock is not CLOCK_MONOTONIC, the events decide. */
IN_KIT(events_mend_clocks)
{
    take t = begin_take(42, 42);

    leak(k, &t, UTC_MS - 1000000);
    kit_exec(k, "UPDATE process SET clock_mono_ns = 990000000000, clock_utc_ms = 1699999970000");
    end_take(k, &t, 1, NULL);
    kit_ok(pm_perf_link(k->store, NULL), NULL);
    kit_expect(k,
               "SELECT process_id, offset_source, abs(offset_ns - 1699999000000000000) <= slack_ns "
               "FROM traced_process",
               "1|events|1\n");
}

/* On a busy machine, each map was read 0.7 s after its beat began. Changes in that time do not
 * contradict the clocks. */
IN_KIT(late_readings_agree_with_clocks)
{
    take t = begin_take(42, 42);

    leak(k, &t, UTC_MS - 1000000 - 700);
    kit_exec(k, "UPDATE process SET clock_mono_ns = 990000000000, clock_utc_ms = 1699999990000;"
                "INSERT INTO host (host_id, name) VALUES (9, 'web1');"
                "INSERT INTO schedule (schedule_id, host_id, boot_id, selection, every_ms) "
                "VALUES (1, 9, 'boot', 'pid', 2000);"
                "INSERT INTO live_process (live_process_id, hash) VALUES (1, 0);"
                "INSERT INTO beat (capture_id, schedule_id, started_ms, ended_ms, mono_ns, missed, "
                "unreadable, vanished, degraded, unmoved, changed) "
                "SELECT capture_id, 1, taken_ms, taken_ms, 0, 0, 0, 0, 0, 0, 0 FROM snapshot;"
                "INSERT INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, "
                "longest_us) SELECT snapshot_id, 1, 400000000, 300000, 0, 0 FROM snapshot");
    end_take(k, &t, 1, NULL);
    expect_link(k, "1|1699999000000000000|1|clocks\n");
}

/* ---- faults ---- */

IN_KIT(all_or_nothing)
{
    pm_recording r;
    take t = begin_take(42, 42);
    pmapdb_perf_options o = usual();
    pmapdb_error err = {0};

    for (uint64_t i = 0; i < 20000; i++)
        map(&t, i * 2 * PAGE, 1, i % 2 ? CHAIN_A : CHAIN_B);
    kit_exec(k, "PRAGMA max_page_count = 200");
    kit_fails(try_end(k, &t, 1, &o, &r, &err), PMAPDB_DATABASE, &err, "no space left");
    kit_exec(k, "PRAGMA max_page_count = 1000000");
    kit_expect(k,
               "SELECT (SELECT count(*) FROM recording), (SELECT count(*) FROM call), (SELECT "
               "count(*) FROM extent), (SELECT count(*) FROM frame)",
               "0|0|0|0\n");
}

/* ---- merge and prune ---- */

#define ALL_OF_IT                                                                                 \
    "SELECT r.hash, r.file, t.pid, t.pid_source, h.tid, c.kind, c.begin_ns, c.end_ns, c.a0, "     \
    "c.a1, c.a2, c.ret, f.symbol, (SELECT group_concat(e.start || '+' || e.length || '@' || "     \
    "coalesce(e.born_ns, '') || '-' || coalesce(e.died_ns, '')) FROM extent e WHERE e.call_id = " \
    "c.call_id AND e.traced_process_id = t.traced_process_id) "                                   \
    "FROM recording r JOIN traced_process t USING (recording_id) JOIN thread h USING "            \
    "(traced_process_id) "                                                                        \
    "JOIN call c USING (thread_id) JOIN stack s USING (stack_id) LEFT JOIN frame f USING "        \
    "(frame_id) ORDER BY r.hash, c.call_id"

static void one_of_each(const kit *k, uint64_t hash)
{
    take t = begin_take(42, 43);

    t.ns += (int64_t)hash;
    map(&t, 0x10000, 4, CHAIN_A);
    unmap(&t, 0x11000, 1);
    unmap(&t, 0x90000, 1);
    event(&t, PM_CALL_MPROTECT, false, (uint64_t)1 << 63, PAGE, hash % 2 ? CHAIN_A : CHAIN_B);
    end_take(k, &t, hash, NULL);
}

IN_KIT(merges)
{
    kit other = {.pool = NULL};
    pmapdb_merge_options options = {.host = "web1", .sweep_ms = KIT_SWEEP};
    pm_merge_counts counts;
    pm_buf want = {0};
    bool theirs;

    snprintf(other.path, sizeof other.path, "%s/other.db", k->dir);
    kit_open(&other);
    one_of_each(&other, 1);
    one_of_each(&other, 2);
    one_of_each(&other, 3);
    kit_rows(&other, &want, ALL_OF_IT);
    one_of_each(k, 2);
    for (int i = 0; i < 2; i++) {
        kit_ok(pm_merge_store(k->store, other.store, &options, &counts, &theirs, NULL), NULL);
        kit_expect(k, ALL_OF_IT, pm_buf_text(&want).data);
    }
    kit_expect(k, "SELECT * FROM pragma_foreign_key_check", "");
    kit_expect(k,
               "SELECT r.hash, h.name FROM recording r LEFT JOIN host h USING (host_id) ORDER BY 1",
               "1|web1\n2|?\n3|web1\n");
    pm_buf_free(&want);
    kit_remove_store(&other);
}

IN_KIT(a_damaged_recording_does_not_get_in)
{
    kit other = {.pool = NULL};
    pmapdb_merge_options options = {.sweep_ms = KIT_SWEEP};
    pm_merge_counts counts;
    pmapdb_error err = {0};
    bool theirs = false;

    snprintf(other.path, sizeof other.path, "%s/other.db", k->dir);
    kit_open(&other);
    one_of_each(&other, 1);
    kit_exec(&other, "PRAGMA foreign_keys = OFF; DELETE FROM frame");
    assert_int_equal(pm_merge_store(k->store, other.store, &options, &counts, &theirs, &err),
                     PMAPDB_INPUT);
    assert_true(theirs);
    kit_says(&err, "the store is damaged");
    kit_expect(k, "SELECT * FROM recording", "");
    kit_remove_store(&other);
}

IN_KIT(goes_with_its_process)
{
    take t = begin_take(50, 50);

    one_of_each(k, 1);
    map(&t, 0x10000, 1, CHAIN_B);
    end_take(k, &t, 5, NULL);
    kit_exec(k, "UPDATE traced_process SET pruned = 1 WHERE pid = 42"); /* as after a prune */
    kit_ok(pm_store_begin_tidying(k->store, NULL), NULL);
    pm_tidy_rest(k->store, PMAPDB_UNKNOWN);
    kit_ok(pm_sql_end(k->store->sql, NULL), NULL);
    pm_store_end_tidying(k->store);
    kit_expect(k, "SELECT hash FROM recording", "5\n");
    kit_expect(k,
               "SELECT (SELECT count(*) FROM call), (SELECT count(*) FROM extent), (SELECT "
               "count(*) FROM thread), (SELECT count(*) FROM stack), (SELECT count(*) FROM frame)",
               "1|1|1|3|2\n");
    kit_expect(k, "SELECT * FROM pragma_foreign_key_check", "");
}

RUN_TESTS(NULL, NULL)
