/* columns: the columns of the tables, each with its name, type and function. */
#ifndef PM_SQLITE_COLUMNS_H
#define PM_SQLITE_COLUMNS_H

#include "api/blocks.h"
#include "sqlite/category.h"

/* One row: a mapping of a block. m is NULL for the row of its sums. */
typedef struct pm_table_row {
    const pm_found_block *block;
    const pm_mapping *m;
    pm_categorizer *categorizer;
} pm_table_row;

typedef struct pm_table_column {
    const char *name, *type;
    void (*show)(sqlite3_context *out, const pm_table_row *row, int which);
    int which; /* selects among the values that `show` knows */
} pm_table_column;

/* The columns of the view `mappings` of a store that describe a mapping, in the order of the view;
 * then the columns that say where the mapping was found. */
extern const pm_table_column pm_mapping_columns[];
extern const int pm_mapping_columns_live; /* number without the columns of the second kind */
extern const int pm_mapping_columns_all;

#endif
