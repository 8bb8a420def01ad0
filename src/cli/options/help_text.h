/* help_text: the texts of --help that are embedded files.
 *
 * help/COMMAND.txt has up to three parts, separated by "--": what the command does, more text after
 * its options, and examples to type. Lines of a paragraph are joined; a line that begins with a
 * blank is kept. help/examples.txt has examples for queries. */
#ifndef PM_CLI_HELP_TEXT_H
#define PM_CLI_HELP_TEXT_H

#include "cli/options/options.h"

/* Fills in the fields that `syntax` lacks from the files for the command ("pmapdb prune", "pmapdb
 * query NAME"). The texts are never freed. */
void pm_help_fill(const char *title, pm_syntax *syntax);

/* Prints help/WORD.txt; false if there is no such file. `out` may be NULL. */
bool pm_help_topic(FILE *out, const char *word);

#endif
