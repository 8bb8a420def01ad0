/* rules: pmapdb rules: the rules that give categories: what they are, why a mapping has its
 * category, files of one's own, other rules over all history. */
#include "cli/rules.h"
#include "cli/options.h"
#include "cli/output.h"

#include <string.h>

typedef struct rules_args {
    pm_cli *cli;
    pm_rules_cli r;
    const char *word; /* ADDRESS or SET */
    const char *apply, *diff;
} rules_args;

/* ---- options ---- */

#define AT(field) offsetof(rules_args, field)

static const pm_option options[] = {
    {"rules", 0, PM_OPT_RULES, AT(r.rules), "SET",
     "Of this set instead of the store's: default and pmap-dotnet are built in, else a file", NULL},
    {"application-folder", 0, PM_OPT_FOLDER, AT(r.application), "DIR",
     "What {app} in rules stands for (/app)", NULL},
    {"explain", 0, PM_OPT_FLAG, AT(r.explain), NULL,
     "In words; with ADDRESS why the mapping there has its category, and why the rules before did "
     "not match",
     NULL},
    {"process", 0, PM_OPT_PROCESS, AT(r.process), "process",
     "Of which ADDRESS is: NAME, PID, NAME/PID or @ID", NULL},
    {"snapshot", 0, PM_OPT_SNAPSHOT, AT(r.snapshot), "snapshot",
     "In which: first, last, prev, @ID, a time (last)", NULL},
    {"dialect", 0, PM_OPT_TEXT, AT(r.dialect), "text", "Only captures of this dialect", NULL},
    {"export", 0, PM_OPT_FLAG, AT(r.export), NULL, "The text of the set, to edit and to apply",
     NULL},
    {"test", 0, PM_OPT_FILE, AT(r.test), "FILE",
     "Which mappings of a CSV file (case, start, size_kib, perms, device, inode, path, flags, "
     "category) get another category",
     NULL},
    {"apply", 0, PM_OPT_RULES, AT(apply), "SET",
     "Give all that the store has, and what is stored later, the categories of this set", NULL},
    {"diff", 0, PM_OPT_RULES, AT(diff), "SET", "What --apply would change, without a change", NULL},
    {"forget-labels", 0, PM_OPT_FLAG, AT(r.forget_labels), NULL,
     "With --apply or --diff: also forget what JVMs said of their own memory (see pmapdb labels); "
     "the rules name it then",
     NULL},
    {0}};

/* Paths begin with the folder: no slash at its end. */
static void trim_folder(rules_args *a)
{
    char *folder = (char *)a->r.application; /* a word of argv */
    size_t n = folder ? strlen(folder) : 0;

    while (n > 1 && folder[n - 1] == '/')
        folder[--n] = '\0';
    if (folder && *folder != '/')
        pm_cli_usage(a->cli, "--application-folder wants a path from / on, not '%s'", folder);
}

static void check(rules_args *a)
{
    pm_rules_cli *r = &a->r;
    const char *applied = a->apply ? a->apply : a->diff;

    if (r->explain + r->export + (r->test != NULL) + (a->apply != NULL) + (a->diff != NULL) > 1)
        pm_cli_usage(a->cli, "one of --explain, --export, --test, --apply, --diff at a time");
    if (applied && (r->rules || a->word))
        pm_cli_usage(a->cli, "%s takes one set", a->diff ? "--diff" : "--apply");
    if (r->test && a->word)
        pm_cli_usage(a->cli, "what is '%s'? --rules SET says which rules are tested", a->word);
    if (!r->explain && a->word && r->rules)
        pm_cli_usage(a->cli, "which set, '%s' or '%s'?", r->rules, a->word);
    if (r->explain)
        r->address = a->word;
    else if (a->word)
        r->rules = a->word;
    r->apply = applied != NULL;
    r->dry_run = a->diff != NULL;
    if (applied)
        r->rules = applied;
    if ((r->process || r->snapshot || r->dialect) && !r->address)
        pm_cli_usage(a->cli, "--process, --snapshot and --dialect go with --explain ADDRESS");
    if (r->forget_labels && !applied)
        pm_cli_usage(a->cli, "--forget-labels goes with --apply SET or --diff SET");
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

    pm_output_keep_apart(r->cli, files, 2, "reads");
    if (r->apply)
        return pm_rules_cli_apply(r);
    if (r->test)
        return pm_rules_cli_test(r);
    if (r->export)
        return pm_rules_cli_export(r);
    return r->address ? pm_rules_cli_explain(r) : pm_rules_cli_list(r);
}

static const pm_syntax syntax = {
    .options = options,
    .operands = "[SET]\n--explain [ADDRESS]\n--test FILE\n--apply SET|--diff SET",
    .operand = PM_OPT_RULES,
    .about = "The rules that give mappings their categories, in order: the first that matches "
             "wins. They are those of the store; SET is another: default or pmap-dotnet, which are "
             "built in, or a file of your own.",
    .after =
        "Columns:\n"
        "  position                int      Its place: the first rule that matches wins\n"
        "  rule                    text     Its name\n"
        "  category                text     What it gives; %b and such stand for names\n"
        "  conditions              text     What must hold, all of it, in words\n"
        "  lineages                count    How many of the store it decided\n"
        "  note                    text     What its author says of it\n"
        "\nA rule is asked once in the life of a lineage, in the first capture of the strongest "
        "dialect; its answer then stays. To change rules: --export them, edit the file, see what "
        "--test and --diff FILE say, --apply FILE. A file with a mistake changes nothing.\n"
        "\nExit status: 0 done; 1 --test: a mapping gets another category than it should; 2 "
        "trouble.",
    .examples = "  pmapdb rules\n"
                "  pmapdb rules --explain 7fc369308000 --process leaky --snapshot last\n"
                "  pmapdb rules --export -o my.csv && pmapdb rules --diff my.csv\n"
                "  pmapdb rules --apply pmap-dotnet\n"};

int pm_cli_rules(pm_cli *cli, int argc, char **argv)
{
    rules_args a = {.cli = cli, .r = {.cli = cli}};
    int exit_code = PM_EXIT_TROUBLE, n = pm_options_parse(cli, &syntax, &a, argc, argv);

    if (n > 1)
        pm_cli_usage(cli, "what is '%s'?", argv[2]);
    a.word = n ? argv[1] : NULL;
    trim_folder(&a);
    check(&a);
    if (open_store(&a.r) == PMAPDB_OK)
        exit_code = run(&a.r);
    pmapdb_close(a.r.store);
    return exit_code;
}
