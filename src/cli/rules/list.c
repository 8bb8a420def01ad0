/* list: shows the rules of a set as rows, in words, or as the original file. */
#include "cli/rules/rules.h"

#include <inttypes.h>

#define AT(field) offsetof(pmapdb_rule, field)

static const pm_member columns[] = {
    {{"position", PM_UNIT_INT}, AT(position)},   {{"rule", PM_UNIT_TEXT}, AT(name)},
    {{"category", PM_UNIT_TEXT}, AT(category)},  {{"conditions", PM_UNIT_TEXT}, AT(conditions)},
    {{"lineages", PM_UNIT_COUNT}, AT(lineages)}, {{"note", PM_UNIT_TEXT}, AT(note)}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct listing {
    pm_rules_cmd *r;
    pm_output out;
    pm_flow flow; /* for `words` */
    bool words;
} listing;

/* ---- the set ---- */

static void write_set(listing *l, const pmapdb_rule_set *set)
{
    bool other_folder = strcmp(set->application, "/app") != 0;
    char at[PM_CLOCK_TEXT] = "";

    if (l->r->store && set->stored && set->applied_ms != PMAPDB_UNKNOWN)
        pm_clock_format(set->applied_ms, at);
    pm_output_line(&l->out, "%s, %" PRId64 " rule%s%s%s%s; %s%s", set->name, set->rules,
                   set->rules == 1 ? "" : "s", set->built_in ? ", built in" : "",
                   other_folder ? ", {app} is " : "", other_folder ? set->application : "",
                   !l->r->store   ? "there is no store"
                   : !set->stored ? "the store has others"
                   : *at          ? "applied to the store at "
                                  : "the store has them since it was made",
                   at);
    if (l->words || l->r->cli->format == PM_FORMAT_MD)
        pm_output_text(&l->out, "\n");
}

static void on_set(void *ctx, const pmapdb_rule_set *set)
{
    listing *l = ctx;

    /* Another version of the program created the store or applied its rules. */
    if (set->stored && set->named_built_in && !set->built_in)
        pm_cli_note(l->r->cli,
                    "this pmapdb %s has other rules by the name %s: pmapdb rules --diff %s says "
                    "what they would change, --apply %s changes it",
                    PMAPDB_VERSION, set->name, set->name, set->name);
    if (pm_cli_is_for_people(l->r->cli))
        write_set(l, set);
}

/* ---- rules ---- */

static void put(pm_flow *f, const char *label, const char *text)
{
    pm_flow_begin(f, 4, 13);
    pm_flow_say(f, 0, "%s:", label);
    pm_flow_words(f, 9 - strlen(label) - 1, pm_text_of(text));
    pm_flow_end(f);
}

static void put_words(pm_flow *f, const pmapdb_rule *rule)
{
    char lineages[32];

    pm_flow_begin(f, 0, 4);
    pm_flow_say(f, 0, "%" PRId64, rule->position);
    pm_flow_put(f, 1, PM_FLOW_BOLD, pm_text_of(rule->name));
    pm_flow_put(f, 0, PM_FLOW_PLAIN, PM_TEXT(":"));
    pm_flow_put(f, 1, PM_FLOW_PLAIN, pm_text_of(rule->category));
    pm_flow_end(f);
    put(f, "needs", rule->conditions);
    put(f, "asks",
        rule->of_object ? "for nothing that changes in the life of a mapping"
                        : "once, in the first capture: place, flags or neighbours may change");
    snprintf(lineages, sizeof lineages, "%" PRId64 " lineage%s", rule->lineages,
             rule->lineages == 1 ? "" : "s");
    if (rule->lineages != PMAPDB_UNKNOWN)
        put(f, "decided", lineages);
    if (*rule->note)
        put(f, "note", rule->note);
}

static void on_rule(void *ctx, const pmapdb_rule *rule)
{
    listing *l = ctx;

    if (l->words)
        put_words(&l->flow, rule);
    else
        pm_output_struct(&l->out, columns, N_COLUMNS, rule);
}

static void on_note(void *ctx, bool mistake, const char *note)
{
    const listing *l = ctx;

    pm_rules_cli_note(l->r, mistake, note);
}

void pm_rules_cli_list(pm_rules_cmd *r)
{
    listing l = {.r = r, .words = r->explain && r->cli->format == PM_FORMAT_TABLE && !r->cli->wide};
    const pmapdb_rules_options options = {.rules = r->rules,
                                          .application = r->application,
                                          .ctx = &l,
                                          .on_note = on_note,
                                          .on_set = on_set,
                                          .on_rule = on_rule};
    pmapdb_error err;

    pm_output_open(&l.out, r->cli);
    l.flow = pm_output_flow(&l.out);
    if (!l.words)
        pm_output_fields(&l.out, columns, N_COLUMNS);
    pm_rules_cli_must(r, pmapdb_rules(r->store, &options, &err), &err);
    pm_flow_free(&l.flow);
    pm_output_end(&l.out);
}

/* ---- the file ---- */

/* Writes the original file, with its comments and mistakes. */
void pm_rules_cli_export(pm_rules_cmd *r)
{
    pm_rules_choice c = {0};
    pm_text text;
    pm_output out;
    pmapdb_error err;

    pm_cli_must(pm_rules_choose(r->store, r->rules, r->application, &c, &err), &err);
    text = pm_buf_text(&c.text.text);
    pm_output_open(&out, r->cli);
    pm_output_check(&out, out.sink.write(out.sink.ctx, text.data, text.len, &err), &err);
    pm_output_end(&out);
    pm_rules_choice_free(&c);
}
