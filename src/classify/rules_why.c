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
                {"below: ", &rule->below, pm_rule_touching(row, below, true)},
                {"above: ", &rule->above, pm_rule_touching(row, above, false)}};
    uint64_t missing = rule->with & ~facts, bits = missing ? missing : rule->without & facts;
    size_t begun = out->len;

    for (int i = 0; i < 3 && out->len == begun; i++) {
        const pm_rule_conditions *c = rows[i].asked;
        const pm_rule_row *of = rows[i].of;
        const pm_rule_condition *failing =
            of ? pm_rule_first_failing(c, of, row, set->space) : NULL;

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
