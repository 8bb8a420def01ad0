/* Events in the order of time, paired by thread; chains are kept once. */
#include "store/kit.h"

#include "base/num.h"
#include "perf/trace.h"

static const char *const names[] = {"mmap", "munmap", "brk", "mremap", "mprotect"};

static void add(pm_trace *t, int64_t ns, const char *word)
{
    uint64_t number = 0;
    pm_perf_event e = {.comm = PM_TEXT("worker"),
                       .pid = 1,
                       .tid = word[1],
                       .time_ns = ns,
                       .exit = *word == '-',
                       .kind = (pm_call_kind)(strchr("mubrp", word[2]) - "mubrp"),
                       .has = 1};

    pm_num_hex(word + 3, word + strcspn(word, " "), &number);
    if (e.exit)
        e.ret = number;
    else
        e.arg[0] = number;
    kit_ok(pm_trace_add(t, &e, NULL), NULL);
}

static void tell(const pm_trace *t, pm_buf *out)
{
    for (size_t i = 0; i < t->n_calls; i++) {
        const pm_traced_call *c = &t->call[i];

        pm_buf_addf(out, NULL, "%s/%c", names[c->kind], (char)t->thread[c->thread].tid);
        if (c->begin_ns != PMAPDB_UNKNOWN)
            pm_buf_addf(out, NULL, " %llx", (unsigned long long)c->arg[0]);
        if (c->end_ns != PMAPDB_UNKNOWN)
            pm_buf_addf(out, NULL, " -> %llx", (unsigned long long)c->ret);
        pm_buf_add(out, "; ", 2, NULL);
    }
    for (size_t i = 0; i < t->n_events; i++)
        pm_buf_addf(out, NULL, t->event[i].exit ? "%u) " : "(%u ", t->event[i].call + 1);
}

/* "+0m1000" thread 0 enters mmap with 1000, "-" exits; m u b r p; a time each. */
static void expect(const char *script, const char *wanted)
{
    pm_trace t;
    pm_buf text = {0};
    int64_t ns = 100;

    pm_trace_init(&t);
    for (const char *s = script; *s; s += strcspn(s, " "), s += strspn(s, " "))
        add(&t, ns++, s);
    kit_ok(pm_trace_finish(&t, NULL), NULL);
    tell(&t, &text);
    assert_string_equal(pm_buf_text(&text).data, wanted);
    pm_buf_free(&text);
    pm_trace_free(&t);
}

static void by_thread(void **state)
{
    /* per process, the second mmap's enter would be the first one's exit's */
    expect("+0m1000 +1m2000 -0ma000 -1mb000",
           "mmap/0 1000 -> a000; mmap/1 2000 -> b000; (1 (2 1) 2) ");
    expect("+0m1 +1p2 +2b3 -1p0 -2b3 -0m9",
           "mprotect/1 2 -> 0; brk/2 3 -> 3; mmap/0 1 -> 9; (3 (1 (2 1) 2) 3) ");
}

static void halves(void **state)
{
    expect("-0m5 +0m1 +0m2 -0m6", "mmap/0 -> 5; mmap/0 1; mmap/0 2 -> 6; 1) (2 (3 3) ");
    expect("+0m1 -0b7 -0m8", "mmap/0 1; brk/0 -> 7; mmap/0 -> 8; (1 2) 3) ");
    expect("+0u1 +1m2 -1m3", "mmap/1 2 -> 3; munmap/0 1; (2 (1 1) ");
    expect("+3r1", "mremap/3 1; (1 ");
}

/* Events of other processors come late in the text; of equal times the first read
 * comes first. */
static void in_the_order_of_time(void **state)
{
    pm_trace t;
    pm_buf text = {0};

    pm_trace_init(&t);
    add(&t, 30, "+0u2");
    add(&t, 30, "-0u0");
    add(&t, 20, "-0m1");
    add(&t, 10, "+0m7");
    kit_ok(pm_trace_finish(&t, NULL), NULL);
    tell(&t, &text);
    assert_string_equal(pm_buf_text(&text).data, "mmap/0 7 -> 1; munmap/0 2 -> 0; (1 1) (2 2) ");
    assert_int_equal(t.first_ns, 10);
    assert_int_equal(t.last_ns, 30);
    pm_buf_free(&text);
    pm_trace_free(&t);
}

static void chains_are_kept_once(void **state)
{
    static const char *const chains[] = {
        "\t10 mmap+0x10 (/lib/libc.so.6)\n\t20 leak+0x5 (/srv/a)\n",
        "\t10 mmap+0x10 (/lib/libc.so.6)\n\t40 keep+0x7 (/srv/a)\n",
        "",
        "\t10 mmap+0x10 (/lib/libc.so.6)\n\t20 leak+0x5 (/srv/a)\n",
    };
    pm_perf_event e = {.comm = PM_TEXT("worker"), .pid = 1, .tid = 1, .kind = PM_CALL_MMAP};
    pm_trace t;

    pm_trace_init(&t);
    for (size_t i = 0; i < 4; i++) {
        e.chain = pm_text_of(chains[i]);
        e.time_ns = (int64_t)i;
        kit_ok(pm_trace_add(&t, &e, NULL), NULL);
    }
    assert_int_equal(t.n_chains, 2);
    assert_int_equal(t.event[2].chain, 0);
    assert_int_equal(t.event[3].chain, t.event[0].chain);
    pm_trace_free(&t);
}

RUN_TESTS(TEST(by_thread), TEST(halves), TEST(in_the_order_of_time), TEST(chains_are_kept_once))
