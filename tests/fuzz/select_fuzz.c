/* select_fuzz: the words of a user for a process, a snapshot, a time, a host, a parameter of a
 * query, or a value in SQL. Byte 0: which of these; byte 1: which query and parameter.
 */
#include "store.h"

#include "base/clock/clock.h"
#include "store/read/query.h"
#include "store/read/select.h"

static const pm_scope everything = {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};

static void check_status(pmapdb_status st, const pmapdb_error *err)
{
    FUZZ_CHECK(st == PMAPDB_OK || st == PMAPDB_NOTFOUND || st == PMAPDB_USAGE, "status %d: %s",
               (int)st, err->text);
    if (st != PMAPDB_OK)
        fuzz_message(err);
}

static void select_process(pm_sql *sql, pm_text t)
{
    pm_scope scope;
    pmapdb_error err = {0};
    pmapdb_status st = pm_select_process(sql, t, &scope, &err);

    check_status(st, &err);
    if (st == PMAPDB_OK && t.len)
        FUZZ_CHECK((scope.process_id == 1) != (scope.name_id == 1), "%" PRId64 ", %" PRId64,
                   scope.process_id, scope.name_id);
}

static void select_snapshot(pm_sql *sql, pm_text t)
{
    const pm_text dialects[] = {{NULL, 0}, {"pmap-x", 6}, {"smaps", 5}};
    pm_pick pick;
    pmapdb_error err = {0};
    pmapdb_status st = pm_select_snapshot(sql, &everything, dialects[t.len % 3], t,
                                          t.len % 2 ? PMAPDB_UNKNOWN : 1795226732000, &pick, &err);

    check_status(st, &err);
    if (st == PMAPDB_OK)
        FUZZ_CHECK(pick.snapshot_id >= 1 && pick.snapshot_id <= 2, "@%" PRId64, pick.snapshot_id);
}

static void select_time(pm_sql *sql, pm_text t)
{
    char text[PM_CLOCK_TEXT];
    int64_t ms = 0;
    pmapdb_error err = {0};
    pmapdb_status st = pm_select_time(sql, &everything, t, &ms, &err);

    FUZZ_CHECK(st == PMAPDB_OK || st == PMAPDB_USAGE, "status %d: %s", (int)st, err.text);
    if (st == PMAPDB_OK)
        pm_clock_format(ms, text);
}

/* Binds the values of the query, but does not run it. */
static void bind_one(pmapdb_store *store, uint8_t which, pm_text t)
{
    static const char *const names[] = {"growth", "largest",  "diff-category", "series",
                                        "leaks",  "mappings", "snapshots",     "lineage-history"};
    static pmapdb_rows *rows[sizeof names / sizeof *names];
    size_t i = which % (sizeof names / sizeof *names);
    pmapdb_error err = {0};
    const pm_query_info *info;
    const pm_query_param *p;
    char name[64], *value;

    if (!rows[i])
        FUZZ_CHECK(pmapdb_query(store, names[i], &rows[i], &err) == PMAPDB_OK, "%s", err.text);
    info = pm_rows_info(rows[i]);
    p = &info->param[which / 8 % info->n_params];
    snprintf(name, sizeof name, "%.*s", (int)p->name.len, p->name.data);
    value = fuzz_string(t);
    FUZZ_CHECK(pmapdb_bind(rows[i], name, value, &err) == PMAPDB_OK, "%s", err.text);
    free(value);
    check_status(pm_query_resolve(rows[i], &err), &err);
    value = fuzz_string(p->fallback);
    FUZZ_CHECK(pmapdb_bind(rows[i], name, value, &err) == PMAPDB_OK, "%s", err.text);
    free(value);
}

/* An empty text is NULL, a number is a number, and other texts are texts, without their quotes. */
static void bind_literal(pm_text t)
{
    pmapdb_error err = {0};
    bool has = false;
    char *value = fuzz_string(t);
    size_t n = strlen(value), len = 0;
    pmapdb_type type;

    FUZZ_CHECK(pmapdb_bind(fuzz_literal, "p", value, &err) == PMAPDB_OK, "%s", err.text);
    FUZZ_CHECK(pmapdb_next(fuzz_literal, &has, &err) == PMAPDB_OK && has, "%s", err.text);
    type = pmapdb_rows_type(fuzz_literal, 0);
    FUZZ_CHECK((type == PMAPDB_NULL) == (n == 0), "'%s' is of type %d", value, (int)type);
    if (type == PMAPDB_TEXT) {
        const char *text = pmapdb_rows_text(fuzz_literal, 0, &len);
        bool quoted = n >= 2 && value[0] == '\'' && value[n - 1] == '\'';

        FUZZ_CHECK(pm_text_equal((pm_text){text, len},
                                 quoted ? (pm_text){value + 1, n - 2} : (pm_text){value, n}),
                   "'%s' is '%s'", value, text);
    }
    FUZZ_CHECK(pmapdb_next(fuzz_literal, &has, &err) == PMAPDB_OK && !has, "two rows");
    free(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmapdb_store *store = fuzz_store();
    fuzz_input in = fuzz_open(data, size);
    uint8_t what = fuzz_byte(&in), which = fuzz_byte(&in);
    pm_text t = fuzz_rest(&in);
    char *alone = fuzz_alone(t.data, t.len);

    t.data = alone;
    switch (what % 6) {
    case 0:
        select_process(store->sql, t);
        break;
    case 1:
        select_snapshot(store->sql, t);
        break;
    case 2:
        select_time(store->sql, t);
        break;
    case 4:
        bind_literal(t);
        break;
    default:
        bind_one(store, which, t);
    }
    free(alone);
    return 0;
}
