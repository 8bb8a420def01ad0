/* output: rows or text to standard output, or to the file of -o, all or nothing.
 *
 * A file appears whole or not at all: it is written beside its place as FILE.XXXXXX and renamed by
 * pm_output_end(). A place that is no regular file (/dev/null, a FIFO, a terminal) is written
 * directly. The first failure is kept, nothing is written after it, and pm_output_end() ends the
 * program with it. A reader that went away (SIGPIPE must be ignored) is PMAPDB_STOPPED, which is no
 * trouble. */
#ifndef PM_CLI_OUTPUT_H
#define PM_CLI_OUTPUT_H

#include "cli/cli.h"
#include <stdio.h>

typedef struct pm_output {
    const pm_cli *cli;
    pm_cli_out *out;
    pm_sink raw, sink; /* `sink` escapes what could drive a terminal */
    pm_render *render; /* NULL: text */
    pmapdb_error err;  /* the first failure; status PMAPDB_OK before it */
} pm_output;

/* Ends the program where the output cannot be opened. `o` must stay where it is. */
void pm_output_open(pm_output *o, const pm_cli *cli);
/* Begins rows. `about` may be NULL, and lasts as long as the output. */
void pm_output_rows(pm_output *o, const pm_column *columns, int n_columns, const pm_about *about);
void pm_output_row(pm_output *o, const pm_value *values);
/* Completes the rows; text may follow. pm_output_end() does it as well. */
void pm_output_end_rows(pm_output *o);
void pm_output_text(pm_output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What `put` prints with `ctx`, as text: for what is made of many pieces. */
void pm_output_print(pm_output *o, void (*put)(FILE *text, const void *ctx), const void *ctx);
/* The same as one line, in which whatever could drive a terminal is escaped. */
void pm_output_line(pm_output *o, void (*put)(FILE *text, const void *ctx), const void *ctx);

/* Keeps a failure of what was written to o->sink directly. */
void pm_output_check(pm_output *o, pmapdb_status status, const pmapdb_error *err);
bool pm_output_failed(const pm_output *o);

/* Writes what is held back, for somebody who follows the output while it grows. */
void pm_output_flush(pm_output *o);
/* Completes the rows and the file; ends the program at the first failure. */
void pm_output_end(pm_output *o);
/* Closes an output that failed, or whose command did; an old file stays as it was. */
void pm_output_drop(pm_output *o);

#endif
