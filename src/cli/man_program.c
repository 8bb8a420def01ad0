/* man_program: pmapdb(1): what every --help says, and what holds for all commands. */
#include "cli/man.h"

#include "cli/help.h"
#include "store/read/catalog.h"
#include <stdio.h>

static const pm_text none = {NULL, 0};

static void put_usage(pm_man *m, const pm_help *help)
{
    for (size_t i = 0; i < help->n_usages; i++) {
        if (i)
            pm_man_raw(m, ".br");
        pm_man_line(m, help->usage[i]);
    }
}

/* -f, --format=FORMAT */
static void put_option(pm_man *m, const pm_help_option *o)
{
    char name[96];

    snprintf(name, sizeof name, "%s%.1s%s--%.*s%s%s%.*s%s", o->letter ? "-" : "", &o->letter,
             o->letter ? ", " : "", (int)o->name.len, o->name.data, o->optional ? "[" : "",
             o->arg.len ? "=" : "", (int)o->arg.len, o->arg.len ? o->arg.data : "",
             o->optional ? "]" : "");
    pm_man_item(m, pm_text_of(name), none, o->help);
}

static void put_options(pm_man *m, const pm_help *help, bool common)
{
    for (size_t i = 0; i < help->n_options; i++)
        if (help->option[i].common == common)
            put_option(m, &help->option[i]);
}

static bool is_query(pm_text name)
{
    const char *builtin;

    for (size_t i = 0; (builtin = pm_catalog_builtin(i)); i++)
        if (pm_text_equal(name, pm_text_of(builtin)))
            return true;
    return false;
}

/* Of a query only the examples: the rest is in pmapdb-queries(7). */
static pm_text after_of(const pm_help *help, pm_text name)
{
    const char *examples;

    if (!is_query(name))
        return help->after;
    examples =
        help->after.len ? memmem(help->after.data, help->after.len, "Examples:\n", 10) : NULL;
    return examples ? pm_text_from(help->after, (size_t)(examples - help->after.data)) : none;
}

static void put_command(pm_man *m, pm_text name)
{
    char word[64];
    const char *words[] = {word};
    pm_help help;

    snprintf(word, sizeof word, "%.*s", (int)name.len, name.data);
    if (m->st == PMAPDB_OK)
        m->st = pm_help_ask(words, 1, &help, m->err);
    if (m->st != PMAPDB_OK)
        return;
    pm_man_part(m, name);
    put_usage(m, &help);
    pm_man_help(m, help.about);
    put_options(m, &help, false);
    if (is_query(name))
        pm_man_raw(m, ".PP\nIts columns and its method: \\fBpmapdb\\-queries\\fP(7).");
    pm_man_help(m, after_of(&help, name));
    pm_help_free(&help);
}

/* What no help says. */
static void put_surroundings(pm_man *m)
{
    static const char *const item[][3] = {
        {"EXIT STATUS", "0", "Done."},
        {NULL, "1", "Found: diff --threshold, leaks --check."},
        {NULL, "2",
         "Trouble with the command line, the input or the store; standard error says which. "
         "doctor: something is to be done."},
        {NULL, "3", "leaks: no series has enough snapshots for a verdict."},
        {NULL, "check", "0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN."},
        {"ENVIRONMENT", "PMAPDB", "The store, where --db does not name one."},
        {NULL, "XDG_DATA_HOME",
         "Holds pmapdb/pmap.db, the store of who names none (~/.local/share)."},
        {NULL, "XDG_CONFIG_HOME", "Holds pmapdb/queries, the queries of your own (~/.config)."},
        {NULL, "TZ", "Time zone of times without one; --tz comes first."},
        {NULL, "COLUMNS", "Width of a table on a terminal, else what the terminal says."},
        {NULL, "NO_COLOR", "No colours where it is set."},
        {NULL, "LC_ALL, LC_CTYPE, LANG", "Lines are drawn in ASCII where they do not say UTF-8."},
        {"FILES", "~/.local/share/pmapdb/pmap.db", "The store: one SQLite file."},
        {NULL, "STORE-wal, STORE-shm",
         "SQLite's, beside it. To copy a store: sqlite3 STORE '.backup COPY'."},
        {NULL, "STORE-capture", "By this runs of capture exclude each other; it stays."},
        {NULL, "~/.config/pmapdb/queries/NAME.sql", "A query of your own: pmapdb NAME."},
        {NULL, "/etc/default/pmapdb",
         "What the systemd units capture and keep: PMAPDB_CAPTURE, PMAPDB_PRUNE."},
    };

    for (size_t i = 0; i < sizeof item / sizeof *item; i++) {
        if (item[i][0])
            pm_man_section(m, item[i][0]);
        pm_man_item(m, pm_text_of(item[i][1]), none, pm_text_of(item[i][2]));
    }
}

/* What bounds input that is too large, in earnest or to do harm. */
static void put_limits(pm_man *m)
{
    static const char *const item[][2] = {
        {"A line", "16 MiB. A longer one among the rows of a capture is a damaged row: the capture "
                   "is partial. Names and command lines up to there are kept whole."},
        {"A file", "2 GiB of memory for its captures until its end, when they are stored "
                   "(--max-memory): five million mappings in one capture, four million small "
                   "captures, or a log of 10 GiB in which one row in 97 changes from block to "
                   "block. Storing one capture of that size takes half as much again. "
                   "Files together wait in 256 MiB. import --explain keeps to the same."},
        {"A packed file", "64 GiB unpacked, and beyond the first GiB 1,000 times its size "
                          "(--max-unpacked); 16 MiB of headers before one member. What was whole "
                          "before the limit is stored."},
        {"A file that is written meanwhile",
         "It ends where it ended when it was opened; a last capture that is not whole is left for "
         "the next import. A FIFO, socket or device is read where it is named, and passed over in "
         "a folder."},
        {"leaks --series", "1 MiB a line, 1,000,000 series, 50,000,000 values."},
        {"import-perf", "1 MiB an event; 64 MiB without any event are no recording."},
        {"sql", "30 s (--timeout), 1 GiB of memory, 64 MiB a value; the statement itself 1 MiB."},
        {"Files of rules, queries, regions", "1 MiB."},
        {"pmapdb.so in sqlite3",
         "None of its own, and SQLite's do not count it: the capture at hand is in memory, some "
         "350 "
         "bytes for each of its mappings. For files of others, give sqlite3 a limit (ulimit -v)."},
    };

    pm_man_section(m, "LIMITS");
    for (size_t i = 0; i < sizeof item / sizeof *item; i++)
        pm_man_item(m, pm_text_of(item[i][0]), none, pm_text_of(item[i][1]));
}

/* What is kept of others' data, and from whom. */
static void put_security(pm_man *m)
{
    static const char *const item[][2] = {
        {"What is stored",
         "Mappings with the paths of their files, names, users, cgroups, limits, and of command "
         "lines "
         "the program and, for interpreters, the script, module, jar or main class. --keep-cmdline "
         "REGEX stores more of them."},
        {"What is not",
         "The contents of memory, never. Variables of the environment, but for those "
         "of --keep-env, whose values are stored as they are."},
        {"Who may read it",
         "The store's owner: it is made 0600, or as --mode and --group say, whatever the umask is; "
         "-wal and -shm follow it. A file of -o is as open as the umask lets it be, and one that "
         "is replaced as it was. merge takes command lines as they are stored."},
        {"What it needs",
         "Nothing for one's own processes; CAP_SYS_PTRACE for the maps of others'; "
         "CAP_DAC_READ_SEARCH too for their environments (--keep-env, env()). Root is not needed: "
         "the systemd units run as a user of their own with the first of these."},
        {"What it runs", "No other program and no shell; of libraries it loads libarchive when "
                         "something is packed, and of that no filter that runs a program."},
        {"What it does not trust",
         "Captures, archives, names of files and processes, and stores that somebody sends: they "
         "are data, bounded, escaped on a terminal, never run. The queries of "
         "$XDG_CONFIG_HOME/pmapdb/queries count only where the folder is this user's or root's "
         "and not everybody's to write (sudo may keep HOME); all SQL of query and sql can only "
         "read. A store is not written in a folder where everybody may make files, if it is "
         "somebody else's."},
        {"What it trusts",
         "Whoever may write the store or its folder, the environment (PMAPDB, LD_LIBRARY_PATH), "
         "--query-dir, rule files and regexes that are named. It is not made to be setuid."},
    };

    pm_man_section(m, "SECURITY");
    for (size_t i = 0; i < sizeof item / sizeof *item; i++)
        pm_man_item(m, pm_text_of(item[i][0]), none, pm_text_of(item[i][1]));
}

static void put_examples(pm_man *m, const pm_help *root)
{
    const char *at = memmem(root->after.data, root->after.len, "Examples:\n", 10);

    if (!at)
        return;
    pm_man_section(m, "EXAMPLES");
    pm_man_help(m, pm_text_from(root->after, (size_t)(at - root->after.data) + 10));
}

void pm_man_program(pm_man *m)
{
    pm_help root;
    pm_text rest, name, about;

    if (m->st == PMAPDB_OK)
        m->st = pm_help_ask(NULL, 0, &root, m->err);
    if (m->st != PMAPDB_OK)
        return;
    pm_man_begin(m, "pmapdb", "1", "captures of process memory maps in one SQLite file");
    pm_man_section(m, "SYNOPSIS");
    put_usage(m, &root);
    pm_man_section(m, "DESCRIPTION");
    pm_man_help(m, root.about);
    pm_man_section(m, "COMMANDS");
    for (rest = root.after; pm_help_command(&rest, &name, &about);)
        put_command(m, name);
    pm_man_section(m, "OPTIONS");
    pm_man_raw(m, "Every command takes these.");
    put_options(m, &root, true);
    put_surroundings(m);
    put_limits(m);
    put_security(m);
    put_examples(m, &root);
    pm_man_section(m, "SEE ALSO");
    pm_man_raw(m, "\\fBpmapdb\\-queries\\fP(7), \\fBpmapdb\\-categories\\fP(7), "
                  "\\fBpmapdb\\-schema\\fP(7), \\fBpmap\\fP(1), \\fBproc\\fP(5)");
    pm_help_free(&root);
}
