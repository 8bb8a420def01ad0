/* help_text: the texts of --help that are files, built in.
 *
 * help/COMMAND.txt has up to three parts with "--" between them: what the command does, more after
 * its options, and lines that can be typed. Lines of a paragraph are joined; a line that begins
 * with a blank stays as it is. help/examples.txt has lines that can be typed for queries. */
#ifndef PM_CLI_HELP_TEXT_H
#define PM_CLI_HELP_TEXT_H

#include "cli/options/options.h"

/* What the files say of that command ("pmapdb prune", "pmapdb query NAME") takes the place of what
 * `syntax` lacks. The texts stay until the program ends. */
void pm_help_fill(const char *title, pm_syntax *syntax);

#endif
