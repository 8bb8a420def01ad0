/* export_tables: every table of the schema, and which of its rows an export copies. */
#ifndef PM_STORE_EXPORT_EXPORT_TABLES_H
#define PM_STORE_EXPORT_EXPORT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* `rows` stands after "FROM TABLE t" and refers to the sets of export-begin.sql; ?1 is 1 where the
 * whole store is copied. */
typedef struct pm_export_table {
    const char *name, *rows;
    const char *space; /* whose addresses a row has (addresses.h); NULL: it has none */
    bool open;         /* copied only where nothing is redacted */
} pm_export_table;

/* A table comes after those that it refers to. */
extern const pm_export_table pm_export_tables[];
extern const size_t pm_export_n_tables;

#endif
