/* explain: pmapdb rules --explain ADDRESS: which rule matches the mapping at the address, why the
 * rules before it do not match, and the category that its lineage got in its first capture. */
#include "cli/rules/rules.h"

#include "base/num.h"
#include "base/pool.h"
#include "cli/answer.h"
#include "cli/run.h"
#include <inttypes.h>
#include <stdlib.h>

/* The mapping and the other mappings of its process. */
typedef struct found {
    pm_pool *texts;
    pm_rule_row *row;  /* all mappings in that snapshot, by address */
    size_t n, cap, at; /* `at`: index of the mapping */
    int64_t process_id;
    /* From the store: */
    char category[256], rule[64], first_at[32], name[128];
    int64_t lineage, first_id, snapshot, pid;
} found;

/* A row of the output. */
typedef struct step {
    int64_t position;
    const char *rule, *category, *conditions, *why;
    bool matches, kept; /* kept: the rule that gave the lineage its category */
} step;

#define AT(field) offsetof(step, field)

static const pm_member columns[] = {{{"position", PM_UNIT_INT}, AT(position)},
                                    {{"rule", PM_UNIT_TEXT}, AT(rule)},
                                    {{"category", PM_UNIT_TEXT}, AT(category)},
                                    {{"matches", PM_UNIT_BOOL}, AT(matches)},
                                    {{"kept", PM_UNIT_BOOL}, AT(kept)},
                                    {{"conditions", PM_UNIT_TEXT}, AT(conditions)},
                                    {{"why", PM_UNIT_TEXT}, AT(why)}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct explaining {
    pm_rules_cmd *r;
    pm_rules_choice choice;
    found found;
    const pm_rule_row *row, *below, *above; /* the neighbours may be NULL */
    uint64_t facts;
    size_t rule; /* the rule that matches, or PM_NO_RULE */
    pm_output out;
} explaining;

/* ---- the mapping ---- */

/* Returns a column's text, kept in the pool; data is NULL if the column is unknown. */
static pm_text kept_text(found *f, const pmapdb_rows *rows, const char *column)
{
    pm_text t = pm_answer_bytes(rows, column);
    uint32_t id;
    pmapdb_error err;

    if (!t.data)
        return (pm_text){NULL, 0};
    pm_cli_must(pm_pool_text(f->texts, t, &id, &err), &err);
    return pm_pool_text_get(f->texts, id);
}

static pm_category base_of(const pmapdb_rows *rows)
{
    char base[32];
    int i = 0;

    pm_answer_text(rows, "base", base, sizeof base);
    while (i < PM_CATEGORY_ANONYMOUS && strcmp(pm_categories[i].slug, base) != 0)
        i++;
    return (pm_category)i;
}

static void take_stored(found *f, const pmapdb_rows *rows)
{
    f->at = f->n;
    pm_answer_text(rows, "category", f->category, sizeof f->category);
    pm_answer_text(rows, "rule", f->rule, sizeof f->rule);
    pm_answer_text(rows, "first_at", f->first_at, sizeof f->first_at);
    pm_answer_text(rows, "name", f->name, sizeof f->name);
    f->lineage = pm_answer_int(rows, "lineage_id");
    f->first_id = pm_answer_int(rows, "first_id");
    f->snapshot = pm_answer_int(rows, "snapshot_id");
    f->pid = pm_answer_int(rows, "pid");
}

static void take_row(found *f, const pmapdb_rows *rows, uint64_t address)
{
    int64_t process = pm_answer_int(rows, "process_id");
    pm_rule_row row = {.start = (uint64_t)pm_answer_int(rows, "start"),
                       .path = kept_text(f, rows, "path"),
                       .flags = kept_text(f, rows, "flags"),
                       .perms = kept_text(f, rows, "perms").data,
                       .base = base_of(rows)};
    pmapdb_error err;

    if (f->process_id && process != f->process_id)
        pm_cli_die("several processes were captured then: give --process NAME/PID");
    f->process_id = process;
    row.length = (uint64_t)pm_answer_int(rows, "end") - row.start;
    row.has_flags = row.flags.data != NULL;
    if (address - row.start < row.length)
        take_stored(f, rows);
    pm_cli_must(pm_grow(&f->row, &f->cap, f->n, sizeof *f->row, &err), &err);
    f->row[f->n++] = row;
}

static found find_mapping(const pm_rules_cmd *r, uint64_t address)
{
    found f = {.at = SIZE_MAX};
    pmapdb_rows *rows;
    pmapdb_error err;

    pm_cli_must(pm_pool_new(&f.texts, &err), &err);
    rows = pm_answer_ask(r->store, "rulings",
                         (pm_answer_arg[]){{"process", r->process},
                                           {"snapshot", r->snapshot},
                                           {"dialect", r->dialect},
                                           {NULL, NULL}});
    while (pm_run_next(rows))
        take_row(&f, rows, address);
    pmapdb_rows_close(rows);
    if (f.at == SIZE_MAX)
        pm_cli_die("no mapping at %" PRIx64 " in that snapshot: pmapdb mappings lists them",
                   address);
    return f;
}

/* ---- for people ---- */

/* True if the process itself named the mapping; such a name takes precedence over all rules. */
static bool is_labelled(const explaining *x)
{
    return strcmp(x->found.rule, PM_RULE_LABEL) == 0;
}

static void write_title(explaining *x)
{
    const found *f = &x->found;
    const pm_rule_row *row = x->row;
    bool path = row->path.len > 0;
    char pid[24] = "";

    if (f->pid != PMAPDB_UNKNOWN)
        snprintf(pid, sizeof pid, " %" PRId64, f->pid);
    pm_output_line(&x->out,
                   "%" PRIx64 " to %" PRIx64 " of %s%s in @%" PRId64 ": %" PRIu64 " KiB %s%s%s%s%s",
                   row->start, row->start + row->length, f->name, pid, f->snapshot,
                   row->length / 1024, row->perms, path ? " " : "", path ? row->path.data : "",
                   row->has_flags ? ", VmFlags " : "", row->has_flags ? row->flags.data : "");
    pm_output_line(&x->out, "%s, lineage %" PRId64 ", first seen in @%" PRId64 ", %s; %s%s",
                   f->category, f->lineage, f->first_id, f->first_at,
                   is_labelled(x) ? "the process itself calls it so"
                   : *f->rule     ? "by rule "
                                  : "no rule gave it",
                   is_labelled(x) ? "" : f->rule);
    if (x->r->cli->format == PM_FORMAT_MD)
        pm_output_text(&x->out, "\n");
}

/* ---- rows ---- */

static const char *name_of(const explaining *x, size_t rule)
{
    return rule == PM_NO_RULE ? "" : pm_rules_name(x->choice.rules, rule);
}

/* True if, according to the store, this rule gave the lineage its category. */
static bool is_kept(const explaining *x, size_t rule)
{
    return x->choice.stored && strcmp(name_of(x, rule), x->found.rule) == 0;
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
    const step row = {.position = none ? PMAPDB_UNKNOWN : (int64_t)rule + 1,
                      .rule = name_of(x, rule),
                      .category =
                          matches ? category.data : pm_rules_template(x->choice.rules, rule),
                      .matches = matches,
                      .kept = is_kept(x, rule),
                      .conditions = none ? "" : pm_rules_conditions(x->choice.rules, rule),
                      .why = why};

    pm_output_struct(&x->out, columns, N_COLUMNS, &row);
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
 * once. */
static void say_kept(const explaining *x)
{
    pm_buf category = category_of(x, x->rule);

    if (x->choice.stored && !is_labelled(x) && strcmp(category.data, x->found.category) != 0)
        pm_cli_note(x->r->cli,
                    "it stays %s: rules are asked in the first capture of a lineage, in @%" PRId64
                    " they would say %s",
                    x->found.category, x->found.snapshot, category.data);
    pm_buf_free(&category);
}

/* ---- the run ---- */

void pm_rules_cli_explain(pm_rules_cmd *r)
{
    pm_text digits = pm_text_of(r->address);
    explaining x = {.r = r};
    const found *f = &x.found;
    uint64_t address;

    if (pm_text_starts(digits, PM_TEXT("0x")))
        digits = pm_text_from(digits, 2);
    if (!digits.len || pm_num_hex(digits.data, digits.data + digits.len, &address) != digits.len)
        pm_cli_die("--explain wants an address in hexadecimal, not '%s'", r->address);
    x.choice = pm_rules_cli_chosen(r);
    x.found = find_mapping(r, address);
    x.row = &f->row[f->at];
    x.below = f->at > 0 ? x.row - 1 : NULL;
    x.above = f->at + 1 < f->n ? x.row + 1 : NULL;
    for (size_t i = 0; i < f->n; i++)
        x.facts |= pm_rules_facts(x.choice.rules, &f->row[i]);
    x.rule = pm_rules_match(x.choice.rules, x.facts, x.below, x.row, x.above);
    pm_output_open(&x.out, r->cli);
    if (pm_cli_is_for_people(r->cli))
        write_title(&x);
    pm_output_fields(&x.out, columns, N_COLUMNS);
    write_steps(&x);
    pm_output_end(&x.out);
    say_kept(&x);
    pm_rules_choice_free(&x.choice);
    pm_pool_free(x.found.texts);
    free(x.found.row);
}
