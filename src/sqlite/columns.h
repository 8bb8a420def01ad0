/* columns: what the tables show, each column a name and how its value is found. */
#ifndef PM_SQLITE_COLUMNS_H
#define PM_SQLITE_COLUMNS_H

#include "sqlite/category.h"

/* One row: a mapping of a block; NULL: the block itself, or the one row of its sums. */
typedef struct pm_table_row {
    pm_found_block *block;
    const pm_mapping *m;
    pm_categorizer *categorizer;
} pm_table_row;

typedef struct pm_table_column {
    const char *name, *type;
    void (*show)(sqlite3_context *out, const pm_table_row *row, int which);
    int which; /* of what `show` can show */
} pm_table_column;

/* What the view `mappings` of a store says of a mapping, in its order, and after that where it was
 * found. */
extern const pm_table_column pm_mapping_columns[];
extern const int pm_mapping_columns_live; /* without where it was found */
extern const int pm_mapping_columns_all;

/* One block. */
extern const pm_table_column pm_block_columns[];
extern const int pm_block_columns_all;

#endif
