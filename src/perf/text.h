/* text: the text of `perf script`, for the five calls that make and end mappings: mmap, munmap,
 * brk, mremap, mprotect. Pure and push-fed: bytes in, events out, in pieces of any size.
 *
 *     COMM [PID/]TID [CPU] SECONDS.FRACTION: [PERIOD] syscalls:sys_enter_mmap: addr: 0x.., len:
 * 0x.. ADDRESS SYMBOL+0xOFFSET (DSO) ADDRESS SYMBOL+0xOFFSET (inlined)
 *
 * What `perf script` prints by itself, with --ns, --header and --show-lost-events, and with -F that
 * adds (+pid, +misc, +tod, +period, +flags, +srcline) or takes away (-comm, -cpu, -ip, -sym, -dso,
 * -symoff). Time, thread, event and trace must be there. With any -F at all, perf prints chains
 * only where it names them too: -F +pid,+ip,+sym,+symoff,+dso. Not read: --deltatime (such times
 * have no order, and nothing tells them), -D, what `perf trace` prints, raw_syscalls.
 *
 * COMM and SYMBOL may have blanks, colons and parentheses. Other events (raw_syscalls, sched...)
 * are skipped with their chains, and so are the kernel's frames. Memory is that of one event; an
 * event of more than PM_PERF_EVENT_MAX bytes is bad. */
#ifndef PM_PERF_TEXT_H
#define PM_PERF_TEXT_H

#include "perf/call.h"

#define PM_PERF_EVENT_MAX ((size_t)1 << 20)

typedef struct pm_perf_event {
    uint64_t line; /* of its first line, from 1 */
    pm_text comm;  /* without blanks at its ends, which are perf's columns too */
    int64_t pid;   /* PMAPDB_UNKNOWN: the text has the thread alone */
    int64_t tid;
    int64_t time_ns; /* perf's clock: CLOCK_MONOTONIC after perf record -k CLOCK_MONOTONIC, else the
                        kernel's own, which nobody corrects: 15 ms a day away from it were seen */
    pm_call_kind kind;
    bool exit;                  /* else enter */
    uint64_t arg[PM_CALL_ARGS]; /* of an enter, in the kernel's order; what is missing is 0 */
    unsigned has;               /* bits of those that the text has: addresses and lengths always */
    uint64_t ret;               /* of an exit */
    pm_text chain;              /* its lines, or empty; for pm_perf_next_frame */
} pm_perf_event;

/* Texts last for the call. NULL where nobody wants to know. */
typedef struct pm_perf_events {
    void *ctx;
    pmapdb_status (*event)(void *ctx, const pm_perf_event *event, pmapdb_error *err);
    /* The text says that n events, or more, were lost; once, at the end. It says so by
     * PERF_RECORD_LOST (perf script --show-lost-events), or where perf's warnings are in it (2>&1).
     * They tell of the same events in several ways: n is the largest. */
    pmapdb_status (*lost)(void *ctx, uint64_t n, pmapdb_error *err);
    /* What begins like one of the five calls and cannot be read, or is cut off; or a line too long
     * to be any. Skipped, with its chain. */
    pmapdb_status (*bad)(void *ctx, uint64_t line, const char *why, pmapdb_error *err);
} pm_perf_events;

typedef struct pm_perf pm_perf;

pmapdb_status pm_perf_new(const pm_perf_events *events, pm_perf **out, pmapdb_error *err);
void pm_perf_free(pm_perf *p);
pmapdb_status pm_perf_feed(pm_perf *p, const char *bytes, size_t n, pmapdb_error *err);
/* The end of the input. Of a last line without its newline nobody knows whether it is whole: an
 * event is bad then, a frame is taken where it ends in a parenthesis. */
pmapdb_status pm_perf_finish(pm_perf *p, pmapdb_error *err);
/* Events of whatever kind, and those of the five calls that were handed out, so far. */
uint64_t pm_perf_seen(const pm_perf *p);
uint64_t pm_perf_taken(const pm_perf *p);

/* One frame of a chain; texts point into it. */
typedef struct pm_perf_frame {
    uint64_t address; /* as printed: within the dso; absolute where that is unknown */
    pm_text symbol;   /* empty: [unknown] */
    uint64_t offset;  /* from the symbol's start; 0 if none is printed */
    pm_text dso;      /* empty: [unknown], or inlined */
    bool inlined;
} pm_perf_frame;

/* The next frame of a chain that is not the kernel's, callee first; false at its end. *at is 0 at
 * first. Lines that are not frames are skipped. */
bool pm_perf_next_frame(pm_text chain, size_t *at, pm_perf_frame *out);

#endif
