/* rules: builds a set of rules from cells. */
#include "classify/rules_set.h"

#include <stdlib.h>

#define NAME_MAX_LEN 40

const char *const pm_rule_columns[PM_RULE_COLUMNS] = {
    [PM_RULE_NAME] = "rule",   [PM_RULE_CATEGORY] = "category", [PM_RULE_BASE] = "base",
    [PM_RULE_PATH] = "path",   [PM_RULE_BRACKET] = "name",      [PM_RULE_PERMS] = "perms",
    [PM_RULE_FLAGS] = "flags", [PM_RULE_SIZE] = "size",         [PM_RULE_START] = "start",
    [PM_RULE_END] = "end",     [PM_RULE_BELOW] = "below",       [PM_RULE_ABOVE] = "above",
    [PM_RULE_WITH] = "with",   [PM_RULE_NOTE] = "note",
};

pmapdb_status pm_rules_new(pm_rules **out, pmapdb_error *err)
{
    pm_rules *set = calloc(1, sizeof *set);

    if (set)
        set->space = calloc(1, sizeof *set->space);
    if (!set || !set->space) {
        pm_rules_free(set);
        return pm_fail_nomem(err);
    }
    *out = set;
    return PMAPDB_OK;
}

static void rule_free(pm_rule *rule)
{
    free(rule->memory);
    pm_rule_conditions_free(&rule->own);
    pm_rule_conditions_free(&rule->below);
    pm_rule_conditions_free(&rule->above);
}

/* Frees the terms after the first `kept`. */
static void free_terms(pm_rules *set, size_t kept)
{
    while (set->n_terms > kept) {
        set->n_terms--;
        free(set->term[set->n_terms].text);
        pm_rule_conditions_free(&set->term[set->n_terms].conditions);
    }
}

void pm_rules_free(pm_rules *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->n; i++)
        rule_free(&set->rule[i]);
    free(set->rule);
    free_terms(set, 0);
    for (size_t base = 0; base < PM_BASES; base++)
        free(set->of_base[base]);
    if (set->space)
        pm_regex_space_free(set->space);
    free(set->space);
    free(set);
}

/* ---- terms ---- */

/* Returns the bit of the term; equal terms share a bit. Returns 0 after a mistake. */
static uint64_t read_term(pm_rule_reader *r, pm_text text)
{
    pm_rules *set = r->set;
    pm_rule_term *term;
    size_t n = 0;

    while (n < set->n_terms && !pm_text_equal(text, pm_text_of(set->term[n].text)))
        n++;
    if (n < set->n_terms)
        return UINT64_C(1) << n;
    if (n == PM_RULE_TERMS_MAX) {
        pm_rule_wrong(r, "more than %d different terms in this set", PM_RULE_TERMS_MAX);
        return 0;
    }
    term = &set->term[set->n_terms++]; /* freed with the rule if the rule fails */
    *term = (pm_rule_term){.text = pm_text_copy(text)};
    if (!term->text)
        PM_STEP(r->st, pm_fail_nomem(r->err));
    pm_rule_read_pairs(r, text, &term->conditions);
    return UINT64_C(1) << n;
}

static void read_with(pm_rule_reader *r, pm_text cell, pm_rule *rule)
{
    bool more = cell.len > 0;

    while (more && r->st == PMAPDB_OK) {
        pm_text term = pm_text_trim(pm_rule_piece(&cell, ';', &more), " \t");
        bool not = term.len && term.data[0] == '!';

        *(not ? &rule->without : &rule->with) |=
            read_term(r, pm_text_trim(pm_text_from(term, not ), " \t"));
    }
    if (rule->with & rule->without)
        pm_rule_wrong(r, "the same term with and without !");
}

/* ---- a rule ---- */

static void read_name(pm_rule_reader *r, pm_text cell)
{
    for (size_t i = 0; i < cell.len; i++)
        if (!(cell.data[i] >= 'a' && cell.data[i] <= 'z') &&
            !(cell.data[i] >= '0' && cell.data[i] <= '9') && cell.data[i] != '-')
            pm_rule_wrong(r, "'%.*s' has characters other than a-z, 0-9 and -", PM_RULE_SHOW(cell));
    if (cell.len == 0 || cell.len > NAME_MAX_LEN)
        pm_rule_wrong(r, "a name has 1 to %d characters", NAME_MAX_LEN);
    if (pm_text_equal(cell, PM_TEXT(PM_RULE_LABEL)))
        pm_rule_wrong(r, "'" PM_RULE_LABEL
                         "' is reserved for the names that programs give their memory");
    for (size_t i = 0; i < r->set->n; i++)
        if (pm_text_equal(cell, pm_text_of(r->set->rule[i].texts.name)))
            pm_rule_wrong(r, "'%.*s' occurs twice", (int)cell.len, cell.data);
}

static void read_neighbour(pm_rule_reader *r, pm_text cell, pm_rule_conditions *out)
{
    out->nothing = pm_text_equal(cell, PM_TEXT("-"));
    if (!out->nothing && cell.len)
        pm_rule_read_pairs(r, cell, out);
}

static void read_cell(pm_rule_reader *r, pm_rule_column column, pm_text cell, pm_rule *rule)
{
    r->column = pm_rule_columns[column];
    if (memchr(cell.data, '\0', cell.len))
        pm_rule_wrong(r, "it contains a NUL byte");
    else if (column == PM_RULE_NAME)
        read_name(r, cell);
    else if (column == PM_RULE_CATEGORY)
        pm_rule_read_category(r, rule);
    else if (column == PM_RULE_BELOW)
        read_neighbour(r, cell, &rule->below);
    else if (column == PM_RULE_ABOVE)
        read_neighbour(r, cell, &rule->above);
    else if (column == PM_RULE_WITH)
        read_with(r, cell, rule);
    else if (cell.len && column != PM_RULE_NOTE)
        pm_rule_read(r, (pm_rule_key)(column - PM_RULE_BASE), cell, &rule->own);
}

/* Copies the texts of the rule into one piece of memory: most sets have many rules. */
static void copy_texts(pm_rule_reader *r, const pm_text *cell, pm_rule *rule)
{
    static const pm_rule_column whole[] = {PM_RULE_NAME, PM_RULE_CATEGORY, PM_RULE_NOTE};
    size_t at[4] = {0};
    pm_buf all = {0};

    for (int i = 0; i < 3; i++) {
        pm_buf_add(&all, cell[whole[i]].data, cell[whole[i]].len, NULL);
        pm_buf_add(&all, "", 1, NULL);
        at[i + 1] = all.len;
    }
    for (int i = PM_RULE_BASE; i <= PM_RULE_WITH; i++)
        if (cell[i].len)
            pm_buf_addf(&all, NULL, "%s%s=%.*s", all.len > at[3] ? "; " : "", pm_rule_columns[i],
                        (int)cell[i].len, cell[i].data);
    PM_STEP(r->st, pm_buf_status(&all, r->err));
    rule->memory = all.data;
    if (r->st == PMAPDB_OK)
        rule->texts =
            (pm_rule_texts){all.data, all.data + at[1], all.data + at[2], all.data + at[3]};
}

/* Reads the category last, because it is checked against the conditions. */
static void read_cells(pm_rule_reader *r, const pm_text *cells, pm_rule *rule)
{
    pm_text cell[PM_RULE_COLUMNS];

    for (int i = 0; i < PM_RULE_COLUMNS; i++) {
        cell[i] = cells[i].len ? cells[i] : PM_TEXT("");
        if (i != PM_RULE_PATH && i != PM_RULE_BRACKET) /* in a glob, blanks may be intended */
            cell[i] = pm_text_trim(cell[i], " \t");
    }
    copy_texts(r, cell, rule);
    for (int i = 0; i < PM_RULE_COLUMNS && r->st == PMAPDB_OK; i++)
        if (i != PM_RULE_CATEGORY)
            read_cell(r, (pm_rule_column)i, cell[i], rule);
    if (r->st == PMAPDB_OK)
        read_cell(r, PM_RULE_CATEGORY, cell[PM_RULE_CATEGORY], rule);
}

pmapdb_status pm_rules_add(pm_rules *set, const pm_text cells[PM_RULE_COLUMNS], pmapdb_error *err)
{
    pm_rule_reader r = {.set = set, .err = err};
    size_t terms = set->n_terms;
    pm_rule rule = {0};

    if (set->n == PM_RULES_MAX)
        return pm_fail(err, PMAPDB_INPUT, "more than %d rules", PM_RULES_MAX);
    r.st = pm_grow(&set->rule, &set->cap, set->n, sizeof *set->rule, err);
    if (r.st == PMAPDB_OK)
        read_cells(&r, cells, &rule);
    if (r.st == PMAPDB_OK) {
        set->rule[set->n++] = rule;
    } else {
        rule_free(&rule);
        free_terms(set, terms);
    }
    return r.st;
}

pmapdb_status pm_rules_finish(pm_rules *set, pmapdb_error *err)
{
    if (set->n == 0)
        return pm_fail(err, PMAPDB_INPUT, "there is no rule");
    for (unsigned base = 0; base < PM_BASES; base++) {
        set->of_base[base] = calloc(set->n, sizeof *set->of_base[base]);
        if (!set->of_base[base])
            return pm_fail_nomem(err);
        for (size_t i = 0; i < set->n; i++) {
            const pm_rule_condition *asked = pm_rule_find(&set->rule[i].own, PM_RULE_KEY_BASE);

            if (!asked || asked->bases >> base & 1)
                set->of_base[base][set->n_of_base[base]++] = i;
        }
    }
    return PMAPDB_OK;
}

/* ---- contents ---- */

size_t pm_rules_count(const pm_rules *set)
{
    return set->n;
}

const pm_rule_texts *pm_rules_texts(const pm_rules *set, size_t index)
{
    return &set->rule[index].texts;
}
