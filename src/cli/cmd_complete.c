/* cmd_complete: pmapdb __complete WORDS...: what may stand in the place of the last word. The
 * scripts of pmapdb completion ask at every TAB. It says nothing but candidates. */
#include "cli/help.h"
#include "cli/offer.h"
#include "cli/page.h"
#include "cli/run.h"

#include "base/dialect.h"
#include "store/rules/rules_file.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 2 /* no shell waits longer for a TAB */

typedef struct typed {
    pm_cli *cli;
    char **word;
    size_t n;                    /* without the last one */
    pm_help help;                /* of the command, or of pmapdb */
    const char *command, *query; /* NULL: not yet */
    const char *process;
    size_t n_args;
    const pm_help_option *open; /* the last word is its value */
    bool no_options;            /* behind -- */
} typed;

static void leave(int signal)
{
    (void)signal;
    _exit(PM_EXIT_OK);
}

/* ---- what is typed already ---- */

static pmapdb_status ask(typed *t)
{
    const char *words[8];
    size_t n = 0;
    pm_help help;
    pmapdb_status st;

    if (t->cli->query_dir) {
        words[n++] = "--query-dir";
        words[n++] = t->cli->query_dir;
    }
    if (t->command)
        words[n++] = t->command;
    if (t->query)
        words[n++] = t->query;
    st = pm_help_ask(words, n, &help, NULL);
    if (st != PMAPDB_OK)
        return st;
    pm_help_free(&t->help);
    t->help = help;
    return PMAPDB_OK;
}

static void take_value(typed *t, const pm_help_option *o, const char *value)
{
    if (pm_text_equal(o->name, PM_TEXT("db")))
        t->cli->db = value;
    else if (pm_text_equal(o->name, PM_TEXT("process")))
        t->process = value;
}

/* An option, perhaps with the word behind it. Returns how many words that is. */
static size_t take_option(typed *t, size_t at)
{
    const char *word = t->word[at], *value = NULL;
    const pm_help_option *o;

    if (word[1] == '-') {
        size_t n = strcspn(word + 2, "=");

        o = pm_help_find(&t->help, (pm_text){word + 2, n});
        value = word[2 + n] ? word + 3 + n : NULL;
    } else {
        o = pm_help_find_letter(&t->help, word[1]);
        value = word[2] ? word + 2 : NULL;
    }
    if (!o || !o->arg.len)
        return 1;
    if (value || o->optional) {
        if (value)
            take_value(t, o, value);
        return 1;
    }
    if (at + 1 == t->n) {
        t->open = o;
        return 1;
    }
    take_value(t, o, t->word[at + 1]);
    return 2;
}

static pmapdb_status take_arg(typed *t, const char *word)
{
    if (!t->command) {
        t->command = word;
        return ask(t);
    }
    if (!t->query && strcmp(t->command, "query") == 0) {
        t->query = word;
        return ask(t);
    }
    t->n_args++;
    if (!t->process)
        t->process = word;
    return PMAPDB_OK;
}

static pmapdb_status take_words(typed *t)
{
    pmapdb_status st = ask(t);
    size_t i = 0;

    while (st == PMAPDB_OK && i < t->n) {
        const char *word = t->word[i];

        if (t->no_options || word[0] != '-' || !word[1]) {
            st = take_arg(t, word);
            i++;
        } else if (strcmp(word, "--") == 0) {
            t->no_options = true;
            i++;
        } else {
            i += take_option(t, i);
        }
    }
    return st;
}

/* ---- what may follow ---- */

static void offer_options(const typed *t, const pm_offer *o)
{
    for (size_t i = 0; i < t->help.n_options; i++) {
        const pm_help_option *option = &t->help.option[i];
        char word[128];

        snprintf(word, sizeof word, "--%.*s", (int)option->name.len, option->name.data);
        pm_offer_word(o, pm_text_of(word), option->help);
    }
}

static bool is_command(const typed *t, const char *name)
{
    pm_text rest = t->help.after, command, help;

    while (pm_help_command(&rest, &command, &help))
        if (pm_text_equal(command, pm_text_of(name)))
            return true;
    return false;
}

static void offer_queries(const typed *t, const pm_offer *o)
{
    pm_names names = {0};

    if (pm_catalog_names(t->cli->query_dir, &names, NULL) != PMAPDB_OK)
        return;
    for (size_t i = 0; i < names.n; i++) {
        pm_query_info *info = NULL;

        if (!t->command && is_command(t, names.name[i]))
            continue;
        pm_catalog_find(t->cli->query_dir, names.name[i], &info, NULL);
        pm_offer_word(o, pm_text_of(names.name[i]), info ? info->title : (pm_text){NULL, 0});
        pm_catalog_free(info);
    }
    pm_names_free(&names);
}

static void offer_commands(const typed *t, const pm_offer *o)
{
    pm_text rest = t->help.after, command, help;

    while (pm_help_command(&rest, &command, &help))
        pm_offer_word(o, command, help);
    offer_queries(t, o);
}

static void offer_sets(const pm_offer *o)
{
    for (const char *const *name = pm_rules_builtins; *name; name++)
        pm_offer_word(o, pm_text_of(*name), PM_TEXT("built in"));
    puts(":files");
}

static void offer_value(const typed *t, const pm_offer *o, const pm_help_option *option)
{
    pm_unit unit = pm_unit_find(option->arg);

    if (pm_text_equal(option->name, PM_TEXT("dialect")))
        for (int i = 0; i < PM_DIALECT_COUNT; i++)
            pm_offer_word(o, pm_text_of(pm_dialect_name((pm_dialect)i)), (pm_text){NULL, 0});
    else if (pm_text_equal(option->arg, PM_TEXT("FILE")))
        puts(":files");
    else if (pm_text_equal(option->arg, PM_TEXT("SET")))
        offer_sets(o);
    else if (pm_text_equal(option->arg, PM_TEXT("DIR")))
        puts(":dirs");
    else if (unit == PM_UNIT_PROCESS || unit == PM_UNIT_SNAPSHOT || unit == PM_UNIT_CATEGORY)
        pm_offer_stored(o, t->cli, unit, t->process);
    else
        pm_offer_listed(o, option->help);
}

/* Those that rules give by a template have no name yet. */
static void offer_categories(const pm_offer *o)
{
    pm_page_walk walk = {0};
    pm_page page;

    while (pm_page_next(&walk, &page))
        if (!memchr(page.category.data, '%', page.category.len))
            pm_offer_word(o, page.category, page.what);
}

/* By what the usage line calls it. */
static void offer_arg(const typed *t, const pm_offer *o)
{
    pm_text args = t->help.n_usages ? pm_help_args(t->help.usage[0]) : (pm_text){NULL, 0};

    if (strcmp(t->command, "query") == 0 && !t->query) {
        offer_queries(t, o);
        puts(":files");
    } else if (pm_text_starts(args, PM_TEXT("PATH"))) {
        puts(":files");
    } else if (pm_text_equal(args, PM_TEXT("[PROCESS]")) && !t->process) {
        pm_offer_stored(o, t->cli, PM_UNIT_PROCESS, NULL);
    } else if (pm_text_equal(args, PM_TEXT("[CATEGORY]")) && t->n_args == 0) {
        offer_categories(o);
    } else if (pm_text_equal(args, PM_TEXT("[SET]")) && t->n_args == 0) {
        offer_sets(o);
    } else if (pm_text_starts(args, PM_TEXT("[LINEAGE|CATEGORY"))) {
        pm_offer_stored(o, t->cli, PM_UNIT_CATEGORY, NULL); /* words are no process */
    } else if (t->n_args == 0) {
        pm_offer_listed(o, args);
    }
}

static void offer(const typed *t, const char *word)
{
    pm_offer o = {word, {NULL, 0}};
    const char *equals = strchr(word, '=');
    bool dash = word[0] == '-' && !t->no_options && !t->open;

    if (dash && word[1] == '-' && equals) {
        const pm_help_option *option =
            pm_help_find(&t->help, (pm_text){word + 2, (size_t)(equals - word - 2)});

        o = (pm_offer){equals + 1, {word, (size_t)(equals - word) + 1}};
        if (option && option->arg.len)
            offer_value(t, &o, option);
    } else if (t->open) {
        offer_value(t, &o, t->open);
    } else if (dash) {
        offer_options(t, &o);
    } else if (!t->command) {
        offer_commands(t, &o);
    } else {
        offer_arg(t, &o);
    }
}

int pm_cli_complete(pm_cli *cli, int argc, char **argv)
{
    struct sigaction action = {.sa_handler = leave};
    typed t = {.cli = cli, .word = argv + 1};

    if (argc < 2 || !freopen("/dev/null", "w", stderr))
        return PM_EXIT_OK;
    sigaction(SIGALRM, &action, NULL);
    alarm(SECONDS);
    t.n = (size_t)argc - 2;
    pm_run_find_query_dir(cli, argc - 1, argv);
    if (take_words(&t) == PMAPDB_OK)
        offer(&t, argv[argc - 1]);
    pm_help_free(&t.help);
    return PM_EXIT_OK;
}
