/* guess: classifies a line by its shape alone, never by the command that a prompt shows. */
#ifndef PM_PARSE_GUESS_H
#define PM_PARSE_GUESS_H

#include "base/text.h"
#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Every tool prints addresses of 8 to 16 digits. */
#define PM_ADDRESS_MIN 8
#define PM_ADDRESS_MAX 16

#define PM_BLANKS " \t" /* between words */

/* PID_MAX_LIMIT of Linux; a larger number is a moment in Unix seconds. */
#define PM_PID_MAX 4194304

typedef enum pm_line_kind {
    PM_LINE_OTHER,
    PM_LINE_BLANK,
    PM_LINE_RANGE,  /* begins like a row of maps or smaps */
    PM_LINE_NARROW, /* begins like a row of pmap, -x, -d */
    PM_LINE_WIDE,   /* begins like a row of pmap -X, -XX */
    PM_LINE_BROKEN, /* begins with an address but is not a row */
    PM_LINE_PID,    /* "PID:   command" */
    PM_LINE_COLUMNS,
    PM_LINE_RULE,  /* the rule above the sums: dashes of -x, '=' of -X and -XX */
    PM_LINE_DENIED /* "cat: /proc/PID/smaps: Permission denied" */
} pm_line_kind;

pm_line_kind pm_guess(pm_text line);

/* Reads the parts of a PM_LINE_PID line. *tentative is true if the layout is not that of procps.
 * *pid is PMAPDB_UNKNOWN if a word stands in place of the pid. */
bool pm_guess_pid(pm_text line, int64_t *pid, pm_text *command, bool *tentative);

/* Returns why the system refused, in our words ("permission denied", "the process is gone"); NULL
 * for any other line. *pid is the pid in the path, or PMAPDB_UNKNOWN if the path has none. */
const char *pm_guess_denied(pm_text line, int64_t *pid);

/* Reads permissions at p: 4 characters as the kernel prints them (rw-p) or 5 as pmap prints them
 * (rw---, rw-s-). Returns the number of characters, 0 without permissions. `out` gets the form of
 * the kernel. */
size_t pm_guess_perms(const char *p, const char *end, char out[5]);

/* True if two characters of VmFlags are at `at`, and a blank or the end after them. */
bool pm_guess_is_flag(pm_text line, size_t at);

/* True if one of the first `words` words is permissions: then the text is a row or a part of one.
 */
bool pm_guess_has_perms(pm_text t, int words);

/* Skips eight bytes at once, because columns are wide and numbers short. */
static inline const char *pm_skip_blanks(const char *p, const char *end)
{
    const uint64_t blanks = UINT64_C(0x2020202020202020);
    uint64_t v;

    for (; end - p >= 8; p += 8) {
        memcpy(&v, p, sizeof v);
        v = le64toh(v ^ blanks); /* the first byte is the lowest byte */
        if (v)
            return p + (__builtin_ctzll(v) >> 3);
    }
    while (p < end && *p == ' ')
        p++;
    return p;
}

#endif
