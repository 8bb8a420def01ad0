/* rules: a set of rules by what a user calls it: the store's, one that is built in, a file. */
#ifndef PM_API_RULES_H
#define PM_API_RULES_H

#include "store/file/store.h"
#include "store/rules/rule_set.h"
#include "store/rules/rules_csv.h"

/* Zeroed before. */
typedef struct pm_rules_choice {
    pm_rule_text text;
    bool stored;     /* what the lineages of the store say is of this set */
    pm_rules *rules; /* once it was read */
} pm_rules_choice;

/* wanted NULL: the store's, and without a store (NULL) what is built in as default. application
 * NULL: what the store's was applied with; of another set /app. */
pmapdb_status pm_rules_choose(pmapdb_store *store, const char *wanted, const char *application,
                              pm_rules_choice *out, pmapdb_error *err);

/* With a mistake there are no rules and PMAPDB_INPUT: err has the first. What there is to say goes
 * to on_note, as of pmapdb_rules_options. */
pmapdb_status pm_rules_choice_read(pm_rules_choice *c,
                                   void (*on_note)(void *ctx, bool mistake, const char *note),
                                   void *ctx, pmapdb_error *err);
void pm_rules_choice_free(pm_rules_choice *c);

/* What is to be said of a set besides its rules; texts last as long as the choice. */
pmapdb_rule_set pm_rules_choice_about(const pm_rules_choice *c);

/* The lines of a report; on_note may be NULL. */
pmapdb_status pm_rules_tell(const pm_rules_report *report,
                            void (*on_note)(void *ctx, bool mistake, const char *note), void *ctx,
                            pmapdb_error *err);

#endif
