/* page: what pmapdb knows of each category: how it is known, what growth in it usually means, what
 * to do next. The texts are the files of categories/, built in. */
#ifndef PM_CLI_PAGE_H
#define PM_CLI_PAGE_H

#include "base/near.h"
#include "pmapdb.h"
#include <stdio.h>

/* A text may go on in lines that begin with blanks: pm_page_print makes one line of it. What a page
 * does not say is empty. */
typedef struct pm_page {
    pm_text category; /* as the rules have it: anonymous/%w is one for each name */
    pm_text what, known, growth;
    pm_text ask;   /* a command of pmapdb that takes --process, --from and --to */
    pm_text next;  /* PID stands for the pid */
    pm_text more;  /* further commands and settings */
    pm_text count; /* the next where its number of mappings grows alone */
} pm_page;

/* Page after page, in the order of the files; false after the last. *walk begins as zeroes. */
typedef struct pm_page_walk {
    size_t file;
    pm_text rest;
} pm_page_walk;

bool pm_page_next(pm_page_walk *walk, pm_page *out);

/* The page of this category, or of the template that gives it, or of its first word. False where
 * the text is none of them: the rules pmap-dotnet give a category to each file. */
bool pm_page_find(pm_text category, pm_page *out);

/* Of the other parts of the same first word the one whose name is nearest, for a misspelt category;
 * NULL: none is near. It lasts as long as `near`. */
const char *pm_page_near(pm_text category, pm_near *near);

/* The page for a hint: where pm_page_find has none, that of a file. */
void pm_page_hint(pm_text category, pm_page *out);

/* A template as people write it: anonymous/NAME. */
void pm_page_print_name(FILE *out, const pm_page *page);

/* The text with single blanks, and the pid, unless it is PMAPDB_UNKNOWN, instead of PID. */
void pm_page_print(FILE *out, pm_text text, int64_t pid);

/* "anonymous" of "anonymous/malloc"; the whole text where it has no slash. */
pm_text pm_page_first_word(pm_text category);

#endif
