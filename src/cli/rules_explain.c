/* rules_explain: pmapdb rules --explain ADDRESS: which rule the mapping there matches, what
 * kept it from those before, and what its lineage was given in its first capture. */
#include "cli/rules_mapping.h"
#include "cli/write.h"

#include "api/rules.h"
#include "base/num.h"
#include "classify/rules.h"
#include "cli/value.h"
#include "store/rules/apply.h"

static const pm_column columns[] = {{"position", PM_UNIT_INT},  {"rule", PM_UNIT_TEXT},
                                    {"category", PM_UNIT_TEXT}, {"matches", PM_UNIT_BOOL},
                                    {"kept", PM_UNIT_BOOL},     {"why", PM_UNIT_TEXT}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct explaining {
    pm_rules_cli *r;
    pm_rules_choice choice;
    pm_rules_mapping mapping;
    size_t rule; /* that matches, or PM_NO_RULE */
    pm_render *render;
} explaining;

/* ---- what stands above ---- */

/* What the process said of its memory comes before all rules. */
static bool is_labelled(const explaining *x)
{
    return strcmp(x->mapping.rule, PM_RULE_LABEL) == 0;
}

static pmapdb_status write_title(const explaining *x, const pm_sink *sink, pmapdb_error *err)
{
    const pm_rule_row *row = pm_rules_mapping_row(&x->mapping);
    unsigned long long start = row->start, end = start + row->length, kib = row->length / 1024;
    pm_buf line = {0};
    pmapdb_status st = pm_buf_addf(&line, err, "%llx to %llx of %s", start, end, x->mapping.name);

    if (st == PMAPDB_OK && x->mapping.pid != PMAPDB_UNKNOWN)
        st = pm_buf_addf(&line, err, " %lld", (long long)x->mapping.pid);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&line, err, " in @%lld: %llu KiB %s", (long long)x->mapping.snapshot, kib,
                         row->perms);
    if (st == PMAPDB_OK && row->path.len)
        st = pm_buf_addf(&line, err, " %s", row->path.data);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&line, err, "%s%s", row->has_flags ? ", VmFlags " : "",
                         row->has_flags ? row->flags.data : "");
    if (st == PMAPDB_OK)
        st = pm_render_line(sink, pm_buf_text(&line), err);
    pm_buf_free(&line);
    return st;
}

static pmapdb_status write_kept(const explaining *x, const pm_sink *sink, pmapdb_error *err)
{
    const pm_rules_mapping *m = &x->mapping;
    pm_buf line = {0};
    pmapdb_status st =
        pm_buf_addf(&line, err, "%s, lineage %lld, first seen in @%lld, %s; ", m->category,
                    (long long)m->lineage, (long long)m->first_id, m->first_at);

    if (st == PMAPDB_OK && is_labelled(x))
        st = pm_buf_addf(&line, err, "the process itself calls it so");
    else if (st == PMAPDB_OK)
        st = pm_buf_addf(&line, err, "%s%s", *m->rule ? "by rule " : "no rule gave it", m->rule);
    if (st == PMAPDB_OK)
        st = pm_render_line(sink, pm_buf_text(&line), err);
    if (st == PMAPDB_OK && x->r->cli->format == PM_FORMAT_MD)
        st = pm_render_line(sink, PM_TEXT(""), err);
    pm_buf_free(&line);
    return st;
}

/* ---- rows ---- */

/* It is the one that the store says. */
static bool is_kept(const explaining *x, size_t rule)
{
    const char *name = rule == PM_NO_RULE ? "" : pm_rules_name(x->choice.rules, rule);

    return x->choice.stored && strcmp(name, x->mapping.rule) == 0;
}

static pm_value position_value(const explaining *x, size_t rule)
{
    if (rule == PM_NO_RULE && pm_cli_is_for_people(x->r->cli))
        return pm_value_text("");
    return pm_value_int(rule == PM_NO_RULE ? PMAPDB_UNKNOWN : (int64_t)rule + 1);
}

static pmapdb_status put(explaining *x, const pm_rules_step *step, const char *why,
                         pmapdb_error *err)
{
    const pm_rules *rules = x->choice.rules;
    pm_buf category = {0};
    pmapdb_status st =
        step->matches ? pm_rules_category(rules, step->rule, pm_rules_mapping_row(&x->mapping),
                                          &category, err)
                      : pm_buf_addf(&category, err, "%s", pm_rules_template(rules, step->rule));
    pm_value values[] = {
        position_value(x, step->rule),
        pm_value_text(step->rule == PM_NO_RULE ? "" : pm_rules_name(rules, step->rule)),
        {.kind = PM_VALUE_TEXT, .t = pm_buf_text(&category)},
        pm_value_int(step->matches),
        pm_value_int(is_kept(x, step->rule)),
        pm_value_text(why)};

    if (st == PMAPDB_OK)
        st = pm_render_row(x->render, values, err);
    pm_buf_free(&category);
    return st;
}

/* Those before the rule that matches, it, and the one that the lineage has where that is behind. */
static pmapdb_status on_step(void *ctx, const pm_rules_step *step, pmapdb_error *err)
{
    explaining *x = ctx;
    pm_buf words = {0};
    pmapdb_status st = PMAPDB_OK;

    if (step->rule > x->rule && !is_kept(x, step->rule))
        return PMAPDB_OK;
    if (step->matches)
        st = pm_rules_words(x->choice.rules, step->rule, &words, err);
    if (st == PMAPDB_OK)
        st = put(x, step, step->matches ? words.data : step->why, err);
    pm_buf_free(&words);
    return st;
}

static pmapdb_status write_rules(explaining *x, const pm_sink *sink, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(x->r->cli);
    const pm_rules_step none = {.rule = PM_NO_RULE, .matches = true};
    pmapdb_status st = pm_render_new(&how, sink, columns, N_COLUMNS, &x->render, err);

    if (st == PMAPDB_OK)
        st = pm_rules_trace(x->choice.rules, x->mapping.facts, pm_rules_mapping_below(&x->mapping),
                            pm_rules_mapping_row(&x->mapping), pm_rules_mapping_above(&x->mapping),
                            on_step, x, err);
    if (st == PMAPDB_OK && x->rule == PM_NO_RULE)
        st = put(x, &none, "no rule matches", err);
    if (st == PMAPDB_OK)
        st = pm_render_end(x->render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(x->r->cli, x->render);
    pm_render_free(x->render);
    return st;
}

static pmapdb_status write_all(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    explaining *x = ctx;
    bool people = pm_cli_is_for_people(x->r->cli);
    pmapdb_status st = people ? write_title(x, sink, err) : PMAPDB_OK;

    if (st == PMAPDB_OK && people)
        st = write_kept(x, sink, err);
    return st == PMAPDB_OK ? write_rules(x, sink, err) : st;
}

/* A category is decided once; in this snapshot the same rules might say something else. */
static pmapdb_status say_kept(const explaining *x, pmapdb_error *err)
{
    pm_buf category = {0};
    pmapdb_status st = pm_rules_category(x->choice.rules, x->rule,
                                         pm_rules_mapping_row(&x->mapping), &category, err);

    if (st == PMAPDB_OK && x->choice.stored && !is_labelled(x) &&
        strcmp(category.data, x->mapping.category) != 0 && !x->r->cli->quiet)
        pm_cli_say("it stays %s: rules are asked in the first capture of a lineage, in @%lld they "
                   "would say %s",
                   x->mapping.category, (long long)x->mapping.snapshot, category.data);
    pm_buf_free(&category);
    return st;
}

/* ---- the run ---- */

static size_t find_rule(pm_rules_mapping *m, const pm_rules *rules)
{
    pm_rules_mapping_facts(m, rules);
    return pm_rules_match(rules, m->facts, pm_rules_mapping_below(m), pm_rules_mapping_row(m),
                          pm_rules_mapping_above(m));
}

static pmapdb_status run(explaining *x, uint64_t address, pmapdb_error *err)
{
    pm_rules_cli *r = x->r;
    pmapdb_status st = pm_rules_choose(r->store, r->rules, r->application, &x->choice, err);

    if (st == PMAPDB_OK)
        st = pm_rules_choice_read(&x->choice, pm_rules_cli_note, r, err);
    if (st == PMAPDB_OK)
        st = pm_rules_mapping_read(r, address, &x->mapping, err);
    if (st != PMAPDB_OK)
        return st;
    x->rule = find_rule(&x->mapping, x->choice.rules);
    st = pm_cli_write_with(r->cli, write_all, x, err);
    return st == PMAPDB_OK ? say_kept(x, err) : st;
}

static bool read_address(const char *text, uint64_t *out)
{
    pm_text t = pm_text_of(text);

    if (pm_text_starts(t, PM_TEXT("0x")))
        t = pm_text_from(t, 2);
    return t.len && pm_num_hex(t.data, t.data + t.len, out) == t.len;
}

int pm_rules_cli_explain(pm_rules_cli *r)
{
    explaining x = {.r = r};
    uint64_t address = 0;
    pmapdb_error err;
    pmapdb_status st = PMAPDB_OK;

    if (!read_address(r->address, &address))
        st = pm_fail(&err, PMAPDB_USAGE, "--explain wants an address in hexadecimal, not '%s'",
                     r->address);
    if (st == PMAPDB_OK)
        st = run(&x, address, &err);
    pm_rules_choice_free(&x.choice);
    pm_rules_mapping_free(&x.mapping);
    return st == PMAPDB_OK ? PM_EXIT_OK : pm_rules_cli_fail(r, st, &err);
}
