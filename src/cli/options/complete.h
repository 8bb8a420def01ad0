/* complete: prints candidates for the last word of a command line. The scripts of pmapdb completion
 * call `pmapdb __complete WORDS...` at every TAB. Each line is a word and, after a tab, its
 * description; ":files" and ":dirs" ask the shell for its own candidates. */
#ifndef PM_CLI_COMPLETE_H
#define PM_CLI_COMPLETE_H

#include "cli/options/options.h"

struct pm_offer {
    const char *word; /* the part to complete: "@1" of "--from=@1" */
    pm_text before;   /* the part before it: "--from=" */
};

/* From now on, pm_options_parse() completes. Prints nothing on standard error, and ends the program
 * after two seconds. */
void pm_complete_begin(pm_cli *cli);

/* Called by pm_options_parse(): completes the last word of argv. If another table of options parses
 * that word, returns the number of operands like pm_options_parse(); else ends the program. */
int pm_complete(pm_cli *cli, const pm_syntax *syntax, int argc, char **argv);

/* Prints the word if it starts with the typed text and contains no bytes that could control a
 * terminal. */
void pm_offer_word(const pm_offer *o, pm_text word, pm_text about);
/* Offers the names of queries, except those for which `but` returns true; `but` may be NULL. */
void pm_offer_queries(const pm_cli *cli, const pm_offer *o, bool (*but)(const char *name));
/* Offers the built-in sets of rules, and files. */
void pm_offer_rules(const pm_cli *cli, const pm_offer *o);

#endif
