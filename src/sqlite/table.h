/* table: the table-valued functions. They are eponymous virtual tables whose hidden last columns
 * are the arguments. */
#ifndef PM_SQLITE_TABLE_H
#define PM_SQLITE_TABLE_H

#include "api/blocks.h"
#include "api/categorize.h"
#include <sqlite3ext.h>

/* ---- columns.c ---- */

/* Finds the category of a mapping that is not in a store, by the rules of the store that is open,
 * as if the store had no other capture; without a store, by the built-in rules. Lives
 * for one query. Begins with db set and the rest zero. */
typedef struct pm_categorizer {
    sqlite3 *db;
    pm_rules *rules;    /* NULL until the first question */
    pm_categorize rows; /* of the current capture; row NULL: not asked yet */
    pm_buf category;
} pm_categorizer;

void pm_categorizer_free(pm_categorizer *r);

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

/* ---- live.c ---- */

/* The mappings of a process now; `file` is "smaps" or "maps", `pid` a number or 'self'. A
 * process without mappings (a kernel thread, a zombie) has no blocks. */
pmapdb_status pm_live_blocks(const char *file, sqlite3_value *pid, pm_blocks **out,
                             pmapdb_error *err);

/* ---- table.c ---- */

/* Adds smaps(pid), maps(pid), pmap_file(file, as_dialect) to the connection. Returns SQLite's
 * result code. */
int pm_tables_add(sqlite3 *db);

#endif
