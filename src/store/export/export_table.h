/* export_table: every table of the schema: the rows that an export copies, and how. */
#ifndef PM_STORE_EXPORT_EXPORT_TABLE_H
#define PM_STORE_EXPORT_EXPORT_TABLE_H

#include "store/export/redact.h"
#include "store/file/store.h"

/* `rows` follows "FROM TABLE t" and refers to the sets of export-begin.sql; ?1 is 1 if the whole
 * store is copied. */
typedef struct pm_export_table {
    const char *name, *rows;
    const char *space; /* whose addresses are in a row (export-move.sql); NULL: no addresses */
    bool open;         /* copied only without redaction */
} pm_export_table;

/* A table comes after the tables that it refers to. */
extern const pm_export_table pm_export_tables[];
extern const size_t pm_export_n_tables;

typedef struct pm_export_copy {
    pmapdb_store *from, *into;
    pm_redact *redact; /* NULL: no redaction */
    bool whole;        /* every process, at all times */
    uint64_t rows;     /* copied so far */
} pm_export_copy;

/* Copies the rows of one table, each redacted before it is written. */
pmapdb_status pm_export_table_copy(pm_export_copy *copy, const pm_export_table *table,
                                   pmapdb_error *err);

#endif
