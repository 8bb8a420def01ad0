/* csv_table: rows of a CSV file whose first line names the columns.
 *
 * The caller pushes the bytes. Columns are found by their names, in any order; other columns are
 * skipped. A row with more or fewer fields than the first line is reported, and reading continues.
 * A misplaced or unclosed quote is reported and ends the reading. Blanks around an unquoted field
 * are ignored. Lines end in LF or CR LF; a byte order mark is skipped.
 */
#ifndef PM_PARSE_CSV_TABLE_H
#define PM_PARSE_CSV_TABLE_H

#include "base/err.h"
#include "base/text.h"
#include <stdint.h>

typedef struct pm_csv_column {
    const char *name;
    bool needed; /* a file without it is refused */
} pm_csv_column;

typedef struct pm_csv_options {
    const char *path; /* for messages about the first line */
    const pm_csv_column *columns;
    size_t n_columns;
    void *ctx;
    /* field[i] belongs to columns[i] and is valid during the call; its data is NULL if the file has
     * no such column. A status other than OK ends the reading and is passed on. */
    pmapdb_status (*row)(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err);
    /* Reports a bad row that begins in `line`. */
    pmapdb_status (*bad)(void *ctx, uint64_t line, const char *what, pmapdb_error *err);
} pm_csv_options;

typedef struct pm_csv pm_csv;

/* path and columns must outlive the reader. */
pmapdb_status pm_csv_new(const pm_csv_options *options, pm_csv **out, pmapdb_error *err);
pmapdb_status pm_csv_feed(pm_csv *csv, const char *bytes, size_t n, pmapdb_error *err);
/* Fails if the file had no first line. */
pmapdb_status pm_csv_finish(pm_csv *csv, pmapdb_error *err);
void pm_csv_free(pm_csv *csv);

/* True if the text is an unsigned number of at most 2^53: "4096", "0.5", "1.2e3". */
bool pm_csv_number(pm_text t, double *out);

/* True if the text is a moment: seconds since 1970, with or without a fraction and no later than
 * the year 9999, or a text that pm_clock_parse reads. */
bool pm_csv_moment(pm_text t, int64_t *ms);

#endif
