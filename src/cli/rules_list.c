/* rules_list: the rules of a set as rows, in words, or as the file they were. */
#include "cli/rules.h"
#include "cli/write.h"

#include "api/rules.h"
#include "base/clock.h"
#include "cli/value.h"
#include "render/flow.h"
#include <stdio.h>

static const pm_column columns[] = {{"position", PM_UNIT_INT},   {"rule", PM_UNIT_TEXT},
                                    {"category", PM_UNIT_TEXT},  {"conditions", PM_UNIT_TEXT},
                                    {"lineages", PM_UNIT_COUNT}, {"note", PM_UNIT_TEXT}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct listing {
    pm_rules_cli *r;
    const pm_sink *sink;
    pm_render *render; /* NULL: in words */
    pm_flow flow;
    pmapdb_status st; /* of the output; once it failed, nothing more is written */
    pmapdb_error *err;
} listing;

/* ---- which set it is ---- */

/* Where the set is from: the store, or not. */
static pmapdb_status add_origin(const pmapdb_rule_set *set, bool any_store, pm_buf *out,
                                pmapdb_error *err)
{
    char at[PM_CLOCK_TEXT];

    if (!any_store)
        return pm_buf_addf(out, err, "; there is no store");
    if (!set->stored)
        return pm_buf_addf(out, err, "; the store has others");
    if (set->applied_ms == PMAPDB_UNKNOWN)
        return pm_buf_addf(out, err, "; the store has them since it was made");
    pm_clock_format(set->applied_ms, at);
    return pm_buf_addf(out, err, "; applied to the store at %s", at);
}

static pmapdb_status describe(const pmapdb_rule_set *set, bool any_store, pm_buf *out,
                              pmapdb_error *err)
{
    pmapdb_status st = pm_buf_addf(out, err, "%s, %lld rule%s%s", set->name, (long long)set->rules,
                                   set->rules == 1 ? "" : "s", set->built_in ? ", built in" : "");

    if (st == PMAPDB_OK && strcmp(set->application, "/app") != 0)
        st = pm_buf_addf(out, err, ", {app} is %s", set->application);
    return st == PMAPDB_OK ? add_origin(set, any_store, out, err) : st;
}

/* A program of another version has made the store, or had its rules applied. */
static void say_other_version(const pm_cli *cli, const pmapdb_rule_set *set)
{
    if (set->stored && set->named_built_in && !set->built_in && !cli->quiet)
        pm_cli_say(
            "this pmapdb %s has other rules by the name %s: pmapdb rules --diff %s says what "
            "they would change, --apply %s changes it",
            PMAPDB_VERSION, set->name, set->name, set->name);
}

static void on_set(void *ctx, const pmapdb_rule_set *set)
{
    listing *l = ctx;
    pm_buf line = {0};

    say_other_version(l->r->cli, set);
    if (!pm_cli_is_for_people(l->r->cli))
        return;
    l->st = describe(set, l->r->store != NULL, &line, l->err);
    if (l->st == PMAPDB_OK)
        l->st = pm_render_line(l->sink, pm_buf_text(&line), l->err);
    if (l->st == PMAPDB_OK && (!l->render || l->r->cli->format == PM_FORMAT_MD))
        l->st = pm_render_line(l->sink, PM_TEXT(""), l->err);
    pm_buf_free(&line);
}

/* ---- rules ---- */

static void put_row(listing *l, const pmapdb_rule *rule)
{
    const pm_value values[] = {pm_value_int(rule->position),  pm_value_text(rule->name),
                               pm_value_text(rule->category), pm_value_text(rule->conditions),
                               pm_value_int(rule->lineages),  pm_value_text(rule->note)};

    l->st = pm_render_row(l->render, values, l->err);
}

static void put(pm_flow *f, const char *label, const char *text)
{
    pm_flow_begin(f, 4, 13);
    pm_flow_say(f, 0, "%s:", label);
    pm_flow_words(f, 9 - strlen(label) - 1, pm_text_of(text));
    pm_flow_end(f);
}

static void put_words(listing *l, const pmapdb_rule *rule)
{
    pm_flow *f = &l->flow;
    char lineages[32];

    pm_flow_begin(f, 0, 4);
    pm_flow_say(f, 0, "%lld", (long long)rule->position);
    pm_flow_put(f, 1, PM_FLOW_BOLD, pm_text_of(rule->name));
    pm_flow_put(f, 0, PM_FLOW_PLAIN, PM_TEXT(":"));
    pm_flow_put(f, 1, PM_FLOW_PLAIN, pm_text_of(rule->category));
    pm_flow_end(f);
    put(f, "needs", rule->conditions);
    put(f, "asks",
        rule->of_object ? "for nothing that changes in the life of a mapping"
                        : "once, in the first capture: place, flags or neighbours may change");
    if (rule->lineages != PMAPDB_UNKNOWN) {
        snprintf(lineages, sizeof lineages, "%lld lineage%s", (long long)rule->lineages,
                 rule->lineages == 1 ? "" : "s");
        put(f, "decided", lineages);
    }
    if (*rule->note)
        put(f, "note", rule->note);
    l->st = f->st;
}

static void on_rule(void *ctx, const pmapdb_rule *rule)
{
    listing *l = ctx;

    if (l->st != PMAPDB_OK)
        return;
    if (l->render)
        put_row(l, rule);
    else
        put_words(l, rule);
}

/* pmapdb_rules has one context for all that it calls. */
static void on_note(void *ctx, bool mistake, const char *note)
{
    const listing *l = ctx;

    pm_rules_cli_note(l->r, mistake, note);
}

static pmapdb_status write_rules(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    pm_rules_cli *r = ctx;
    pm_render_options how = pm_cli_render_options(r->cli);
    bool words = r->explain && r->cli->format == PM_FORMAT_TABLE && !r->cli->wide;
    listing l = {.r = r, .sink = sink, .err = err};
    const pmapdb_rules_options options = {.rules = r->rules,
                                          .application = r->application,
                                          .ctx = &l,
                                          .on_note = on_note,
                                          .on_set = on_set,
                                          .on_rule = on_rule};
    pmapdb_status st = PMAPDB_OK;

    l.flow = (pm_flow){.sink = sink, .err = err, .width = how.width, .color = how.color};
    if (!words)
        st = pm_render_new(&how, sink, columns, N_COLUMNS, &l.render, err);
    if (st == PMAPDB_OK)
        st = pmapdb_rules(r->store, &options, err);
    if (st == PMAPDB_OK)
        st = l.st;
    if (st == PMAPDB_OK && l.render)
        st = pm_render_end(l.render, err);
    if (st == PMAPDB_OK && l.render)
        pm_cli_say_left_out(r->cli, l.render);
    pm_render_free(l.render);
    pm_flow_free(&l.flow);
    return st;
}

/* ---- the file ---- */

static pmapdb_status write_text(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    const pm_rules_choice *c = ctx;

    return sink->write(sink->ctx, pm_buf_text(&c->text.text).data, c->text.text.len, err);
}

/* As it is: with its comments, and with mistakes if it has some. */
int pm_rules_cli_export(pm_rules_cli *r)
{
    pm_rules_choice c = {0};
    pmapdb_error err;
    pmapdb_status st = pm_rules_choose(r->store, r->rules, r->application, &c, &err);

    if (st == PMAPDB_OK)
        st = pm_cli_write_with(r->cli, write_text, &c, &err);
    pm_rules_choice_free(&c);
    return st == PMAPDB_OK ? PM_EXIT_OK : pm_cli_fail(st, &err);
}

int pm_rules_cli_list(pm_rules_cli *r)
{
    pmapdb_error err;
    pmapdb_status st = pm_cli_write_with(r->cli, write_rules, r, &err);

    return st == PMAPDB_OK ? PM_EXIT_OK : pm_rules_cli_fail(r, st, &err);
}
