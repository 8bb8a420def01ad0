/* examples: a few lines that can be typed, for the end of every --help. */
#ifndef PM_CLI_EXAMPLES_H
#define PM_CLI_EXAMPLES_H

/* Each line ends in a newline. `title` is what --help calls the program: "pmapdb", "pmapdb growth",
 * "pmapdb query growth". NULL where there are none. */
const char *pm_examples_of(const char *title);

#endif
