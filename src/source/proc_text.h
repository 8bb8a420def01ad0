/* proc_text: reads the small files of /proc and cuts them into lines and words. */
#ifndef PM_SOURCE_PROC_TEXT_H
#define PM_SOURCE_PROC_TEXT_H

#include "base/buf.h"
#include "base/num.h"

/* Adds at most `max` bytes of the file `name` below `dir` to `out`. Returns 0 or an errno. Bytes
 * read before a failure stay. */
int pm_proc_slurp(int dir, const char *name, size_t max, pm_buf *out);

/* Reads a file that is always short with one read(2); false if the file is empty or cannot be read.
 */
bool pm_proc_peek(int dir, const char *name, char *block, size_t size, pm_text *out);

/* Cuts the next word off the text, including the blanks and tabs before it. */
static inline pm_text pm_proc_word(pm_text *t)
{
    return pm_text_word(t, " \t\n");
}

/* Returns the number after `key`, such as "VmRSS:"; PMAPDB_UNKNOWN if the text lacks the number. */
static inline int64_t pm_proc_number(pm_text text, const char *key)
{
    text = pm_text_after(text, key);
    return pm_num_signed(pm_proc_word(&text));
}

/* Reads a file with one number; PMAPDB_UNKNOWN if the file cannot be read. */
int64_t pm_proc_number_in(int dir, const char *name);

/* Converts a limit in bytes to KiB; PM_NO_LIMIT for "max", "unlimited" and the largest count of
 * pages. */
int64_t pm_proc_limit_kib(pm_text word);

/* Returns the number after `key`, such as "avg10=", in a line of pressure: "some avg10=0.00
 * avg60=1.25 avg300=0.04 total=4711". A percentage counts as hundredths. */
int64_t pm_proc_average(pm_text line, const char *key);

#endif
