/* bulk: new rows of one table, many by one statement. A statement costs as much to begin and to end
 * as a row to write; the first capture of a process has thousands of them. */
#ifndef PM_STORE_BULK_H
#define PM_STORE_BULK_H

#include "store/sql.h"

#define PM_BULK_ROWS 32
#define PM_BULK_COLUMNS 19 /* of the widest table */

typedef struct pm_bulk_table {
    const char *one, *many; /* INSERT of a row, of PM_BULK_ROWS */
    const char *last;       /* SELECT of the highest id so far; NULL: rows have none of their own */
    size_t columns;         /* the id first */
} pm_bulk_table;

/* A head says INSERT OR FAIL: were a row refused, those before it would stay, which whoever rolls
 * the transaction back does not see; otherwise each page is copied once more per statement, to undo
 * it alone. */
#define PM_BULK_4(row) row ", " row ", " row ", " row
#define PM_BULK_INSERT(head, row) head " VALUES " row
#define PM_BULK_INSERTS(head, row) \
    head " VALUES " PM_BULK_4(PM_BULK_4(row)) ", " PM_BULK_4(PM_BULK_4(row))

/* Rows that are not in the table yet. Not to be copied while it holds any. */
typedef struct pm_bulk {
    pm_sql *sql;
    const pm_bulk_table *table;
    size_t n;
    int64_t last; /* id given; 0: none was */
    pm_arg args[PM_BULK_ROWS * PM_BULK_COLUMNS];
} pm_bulk;

void pm_bulk_begin(pm_bulk *b, pm_sql *sql, const pm_bulk_table *table);

/* *out is to be filled with the columns of one more row, of which *id (where rows have one) is set
 * already; texts in it live until the end. Writes first those before, where there are enough. */
pmapdb_status pm_bulk_row(pm_bulk *b, pm_arg **out, int64_t *id, pmapdb_error *err);

/* Writes the rest. */
pmapdb_status pm_bulk_end(pm_bulk *b, pmapdb_error *err);

/* Foreign keys are looked up for every row: a third of the work. `off` while rows are written all
 * of whose keys were made in this transaction, or read from the store by their primary key. */
void pm_bulk_unchecked(pm_sql *sql, bool off);

#endif
