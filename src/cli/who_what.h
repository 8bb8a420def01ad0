/* who_what: of which mappings pmapdb who is asked: lineages, categories, addresses -> lineages. */
#ifndef PM_CLI_WHO_WHAT_H
#define PM_CLI_WHO_WHAT_H

#include "base/buf.h"
#include "cli/side.h"

typedef struct pm_who_ask {
    const char *process; /* as --process takes it; NULL: the only one */
    const char *dialect; /* NULL: of each moment the one with most fields */
    const pm_side *older, *newer;
    const char *const *word; /* 12 or L12, a category, an address */
    size_t n_words;          /* 0: all */
} pm_who_ask;

typedef struct pm_who_what {
    pm_buf lineages;         /* "[12,13]"; empty: all */
    int64_t size[2], rss[2]; /* of them, older and newer, KiB; PMAPDB_UNKNOWN */
} pm_who_what;

/* PMAPDB_NOTFOUND says what there is. */
pmapdb_status pm_who_what_find(pm_who_what *out, pmapdb_store *store, const pm_who_ask *ask,
                               pmapdb_error *err);
void pm_who_what_free(pm_who_what *what);

/* What --from or --to takes for this side. */
void pm_who_moment(const pm_side *side, char *out, size_t size);

#endif
