/* rule_set: the rules of a store (table rule_set), which decide its categories.
 *
 * A new store gets the full text of the built-in set `default`. So another version of the program
 * uses the same rules until the user applies others. */
#ifndef PM_STORE_RULE_SET_H
#define PM_STORE_RULE_SET_H

#include "base/buf.h"
#include "classify/rules.h"
#include "store/dict/object.h"
#include "store/file/store.h"

/* The row of the table. */
typedef struct pm_rule_text {
    pm_buf name; /* name of the built-in set or of the file */
    pm_buf text;
    uint64_t hash;      /* of the text */
    int64_t applied_ms; /* PMAPDB_UNKNOWN: never, the rules of a new store */
} pm_rule_text;

void pm_rule_text_free(pm_rule_text *text);

/* Loads the rules into a zeroed *out. A store without a row has the built-in set. */
void pm_rule_text_load(pm_sql *sql, pm_rule_text *out);

/* Replaces the row; computes the hash. */
void pm_rule_text_store(pm_sql *sql, const pm_rule_text *text);

/* Compiles the rules of the store; the caller frees them. NULL after a failure, which the handle
 * keeps. */
pm_rules *pm_rules_of_store(pm_sql *sql);

#endif
