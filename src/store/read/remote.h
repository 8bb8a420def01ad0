/* remote: a question that ClickHouse answers (queries/fleet). The parameters are resolved as those
 * of other queries, and put into the statement as literals; the rows of the reply go into a table
 * in memory, so that the answer is sorted, shown and named like any other. */
#ifndef PM_STORE_REMOTE_H
#define PM_STORE_REMOTE_H

#include "store/read/query.h"

/* Begins a question: `memory` is a store in memory, which the rows fill. Takes ownership of the
 * info, also on failure. pmapdb_bind() gives the parameters their values. */
pmapdb_status pm_remote_query(pmapdb_store *memory, pm_query_info *info, pmapdb_rows **out,
                              pmapdb_error *err);

/* Tells the rows which hosts there are: the lines of `names`. Then a parameter called host takes
 * only these. */
pmapdb_status pm_remote_hosts(pmapdb_rows *rows, pm_text names, pmapdb_error *err);

/* The statement with its parameters as literals: toInt64(7), toFloat64(0.5),
 * 'text'; a count, which may stand after LIMIT, as 7. */
pmapdb_status pm_remote_sql(pmapdb_rows *rows, pm_buf *sql, pmapdb_error *err);

/* Reads the reply, FORMAT TabSeparatedWithNames: pmapdb_next() then gives its rows. Numbers in a
 * column of type time are ms, and become ISO text. */
pmapdb_status pm_remote_answer(pmapdb_rows *rows, pm_text reply, pmapdb_error *err);

#endif
