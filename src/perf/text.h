/* text: the text of `perf script`, for the five calls that make and end mappings: mmap, munmap,
 * brk, mremap, mprotect. Pure and push-fed: bytes in, events out, in pieces of any size.
 *
 *     COMM [PID/]TID [CPU] SECONDS.FRACTION: [PERIOD] syscalls:sys_enter_brk: brk: 0x..
 *             ADDRESS SYMBOL+0xOFFSET (DSO)
 *             ADDRESS SYMBOL+0xOFFSET (inlined)
 *
 * Reads the default output of `perf script`, with --ns, --header and --show-lost-events, and with
 * -F that adds (+pid, +misc, +tod, +period, +flags, +srcline) or removes (-comm, -cpu, -ip, -sym,
 * -dso, -symoff) fields. Time, thread, event and trace must be present. With any -F, perf prints
 * chains only if -F names their fields too: -F +pid,+ip,+sym,+symoff,+dso. Does not read
 * --deltatime (such times have no order, and the text does not say so), -D, the output of
 * `perf trace`, raw_syscalls.
 *
 * COMM and SYMBOL may contain blanks, colons and parentheses. Other events (raw_syscalls, sched...)
 * are skipped with their chains, and the kernel's frames are skipped too. The reader keeps one
 * event in memory; an event of more than PM_PERF_EVENT_MAX bytes is bad. */
#ifndef PM_PERF_TEXT_H
#define PM_PERF_TEXT_H

#include "base/line.h"
#include "perf/call.h"

#define PM_PERF_EVENT_MAX ((size_t)1 << 20)

typedef struct pm_perf_event {
    uint64_t line; /* number of the first line, from 1 */
    pm_text comm;  /* without the blanks at both ends, with which perf aligns columns */
    int64_t pid;   /* PMAPDB_UNKNOWN: the text names the thread only */
    int64_t tid;
    int64_t time_ns; /* perf's clock: CLOCK_MONOTONIC after perf record -k CLOCK_MONOTONIC, else the
                        kernel's own clock, which no time service corrects: 15 ms of drift a day
                        were measured */
    pm_call_kind kind;
    bool exit;                  /* false: enter */
    uint64_t arg[PM_CALL_ARGS]; /* enter: the arguments in the kernel's order; 0 if missing */
    unsigned has;  /* bit i: the text has arg[i]; the first address and the lengths always */
    uint64_t ret;  /* exit: the returned value */
    pm_text chain; /* the lines of the chain, or empty; for pm_perf_next_frame */
} pm_perf_event;

/* Counts of the text that was read so far. */
typedef struct pm_perf_counts {
    uint64_t seen;  /* events of any kind */
    uint64_t taken; /* that were handed out */
    uint64_t bad;   /* lines that begin like one of the five calls and cannot be read, or are cut
                       off, or too long: the event is skipped with its chain */
    uint64_t lost_records, lost_samples; /* PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES; each reports
                                            every lost event, which perf script
                                            --show-lost-events prints */
} pm_perf_counts;

/* Texts are valid during the call. */
typedef pmapdb_status (*pm_perf_fn)(void *ctx, const pm_perf_event *event, pmapdb_error *err);

typedef struct pm_perf {
    pm_perf_fn on_event;
    void *ctx;
    pm_lines lines;
    uint64_t line; /* number of the last line */
    pm_perf_counts counts;
    bool in_call;        /* the lines belong to an event of the five calls */
    pm_perf_event event; /* if in_call: the open event without its texts */
    pm_buf text;         /* if in_call: comm, followed by the chain */
    size_t comm_len;
} pm_perf;

/* The reader must not move until pm_perf_free. */
void pm_perf_init(pm_perf *p, pm_perf_fn on_event, void *ctx);
void pm_perf_free(pm_perf *p);
pmapdb_status pm_perf_feed(pm_perf *p, const char *bytes, size_t n, pmapdb_error *err);
/* Ends the input. A last line without a newline may be cut off: an event in it is bad, a frame
 * counts if it ends in a parenthesis. */
pmapdb_status pm_perf_finish(pm_perf *p, pmapdb_error *err);

/* One frame of a chain; texts point into it. */
typedef struct pm_perf_frame {
    uint64_t address; /* as printed: relative to the dso; absolute if the dso is unknown */
    pm_text symbol;   /* empty: [unknown] */
    uint64_t offset;  /* from the start of the symbol; 0 if the text has no offset */
    pm_text dso;      /* empty: [unknown], or an inlined frame */
    bool inlined;
} pm_perf_frame;

/* Reads the next frame of a chain, callee first; false at the end. *at starts at 0. Skips frames of
 * the kernel and lines that are not frames. */
bool pm_perf_next_frame(pm_text chain, size_t *at, pm_perf_frame *out);

/* True for blanks, an address, and then a blank or the end. Ask only if the line is not an event.
 */
bool pm_perf_is_frame(pm_text line);

#endif
