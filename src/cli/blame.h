/* blame: which row of a diff grew most, and what to do about it. */
#ifndef PM_CLI_BLAME_H
#define PM_CLI_BLAME_H

#include "cli/side.h"

/* Of each metric that is asked the row that grew most. Begins as zeroes. */
typedef struct pm_blame {
    struct pm_blamed {
        int64_t delta; /* 0: none grew */
        int64_t lineage;
        char category[128], key[512]; /* key: an object's path */
    } by_rss, by_size;
} pm_blame;

/* What was compared. */
typedef struct pm_blame_asked {
    const pm_side *older, *newer;
    const char *by, *dialect; /* dialect NULL: none was asked for */
    pmapdb_store *store;      /* it may know who allocated it */
} pm_blame_asked;

/* The current row of one of the diff queries. */
void pm_blame_row(pm_blame *b, const pmapdb_rows *rows);

/* A line for people, or none where nothing grew: what is resident comes before address space. */
pmapdb_status pm_blame_write(const pm_blame *b, const pm_blame_asked *asked,
                             const pm_render_options *how, const pm_sink *sink, pmapdb_error *err);

#endif
