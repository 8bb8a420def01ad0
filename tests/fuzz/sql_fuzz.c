/* sql_fuzz: a statement of a user: a statement that is permitted only reads; the error for another
 * one has SQLite's words and the line. Slow, because SQLite is asked often about a wrong
 * statement.
 */
#include "store.h"

#include "store/read/statement.h"

static void check_statement(pmapdb_store *store, char *text)
{
    char where[] = "x.sql";
    pm_query_info info = {.where = where, .text = text, .body = text};
    sqlite3_stmt *stmt = NULL;
    pmapdb_error err = {0};
    pmapdb_status st;

    st = pm_statement_prepare(store, &info, "sql", &stmt, &err);
    if (st == PMAPDB_OK) {
        FUZZ_CHECK(stmt && sqlite3_stmt_readonly(stmt), "it writes: %s", text);
    } else {
        FUZZ_CHECK(st == PMAPDB_USAGE, "status %d: %s", (int)st, err.text);
        FUZZ_CHECK(!stmt, "a statement that is wrong");
        fuzz_message(&err);
    }
    sqlite3_finalize(stmt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string((pm_text){(const char *)data, size});

    check_statement(fuzz_store(), text);
    free(text);
    return 0;
}
