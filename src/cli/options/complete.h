/* complete: what may stand in the place of the last word of a command line, for the scripts of
 * pmapdb completion, which ask `pmapdb __complete WORDS...` at every TAB. It prints candidates and
 * nothing else: a word and, after a tab, what it is; ":files" and ":dirs" ask the shell for its
 * own. */
#ifndef PM_CLI_COMPLETE_H
#define PM_CLI_COMPLETE_H

#include "cli/options/options.h"

struct pm_offer {
    const char *word; /* as far as it is typed; of --from=@1 it is @1 */
    pm_text before;   /* and this is --from= */
};

/* From here on pm_options_parse() completes. Says nothing on standard error and ends after two
 * seconds. */
void pm_complete_begin(pm_cli *cli);

/* For pm_options_parse(): the last word of argv is the one to complete. Returns the operands as
 * pm_options_parse() does if the word belongs to a further table of options; else ends the
 * program. */
int pm_complete(pm_cli *cli, const pm_syntax *syntax, int argc, char **argv);

/* Prints the word if it goes on as the typed one does, and no byte of it could drive a terminal. */
void pm_offer_word(const pm_offer *o, pm_text word, pm_text about);
/* The names of queries; `but` tells those that are left out, or NULL. */
void pm_offer_queries(const pm_cli *cli, const pm_offer *o, bool (*but)(const char *name));
/* The built-in sets of rules, and files. */
void pm_offer_rules(const pm_cli *cli, const pm_offer *o);

#endif
