/* rules: pmapdb rules: the rules that give categories: lists them, explains why a mapping has its
 * category, applies other rules to all history. */
#include "cli/rules/rules.h"

#include "cli/answer.h"
#include "cli/options/options.h"
#include "cli/progress.h"
#include "cli/run.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(pm_rules_cmd, field)

static const pm_option options[] = {
    {"rules", 0, PM_OPT_WORD, AT(rules), "SET",
     "This set instead of the store's: default or pmap-dotnet (built in), or a file"},
    {"explain", 0, PM_OPT_WORD, AT(address), "ADDRESS",
     "Why the mapping there has its category, and why the rules before did not match"},
    {"process", 0, PM_OPT_WORD, AT(process), "process",
     "The process of ADDRESS: NAME, PID, NAME/PID or @ID"},
    {"snapshot", 0, PM_OPT_WORD, AT(snapshot), "snapshot",
     "The snapshot of ADDRESS: first, last, prev, @ID, a time (last)"},
    {"dialect", 0, PM_OPT_TEXT, AT(dialect), "text", "Only captures of this dialect"},
    {"export", 0, PM_OPT_FLAG, AT(export), NULL, "The text of the set, to edit and to apply"},
    {"apply", 0, PM_OPT_WORD, AT(apply), "SET",
     "Give all mappings of the store, now and later, the categories of this set"},
    {"diff", 0, PM_OPT_WORD, AT(diff), "SET", "What --apply would change, without a change"},
    {"forget-labels", 0, PM_OPT_FLAG, AT(forget_labels), NULL,
     "With --apply or --diff: also forget what JVMs said of their own memory (see pmapdb labels); "
     "the rules name it then"},
    {0}};

static const pm_syntax syntax = {
    .options = options, .operands = "[SET]\n--explain ADDRESS\n--apply SET|--diff SET", .most = 1};

/* `word` is the name of a set; NULL: not given. */
static void check(pm_rules_cmd *r, const char *word)
{
    const char *applied = r->apply ? r->apply : r->diff;

    if ((r->address != NULL) + r->export + (r->apply != NULL) + (r->diff != NULL) > 1)
        pm_cli_usage(r->cli, "one of --explain, --export, --apply, --diff at a time");
    if (applied && (r->rules || word))
        pm_cli_usage(r->cli, "%s takes one set", r->diff ? "--diff" : "--apply");
    if (word && r->rules)
        pm_cli_usage(r->cli, "which set, '%s' or '%s'?", r->rules, word);
    if (word || applied)
        r->rules = applied ? applied : word;
    if ((r->process || r->snapshot || r->dialect) && !r->address)
        pm_cli_usage(r->cli, "--process, --snapshot and --dialect go with --explain ADDRESS");
    if (r->forget_labels && !applied)
        pm_cli_usage(r->cli, "--forget-labels goes with --apply SET or --diff SET");
}

/* ---- shared by the parts ---- */

pm_rules_choice pm_rules_cli_chosen(pm_rules_cmd *r)
{
    pm_rules_choice c = {0};
    pmapdb_error err;

    pm_cli_must(pm_rules_choose(r->store, r->rules, &c, &err), &err);
    pm_cli_must(pm_rules_choice_read(&c, &err), &err);
    return c;
}

/* ---- the list ---- */

static const pm_column columns[] = {{"position", PM_UNIT_INT},   {"rule", PM_UNIT_TEXT},
                                    {"category", PM_UNIT_TEXT},  {"conditions", PM_UNIT_TEXT},
                                    {"lineages", PM_UNIT_COUNT}, {"note", PM_UNIT_TEXT}};

/* Writes the name of the set, and whether the store has it. */
static void write_title(const pm_rules_cmd *r, const pm_rules_choice *c, pm_output *out)
{
    size_t n = pm_rules_count(c->rules);
    char at[PM_CLOCK_TEXT] = "";

    if (c->stored && c->text.applied_ms != PMAPDB_UNKNOWN)
        pm_clock_format(c->text.applied_ms, at);
    pm_output_line(out, "%s, %zu rule%s; %s%s", pm_buf_text(&c->text.name).data, n,
                   n == 1 ? "" : "s",
                   !r->store    ? "there is no store"
                   : !c->stored ? "the store has others"
                   : *at        ? "applied to the store at "
                                : "the store has them since it was made",
                   at);
    if (r->cli->format == PM_FORMAT_MD)
        fputc('\n', out->text);
}

/* The number of lineages that each rule decided; unknown for a set that the store does not have.
 * The caller frees it. */
static int64_t *count_lineages(const pm_rules_cmd *r, const pm_rules_choice *c)
{
    size_t n = pm_rules_count(c->rules);
    int64_t *lineages = pm_cli_memory(calloc(n, sizeof *lineages));
    pmapdb_rows *rows;

    for (size_t i = 0; i < n; i++)
        lineages[i] = c->stored ? 0 : PMAPDB_UNKNOWN;
    if (!c->stored)
        return lineages;
    rows = pm_answer_sql(
        r->store, "SELECT rule, count(*) AS n FROM lineage WHERE rule IS NOT NULL GROUP BY rule");
    while (pm_run_next(rows))
        for (size_t i = 0; i < n; i++)
            if (strcmp(pmapdb_rows_text(rows, 0, NULL), pm_rules_texts(c->rules, i)->name) == 0)
                lineages[i] = pm_answer_int(rows, "n");
    pmapdb_rows_close(rows);
    return lineages;
}

static void list(pm_rules_cmd *r)
{
    pm_rules_choice c = pm_rules_cli_chosen(r);
    int64_t *lineages = count_lineages(r, &c);
    pm_output out;

    pm_output_open(&out, r->cli);
    if (pm_cli_is_for_people(r->cli))
        write_title(r, &c, &out);
    pm_output_rows(&out, columns, sizeof columns / sizeof *columns, NULL);
    for (size_t i = 0; i < pm_rules_count(c.rules); i++)
        pm_output_row(&out, (pm_value[]){pm_value_int((int64_t)i + 1),
                                         pm_value_text(pm_rules_texts(c.rules, i)->name),
                                         pm_value_text(pm_rules_texts(c.rules, i)->category),
                                         pm_value_text(pm_rules_texts(c.rules, i)->conditions),
                                         pm_value_int(lineages[i]),
                                         pm_value_text(pm_rules_texts(c.rules, i)->note)});
    pm_output_end(&out);
    free(lineages);
    pm_rules_choice_free(&c);
}

/* Writes the original file, with its comments and mistakes. */
static void export(const pm_rules_cmd *r)
{
    pm_rules_choice c = {0};
    pm_text text;
    pm_output out;
    pmapdb_error err;

    pm_cli_must(pm_rules_choose(r->store, r->rules, &c, &err), &err);
    text = pm_buf_text(&c.text.text);
    pm_output_open(&out, r->cli);
    pm_output_check(&out, out.sink.write(out.sink.ctx, text.data, text.len, &err), &err);
    pm_output_end(&out);
    pm_rules_choice_free(&c);
}

/* ---- what other rules change in everything that is stored ---- */

#define OF(field) offsetof(pmapdb_rules_change, field)

static const pm_member change_columns[] = {
    {{"from", PM_UNIT_TEXT}, OF(from)},          {{"to", PM_UNIT_TEXT}, OF(to)},
    {{"rule", PM_UNIT_TEXT}, OF(rule)},          {{"lineages", PM_UNIT_COUNT}, OF(lineages)},
    {{"mappings", PM_UNIT_COUNT}, OF(mappings)}, {{"size_kib", PM_UNIT_KIB}, OF(size_kib)},
    {{"rss_kib", PM_UNIT_KIB}, OF(rss_kib)}};

#define N_CHANGE_COLUMNS ((int)(sizeof change_columns / sizeof *change_columns))

typedef struct applying {
    pm_progress progress;
    pm_rules_cmd *r;
    pm_output out;
    pmapdb_rules_result result;
} applying;

static void on_note(void *ctx, const char *note)
{
    const applying *a = ctx;

    pm_cli_note(a->r->cli, "%s", note);
}

static void on_change(void *ctx, const pmapdb_rules_change *change)
{
    applying *a = ctx;
    pmapdb_rules_change row = *change;

    row.rule = row.rule ? row.rule : "";
    pm_output_struct(&a->out, change_columns, N_CHANGE_COLUMNS, &row);
}

static void say_result(const applying *a)
{
    const pmapdb_rules_result *n = &a->result;
    const pm_rules_cmd *r = a->r;
    const char *es = n->processes == 1 ? "" : "es";

    if (n->same)
        pm_cli_note(r->cli, "the store has these rules: nothing to change");
    else if (!n->changed_lineages)
        pm_cli_note(r->cli,
                    "%s changes no category of %" PRId64 " lineages in %" PRId64 " process%s",
                    r->rules, n->lineages, n->processes, es);
    else
        pm_cli_note(r->cli,
                    "%s %s %" PRId64 " of %" PRId64 " lineages in %" PRId64
                    " process%s, and the sums of %" PRId64 " of %" PRId64 " snapshots",
                    r->rules, r->diff ? "would change" : "changed", n->changed_lineages,
                    n->lineages, n->processes, es, n->changed_snapshots, n->snapshots);
    if (r->forget_labels)
        pm_cli_note(r->cli, "%" PRId64 " %s of a JVM's own names %s", n->reports,
                    n->reports == 1 ? "list" : "lists",
                    r->diff ? "would be forgotten" : "forgotten");
}

static void apply(pm_rules_cmd *r)
{
    applying a = {.r = r};
    const pmapdb_rules_options how = {.rules = r->rules,
                                      .dry_run = r->diff != NULL,
                                      .forget_labels = r->forget_labels,
                                      .ctx = &a,
                                      .on_note = on_note,
                                      .on_change = on_change,
                                      .on_progress = pm_progress_step};
    pmapdb_error err;
    pmapdb_status st;

    pm_output_open(&a.out, r->cli);
    a.progress = pm_progress_begin(r->cli, NULL);
    pm_output_fields(&a.out, change_columns, N_CHANGE_COLUMNS);
    st = pmapdb_rules_apply(r->store, &how, &a.result, &err);
    pm_progress_clear(&a.progress);
    if (st == PMAPDB_STOPPED)
        pm_cli_die("stopped by a signal; nothing has changed");
    pm_cli_must(st, &err);
    /* The store has changed, even if the output fails. */
    pm_output_end_rows(&a.out);
    pm_output_flush(&a.out);
    say_result(&a);
    pm_output_end(&a.out);
}

/* ---- the run ---- */

/* Opens the store, if there is one. Showing rules works without a store; showing what they did to
 * mappings does not. */
static void open_store(pm_rules_cmd *r)
{
    bool changes = r->apply || r->diff;
    pmapdb_open_options how = {.mode = changes ? PMAPDB_CHANGE : PMAPDB_READ};
    pmapdb_error err;
    pmapdb_status st = pm_cli_try_open(r->cli, &how, &r->store, &err);

    if (st == PMAPDB_OK && !changes)
        st = pmapdb_begin_read(r->store, &err);
    if (st == PMAPDB_OK || (st == PMAPDB_NOTFOUND && !changes && !r->address))
        return;
    pm_cli_say("%s", err.text);
    if (st != PMAPDB_NOTFOUND && r->diff)
        pm_cli_say("--diff makes its changes and takes them back: where this store must not be "
                   "written, ask a copy of it, made by sqlite3 STORE '.backup COPY'");
    exit(PM_EXIT_TROUBLE);
}

int pm_cli_rules(pm_cli *cli, int argc, char **argv)
{
    pm_rules_cmd r = {.cli = cli};
    int n = pm_options_parse(cli, &syntax, &r, argc, argv);

    check(&r, n ? argv[1] : NULL);
    open_store(&r);
    pm_output_keep_apart(cli, &r.rules, 1, "reads");
    if (r.apply || r.diff)
        apply(&r);
    else if (r.export)
        export(&r);
    else if (r.address)
        pm_rules_cli_explain(&r);
    else
        list(&r);
    pmapdb_close(r.store);
    return PM_EXIT_OK;
}
