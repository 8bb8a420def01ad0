/* rules: a set of rules by what a user calls it: the store's, one that is built in, a file. */
#ifndef PM_API_RULES_H
#define PM_API_RULES_H

#include "store/file/store.h"
#include "store/rules/rule_set.h"
#include "store/rules/rules_csv.h"

/* Zeroed before. */
typedef struct pm_rules_choice {
    pm_rule_text text;
    bool stored;     /* the lineages of the store got their categories from this set */
    pm_rules *rules; /* NULL until the text was read */
} pm_rules_choice;

/* wanted NULL: the set of the store, and without a store (NULL) the built-in default. application
 * NULL: what the store's set was applied with; for another set /app. */
pmapdb_status pm_rules_choose(pmapdb_store *store, const char *wanted, const char *application,
                              pm_rules_choice *out, pmapdb_error *err);

/* Reads the text. With a mistake there are no rules and PMAPDB_INPUT: err has the first mistake,
 * and on_note (as of pmapdb_rules_options, or NULL) gets all of them. */
pmapdb_status pm_rules_choice_read(pm_rules_choice *c,
                                   void (*on_note)(void *ctx, bool mistake, const char *note),
                                   void *ctx, pmapdb_error *err);
void pm_rules_choice_free(pm_rules_choice *c);

/* The text of the set that is built in under this name, else of the file. */
pmapdb_status pm_rules_find(const char *name_or_path, pm_buf *out, pmapdb_error *err);

#endif
