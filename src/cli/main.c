/* main: the table of commands. */
#include "cli/options/options.h"
#include "cli/run.h"

#include "base/near.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command {
    const char *name, *query, *help;
    int (*run)(pm_cli *cli, int argc, char **argv);
} commands[] = {
    {"import", NULL, "store captures: files, directories, archives, standard input", pm_cli_import},
    {"capture", NULL, "read live processes and store them, once or at every beat", pm_cli_capture},
    {"dialects", NULL, "what import reads, with an example of each", pm_cli_dialects},
    {"import-perf", NULL, "store who called mmap, brk and the like: output of perf script",
     pm_cli_import_perf},
    {"snapshots", "snapshots", "the snapshots in the store", NULL},
    {"processes", "processes", "the processes in the store", NULL},
    {"categories", "categories", "the categories of one snapshot, largest first", NULL},
    {"mappings", NULL, "the mappings of one snapshot, by region, in words", pm_cli_mappings},
    {"diff", NULL, "what grew between two snapshots", pm_cli_diff},
    {"growth", "growth", "every category in every snapshot, with the steps", NULL},
    {"groups", NULL, "processes of one moment by name, user, cgroup, expression", pm_cli_groups},
    {"leaks", NULL, "what leaks: a verdict on every part of every process", pm_cli_leaks},
    {"who", NULL, "which call stacks allocated what grew, as perf recorded it", pm_cli_who},
    {"threads", "threads", "thread stacks by size, with the number of threads", NULL},
    {"explain", NULL, "what a category is, what growth in it means, what to do next",
     pm_cli_explain_category},
    {"check", NULL, "a plugin for Nagios and the like: one line, exit status 0 to 3", pm_cli_check},
    {"doctor", NULL, "state of the store: intact, fed, how long its space lasts", pm_cli_doctor},
    {"prune", NULL, "which snapshots stay, and for how long; pins; the store's size", pm_cli_prune},
    {"merge", NULL, "copy the contents of other stores into this one", pm_cli_merge},
    {"export", NULL, "a new store of part of this one; --redact for others' eyes", pm_cli_export},
    {"rules", NULL, "the rules behind categories: why, your own, over all history", pm_cli_rules},
    {"query", NULL, "run a named query: --list lists them", pm_cli_query},
    {"sql", NULL, "ask in SQL: 'SELECT ...'", pm_cli_sql},
    {"completion", NULL, "print the completion script for bash, zsh or fish", pm_cli_completion}};

#define N_COMMANDS (sizeof commands / sizeof *commands)

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void put_commands(FILE *out, const void *ctx)
{
    (void)ctx;
    fputs("Commands:\n", out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-11s %s\n", commands[i].name, commands[i].help);
    fputs("\nEvery named query is a command too. pmapdb COMMAND --help says more.\n", out);
}

/* Prints the commands, and the queries that are not commands of the same name. */
static void put_words(FILE *out, const pm_cli *cli)
{
    pm_names queries = {0};

    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %s\n", commands[i].name);
    if (pm_catalog_names(cli->query_dir, &queries, NULL) == PMAPDB_OK)
        for (size_t i = 0; i < queries.n; i++)
            if (!find_command(queries.name[i]))
                fprintf(out, "  %s\n", queries.name[i]);
    pm_names_free(&queries);
}

/* Reports a word that is neither a command nor a query. */
static int say_unknown(const char *name, const char *query_dir)
{
    pm_names queries = {0};
    pm_near near;

    pm_near_start(&near, pm_text_of(name));
    for (size_t i = 0; i < N_COMMANDS; i++)
        pm_near_try(&near, pm_text_of(commands[i].name));
    if (pm_catalog_names(query_dir, &queries, NULL) == PMAPDB_OK)
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
 * page would then cost a fault. */
static void keep_freed_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
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

int pm_cli_main(int argc, char **argv)
{
    static const pm_syntax syntax = {
        .operands = "COMMAND [ARGS]", .words = put_words, .in_order = true, .more = put_commands};
    pm_cli cli = {.format = PM_FORMAT_TABLE};
    const struct command *command;
    const char *name;
    char title[64];

    if (asks_check(argc, argv))
        pm_cli_check_begin();
    handle_signals();
    keep_freed_memory();
    if (argc > 0)
        argv[0] = (char *)"pmapdb";
    argc = pm_options_parse(&cli, &syntax, NULL, argc, argv);
    if (!argc)
        pm_cli_usage(&cli, "which command?");
    argv++;
    name = argv[0];
    command = find_command(name);
    snprintf(title, sizeof title, "pmapdb %s", name);
    argv[0] = title;
    if (!command)
        return run_query(&cli, name, argc, argv);
    return command->query ? pm_cli_named(&cli, command->query, argc, argv)
                          : command->run(&cli, argc, argv);
}

int main(int argc, char **argv)
{
    return pm_cli_main(argc, argv);
}
