/* main: the table of commands. */
#include "cli/advice/page.h"
#include "cli/options/config.h"
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/run.h"

#include "base/clock/clock.h"
#include "base/near.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pm_cli_command run_help;

/* The commands of --help, in its groups. A command without a help text is not listed there. */
static const struct command {
    const char *group; /* the heading above the command; NULL: no new heading */
    const char *name, *help;
    pm_cli_command *run; /* NULL: the named query of the same name */
} commands[] = {
    {"Put in", "import", "store captures: files, directories, archives, standard input",
     pm_cli_import},
    {NULL, "capture", "read live processes and store them, once or at every beat", pm_cli_capture},
    {NULL, "run", "capture a command from start to end, and show its peak", pm_cli_run},
    {NULL, "import-perf", "store call stacks of mmap, brk and the like: perf script",
     pm_cli_import_perf},
    {NULL, "dialects", NULL, pm_cli_dialects},
    {"Ask", "status", "one screen: who holds memory, grew, leaks, nears a limit, ended",
     pm_cli_status},
    {NULL, "host", "the machine: processes, page cache, tmpfs, slab, swap, limits", NULL},
    {NULL, "diff", "what grew between two snapshots", pm_cli_diff},
    {NULL, "growth", "every category in every snapshot, with the steps", pm_cli_growth},
    {NULL, "categories", "the categories of one snapshot, largest first", NULL},
    {NULL, "mappings", "the mappings of one snapshot, by region, in words", pm_cli_mappings},
    {NULL, "groups", "processes of one moment by name, user, cgroup, expression", pm_cli_groups},
    {NULL, "shm", "shared memory of this machine, and who maps it", pm_cli_shm},
    {NULL, "tmpfs", "filesystems in memory, and what they hold", pm_cli_tmpfs},
    {NULL, "pages", "the pages of one process now: mapping by mapping, run by run", pm_cli_pages},
    {NULL, "map", "memory as a picture: of the machine, or of one process, page by page",
     pm_cli_map},
    {NULL, "report", "one HTML page: what grew, since when, where, who, until when", pm_cli_report},
    {NULL, "plot", "a process as a picture: on the terminal, or in an SVG or PNG file",
     pm_cli_plot},
    {NULL, "watch", "a live screen of processes: who holds, who grows, since when", pm_cli_watch},
    {NULL, "snapshots", "the snapshots in the store", NULL},
    {NULL, "processes", "the processes in the store", NULL},
    {NULL, "who", "which call stacks allocated what grew, as perf recorded it", pm_cli_who},
    {NULL, "query", "run a named query: --list lists them; each is a command, too", pm_cli_query},
    {NULL, "sql", "ask in SQL: 'SELECT ...'", pm_cli_sql},
    {NULL, "fleet", "ask ClickHouse about all hosts: leaks by build, worst hosts, limits",
     pm_cli_fleet},
    {"Judge", "leaks", "what leaks: a verdict on every part of every process", pm_cli_leaks},
    {NULL, "baseline", "what runs held, as a small file for compare", pm_cli_baseline},
    {NULL, "compare", "two sets of runs: did this build make it worse?", pm_cli_compare},
    {NULL, "check", "a plugin for Nagios: one line, exit status 0 to 3", pm_cli_check},
    {NULL, "explain", "what a category is, what growth in it means, what to do next",
     pm_cli_explain_category},
    {"Look after", "doctor", "is the store intact, do captures arrive, how long does space last",
     pm_cli_doctor},
    {NULL, "prune", "which snapshots stay, and for how long; pins; the store's size", pm_cli_prune},
    {NULL, "merge", "copy the contents of other stores into this one", pm_cli_merge},
    {NULL, "push", "send to ClickHouse, or write files, for questions about many hosts",
     pm_cli_push},
    {NULL, "export", "copy all or part of this store to a new one; --redact hides names",
     pm_cli_export},
    {NULL, "rules", "the rules that give categories: why, your own, over all history",
     pm_cli_rules},
    {NULL, "config", "which settings hold, and which file and line they come from", pm_cli_config},
    {NULL, "completion", NULL, pm_cli_completion},
    {NULL, "help", NULL, run_help}};

#define N_COMMANDS (sizeof commands / sizeof *commands)

/* Words that people try first. */
static const struct {
    const char *word, *command;
} aliases[] = {{"top", "by-process"},     {"ps", "processes"},       {"list", "processes"},
               {"leak", "leaks"},         {"gone", "restarts"},      {"ended", "restarts"},
               {"exited", "restarts"},    {"load", "import"},        {"history", "growth"},
               {"show", "status"},        {"info", "status"},        {"health", "doctor"},
               {"forecast", "leaks"},     {"grew", "growth"},        {"holds", "by-process"},
               {"holders", "by-process"}, {"biggest", "by-process"}, {"hogs", "by-process"},
               {"died", "restarts"},      {"dead", "restarts"},      {"oom", "host"},
               {"pressure", "host"},      {"cache", "host"},         {"free", "host"},
               {"memory", "host"},        {"settings", "config"},    {"summary", "status"},
               {"usage", "by-process"},   {"grow", "growth"},        {"trend", "growth"},
               {"graph", "plot"},         {"chart", "plot"},         {"alert", "check"},
               {"maps", "mappings"},      {"record", "capture"},     {"monitor", "capture"},
               {"limits", "leaks"},       {"eta", "leaks"}};

static const char *command_of_word(const char *word)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].word, word) == 0)
            return aliases[i].command;
    return word;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void put_commands(FILE *out, const void *ctx, bool all)
{
    (void)ctx;
    (void)all;
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (commands[i].group)
            fprintf(out, "%s%s:\n", i ? "\n" : "", commands[i].group);
        if (commands[i].help)
            fprintf(out, "  %-11s %s\n", commands[i].name, commands[i].help);
    }
}

/* Prints the commands, and the queries that are not commands of the same name. */
static void put_words(FILE *out, const pm_cli *cli)
{
    pm_names queries = {0};

    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %s\n", commands[i].name);
    if (pm_catalog_names(cli->query_dir, "", &queries, NULL) == PMAPDB_OK)
        for (size_t i = 0; i < queries.n; i++)
            if (!find_command(queries.name[i]))
                fprintf(out, "  %s\n", queries.name[i]);
    pm_names_free(&queries);
}

static const pm_syntax program = {
    .operands = "COMMAND [ARGS]", .words = put_words, .in_order = true, .more = put_commands};

/* Reports a word that is neither a command nor a query. */
static int say_unknown(const char *name, const char *query_dir)
{
    pm_names queries = {0};
    pm_near near;

    pm_near_start(&near, pm_text_of(name));
    for (size_t i = 0; i < N_COMMANDS; i++)
        pm_near_try(&near, pm_text_of(commands[i].name));
    if (pm_catalog_names(query_dir, "", &queries, NULL) == PMAPDB_OK)
        for (size_t i = 0; i < queries.n; i++)
            pm_near_try(&near, pm_text_of(queries.name[i]));
    pm_names_free(&queries);
    pm_cli_say("no command '%s'%s pmapdb --help lists them, pmapdb query --list the queries", name,
               pm_near_hint(&near));
    return PM_EXIT_TROUBLE;
}

/* Runs a named query that is not a command of its own. */
static int run_query(pm_cli *cli, const char *name, int argc, char **argv)
{
    pm_query_info *info = NULL;
    pmapdb_status st;

    pm_run_find_query_dir(cli, argc, argv);
    st = pm_catalog_find(cli->query_dir, name, &info, NULL);
    pm_catalog_free(info);
    return st == PMAPDB_NOTFOUND ? say_unknown(name, cli->query_dir)
                                 : pm_cli_named(cli, name, argc, argv);
}

static int run_command(pm_cli *cli, const char *word, int argc, char **argv)
{
    const char *name = command_of_word(word);
    const struct command *command;
    char title[64];

    if (strcmp(name, "status") == 0 && argc > 1 && *argv[1] != '-')
        name = "categories"; /* the state of a process */
    command = find_command(name);
    snprintf(title, sizeof title, "pmapdb %s", name);
    argv[0] = title;
    if (!command)
        return run_query(cli, name, argc, argv);
    return command->run ? command->run(cli, argc, argv) : pm_cli_named(cli, name, argc, argv);
}

/* ---- help ---- */

/* Prints the options of every command, or a text about a word that is no command. */
static int put_topic(const pm_cli *cli, const char *word)
{
    pm_output out;

    pm_output_open(&out, cli);
    if (strcmp(word, "options") != 0) {
        pm_help_topic(out.text, word);
    } else {
        pm_options_put(out.text, pm_cli_options);
        pm_options_put(out.text, pm_help_options);
    }
    pm_output_end(&out);
    return PM_EXIT_OK;
}

static bool is_category(const pm_cli *cli, const char *word)
{
    pmapdb_store *store = pm_cli_store_in_memory(cli);
    bool exists = pm_page_exists(store, word);

    pmapdb_close(store);
    return exists;
}

/* Says everything about one word: a command, a query, or a category. */
static int run_help(pm_cli *cli, int argc, char **argv)
{
    static const pm_syntax syntax = {.operands = "[COMMAND|QUERY|CATEGORY|options|times|formats]",
                                     .most = 1};
    int n = pm_options_parse(cli, &syntax, NULL, argc, argv);
    const char *word = n ? argv[1] : NULL;
    char *words[] = {NULL, (char *)PM_HELP_ALL, NULL},
         *brief[] = {(char *)"pmapdb", (char *)"--help", NULL};
    pm_query_info *info = NULL;
    bool known;

    if (!word)
        return pm_options_parse(cli, &program, NULL, 2, brief);
    word = command_of_word(word);
    if (strcmp(word, "options") == 0 || (!find_command(word) && pm_help_topic(NULL, word)))
        return put_topic(cli, word);
    known = find_command(word) || pm_catalog_find(cli->query_dir, word, &info, NULL) == PMAPDB_OK;
    pm_catalog_free(info);
    if (!known && !is_category(cli, word))
        return say_unknown(word, cli->query_dir);
    words[1] = known ? words[1] : argv[1];
    return run_command(cli, known ? word : "explain", 2, words);
}

/* ---- the program ---- */

static void on_lost_page(int signal)
{
    (void)signal;
    pm_cli_die("another program truncated a file of the store, or its disk failed, while it was "
               "used: run this again");
}

/* Lets write() return an error if the reader has gone (SIGPIPE) or a file exceeds its limit
 * (SIGXFSZ). SQLite maps the -shm: if it is truncated, a read of it raises SIGBUS. */
static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};

    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    action.sa_handler = on_lost_page;
    sigaction(SIGBUS, &action, NULL);
}

/* Keeps freed memory in the process. Reading a capture frees memory that storing it needs again; by
 * default the C library would return pieces of 128 KiB and more to the kernel in between, and each
 * page would then cost a fault. The C library takes at least 1 MiB at a time from the kernel. */
static void keep_freed_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
}

static bool takes_value(const char *word)
{
    for (const pm_option *o = pm_cli_options; o->name; o++)
        if (o->arg && ((word[1] == '-' && strcmp(word + 2, o->name) == 0) ||
                       (o->letter && word[1] == o->letter && !word[2])))
            return true;
    return false;
}

/* True if the command is check. Called before any option is parsed, because a wrong option is
 * UNKNOWN for check, and trouble for other commands. */
static bool asks_check(int argc, char **argv)
{
    int i = 1;

    while (i < argc && argv[i][0] == '-')
        i += takes_value(argv[i]) ? 2 : 1;
    return i < argc && strcmp(argv[i], "check") == 0;
}

/* Without a command, shows the status of the store, if there is a store. */
static int run_without_command(pm_cli *cli)
{
    char path[PM_CLI_PATH], top[32] = "--top=3", *words[] = {(char *)"status", top, NULL};

    pm_cli_find_store(cli, false, path);
    if (access(path, R_OK) != 0)
        pm_cli_usage(cli, "which command? There is no store at %s yet", path);
    if (cli->top)
        snprintf(top, sizeof top, "--top=%lld", (long long)cli->top);
    cli->top = 0; /* --top limits each part of the status, not the whole */
    return run_command(cli, "status", 2, words);
}

/* Ends the program if a line of a configuration file is about a command that does not exist. */
static void check_commands(const pm_config *c)
{
    for (size_t i = 0; i < c->n; i++) {
        char *name = pm_cli_memory(pm_text_copy(pm_config_command(&c->line[i])));
        pm_query_info *info = NULL;

        if (*name && !find_command(name) &&
            pm_catalog_find(NULL, name, &info, NULL) == PMAPDB_NOTFOUND)
            pm_config_refuse(&c->line[i],
                             "no option of every command and no command is called '%s': pmapdb "
                             "help options, pmapdb --help",
                             name);
        pm_catalog_free(info);
        free(name);
    }
}

int main(int argc, char **argv)
{
    const char *zone = getenv("TZ");
    pm_config config;
    int exit_code;
    pm_cli cli = {.format = PM_FORMAT_TABLE, .config = &config};

    if (asks_check(argc, argv))
        pm_cli_check_begin();
    handle_signals();
    keep_freed_memory();
    if (argc > 0)
        argv[0] = (char *)"pmapdb";
    pm_config_read(&config);
    check_commands(&config);
    argc = pm_options_parse(&cli, &program, NULL, argc, argv);
    if (zone && *zone && !pm_clock_is_zone(zone))
        pm_cli_note(
            &cli, "TZ '%s' is not a known time zone: local times are taken as UTC; set TZ or --tz",
            zone);
    exit_code = argc ? run_command(&cli, argv[1], argc, argv + 1) : run_without_command(&cli);
    pm_config_free(&config);
    return exit_code;
}
