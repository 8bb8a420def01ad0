/* left_out: who is left out of a moment, from the query left-out. */
#include "cli/left_out.h"

/* groups calls the moment --at. */
static pmapdb_status bind_at(const pm_run_args *args, pmapdb_rows *rows, pmapdb_error *err)
{
    const char *at = pm_run_given(args, "at");

    return at ? pmapdb_bind(rows, "snapshot", at, err) : PMAPDB_OK;
}

pmapdb_status pm_left_out_say(const pm_run_args *args, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    long n = 0;
    bool has = false;
    pmapdb_status st = pmapdb_query(store, "left-out", &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(args, rows, err);
    if (st == PMAPDB_OK)
        st = bind_at(args, rows, err);
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has)
        n++;
    pmapdb_rows_close(rows);
    if (st == PMAPDB_OK && n)
        pm_cli_say("%ld name%s captured in the same hour, but further away than --within: pmapdb "
                   "left-out lists %s",
                   n, n == 1 ? " was" : "s were", n == 1 ? "it" : "them");
    return st;
}
