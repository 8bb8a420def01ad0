/* rules_why: says in words why a rule does not match a mapping. */
#include "classify/rules_set.h"

#include <inttypes.h>

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

static void why_neighbour(const char *side, const pm_rule_conditions *c,
                          const pm_rule_row *touching, const pm_rule_row *row,
                          pm_regex_space *space, pm_buf *out)
{
    const pm_rule_condition *failing =
        touching ? pm_rule_first_failing(c, touching, row, space) : NULL;

    if (c->nothing && touching)
        pm_buf_addf(out, NULL, "%s: %s of %" PRIu64 " KiB touches", side,
                    pm_categories[touching->base].slug, touching->length / 1024);
    else if (c->n && !touching)
        pm_buf_addf(out, NULL, "%s: nothing touches", side);
    if (failing) {
        pm_buf_addf(out, NULL, "%s: ", side);
        add_found(failing, touching, out);
    }
}

static void why_facts(const pm_rules *set, const pm_rule *rule, uint64_t facts, pm_buf *out)
{
    uint64_t missing = rule->with & ~facts, there = rule->without & facts;
    uint64_t bits = missing ? missing : there;

    if (bits)
        pm_buf_addf(out, NULL, "%s mapping of the capture has %s", missing ? "no" : "a",
                    set->term[__builtin_ctzll(bits)].text);
}

pmapdb_status pm_rules_why(const pm_rules *set, size_t index, uint64_t facts,
                           const pm_rule_row *below, const pm_rule_row *row,
                           const pm_rule_row *above, pm_buf *out, pmapdb_error *err)
{
    const pm_rule *rule = &set->rule[index];
    const pm_rule_condition *own = pm_rule_first_failing(&rule->own, row, row, set->space);
    size_t begun = out->len;

    if (own)
        add_found(own, row, out);
    if (out->len == begun)
        why_neighbour("below", &rule->below, pm_rule_touching(row, below, true), row, set->space,
                      out);
    if (out->len == begun)
        why_neighbour("above", &rule->above, pm_rule_touching(row, above, false), row, set->space,
                      out);
    if (out->len == begun)
        why_facts(set, rule, facts, out);
    return pm_buf_status(out, err);
}

pmapdb_status pm_rules_trace(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                             const pm_rule_row *row, const pm_rule_row *above,
                             pmapdb_status (*on_rule)(void *ctx, size_t rule, const char *why,
                                                      pmapdb_error *err),
                             void *ctx, pmapdb_error *err)
{
    pm_buf why = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < set->n_of_base[row->base] && st == PMAPDB_OK; i++) {
        size_t rule = set->of_base[row->base][i];

        pm_buf_clear(&why);
        st = pm_rules_why(set, rule, facts, below, row, above, &why, err);
        if (st == PMAPDB_OK)
            st = on_rule(ctx, rule, pm_buf_text(&why).data, err);
    }
    pm_buf_free(&why);
    return st;
}
