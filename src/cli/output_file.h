/* output_file: where a command's output goes: standard output, or the file of -o, which appears
 * completely or not at all.
 *
 * A file is written as FILE.XXXXXX in the same folder, and the commit renames it; a signal that
 * ends the program removes it. A path that is not a regular file (/dev/null, a FIFO, a terminal) is
 * written directly. The first failure is kept, and nothing is written after it. If the reader has
 * gone, the failure is PMAPDB_STOPPED; SIGPIPE must be ignored. Only one file is open at a time. */
#ifndef PM_CLI_OUTPUT_FILE_H
#define PM_CLI_OUTPUT_FILE_H

#include "pmapdb.h"
#include <stdio.h>

/* Zero it before opening. Must not move. */
typedef struct pm_output_file {
    FILE *text;           /* buffers up to 64 KiB */
    pmapdb_error failure; /* the first failure; PMAPDB_OK: none so far */
    bool escape;          /* write control characters as \x1b: for a terminal */
    bool page;            /* start a pager before the first byte */
    FILE *pager;          /* NULL: no pager runs */
    bool after_c2;        /* the last byte may begin a control character, and is still held back */
    int fd;
    char *path;      /* the file of -o, links followed; NULL: standard output */
    char *temporary; /* the file to rename to path; NULL: written directly */
} pm_output_file;

/* True if standard output is a terminal that can page, and PAGER is not empty and not cat. */
bool pm_output_file_can_page(void);

/* path NULL: standard output. */
pmapdb_status pm_output_file_open(pm_output_file *f, const char *path, pmapdb_error *err);

/* Writes what is buffered. A file still only becomes visible by the commit. */
void pm_output_file_flush(pm_output_file *f);

/* Flushes and renames the file to its path, unless something failed. */
void pm_output_file_commit(pm_output_file *f);

/* Closes the file. Without a commit, drops what is buffered and keeps the old file. */
void pm_output_file_close(pm_output_file *f);

/* Drops what is buffered and removes the temporary file. For a program that ends early. */
void pm_output_file_abandon(void);

/* True if both paths name the same file, or are equal. */
bool pm_output_file_same(const char *a, const char *b);

/* True if writing to the path would destroy its contents: not for a pipe or a terminal. */
bool pm_output_file_can_be_lost(const char *path);

#endif
