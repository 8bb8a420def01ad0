/* csv_table: rows of a CSV file whose first line names the columns.
 *
 * Push-fed. Columns are found by their names, in any order; other columns are skipped. A row with
 * more or fewer fields than the first line is reported, and reading goes on. A quote in the wrong
 * place, or one that is never closed, is reported too, and ends the reading. Blanks around a field
 * that is not quoted do not count. Lines end in LF or CR LF; a byte order mark is passed over.
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
    /* field[i] is that of columns[i], and lasts as long as the call; its data is NULL if the file
     * has no such column. A status other than OK ends the reading and is passed on. */
    pmapdb_status (*row)(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err);
    /* A bad row that begins in `line`. */
    pmapdb_status (*bad)(void *ctx, uint64_t line, const char *what, pmapdb_error *err);
} pm_csv_options;

typedef struct pm_csv pm_csv;

/* path and columns must outlive the reader. */
pmapdb_status pm_csv_new(const pm_csv_options *options, pm_csv **out, pmapdb_error *err);
pmapdb_status pm_csv_feed(pm_csv *csv, const char *bytes, size_t n, pmapdb_error *err);
/* Fails if there was no first line. */
pmapdb_status pm_csv_finish(pm_csv *csv, pmapdb_error *err);
void pm_csv_free(pm_csv *csv);

/* The whole text is a number without sign and of at most 2^53: "4096", "0.5", "1.2e3". */
bool pm_csv_number(pm_text t, double *out);

/* The whole text is a moment: seconds since 1970, whole or with a fraction and no later than the
 * year 9999, or as pm_clock_parse reads it. */
bool pm_csv_moment(pm_text t, int64_t *ms);

#endif
