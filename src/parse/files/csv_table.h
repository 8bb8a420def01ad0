/* csv_table: rows of a CSV text whose first line names the columns.
 *
 * Columns are found by their names, in any order; other columns are skipped. A row with more or
 * fewer fields than the first line is reported, and reading continues; a misplaced or unclosed
 * quote ends the reading. Blanks around an unquoted field are ignored. Lines end in LF or CR LF; a
 * byte order mark is skipped.
 */
#ifndef PM_PARSE_CSV_TABLE_H
#define PM_PARSE_CSV_TABLE_H

#include "base/err.h"
#include "base/text.h"
#include <stdint.h>

typedef struct pm_csv_column {
    const char *name;
    bool needed; /* a text without it is refused */
} pm_csv_column;

typedef struct pm_csv_options {
    const char *path; /* for messages */
    const pm_csv_column *columns;
    size_t n_columns;
    bool strict; /* refuses other columns and bytes that are not UTF-8; skips comments: lines
                    that begin with # */
    void *ctx;
    /* field[i] belongs to columns[i] and is valid during the call; its data is NULL if the text has
     * no such column. A status other than OK ends the reading and is passed on. */
    pmapdb_status (*row)(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err);
    /* Reports a row with a wrong number of fields that begins in `line`. */
    pmapdb_status (*bad)(void *ctx, uint64_t line, const char *what, pmapdb_error *err);
} pm_csv_options;

/* Fails with PMAPDB_INPUT and "PATH:LINE: ..." on a wrong first line or quote, and on a row of more
 * than 256 KiB. */
pmapdb_status pm_csv_read(pm_text text, const pm_csv_options *options, pmapdb_error *err);

/* True if the text is an unsigned number of at most 2^53: "4096", "0.5", "1.2e3". */
bool pm_csv_number(pm_text t, double *out);

/* True if the text is a moment: seconds since 1970, with or without a fraction and no later than
 * the year 9999, or a text that pm_clock_parse reads. */
bool pm_csv_moment(pm_text t, int64_t *ms);

#endif
