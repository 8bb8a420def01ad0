/* page: what pmapdb knows about each category: how it is recognized, what growth in it usually
 * means, what to do next. The texts are the files of categories/, embedded; the query advice finds
 * the page of a category, and says what to do about a process in which it grows. */
#ifndef PM_CLI_ADVICE_PAGE_H
#define PM_CLI_ADVICE_PAGE_H

#include "cli/answer.h"

/* Returns the query advice with all pages; the caller gives its other parameters. */
pmapdb_rows *pm_page_ask(pmapdb_store *store);

/* True if the store has any recording. */
bool pm_page_recorded(pmapdb_store *store);

/* Returns who allocated most of what grew: "97 % through session_alloc < handle_request < main
 * (recording 2)". The current row of `of` has the columns process, lineage, category, dialect, from
 * and to. NULL: no recording covers any of the growth. The caller frees it. */
char *pm_page_who(pmapdb_store *store, const pmapdb_rows *of);

/* True if the category has a page, or shares one: the rules pmap-dotnet give every file its own
 * category. */
bool pm_page_exists(pmapdb_store *store, const char *category);

/* Steps to the row of advice that says what to do next; may be called again. The current row of
 * `of` says what grows: its columns have the names of the parameters of advice. */
void pm_page_next(pmapdb_rows *pages, const pmapdb_rows *of, bool recorded);

#endif
