/* line: the kind of one line of `perf script`. Private to src/perf. */
#ifndef PM_PERF_LINE_H
#define PM_PERF_LINE_H

#include "perf/text.h"

typedef enum pm_perf_kind {
    PM_PERF_CALL,  /* the first line of an event of one of the five calls */
    PM_PERF_BAD,   /* such a line that cannot be read */
    PM_PERF_OTHER, /* the first line of any other event */
    PM_PERF_LOST,  /* perf reports lost events */
    PM_PERF_FRAME, /* a frame in the chain of the event above */
    PM_PERF_JUNK   /* a comment, a warning, a line of source code... */
} pm_perf_kind;

/* The ways in which perf reports lost events. Each way reports every lost event; the first two add
 * up over several lines. */
typedef enum pm_perf_loss {
    PM_PERF_LOSS_RECORDS, /* PERF_RECORD_LOST: the ring was full */
    PM_PERF_LOSS_SAMPLES, /* PERF_RECORD_LOST_SAMPLES: counted per event */
    PM_PERF_LOSS_WARNING, /* the summary at the end of perf */
    PM_PERF_LOSS_COUNT
} pm_perf_loss;

typedef struct pm_perf_line {
    pm_perf_kind kind;
    pm_perf_event event; /* CALL: filled except line and chain; comm points into the line */
    pm_text frame;       /* CALL: a frame after the parameters, or empty */
    const char *why;     /* BAD: the reason */
    pm_perf_loss loss;   /* LOST: the way, and the number of events */
    uint64_t lost;
} pm_perf_line;

static inline bool pm_perf_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Reads a line that is not blank, without its line end. */
void pm_perf_read_line(pm_text line, pm_perf_line *out);

/* True for blanks, an address, and then a blank or the end. Ask only if the line is not an event.
 */
bool pm_perf_is_frame(pm_text line);

#endif
