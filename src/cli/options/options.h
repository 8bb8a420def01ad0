/* options: one table of options per command, as data. Parsing, --help, --usage and the option lists
 * of the manual are all made from it; completion reads --usage.
 *
 *     typedef struct pins { const char *reason; bool dry_run; } pins;
 *     #define AT(field) offsetof(pins, field)
 *     static const pm_option options[] = {
 *         {"reason", 0, PM_OPT_TEXT, AT(reason), "TEXT", "Why it is pinned"},
 *         {"dry-run", 'n', PM_OPT_FLAG, AT(dry_run), NULL, "Change nothing"},
 *         {0}};
 *
 * Options and operands may come in any order, "--" ends the options, and a long name may be
 * shortened to a unique beginning. An option of a command may be given only once, except
 * PM_OPT_LIST, PM_OPT_CUSTOM and flags; of the options that all commands have, the last one
 * wins. */
#ifndef PM_CLI_OPTIONS_H
#define PM_CLI_OPTIONS_H

#include "cli/cli.h"
#include <stdio.h>

#define PM_OPTIONS_MAX 96 /* per command */

typedef enum pm_option_type {
    PM_OPT_FLAG,   /* bool */
    PM_OPT_TEXT,   /* const char *, points into argv like all texts here */
    PM_OPT_NAME,   /* const char *, not empty: catches --name "$NAME" in a script that did not set
                      NAME */
    PM_OPT_WORD,   /* const char *, not empty: a file, a process, a snapshot */
    PM_OPT_CHOICE, /* const char *, one of the words in `arg`: "smaps|maps|auto" */
    PM_OPT_COUNT,  /* int64_t, from 1 */
    PM_OPT_PID,    /* int64_t */
    PM_OPT_SIZE,   /* int64_t, KiB: 10M */
    PM_OPT_SPAN,   /* int64_t, ms: 5m, 1h30m */
    PM_OPT_TIME,   /* int64_t, ms since 1970: 2026-11-21T02:05:32Z */
    PM_OPT_MODE,   /* unsigned, permissions: 0640 */
    PM_OPT_LIST,   /* pm_cli_list, may be repeated; items not empty */
    PM_OPT_CUSTOM, /* stored by `read` */
} pm_option_type;

/* Rows end with the last field that they need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef struct pm_option {
    const char *name;
    char letter; /* 0: none */
    pm_option_type type;
    size_t at;       /* offset of the value in the command's struct */
    const char *arg; /* name of the value in --help; NULL for a flag */
    const char *help;
    /* PM_OPT_CUSTOM: stores the value of `arg` (of a flag, its name). Returns NULL, or a
     * description of what the option wants: "a share like 10%". */
    const char *(*read)(const char *arg, void *value);
} pm_option;

typedef struct pm_syntax {
    const pm_option *options; /* or NULL; ends with a row without a name */
    const pm_option *params;  /* a second table: the parameters of a query; or NULL */
    void *param_values;       /* where the second table's values are */
    const char *operands; /* "PATH..."; separate several usage lines by '\n'; NULL: no operands */
    int most;             /* operands; 0: any number */
    bool in_order;        /* all words after the first operand are operands */
    const char *title;    /* whose help file to read; NULL: the command's */
    const char *about;    /* --help: text before the options; or NULL */
    const char *after;    /* help COMMAND: text after the options; or NULL */
    const char *examples; /* --help: lines that the user can type; or NULL */
    /* Prints more before the examples: all of it for help COMMAND, its summary for --help; or
     * NULL. */
    void (*more)(FILE *out, const void *ctx, bool all);
    const void *ctx;
    /* Prints for --usage the words that may be the first operand, each after two blanks; or NULL.
     */
    void (*words)(FILE *out, const pm_cli *cli);
} pm_syntax;

/* The options that every command takes. The values of pm_cli_options are in pm_cli. An option
 * without a help text is another word for one that has a text. */
extern const pm_option pm_cli_options[], pm_help_options[];
/* As an argument, asks a command for the text of "help COMMAND". */
#define PM_HELP_ALL "--help-all"
/* Prints a table of options with their help. */
void pm_options_put(FILE *out, const pm_option *options);

/* Parses argv into `values`, the command's struct. argv[0] is the command's title. Moves the
 * operands to argv[1] and following, and returns their number. Ends the program if argv is wrong or
 * asks for help. */
int pm_options_parse(pm_cli *cli, const pm_syntax *syntax, void *values, int argc, char **argv);

/* Stores the value of an option. Returns NULL, or a description of what the option wants. */
const char *pm_option_read(const pm_option *o, const char *arg, void *value);

/* The `read` of a span in which a number without a unit is seconds, as in sleep and watch. */
const char *pm_option_read_every(const char *arg, void *value);

/* Adds an item; ends the program if memory runs out. */
void pm_cli_list_add(pm_cli_list *list, const char *item);

/* Print the texts of --help (all: of help COMMAND) and --usage. */
void pm_options_help(const pm_cli *cli, const pm_syntax *syntax, FILE *out, bool all);
void pm_options_usage(const pm_cli *cli, const pm_syntax *syntax, FILE *out);

/* help/COMMAND.txt has up to three parts, separated by "--": what the command does, more text after
 * its options, and examples to type. Lines of a paragraph are joined; a line that begins with a
 * blank is kept. help/examples.txt has examples for queries.
 *
 * Fills in the fields that `syntax` lacks from the files for the command ("pmapdb prune", "pmapdb
 * query NAME"). The texts are never freed. */
void pm_help_fill(const char *title, pm_syntax *syntax);
/* Prints help/WORD.txt; false if there is no such file. `out` may be NULL. */
bool pm_help_topic(FILE *out, const char *word);

/* Prints words, wrapped at 79 columns; further lines are indented by `indent`. `at` is the current
 * column. */
void pm_options_wrap(FILE *out, pm_text words, size_t at, size_t indent);

#endif
