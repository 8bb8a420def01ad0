/* match_function: process_matches(...). */
#include "store/match_function.h"

#include "base/num.h"
#include "classify/match.h"
#include <sqlite3ext.h>
#include <stdlib.h>

SQLITE_EXTENSION_INIT3

enum { EXPRESSION, PID, UID, USER, COMM, EXE, CMDLINE, CGROUP, ENVIRONMENT, ANCESTORS, ARGUMENTS };

static pm_text text_of(sqlite3_value *v)
{
    const char *data = (const char *)sqlite3_value_text(v);

    return (pm_text){data, data ? (size_t)sqlite3_value_bytes(v) : 0};
}

static int64_t number_of(sqlite3_value *v)
{
    return sqlite3_value_type(v) == SQLITE_NULL ? PMAPDB_UNKNOWN : sqlite3_value_int64(v);
}

/* Pids with anything else between; the caller frees *out. */
static bool take_pids(pm_text t, int64_t **out, size_t *n)
{
    uint64_t pid;

    *n = 0;
    *out = malloc((t.len / 2 + 1) * sizeof **out); /* a digit and a blank each */
    if (!*out)
        return false;
    while (t.len) {
        size_t used = pm_num_dec(t.data, t.data + t.len, &pid);

        if (used && pid <= INT64_MAX)
            (*out)[(*n)++] = (int64_t)pid;
        t = pm_text_from(t, used ? used : 1);
    }
    return true;
}

static void free_match(void *m)
{
    pm_match_free(m);
}

/* The same expression of row after row is read once. NULL: *out has the error, or is NULL. */
static const pm_match *expression_of(sqlite3_context *out, sqlite3_value *v)
{
    const pm_match *kept = sqlite3_get_auxdata(out, EXPRESSION);
    pm_text text = text_of(v);
    pm_match *m = NULL;
    pmapdb_error err;
    pmapdb_status st;

    if (kept || !text.data)
        return kept;
    st = pm_match_new(text, &m, &err);
    if (st == PMAPDB_NOMEM)
        sqlite3_result_error_nomem(out);
    else if (st != PMAPDB_OK)
        sqlite3_result_error(out, err.text, -1);
    if (st != PMAPDB_OK)
        return NULL;
    sqlite3_set_auxdata(out, EXPRESSION, m, free_match); /* without memory it frees it at once */
    kept = sqlite3_get_auxdata(out, EXPRESSION);
    if (!kept)
        sqlite3_result_error_nomem(out);
    return kept;
}

static void process_matches(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    const pm_match *m = expression_of(out, argv[EXPRESSION]);
    int64_t *ancestors = NULL;
    pm_facts facts;

    (void)argc;
    if (!m)
        return;
    facts = (pm_facts){.pid = number_of(argv[PID]),
                       .uid = number_of(argv[UID]),
                       .user = text_of(argv[USER]),
                       .comm = text_of(argv[COMM]),
                       .exe = text_of(argv[EXE]),
                       .cmdline = text_of(argv[CMDLINE]),
                       .cgroup = text_of(argv[CGROUP]),
                       .environment = text_of(argv[ENVIRONMENT])};
    if (!take_pids(text_of(argv[ANCESTORS]), &ancestors, &facts.n_ancestors)) {
        sqlite3_result_error_nomem(out);
        return;
    }
    facts.ancestors = ancestors;
    sqlite3_result_int(out, pm_match_holds(m, &facts));
    free(ancestors);
}

int pm_match_function_add(struct sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "process_matches", ARGUMENTS,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                                      process_matches, NULL, NULL, NULL);
}
