/* rules_csv: reads CSV files of rules in full and reports all mistakes.
 *
 * Strict: only known columns, UTF-8, no NUL. A line that begins with # is a comment wherever a row
 * could begin. */
#ifndef PM_STORE_RULES_CSV_H
#define PM_STORE_RULES_CSV_H

#include "base/buf.h"
#include "parse/csv_table.h"

#define PM_RULES_FILE_MAX (1 << 20)
#define PM_RULES_MISTAKES_SHOWN 20

/* Messages about a file: lines, each ended by '\n'. Zero it before use, free it with
 * pm_rules_report_free. */
typedef struct pm_rules_report {
    pm_buf mistakes; /* "FILE:LINE: reason", the first 20 */
    pm_buf warnings; /* warnings, in the same form */
    size_t n_mistakes;
} pm_rules_report;

typedef struct pm_rules_csv {
    const char *label; /* the FILE of messages */
    pm_text text;
    const pm_csv_column *columns;
    size_t n_columns;
    void *ctx;
    /* As in pm_csv. Returns PMAPDB_INPUT, with only a reason, for a mistake in this row. */
    pmapdb_status (*row)(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err);
} pm_rules_csv;

/* Reads a file. Returns PMAPDB_INPUT if it has a mistake: err has the first one. */
pmapdb_status pm_rules_csv_read(const pm_rules_csv *csv, pm_rules_report *report,
                                pmapdb_error *err);

/* Adds a mistake in a line; line 0: in the whole file. */
pmapdb_status pm_rules_mistake(pm_rules_report *report, const char *label, uint64_t line,
                               const char *why, pmapdb_error *err);
/* Ends a reading: returns PMAPDB_OK if there was no mistake. */
pmapdb_status pm_rules_verdict(pm_rules_report *report, const char *label, pmapdb_error *err);

void pm_rules_report_free(pm_rules_report *report);

#endif
