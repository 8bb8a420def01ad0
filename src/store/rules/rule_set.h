/* rule_set: the rules of a store (table rule_set): those that decide its categories.
 *
 * A new store gets the set that is built in as `default`, whole: another version of the program
 * then goes on with the same rules, until somebody applies others. */
#ifndef PM_STORE_RULE_SET_H
#define PM_STORE_RULE_SET_H

#include "base/buf.h"
#include "classify/rules.h"
#include "store/dict/object.h"

/* What the table says. */
typedef struct pm_rule_text {
    pm_buf name; /* of a built-in set, or the file's */
    pm_buf text;
    pm_buf application; /* what {app} stands for; empty: /app */
    uint64_t hash;      /* of text and application */
    int64_t applied_ms; /* PMAPDB_UNKNOWN: never, they are those of a new store */
} pm_rule_text;

void pm_rule_text_free(pm_rule_text *text);

/* *out is zeroed before. A store that says nothing has the built-in set. */
pmapdb_status pm_rule_text_load(pm_sql *sql, pm_rule_text *out, pmapdb_error *err);

/* Replaces it; the hash is made here. */
pmapdb_status pm_rule_text_store(pm_sql *sql, const pm_rule_text *text, pmapdb_error *err);

uint64_t pm_rule_text_hash(pm_text text, pm_text application);

/* What a new store says. */
pmapdb_status pm_rule_text_built_in(pm_sql *sql, pmapdb_error *err);

/* ---- the rules of a store, compiled when they are first asked ---- */

typedef struct pm_rule_set pm_rule_set;

pmapdb_status pm_rule_set_new(pm_sql *sql, pm_rule_set **out, pmapdb_error *err);
/* Asks `rules` and not those of the table; they are the caller's, and last as long as the set. */
pmapdb_status pm_rule_set_of(const pm_rules *rules, pm_rule_set **out, pmapdb_error *err);
void pm_rule_set_free(pm_rule_set *set);

/* *out lasts as long as the set. */
pmapdb_status pm_rule_set_rules(pm_rule_set *set, const pm_rules **out, pmapdb_error *err);

/* What rules said of the rows of one object, which are asked once. */
typedef struct pm_rule_known {
    uint64_t facts, open; /* pm_rules_object_facts; once has_facts */
    bool has_facts;
    int64_t kept; /* the category that `rule` gives, or 0: not named yet */
    size_t rule;
} pm_rule_known;

/* *out and its *memo, as pm_rules_match_object wants it, last until the next call. */
pmapdb_status pm_rule_set_known(pm_rule_set *set, const pm_rules *rules, const pm_object *object,
                                pm_rule_known **out, uint64_t **memo, pmapdb_error *err);

#endif
