/* export_table: every table of the schema, which of its rows an export copies, and how. */
#ifndef PM_STORE_EXPORT_EXPORT_TABLE_H
#define PM_STORE_EXPORT_EXPORT_TABLE_H

#include "store/export/redact.h"
#include "store/file/store.h"

/* `rows` stands after "FROM TABLE t" and refers to the sets of export-begin.sql; ?1 is 1 where the
 * whole store is copied. */
typedef struct pm_export_table {
    const char *name, *rows;
    const char *space; /* whose addresses a row has (export-move.sql); NULL: it has none */
    bool open;         /* copied only where nothing is redacted */
} pm_export_table;

/* A table comes after those that it refers to. */
extern const pm_export_table pm_export_tables[];
extern const size_t pm_export_n_tables;

typedef struct pm_export_copy {
    pmapdb_store *from, *into;
    pm_redact *redact; /* NULL: as it is */
    bool whole;        /* every process, and all of their time */
    uint64_t rows;     /* copied so far */
} pm_export_copy;

/* Adds the rows of one table, redacted before they are written. */
pmapdb_status pm_export_table_copy(pm_export_copy *copy, const pm_export_table *table,
                                   pmapdb_error *err);

#endif
