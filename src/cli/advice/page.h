/* page: what pmapdb knows about each category: how it is recognized, what growth in it usually
 * means, what to do next. The texts are the files of categories/, embedded. */
#ifndef PM_CLI_ADVICE_PAGE_H
#define PM_CLI_ADVICE_PAGE_H

#include "base/text.h"
#include "pmapdb.h"
#include <stdio.h>

/* A text may continue in lines that begin with blanks; pm_page_print() joins them. Missing texts
 * are empty. */
typedef struct pm_page {
    pm_text category; /* as in the rules: anonymous/%w is a category for each name */
    pm_text what, known, growth;
    pm_text ask;   /* a command of pmapdb with --process, --from and --to */
    pm_text next;  /* PID stands for the pid */
    pm_text more;  /* further commands and settings */
    pm_text count; /* replaces `next` if only the number of mappings grows */
} pm_page;

/* Returns one page after another, in the order of the files; false after the last one. Initialize
 * *walk with zeroes. */
typedef struct pm_page_walk {
    size_t file;
    pm_text rest;
} pm_page_walk;

bool pm_page_next(pm_page_walk *walk, pm_page *out);

/* Finds the page of the category, of the template that gives it, or of its first word. False if
 * there is no such page: the rules pmap-dotnet give every file its own category. */
bool pm_page_find(pm_text category, pm_page *out);

/* Finds the page for a hint: like pm_page_find(), but falls back to the page of a file. */
void pm_page_hint(pm_text category, pm_page *out);

/* Prints a template in the form that people write: anonymous/NAME. */
void pm_page_print_name(FILE *out, const pm_page *page);

/* Prints the text with single blanks, and with the pid instead of PID, unless it is
 * PMAPDB_UNKNOWN. */
void pm_page_print(FILE *out, pm_text text, int64_t pid);

/* Returns "anonymous" of "anonymous/malloc"; the full text if it has no slash. */
pm_text pm_page_first_word(pm_text category);

#endif
