/* rules: pmapdb rules: the rules that give categories: lists them, explains why a mapping has its
 * category, applies other rules to all history. */
#include "cli/rules/rules.h"

#include "cli/options/options.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(pm_rules_cmd, field)

static const pm_option options[] = {
    {"rules", 0, PM_OPT_WORD, AT(rules), "SET",
     "This set instead of the store's: default or pmap-dotnet (built in), or a file", NULL},
    {"explain", 0, PM_OPT_WORD, AT(address), "ADDRESS",
     "Why the mapping there has its category, and why the rules before did not match", NULL},
    {"process", 0, PM_OPT_WORD, AT(process), "process",
     "The process of ADDRESS: NAME, PID, NAME/PID or @ID", NULL},
    {"snapshot", 0, PM_OPT_WORD, AT(snapshot), "snapshot",
     "The snapshot of ADDRESS: first, last, prev, @ID, a time (last)", NULL},
    {"dialect", 0, PM_OPT_TEXT, AT(dialect), "text", "Only captures of this dialect", NULL},
    {"export", 0, PM_OPT_FLAG, AT(export), NULL, "The text of the set, to edit and to apply", NULL},
    {"apply", 0, PM_OPT_WORD, AT(apply), "SET",
     "Give all mappings of the store, now and later, the categories of this set", NULL},
    {"diff", 0, PM_OPT_WORD, AT(diff), "SET", "What --apply would change, without a change", NULL},
    {"forget-labels", 0, PM_OPT_FLAG, AT(forget_labels), NULL,
     "With --apply or --diff: also forget what JVMs said of their own memory (see pmapdb labels); "
     "the rules name it then",
     NULL},
    {0}};

static const pm_syntax syntax = {.options = options,
                                 .operands = "[SET]\n--explain ADDRESS\n--apply SET|--diff SET"};

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

void pm_rules_cli_note(void *ctx, bool mistake, const char *note)
{
    pm_rules_cmd *r = ctx;

    r->mistakes += mistake;
    if (mistake || !r->cli->quiet)
        pm_cli_say("%s", note);
}

void pm_rules_cli_must(const pm_rules_cmd *r, pmapdb_status st, const pmapdb_error *err)
{
    if (st == PMAPDB_INPUT && r->mistakes) {
        pm_output_file_abandon();
        exit(PM_EXIT_TROUBLE); // NOLINT(concurrency-mt-unsafe): there is one thread
    }
    pm_cli_must(st, err);
}

pm_rules_choice pm_rules_cli_chosen(pm_rules_cmd *r)
{
    pm_rules_choice c = {0};
    pmapdb_error err;

    pm_cli_must(pm_rules_choose(r->store, r->rules, &c, &err), &err);
    pm_rules_cli_must(r, pm_rules_choice_read(&c, pm_rules_cli_note, r, &err), &err);
    return c;
}

/* ---- the list ---- */

#define FIELD(field) offsetof(pmapdb_rule, field)

static const pm_member columns[] = {{{"position", PM_UNIT_INT}, FIELD(position)},
                                    {{"rule", PM_UNIT_TEXT}, FIELD(name)},
                                    {{"category", PM_UNIT_TEXT}, FIELD(category)},
                                    {{"conditions", PM_UNIT_TEXT}, FIELD(conditions)},
                                    {{"lineages", PM_UNIT_COUNT}, FIELD(lineages)},
                                    {{"note", PM_UNIT_TEXT}, FIELD(note)}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct listing {
    pm_rules_cmd *r;
    pm_output out;
} listing;

static void on_set(void *ctx, const pmapdb_rule_set *set)
{
    listing *l = ctx;
    char at[PM_CLOCK_TEXT] = "";

    /* Another version of the program created the store or applied its rules. */
    if (set->stored && set->named_built_in && !set->built_in)
        pm_cli_note(l->r->cli,
                    "this pmapdb %s has other rules by the name %s: pmapdb rules --diff %s says "
                    "what they would change, --apply %s changes it",
                    PMAPDB_VERSION, set->name, set->name, set->name);
    if (!pm_cli_is_for_people(l->r->cli))
        return;
    if (l->r->store && set->stored && set->applied_ms != PMAPDB_UNKNOWN)
        pm_clock_format(set->applied_ms, at);
    pm_output_line(&l->out, "%s, %" PRId64 " rule%s%s; %s%s", set->name, set->rules,
                   set->rules == 1 ? "" : "s", set->built_in ? ", built in" : "",
                   !l->r->store   ? "there is no store"
                   : !set->stored ? "the store has others"
                   : *at          ? "applied to the store at "
                                  : "the store has them since it was made",
                   at);
    if (l->r->cli->format == PM_FORMAT_MD)
        pm_output_text(&l->out, "\n");
}

static void on_rule(void *ctx, const pmapdb_rule *rule)
{
    listing *l = ctx;

    pm_output_struct(&l->out, columns, N_COLUMNS, rule);
}

static void on_note(void *ctx, bool mistake, const char *note)
{
    const listing *l = ctx;

    pm_rules_cli_note(l->r, mistake, note);
}

static void list(pm_rules_cmd *r)
{
    listing l = {.r = r};
    const pmapdb_rules_options how = {
        .rules = r->rules, .ctx = &l, .on_note = on_note, .on_set = on_set, .on_rule = on_rule};
    pmapdb_error err;

    pm_output_open(&l.out, r->cli);
    pm_output_fields(&l.out, columns, N_COLUMNS);
    pm_rules_cli_must(r, pmapdb_rules(r->store, &how, &err), &err);
    pm_output_end(&l.out);
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
    exit(PM_EXIT_TROUBLE); // NOLINT(concurrency-mt-unsafe): there is one thread
}

int pm_cli_rules(pm_cli *cli, int argc, char **argv)
{
    pm_rules_cmd r = {.cli = cli};
    int n = pm_options_parse(cli, &syntax, &r, argc, argv);

    if (n > 1)
        pm_cli_usage(cli, "unexpected word '%s'", argv[2]);
    check(&r, n ? argv[1] : NULL);
    open_store(&r);
    pm_output_keep_apart(cli, &r.rules, 1, "reads");
    if (r.apply || r.diff)
        pm_rules_cli_apply(&r);
    else if (r.export)
        export(&r);
    else if (r.address)
        pm_rules_cli_explain(&r);
    else
        list(&r);
    pmapdb_close(r.store);
    return PM_EXIT_OK;
}
