/* rules_set: a compiled set of rules: what its parts are, how cells become conditions, and whether
 * a condition holds. Between the files of rules.h. */
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

/* How its value is written. */
typedef enum pm_rule_type {
    PM_RULE_BASES,   /* a|b */
    PM_RULE_GLOBS,   /* a*|b*; path also ~REGEX and - */
    PM_RULE_LETTERS, /* perms */
    PM_RULE_MARKS,   /* flags: two letters each, perhaps with ! */
    PM_RULE_NUMBERS, /* ranges and multiples */
    PM_RULE_REACH    /* one size */
} pm_rule_type;

typedef struct pm_rule_kind {
    const char *name;
    pm_rule_type type;
} pm_rule_kind;

extern const pm_rule_kind pm_rule_kinds[PM_RULE_KEYS];

/* One of several alternatives or words of a value; which members depends on the type. */
typedef struct pm_rule_part {
    pm_regex *glob;
    bool whole;            /* path: compared with all of it, not with the last part */
    bool deleted;          /* path: " (deleted)" is compared too */
    uint64_t from, last;   /* size in KiB, start and end in bytes: both inclusive */
    uint64_t step, remain; /* step not 0: instead of from and last, a multiple and a remainder */
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
    uint64_t placed;           /* terms that ask for more than the row's object */
    size_t *of_base[PM_BASES]; /* indices of the rules that rows of this base can match */
    size_t n_of_base[PM_BASES];
    pm_regex_space *space;
};

/* ---- reading ---- */

/* Reads the cells of one rule. After the first mistake nothing more is read. */
typedef struct pm_rule_reader {
    pm_rules *set;
    const char *column;
    const char *key; /* in below, above, with; else NULL */
    pmapdb_status st;
    pmapdb_error *err;
} pm_rule_reader;

/* PMAPDB_INPUT: "column: key: ..." */
void pm_rule_wrong(pm_rule_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pm_rule_nomem(pm_rule_reader *r);

/* For "%.*s" in a message: at most 40 bytes of `t`, no character cut. */
#define PM_RULE_SHOW(t) pm_rule_shown(t), (t).data
int pm_rule_shown(pm_text t);

/* Takes the next of the pieces between separators off *rest, unless \ stands before a separator;
 * blanks stay. *more: another piece follows, which may be empty. */
pm_text pm_rule_piece(pm_text *rest, char separator, bool *more);

/* A copy of `text` with {app} replaced by the application folder, in which `mark` stands before
 * every byte that is one of `special`; a NULL `special` is all ASCII but letters and digits. NULL:
 * no memory. */
char *pm_rule_application(pm_rule_reader *r, pm_text text, const char *special, char mark);

/* A cell of its own column. */
void pm_rule_read(pm_rule_reader *r, pm_rule_key key, pm_text text, pm_rule_conditions *out);
/* "key=value key=value" of below, above and with. */
void pm_rule_read_pairs(pm_rule_reader *r, pm_text text, pm_rule_conditions *out);
void pm_rule_conditions_free(pm_rule_conditions *c);

/* Sets rule->category and rule->refines; the category is checked against the rule's conditions,
 * which are read before. */
void pm_rule_read_category(pm_rule_reader *r, pm_text cell, pm_rule *rule);

/* ---- matching ---- */

/* `of` is the row that is asked, `row` the mapping itself: `of`, or a neighbour of it. */
bool pm_rule_holds(const pm_rule_condition *c, const pm_rule_row *of, const pm_rule_row *row,
                   pm_regex_space *space);
/* The first that does not hold, or NULL. */
const pm_rule_condition *pm_rule_first_failing(const pm_rule_conditions *c, const pm_rule_row *of,
                                               const pm_rule_row *row, pm_regex_space *space);

/* `other`, the next row by address, where it touches `row` from below or from above; else NULL. */
const pm_rule_row *pm_rule_touching(const pm_rule_row *row, const pm_rule_row *other, bool below);

/* The text inside brackets, of a row that shows no file. */
bool pm_rule_bracket(const pm_rule_row *row, pm_text *out);

/* Nothing is asked of the neighbours or of the capture. */
static inline bool pm_rule_is_alone(const pm_rule *rule)
{
    return !rule->below.n && !rule->below.nothing && !rule->above.n && !rule->above.nothing &&
           !rule->with && !rule->without;
}

/* Two mappings of one object may differ in it. */
static inline bool pm_rule_is_placed(const pm_rule_condition *c)
{
    return pm_rule_kinds[c->key].type == PM_RULE_NUMBERS;
}

static inline const pm_rule_condition *pm_rule_find(const pm_rule_conditions *c, pm_rule_key key)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->item[i].key == key)
            return &c->item[i];
    return NULL;
}

#endif
