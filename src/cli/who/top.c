/* top: finds the stack that allocated most of the growth. */
#include "cli/who/who.h"

bool pm_who_recorded(pmapdb_store *store)
{
    return pm_run_ask(store, "SELECT 1 FROM recording LIMIT 1", NULL, 0);
}

/* Returns the stacks of the lineage or the category that `of` names; NULL if it has no mappings. */
static pmapdb_rows *ask_stacks(pmapdb_store *store, const pmapdb_rows *of)
{
    static const pm_answer_arg none[] = {{NULL, NULL}};
    pmapdb_rows *mappings = pm_answer_ask(store, "who-mappings", none), *stacks = NULL;
    const char *lineages = NULL;

    pm_answer_pass(of, mappings);
    if (pm_answer_bytes(of, "lineage").data)
        pm_answer_bind(mappings, "category", "");
    if (pm_run_next(mappings))
        lineages = pm_answer_bytes(mappings, "lineages").data;
    if (lineages) {
        stacks = pm_answer_ask(store, "who", none);
        pm_answer_pass(of, stacks);
        pm_answer_bind(stacks, "lineages", lineages);
    }
    pmapdb_rows_close(mappings);
    return stacks;
}

bool pm_who_top(FILE *out, pmapdb_store *store, const pmapdb_rows *of)
{
    pmapdb_rows *rows = pm_answer_bytes(of, "process").data ? ask_stacks(store, of) : NULL;
    bool any;

    if (!rows)
        return false;
    rows = pm_answer_ask(store, "who-top", (pm_answer_arg[]){{"rows", .of = rows}, {0}});
    any = pm_run_next(rows);
    if (any)
        fprintf(out, "%s", pm_answer_bytes(rows, "said").data);
    pmapdb_rows_close(rows);
    return any;
}
