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

/* Reads "aabb/7c": four hashes of pid 1, then one of pid 7. */
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

/* Imports a file: known blocks keep their times, others start at step `first` since MS. The file
 * was written at step `written`. Expects `new` blocks in log number `log`. */
static void imports(const kit *k, const char *text, const char *host, int64_t written,
                    int64_t first, size_t new, int64_t log)
{
    file f = blocks_of(text);
    size_t added = 0;

    match(k, &f, host, written == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : MS + written * STEP);
    for (size_t i = 0; i < f.n; i++) {
        pm_capture *c;

        if (f.block[i].known)
            continue;
        c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, f.block[i].pid,
                        MS + (first + (int64_t)i) * STEP);
        kit_map(k, c, 0x7ff000000000, 132, "rw-p", "[stack]");
        c->host = host;
        c->block.hash = f.block[i].hash;
        c->log_id = (uint64_t)f.log_id;
        c->time_source = PM_TIME_EVERY;
        kit_put(k, c);
        added++;
    }
    assert_int_equal(added, new);
    assert_int_equal(f.log_id, log);
}

IN_KIT(known_blocks_keep_their_times)
{
    file f = blocks_of("abcd");

    imports(k, "abc", NULL, 0, 0, 3, 1);
    match(k, &f, NULL, MS + 10 * STEP);
    assert_int_equal(f.log_id, 1);
    assert_int_equal(f.last_ms, MS + 2 * STEP);
    for (int i = 0; i < 3; i++) {
        assert_true(f.block[i].known);
        assert_int_equal(f.block[i].taken_ms, MS + (int64_t)i * STEP);
    }
    assert_false(f.block[3].known);
    imports(k, "abcd", NULL, 3, 0, 1, 1);
    imports(k, "abcd", NULL, 3, 0, 0, 1);
}

IN_KIT(a_prefix_of_what_is_stored_is_known)
{
    imports(k, "abcd", NULL, 3, 0, 4, 1);
    /* An older copy of the file adds nothing. */
    imports(k, "ab", NULL, 1, 0, 0, 1);
    imports(k, "abcd", NULL, 3, 0, 0, 1);
    imports(k, "ab", NULL, PMAPDB_UNKNOWN, 0, 0, 1);
}

/* An idle process prints the same blocks again into a fresh file. */
IN_KIT(rotated_file_is_a_new_log)
{
    imports(k, "aaaa", NULL, 3, 0, 4, 1);
    imports(k, "aa", NULL, 5, 4, 2, 2);
    imports(k, "aaa", NULL, 6, 4, 1, 2); /* continues the newer log */
}

/* The same sequence, written later, is a rotated file of an idle process. */
IN_KIT(whole_file_again_with_a_later_mtime)
{
    imports(k, "abc", NULL, 2, 0, 3, 1);
    imports(k, "abc", NULL, 20, 18, 3, 2);
}

IN_KIT(another_sequence_is_another_log)
{
    imports(k, "abc", NULL, 2, 0, 3, 1);
    imports(k, "abxd", NULL, 9, 6, 4, 2);
    imports(k, "bcd", NULL, 30, 20, 3, 3); /* the first block was cut off */
}

IN_KIT(sequences_count_per_pid)
{
    imports(k, "a/2x/1b/2y", NULL, 3, 0, 4, 1);
    /* The same sequence per pid, in another order, and one more block of each pid. */
    imports(k, "ab/2xy/1c/2z", NULL, 9, 3, 2, 1);
    imports(k, "abc/2xyz/3q", NULL, 12, 9, 1, 1); /* a new pid */
    /* One pid continues and another ends earlier: neither file is a prefix of the other. */
    imports(k, "abcd/2xy/3q", NULL, 40, 30, 7, 2);
}

IN_KIT(hosts_have_their_own_logs)
{
    imports(k, "abc", "one", 2, 0, 3, 1);
    imports(k, "abc", "two", 2, 0, 3, 2);
    imports(k, "abc", NULL, 2, 0, 3, 3);
}

/* The import was killed before the first capture: the log is empty and matches nothing. */
IN_KIT(an_empty_log_is_no_prefix)
{
    file f = blocks_of("ab");

    match(k, &f, NULL, MS);
    assert_int_equal(f.last_ms, PMAPDB_UNKNOWN);
    assert_int_equal(f.log_id, 1);
    imports(k, "ab", NULL, 1, 0, 2, 2);
}

RUN_TESTS(NULL, NULL)
