/* litter: temporary files that no signal leaves behind. */
#ifndef PM_CLI_LITTER_H
#define PM_CLI_LITTER_H

/* From here on SIGHUP, SIGINT and SIGTERM, where they would end the program, remove this file
 * first. There is room for a few; what is longer than a path can be is not watched. */
void pm_litter_watch(const char *path);
/* It was removed, or has its name now. */
void pm_litter_forget(const char *path);
/* Removes what is watched, for a program that ends early. */
void pm_litter_remove(void);

#endif
