/* cmd_rules: pmapdb rules: the rules that give categories: what they are, why a mapping has its
 * category, files of one's own, other rules over all history. */
#include "cli/cmd_rules.h"
#include "cli/same_file.h"

#include <string.h>

enum {
    KEY_RULES = 0x6000,
    KEY_EXPLAIN,
    KEY_PROCESS,
    KEY_SNAPSHOT,
    KEY_DIALECT,
    KEY_EXPORT,
    KEY_TEST,
    KEY_APPLY,
    KEY_DIFF,
    KEY_FORGET,
    KEY_FOLDER
};

static const struct argp_option options[] = {
    {"rules", KEY_RULES, "SET", 0,
     "Of this set, not the store's: default and pmap-dotnet are built in, else a file", 0},
    {"application-folder", KEY_FOLDER, "DIR", 0, "What {app} in rules stands for (/app)", 0},
    {"explain", KEY_EXPLAIN, NULL, 0,
     "In words; with ADDRESS why the mapping there has its category, and what kept it from the "
     "rules before",
     1},
    {"process", KEY_PROCESS, "process", 0, "Of which ADDRESS is: NAME, PID, NAME/PID or @ID", 1},
    {"snapshot", KEY_SNAPSHOT, "snapshot", 0, "In which: first, last, prev, @ID, a time (last)", 1},
    {"dialect", KEY_DIALECT, "text", 0, "Only captures of this dialect", 1},
    {"export", KEY_EXPORT, NULL, 0, "The text of the set, to edit and to apply", 2},
    {"test", KEY_TEST, "FILE", 0,
     "Which mappings of a CSV file (case, start, size_kib, perms, device, inode, path, flags, "
     "category) get another category",
     3},
    {"apply", KEY_APPLY, "SET", 0,
     "Give all that the store has, and what is stored later, the categories of this set", 4},
    {"diff", KEY_DIFF, "SET", 0, "What --apply would change; nothing is", 4},
    {"forget-labels", KEY_FORGET, NULL, 0,
     "With --apply or --diff: also what JVMs said of their own memory goes (see pmapdb labels), "
     "and "
     "the rules say what it named",
     4},
    {0}};

typedef struct rules_args {
    pm_cli *cli;
    pm_rules_cli r;
    const char *word; /* ADDRESS or SET */
    const char *applied;
    int modes;
} rules_args;

/* ---- options ---- */

static void check(rules_args *a, struct argp_state *state)
{
    pm_rules_cli *r = &a->r;

    if (a->modes > 1)
        argp_error(state, "one of --explain, --export, --test, --apply, --diff at a time");
    if (a->applied && (r->rules || a->word))
        argp_error(state, "%s takes one set", r->dry_run ? "--diff" : "--apply");
    if (r->test && a->word)
        argp_error(state, "what is '%s'? --rules SET says which rules are tested", a->word);
    if (r->explain)
        r->address = a->word;
    else if (a->word && r->rules)
        argp_error(state, "which set, '%s' or '%s'?", r->rules, a->word);
    else if (a->word)
        r->rules = a->word;
    if (a->applied)
        r->rules = a->applied;
    if ((r->process || r->snapshot || r->dialect) && !r->address)
        argp_error(state, "--process, --snapshot and --dialect go with --explain ADDRESS");
    if (r->forget_labels && !a->applied)
        argp_error(state, "--forget-labels goes with --apply SET or --diff SET");
}

static void take_set(rules_args *a, const char *set, bool dry_run)
{
    a->modes++;
    a->applied = set;
    a->r.apply = true;
    a->r.dry_run = dry_run;
}

/* As paths begin with it: without a slash at its end. */
static const char *folder_arg(struct argp_state *state, char *arg)
{
    size_t n = strlen(arg);

    while (n > 1 && arg[n - 1] == '/')
        arg[--n] = '\0';
    if (arg[0] != '/')
        argp_error(state, "--application-folder wants a path from / on, not '%s'", arg);
    return arg;
}

static error_t parse_which(int key, char *arg, rules_args *a, struct argp_state *state)
{
    switch (key) {
    case KEY_RULES:
        a->r.rules = arg;
        return 0;
    case KEY_FOLDER:
        a->r.application = folder_arg(state, arg);
        return 0;
    case KEY_PROCESS:
        a->r.process = arg;
        return 0;
    case KEY_SNAPSHOT:
        a->r.snapshot = arg;
        return 0;
    case KEY_DIALECT:
        a->r.dialect = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    rules_args *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = a->cli;
        return 0;
    case KEY_EXPLAIN:
        a->modes += !a->r.explain;
        a->r.explain = true;
        return 0;
    case KEY_EXPORT:
        a->modes += !a->r.export;
        a->r.export = true;
        return 0;
    case KEY_TEST:
        a->modes += !a->r.test;
        a->r.test = arg;
        return 0;
    case KEY_APPLY:
    case KEY_DIFF:
        take_set(a, arg, key == KEY_DIFF);
        return 0;
    case KEY_FORGET:
        a->r.forget_labels = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->word)
            argp_error(state, "what is '%s'?", arg);
        a->word = arg;
        return 0;
    case ARGP_KEY_END:
        check(a, state);
        return 0;
    default:
        return parse_which(key, arg, a, state);
    }
}

/* ---- what its parts share ---- */

void pm_rules_cli_note(void *ctx, bool mistake, const char *note)
{
    pm_rules_cli *r = ctx;

    r->mistakes += mistake;
    if (mistake || !r->cli->quiet)
        pm_cli_say("%s", note);
}

int pm_rules_cli_fail(const pm_rules_cli *r, pmapdb_status st, const pmapdb_error *err)
{
    if (st == PMAPDB_INPUT && r->mistakes)
        return PM_EXIT_TROUBLE;
    return pm_cli_fail(st, err);
}

/* ---- the run ---- */

/* Rules can be looked at without a store; which is that of the categories, only it knows. */
static pmapdb_status open_store(pm_rules_cli *r)
{
    pmapdb_open_options how = {.mode = r->apply ? PMAPDB_CHANGE : PMAPDB_READ};
    pmapdb_error err;
    pmapdb_status st = pm_cli_try_open(r->cli, &how, &r->store, &err);

    if (st == PMAPDB_NOTFOUND && !r->apply && !r->address)
        return PMAPDB_OK;
    if (st != PMAPDB_OK)
        pm_cli_say("%s", err.text);
    if (st != PMAPDB_OK && st != PMAPDB_NOTFOUND && r->dry_run)
        pm_cli_say("--diff makes its changes and takes them back: where this store must not be "
                   "written, ask a copy of it, made by sqlite3 STORE '.backup COPY'");
    return st;
}

static int run(pm_rules_cli *r)
{
    const char *files[] = {r->rules, r->test};
    pmapdb_error err;

    if (pm_cli_keep_apart(r->cli, files, 2, "reads", &err) != PMAPDB_OK)
        return pm_cli_fail(err.status, &err);
    if (r->apply)
        return pm_rules_cli_apply(r);
    if (r->test)
        return pm_rules_cli_test(r);
    if (r->export)
        return pm_rules_cli_export(r);
    return r->address ? pm_rules_cli_explain(r) : pm_rules_cli_list(r);
}

int pm_cli_rules(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "[SET]\n--explain [ADDRESS]\n--test FILE\n--apply SET|--diff SET",
        "The rules that give mappings their categories, in their order: the first that matches "
        "wins. They are those of the store; SET is another: default or pmap-dotnet, which are "
        "built in, or a file of your own.\v"
        "Columns:\n"
        "  position                int      Its place: the first rule that matches wins\n"
        "  rule                    text     Its name\n"
        "  category                text     What it gives; %b and such stand for names\n"
        "  conditions              text     What must hold, all of it, in words\n"
        "  lineages                count    How many of the store it decided\n"
        "  note                    text     What its author says of it\n"
        "\nA rule is asked once in the life of a lineage, in the first of its captures that tell "
        "most of it; what it says then stays. To change rules: --export them, edit the file, see "
        "what --test, --diff FILE say, --apply FILE. A file with a mistake changes nothing.\n"
        "\nExit status: 0 done; 1 --test: a mapping gets another category than it should; 2 "
        "trouble.",
        children,
        NULL,
        NULL};
    rules_args a = {.cli = cli, .r = {.cli = cli}};
    int exit_code = PM_EXIT_TROUBLE;

    pm_cli_parse(&argp, argc, argv, 0, &a);
    if (open_store(&a.r) == PMAPDB_OK)
        exit_code = run(&a.r);
    pmapdb_close(a.r.store);
    return exit_code;
}
