/* queries_test: every named query returns what its header promises and finds its rows by an
 * index. */
#include "beats.h"
#include "world.h"

#include "store/file/embedded.h"
#include "store/read/catalog.h"
#include "store/read/query.h"
#include "store/read/statement.h"

/* Tables that a query may read from end to end, and why; NULL: any query. */
static const struct {
    const char *query, *table;
} allowed[] = {
    {"recordings", "recording"},
    {"recordings", "traced_process"},
    {"processes", "process"}, /* it lists them all */
    {"snapshots", "process"}, /* likewise, with all of their snapshots */
    {"clock-jumps", "beat"},  /* these ask about all beats */
    {"sweeps", "beat"},
    {"host", "beat"}, /* the newest beat, and its processes */
    {"host", "process"},
    {"host-history", "beat"},
    {"read-cost", "process"},    /* these about all live processes */
    {"plot-fleet", "process"},   /* without a process: all of them */
    {"report-scope", "process"}, /* likewise */
    {"rss-check", "process"},
    {"sights", "process"},
    {"refusals", "refused"},
    {"status", "process"}, /* who lives: the newest snapshot of each, from an index */
    {"status", "snapshot"},
    {"touched", "process"}, /* without a process: all of them */
    {"status", "beat"},
    {"store-growth", "mapping_version"}, /* the store, row by row */
    {"store-growth", "category_version"},
    {"store-growth", "snapshot"},
    {"unknown-fields", "rare_fields"},
    {"unknown-rss", "process"},
    {"unknown-fields", "mapping_version"}, /* where there is such a key */
    {"snapshots", "snapshot"},
    {"by-name", "process"}, /* these ask about all of them */
    {"by-process", "process"},
    {"deleted", "process"},
    {"diff-process", "process"}, /* and the last beat of each job */
    {"diff-process", "schedule"},
    {"diff-process-total", "process"},
    {"diff-process-total", "schedule"},
    {"restarts", "schedule"},
    {"gaps", "process"},
    {"groups", "process"},
    {"leaks", "process"},
    {"left-out", "process"},
    {"map-count", "process"},
    {"pins", "process"}, /* for a Bloom filter, where there are many */
    {"pins", "pin"},
    {"restarts", "process"},
    {"shared", "process"},
    {NULL, "category"}, /* few rows: the built-in categories and those of the rules */
    {NULL, "name"},     /* a row per name: SQLite begins with it where there are few */
    {NULL, "host"},
};

/* What ANALYZE finds in a large store. */
static const char many_processes[] =
    "DELETE FROM sqlite_stat1; INSERT INTO sqlite_stat1 VALUES "
    "('process', 'process_name', '5000 50'), ('process', 'process_unique', '5000 1 1 1 1 1'), "
    "('name', 'name_unique', '100 1 1'), ('origin', 'sqlite_autoindex_origin_1', '200 20 1'), "
    "('capture', NULL, '500000'), ('epoch', 'epoch_process', '20000 4 2 2'), "
    "('snapshot', 'snapshot_process', '1000000 200 1'), "
    "('snapshot', 'sqlite_autoindex_snapshot_1', '1000000 50 1'), ('category', NULL, '12'), "
    "('object', 'object_hash', '50000 1'), ('lineage', 'lineage_process', '2000000 400'), "
    "('region', 'region_lineage', '3000000 2 1'), ('rare_fields', NULL, '3000'), "
    "('mapping_version', 'mapping_version', '9000000 450 2 1'), ('category_version', "
    "'category_version', '600000 30 3 1')";

#define RUN_ROW                                                                           \
    "[[{\"source\":\"a.csv\",\"of_b\":0},[{\"run\":\"2026-11-21T02:00:00Z\",\"block\":1," \
    "\"at_s\":1,\"key\":\"total\",\"mappings\":3,\"rss_kib\":4}]]]"

/* Parameters for queries that find no rows of fill with their defaults. */
static const struct {
    const char *query, *param, *value;
} given[] = {
    {"lineage-history", "lineage", "1"}, /* has no default */
    {"deleted", "snapshot", "first"},
    {"shared", "snapshot", "first"},
    {"groups", "by", "descendant_of(1)"},
    {"mappings-regions", "regions", "[[0,4095],[4096,-1]]"},
    {"plot-map", "snapshots", "[1, 2]"},
    {"baseline-rows", "sources", RUN_ROW},
    {"compare-samples", "sources", RUN_ROW},
    {"compare-rows", "samples",
     "[{\"of_b\":0,\"key\":\"total\",\"level\":1},{\"of_b\":1,\"key\":\"total\",\"level\":2}]"},
    {"compare-gates", "findings",
     "[{\"key\":\"total\",\"metric\":\"level\",\"outcome\":\"same\"}]"},
    {"check-findings", "newest", "[{\"process_id\":1,\"taken_at\":\"2026-11-21T02:00:00Z\"}]"},
    {"check-findings", "thresholds", "{\"rss\":[1024,null]}"},
    {"advice", "pages", "[{\"category\":\"heap\",\"ask\":\"diff\"}]"},
    {"leaks-processes", "leaks", "[{\"process_id\":1,\"verdict\":\"leak\",\"unit\":\"KiB\"}]"},
    {"plot-verdict", "words", "[{\"verdict\":\"leak\",\"key\":\"heap\",\"finding\":1}]"},
    {"watch-changes", "rows", "[{\"category\":\"heap\",\"rss_kib_to\":4}]"},
    {"leaks-series", "series", "[{\"series_id\":\"a\",\"ts\":1700000000000,\"kb\":4}]"},
    {"leaks-words", "leaks", "[{\"process_id\":1,\"verdict\":\"leak\",\"unit\":\"KiB\"}]"},
    {"diff-summary", "totals", "[{\"newer\":0,\"rss_kib\":1},{\"newer\":1,\"rss_kib\":3}]"},
    {"who-top", "rows", "[{\"kind\":\"stack\",\"growth_kib\":4,\"stack\":\"a < main\"}]"},
    {"notes", "mappings", "[{\"snapshot_id\":1,\"state\":\"totals\"}]"},
};

static pm_query_info *find(const char *name)
{
    pm_query_info *q = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_catalog_find(NULL, name, &q, &err), &err);
    if (!q)
        abort();
    return q;
}

static sqlite3_stmt *prepared(const kit *k, const pm_query_info *q)
{
    sqlite3_stmt *stmt = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_query_check(k->store, q, &stmt, &err), &err);
    return stmt;
}

/* Grown, moved, split, in several dialects, over more than one epoch. */
static void fill(const kit *k, int beats)
{
    uint64_t seed = 5;
    world w = {0};

    for (int i = 0; i < beats; i++) {
        for (int n = 0; n < 5; n++)
            world_step(&w, &seed);
        for (int pid = 1; pid <= 3; pid++) {
            int64_t ms = 1700000000000 + (int64_t)i * 60000;

            kit_put(k, world_capture(k, &w, PM_DIALECT_SMAPS, pid, ms, &seed));
            kit_put(k, world_capture(k, &w, PM_DIALECT_PMAP_SMALL_X, pid, ms, &seed));
        }
    }
}

/* A life of the same name that ended an hour before those of fill, with shared memory and a deleted
 * file. */
static void fill_before(const kit *k)
{
    uint64_t seed = 6;
    world w = {.n = 2,
               .map = {{.page = 1, .n = 2, .kind = WORLD_KINDS - 1, .rss = 4},
                       {.page = 4, .n = 2, .kind = WORLD_KINDS - 2, .rss = 4}}};

    kit_put(k, world_capture(k, &w, PM_DIALECT_SMAPS, 9, 1700000000000 - 3600000, &seed));
}

IN_KIT(every_query_keeps_its_word)
{
    size_t n = 0;

    for (const char *name; (name = pm_embedded_queries[n].name); n++) {
        pm_query_info *q = find(name);

        sqlite3_finalize(prepared(k, q));
        assert_true(pm_text_equal(q->name, pm_text_of(name)));
        assert_true(q->title.len > 0);
        for (int i = 0; i < q->n_columns; i++)
            assert_true(q->column[i].help.len > 0);
        for (int i = 0; i < q->n_params; i++)
            assert_true(q->param[i].help.len > 0);
        pm_catalog_free(q);
    }
    assert_true(n >= 28);
}

static bool has_param(const pm_query_info *q, const char *name)
{
    for (int i = 0; i < q->n_params; i++) {
        pm_text p = q->param[i].name;
        size_t at = 0;

        while (at < p.len && (p.data[at] == '-' ? '_' : p.data[at]) == name[at])
            at++;
        if (at == p.len && name[at] == '\0')
            return true;
    }
    return strcmp(name, "name_id") == 0 && has_param(q, "process");
}

IN_KIT(every_parameter_is_declared_and_used)
{
    const char *name;

    for (size_t n = 0; (name = pm_embedded_queries[n].name); n++) {
        pm_query_info *q = find(name);
        sqlite3_stmt *stmt = prepared(k, q);
        int used = sqlite3_bind_parameter_count(stmt), extra = 0;

        for (int i = 1; i <= used; i++) {
            const char *param = sqlite3_bind_parameter_name(stmt, i);

            assert_non_null(param);
            assert_int_equal(param[0], ':');
            if (!has_param(q, param + 1))
                fail_msg("%s: %s is not declared", name, param);
            extra += strcmp(param, ":name_id") == 0;
        }
        /* An unused parameter would silently have no effect. */
        if (used - extra != q->n_params)
            fail_msg("%s: %d parameters declared, %d used", name, q->n_params, used - extra);
        sqlite3_finalize(stmt);
        pm_catalog_free(q);
    }
}

static bool has_column(const pm_query_info *q, pm_text name)
{
    for (int i = 0; i < q->n_columns; i++)
        if (pm_text_equal(q->column[i].name, name))
            return true;
    return false;
}

TEST(table_columns_exist)
{
    const char *name;

    for (size_t n = 0; (name = pm_embedded_queries[n].name); n++) {
        pm_query_info *q = find(name);
        pm_text rest = q->table;

        while (rest.len) {
            const char *blank = memchr(rest.data, ' ', rest.len);
            size_t len = blank ? (size_t)(blank - rest.data) : rest.len;

            if (len && !has_column(q, (pm_text){rest.data, len}))
                fail_msg("%s: no column %.*s", name, (int)len, rest.data);
            rest = pm_text_from(rest, blank ? len + 1 : len);
        }
        pm_catalog_free(q);
    }
}

/* ---- plans ---- */

/* The tables that a statement reads from end to end: "a b ". In its program a table or index is
 * opened (OpenRead) by its root page, and a loop over all of it begins with Rewind. */
static pm_buf scanned(const kit *k, const char *sql)
{
    pm_buf explain = {0}, out = {0};
    sqlite3_stmt *program = NULL, *table = NULL;
    int64_t root[2048] = {0};

    kit_ok(pm_statement_functions(k->store, NULL), NULL);
    pm_buf_add(&out, "", 0, NULL);
    pm_buf_addf(&explain, NULL, "EXPLAIN %s", sql);
    if (sqlite3_prepare_v2(k->store->db, explain.data, -1, &program, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(k->store->db));
    sqlite3_prepare_v2(k->store->db, "SELECT tbl_name FROM sqlite_master WHERE rootpage = ?1", -1,
                       &table, NULL);
    while (sqlite3_step(program) == SQLITE_ROW) {
        const char *op = (const char *)sqlite3_column_text(program, 1);
        int64_t cursor = sqlite3_column_int64(program, 2);

        assert_true(cursor < 2048 || strcmp(op, "OpenRead") != 0);
        if (strcmp(op, "OpenRead") == 0)
            root[cursor] = sqlite3_column_int64(program, 3);
        if ((strcmp(op, "Rewind") != 0 && strcmp(op, "Last") != 0) || cursor >= 2048 ||
            !root[cursor])
            continue;
        sqlite3_reset(table);
        sqlite3_bind_int64(table, 1, root[cursor]);
        if (sqlite3_step(table) == SQLITE_ROW)
            pm_buf_addf(&out, NULL, "%s ", (const char *)sqlite3_column_text(table, 0));
    }
    sqlite3_finalize(program);
    sqlite3_finalize(table);
    pm_buf_free(&explain);
    return out;
}

static bool is_allowed(const char *query, pm_text table)
{
    for (size_t i = 0; i < COUNT(allowed); i++)
        if ((!allowed[i].query || strcmp(allowed[i].query, query) == 0) &&
            pm_text_equal(pm_text_of(allowed[i].table), table))
            return true;
    return false;
}

static bool good_plan(const kit *k, const char *what, const char *sql)
{
    pm_buf tables = scanned(k, sql);
    bool good = true;

    for (pm_text rest = pm_buf_text(&tables); rest.len;) {
        size_t len = (size_t)((const char *)memchr(rest.data, ' ', rest.len) - rest.data);

        if (!is_allowed(what, (pm_text){rest.data, len})) {
            print_error("%s reads the whole of %.*s\n", what, (int)len, rest.data);
            good = false;
        }
        rest = pm_text_from(rest, len + 1);
    }
    pm_buf_free(&tables);
    return good;
}

static void check_plans(const kit *k)
{
    static const char *const views[] = {
        "SELECT * FROM mappings WHERE snapshot_id = ?1",
        "SELECT path, sum(pss_kib) FROM mappings WHERE snapshot_id = ?1 GROUP BY path",
        "SELECT * FROM categories WHERE snapshot_id = ?1",
        "SELECT * FROM category_runs WHERE process_id = ?1",
        "SELECT * FROM category_runs WHERE process_id = ?1 AND dialect = 'smaps'",
        "SELECT * FROM lineage_history WHERE lineage_id = ?1",
    };
    const char *name;
    bool good = true;

    for (size_t n = 0; (name = pm_embedded_queries[n].name); n++) {
        pm_query_info *q = find(name);

        good &= good_plan(k, name, q->text);
        pm_catalog_free(q);
    }
    for (size_t i = 0; i < COUNT(views); i++)
        good &= good_plan(k, views[i], views[i]);
    assert_true(good);
}

IN_KIT(the_check_sees_a_scan)
{
    pm_buf tables = scanned(k, "SELECT * FROM snapshot WHERE size_kib = 1");

    assert_string_equal(tables.data, "snapshot ");
    pm_buf_free(&tables);
    tables = scanned(k, "SELECT count(*) FROM mappings");
    assert_non_null(strstr(tables.data, "snapshot "));
    pm_buf_free(&tables);
    tables = scanned(k, "SELECT * FROM snapshot WHERE snapshot_id = 1");
    assert_string_equal(tables.data, "");
    pm_buf_free(&tables);
}

/* Loads these statistics without closing the store, which might compute new ones. */
static void analyzed(const kit *k, const char *statistics)
{
    kit_exec(k, statistics);
    kit_exec(k, "ANALYZE sqlite_master");
}

IN_KIT(every_query_searches)
{
    check_plans(k);
    fill(k, 4);
    check_plans(k);
    kit_exec(k, "ANALYZE");
    analyzed(k, many_processes);
    check_plans(k);
}

/* ---- rows ---- */

static size_t run(const kit *k, const char *name)
{
    pmapdb_rows *rows = kit_ask(k, name);
    size_t n = 0;

    for (size_t i = 0; i < COUNT(given); i++)
        if (strcmp(given[i].query, name) == 0)
            kit_bind(rows, given[i].param, given[i].value);
    while (kit_next(rows)) {
        n++;
        for (int i = 0; i < pmapdb_rows_columns(rows); i++)
            assert_non_null(pmapdb_rows_unit(rows, i));
    }
    pmapdb_rows_close(rows);
    return n;
}

/* Returns whether a query finds no rows among those of fill. */
static bool is_empty(const char *query)
{
    static const char *const names[] = {
        "left-out",     /* there is one name only: see groups_test */
        "groups-exact", /* no pages were read: see tests/live/pages.py */
        "touched",      /* nothing was cleared: see tests/live/touched.py */
        "unknown-rss",  /* all of it is known: see tests/cli/newest.sh */
        "recordings",   /* no store has recordings: see tests/cli/who.sh */
    };

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i], query) == 0)
            return true;
    return strncmp(query, "who-", 4) == 0;
}

IN_KIT(every_query_gives_rows)
{
    const char *name;

    fill_before(k);
    fill(k, 6);
    beats_beside(k);
    kit_exec(k, "INSERT INTO label SELECT process_id, 0, 'nmt', 0, 1 << 47, "
                "'Java Heap' FROM process;"
                "INSERT INTO host_label SELECT host_id, 'build', 0, '2.3.1' "
                "FROM host");
    for (size_t n = 0; (name = pm_embedded_queries[n].name); n++) {
        if (run(k, name) == 0 && !is_empty(name))
            fail_msg("%s", name);
    }
}

IN_KIT(selectors_of_a_query)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};
    bool has;

    fill(k, 6);
    rows = kit_ask(k, "diff-category");
    assert_int_equal(pmapdb_bind(rows, "since", "first", &err), PMAPDB_USAGE);
    kit_bind(rows, "from", "last");
    kit_bind(rows, "to", "first");
    kit_fails(pmapdb_next(rows, &has, &err), PMAPDB_USAGE, &err, "--from is later than --to");
    /* -1m counts back from --to */
    kit_bind(rows, "to", "prev");
    kit_bind(rows, "from", "-1m");
    assert_true(kit_next(rows));
    /* bound again, run again */
    kit_bind(rows, "from", "first");
    assert_true(kit_next(rows));
    pmapdb_rows_close(rows);
    rows = kit_ask(k, "mappings");
    kit_bind(rows, "min-size", "large");
    kit_fails(pmapdb_next(rows, &has, &err), PMAPDB_USAGE, &err,
              "--min-size wants a size like 10M, not 'large'");
    pmapdb_rows_close(rows);
}

RUN_TESTS(NULL, NULL)
