/* sql_fuzz: a statement that a person wrote: what may be run only reads, and of what may not
 * SQLite's words and the line are told. Slow, for SQLite is asked many things about a statement
 * that is wrong.
 */
#include "store.h"

#include "store/read/guard.h"
#include "store/read/trouble.h"

static void check_statement(sqlite3 *db, const char *text)
{
    static pm_guard guard;
    pm_script script = {"x.sql", pm_text_of(text)};
    sqlite3_stmt *stmt = NULL;
    pmapdb_error err = {0};
    pmapdb_status st;

    pm_guard_set(db, &guard);
    st = pm_trouble_prepare(db, &script, &guard, "sql", &stmt, &err);
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

    check_statement(fuzz_store()->db, text);
    free(text);
    return 0;
}
