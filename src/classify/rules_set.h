/* rules_set: what a compiled set of rules is made of. Between the files of rules.h. */
#ifndef PM_CLASSIFY_RULES_SET_H
#define PM_CLASSIFY_RULES_SET_H

#include "classify/rules.h"
#include "classify/rules_regex.h"

#define PM_RULE_TERMS_MAX 64
#define PM_BASES (PM_CATEGORY_ANONYMOUS + 1) /* the slugs that the table of classify.h gives */

/* What a condition asks for. The first of them are columns too, in the columns' order. */
typedef enum pm_rule_key {
    PM_RULE_KEY_BASE,
    PM_RULE_KEY_PATH,
    PM_RULE_KEY_NAME,
    PM_RULE_KEY_PERMS,
    PM_RULE_KEY_FLAGS,
    PM_RULE_KEY_SIZE,
    PM_RULE_KEY_START,
    PM_RULE_KEY_END,
    PM_RULE_KEY_DEVICE,
    PM_RULE_KEY_FILLS, /* of a neighbour above: where it ends */
    PM_RULE_KEY_COVERS,
    PM_RULE_KEYS
} pm_rule_key;

/* One of what stands between | or blanks in a cell; which members depends on the key. */
typedef struct pm_rule_part {
    char *glob;
    size_t number;         /* of the glob, in the set's pm_regex_space */
    bool whole;            /* path: compared with all of it, not with the last part */
    bool deleted;          /* path: " (deleted)" is compared too */
    uint64_t from, last;   /* size in KiB, start and end in bytes: both inclusive */
    uint64_t step, remain; /* step not 0: instead of from and last a multiple, and so much */
    char flag[2];
    bool lacks; /* the flag must not be there */
} pm_rule_part;

typedef struct pm_rule_condition {
    pm_rule_key key;
    bool none;       /* path: there is none. flags: they are not shown */
    unsigned bases;  /* bits */
    char perms[4];   /* '?': any */
    uint64_t reach;  /* fills, covers: bytes */
    pm_regex *regex; /* path: instead of parts */
    pm_rule_part *part;
    size_t n;
} pm_rule_condition;

/* All of them must hold for one row. */
typedef struct pm_rule_conditions {
    pm_rule_condition *item;
    size_t n;
    bool nothing; /* of a neighbour: there must be none that touches */
} pm_rule_conditions;

typedef struct pm_rule {
    char *name, *category, *note;
    bool refines; /* the category begins with a slug that is meant */
    pm_rule_conditions own, below, above;
    uint64_t with, without; /* bits of terms */
    pm_buf same;            /* the cells of its conditions: equal for equal rules */
} pm_rule;

typedef struct pm_rule_term {
    char *text; /* as written, without ! */
    pm_rule_conditions conditions;
} pm_rule_term;

struct pm_rules {
    char *application;
    pm_rule *rule;
    size_t n, cap;
    pm_rule_term term[PM_RULE_TERMS_MAX];
    size_t n_terms;
    size_t n_globs;
    uint64_t placed;           /* terms that ask for more than the row's object */
    size_t *of_base[PM_BASES]; /* indices of the rules that rows of this base can match */
    size_t n_of_base[PM_BASES];
    pm_regex_space *space;
};

/* No condition at all. */
static inline bool pm_rule_empty(const pm_rule *rule)
{
    return !rule->own.n && !rule->below.n && !rule->below.nothing && !rule->above.n &&
           !rule->above.nothing && !rule->with && !rule->without;
}

/* Two mappings of one object may differ in it. */
static inline bool pm_rule_is_placed(const pm_rule_condition *c)
{
    return c->key == PM_RULE_KEY_SIZE || c->key == PM_RULE_KEY_START || c->key == PM_RULE_KEY_END;
}

static inline const pm_rule_condition *pm_rule_find(const pm_rule_conditions *c, pm_rule_key key)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->item[i].key == key)
            return &c->item[i];
    return NULL;
}

#endif
