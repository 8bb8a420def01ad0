/* line: what one line of `perf script` is. Inside of perf alone. */
#ifndef PM_PERF_LINE_H
#define PM_PERF_LINE_H

#include "perf/text.h"

typedef enum pm_perf_kind {
    PM_PERF_CALL,  /* begins an event of the five calls */
    PM_PERF_BAD,   /* the same, and cannot be read */
    PM_PERF_OTHER, /* begins another event */
    PM_PERF_LOST,  /* perf says that events were lost */
    PM_PERF_FRAME, /* of the chain of the event above */
    PM_PERF_JUNK   /* a comment, a warning, a line of source code... */
} pm_perf_kind;

/* How perf says that events were lost. Each tells of all of them; the first two in parts. */
typedef enum pm_perf_loss {
    PM_PERF_LOSS_RECORDS, /* PERF_RECORD_LOST: the ring was full */
    PM_PERF_LOSS_SAMPLES, /* PERF_RECORD_LOST_SAMPLES: the same, counted by event */
    PM_PERF_LOSS_WARNING, /* what perf says of the whole at its end */
    PM_PERF_LOSS_COUNT
} pm_perf_loss;

typedef struct pm_perf_line {
    pm_perf_kind kind;
    pm_perf_event event; /* CALL: all but line and chain; comm points into the line */
    pm_text frame;       /* CALL: a frame after the parameters, or empty */
    const char *why;     /* BAD */
    pm_perf_loss loss;   /* LOST: by what it is said, and how many */
    uint64_t lost;
} pm_perf_line;

static inline bool pm_perf_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A line that is not blank, without its end. */
void pm_perf_read_line(pm_text line, pm_perf_line *out);

/* Blanks, an address, and then nothing or a blank: of the chain, unless it is known to be an event.
 */
bool pm_perf_is_frame(pm_text line);

#endif
