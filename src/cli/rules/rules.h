/* rules: shared by the parts of pmapdb rules. */
#ifndef PM_CLI_RULES_H
#define PM_CLI_RULES_H

#include "api/rules.h"
#include "cli/output.h"

typedef struct pm_rules_cmd {
    const pm_cli *cli;
    const char *rules, *apply, *diff; /* name or file of a set; NULL: not given */
    const char *process, *snapshot, *dialect, *address;
    bool export, forget_labels;
    pmapdb_store *store; /* NULL: there is no store */
    size_t mistakes;     /* mistakes in the set that were printed */
} pm_rules_cmd;

/* Prints a note or mistake; the on_note of pmapdb_rules_options. ctx is a pm_rules_cmd. */
void pm_rules_cli_note(void *ctx, bool mistake, const char *note);

/* Like pm_cli_must(), but does not repeat the mistakes of a set. */
void pm_rules_cli_must(const pm_rules_cmd *r, pmapdb_status st, const pmapdb_error *err);

/* Reads the chosen set. Release it with pm_rules_choice_free(). */
pm_rules_choice pm_rules_cli_chosen(pm_rules_cmd *r);

/* Explains why the mapping at an address has its category. */
void pm_rules_cli_explain(pm_rules_cmd *r);
void pm_rules_cli_apply(pm_rules_cmd *r);

#endif
