/* rules_explain: describes in words the conditions of a rule, why a rule does not match, and what
 * in a set is allowed but probably a mistake. */
#include "classify/rules_set.h"

#include <inttypes.h>

/* Adds a size in the largest unit that gives an exact number. */
static void add_kib(uint64_t kib, pm_buf *out)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;

    while (unit < 3 && kib && kib % 1024 == 0) {
        kib /= 1024;
        unit++;
    }
    pm_buf_addf(out, NULL, "%" PRIu64 " %s", kib, units[unit]);
}

/* ---- what a condition needs ---- */

static void add_number(bool address, uint64_t value, pm_buf *out)
{
    if (address)
        pm_buf_addf(out, NULL, "0x%" PRIx64, value);
    else
        add_kib(value, out);
}

static void need_range(bool address, const pm_rule_part *p, pm_buf *out)
{
    if (p->from || p->from == p->last)
        add_number(address, p->from, out);
    if (p->from == p->last)
        return;
    pm_buf_addf(out, NULL, "%s", p->last == UINT64_MAX ? " or more" : p->from ? " to " : "up to ");
    if (p->last != UINT64_MAX)
        add_number(address, p->last, out);
}

static void need_multiple(bool address, const pm_rule_part *p, pm_buf *out)
{
    uint64_t scale = address ? 1024 : 1;

    pm_buf_addf(out, NULL, "a multiple of ");
    add_kib(p->step / scale, out);
    if (p->remain) {
        pm_buf_addf(out, NULL, " and ");
        add_kib(p->remain / scale, out);
    }
}

/* Any one range of a size is sufficient; all other parts must hold together. */
static void need_numbers(const pm_rule_condition *c, pm_buf *out)
{
    bool address = c->key != PM_RULE_KEY_SIZE;

    for (size_t i = 0; i < c->n; i++) {
        const pm_rule_part *p = &c->part[i];
        bool either = i && !address && !p->step && !c->part[i - 1].step;

        pm_buf_addf(out, NULL, "%s", i == 0 ? " " : either ? " or " : " and ");
        (p->step ? need_multiple : need_range)(address, p, out);
    }
}

static void need_bases(const pm_rule_condition *c, pm_buf *out)
{
    const char *between = " ";

    for (unsigned base = 0; base < PM_BASES; base++)
        if (c->bases >> base & 1) {
            pm_buf_addf(out, NULL, "%s%s", between, pm_categories[base].slug);
            between = " or ";
        }
}

static void need_globs(const pm_rule_condition *c, pm_buf *out)
{
    if (c->none)
        pm_buf_addf(out, NULL, " none");
    else if (c->regex)
        pm_buf_addf(out, NULL, " like the regex %s", pm_regex_pattern(c->regex));
    for (size_t i = 0; i < c->n; i++)
        pm_buf_addf(out, NULL, "%s%s", i ? " or " : " ", pm_regex_pattern(c->part[i].glob));
}

static void need_flags(const pm_rule_condition *c, pm_buf *out)
{
    if (c->none)
        pm_buf_addf(out, NULL, " not shown");
    for (size_t i = 0; i < c->n; i++)
        pm_buf_addf(out, NULL, "%s%s%.2s", i ? ", " : " ", c->part[i].lacks ? "not " : "",
                    c->part[i].flag);
}

static void need_perms(const pm_rule_condition *c, pm_buf *out)
{
    pm_buf_addf(out, NULL, " %.4s", c->perms);
}

static void need_reach(const pm_rule_condition *c, pm_buf *out)
{
    pm_buf_addf(out, NULL,
                c->key == PM_RULE_KEY_FILLS ? " at the next multiple of "
                                            : " at or after the next multiple of ");
    add_kib(c->reach / 1024, out);
}

/* Returns the name of the condition. For a neighbour, fills and covers refer to its end. */
static const char *word_of(const pm_rule_condition *c)
{
    return pm_rule_kinds[c->key >= PM_RULE_KEY_FILLS ? PM_RULE_KEY_END : c->key].name;
}

static void add_need(const pm_rule_condition *c, pm_buf *out)
{
    static void (*const need[])(const pm_rule_condition *, pm_buf *) = {
        [PM_RULE_BASES] = need_bases,     [PM_RULE_GLOBS] = need_globs,
        [PM_RULE_LETTERS] = need_perms,   [PM_RULE_MARKS] = need_flags,
        [PM_RULE_NUMBERS] = need_numbers, [PM_RULE_REACH] = need_reach};

    pm_buf_addf(out, NULL, "%s", word_of(c));
    need[pm_rule_kinds[c->key].type](c, out);
}

/* Adds the value of that kind that the row has. */
static void found(pm_rule_key key, const pm_rule_row *row, pm_buf *out)
{
    pm_text text = key == PM_RULE_KEY_FLAGS ? row->flags : row->path;

    if (key == PM_RULE_KEY_BASE)
        pm_buf_addf(out, NULL, " %s", pm_categories[row->base].slug);
    else if (key == PM_RULE_KEY_PERMS)
        pm_buf_addf(out, NULL, " %.4s", row->perms);
    else if (key == PM_RULE_KEY_SIZE)
        pm_buf_addf(out, NULL, " %" PRIu64 " KiB", row->length / 1024);
    else if (key == PM_RULE_KEY_START)
        pm_buf_addf(out, NULL, " 0x%" PRIx64, row->start);
    else if (key == PM_RULE_KEY_DEVICE)
        pm_buf_addf(out, NULL, " %s", row->device ? row->device : "not shown");
    else if (key > PM_RULE_KEY_START)
        pm_buf_addf(out, NULL, " 0x%" PRIx64, row->start + row->length);
    else if (key == PM_RULE_KEY_FLAGS && !row->has_flags)
        pm_buf_addf(out, NULL, " not shown");
    else
        pm_buf_addf(out, NULL, " %.*s", text.len ? (int)text.len : 4,
                    text.len ? text.data : "none");
}

/* ---- a rule ---- */

static void add_needs(const pm_rule_conditions *c, const char *between, pm_buf *out)
{
    if (c->nothing)
        pm_buf_addf(out, NULL, "nothing that touches");
    for (size_t i = 0; i < c->n; i++) {
        pm_buf_addf(out, NULL, "%s", i ? between : "");
        add_need(&c->item[i], out);
    }
}

/* Adds a part to the sentence that begins at `begun`, unless the part is empty. */
static void add_part(const char *intro, const pm_rule_conditions *c, size_t begun, pm_buf *out)
{
    if (!c->n && !c->nothing)
        return;
    pm_buf_addf(out, NULL, "%s%s", out->len > begun ? "; " : "", intro);
    add_needs(c, *intro ? ", " : "; ", out);
}

pmapdb_status pm_rules_words(const pm_rules *set, size_t index, pm_buf *out, pmapdb_error *err)
{
    const pm_rule *rule = &set->rule[index];
    size_t begun = out->len;

    add_part("", &rule->own, begun, out);
    add_part("below: ", &rule->below, begun, out);
    add_part("above: ", &rule->above, begun, out);
    for (size_t i = 0; i < set->n_terms; i++)
        if (rule->with >> i & 1)
            add_part("in the capture: ", &set->term[i].conditions, begun, out);
    for (size_t i = 0; i < set->n_terms; i++)
        if (rule->without >> i & 1)
            add_part("not in the capture: ", &set->term[i].conditions, begun, out);
    if (out->len == begun)
        pm_buf_addf(out, NULL, "any mapping");
    return pm_buf_status(out, err);
}

/* ---- why not ---- */

static void why_own(const char *intro, const pm_rule_condition *c, const pm_rule_row *of,
                    pm_buf *out)
{
    pm_buf_addf(out, NULL, "%s%s", intro, word_of(c));
    found(c->key, of, out);
    pm_buf_addf(out, NULL, ", needs ");
    add_need(c, out);
}

static void why_neighbour(const char *intro, const pm_rule_conditions *c,
                          const pm_rule_row *touching, const pm_rule_row *row,
                          pm_regex_space *space, pm_buf *out)
{
    const pm_rule_condition *failing;

    if (c->nothing && touching) {
        pm_buf_addf(out, NULL, "%s%s of %" PRIu64 " KiB touches, needs nothing that does", intro,
                    pm_categories[touching->base].slug, touching->length / 1024);
    } else if (c->n && !touching) {
        pm_buf_addf(out, NULL, "%snothing touches, needs ", intro);
        add_needs(c, ", ", out);
    } else if (touching && (failing = pm_rule_first_failing(c, touching, row, space))) {
        why_own(intro, failing, touching, out);
    }
}

static void why_facts(const pm_rules *set, const pm_rule *rule, uint64_t facts, pm_buf *out)
{
    uint64_t missing = rule->with & ~facts, there = rule->without & facts;
    uint64_t bits = missing ? missing : there;

    if (!bits)
        return;
    pm_buf_addf(out, NULL,
                missing ? "no mapping of the capture has " : "a mapping of the capture has ");
    add_needs(&set->term[__builtin_ctzll(bits)].conditions, ", ", out);
}

pmapdb_status pm_rules_why(const pm_rules *set, size_t index, uint64_t facts,
                           const pm_rule_row *below, const pm_rule_row *row,
                           const pm_rule_row *above, pm_buf *out, pmapdb_error *err)
{
    const pm_rule *rule = &set->rule[index];
    const pm_rule_condition *own = pm_rule_first_failing(&rule->own, row, row, set->space);
    size_t begun = out->len;

    if (own)
        why_own("", own, row, out);
    else
        why_neighbour("below: ", &rule->below, pm_rule_touching(row, below, true), row, set->space,
                      out);
    if (out->len == begun)
        why_neighbour("above: ", &rule->above, pm_rule_touching(row, above, false), row, set->space,
                      out);
    if (out->len == begun)
        why_facts(set, rule, facts, out);
    return pm_buf_status(out, err);
}

pmapdb_status pm_rules_trace(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                             const pm_rule_row *row, const pm_rule_row *above,
                             pm_rules_step_fn *on_step, void *ctx, pmapdb_error *err)
{
    pm_buf why = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < set->n_of_base[row->base] && st == PMAPDB_OK; i++) {
        pm_rules_step step = {.rule = set->of_base[row->base][i]};

        pm_buf_clear(&why);
        st = pm_rules_why(set, step.rule, facts, below, row, above, &why, err);
        step.matches = why.len == 0;
        step.why = pm_buf_text(&why).data;
        if (st == PMAPDB_OK)
            st = on_step(ctx, &step, err);
    }
    pm_buf_free(&why);
    return st;
}

/* ---- doubts ---- */

/* Warns about an unanchored regex, which matches anywhere in a path. */
static void doubt_rule(const pm_rule *rule, pm_buf *out)
{
    const pm_rule_condition *path = pm_rule_find(&rule->own, PM_RULE_KEY_PATH);
    const char *pattern = path && path->regex ? pm_regex_pattern(path->regex) : "^";

    if (!strpbrk(pattern, "^/$") && strcmp(pattern, ".") != 0)
        pm_buf_addf(out, NULL, "rule '%s': its regex is found anywhere in a path; ^ is its begin",
                    rule->name);
}

/* Warns about base slugs without rules in a set that names its own categories, because such a set
 * should name all of them. */
static void doubt_set(const pm_rules *set, pm_buf *out)
{
    bool own_names = false;
    const char *between = "";
    size_t begun = out->len;

    for (size_t i = 0; i < set->n; i++)
        own_names |= !set->rule[i].refines;
    for (size_t base = 0; base < PM_BASES && own_names; base++)
        if (set->n_of_base[base] == 0) {
            pm_buf_addf(out, NULL, "%s%s", between, pm_categories[base].slug);
            between = ", ";
        }
    if (out->len > begun)
        pm_buf_addf(out, NULL, ": there is no rule for this base: its slug shows");
}

pmapdb_status pm_rules_warning(const pm_rules *set, size_t index, pm_buf *out, pmapdb_error *err)
{
    if (index == PM_NO_RULE)
        doubt_set(set, out);
    else
        doubt_rule(&set->rule[index], out);
    return pm_buf_status(out, err);
}
