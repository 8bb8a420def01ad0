/* top: finds the stack that allocated most of the growth. */
#include "cli/who/who.h"

#include <inttypes.h>
#include <stdlib.h>

#define FRAMES 4 /* how many functions of a chain fit in a line */

static const char arrow[] = " < ";

bool pm_who_recorded(pmapdb_store *store)
{
    return pm_run_ask(store, "SELECT 1 FROM recording LIMIT 1", NULL, 0);
}

static void bind(pmapdb_rows *rows, const char *param, pm_text value)
{
    char text[64];

    snprintf(text, sizeof text, "%.*s", (int)value.len, value.data);
    pm_answer_bind(rows, param, value.len ? text : NULL);
}

static pmapdb_rows *ask(pmapdb_store *store, const pm_who_of *of, const char *query)
{
    char process[32];
    pmapdb_rows *rows;

    snprintf(process, sizeof process, "@%" PRId64, of->process_id);
    rows = pm_answer_ask(store, query, (pm_answer_arg[]){{"process", process}, {NULL, NULL}});
    bind(rows, "from", of->from);
    bind(rows, "to", of->to);
    bind(rows, "dialect", of->dialect);
    return rows;
}

/* Returns the stacks of the lineage or the category; NULL if it has no mappings. */
static pmapdb_rows *ask_stacks(pmapdb_store *store, const pm_who_of *of)
{
    pmapdb_rows *mappings = ask(store, of, "who-mappings"), *stacks = NULL;
    const char *lineages = NULL;
    char lineage[24];

    snprintf(lineage, sizeof lineage, "%" PRId64, of->lineage);
    if (of->lineage != PMAPDB_UNKNOWN)
        bind(mappings, "lineage", pm_text_of(lineage));
    else
        bind(mappings, "category", of->category);
    if (pm_run_next(mappings))
        lineages = pm_answer_bytes(mappings, "lineages").data;
    if (lineages) {
        stacks = ask(store, of, "who");
        pm_answer_bind(stacks, "lineages", lineages);
    }
    pmapdb_rows_close(mappings);
    return stacks;
}

/* Returns the place of the function in the chain, or the start of the chain if it does not contain
 * the function. */
static const char *find_function(const char *chain, const char *function)
{
    for (const char *at = chain; *function && (at = strstr(at, function)); at++)
        if (at == chain || (at - chain >= 3 && memcmp(at - 3, arrow, 3) == 0))
            return at;
    return chain;
}

/* Prints the chain from the function on, without the callers of main. */
static void print_chain(FILE *out, const char *chain, const char *function)
{
    const char *at = find_function(chain, function);

    for (int i = 0; i < FRAMES; i++) {
        const char *end = strstr(at, arrow);
        size_t n = end ? (size_t)(end - at) : strlen(at);

        fprintf(out, "%s%.*s", i ? arrow : "", (int)n, at);
        if (!end || pm_text_equal((pm_text){at, n}, PM_TEXT("main")))
            return;
        at = end + 3;
    }
    fputs(" < ...", out);
}

bool pm_who_top(FILE *out, pmapdb_store *store, const pm_who_of *of)
{
    pmapdb_rows *rows = of->process_id == PMAPDB_UNKNOWN ? NULL : ask_stacks(store, of);
    char chain[2048], function[512], recordings[64];
    bool any = false;
    pmapdb_error err;

    if (!rows)
        return false;
    pm_cli_must(pm_rows_wrap(rows,
                             "SELECT * FROM (SELECT *, sum(growth_kib) OVER () AS all_kib FROM (",
                             ")) WHERE kind = 'stack' AND growth_kib > 0 AND all_kib > 0 "
                             "ORDER BY growth_kib DESC LIMIT 1",
                             &err),
                &err);
    any = pm_run_next(rows);
    if (any) {
        pm_answer_text(rows, "stack", chain, sizeof chain);
        pm_answer_text(rows, "function", function, sizeof function);
        pm_answer_text(rows, "recordings", recordings, sizeof recordings);
        fprintf(out, "%.0f %% through ",
                100.0 * (double)pm_answer_int(rows, "growth_kib") /
                    pmapdb_rows_real(rows, pmapdb_rows_columns(rows)));
        print_chain(out, chain, function);
        fprintf(out, " (recording%s %s)", strchr(recordings, ',') ? "s" : "", recordings);
    }
    pmapdb_rows_close(rows);
    return any;
}
