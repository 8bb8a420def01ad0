/* rules_words: conditions in words, what was found instead, and what may not be meant. */
#include "classify/rules_condition.h"

#include <inttypes.h>

static pmapdb_status add(pm_buf *out, pmapdb_error *err, const char *text)
{
    return pm_buf_add(out, text, strlen(text), err);
}

/* KiB, in the largest unit that says it exactly. */
static pmapdb_status add_kib(uint64_t kib, pm_buf *out, pmapdb_error *err)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;

    while (unit < 3 && kib && kib % 1024 == 0) {
        kib /= 1024;
        unit++;
    }
    return pm_buf_addf(out, err, "%" PRIu64 " %s", kib, units[unit]);
}

/* ---- what a condition needs ---- */

static pmapdb_status add_number(bool address, uint64_t value, pm_buf *out, pmapdb_error *err)
{
    return address ? pm_buf_addf(out, err, "0x%" PRIx64, value) : add_kib(value, out, err);
}

static pmapdb_status need_range(bool address, const pm_rule_part *p, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (p->from == p->last)
        return add_number(address, p->from, out, err);
    if (p->from)
        st = add_number(address, p->from, out, err);
    if (p->last == UINT64_MAX)
        return st == PMAPDB_OK ? add(out, err, " or more") : st;
    if (st == PMAPDB_OK)
        st = add(out, err, p->from ? " to " : "up to ");
    return st == PMAPDB_OK ? add_number(address, p->last, out, err) : st;
}

static pmapdb_status need_multiple(bool address, const pm_rule_part *p, pm_buf *out,
                                   pmapdb_error *err)
{
    uint64_t scale = address ? 1024 : 1;
    pmapdb_status st = add(out, err, "a multiple of ");

    if (st == PMAPDB_OK)
        st = add_kib(p->step / scale, out, err);
    if (st != PMAPDB_OK || !p->remain)
        return st;
    st = add(out, err, " and ");
    return st == PMAPDB_OK ? add_kib(p->remain / scale, out, err) : st;
}

/* Of sizes any range is enough; what else there is must all hold. */
static pmapdb_status need_numbers(const pm_rule_condition *c, pm_buf *out, pmapdb_error *err)
{
    bool address = c->key != PM_RULE_KEY_SIZE;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++) {
        const pm_rule_part *p = &c->part[i];
        bool either = i && !address && !p->step && !c->part[i - 1].step;

        st = add(out, err, i == 0 ? " " : either ? " or " : " and ");
        if (st == PMAPDB_OK)
            st = p->step ? need_multiple(address, p, out, err) : need_range(address, p, out, err);
    }
    return st;
}

static pmapdb_status need_bases(const pm_rule_condition *c, pm_buf *out, pmapdb_error *err)
{
    const char *between = " ";
    pmapdb_status st = PMAPDB_OK;

    for (unsigned base = 0; base < PM_BASES && st == PMAPDB_OK; base++)
        if (c->bases >> base & 1) {
            st = pm_buf_addf(out, err, "%s%s", between, pm_categories[base].slug);
            between = " or ";
        }
    return st;
}

static pmapdb_status need_globs(const pm_rule_condition *c, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (c->none)
        return add(out, err, " none");
    if (c->regex)
        return pm_buf_addf(out, err, " like the regex %s", pm_regex_pattern(c->regex));
    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++)
        st = pm_buf_addf(out, err, "%s%s", i ? " or " : " ", c->part[i].glob);
    return st;
}

static pmapdb_status need_flags(const pm_rule_condition *c, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (c->none)
        return add(out, err, " not shown");
    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++)
        st = pm_buf_addf(out, err, "%s%s%.2s", i ? ", " : " ", c->part[i].lacks ? "not " : "",
                         c->part[i].flag);
    return st;
}

static pmapdb_status need_perms(const pm_rule_condition *c, pm_buf *out, pmapdb_error *err)
{
    return pm_buf_addf(out, err, " %.4s", c->perms);
}

static pmapdb_status need_reach(const pm_rule_condition *c, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = add(out, err,
                           c->key == PM_RULE_KEY_FILLS ? " at the next multiple of "
                                                       : " at or behind the next multiple of ");

    return st == PMAPDB_OK ? add_kib(c->reach / 1024, out, err) : st;
}

/* ---- what was found ---- */

static pmapdb_status found_base(const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    return pm_buf_addf(out, err, " %s", pm_categories[row->base].slug);
}

static pmapdb_status found_path(const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    return row->path.len ? pm_buf_addf(out, err, " %.*s", (int)row->path.len, row->path.data)
                         : add(out, err, " none");
}

static pmapdb_status found_perms(const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    return pm_buf_addf(out, err, " %.4s", row->perms);
}

static pmapdb_status found_flags(const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    if (!row->has_flags)
        return add(out, err, " not shown");
    return row->flags.len ? pm_buf_addf(out, err, " %.*s", (int)row->flags.len, row->flags.data)
                          : add(out, err, " none");
}

static pmapdb_status found_size(const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    return pm_buf_addf(out, err, " %" PRIu64 " KiB", row->length / 1024);
}

static pmapdb_status found_start(const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    return pm_buf_addf(out, err, " 0x%" PRIx64, row->start);
}

static pmapdb_status found_end(const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    return pm_buf_addf(out, err, " 0x%" PRIx64, row->start + row->length);
}

static pmapdb_status found_device(const pm_rule_row *row, pm_buf *out, pmapdb_error *err)
{
    return pm_buf_addf(out, err, " %s", row->device ? row->device : "not shown");
}

static const struct {
    const char *word;
    pmapdb_status (*need)(const pm_rule_condition *c, pm_buf *out, pmapdb_error *err);
    pmapdb_status (*found)(const pm_rule_row *row, pm_buf *out, pmapdb_error *err);
} kinds[PM_RULE_KEYS] = {
    [PM_RULE_KEY_BASE] = {"base", need_bases, found_base},
    [PM_RULE_KEY_PATH] = {"path", need_globs, found_path},
    [PM_RULE_KEY_NAME] = {"name", need_globs, found_path},
    [PM_RULE_KEY_PERMS] = {"perms", need_perms, found_perms},
    [PM_RULE_KEY_FLAGS] = {"flags", need_flags, found_flags},
    [PM_RULE_KEY_SIZE] = {"size", need_numbers, found_size},
    [PM_RULE_KEY_START] = {"start", need_numbers, found_start},
    [PM_RULE_KEY_END] = {"end", need_numbers, found_end},
    [PM_RULE_KEY_DEVICE] = {"device", need_globs, found_device},
    [PM_RULE_KEY_FILLS] = {"end", need_reach, found_end},
    [PM_RULE_KEY_COVERS] = {"end", need_reach, found_end},
};

/* ---- a rule ---- */

static pmapdb_status add_need(const pm_rule_condition *c, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = add(out, err, kinds[c->key].word);

    return st == PMAPDB_OK ? kinds[c->key].need(c, out, err) : st;
}

static pmapdb_status add_needs(const pm_rule_conditions *c, const char *between, pm_buf *out,
                               pmapdb_error *err)
{
    pmapdb_status st = c->nothing ? add(out, err, "nothing that touches") : PMAPDB_OK;

    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++) {
        if (i)
            st = add(out, err, between);
        if (st == PMAPDB_OK)
            st = add_need(&c->item[i], out, err);
    }
    return st;
}

/* A part of the sentence, where there is something to say: `intro` and the needs. */
static pmapdb_status add_part(const char *intro, const pm_rule_conditions *c, size_t begun,
                              pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!c->n && !c->nothing)
        return PMAPDB_OK;
    if (out->len > begun)
        st = add(out, err, "; ");
    if (st == PMAPDB_OK)
        st = add(out, err, intro);
    return st == PMAPDB_OK ? add_needs(c, *intro ? ", " : "; ", out, err) : st;
}

pmapdb_status pm_rules_words(const pm_rules *set, size_t index, pm_buf *out, pmapdb_error *err)
{
    const pm_rule *rule = &set->rule[index];
    size_t begun = out->len;
    pmapdb_status st = add_part("", &rule->own, begun, out, err);

    if (st == PMAPDB_OK)
        st = add_part("below: ", &rule->below, begun, out, err);
    if (st == PMAPDB_OK)
        st = add_part("above: ", &rule->above, begun, out, err);
    for (size_t i = 0; i < set->n_terms && st == PMAPDB_OK; i++)
        if (rule->with >> i & 1)
            st = add_part("in the capture: ", &set->term[i].conditions, begun, out, err);
    for (size_t i = 0; i < set->n_terms && st == PMAPDB_OK; i++)
        if (rule->without >> i & 1)
            st = add_part("not in the capture: ", &set->term[i].conditions, begun, out, err);
    return st == PMAPDB_OK && out->len == begun ? add(out, err, "any mapping") : st;
}

/* ---- why not ---- */

static pmapdb_status why_own(const char *intro, const pm_rule_condition *c, const pm_rule_row *of,
                             pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_addf(out, err, "%s%s", intro, kinds[c->key].word);

    if (st == PMAPDB_OK)
        st = kinds[c->key].found(of, out, err);
    if (st == PMAPDB_OK)
        st = add(out, err, ", needs ");
    return st == PMAPDB_OK ? add_need(c, out, err) : st;
}

static pmapdb_status why_neighbour(const char *intro, const pm_rule_conditions *c,
                                   const pm_rule_row *touching, const pm_rule_row *row,
                                   pm_regex_space *space, pm_buf *out, pmapdb_error *err)
{
    const pm_rule_condition *failing;
    pmapdb_status st;

    if (c->nothing && touching)
        return pm_buf_addf(out, err, "%s%s of %" PRIu64 " KiB touches, needs nothing that does",
                           intro, pm_categories[touching->base].slug, touching->length / 1024);
    if (c->n && !touching) {
        st = pm_buf_addf(out, err, "%snothing touches, needs ", intro);
        return st == PMAPDB_OK ? add_needs(c, ", ", out, err) : st;
    }
    failing = pm_rule_first_failing(c, touching, row, space);
    return failing ? why_own(intro, failing, touching, out, err) : PMAPDB_OK;
}

static pmapdb_status why_facts(const pm_rules *set, const pm_rule *rule, uint64_t facts,
                               pm_buf *out, pmapdb_error *err)
{
    uint64_t missing = rule->with & ~facts, there = rule->without & facts;
    uint64_t bits = missing ? missing : there;
    pmapdb_status st;

    if (!bits)
        return PMAPDB_OK;
    st =
        add(out, err, missing ? "no mapping of the capture has " : "a mapping of the capture has ");
    if (st != PMAPDB_OK)
        return st;
    return add_needs(&set->term[__builtin_ctzll(bits)].conditions, ", ", out, err);
}

pmapdb_status pm_rules_why(const pm_rules *set, size_t index, uint64_t facts,
                           const pm_rule_row *below, const pm_rule_row *row,
                           const pm_rule_row *above, pm_buf *out, pmapdb_error *err)
{
    const pm_rule *rule = &set->rule[index];
    const pm_rule_condition *own = pm_rule_first_failing(&rule->own, row, row, set->space);
    size_t begun = out->len;
    pmapdb_status st;

    if (own)
        return why_own("", own, row, out, err);
    st = why_neighbour("below: ", &rule->below, pm_rule_touching(row, below, true), row, set->space,
                       out, err);
    if (st == PMAPDB_OK && out->len == begun)
        st = why_neighbour("above: ", &rule->above, pm_rule_touching(row, above, false), row,
                           set->space, out, err);
    return st == PMAPDB_OK && out->len == begun ? why_facts(set, rule, facts, out, err) : st;
}
