/* batch: the rows of a push as texts, a table each. */
#ifndef PM_API_PUSH_BATCH_H
#define PM_API_PUSH_BATCH_H

#include "api/push/push.h"

#define PM_BATCH_TABLES 9

typedef struct pm_batch_table {
    const char *name;
    pm_buf columns; /* names with commas */
    pm_buf text;
    int64_t rows;
} pm_batch_table;

typedef struct pm_batch {
    pm_push_format format;
    pm_batch_table table[PM_BATCH_TABLES];
    int n;
    int columns;       /* of the last table */
    unsigned arrays;   /* which of them are arrays of ClickHouse: bit 0 is the first */
    pm_render *render; /* NULL: TSV */
    char host[64];     /* of the last row of marks, as a part of a file's name */
} pm_batch;

/* Empties the batch and gives the sink that fills it. */
pm_push_sink pm_batch_begin(pm_batch *b);
/* Ends the last table. */
pmapdb_status pm_batch_end(pm_batch *b, pmapdb_error *err);
void pm_batch_free(pm_batch *b);

#endif
