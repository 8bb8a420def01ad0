/* export_run: what the parts of an export share: export.c has the order of it, choose.c which rows,
 * tables.c how they are asked for, survey.c finds all addresses first, copy.c
 * brings the rows over. */
#ifndef PM_STORE_EXPORT_RUN_H
#define PM_STORE_EXPORT_RUN_H

#include "store/export/export.h"

/* A table of the schema. `rows` stands behind "FROM TABLE t"; ?1 is 1 where the whole store is
 * copied. */
typedef struct pm_export_table {
    const char *name, *rows;
    const char *space; /* whose addresses a row has (places.h); NULL: it has none */
    bool open;         /* only where nothing is redacted */
} pm_export_table;

/* Those that are referred to come first. */
extern const pm_export_table pm_export_tables[];
extern const size_t pm_export_n_tables;

typedef struct pm_export_run {
    pmapdb_store *from, *into;
    const pm_export *export;
    pm_export_counts *counts;
    bool whole;     /* every process, and all of their time */
    bool cut;       /* a span of time */
    bool stopped;   /* keep_going said so */
    const char *at; /* table */
} pm_export_run;

/* The sets of rows, in temporary tables of `from`, whose names begin with export_. */
pmapdb_status pm_export_choose(pm_export_run *run, pmapdb_error *err);
void pm_export_forget(pm_export_run *run);

/* Notes all addresses of the rows that are chosen, and what lies in folders of the system. */
pmapdb_status pm_export_survey(pm_export_run *run, pmapdb_error *err);

pmapdb_status pm_export_copy(pm_export_run *run, const pm_export_table *table, pmapdb_error *err);

#endif
