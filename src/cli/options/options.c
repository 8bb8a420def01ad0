/* options: parses a command line with a table of options. */
#include "cli/options/options.h"
#include "cli/options/help_text.h"
#include "cli/output.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/near.h"
#include "base/num.h"
#include <stdlib.h>
#include <string.h>

/* The options of pm_help_options that the user gave. */
typedef struct help_flags {
    bool help, all, usage, version;
} help_flags;

#define AT(field) offsetof(help_flags, field)

const pm_option pm_help_options[] = {
    {"help", 'h', PM_OPT_FLAG, AT(help), NULL, "The most important; pmapdb help COMMAND says all",
     NULL},
    {"help", '?', PM_OPT_FLAG, AT(help), NULL, NULL, NULL},
    {PM_HELP_ALL + 2, 0, PM_OPT_FLAG, AT(all), NULL, NULL, NULL},
    {"usage", 0, PM_OPT_FLAG, AT(usage), NULL, "Give a short usage message", NULL},
    {"version", 'V', PM_OPT_FLAG, AT(version), NULL, "Print program version", NULL},
    {0}};

#define SHORTEST 3 /* beginning of a long name: --to does not mean --top */
#define TABLES 4   /* of the command, of the query, of all commands, --help */

typedef struct table {
    const pm_option *options;
    void *values;
} table;

typedef struct parser {
    pm_cli *cli;
    table tables[TABLES];
    help_flags asked;
    bool seen[2][PM_OPTIONS_MAX]; /* which options of the first two tables were given */
} parser;

typedef struct found {
    const pm_option *option;
    int table;
} found;

/* ---- values ---- */

static bool read_mode(const char *arg, unsigned *mode)
{
    *mode = 0;
    for (const char *p = arg; *p >= '0' && *p <= '7' && *mode <= 0777; p++)
        *mode = *mode * 8 + (unsigned)(*p - '0');
    return !arg[strspn(arg, "01234567")] && *mode > 0 && *mode <= 0777;
}

static bool read_number(const char *arg, uint64_t least, uint64_t most, int64_t *value)
{
    uint64_t n;

    if (!pm_num_all(pm_text_of(arg), &n) || n < least || n > most)
        return false;
    *value = (int64_t)n;
    return true;
}

/* True if `choices` ("smaps|maps|auto") contains the argument. */
static bool is_choice(const char *choices, const char *arg)
{
    size_t n = strlen(arg);

    while (*choices) {
        size_t len = strcspn(choices, "|");

        if (len == n && memcmp(choices, arg, n) == 0)
            return true;
        choices += len + (choices[len] == '|');
    }
    return false;
}

static const char *read_text(const pm_option *o, const char *arg, const char **value)
{
    *value = arg;
    if (o->type == PM_OPT_CHOICE)
        return is_choice(o->arg, arg) ? NULL : o->arg;
    if (*arg || o->type == PM_OPT_TEXT)
        return NULL;
    return o->type == PM_OPT_NAME ? "a name" : "a value";
}

void pm_cli_list_add(pm_cli_list *list, const char *item)
{
    if (pm_grow(&list->item, &list->cap, list->n, sizeof *list->item, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
    list->item[list->n++] = item;
}

static const char *add_to_list(const char *arg, pm_cli_list *list)
{
    if (!*arg)
        return "a value";
    pm_cli_list_add(list, arg);
    return NULL;
}

/* Stores the value. Returns NULL, or a description of what the option wants. */
static const char *read_value(const pm_option *o, const char *arg, void *value)
{
    switch (o->type) {
    case PM_OPT_FLAG:
        *(bool *)value = true;
        return NULL;
    case PM_OPT_COUNT:
        return read_number(arg, 1, INT64_MAX, value) ? NULL : "a number of 1 or more";
    case PM_OPT_PID:
        return read_number(arg, 0, INT32_MAX, value) ? NULL : "a number";
    case PM_OPT_SIZE:
        return pm_num_size(pm_text_of(arg), value) ? NULL : "a size like 10M";
    case PM_OPT_SPAN:
        return pm_num_span(pm_text_of(arg), value) ? NULL : "a span like 5m";
    case PM_OPT_TIME:
        return pm_clock_parse_words(pm_text_of(arg), pm_clock_now(), value)
                   ? NULL
                   : "a time like 2026-11-21T02:05:32Z";
    case PM_OPT_MODE:
        return read_mode(arg, value) ? NULL : "permissions like 0640";
    case PM_OPT_LIST:
        return add_to_list(arg, value);
    case PM_OPT_CUSTOM:
        return o->read(arg, value);
    default:
        return read_text(o, arg, value);
    }
}

static void set(parser *p, found f, const char *arg)
{
    const pm_option *o = f.option;
    const table *t = &p->tables[f.table];
    bool many = o->type == PM_OPT_LIST || o->type == PM_OPT_CUSTOM || o->type == PM_OPT_FLAG;
    const char *wants;

    if (f.table < 2 && p->seen[f.table][o - t->options] && !many)
        pm_cli_usage(p->cli, "--%s is given twice", o->name);
    if (f.table < 2)
        p->seen[f.table][o - t->options] = true;
    wants = read_value(o, arg, (char *)t->values + o->at);
    if (wants)
        pm_cli_usage(p->cli, "--%s wants %s, not '%s'", o->name, wants, arg ? arg : "");
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
        pm_cli_usage(p->cli, "no option '--%.*s' here: %s", (int)name.len, name.data, hint);

    pm_near_start(&near, name);
    for (int t = 0; t < TABLES; t++)
        for (const pm_option *o = p->tables[t].options; o && o->name; o++)
            pm_near_try(&near, pm_text_of(o->help ? o->name : ""));
    pm_cli_usage(p->cli, "no option '--%.*s'%s%s%s", (int)name.len, name.data,
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
    pm_cli_usage(p->cli, "no option '-%c'", letter);
}

/* ---- words ---- */

/* Parses "--name=value" or "--name value". Returns the number of words used. */
static int parse_long(parser *p, char **words, int n)
{
    const char *name = words[0] + 2, *equals = strchr(name, '=');
    found f = find_name(p, (pm_text){name, strcspn(name, "=")});
    const pm_option *o = f.option;

    if (!o->arg && equals)
        pm_cli_usage(p->cli, "--%s takes no value", o->name);
    if (o->arg && !equals && n < 2)
        pm_cli_usage(p->cli, "--%s wants a value: %s", o->name, o->arg);
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
            pm_cli_usage(p->cli, "-%c wants a value: %s", *letter, f.option->arg);
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

    pm_help_fill(p->cli->title, &full);
    pm_output_open(&out, &to_standard_output);
    if (p->asked.version)
        pm_output_text(&out, "pmapdb %s\n", PMAPDB_VERSION);
    else if (p->asked.help || p->asked.all)
        pm_options_help(p->cli, &full, out.text, p->asked.all);
    else
        pm_options_usage(p->cli, &full, out.text);
    pm_output_end(&out);
    exit(PM_EXIT_OK); // NOLINT(concurrency-mt-unsafe): there is one thread
}

static bool asks(const parser *p)
{
    return p->asked.help || p->asked.all || p->asked.usage || p->asked.version;
}

int pm_options_parse(pm_cli *cli, const pm_syntax *syntax, void *values, int argc, char **argv)
{
    parser p = {.cli = cli,
                .tables = {{syntax->options, values},
                           {syntax->params, syntax->param_values},
                           {pm_cli_options, cli}}};
    bool only_operands = false;
    int i = 1, n = 0;

    p.tables[3] = (table){pm_help_options, &p.asked};
    cli->title = argv[0];
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
            i += word[1] == '-' ? parse_long(&p, argv + i, argc - i)
                                : parse_short(&p, argv + i, argc - i);
        }
    }
    if (asks(&p))
        answer(&p, syntax);
    if (n && !syntax->operands)
        pm_cli_usage(cli, "unexpected word '%s'", argv[1]);
    return n;
}
