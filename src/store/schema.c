/* schema: the store's own list of tables against the files that it was made by. */
#include "store/schema.h"

#include "store/embedded.h"
#include <stdio.h>

/* ---- word by word ---- */

/* SQLite keeps each statement as it was written: almost always all of them are found as they are,
 * in the order of the file. */
typedef struct found {
    const pm_embedded *file;
    int64_t version;
    const char *next; /* where the next one is expected */
    size_t n;
    bool other_trigger;
} found;

/* The next statement, which begins a line; NULL: there is none. */
static const char *next_statement(const char *text, const char *at)
{
    while (at && (strncmp(at, "CREATE ", 7) != 0 || (at != text && at[-1] != '\n'))) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at;
}

static size_t count_statements(const pm_embedded *file)
{
    size_t n = 0;

    for (const char *at = file->text; (at = next_statement(file->text, at)); at++)
        n++;
    return n;
}

/* Where it ends in this text, or NULL. */
static const char *find_statement(const char *text, const char *from, pm_text sql)
{
    for (const char *at = from; (at = next_statement(text, at)); at++)
        if (strncmp(at, sql.data, sql.len) == 0 && at[sql.len] == ';')
            return at + sql.len;
    return from == text ? NULL : find_statement(text, text, sql);
}

static bool is_ours(found *f, pm_text sql)
{
    for (int64_t v = 0; v < f->version; v++) {
        const pm_embedded *file = &f->file[v];
        bool here = f->next && f->next >= file->text && f->next <= file->text + file->len;
        const char *end = find_statement(file->text, here ? f->next : file->text, sql);

        if (end) {
            f->next = end;
            return true;
        }
    }
    return false;
}

static pmapdb_status find_all(pmapdb_store *s, found *f, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_sql_rows(s->sql, "SELECT type = 'trigger', sql FROM sqlite_master WHERE sql IS NOT NULL",
                    PM_NO_ARGS, &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(s->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_text sql = pm_col_text(stmt, 1);

        if (sql.len && !memchr(sql.data, '\0', sql.len) && is_ours(f, sql))
            f->n++;
        else
            f->other_trigger |= pm_col_int(stmt, 0) == 1;
    }
    return st;
}

/* ---- against a store that is made for it ---- */

static pmapdb_status make_model(const pm_schema *schema, int64_t version, sqlite3 **out,
                                pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (sqlite3_open_v2(":memory:", out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return pm_sql_fail(*out, "make a schema to compare with", err);
    for (int64_t v = 0; v < version && st == PMAPDB_OK; v++)
        if (sqlite3_exec(*out, schema->file[v].text, NULL, NULL, NULL) != SQLITE_OK)
            st = pm_sql_fail(*out, "make a schema to compare with", err);
    return st;
}

/* The first object of `from` that `in` has not, as "view mappings"; "" where it has all of them. */
static pmapdb_status first_missing(sqlite3 *from, sqlite3 *in, bool triggers, char *out,
                                   size_t size, pmapdb_error *err)
{
    sqlite3_stmt *each = NULL, *same = NULL;
    pmapdb_status st = PMAPDB_OK;
    int rc = sqlite3_prepare_v2(
        from, "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL", -1, &each, NULL);

    out[0] = '\0';
    if (rc != SQLITE_OK)
        st = pm_sql_fail(from, "read the schema", err);
    else if (sqlite3_prepare_v2(
                 in, "SELECT 1 FROM sqlite_master WHERE type = ?1 AND name = ?2 AND sql = ?3", -1,
                 &same, NULL) != SQLITE_OK)
        st = pm_sql_fail(in, "read the schema", err);
    while (st == PMAPDB_OK && !out[0] && (rc = sqlite3_step(each)) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(each, 0);
        int asked = SQLITE_OK;

        if (triggers && (!type || strcmp(type, "trigger") != 0))
            continue;
        for (int i = 0; i < 3 && asked == SQLITE_OK; i++)
            asked = sqlite3_bind_value(same, i + 1, sqlite3_column_value(each, i));
        if (asked == SQLITE_OK)
            asked = sqlite3_step(same);
        if (asked != SQLITE_ROW && asked != SQLITE_DONE)
            st = pm_sql_fail(in, "read the schema", err);
        else if (asked == SQLITE_DONE)
            snprintf(out, size, "%s %s", type ? type : "?",
                     (const char *)sqlite3_column_text(each, 1));
        sqlite3_reset(same);
    }
    if (st == PMAPDB_OK && !out[0] && rc != SQLITE_DONE)
        st = pm_sql_fail(from, "read the schema", err);
    sqlite3_finalize(same);
    sqlite3_finalize(each);
    return st;
}

static pmapdb_status compare(pmapdb_store *s, const pm_schema *schema, int64_t version,
                             pmapdb_error *err)
{
    char name[128];
    sqlite3 *model = NULL;
    pmapdb_status st = make_model(schema, version, &model, err);

    if (st == PMAPDB_OK)
        st = first_missing(model, s->db, false, name, sizeof name, err);
    if (st == PMAPDB_OK && name[0])
        st = pm_fail(err, PMAPDB_SCHEMA,
                     "%s: %s is missing or was changed by hand; nothing is read from it, nothing "
                     "written: a copy from before is to be taken",
                     s->path, name);
    if (st == PMAPDB_OK)
        st = first_missing(s->db, model, true, name, sizeof name, err);
    if (st == PMAPDB_OK && name[0])
        st =
            pm_fail(err, PMAPDB_SCHEMA,
                    "%s: %s is none of pmapdb's; nothing is read, nothing written as long as it is "
                    "there: sqlite3 FILE 'DROP TRIGGER ...' removes it",
                    s->path, name);
    sqlite3_close(model);
    return st;
}

pmapdb_status pm_schema_check(pmapdb_store *s, const pm_schema *schema, int64_t version,
                              pmapdb_error *err)
{
    found f = {.file = schema->file, .version = version};
    size_t all = 0;
    pmapdb_status st = find_all(s, &f, err);

    for (int64_t v = 0; v < version; v++)
        all += count_statements(&schema->file[v]);
    if (st != PMAPDB_OK || (f.n == all && !f.other_trigger))
        return st;
    return compare(s, schema, version, err);
}
