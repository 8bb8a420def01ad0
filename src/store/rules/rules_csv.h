/* rules_csv: CSV files of rules: read whole, with all mistakes told.
 *
 * Strict: no column but those that are known, UTF-8, no NUL. A line that begins with # is a comment
 * wherever a row could begin. */
#ifndef PM_STORE_RULES_CSV_H
#define PM_STORE_RULES_CSV_H

#include "base/buf.h"
#include "parse/csv_table.h"

#define PM_RULES_FILE_MAX (1 << 20)
#define PM_RULES_MISTAKES_SHOWN 20

/* What there is to say of a file: lines, each ended by '\n'. Zeroed before, freed by pm_buf_free
 * after use. */
typedef struct pm_rules_report {
    pm_buf mistakes; /* "FILE:LINE: reason", the first 20 */
    pm_buf warnings; /* the same, of what is allowed */
    size_t n_mistakes;
} pm_rules_report;

typedef struct pm_rules_csv {
    const char *label; /* the FILE of messages */
    pm_text text;
    const pm_csv_column *columns;
    size_t n_columns;
    void *ctx;
    /* As of a pm_csv; PMAPDB_INPUT with a reason alone is a mistake in this row. */
    pmapdb_status (*row)(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err);
} pm_rules_csv;

/* PMAPDB_INPUT where there is a mistake: err has the first one. */
pmapdb_status pm_rules_csv_read(const pm_rules_csv *csv, pm_rules_report *report,
                                pmapdb_error *err);

/* Adds a mistake of a line; line 0: of the whole file. */
pmapdb_status pm_rules_mistake(pm_rules_report *report, const char *label, uint64_t line,
                               const char *why, pmapdb_error *err);
/* The end of a reading: PMAPDB_OK where there was no mistake. */
pmapdb_status pm_rules_verdict(pm_rules_report *report, const char *label, pmapdb_error *err);

void pm_rules_report_free(pm_rules_report *report);

#endif
