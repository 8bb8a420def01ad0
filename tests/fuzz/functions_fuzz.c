/* functions_fuzz: the SQL functions of this project, with any arguments, over up to three rows:
 * they answer or report an error, and their JSON is valid. Byte 0: the function; then the values,
 * each after a byte for its type. */
#include "kit.h"

#include "store/func/functions.h"
#include <jansson.h>
#include <sqlite3.h>

#define FUNCTIONS 64
#define ROWS 3

static sqlite3_stmt *statements[FUNCTIONS];
static bool gives_json[FUNCTIONS];
static size_t n_statements;

/* "SELECT f(c0, c1) FROM (SELECT ?1 AS c0, ?2 AS c1 UNION ALL SELECT ?3, ?4 ...)" */
static void add_statement(sqlite3 *db, const char *name, int arguments)
{
    pm_buf sql = {0};
    int at = 1;

    FUZZ_CHECK(n_statements < FUNCTIONS, "more functions than there is room for");
    pm_buf_addf(&sql, NULL, "SELECT %s(", name);
    for (int i = 0; i < arguments; i++)
        pm_buf_addf(&sql, NULL, "%sc%d", i ? ", " : "", i);
    pm_buf_addf(&sql, NULL, ") FROM (");
    for (int row = 0; row < ROWS; row++) {
        pm_buf_addf(&sql, NULL, "%sSELECT ", row ? " UNION ALL " : "");
        for (int i = 0; i < arguments; i++, at++)
            pm_buf_addf(&sql, NULL, "%s?%d AS c%d", i ? ", " : "", at, i);
    }
    pm_buf_addf(&sql, NULL, ")");
    FUZZ_CHECK(sqlite3_prepare_v2(db, sql.data, -1, &statements[n_statements], NULL) == SQLITE_OK,
               "%s: %s", sql.data, sqlite3_errmsg(db));
    gives_json[n_statements++] = strncmp(name, "leak_", 5) == 0;
    pm_buf_free(&sql);
}

/* Prepares all functions, so that a new function is fuzzed without a change here. */
static void prepare(void)
{
    static sqlite3 *db;
    sqlite3_stmt *list = NULL;

    FUZZ_CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK &&
                   pm_functions_add(db, NULL) == SQLITE_OK,
               "no connection");
    FUZZ_CHECK(sqlite3_prepare_v2(db,
                                  "SELECT name, narg FROM pragma_function_list WHERE NOT builtin "
                                  "AND narg > 0 ORDER BY name, narg",
                                  -1, &list, NULL) == SQLITE_OK,
               "%s", sqlite3_errmsg(db));
    while (sqlite3_step(list) == SQLITE_ROW)
        add_statement(db, (const char *)sqlite3_column_text(list, 0), sqlite3_column_int(list, 1));
    sqlite3_finalize(list);
    FUZZ_CHECK(n_statements > 10, "%zu functions", n_statements);
}

static void bind_value(sqlite3_stmt *stmt, int at, fuzz_input *in)
{
    static const char *const words[] = {
        "rss",  "joint", "total", "normal", "anonymous", "heap", "anonymous/jvm-heap",
        "size", "mmap",  "and("};
    static const int64_t numbers[] = {0, 1, -1, 4096, INT64_MAX, INT64_MIN, 1795226732000};
    uint8_t what = fuzz_byte(in);
    pm_text rest;

    switch (what % 8) {
    case 0:
        sqlite3_bind_null(stmt, at);
        break;
    case 1:
        sqlite3_bind_int64(stmt, at, numbers[what / 8 % 7]);
        break;
    case 2:
        sqlite3_bind_int64(stmt, at, (int64_t)fuzz_number(in, 1 + what / 8 % 8));
        break;
    case 3:
        sqlite3_bind_double(stmt, at, (double)(int64_t)fuzz_number(in, 8) / what);
        break;
    case 4: {
        uint64_t bits = fuzz_number(in, 8);
        double v;

        memcpy(&v, &bits, sizeof v);
        sqlite3_bind_double(stmt, at, v);
        break;
    }
    case 5:
        sqlite3_bind_text(stmt, at, words[what / 8 % 10], -1, SQLITE_STATIC);
        break;
    default:
        rest = fuzz_rest(in);
        rest.len = what / 8U < rest.len ? what / 8U : rest.len;
        in->p += rest.len;
        if (what % 8 == 6)
            sqlite3_bind_text(stmt, at, rest.data, (int)rest.len, SQLITE_TRANSIENT);
        else
            sqlite3_bind_blob(stmt, at, rest.data, (int)rest.len, SQLITE_TRANSIENT);
    }
}

static void check_json(sqlite3_stmt *stmt)
{
    const char *text = (const char *)sqlite3_column_text(stmt, 0);
    json_error_t why;
    json_t *all;

    if (!text)
        return;
    all = json_loadb(text, (size_t)sqlite3_column_bytes(stmt, 0),
                     JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &why);
    FUZZ_CHECK(all, "%s: %s", why.text, text);
    json_decref(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_open(data, size);
    size_t which = fuzz_byte(&in);
    sqlite3_stmt *stmt;
    int rc;

    if (!n_statements)
        prepare();
    which %= n_statements;
    stmt = statements[which];
    for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++)
        bind_value(stmt, i, &in);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
        if (gives_json[which])
            check_json(stmt);
    FUZZ_CHECK(rc == SQLITE_DONE || rc == SQLITE_ERROR, "%d: %s", rc,
               sqlite3_errmsg(sqlite3_db_handle(stmt)));
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    return 0;
}
