/* rules_test: pmapdb rules --test FILE: mappings and the categories they must get. */
#include "cli/rules.h"
#include "cli/write.h"

#include "api/one_file.h"
#include "api/rules.h"
#include "api/rules_test_file.h"
#include "cli/value.h"
#include "render/flow.h"
#include <stdlib.h>

static const pm_column columns[] = {{"line", PM_UNIT_INT},      {"case", PM_UNIT_TEXT},
                                    {"start", PM_UNIT_ADDRESS}, {"expected", PM_UNIT_TEXT},
                                    {"got", PM_UNIT_TEXT},      {"rule", PM_UNIT_TEXT}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct testing {
    pm_rules_cli *r;
    pm_rules_choice choice;
    pm_buf text; /* of the file */
    size_t *won; /* mappings of each rule */
    pm_rules_test_result result;
    const pm_sink *sink;
    pm_render *render; /* NULL: a line each */
    pmapdb_status st;  /* of the output; once it failed, nothing more is written */
    pmapdb_error *err;
} testing;

/* ---- what differs ---- */

static const char *rule_of(const testing *t, const pm_rules_difference *d)
{
    return d->rule == PM_NO_RULE ? "" : pm_rules_name(t->choice.rules, d->rule);
}

static void put_line(testing *t, const pm_rules_difference *d)
{
    const char *rule = rule_of(t, d);
    pm_buf line = {0};

    t->st = pm_buf_addf(&line, t->err, "%s:%llu: %s %llx: expected %s, got %s (%s%s)", t->r->test,
                        (unsigned long long)d->line, d->name, (unsigned long long)d->start,
                        d->expected, d->got, *rule ? "rule " : "no rule", rule);
    if (t->st == PMAPDB_OK)
        t->st = pm_render_line(t->sink, pm_buf_text(&line), t->err);
    pm_buf_free(&line);
}

static void on_difference(void *ctx, const pm_rules_difference *d)
{
    testing *t = ctx;
    const pm_value values[] = {pm_value_int((int64_t)d->line),
                               pm_value_text(d->name),
                               {.kind = PM_VALUE_INT, .i = (int64_t)d->start},
                               pm_value_text(d->expected),
                               pm_value_text(d->got),
                               pm_value_text(rule_of(t, d))};

    if (t->st == PMAPDB_OK && t->render)
        t->st = pm_render_row(t->render, values, t->err);
    else if (t->st == PMAPDB_OK)
        put_line(t, d);
}

/* ---- the end ---- */

static void put_never(const testing *t, pm_flow *f)
{
    size_t n = 0;

    for (size_t i = 0; i < pm_rules_count(t->choice.rules); i++) {
        if (t->won[i])
            continue;
        if (n++ == 0) {
            pm_flow_begin(f, 0, 4);
            pm_flow_words(f, 0, PM_TEXT("rules that won nowhere:"));
        } else {
            pm_flow_put(f, 0, PM_FLOW_PLAIN, PM_TEXT(","));
        }
        pm_flow_put(f, 1, PM_FLOW_PLAIN, pm_text_of(pm_rules_name(t->choice.rules, i)));
    }
    if (n)
        pm_flow_end(f);
}

static pmapdb_status put_end(const testing *t, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(t->r->cli);
    pm_flow f = {.sink = t->sink, .err = err, .width = how.width, .color = how.color};

    pm_flow_begin(&f, 0, 4);
    pm_flow_say(&f, 0, "%zu mapping%s, %zu differ%s", t->result.mappings,
                t->result.mappings == 1 ? "" : "s", t->result.differ,
                t->result.differ == 1 ? "s" : "");
    pm_flow_end(&f);
    put_never(t, &f);
    pm_flow_free(&f);
    return f.st;
}

/* ---- the run ---- */

static pmapdb_status run_test(testing *t, pmapdb_error *err)
{
    const pm_rules_test test = {.label = t->r->test,
                                .text = pm_buf_text(&t->text),
                                .set = t->choice.rules,
                                .ctx = t,
                                .on_difference = on_difference,
                                .won = t->won};
    pm_rules_report report = {0};
    pmapdb_status st = pm_rules_test_run(&test, &report, &t->result, err);

    pm_rules_tell(&report, pm_rules_cli_note, t->r);
    pm_rules_report_free(&report);
    return st;
}

static pmapdb_status write_test(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    testing *t = ctx;
    bool lines = t->r->cli->format == PM_FORMAT_TABLE;
    pm_render_options how = pm_cli_render_options(t->r->cli);
    pmapdb_status st = PMAPDB_OK;

    t->sink = sink;
    t->err = err;
    if (!lines)
        st = pm_render_new(&how, sink, columns, N_COLUMNS, &t->render, err);
    if (st == PMAPDB_OK)
        st = run_test(t, err);
    if (st == PMAPDB_OK)
        st = t->st;
    if (st == PMAPDB_OK)
        st = lines ? put_end(t, err) : pm_render_end(t->render, err);
    if (st == PMAPDB_OK && !lines)
        pm_cli_say_left_out(t->r->cli, t->render);
    pm_render_free(t->render);
    return st;
}

static pmapdb_status prepare(testing *t, pmapdb_error *err)
{
    pm_rules_cli *r = t->r;
    pmapdb_status st = pm_rules_choose(r->store, r->rules, r->application, &t->choice, err);

    if (st == PMAPDB_OK)
        st = pm_rules_choice_read(&t->choice, pm_rules_cli_note, r, err);
    if (st == PMAPDB_OK)
        st = pm_one_file_read(r->test, PM_RULES_FILE_MAX, &t->text, err);
    if (st != PMAPDB_OK)
        return st;
    t->won = calloc(pm_rules_count(t->choice.rules), sizeof *t->won);
    return t->won ? PMAPDB_OK : pm_fail_nomem(err);
}

int pm_rules_cli_test(pm_rules_cli *r)
{
    testing t = {.r = r};
    pmapdb_error err;
    pmapdb_status st = prepare(&t, &err);

    if (st == PMAPDB_OK)
        st = pm_cli_write_with(r->cli, write_test, &t, &err);
    free(t.won);
    pm_buf_free(&t.text);
    pm_rules_choice_free(&t.choice);
    if (st != PMAPDB_OK)
        return pm_rules_cli_fail(r, st, &err);
    return t.result.differ ? PM_EXIT_FOUND : PM_EXIT_OK;
}
