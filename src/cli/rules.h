/* rules: what the parts of pmapdb rules share. */
#ifndef PM_CLI_RULES_H
#define PM_CLI_RULES_H

#include "cli/cli.h"

typedef struct pm_rules_cli {
    const pm_cli *cli;
    const char *rules, *application; /* a set's name or its file; a folder; NULL: not given */
    const char *test;                /* a file of mappings and their categories */
    const char *process, *snapshot, *dialect, *address;
    bool explain, export;
    bool apply, dry_run, forget_labels;
    pmapdb_store *store; /* NULL: there is none */
    size_t mistakes;
} pm_rules_cli;

/* on_note of pmapdb_rules_options, by a pm_rules_cli. */
void pm_rules_cli_note(void *ctx, bool mistake, const char *note);
/* The exit code of what failed; what is wrong with a set was said already. */
int pm_rules_cli_fail(const pm_rules_cli *r, pmapdb_status st, const pmapdb_error *err);

/* All rules, as rows or in words; the text of the set. */
int pm_rules_cli_list(pm_rules_cli *r);
int pm_rules_cli_export(pm_rules_cli *r);
/* Why the mapping at an address has its category. */
int pm_rules_cli_explain(pm_rules_cli *r);
int pm_rules_cli_test(pm_rules_cli *r);
int pm_rules_cli_apply(pm_rules_cli *r);

#endif
