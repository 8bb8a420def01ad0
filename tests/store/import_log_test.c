/* import_log_test: logs without times are identified by the sequence of their blocks. */
#include "kit.h"

#include "store/write/import_log.h"

#define MS INT64_C(1700000000000)
#define STEP INT64_C(300000)

typedef struct file {
    pm_log_block block[16];
    size_t n;
    int64_t log_id, last_ms;
} file;

/* "aabb/7c": the hashes of pid 1, then of pid 7. */
static file blocks_of(const char *text)
{
    file f = {0};
    int64_t pid = 1;

    for (; *text; text++) {
        if (*text == '/') {
            pid = *++text - '0';
            continue;
        }
        f.block[f.n++] = (pm_log_block){.pid = pid, .hash = (uint64_t)*text};
    }
    return f;
}

static void match(const kit *k, file *f, const char *host, int64_t written_ms)
{
    pmapdb_error err = {0};

    kit_ok(pm_log_match(k->store, host, f->block, f->n, written_ms, &f->log_id, &f->last_ms, &err),
           &err);
}

/* As an import would: known blocks keep their times, others are `first` and so on. Returns how many
 * are new. */
static size_t import(const kit *k, const char *text, const char *host, int64_t written_ms,
                     int64_t first, int64_t *log_id)
{
    file f = blocks_of(text);
    size_t new = 0;

    match(k, &f, host, written_ms);
    for (size_t i = 0; i < f.n; i++) {
        pm_capture *c;

        if (f.block[i].known)
            continue;
        c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, f.block[i].pid, first + (int64_t)i * STEP);
        kit_map(k, c, 0x7ff000000000, 132, "rw-p", "[stack]");
        c->host = host;
        c->block.hash = f.block[i].hash;
        c->log_id = (uint64_t)f.log_id;
        c->time_source = PM_TIME_EVERY;
        kit_put(k, c);
        new ++;
    }
    *log_id = f.log_id;
    return new;
}

IN_KIT(known_blocks_keep_their_times)
{
    int64_t log, again;
    file f;

    assert_int_equal(import(k, "abc", NULL, MS, MS, &log), 3);
    f = blocks_of("abcd");
    match(k, &f, NULL, MS + 10 * STEP);
    assert_int_equal(f.log_id, log);
    assert_int_equal(f.last_ms, MS + 2 * STEP);
    for (int i = 0; i < 3; i++) {
        assert_true(f.block[i].known);
        assert_int_equal(f.block[i].taken_ms, MS + (int64_t)i * STEP);
    }
    assert_false(f.block[3].known);
    assert_int_equal(import(k, "abcd", NULL, MS + 3 * STEP, MS, &again), 1);
    assert_int_equal(again, log);
    assert_int_equal(import(k, "abcd", NULL, MS + 3 * STEP, MS, &again), 0);
}

IN_KIT(a_prefix_of_what_is_stored_is_known)
{
    int64_t log, again;

    import(k, "abcd", NULL, MS + 3 * STEP, MS, &log);
    /* an older copy of the file, of any age up to the last block */
    assert_int_equal(import(k, "ab", NULL, MS + STEP, MS, &again), 0);
    assert_int_equal(again, log);
    assert_int_equal(import(k, "abcd", NULL, MS + 3 * STEP, MS, &again), 0);
    assert_int_equal(import(k, "ab", NULL, PMAPDB_UNKNOWN, MS, &again), 0);
    assert_int_equal(again, log);
}

/* An idle process prints the same again into a fresh file. */
IN_KIT(rotated_file_is_a_new_log)
{
    int64_t log, again;

    import(k, "aaaa", NULL, MS + 3 * STEP, MS, &log);
    assert_int_equal(import(k, "aa", NULL, MS + 5 * STEP, MS + 4 * STEP, &again), 2);
    assert_int_not_equal(again, log);
    /* the latest of both goes on */
    assert_int_equal(import(k, "aaa", NULL, MS + 6 * STEP, MS + 4 * STEP, &log), 1);
    assert_int_equal(log, again);
}

IN_KIT(whole_file_again_with_a_later_mtime)
{
    int64_t log, again;

    import(k, "abc", NULL, MS + 2 * STEP, MS, &log);
    /* the same sequence, written later: rotated, and an idle process */
    assert_int_equal(import(k, "abc", NULL, MS + 20 * STEP, MS + 18 * STEP, &again), 3);
    assert_int_not_equal(again, log);
}

IN_KIT(another_sequence_is_another_log)
{
    int64_t log, again;

    import(k, "abc", NULL, MS + 2 * STEP, MS, &log);
    assert_int_equal(import(k, "abxd", NULL, MS + 9 * STEP, MS + 6 * STEP, &again), 4);
    assert_int_not_equal(again, log);
    /* the head was cut off */
    assert_int_equal(import(k, "bcd", NULL, MS + 30 * STEP, MS + 20 * STEP, &again), 3);
}

IN_KIT(sequences_count_per_pid)
{
    int64_t log, again;

    import(k, "a/2x/1b/2y", NULL, MS + 3 * STEP, MS, &log);
    /* the same per pid, in another order, and one more of each */
    assert_int_equal(import(k, "ab/2xy/1c/2z", NULL, MS + 9 * STEP, MS + 3 * STEP, &again), 2);
    assert_int_equal(again, log);
    /* a pid that came later */
    assert_int_equal(import(k, "abc/2xyz/3q", NULL, MS + 12 * STEP, MS + 9 * STEP, &again), 1);
    assert_int_equal(again, log);
    /* one pid goes on while the other ends earlier: neither is a prefix of the other */
    assert_int_equal(import(k, "abcd/2xy/3q", NULL, MS + 40 * STEP, MS + 30 * STEP, &again), 7);
    assert_int_not_equal(again, log);
}

IN_KIT(hosts_have_their_own_logs)
{
    int64_t log, again;

    import(k, "abc", "one", MS + 2 * STEP, MS, &log);
    assert_int_equal(import(k, "abc", "two", MS + 2 * STEP, MS, &again), 3);
    assert_int_not_equal(again, log);
    assert_int_equal(import(k, "abc", NULL, MS + 2 * STEP, MS, &log), 3);
}

/* Begun, and killed before the first capture: the log is empty and matches nothing. */
IN_KIT(an_empty_log_is_no_prefix)
{
    file f = blocks_of("ab");
    int64_t log;

    match(k, &f, NULL, MS);
    assert_int_equal(f.last_ms, PMAPDB_UNKNOWN);
    assert_int_equal(import(k, "ab", NULL, MS + STEP, MS, &log), 2);
    assert_int_not_equal(log, f.log_id);
}

RUN_TESTS(NULL, NULL)
