/* output: rows or text to standard output, or to the file of -o, all or nothing.
 *
 * The first failure is kept; nothing is written after it, and pm_output_end() ends the program with
 * it. If the reader has gone, the failure is PMAPDB_STOPPED, which is not an error for the user. */
#ifndef PM_CLI_OUTPUT_H
#define PM_CLI_OUTPUT_H

#include "base/clock/clock.h"
#include "cli/cli.h"
#include "cli/output_file.h"
#include "render/flow.h"

typedef struct pm_output {
    const pm_cli *cli;
    pm_output_file file;
    FILE *text;        /* of `file`: for text that is written as it is */
    pm_sink sink;      /* writes to `text` */
    pm_render *render; /* NULL: text */
} pm_output;

/* Ends the program if the output cannot be opened. `o` must not move. */
void pm_output_open(pm_output *o, const pm_cli *cli);

/* Opens an output whose lines and rows are added to a buffer; pm_output_end() is not needed. */
void pm_output_into(pm_output *o, const pm_cli *cli, pm_buf *lines);

/* Begins rows. `about` may be NULL, and must stay valid as long as the output. */
void pm_output_rows(pm_output *o, const pm_column *columns, int n_columns, const pm_about *about);
void pm_output_row(pm_output *o, const pm_value *values);
/* Writes a row below all others, such as their total. */
void pm_output_total(pm_output *o, const pm_value *values);
/* A column whose values are at the offset `at` of a C struct. The unit gives the C type: a pointer
 * to a C string for texts and categories, bool for bools, int64_t in ms for times, 64-bit integers
 * for all others. */
typedef struct pm_member {
    pm_column column;
    size_t at;
} pm_member;

/* `time` holds the text of a time, and must stay valid as long as the value. */
pm_value pm_member_value(const pm_member *field, const void *row, char time[PM_CLOCK_TEXT]);
void pm_output_fields(pm_output *o, const pm_member *fields, int n);
void pm_output_struct(pm_output *o, const pm_member *fields, int n, const void *row);

/* Completes the rows; text may follow. pm_output_end() also completes them. */
void pm_output_end_rows(pm_output *o);

/* Writes a line; escapes all bytes that could control a terminal. */
void pm_output_line(pm_output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes words, wrapped at the width of the terminal. */
void pm_output_words(pm_output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns a flow that wraps words at the width of the terminal. The output keeps its failures. */
pm_flow pm_output_flow(pm_output *o);

/* Keeps the failure of a query, or of writing directly to o->sink. */
void pm_output_check(pm_output *o, pmapdb_status status, const pmapdb_error *err);

static inline bool pm_output_failed(const pm_output *o)
{
    return o->file.failure.status != PMAPDB_OK;
}

/* Writes buffered text, for users who watch the output while it grows. */
void pm_output_flush(pm_output *o);
/* Completes the rows and the file; ends the program if anything failed. */
void pm_output_end(pm_output *o);
/* Closes an output that failed, or whose command failed; an old file is not changed. */
void pm_output_drop(pm_output *o);

/* Ends the program if -o is one of these files (NULL: skipped). `does` says what the command does
 * with the file: "reads", "makes". */
void pm_output_keep_apart(const pm_cli *cli, const char *const *paths, size_t n, const char *does);

#endif
