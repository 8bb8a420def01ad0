/* rules_match: evaluates conditions; finds the rule that a mapping matches; says why another rule
 * does not match. */
#include "classify/rules_set.h"

#include <inttypes.h>

/* ---- one condition ---- */

/* True if a row with this base may have a name in brackets that does not belong to a file. The row
 * of a file has the base slug of a file, whichever names the capture prints. */
static bool may_be_bracket(pm_category base)
{
    return base == PM_CATEGORY_HEAP || base == PM_CATEGORY_STACK || base == PM_CATEGORY_KERNEL ||
           base == PM_CATEGORY_RESERVE || base == PM_CATEGORY_ANONYMOUS ||
           base == PM_CATEGORY_SHARED_MEMORY;
}

/* "boot.art]" without an opening bracket is the rest of a name in tools that show only the part
 * after the last slash. */
bool pm_rule_bracket(const pm_rule_row *row, pm_text *out)
{
    pm_text path = row->path;

    if (path.len == 0 || path.data[path.len - 1] != ']' || path.data[0] == '/' ||
        !may_be_bracket(row->base))
        return false;
    if (path.data[0] != '[' && memchr(path.data, '[', path.len))
        return false;
    path.len--;
    *out = path.len && path.data[0] == '[' ? pm_text_from(path, 1) : path;
    return true;
}

static bool path_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    pm_text inside, undeleted, name;

    if (c->none || row->path.len == 0)
        return c->none && row->path.len == 0;
    if (pm_rule_bracket(row, &inside))
        return false;
    if (c->regex)
        return pm_regex_matches(c->regex, space, row->path);
    undeleted = pm_undeleted(row->path);
    name = pm_text_basename(undeleted);
    for (size_t i = 0; i < c->n; i++) {
        const pm_rule_part *p = &c->part[i];
        pm_text path = p->deleted ? row->path : undeleted;

        if (!p->whole)
            path = p->deleted ? pm_text_basename(path) : name;
        if (pm_regex_matches(p->glob, space, path))
            return true;
    }
    return false;
}

static bool globs_hold(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space)
{
    pm_text inside;

    if (c->key == PM_RULE_KEY_PATH)
        return path_holds(c, row, space);
    if (!pm_rule_bracket(row, &inside))
        return false;
    for (size_t i = 0; i < c->n; i++)
        if (pm_regex_matches(c->part[i].glob, space, inside))
            return true;
    return false;
}

/* Compares permissions. Tools print "private" as p or -. */
static bool perms_hold(const pm_rule_condition *c, const pm_rule_row *row)
{
    for (size_t i = 0; i < 3; i++)
        if (c->perms[i] != '?' && c->perms[i] != row->perms[i])
            return false;
    return c->perms[3] == '?' || (c->perms[3] == 's') == (row->perms[3] == 's');
}

/* Flags have two letters each and are separated by single blanks. */
static bool has_flag(pm_text flags, const char flag[2])
{
    for (size_t i = 0; i + 1 < flags.len; i += 3)
        if (memcmp(flags.data + i, flag, 2) == 0)
            return true;
    return false;
}

static bool flags_hold(const pm_rule_condition *c, const pm_rule_row *row)
{
    if (c->none || !row->has_flags)
        return c->none && !row->has_flags;
    for (size_t i = 0; i < c->n; i++)
        if (has_flag(row->flags, c->part[i].flag) == c->part[i].lacks)
            return false;
    return true;
}

/* True if the number matches every multiple and, if it is an address, every range. A size needs to
 * be in only one of its ranges. */
static bool numbers_hold(const pm_rule_condition *c, const pm_rule_row *row)
{
    bool size = c->key == PM_RULE_KEY_SIZE, ranges = false, in = false;
    /* the end is 0 if a row ends with the address space */
    uint64_t number = size                          ? row->length / 1024
                      : c->key == PM_RULE_KEY_START ? row->start
                                                    : row->start + row->length;

    for (size_t i = 0; i < c->n; i++) {
        const pm_rule_part *p = &c->part[i];
        bool holds =
            p->step ? number % p->step == p->remain : number >= p->from && number <= p->last;

        if (!holds && (p->step || !size))
            return false;
        ranges |= !p->step;
        in |= holds && !p->step;
    }
    return in || !ranges;
}

/* Compares last bytes instead of ends, because a row may end with the address space. */
static bool reach_holds(const pm_rule_condition *c, const pm_rule_row *other,
                        const pm_rule_row *row)
{
    uint64_t last = row->start + row->length - 1, other_last = other->start + other->length - 1;
    uint64_t wanted = last / c->reach * c->reach + (c->reach - 1);

    return c->key == PM_RULE_KEY_FILLS ? other_last == wanted : other_last >= wanted;
}

static bool holds(const pm_rule_condition *c, const pm_rule_row *of, const pm_rule_row *row,
                  pm_regex_space *space)
{
    switch (pm_rule_kinds[c->key].type) {
    case PM_RULE_BASES:
        return c->bases >> of->base & 1;
    case PM_RULE_GLOBS:
        return globs_hold(c, of, space);
    case PM_RULE_LETTERS:
        return perms_hold(c, of);
    case PM_RULE_MARKS:
        return flags_hold(c, of);
    case PM_RULE_NUMBERS:
        return numbers_hold(c, of);
    default:
        return reach_holds(c, of, row);
    }
}

/* Returns the first condition that does not hold, or NULL. `of` is the row that the conditions
 * describe; `row` is the mapping itself, which is either `of` or its neighbour. If `row` is
 * NULL, conditions about addresses and sizes are left out. */
static const pm_rule_condition *first_failing(const pm_rule_conditions *c, const pm_rule_row *of,
                                              const pm_rule_row *row, pm_regex_space *space)
{
    for (size_t i = 0; i < c->n; i++)
        if ((row || pm_rule_kinds[c->item[i].key].type < PM_RULE_NUMBERS) &&
            !holds(&c->item[i], of, row, space))
            return &c->item[i];
    return NULL;
}

/* ---- facts ---- */

static uint64_t terms(const pm_rules *set, uint64_t asked, const pm_rule_row *of,
                      const pm_rule_row *row)
{
    uint64_t hold = 0;

    for (asked &= (UINT64_C(1) << set->n_terms) - 1; asked; asked &= asked - 1) {
        int i = __builtin_ctzll(asked);

        if (!first_failing(&set->term[i].conditions, of, row, set->space))
            hold |= UINT64_C(1) << i;
    }
    return hold;
}

uint64_t pm_rules_facts(const pm_rules *set, uint64_t asked, const pm_rule_row *row)
{
    return terms(set, asked, row, row);
}

uint64_t pm_rules_possible(const pm_rules *set, const pm_rule_row *row)
{
    return terms(set, PM_RULES_ALL_TERMS, row, NULL);
}

/* ---- rules ---- */

/* Returns `other`, the next row by address, if it touches `row` from below or from above; otherwise
 * NULL. */
static const pm_rule_row *touching(const pm_rule_row *row, const pm_rule_row *other, bool below)
{
    if (!other)
        return NULL;
    if (below)
        return other->start + other->length == row->start ? other : NULL;
    return row->start + row->length == other->start ? other : NULL;
}

static bool neighbour_holds(const pm_rule_conditions *c, const pm_rule_row *other,
                            const pm_rule_row *row, pm_regex_space *space)
{
    if (c->nothing)
        return !other;
    return c->n == 0 || (other && !first_failing(c, other, row, space));
}

size_t pm_rules_match(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                      const pm_rule_row *row, const pm_rule_row *above)
{
    const pm_rule_row *lower = touching(row, below, true);
    const pm_rule_row *upper = touching(row, above, false);
    const size_t *index = set->of_base[row->base];

    for (size_t n = set->n_of_base[row->base]; n > 0; n--, index++) {
        const pm_rule *rule = &set->rule[*index];

        if ((facts & rule->with) == rule->with && !(facts & rule->without) &&
            !first_failing(&rule->own, row, row, set->space) &&
            neighbour_holds(&rule->below, lower, row, set->space) &&
            neighbour_holds(&rule->above, upper, row, set->space))
            return *index;
    }
    return PM_NO_RULE;
}

uint64_t pm_rules_gave_up(const pm_rules *set, size_t *index)
{
    *index = set->space->gave_up ? set->space->gave_up_rule : PM_NO_RULE;
    return set->space->gave_up;
}

pmapdb_status pm_rules_check(const pm_rules *set, pmapdb_error *err)
{
    bool failed = set->space->short_of_memory;

    set->space->short_of_memory = false;
    return failed ? pm_fail_nomem(err) : PMAPDB_OK;
}

/* ---- why a rule does not match, in words ---- */

/* Adds the value that the row has for the condition. For a neighbour, fills and covers are about
 * its end. */
static void add_found(const pm_rule_condition *c, const pm_rule_row *row, pm_buf *out)
{
    pm_rule_key key = c->key >= PM_RULE_KEY_FILLS ? PM_RULE_KEY_END : c->key;
    pm_text text = key == PM_RULE_KEY_FLAGS ? row->flags : row->path;

    pm_buf_addf(out, NULL, "%s ", pm_rule_kinds[key].name);
    if (key == PM_RULE_KEY_BASE)
        pm_buf_addf(out, NULL, "%s", pm_categories[row->base].slug);
    else if (key == PM_RULE_KEY_PERMS)
        pm_buf_addf(out, NULL, "%.4s", row->perms);
    else if (key == PM_RULE_KEY_SIZE)
        pm_buf_addf(out, NULL, "%" PRIu64 " KiB", row->length / 1024);
    else if (key == PM_RULE_KEY_START || key == PM_RULE_KEY_END)
        pm_buf_addf(out, NULL, "0x%" PRIx64,
                    row->start + (key == PM_RULE_KEY_END ? row->length : 0));
    else if (key == PM_RULE_KEY_FLAGS && !row->has_flags)
        pm_buf_addf(out, NULL, "not shown");
    else
        pm_buf_addf(out, NULL, "%.*s", text.len ? (int)text.len : 4, text.len ? text.data : "none");
}

pmapdb_status pm_rules_why(const pm_rules *set, size_t index, uint64_t facts,
                           const pm_rule_row *below, const pm_rule_row *row,
                           const pm_rule_row *above, pm_buf *out, pmapdb_error *err)
{
    const pm_rule *rule = &set->rule[index];
    const struct {
        const char *side;
        const pm_rule_conditions *asked;
        const pm_rule_row *of;
    } rows[] = {{"", &rule->own, row},
                {"below: ", &rule->below, touching(row, below, true)},
                {"above: ", &rule->above, touching(row, above, false)}};
    uint64_t missing = rule->with & ~facts, bits = missing ? missing : rule->without & facts;
    size_t begun = out->len;

    for (int i = 0; i < 3 && out->len == begun; i++) {
        const pm_rule_conditions *c = rows[i].asked;
        const pm_rule_row *of = rows[i].of;
        const pm_rule_condition *failing = of ? first_failing(c, of, row, set->space) : NULL;

        if (c->nothing && of) {
            pm_buf_addf(out, NULL, "%s%s of %" PRIu64 " KiB touches", rows[i].side,
                        pm_categories[of->base].slug, of->length / 1024);
        } else if (c->n && !of) {
            pm_buf_addf(out, NULL, "%snothing touches", rows[i].side);
        } else if (failing) {
            pm_buf_addf(out, NULL, "%s", rows[i].side);
            add_found(failing, of, out);
        }
    }
    if (out->len == begun && bits)
        pm_buf_addf(out, NULL, "%s mapping of the capture has %s", missing ? "no" : "a",
                    set->term[__builtin_ctzll(bits)].text);
    return pm_buf_status(out, err);
}
