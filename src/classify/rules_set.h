/* rules_set: a compiled set of rules: its parts, how cells become conditions, and whether a
 * condition holds. Internal to the files that implement rules.h. */
#ifndef PM_CLASSIFY_RULES_SET_H
#define PM_CLASSIFY_RULES_SET_H

#include "classify/rules.h"
#include "classify/rules_regex.h"

/* refine.c keeps a set of terms as a value of pm_map, where bit 63 alone (PMAPDB_UNKNOWN) means a
 * free slot. */
#define PM_RULE_TERMS_MAX 63
#define PM_BASES (PM_CATEGORY_ANONYMOUS + 1) /* the slugs that classify.h can assign */

/* The property that a condition tests. The first keys are also columns, in the order of the
 * columns. */
typedef enum pm_rule_key {
    PM_RULE_KEY_BASE,
    PM_RULE_KEY_PATH,
    PM_RULE_KEY_NAME,
    PM_RULE_KEY_PERMS,
    PM_RULE_KEY_FLAGS,
    PM_RULE_KEY_SIZE,
    PM_RULE_KEY_START,
    PM_RULE_KEY_END,
    PM_RULE_KEY_FILLS, /* for a neighbour above: where it ends */
    PM_RULE_KEY_COVERS,
    PM_RULE_KEYS
} pm_rule_key;

/* The syntax of the value of a key. */
typedef enum pm_rule_type {
    PM_RULE_BASES,   /* a|b */
    PM_RULE_GLOBS,   /* a*|b*; path also ~REGEX and - */
    PM_RULE_LETTERS, /* perms */
    PM_RULE_MARKS,   /* flags: two letters each, optionally with ! */
    PM_RULE_NUMBERS, /* ranges and multiples */
    PM_RULE_REACH    /* one size */
} pm_rule_type;

typedef struct pm_rule_kind {
    const char *name;
    pm_rule_type type;
} pm_rule_kind;

extern const pm_rule_kind pm_rule_kinds[PM_RULE_KEYS];

/* One of several alternatives or words of a value. The type decides which members are used. */
typedef struct pm_rule_part {
    pm_regex *glob;
    bool whole;            /* path: compared with the whole path, not only with its last part */
    bool deleted;          /* path: the comparison includes " (deleted)" */
    uint64_t from, last;   /* size in KiB, start and end in bytes: `last` is included */
    uint64_t step, remain; /* if step is not 0: multiple and remainder, not from and last */
    char flag[2];
    bool lacks; /* the flag must be missing */
} pm_rule_part;

typedef struct pm_rule_condition {
    pm_rule_key key;
    bool none;       /* path: must be empty. flags: must not be shown */
    unsigned bases;  /* bit set of categories */
    char perms[4];   /* '?': any */
    uint64_t reach;  /* fills, covers: bytes */
    pm_regex *regex; /* path: used instead of parts */
    pm_rule_part *part;
    size_t n;
} pm_rule_condition;

/* Conditions that must all hold for one row. */
typedef struct pm_rule_conditions {
    pm_rule_condition *item;
    size_t n;
    bool nothing; /* for a neighbour: no mapping may touch */
} pm_rule_conditions;

typedef struct pm_rule {
    pm_rule_texts texts;
    char *memory; /* of the texts */
    bool refines; /* the category intentionally begins with a slug */
    pm_rule_conditions own, below, above;
    uint64_t with, without; /* bit sets of terms */
} pm_rule;

typedef struct pm_rule_term {
    char *text; /* as written, without ! */
    pm_rule_conditions conditions;
} pm_rule_term;

struct pm_rules {
    pm_rule *rule;
    size_t n, cap;
    pm_rule_term term[PM_RULE_TERMS_MAX];
    size_t n_terms;
    size_t *of_base[PM_BASES]; /* indices of the rules that rows of this base can match */
    size_t n_of_base[PM_BASES];
    pm_regex_space *space;
};

/* ---- reading ---- */

/* Reads the cells of one rule. After the first mistake nothing more is read. */
typedef struct pm_rule_reader {
    pm_rules *set;
    const char *column;
    const char *key; /* in below, above, with; otherwise NULL */
    pmapdb_status st;
    pmapdb_error *err;
} pm_rule_reader;

/* Fails with PMAPDB_INPUT and "column: key: ...". */
void pm_rule_wrong(pm_rule_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For "%.*s" in a message: at most 40 bytes of `t`, without cutting a character. */
#define PM_RULE_SHOW(t) pm_rule_shown(t), (t).data
int pm_rule_shown(pm_text t);

/* Cuts the next piece up to a separator off *rest. A separator after \ does not count; blanks stay.
 * *more is true if another piece follows, which may be empty. */
pm_text pm_rule_piece(pm_text *rest, char separator, bool *more);

/* Reads the cell of a column. */
void pm_rule_read(pm_rule_reader *r, pm_rule_key key, pm_text text, pm_rule_conditions *out);
/* Reads "key=value key=value" of below, above and with. */
void pm_rule_read_pairs(pm_rule_reader *r, pm_text text, pm_rule_conditions *out);
void pm_rule_conditions_free(pm_rule_conditions *c);

/* Sets rule->refines; checks the category against the conditions of the rule,
 * which must be read first. */
void pm_rule_read_category(pm_rule_reader *r, pm_rule *rule);

/* ---- matching ---- */

/* Returns the text inside brackets of a row that does not show a file. */
bool pm_rule_bracket(const pm_rule_row *row, pm_text *out);

static inline const pm_rule_condition *pm_rule_find(const pm_rule_conditions *c, pm_rule_key key)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->item[i].key == key)
            return &c->item[i];
    return NULL;
}

#endif
