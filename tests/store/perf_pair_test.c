/* Pairing by thread, the order of effects, and the order of events. */
#include "kit.h"

#include "base/num.h"
#include "store/perf/pair.h"
#include "store/perf/reorder.h"

typedef struct heard {
    pm_buf text;
    int64_t calls;
} heard;

static const char *const names[] = {"mmap", "munmap", "brk", "mremap", "mprotect"};

static pmapdb_status on_call(void *ctx, pm_traced_call *c, pmapdb_error *err)
{
    heard *h = ctx;

    c->call_id = ++h->calls;
    kit_ok(
        pm_buf_addf(&h->text, err, "%lld=%s/%u", (long long)c->call_id, names[c->kind], c->thread),
        NULL);
    if (c->begin_ns != PMAPDB_UNKNOWN)
        kit_ok(pm_buf_addf(&h->text, err, " %llx", (unsigned long long)c->arg[0]), NULL);
    if (c->end_ns != PMAPDB_UNKNOWN)
        kit_ok(pm_buf_addf(&h->text, err, " -> %llx", (unsigned long long)c->ret), NULL);
    return pm_buf_add(&h->text, "; ", 2, err);
}

static pmapdb_status on_begin(void *ctx, const pm_traced_call *c, pmapdb_error *err)
{
    return pm_buf_addf(&((heard *)ctx)->text, err, "(%lld ", (long long)c->call_id);
}

static pmapdb_status on_end(void *ctx, const pm_traced_call *c, pmapdb_error *err)
{
    return pm_buf_addf(&((heard *)ctx)->text, err, "%lld) ", (long long)c->call_id);
}

static pm_pair *new_pair(heard *h, size_t threads)
{
    pm_pair_out out = {h, on_call, on_begin, on_end};
    pm_pair *p = NULL;

    *h = (heard){.calls = 0};
    kit_ok(pm_pair_new(threads, &out, &p, NULL), NULL);
    return p;
}

/* "+0m1000" thread 0 enters mmap with 1000, "-" exits; m u b r p; a time each. */
static void feed(pm_pair *p, const char *script)
{
    int64_t ns = 100;

    for (const char *s = script; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        pm_trace_event e = {.time_ns = ns++,
                            .exit = *s == '-',
                            .thread = (uint32_t)(s[1] - '0'),
                            .kind = (uint8_t)(strchr("mubrp", s[2]) - "mubrp"),
                            .has = 1,
                            .stack = -1};

        if (e.kind > 4)
            abort();
        pm_num_hex(s + 3, s + strcspn(s, " "), &e.arg[0]);
        kit_ok(pm_pair_event(p, &e, NULL), NULL);
    }
}

static void expect(const char *script, const char *wanted)
{
    heard h;
    pm_pair *p = new_pair(&h, 8);

    feed(p, script);
    kit_ok(pm_pair_finish(p, NULL), NULL);
    assert_string_equal(pm_buf_text(&h.text).data, wanted);
    pm_pair_free(p);
    pm_buf_free(&h.text);
}

static void by_thread(void **state)
{
    (void)state;
    /* per process, the second mmap's enter would be the first one's exit's */
    expect("+0m1000 +1m2000 -0ma000 -1mb000",
           "1=mmap/0 1000 -> a000; 1) 2=mmap/1 2000 -> b000; 2) ");
    expect("+0m1 +1p2 +2b3 -1p0 -2b3 -0m9",
           "1=mprotect/1 2 -> 0; 2=brk/2 3 -> 3; (2 1) 2) 3=mmap/0 1 -> 9; 3) ");
}

static void halves(void **state)
{
    (void)state;
    expect("-0m5 +0m1 +0m2 -0m6", "1=mmap/0 -> 5; 1) 2=mmap/0 1; 3=mmap/0 2 -> 6; 3) ");
    expect("+0m1 -0b7 -0m8", "1=mmap/0 1; 2=brk/0 -> 7; 2) 3=mmap/0 -> 8; 3) ");
    expect("+0u1 +1m2 -1m3", "1=mmap/1 2 -> 3; 2=munmap/0 1; (2 1) ");
    expect("+3r1", "1=mremap/3 1; (1 ");
}

/* Another thread has the range before the munmap's exit is recorded. */
static void frees_when_it_begins(void **state)
{
    (void)state;
    expect("+0u1000 +1m0 -1m1000 -0u0", "1=mmap/1 0 -> 1000; 2=munmap/0 1000 -> 0; (2 1) 2) ");
    expect("+0m0 +1u1000 -0m1000 -1u0", "1=mmap/0 0 -> 1000; 2=munmap/1 1000 -> 0; (2 1) 2) ");
}

/* A lost exit holds nothing up for ever, and takes no more memory. */
static void waits_so_long(void **state)
{
    heard h;
    pm_pair *p = new_pair(&h, 2);

    (void)state;
    feed(p, "+0u1000");
    for (size_t i = 0; i < PM_PAIR_WAITING - 1; i++) {
        feed(p, "+1m0 -1m5000");
        pm_buf_clear(&h.text);
    }
    feed(p, "+1m0 -1m6000");
    assert_non_null(strstr(pm_buf_text(&h.text).data, "65537=munmap/0 1000; (65537 1) 2) 3) "));
    pm_buf_clear(&h.text);
    feed(p, "-0u0");
    assert_string_equal(pm_buf_text(&h.text).data, "65538=munmap/0 -> 0; 65538) ");
    pm_pair_free(p);
    pm_buf_free(&h.text);
}

/* ---- the order of events ---- */

static void in_order(void **state)
{
    enum { N = 30000, JITTER = 1000 };
    uint64_t seed = 7;
    pm_reorder r;
    int64_t last = INT64_MIN;
    size_t n = 0;

    (void)state;
    kit_ok(pm_reorder_init(&r, NULL), NULL);
    for (int i = 0; i < N; i++) { /* none is more than JITTER places away */
        pm_trace_event e = {.time_ns = i - (int64_t)kit_below(&seed, JITTER)}, next;
        bool has;

        pm_reorder_put(&r, &e, &next, &has);
        assert_true(!has || next.time_ns >= last);
        last = has ? next.time_ns : last;
        n += has;
    }
    assert_int_equal(n, N - PM_REORDER_WINDOW);
    for (bool has = true; has; n += has) {
        pm_trace_event next = {.time_ns = INT64_MAX};

        pm_reorder_next(&r, &next, &has);
        assert_true(next.time_ns >= last);
        last = next.time_ns;
    }
    assert_int_equal(n, N);
    assert_int_equal(r.late, 0);
    pm_reorder_free(&r);
}

/* The text has microseconds: what it has together stays together. */
static void of_equal_times_as_read(void **state)
{
    pm_trace_event next;
    pm_reorder r;
    bool has;

    (void)state;
    kit_ok(pm_reorder_init(&r, NULL), NULL);
    for (uint32_t i = 0; i < 3 * PM_REORDER_WINDOW; i++) {
        pm_trace_event e = {.time_ns = i / 100, .thread = i};

        pm_reorder_put(&r, &e, &next, &has);
        assert_int_equal(has, i >= PM_REORDER_WINDOW);
        if (has)
            assert_int_equal(next.thread, i - PM_REORDER_WINDOW);
    }
    pm_reorder_free(&r);
}

static void too_late_is_counted(void **state)
{
    pm_trace_event next;
    pm_reorder r;
    bool has;

    (void)state;
    kit_ok(pm_reorder_init(&r, NULL), NULL);
    for (int64_t i = 0; i < (int64_t)PM_REORDER_WINDOW + 10; i++)
        pm_reorder_put(&r, &(pm_trace_event){.time_ns = 1000 + i}, &next, &has);
    pm_reorder_put(&r, &(pm_trace_event){.time_ns = 5}, &next, &has);
    assert_true(has);
    assert_int_equal(next.time_ns, 5);
    assert_int_equal(r.late, 1);
    pm_reorder_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_thread),
        cmocka_unit_test(halves),
        cmocka_unit_test(frees_when_it_begins),
        cmocka_unit_test(waits_so_long),
        cmocka_unit_test(in_order),
        cmocka_unit_test(of_equal_times_as_read),
        cmocka_unit_test(too_late_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
