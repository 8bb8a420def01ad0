/* rules: finds the set of rules that a user names: the store's set, a built-in set, a file. */
#ifndef PM_API_RULES_H
#define PM_API_RULES_H

#include "store/file/store.h"
#include "store/rules/rule_set.h"

/* Zero it before use. */
typedef struct pm_rules_choice {
    pm_rule_text text;
    bool stored;     /* the lineages of the store have their categories from this set */
    pm_rules *rules; /* NULL until the text is read */
} pm_rules_choice;

/* wanted NULL: the set of the store; without a store (NULL) the built-in default. */
pmapdb_status pm_rules_choose(pmapdb_store *store, const char *wanted, pm_rules_choice *out,
                              pmapdb_error *err);

/* Reads the text. PMAPDB_INPUT: a mistake in it. */
pmapdb_status pm_rules_choice_read(pm_rules_choice *c, pmapdb_error *err);
void pm_rules_choice_free(pm_rules_choice *c);

/* The text of the built-in set with this name, else of the file. */
pmapdb_status pm_rules_find(const char *name_or_path, pm_buf *out, pmapdb_error *err);

#endif
