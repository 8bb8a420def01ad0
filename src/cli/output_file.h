/* output_file: where a command's output goes: standard output, or the file of -o, which appears
 * whole or not at all.
 *
 * A file is written beside its place as FILE.XXXXXX and renamed by the commit; a signal that ends
 * the program removes it. A place that is no regular file (/dev/null, a FIFO, a terminal) is
 * written directly. The first failure is kept, and nothing is written after it. A reader that went
 * away is PMAPDB_STOPPED; SIGPIPE must be ignored. One file is open at a time. */
#ifndef PM_CLI_OUTPUT_FILE_H
#define PM_CLI_OUTPUT_FILE_H

#include "pmapdb.h"
#include <stdio.h>

/* Zeroed before it is opened. Must stay where it is. */
typedef struct pm_output_file {
    FILE *text;           /* holds back up to 64 KiB */
    pmapdb_error failure; /* the first one; PMAPDB_OK before it */
    bool escape;          /* write control characters as \x1b: for a terminal */
    bool after_c2;        /* the last byte may begin a control character, and is held back */
    int fd;
    char *path;      /* what -o names, links followed; NULL: standard output */
    char *temporary; /* the file that is renamed to path; NULL: written directly */
} pm_output_file;

/* path NULL: standard output. */
pmapdb_status pm_output_file_open(pm_output_file *f, const char *path, pmapdb_error *err);

/* Writes what is held back. A file still becomes visible only by the commit. */
void pm_output_file_flush(pm_output_file *f);

/* Flushes and puts the file in its place, unless something failed. */
void pm_output_file_commit(pm_output_file *f);

/* Without a commit an old file stays as it was, and what is held back is dropped. */
void pm_output_file_close(pm_output_file *f);

/* For a program that ends early: drops what is held back and removes the temporary file. */
void pm_output_file_abandon(void);

/* Both paths name one file, whether it exists or not. */
bool pm_output_file_same(const char *a, const char *b);

/* A path whose bytes would be lost if it were written: not a pipe or a terminal. */
bool pm_output_file_can_be_lost(const char *path);

#endif
