/* test: pmapdb rules --test FILE: checks that mappings get the categories that a file lists. */
#include "cli/rules/rules.h"

#include "api/one_file.h"
#include "api/rules_test_file.h"
#include <inttypes.h>
#include <stdlib.h>

/* A row of the output. */
typedef struct difference {
    int64_t line, start;
    const char *name, *expected, *got, *rule;
} difference;

#define AT(field) offsetof(difference, field)

static const pm_member columns[] = {
    {{"line", PM_UNIT_INT}, AT(line)},       {{"case", PM_UNIT_TEXT}, AT(name)},
    {{"start", PM_UNIT_ADDRESS}, AT(start)}, {{"expected", PM_UNIT_TEXT}, AT(expected)},
    {{"got", PM_UNIT_TEXT}, AT(got)},        {{"rule", PM_UNIT_TEXT}, AT(rule)}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct testing {
    const pm_rules_cmd *r;
    const pm_rules *rules;
    pm_output out;
    bool lines; /* a line for each difference; otherwise rows */
} testing;

static void on_difference(void *ctx, const pm_rules_difference *d)
{
    testing *t = ctx;
    const char *rule = d->rule == PM_NO_RULE ? "" : pm_rules_name(t->rules, d->rule);
    const difference row = {.line = (int64_t)d->line,
                            .start = (int64_t)d->start,
                            .name = d->name,
                            .expected = d->expected,
                            .got = d->got,
                            .rule = rule};

    if (t->lines)
        pm_output_line(&t->out, "%s:%" PRId64 ": %s %" PRIx64 ": expected %s, got %s (%s%s)",
                       t->r->test, row.line, row.name, d->start, row.expected, row.got,
                       *rule ? "rule " : "no rule", rule);
    else
        pm_output_struct(&t->out, columns, N_COLUMNS, &row);
}

/* Writes "rules that won nowhere: a, b". */
static void put_never(pm_flow *f, const pm_rules *rules, const size_t *won)
{
    size_t n = 0;

    for (size_t i = 0; i < pm_rules_count(rules); i++) {
        if (won[i])
            continue;
        if (n++ == 0) {
            pm_flow_begin(f, 0, 4);
            pm_flow_words(f, 0, PM_TEXT("rules that won nowhere:"));
        } else {
            pm_flow_put(f, 0, PM_FLOW_PLAIN, PM_TEXT(","));
        }
        pm_flow_put(f, 1, PM_FLOW_PLAIN, pm_text_of(pm_rules_name(rules, i)));
    }
    if (n)
        pm_flow_end(f);
}

static void write_end(testing *t, const pm_rules_test_result *result, const size_t *won)
{
    pm_flow f = pm_output_flow(&t->out);

    pm_flow_begin(&f, 0, 4);
    pm_flow_say(&f, 0, "%zu mapping%s, %zu differ%s", result->mappings,
                result->mappings == 1 ? "" : "s", result->differ, result->differ == 1 ? "s" : "");
    pm_flow_end(&f);
    put_never(&f, t->rules, won);
    pm_flow_free(&f);
}

bool pm_rules_cli_try(pm_rules_cmd *r)
{
    pm_rules_choice choice = pm_rules_cli_chosen(r);
    testing t = {.r = r, .rules = choice.rules, .lines = r->cli->format == PM_FORMAT_TABLE};
    size_t *won = calloc(pm_rules_count(choice.rules), sizeof *won);
    pm_rules_test test = {.label = r->test,
                          .set = choice.rules,
                          .ctx = &t,
                          .on_difference = on_difference,
                          .won = won};
    pm_rules_report report = {0};
    pm_rules_test_result result;
    pm_buf text = {0};
    pmapdb_error err;
    pmapdb_status st;

    if (!won)
        pm_cli_no_memory();
    pm_cli_must(pm_one_file_read(r->test, PM_RULES_FILE_MAX, &text, &err), &err);
    test.text = pm_buf_text(&text);
    pm_output_open(&t.out, r->cli);
    if (!t.lines)
        pm_output_fields(&t.out, columns, N_COLUMNS);
    st = pm_rules_test_run(&test, &report, &result, &err);
    pm_rules_tell(&report, pm_rules_cli_note, r);
    pm_rules_cli_must(r, st, &err);
    if (t.lines)
        write_end(&t, &result, won);
    pm_output_end(&t.out);
    pm_rules_report_free(&report);
    pm_rules_choice_free(&choice);
    pm_buf_free(&text);
    free(won);
    return result.differ == 0;
}
