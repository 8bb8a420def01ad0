/* who_top: the stack that allocated most of what grew. */
#include "cli/who_top.h"

#include "cli/who_what.h"
#include <inttypes.h>
#include <stdio.h>

#define FRAMES 4 /* of a chain that a line has room for */

static const char arrow[] = " < ";

static pmapdb_status ask_whether(pmapdb_store *store, const char *sql, const char *process,
                                 bool *out, pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pmapdb_status st = pmapdb_sql(store, sql, NULL, &rows, err);

    *out = false;
    if (st == PMAPDB_OK && process)
        st = pmapdb_bind(rows, "process", process, err);
    if (st == PMAPDB_OK)
        st = pmapdb_next(rows, out, err);
    pmapdb_rows_close(rows);
    return st;
}

pmapdb_status pm_who_any(pmapdb_store *store, bool *any, pmapdb_error *err)
{
    return ask_whether(store, "SELECT 1 FROM recording LIMIT 1", NULL, any, err);
}

/* ---- a chain, as short as it tells something ---- */

/* Where the function begins in the chain; the chain where it does not. */
static const char *find_function(const char *chain, const char *function)
{
    for (const char *at = chain; *function && (at = strstr(at, function)); at++)
        if (at == chain || (at - chain >= 3 && memcmp(at - 3, arrow, 3) == 0))
            return at;
    return chain;
}

/* From the function on, what calls main left out. */
static pmapdb_status add_chain(pm_buf *out, const char *chain, const char *function,
                               pmapdb_error *err)
{
    const char *at = find_function(chain, function);
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; st == PMAPDB_OK; i++) {
        const char *end = strstr(at, arrow);
        size_t n = end ? (size_t)(end - at) : strlen(at);

        if (i == FRAMES)
            return pm_buf_addf(out, err, " < ...");
        st = pm_buf_addf(out, err, "%s%.*s", i ? arrow : "", (int)n, at);
        if (!end || pm_text_equal((pm_text){at, n}, PM_TEXT("main")))
            break;
        at = end + 3;
    }
    return st;
}

/* ---- the row ---- */

typedef struct top {
    int64_t growth, all; /* KiB: its own, and that of all rows */
    char chain[2048], function[512], recordings[64];
} top;

static void see(top *t, const pmapdb_rows *rows)
{
    int64_t growth = pm_side_int(rows, "growth_kib");
    char kind[16];

    if (growth == PMAPDB_UNKNOWN)
        return;
    t->all += growth;
    pm_side_text(rows, "kind", kind, sizeof kind);
    if (strcmp(kind, "stack") != 0 || growth <= t->growth)
        return;
    t->growth = growth;
    pm_side_text(rows, "stack", t->chain, sizeof t->chain);
    pm_side_text(rows, "function", t->function, sizeof t->function);
    pm_side_text(rows, "recordings", t->recordings, sizeof t->recordings);
}

static pmapdb_status ask_who(pmapdb_store *store, const pm_who_ask *ask, const char *lineages,
                             top *t, pmapdb_error *err)
{
    const struct {
        const char *param, *value;
    } given[] = {{"process", ask->process},
                 {"from", ask->older->taken_at},
                 {"to", ask->newer->taken_at},
                 {"dialect", ask->dialect},
                 {"lineages", lineages}};
    pmapdb_rows *rows = NULL;
    bool has = false;
    pmapdb_status st = pmapdb_query(store, "who", &rows, err);

    for (size_t i = 0; i < sizeof given / sizeof *given && st == PMAPDB_OK; i++)
        if (given[i].value)
            st = pmapdb_bind(rows, given[i].param, given[i].value, err);
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has)
        see(t, rows);
    pmapdb_rows_close(rows);
    return st;
}

static void moment_of(pm_side *side, pm_text moment, const char *otherwise)
{
    side->snapshot_id = PMAPDB_UNKNOWN;
    if (moment.len)
        snprintf(side->taken_at, sizeof side->taken_at, "%.*s", (int)moment.len, moment.data);
    else
        snprintf(side->taken_at, sizeof side->taken_at, "%s", otherwise);
}

static pmapdb_status find_top(pmapdb_store *store, const pm_who_of *of, const char *process, top *t,
                              pmapdb_error *err)
{
    char word[160], dialect[32];
    const char *const words[] = {word};
    pm_side older = {0}, newer = {0};
    pm_who_ask ask = {.process = process, .older = &older, .newer = &newer, .word = words};
    pm_who_what what = {0};
    pmapdb_status st;

    moment_of(&older, of->from, "first");
    moment_of(&newer, of->to, "last");
    snprintf(dialect, sizeof dialect, "%.*s", (int)of->dialect.len, of->dialect.data);
    ask.dialect = of->dialect.len ? dialect : NULL;
    if (of->lineage != PMAPDB_UNKNOWN)
        snprintf(word, sizeof word, "%" PRId64, of->lineage);
    else
        snprintf(word, sizeof word, "%.*s", (int)of->category.len, of->category.data);
    ask.n_words = *word != '\0';
    st = pm_who_what_find(&what, store, &ask, err);
    if (st == PMAPDB_OK)
        st = ask_who(store, &ask, what.lineages.data, t, err);
    pm_who_what_free(&what);
    /* It may be gone at both moments: then there is nothing to say. */
    return st == PMAPDB_NOTFOUND ? PMAPDB_OK : st;
}

pmapdb_status pm_who_add_top(pm_buf *out, pmapdb_store *store, const pm_who_of *of,
                             pmapdb_error *err)
{
    char process[32], number[24];
    top t = {0};
    bool recorded = false;
    pmapdb_status st = PMAPDB_OK;

    if (of->process_id == PMAPDB_UNKNOWN)
        return PMAPDB_OK;
    snprintf(process, sizeof process, "@%" PRId64, of->process_id);
    snprintf(number, sizeof number, "%" PRId64, of->process_id);
    st = ask_whether(
        store, "SELECT 1 FROM traced_process WHERE process_id = :process AND offset_ns IS NOT NULL",
        number, &recorded, err);
    if (st == PMAPDB_OK && recorded)
        st = find_top(store, of, process, &t, err);
    if (st != PMAPDB_OK || t.growth <= 0 || t.all <= 0)
        return st;
    st = pm_buf_addf(out, err, "%.0f %% through ", 100.0 * (double)t.growth / (double)t.all);
    if (st == PMAPDB_OK)
        st = add_chain(out, t.chain, t.function, err);
    return st == PMAPDB_OK ? pm_buf_addf(out, err, " (recording%s %s)",
                                         strchr(t.recordings, ',') ? "s" : "", t.recordings)
                           : st;
}
