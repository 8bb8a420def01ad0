/* complete: finds candidates for the last word of a command line. */
#include "cli/options/complete.h"

#include "base/buf.h"
#include "base/record/dialect.h"
#include "render/terminal.h"
#include "store/read/catalog.h"     /* names and titles of queries */
#include "store/rules/rules_file.h" /* names of the built-in rule sets */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define SECONDS 2       /* no shell waits longer after TAB */
#define OFFERED_MAX 200 /* offers only the newest rows of the store */

static void leave(int signal)
{
    (void)signal;
    _exit(PM_EXIT_OK);
}

static void say_nothing(const char *why)
{
    (void)why;
}

void pm_complete_begin(pm_cli *cli)
{
    struct sigaction action = {.sa_handler = leave};

    if (!freopen("/dev/null", "w", stderr))
        _exit(PM_EXIT_OK);
    pm_cli_die_as(PM_EXIT_OK, say_nothing);
    sigaction(SIGALRM, &action, NULL);
    alarm(SECONDS);
    cli->completing = true;
}

void pm_offer_word(const pm_offer *o, pm_text word, pm_text about)
{
    size_t typed = strlen(o->word);
    pm_buf shown = {0};
    bool plain = word.len >= typed && memcmp(word.data, o->word, typed) == 0 &&
                 pm_terminal_escape(word, &shown, NULL) == PMAPDB_OK &&
                 pm_text_equal(pm_buf_text(&shown), word);

    pm_buf_clear(&shown);
    if (plain)
        printf("%.*s%.*s", (int)o->before.len, o->before.data, (int)word.len, word.data);
    if (plain && about.len && pm_terminal_escape(about, &shown, NULL) == PMAPDB_OK)
        printf("\t%.*s", (int)shown.len, shown.data);
    if (plain)
        putchar('\n');
    pm_buf_free(&shown);
}

/* ---- values ---- */

/* Offers the words of "smaps|maps|auto". */
static void offer_choices(const pm_offer *o, const char *choices)
{
    while (*choices) {
        size_t n = strcspn(choices, "|");

        pm_offer_word(o, (pm_text){choices, n}, (pm_text){NULL, 0});
        choices += n + (choices[n] == '|');
    }
}

static bool skip(pm_text *t, pm_text what)
{
    if (!pm_text_starts(*t, what))
        return false;
    *t = pm_text_from(*t, what.len);
    return true;
}

/* Offers the words of an enumeration: "Only complete, partial or totals" has three. */
static void offer_listed(const pm_offer *o, pm_text help)
{
    pm_text word[32];
    size_t n = 0;
    bool more = true;

    if (!skip(&help, PM_TEXT("Only ")))
        skip(&help, PM_TEXT("One of "));
    while (more && n < sizeof word / sizeof *word) {
        size_t len = 0;

        while (len < help.len && (islower((unsigned char)help.data[len]) ||
                                  isdigit((unsigned char)help.data[len]) || help.data[len] == '_'))
            len++;
        if (len == 0)
            return;
        word[n++] = (pm_text){help.data, len};
        help = pm_text_from(help, len);
        more =
            skip(&help, PM_TEXT(", ")) || skip(&help, PM_TEXT(" or ")) || skip(&help, PM_TEXT("|"));
    }
    if (n < 2 || (help.len && !pm_text_starts(help, PM_TEXT(" (")) && help.data[0] != ':'))
        return; /* a sentence, not an enumeration */
    for (size_t i = 0; i < n; i++)
        pm_offer_word(o, word[i], (pm_text){NULL, 0});
}

void pm_offer_queries(const pm_cli *cli, const pm_offer *o, bool (*but)(const char *name))
{
    pm_names names = {0};

    if (pm_catalog_names(cli->query_dir, &names, NULL) != PMAPDB_OK)
        return;
    for (size_t i = 0; i < names.n; i++) {
        pm_query_info *info = NULL;

        if (but && but(names.name[i]))
            continue;
        pm_catalog_find(cli->query_dir, names.name[i], &info, NULL);
        pm_offer_word(o, pm_text_of(names.name[i]), info ? info->title : (pm_text){NULL, 0});
        pm_catalog_free(info);
    }
    pm_names_free(&names);
}

void pm_offer_rules(const pm_cli *cli, const pm_offer *o)
{
    (void)cli;
    for (const char *const *name = pm_rules_builtins; *name; name++)
        pm_offer_word(o, pm_text_of(*name), PM_TEXT("built in"));
    puts(":files");
}

static void offer_dialects(const pm_offer *o)
{
    for (int i = 0; i < PM_DIALECT_COUNT; i++)
        pm_offer_word(o, pm_text_of(pm_dialect_name((pm_dialect)i)), (pm_text){NULL, 0});
}

/* ---- the store ---- */

/* :word is the typed word, :process a process or NULL. Each row has a word and its description. */
static const char processes[] =
    "SELECT word, about FROM ("
    "SELECT n.name AS word, count(*) || CASE count(*) WHEN 1 THEN ' process' ELSE ' processes' END "
    "AS about, max(p.process_id) AS newest, 0 AS rank FROM process p JOIN name n USING (name_id) "
    "GROUP BY n.name UNION ALL "
    "SELECT n.name || '/' || p.pid, p.command, max(p.process_id), 1 "
    "FROM process p JOIN name n USING (name_id) WHERE p.pid IS NOT NULL GROUP BY n.name, p.pid) "
    "WHERE substr(word, 1, length(:word)) = :word AND :process IS NULL "
    "ORDER BY rank, newest DESC LIMIT :max";

static const char snapshots[] =
    "SELECT '@' || s.snapshot_id, s.taken_at || ' ' || n.name || coalesce('/' || p.pid, '') "
    "FROM snapshot s CROSS JOIN process p USING (process_id) CROSS JOIN name n USING (name_id) "
    "WHERE substr('@' || s.snapshot_id, 1, length(:word)) = :word AND (:process IS NULL OR "
    ":process IN (n.name, n.name || '/' || p.pid, '@' || p.process_id, '' || p.pid)) "
    "ORDER BY s.snapshot_id DESC LIMIT :max";

static const char categories[] =
    "SELECT category, description FROM category WHERE :process IS NULL "
    "AND substr(category, 1, length(:word)) = :word ORDER BY category LIMIT :max";

/* Binds a text in quotes, because pmapdb_bind() would take 12 for a number. */
static pmapdb_status bind_text(pmapdb_rows *rows, const char *name, const char *value)
{
    pm_buf quoted = {0};
    pmapdb_status st = value ? pm_buf_addf(&quoted, NULL, "'%s'", value) : PMAPDB_OK;

    if (st == PMAPDB_OK)
        st = pmapdb_bind(rows, name, value ? quoted.data : "", NULL);
    pm_buf_free(&quoted);
    return st;
}

static void offer_rows(const pm_cli *cli, const pm_offer *o, const char *sql, const char *process)
{
    pmapdb_open_options how = {.mode = PMAPDB_READ, .busy_ms = 100};
    pmapdb_store *store = NULL;
    pmapdb_rows *rows = NULL;
    bool has = false;
    pmapdb_error err;
    char max[16];

    snprintf(max, sizeof max, "%d", OFFERED_MAX);
    if (pm_cli_try_open(cli, &how, &store, &err) == PMAPDB_OK &&
        pmapdb_sql(store, sql, NULL, &rows, NULL) == PMAPDB_OK &&
        bind_text(rows, "word", o->word) == PMAPDB_OK &&
        bind_text(rows, "process", process) == PMAPDB_OK)
        has = pmapdb_bind(rows, "max", max, NULL) == PMAPDB_OK;
    while (has && pmapdb_next(rows, &has, NULL) == PMAPDB_OK && has) {
        pm_text word, about;

        word.data = pmapdb_rows_text(rows, 0, &word.len);
        about.data = pmapdb_rows_text(rows, 1, &about.len);
        if (word.data)
            pm_offer_word(o, word, about.data ? about : (pm_text){NULL, 0});
    }
    pmapdb_rows_close(rows);
    pmapdb_close(store);
}

static void offer_snapshots(const pm_cli *cli, const pm_offer *o, const char *process)
{
    pm_offer_word(o, PM_TEXT("first"), PM_TEXT("the oldest"));
    pm_offer_word(o, PM_TEXT("last"), PM_TEXT("the newest"));
    pm_offer_word(o, PM_TEXT("prev"), PM_TEXT("the one before the newest"));
    offer_rows(cli, o, snapshots, process);
}

/* ---- typed words ---- */

typedef struct typed {
    pm_cli *cli;
    const pm_syntax *syntax;
    const char *process; /* or NULL */
    int n;               /* number of operands */
} typed;

/* Offers the values of a type, for an option or an operand. False if the type has no values. */
static bool offer_type(const typed *t, const pm_offer *o, pm_option_type type, const char *choices)
{
    switch (type) {
    case PM_OPT_CHOICE:
        offer_choices(o, choices);
        return true;
    case PM_OPT_FILE:
        puts(":files");
        return true;
    case PM_OPT_FOLDER:
        puts(":dirs");
        return true;
    case PM_OPT_RULES:
        pm_offer_rules(t->cli, o);
        return true;
    case PM_OPT_PROCESS:
        offer_rows(t->cli, o, processes, NULL);
        return true;
    case PM_OPT_SNAPSHOT:
        offer_snapshots(t->cli, o, t->process);
        return true;
    case PM_OPT_CATEGORY:
        offer_rows(t->cli, o, categories, NULL);
        return true;
    default:
        return false;
    }
}

static void offer_value(const typed *t, const pm_offer *o, const pm_option *option)
{
    if (strcmp(option->name, "dialect") == 0)
        offer_dialects(o);
    else if (!offer_type(t, o, option->type, option->arg))
        offer_listed(o, pm_text_of(option->help));
}

static void offer_operand(const typed *t, const pm_offer *o)
{
    const pm_syntax *s = t->syntax;

    if (!s->operands || (t->n && !strstr(s->operands, "...")))
        return;
    if (s->offer)
        s->offer(t->cli, o);
    else if (s->operand != PM_OPT_PROCESS || !t->process)
        offer_type(t, o, s->operand, s->operands);
}

#define TABLES 4

static const pm_option *table_of(const pm_syntax *s, int i)
{
    const pm_option *tables[TABLES] = {s->params, s->options, pm_cli_options, pm_help_options};

    return tables[i];
}

static void offer_options(const typed *t, const pm_offer *o)
{
    char word[128];

    for (int i = 0; i < TABLES; i++)
        for (const pm_option *option = table_of(t->syntax, i); option && option->help; option++) {
            snprintf(word, sizeof word, "--%s", option->name);
            pm_offer_word(o, pm_text_of(word), pm_text_of(option->help));
        }
}

/* Returns the option of "--name", "--name=value", "-f" or "-fvalue"; NULL: no such option. */
static const pm_option *find_option(const pm_syntax *s, const char *word)
{
    pm_text name = {word + 2, word[1] == '-' ? strcspn(word + 2, "=") : 0};

    for (int i = 0; i < TABLES; i++)
        for (const pm_option *o = table_of(s, i); o && o->name; o++)
            if (word[1] == '-' ? pm_text_equal(pm_text_of(o->name), name) : o->letter == word[1])
                return o;
    return NULL;
}

static void take_value(typed *t, const pm_option *o, const char *value)
{
    if (strcmp(o->name, "db") == 0)
        t->cli->db = value;
    else if (strcmp(o->name, "query-dir") == 0)
        t->cli->query_dir = value;
    else if (strcmp(o->name, "process") == 0)
        t->process = value;
}

/* Takes the option words[0] and its value. Returns the number of words taken; if the value is the
 * word to complete, sets *open to the option. */
static int take_option(typed *t, char **words, int n, const pm_option **open)
{
    const pm_option *o = find_option(t->syntax, words[0]);
    const char *equals = strchr(words[0], '=');
    bool attached = words[0][1] == '-' ? equals != NULL : words[0][2] != '\0';

    if (!o || !o->arg)
        return 1;
    if (attached) {
        take_value(t, o, words[0][1] == '-' ? equals + 1 : words[0] + 2);
        return 1;
    }
    if (n < 2) {
        *open = o;
        return 1;
    }
    take_value(t, o, words[1]);
    return 2;
}

static void offer(const typed *t, const char *word, const pm_option *open, bool only_operands)
{
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    const pm_option *named = equals ? find_option(t->syntax, word) : NULL;
    pm_offer o = {word, {NULL, 0}};

    if (open) {
        offer_value(t, &o, open);
    } else if (only_operands || word[0] != '-') {
        offer_operand(t, &o);
    } else if (!equals) {
        offer_options(t, &o);
    } else if (named && named->arg) {
        o = (pm_offer){equals + 1, {word, (size_t)(equals - word) + 1}};
        offer_value(t, &o, named);
    }
}

int pm_complete(pm_cli *cli, const pm_syntax *syntax, int argc, char **argv)
{
    typed t = {.cli = cli, .syntax = syntax};
    const pm_option *open = NULL;
    bool only_operands = false;
    int i = 1;

    while (i < argc - 1) {
        const char *word = argv[i];

        if (!only_operands && word[0] == '-' && word[1]) {
            only_operands = strcmp(word, "--") == 0;
            i += only_operands ? 1 : take_option(&t, argv + i, argc - 1 - i, &open);
            continue;
        }
        if (syntax->in_order) {
            memmove(argv + 1, argv + i, (size_t)(argc - i) * sizeof *argv);
            return argc - i;
        }
        if (syntax->operand == PM_OPT_PROCESS && !t.process)
            t.process = word;
        t.n++;
        i++;
    }
    if (argc > 1)
        offer(&t, argv[argc - 1], open, only_operands);
    exit(PM_EXIT_OK); // NOLINT(concurrency-mt-unsafe): there is one thread
}
