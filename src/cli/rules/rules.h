/* rules: what the parts of pmapdb rules share. */
#ifndef PM_CLI_RULES_H
#define PM_CLI_RULES_H

#include "api/rules.h"
#include "cli/output.h"

typedef struct pm_rules_cmd {
    const pm_cli *cli;
    const char *rules, *application; /* a set's name or its file; a folder; NULL: not given */
    const char *test;                /* a file of mappings and their categories */
    const char *apply, *diff;        /* a set */
    const char *process, *snapshot, *dialect, *address;
    bool explain, export, forget_labels;
    pmapdb_store *store; /* NULL: there is no store */
    size_t mistakes;     /* in the set, which were said */
} pm_rules_cmd;

/* on_note of pmapdb_rules_options, by a pm_rules_cmd. */
void pm_rules_cli_note(void *ctx, bool mistake, const char *note);

/* As pm_cli_must(); the mistakes of a set are not said twice. */
void pm_rules_cli_must(const pm_rules_cmd *r, pmapdb_status st, const pmapdb_error *err);

/* The set that is asked for, read; for pm_rules_choice_free(). */
pm_rules_choice pm_rules_cli_chosen(pm_rules_cmd *r);

/* All rules as rows or in words; the text of the set. */
void pm_rules_cli_list(pm_rules_cmd *r);
void pm_rules_cli_export(pm_rules_cmd *r);
/* Why the mapping at an address has its category. */
void pm_rules_cli_explain(pm_rules_cmd *r);
/* Returns whether every mapping got its category. */
bool pm_rules_cli_try(pm_rules_cmd *r);
void pm_rules_cli_apply(pm_rules_cmd *r);

#endif
