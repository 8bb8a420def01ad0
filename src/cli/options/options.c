/* options: parses a command line with a table of options. */
#include "cli/options/options.h"
#include "cli/options/config.h"
#include "cli/output.h"

#include "base/near.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options of pm_help_options that the user gave. */
typedef struct help_flags {
    bool help, all, usage, version;
} help_flags;

#define AT(field) offsetof(help_flags, field)

const pm_option pm_help_options[] = {
    {"help", 'h', PM_OPT_FLAG, AT(help), NULL,
     "Print the most important help; pmapdb help COMMAND prints all of it"},
    {"help", '?', PM_OPT_FLAG, AT(help), NULL, NULL},
    {&PM_HELP_ALL[2], 0, PM_OPT_FLAG, AT(all), NULL, NULL},
    {"usage", 0, PM_OPT_FLAG, AT(usage), NULL, "Give a short usage message"},
    {"version", 'V', PM_OPT_FLAG, AT(version), NULL, "Print program version"},
    {0}};

#define SHORTEST 3 /* beginning of a long name: --to does not mean --top */
#define TABLES 4   /* of the command, of the query, of all commands, --help */

typedef struct table {
    const pm_option *options;
    void *values;
} table;

typedef struct parser {
    pm_cli *cli;
    const pm_config_line *line; /* NULL: the command line */
    table tables[TABLES];
    help_flags asked;
    bool seen[2][PM_OPTIONS_MAX]; /* which options of the first two tables were given */
} parser;

typedef struct found {
    const pm_option *option;
    int table;
} found;

/* Ends the program: an error in the command line, or in a line of a configuration file. */
static void refuse(const parser *p, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

static void refuse(const parser *p, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (p->line)
        pm_config_refuse(p->line, "%s", text);
    pm_cli_usage(p->cli, "%s", text);
}

/* ---- values ---- */

static void set(parser *p, found f, const char *arg)
{
    const pm_option *o = f.option;
    const table *t = &p->tables[f.table];
    bool many = o->type == PM_OPT_LIST || o->type == PM_OPT_CUSTOM || o->type == PM_OPT_FLAG;
    const char *wants;

    if (f.table < 2 && p->seen[f.table][o - t->options] && !many)
        refuse(p, "--%s is given twice", o->name);
    if (f.table < 2)
        p->seen[f.table][o - t->options] = true;
    if (strcmp(o->name, "process") == 0 && arg)
        arg = pm_config_process(p->cli->config, arg);
    wants = pm_option_read(o, arg ? arg : o->name, (char *)t->values + o->at);
    if (wants)
        refuse(p, "--%s wants %s, not '%s'", o->name, wants, arg ? arg : "");
}

/* ---- names ---- */

/* Words that people try where they are not options. */
static const struct {
    const char *words, *hint;
} hints[] = {
    {"|since|last|from|until|to|",
     "--at TIME picks the moment that is shown; diff, growth, leaks and snapshots have a span"},
    {"|at|snapshot|time|", "a span is asked for: --from TIME --to TIME"},
    {"|limit|head|lines|count|", "-n N shows N rows"},
    {"|order|order-by|sort-by|", "--sort COLUMN"},
    {"|fields|cols|select|", "--columns NAME,..."},
    {"|user|uid|", "pmapdb top, processes and capture have --user"},
    {"|where|filter|grep|", "pmapdb sql 'SELECT ... WHERE ...' asks for anything"},
    {"|interval|watch|", "capture has --every SPAN"},
    {"|by|group|group-by|", "growth and categories are by category, mappings by mapping; "
                            "diff, leaks, groups and who have --by"},
};

static const char *hint_for(pm_text name)
{
    char word[32];

    snprintf(word, sizeof word, "|%.*s|", (int)name.len, name.data);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(hints[i].words, word))
            return hints[i].hint;
    return NULL;
}

static void refuse_name(const parser *p, pm_text name)
{
    const char *hint = hint_for(name);
    pm_near near;

    if (hint)
        refuse(p, "no option '--%.*s' here: %s", (int)name.len, name.data, hint);

    pm_near_start(&near, name);
    for (int t = 0; t < TABLES; t++)
        for (const pm_option *o = p->tables[t].options; o && o->name; o++)
            pm_near_try(&near, pm_text_of(o->help ? o->name : ""));
    refuse(p, "no option '--%.*s'%s%s%s", (int)name.len, name.data,
           *near.best ? ", did you mean '--" : "", near.best, *near.best ? "'?" : "");
}

/* Returns the option with that name, or the only one whose name starts with it. */
static found find_name(const parser *p, pm_text name)
{
    found begins = {NULL, 0};

    for (int t = 0; t < TABLES; t++)
        for (const pm_option *o = p->tables[t].options; o && o->name; o++) {
            if (pm_text_equal(pm_text_of(o->name), name))
                return (found){o, t};
            if (!o->help || name.len < SHORTEST || !pm_text_starts(pm_text_of(o->name), name))
                continue;
            if (begins.option)
                refuse_name(p, name);
            begins = (found){o, t};
        }
    if (!begins.option)
        refuse_name(p, name);
    return begins;
}

/* A query's own --top is -n, too. */
static found find_letter(const parser *p, char letter)
{
    for (int t = 0; t < TABLES; t++)
        for (const pm_option *o = p->tables[t].options; o && o->name; o++)
            if (o->letter == letter)
                return find_name(p, pm_text_of(o->name));
    refuse(p, "no option '-%c'", letter);
}

/* ---- words ---- */

/* Parses "--name=value" or "--name value". Returns the number of words used. */
static int parse_long(parser *p, char **words, int n)
{
    const char *name = words[0] + 2, *equals = strchr(name, '=');
    found f = find_name(p, (pm_text){name, strcspn(name, "=")});
    const pm_option *o = f.option;

    if (!o->arg && equals)
        refuse(p, "--%s takes no value", o->name);
    if (o->arg && !equals && n < 2)
        refuse(p, "--%s wants a value: %s", o->name, o->arg);
    set(p, f, !o->arg ? NULL : equals ? equals + 1 : words[1]);
    return o->arg && !equals ? 2 : 1;
}

/* Parses "-q", "-qn", "-fcsv" or "-f csv". Returns the number of words used. */
static int parse_short(parser *p, char **words, int n)
{
    for (const char *letter = words[0] + 1; *letter; letter++) {
        found f = find_letter(p, *letter);

        if (!f.option->arg) {
            set(p, f, NULL);
            continue;
        }
        if (!letter[1] && n < 2)
            refuse(p, "-%c wants a value: %s", *letter, f.option->arg);
        set(p, f, letter[1] ? letter + 1 : words[1]);
        return letter[1] ? 1 : 2;
    }
    return 1;
}

/* Prints help, usage or version, and ends the program. A reader that stops early, like head, is not
 * an error. */
static void answer(const parser *p, const pm_syntax *syntax)
{
    pm_cli to_standard_output = {.format = PM_FORMAT_TABLE};
    pm_syntax full = *syntax;
    pm_output out;

    pm_help_fill(full.title ? full.title : p->cli->title, &full);
    pm_output_open(&out, &to_standard_output);
    if (p->asked.version)
        fprintf(out.text, "pmapdb %s\n", PMAPDB_VERSION);
    else if (p->asked.help || p->asked.all)
        pm_options_help(p->cli, &full, out.text, p->asked.all);
    else
        pm_options_usage(p->cli, &full, out.text);
    pm_output_end(&out);
    exit(PM_EXIT_OK);
}

static bool asks(const parser *p)
{
    return p->asked.help || p->asked.all || p->asked.usage || p->asked.version;
}

/* ---- configuration files ---- */

/* Parses one option. Returns the number of words used. */
static int parse_option(parser *p, char **words, int n)
{
    return words[0][1] == '-' ? parse_long(p, words, n) : parse_short(p, words, n);
}

/* Parses the words of a line, which are options. */
static void parse_line(parser *p, const pm_config_line *line)
{
    char **words;
    int n = pm_config_words(p->cli->config, line, &words);

    p->line = line;
    for (int i = 0; i < n;) {
        if (words[i][0] != '-' || !words[i][1])
            refuse(p, "'%s' is not an option", words[i]);
        i += parse_option(p, words + i, n - i);
    }
    p->line = NULL;
    free(words);
}

/* Sets the option of a line about one option: capture.all = yes, db = FILE. */
static void set_from(parser *p, const pm_config_line *line, const char *name)
{
    found f;
    bool yes = strcmp(line->value, "yes") == 0;

    p->line = line;
    f = find_name(p, pm_text_of(name));
    if (!f.option->arg && !yes && strcmp(line->value, "no") != 0)
        refuse(p, "%s wants yes or no, not '%s'", line->key, line->value);
    if (f.table < 2)
        p->seen[f.table][f.option - p->tables[f.table].options] = false; /* a later line wins */
    if (f.option->arg || yes)
        set(p, f, f.option->arg ? line->value : NULL);
    p->line = NULL;
}

/* True if a word of the command line names the process: NAME, NAME/PID, --process=NAME, or by an
 * alias. */
static bool names_process(const pm_cli *cli, const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *equals = argv[i][0] == '-' ? strchr(argv[i], '=') : NULL;
        pm_text word = pm_text_of(pm_config_process(cli->config, equals ? equals + 1 : argv[i]));

        if (pm_text_equal(pm_text_cut(&word, '/'), pm_text_of(name)))
            return true;
    }
    return false;
}

/* --as NAME: the options of the line as.NAME. */
static void parse_as(parser *p, const char *name)
{
    const pm_config *c = p->cli->config;

    for (size_t i = c->n; i-- > 0;)
        if (!c->line[i].section && strncmp(c->line[i].key, "as.", 3) == 0 &&
            strcmp(c->line[i].key + 3, name) == 0) {
            parse_line(p, &c->line[i]);
            return;
        }
    refuse(p, "no line 'as.%s = ...' in a configuration file: pmapdb config shows them", name);
}

/* Sets what the configuration files say about this command, or, before the command is known, about
 * all. What the command line gives then wins. */
static void configure(parser *p, int argc, char **argv)
{
    const pm_config *c = p->cli->config;
    const char *blank = strchr(argv[0], ' '), *command = blank ? blank + 1 : "";

    for (size_t i = 0; i < c->n; i++) {
        const pm_config_line *line = &c->line[i];
        pm_text about = pm_config_command(line);

        if (!pm_text_equal(about, pm_text_of(command)) ||
            (line->section && !names_process(p->cli, line->section, argc, argv)))
            continue;
        if (about.len && line->key[about.len] == '\0')
            parse_line(p, line);
        else if (about.len)
            set_from(p, line, line->key + about.len + 1);
        else if (!line->section && strncmp(line->key, "as.", 3) != 0 &&
                 strncmp(line->key, "label.", 6) != 0 && !pm_config_environment(line->key))
            set_from(p, line, line->key);
    }
    for (int i = 1; *command && i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--as=", 5) == 0)
            parse_as(p, argv[i] + 5);
        else if (strcmp(argv[i], "--as") == 0 && i + 1 < argc)
            parse_as(p, argv[i + 1]);
    memset(p->seen, 0, sizeof p->seen);
}

int pm_options_parse(pm_cli *cli, const pm_syntax *syntax, void *values, int argc, char **argv)
{
    parser p = {.cli = cli,
                .tables = {{syntax->options, values},
                           {syntax->params, syntax->param_values},
                           {pm_cli_options, cli},
                           {pm_help_options, &p.asked}}};
    bool only_operands = false;
    int i = 1, n = 0, most = syntax->operands ? syntax->most : 0;

    cli->title = argv[0];
    configure(&p, argc, argv);
    while (i < argc && !asks(&p)) {
        char *word = argv[i];

        if (only_operands || word[0] != '-' || !word[1]) {
            argv[++n] = word;
            i++;
            only_operands |= syntax->in_order;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
            i++;
        } else {
            i += parse_option(&p, argv + i, argc - i);
        }
    }
    if (cli->as && !strchr(argv[0], ' '))
        pm_cli_usage(cli, "--as comes after the command, whose options it stands for");
    if (asks(&p))
        answer(&p, syntax);
    if (n > most && (most || !syntax->operands))
        pm_cli_usage(cli, "unexpected word '%s'", argv[most + 1]);
    return n;
}
