/* help: what `pmapdb WORDS --help` says, in its parts: completion and the man pages are made of it,
 * so that they cannot say anything else. */
#ifndef PM_CLI_HELP_H
#define PM_CLI_HELP_H

#include "base/buf.h"

#define PM_HELP_OPTIONS 96
#define PM_HELP_USAGES 4

typedef struct pm_help_option {
    char letter;   /* 0: none */
    pm_text name;  /* without its dashes */
    pm_text arg;   /* empty: it takes none */
    bool optional; /* the argument may be left out */
    bool common;   /* one that every command has */
    pm_text help;
} pm_help_option;

typedef struct pm_help {
    pm_buf text; /* everything else points into it */
    pm_text usage[PM_HELP_USAGES], about, after;
    pm_help_option option[PM_HELP_OPTIONS];
    size_t n_usages, n_options;
} pm_help;

/* Runs this program again. */
pmapdb_status pm_help_ask(const char *const *words, size_t n_words, pm_help *out,
                          pmapdb_error *err);
void pm_help_free(pm_help *help);

const pm_help_option *pm_help_find(const pm_help *help, pm_text name);
const pm_help_option *pm_help_find_letter(const pm_help *help, char letter);

/* What a usage line says behind "[OPTION...]". */
pm_text pm_help_args(pm_text usage);

/* The next line of *rest, which then is what follows it; false at the end. */
bool pm_help_line(pm_text *rest, pm_text *line);

/* The next command of the program's own help; *rest begins as help->after. What begins with _ is
 * for programs only and left out. */
bool pm_help_command(pm_text *rest, pm_text *name, pm_text *help);

#endif
