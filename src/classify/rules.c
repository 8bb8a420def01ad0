/* rules: a set of rules: made of cells, looked at. */
#include "classify/rules.h"

#include "classify/rules_category.h"
#include <stdlib.h>

#define NAME_MAX_LEN 40

const char *const pm_rule_columns[PM_RULE_COLUMNS] = {
    [PM_RULE_NAME] = "rule",   [PM_RULE_CATEGORY] = "category", [PM_RULE_BASE] = "base",
    [PM_RULE_PATH] = "path",   [PM_RULE_BRACKET] = "name",      [PM_RULE_PERMS] = "perms",
    [PM_RULE_FLAGS] = "flags", [PM_RULE_SIZE] = "size",         [PM_RULE_START] = "start",
    [PM_RULE_END] = "end",     [PM_RULE_DEVICE] = "device",     [PM_RULE_BELOW] = "below",
    [PM_RULE_ABOVE] = "above", [PM_RULE_WITH] = "with",         [PM_RULE_NOTE] = "note",
};

pmapdb_status pm_rules_new(const char *application, pm_rules **out, pmapdb_error *err)
{
    pm_rules *set = calloc(1, sizeof *set);

    if (set) {
        set->application = strdup(application ? application : "/app");
        set->space = calloc(1, sizeof *set->space);
    }
    if (!set || !set->application || !set->space) {
        pm_rules_free(set);
        return pm_fail_nomem(err);
    }
    *out = set;
    return PMAPDB_OK;
}

static void rule_free(pm_rule *rule)
{
    free(rule->name);
    free(rule->category);
    free(rule->note);
    pm_rule_conditions_free(&rule->own);
    pm_rule_conditions_free(&rule->below);
    pm_rule_conditions_free(&rule->above);
    pm_buf_free(&rule->same);
}

/* Those behind the first `kept`. */
static void free_terms(pm_rules *set, size_t kept)
{
    while (set->n_terms > kept) {
        set->n_terms--;
        free(set->term[set->n_terms].text);
        pm_rule_conditions_free(&set->term[set->n_terms].conditions);
        set->placed &= ~(UINT64_C(1) << set->n_terms);
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
    free(set->application);
    free(set);
}

/* ---- terms ---- */

static pm_text trim(pm_text t)
{
    while (t.len && pm_char_in(t.data[0], " \t"))
        t = pm_text_from(t, 1);
    while (t.len && pm_char_in(t.data[t.len - 1], " \t"))
        t.len--;
    return t;
}

/* The term's number, which is that of an equal one if there is one. */
static pmapdb_status find_term(pm_rules *set, pm_rule_place *place, pm_text text, size_t *out)
{
    pm_rule_term *term = &set->term[set->n_terms];
    pmapdb_status st;

    for (*out = 0; *out < set->n_terms; ++*out)
        if (pm_text_equal(text, pm_text_of(set->term[*out].text)))
            return PMAPDB_OK;
    if (set->n_terms == PM_RULE_TERMS_MAX)
        return pm_rule_wrong(place, "more than %d different terms in this set", PM_RULE_TERMS_MAX);
    *term = (pm_rule_term){.text = pm_text_copy(text)};
    set->n_terms++; /* whoever fails frees it */
    if (!term->text)
        return pm_fail_nomem(place->err);
    st = pm_rule_conditions_read(place, text, &term->conditions);
    for (size_t i = 0; i < term->conditions.n; i++)
        if (pm_rule_is_placed(&term->conditions.item[i]))
            set->placed |= UINT64_C(1) << *out;
    return st;
}

static pmapdb_status read_with(pm_rules *set, pm_rule_place *place, pm_text cell, pm_rule *rule)
{
    pmapdb_status st = PMAPDB_OK;
    bool more = cell.len > 0;

    while (more && st == PMAPDB_OK) {
        pm_text term = trim(pm_rule_piece(&cell, ';', &more));
        bool not = term.len && term.data[0] == '!';
        size_t number;

        st = find_term(set, place, trim(pm_text_from(term, not )), &number);
        if (st == PMAPDB_OK)
            *(not ? &rule->without : &rule->with) |= UINT64_C(1) << number;
    }
    if (st == PMAPDB_OK && rule->with & rule->without)
        return pm_rule_wrong(place, "the same term with and without !");
    return st;
}

/* ---- a rule ---- */

static pmapdb_status read_name(const pm_rules *set, const pm_rule_place *place, pm_text cell,
                               pm_rule *rule)
{
    for (size_t i = 0; i < cell.len; i++)
        if (!(cell.data[i] >= 'a' && cell.data[i] <= 'z') &&
            !(cell.data[i] >= '0' && cell.data[i] <= '9') && cell.data[i] != '-')
            return pm_rule_wrong(place, "'%.*s' is not of a-z, 0-9 and -", pm_rule_shown(cell),
                                 cell.data);
    if (cell.len == 0 || cell.len > NAME_MAX_LEN)
        return pm_rule_wrong(place, "a name has 1 to %d characters", NAME_MAX_LEN);
    if (pm_text_equal(cell, PM_TEXT(PM_RULE_LABEL)))
        return pm_rule_wrong(place,
                             "'" PM_RULE_LABEL "' stands for what programs call their memory");
    for (size_t i = 0; i < set->n; i++)
        if (pm_text_equal(cell, pm_text_of(set->rule[i].name)))
            return pm_rule_wrong(place, "'%.*s' is there twice", (int)cell.len, cell.data);
    rule->name = pm_text_copy(cell);
    return rule->name ? PMAPDB_OK : pm_fail_nomem(place->err);
}

static pmapdb_status read_neighbour(pm_rule_place *place, pm_text cell, pm_rule_conditions *out)
{
    out->nothing = pm_text_equal(cell, PM_TEXT("-"));
    return out->nothing || cell.len == 0 ? PMAPDB_OK : pm_rule_conditions_read(place, cell, out);
}

static pmapdb_status read_cell(pm_rules *set, pm_rule_place *place, pm_rule_column column,
                               pm_text cell, pm_rule *rule)
{
    place->column = pm_rule_columns[column];
    switch (column) {
    case PM_RULE_NAME:
        return read_name(set, place, cell, rule);
    case PM_RULE_CATEGORY:
        return pm_rule_read_category(place, cell, rule);
    case PM_RULE_BELOW:
        return read_neighbour(place, cell, &rule->below);
    case PM_RULE_ABOVE:
        return read_neighbour(place, cell, &rule->above);
    case PM_RULE_WITH:
        return read_with(set, place, cell, rule);
    case PM_RULE_NOTE:
        rule->note = pm_text_copy(cell);
        return rule->note ? PMAPDB_OK : pm_fail_nomem(place->err);
    default:
        return cell.len == 0 ? PMAPDB_OK
                             : pm_rule_condition_read(place, (pm_rule_key)(column - PM_RULE_BASE),
                                                      cell, &rule->own);
    }
}

static pmapdb_status read_cells(pm_rules *set, pm_rule_place *place, const pm_text *cells,
                                pm_rule *rule)
{
    pmapdb_status st = PMAPDB_OK;

    for (int column = 0; column < PM_RULE_COLUMNS && st == PMAPDB_OK; column++) {
        /* in a glob a blank at an end may be meant */
        bool keeps = column == PM_RULE_PATH || column == PM_RULE_BRACKET;
        pm_text cell = cells[column].len ? cells[column] : PM_TEXT("");

        if (!keeps)
            cell = trim(cell);
        if (memchr(cell.data, '\0', cell.len))
            return pm_fail(place->err, PMAPDB_INPUT, "a NUL byte");
        st = read_cell(set, place, (pm_rule_column)column, cell, rule);
        if (st == PMAPDB_OK && cell.len && column >= PM_RULE_BASE && column <= PM_RULE_WITH) {
            const char mark[] = {'\0', (char)column}; /* no cell holds a NUL */

            st = pm_buf_add(&rule->same, mark, sizeof mark, place->err);
            if (st == PMAPDB_OK)
                st = pm_buf_add(&rule->same, cell.data, cell.len, place->err);
        }
    }
    place->column = pm_rule_columns[PM_RULE_CATEGORY];
    return st == PMAPDB_OK ? pm_rule_check_category(place, rule) : st;
}

/* What else no mapping can reach is not decidable; that is what tests of a set are for. */
static pmapdb_status check_reach(const pm_rules *set, const pm_rule *rule, pmapdb_error *err)
{
    for (size_t i = 0; i < set->n; i++) {
        const pm_rule *before = &set->rule[i];

        if (pm_rule_empty(before))
            return pm_fail(err, PMAPDB_INPUT,
                           "can never be reached: rule '%s' before it has no condition",
                           before->name);
        if (pm_text_equal(pm_buf_text(&before->same), pm_buf_text(&rule->same)))
            return pm_fail(err, PMAPDB_INPUT,
                           "can never be reached: rule '%s' before it has the same conditions",
                           before->name);
    }
    return PMAPDB_OK;
}

pmapdb_status pm_rules_add(pm_rules *set, const pm_text cells[PM_RULE_COLUMNS], pmapdb_error *err)
{
    pm_rule_place place = {
        .application = set->application, .rule = set->n, .n_globs = &set->n_globs, .err = err};
    size_t terms = set->n_terms;
    pm_rule rule = {0};
    pmapdb_status st;

    if (set->n == PM_RULES_MAX)
        return pm_fail(err, PMAPDB_INPUT, "more than %d rules", PM_RULES_MAX);
    st = pm_grow(&set->rule, &set->cap, set->n, sizeof *set->rule, err);
    if (st == PMAPDB_OK)
        st = read_cells(set, &place, cells, &rule);
    if (st == PMAPDB_OK)
        st = check_reach(set, &rule, err);
    if (st != PMAPDB_OK) {
        rule_free(&rule);
        free_terms(set, terms);
        return st;
    }
    set->rule[set->n++] = rule;
    return PMAPDB_OK;
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

/* ---- what is in it ---- */

size_t pm_rules_count(const pm_rules *set)
{
    return set->n;
}

const char *pm_rules_name(const pm_rules *set, size_t index)
{
    return set->rule[index].name;
}

const char *pm_rules_template(const pm_rules *set, size_t index)
{
    return set->rule[index].category;
}

const char *pm_rules_note(const pm_rules *set, size_t index)
{
    return set->rule[index].note;
}
