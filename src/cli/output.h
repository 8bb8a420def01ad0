/* output: rows or text to standard output, or to the file of -o, all or nothing.
 *
 * The first failure is kept, nothing is written after it, and pm_output_end() ends the program with
 * it. A reader that went away is PMAPDB_STOPPED, which is no trouble. */
#ifndef PM_CLI_OUTPUT_H
#define PM_CLI_OUTPUT_H

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/output_file.h"
#include "render/flow.h"

typedef struct pm_output {
    const pm_cli *cli;
    pm_output_file file;
    FILE *text;        /* of `file` */
    pm_sink sink;      /* writes to `text` */
    pm_render *render; /* NULL: text */
} pm_output;

/* Ends the program where the output cannot be opened. `o` must stay where it is. */
void pm_output_open(pm_output *o, const pm_cli *cli);

/* Begins rows. `about` may be NULL, and lasts as long as the output. */
void pm_output_rows(pm_output *o, const pm_column *columns, int n_columns, const pm_about *about);
void pm_output_row(pm_output *o, const pm_value *values);
/* A row below all others, like their total. */
void pm_output_total(pm_output *o, const pm_value *values);
/* A column whose values are at that place of a C struct, as its unit has it: a text or category is
 * const char *, a bool bool, a time int64_t in ms; all others are 64-bit integers. */
typedef struct pm_member {
    pm_column column;
    size_t at;
} pm_member;

/* `time` is for the text of a time, and lasts as long as the value. */
pm_value pm_member_value(const pm_member *field, const void *row, char time[PM_CLOCK_TEXT]);
void pm_output_fields(pm_output *o, const pm_member *fields, int n);
void pm_output_struct(pm_output *o, const pm_member *fields, int n, const void *row);

/* Completes the rows; text may follow. pm_output_end() does it as well. */
void pm_output_end_rows(pm_output *o);

void pm_output_text(pm_output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line in which all that could drive a terminal is escaped. */
void pm_output_line(pm_output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lines of words, as wide as the terminal; a failure is kept as that of the output. */
pm_flow pm_output_flow(pm_output *o);

/* Keeps a failure of what was written to o->sink directly. */
void pm_output_check(pm_output *o, pmapdb_status status, const pmapdb_error *err);
bool pm_output_failed(const pm_output *o);

/* Writes what is held back, for somebody who follows the output while it grows. */
void pm_output_flush(pm_output *o);
/* Completes the rows and the file; ends the program at the first failure. */
void pm_output_end(pm_output *o);
/* Closes an output that failed, or whose command did; an old file stays as it was. */
void pm_output_drop(pm_output *o);

/* Ends the program where -o is one of these files (NULL: none), which the command `does`: "reads",
 * "makes". */
void pm_output_keep_apart(const pm_cli *cli, const char *const *paths, size_t n, const char *does);

#endif
