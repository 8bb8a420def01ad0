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
} pm_rules_cmd;

/* Reads the chosen set. Release it with pm_rules_choice_free(). */
pm_rules_choice pm_rules_cli_chosen(pm_rules_cmd *r);

/* Explains why the mapping at an address has its category. */
void pm_rules_cli_explain(pm_rules_cmd *r);

#endif
