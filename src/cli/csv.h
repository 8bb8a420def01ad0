/* csv: the rows of a CSV file as JSON, for a query about them. */
#ifndef PM_CLI_CSV_H
#define PM_CLI_CSV_H

#include "base/buf.h"

typedef enum pm_csv_kind {
    PM_CSV_TEXT,
    PM_CSV_NUMBER,
    PM_CSV_MS,   /* a moment, as ms since 1970 */
    PM_CSV_TIME, /* a moment, as ISO text */
} pm_csv_kind;

typedef struct pm_csv_field {
    const char *name;
    pm_csv_kind kind;
    bool needed;       /* a file without the column is refused */
    bool filled;       /* a row without a value is bad */
    const char *wants; /* for the message about a bad value: "a number"; NULL: by the kind */
} pm_csv_field;

typedef struct pm_csv_file {
    const char *path;
    const pm_csv_field *field;
    size_t n_fields;
    bool lenient; /* reports bad rows and leaves them out; else the first one ends the program */
    bool ordered; /* a row whose moment (the first field) is before that of the row above is bad */
    /* Set by pm_csv_json(): */
    size_t n, n_bad;
    pm_buf *json;
    int64_t last_ms;
} pm_csv_file;

/* Adds the rows to `json`: a list of objects with the names of the fields; a field without a value
 * is absent. Ends the program if the file cannot be read. */
void pm_csv_json(pm_csv_file *file, pm_buf *json);

#endif
