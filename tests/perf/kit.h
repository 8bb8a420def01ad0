/* kit: feeds texts of perf script in chunks of a size and writes down what the reader says. */
#ifndef PM_TESTS_PERF_KIT_H
#define PM_TESTS_PERF_KIT_H

#include "base/buf.h"
#include "perf/text.h"
#include "unit.h"
#include <inttypes.h>

#include <stdio.h>
#include <stdlib.h>
/* As perf 6.1 on Linux 6.18 prints it. */
#define BRK "t 32480 [001] 13004.182952:           syscalls:sys_enter_brk: brk: 0x00000000\n"
#define BRK_TOLD "t -/32480 13004182952000 enter brk brk=0"
#define CHAIN                                                                                  \
    "\t           1fc47 brk+0x7 (/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2)\n"            \
    "\t           1ab78 _dl_start_user+0x0 (/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2)\n" \
    "\n"
#define KERNEL                                                           \
    "\tffffffff81417d70 syscall_trace_enter+0x180 ([kernel.kallsyms])\n" \
    "\tffffffff821ef81a do_syscall_64+0x1fa ([kernel.kallsyms])\n"

typedef struct perf_seen {
    pm_buf text; /* a line for each event, "bad N", "lost N" */
    uint64_t events, bad, last_line;
    uint64_t seen, taken; /* counts of the reader */
    pmapdb_status status;
} perf_seen;

/* "1 wl2 -/20745 1050459042000 enter brk brk=0 chain 2": line, name, pid and tid, ns, the
 * parameters or the value that was returned, frames. */
static inline pmapdb_status perf_kit_event(void *ctx, const pm_perf_event *e, pmapdb_error *err)
{
    perf_seen *s = ctx;
    pm_perf_frame frame;
    int frames = 0;

    (void)err;
    assert_true(e->line > s->last_line);
    s->last_line = e->line;
    s->events++;
    pm_buf_addf(&s->text, NULL, "%" PRIu64 " %.*s ", e->line, (int)e->comm.len, e->comm.data);
    if (e->pid == PMAPDB_UNKNOWN)
        pm_buf_addf(&s->text, NULL, "-");
    else
        pm_buf_addf(&s->text, NULL, "%" PRId64, e->pid);
    pm_buf_addf(&s->text, NULL, "/%" PRId64 " %" PRId64 " %s %s", e->tid, e->time_ns,
                e->exit ? "exit" : "enter", pm_call_name(e->kind));
    if (e->exit) {
        assert_int_equal(e->has, 0);
        pm_buf_addf(&s->text, NULL, " %" PRIx64, e->ret);
    } else {
        pm_buf_addf(&s->text, NULL, " ");
        pm_call_words(e->kind, e->has, e->arg, &s->text, NULL);
    }
    for (int i = 0; i < PM_CALL_ARGS; i++)
        assert_true(e->has >> i & 1 || e->arg[i] == 0);
    for (size_t at = 0; pm_perf_next_frame(e->chain, &at, &frame);)
        frames++;
    if (e->chain.len)
        assert_int_equal(e->chain.data[e->chain.len - 1], '\n');
    pm_buf_addf(&s->text, NULL, " chain %d\n", frames);
    return PMAPDB_OK;
}

static inline perf_seen perf_read(pm_text t, size_t step)
{
    perf_seen s = {.status = PMAPDB_OK};
    const pm_perf_counts *counts;
    uint64_t lost;
    pmapdb_error err;
    pm_perf p;

    pm_perf_init(&p, perf_kit_event, &s);
    for (size_t at = 0; at < t.len && s.status == PMAPDB_OK; at += step) {
        size_t n = t.len - at < step ? t.len - at : step;
        char *chunk = malloc(n); /* its own allocation, so the sanitizer sees a read past its end */

        assert_non_null(chunk);
        memcpy(chunk, t.data + at, n);
        s.status = pm_perf_feed(&p, chunk, n, &err);
        free(chunk);
    }
    if (s.status == PMAPDB_OK)
        s.status = pm_perf_finish(&p, &err);
    counts = &p.counts;
    lost =
        counts->lost_records > counts->lost_samples ? counts->lost_records : counts->lost_samples;
    s.seen = counts->seen;
    s.taken = counts->taken;
    s.bad = counts->bad;
    if (s.bad)
        pm_buf_addf(&s.text, NULL, "bad %" PRIu64 "\n", s.bad);
    if (lost)
        pm_buf_addf(&s.text, NULL, "lost %" PRIu64 "\n", lost);
    pm_perf_free(&p);
    assert_int_equal(s.taken, s.events);
    assert_true(s.taken <= s.seen);
    return s;
}

/* Expects the same result for chunks of every size. */
static inline void perf_same(pm_text t, size_t step, const char *expected)
{
    perf_seen s = perf_read(t, step);

    assert_int_equal(s.status, PMAPDB_OK);
    if (!pm_text_equal(pm_buf_text(&s.text), pm_text_of(expected)))
        fail_msg("chunks of %zu bytes give:\n%s---\n%s", step, pm_buf_text(&s.text).data, expected);
    pm_buf_free(&s.text);
}

#endif
