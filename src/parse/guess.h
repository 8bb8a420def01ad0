/* guess: what a line can be, from its shape alone and never from the command that a prompt shows.
 */
#ifndef PM_PARSE_GUESS_H
#define PM_PARSE_GUESS_H

#include "base/text.h"
#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Addresses are at least 8 digits in every tool and never more than 16. */
#define PM_ADDRESS_MIN 8
#define PM_ADDRESS_MAX 16

typedef enum pm_line_kind {
    PM_LINE_OTHER,
    PM_LINE_BLANK,
    PM_LINE_RANGE,  /* begins like a row of maps or smaps */
    PM_LINE_NARROW, /* ... of pmap, -x, -d */
    PM_LINE_WIDE,   /* ... of pmap -X, -XX */
    PM_LINE_BROKEN, /* begins with an address and goes on otherwise */
    PM_LINE_PID,    /* "PID:   command" */
    PM_LINE_COLUMNS,
    PM_LINE_RULE,  /* the rule above the sums: dashes of -x, '=' of -X and -XX */
    PM_LINE_DENIED /* "cat: /proc/PID/smaps: Permission denied" */
} pm_line_kind;

pm_line_kind pm_guess(pm_text line);

/* The parts of a PM_LINE_PID line; `tentative` where it is not laid out as procps does. *pid is
 * PMAPDB_UNKNOWN where a word stands in its place. */
bool pm_guess_pid(pm_text line, int64_t *pid, pm_text *command, bool *tentative);

/* The pid in a PM_LINE_DENIED line and what the system said. */
const char *pm_guess_denied(pm_text line, int64_t *pid);

/* A blank-separated word of the line. */
bool pm_guess_has_word(pm_text line, const char *word);
/* The next word from *at on; false at the end. */
bool pm_guess_word(pm_text line, size_t *at, pm_text *word);

/* Permissions at p: 4 characters as the kernel prints them (rw-p), 5 as pmap does (rw---, rw-s-);
 * returns how many, 0 for none. `out` gets them as the kernel prints them. */
size_t pm_guess_perms(const char *p, const char *end, char out[5]);

/* Columns are wide and numbers short: eight bytes at once. */
static inline const char *pm_skip_blanks(const char *p, const char *end)
{
    const uint64_t blanks = UINT64_C(0x2020202020202020);
    uint64_t v;

    for (; end - p >= 8; p += 8) {
        memcpy(&v, p, sizeof v);
        v = le64toh(v ^ blanks); /* the first byte is the lowest */
        if (v)
            return p + (__builtin_ctzll(v) >> 3);
    }
    while (p < end && *p == ' ')
        p++;
    return p;
}

#endif
