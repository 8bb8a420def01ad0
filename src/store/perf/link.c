/* link: the process and the clock of each traced process, by link-*.sql. */
#include "store/perf/recording.h"

pmapdb_status pm_perf_link(pmapdb_store *s, pmapdb_error *err)
{
    int64_t any = pm_sql_value(s->sql,
                               "SELECT 1 FROM traced_process WHERE pid IS NOT NULL AND pruned = 0 "
                               "AND (process_id IS NULL OR offset_ns IS NULL) LIMIT 1",
                               PM_NO_ARGS, 0);
    int64_t pair = 0;
    pmapdb_status st = pm_sql_end(s->sql, err);

    if (st != PMAPDB_OK || !any)
        return st;
    st = pm_store_begin(s, err);
    if (st != PMAPDB_OK)
        return st;
    pm_sql_script(s->sql, "link-pairs", NULL, 0);
    /* one pair after another, because the edges of one pair may fill much memory */
    while (
        (pair = pm_sql_value(
             s->sql, "SELECT min(pair) FROM temp.link_pair WHERE pair > ?1 AND lo_ns IS NOT NULL",
             PM_ARGS(PM_I(pair)), 0)) != 0)
        pm_sql_script(s->sql, "link-align", PM_PARAMS({":pair", PM_I(pair)}));
    pm_sql_script(s->sql, "link-choose", NULL, 0);
    return pm_store_end(s, err);
}
