/* explain: pmapdb rules --explain ADDRESS: which rule matches the mapping at the address, why the
 * rules before it do not match, and the category that its lineage got in its first capture. */
#include "cli/rules/rules.h"

#include "base/num.h"
#include "base/pool.h"
#include "cli/answer.h"
#include "cli/run.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct explaining {
    pm_rules_cmd *r;
    pm_rules_choice choice;
    pm_pool *texts;
    pm_rule_row *all; /* the mappings in that snapshot, by address */
    size_t n, cap;
    const pm_rule_row *row, *below, *above; /* the mapping; its neighbours may be NULL */
    pmapdb_rows *of;                        /* the row of rulings about the mapping */
    uint64_t facts;
    size_t rule; /* the rule that matches, or PM_NO_RULE */
    pm_output out;
} explaining;

/* ---- the mapping ---- */

static pmapdb_rows *ask_rulings(const pm_rules_cmd *r)
{
    return pm_answer_ask(
        r->store, "rulings",
        (pm_answer_arg[]){
            {"process", r->process}, {"snapshot", r->snapshot}, {"dialect", r->dialect}, {0}});
}

/* Reads the mappings of the process. */
static void read_mappings(explaining *x)
{
    pmapdb_rows *rows = ask_rulings(x->r);
    int64_t process = PMAPDB_UNKNOWN;
    pmapdb_error err;

    pm_cli_must(pm_pool_new(&x->texts, &err), &err);
    for (; pm_run_next(rows); process = pm_answer_int(rows, "process_id")) {
        pm_rule_row row = {.start = (uint64_t)pm_answer_int(rows, "start"),
                           .path = pm_answer_keep(x->texts, pm_answer_bytes(rows, "path")),
                           .flags = pm_answer_keep(x->texts, pm_answer_bytes(rows, "flags")),
                           .perms = pm_answer_keep(x->texts, pm_answer_bytes(rows, "perms")).data,
                           .base = (pm_category)pm_category_find(pm_answer_bytes(rows, "base"),
                                                                 PM_CATEGORY_ANONYMOUS)};

        if (x->n && process != pm_answer_int(rows, "process_id"))
            pm_cli_die("several processes were captured then: give --process NAME/PID");
        row.length = (uint64_t)pm_answer_int(rows, "end") - row.start;
        row.has_flags = row.flags.data != NULL;
        pm_cli_must(pm_grow(&x->all, &x->cap, x->n, sizeof *x->all, &err), &err);
        x->all[x->n++] = row;
    }
    pmapdb_rows_close(rows);
}

static void find_mapping(explaining *x, uint64_t address)
{
    static const char words[] =
        "SELECT *, printf('%x to %x of %s%s in @%d: %d KiB %s%s%s', start, \"end\", name, "
        "ifnull(' ' || pid, ''), snapshot_id, (\"end\" - start) / 1024, perms, "
        "ifnull(' ' || nullif(path, ''), ''), ifnull(', VmFlags ' || flags, '')) AS what, "
        "printf('%s, lineage %d, first seen in @%d, %s; %s', category, lineage_id, first_id, "
        "first_at, CASE rule WHEN '" PM_RULE_LABEL "' THEN 'the process itself calls it so' "
        "WHEN '' THEN 'no rule gave it' ELSE 'by rule ' || rule END) AS whence FROM (";
    char where[64];

    for (const pm_rule_row *row = x->all; row < x->all + x->n; row++)
        if (address - row->start < row->length)
            x->row = row;
    if (!x->row)
        pm_cli_die("no mapping at %" PRIx64 " in that snapshot: pmapdb mappings lists them",
                   address);
    x->below = x->row > x->all ? x->row - 1 : NULL;
    x->above = x->row + 1 < x->all + x->n ? x->row + 1 : NULL;
    x->of = ask_rulings(x->r);
    snprintf(where, sizeof where, ") WHERE start = %" PRId64, (int64_t)x->row->start);
    pm_answer_wrap(x->of, words, where);
    pm_run_next(x->of);
}

/* Returns what the store says about the mapping. */
static const char *stored(const explaining *x, const char *column)
{
    const char *text = pm_answer_bytes(x->of, column).data;

    return text ? text : "";
}

/* ---- for people ---- */

static void write_title(explaining *x)
{
    int n = pmapdb_rows_columns(x->of); /* what find_mapping() added */

    for (int i = n; i < n + 2; i++)
        pm_output_line(&x->out, "%s", pmapdb_rows_text(x->of, i, NULL));
    if (x->r->cli->format == PM_FORMAT_MD)
        fputc('\n', x->out.text);
}

/* ---- rows ---- */

static const char *name_of(const explaining *x, size_t rule)
{
    return rule == PM_NO_RULE ? "" : pm_rules_texts(x->choice.rules, rule)->name;
}

/* True if, according to the store, this rule gave the lineage its category. */
static bool is_kept(const explaining *x, size_t rule)
{
    return x->choice.stored && strcmp(name_of(x, rule), stored(x, "rule")) == 0;
}

/* Returns the category that the rule gives to the mapping; the base category if no rule matches. */
static pm_buf category_of(const explaining *x, size_t rule)
{
    pm_buf category = {0};
    pmapdb_error err;

    pm_cli_must(pm_rules_category(x->choice.rules, rule, x->row, &category, &err), &err);
    return category;
}

static void write_step(explaining *x, size_t rule, const char *why)
{
    bool none = rule == PM_NO_RULE, matches = none || !*why;
    pm_buf category = matches ? category_of(x, rule) : (pm_buf){0};

    pm_output_row(
        &x->out,
        (pm_value[]){pm_value_int(none ? PMAPDB_UNKNOWN : (int64_t)rule + 1),
                     pm_value_text(name_of(x, rule)),
                     pm_value_text(matches ? category.data
                                           : pm_rules_texts(x->choice.rules, rule)->category),
                     pm_value_int(matches), pm_value_int(is_kept(x, rule)),
                     pm_value_text(none ? "" : pm_rules_texts(x->choice.rules, rule)->conditions),
                     pm_value_text(why)});
    pm_buf_free(&category);
}

/* Writes the rules up to the one that matches, and the one that gave the lineage its category, even
 * if it comes later; not those of another base category. */
static void write_steps(explaining *x)
{
    pm_rules *rules = x->choice.rules;
    pm_buf why = {0};
    pmapdb_error err;

    for (size_t i = 0; i < pm_rules_count(rules); i++) {
        pm_buf_clear(&why);
        pm_cli_must(pm_rules_why(rules, i, x->facts, x->below, x->row, x->above, &why, &err), &err);
        if ((i <= x->rule || is_kept(x, i)) && strncmp(pm_buf_text(&why).data, "base ", 5) != 0)
            write_step(x, i, pm_buf_text(&why).data);
    }
    pm_buf_free(&why);
    if (x->rule == PM_NO_RULE)
        write_step(x, PM_NO_RULE, "no rule matches");
}

/* Notes if the rules would give another category in this snapshot: a lineage gets its category only
 * once, and a name that the process itself gave takes precedence over all rules. */
static void say_kept(const explaining *x)
{
    pm_buf category = category_of(x, x->rule);

    if (x->choice.stored && strcmp(stored(x, "rule"), PM_RULE_LABEL) != 0 &&
        strcmp(category.data, stored(x, "category")) != 0)
        pm_cli_note(x->r->cli,
                    "it stays %s: rules are asked in the first capture of a lineage, in @%" PRId64
                    " they would say %s",
                    stored(x, "category"), pm_answer_int(x->of, "snapshot_id"), category.data);
    pm_buf_free(&category);
}

/* ---- the run ---- */

void pm_rules_cli_explain(pm_rules_cmd *r)
{
    static const pm_column columns[] = {{"position", PM_UNIT_INT},  {"rule", PM_UNIT_TEXT},
                                        {"category", PM_UNIT_TEXT}, {"matches", PM_UNIT_BOOL},
                                        {"kept", PM_UNIT_BOOL},     {"conditions", PM_UNIT_TEXT},
                                        {"why", PM_UNIT_TEXT}};
    pm_text digits = pm_text_of(r->address);
    explaining x = {.r = r};
    uint64_t address;

    pm_text_take(&digits, "0x");
    if (!digits.len || pm_num_hex(digits.data, digits.data + digits.len, &address) != digits.len)
        pm_cli_die("--explain wants an address in hexadecimal, not '%s'", r->address);
    x.choice = pm_rules_cli_chosen(r);
    read_mappings(&x);
    find_mapping(&x, address);
    for (size_t i = 0; i < x.n; i++)
        x.facts |= pm_rules_facts(x.choice.rules, PM_RULES_ALL_TERMS, &x.all[i]);
    x.rule = pm_rules_match(x.choice.rules, x.facts, x.below, x.row, x.above);
    pm_output_open(&x.out, r->cli);
    if (pm_cli_is_for_people(r->cli))
        write_title(&x);
    pm_output_rows(&x.out, columns, sizeof columns / sizeof *columns, NULL);
    write_steps(&x);
    pm_output_end(&x.out);
    say_kept(&x);
    pmapdb_rows_close(x.of);
    pm_rules_choice_free(&x.choice);
    pm_pool_free(x.texts);
    free(x.all);
}
