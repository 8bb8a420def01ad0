/* remote: parameters as literals, and rows of tab-separated text. */
#include "store/read/remote.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the statement ---- */

/* Replaces the statement of the rows. */
static pmapdb_status prepare(pmapdb_rows *r, const pm_buf *sql, pmapdb_error *err)
{
    sqlite3_finalize(r->stmt);
    r->stmt = NULL;
    if (sqlite3_prepare_v2(r->store->db, sql->data, (int)sql->len, &r->stmt, NULL) != SQLITE_OK)
        return pm_sql_fail(r->store->db, "prepare a question", err);
    return PMAPDB_OK;
}

/* Prepares SELECT :a, :b, ...: its only row has the parameters' values. */
static pmapdb_status prepare_params(pmapdb_rows *r, pmapdb_error *err)
{
    pm_buf sql = {0};
    pmapdb_status st;

    pm_buf_addf(&sql, NULL, "SELECT NULL");
    for (int i = 0; i < r->info->n_params; i++) {
        pm_buf_addf(&sql, NULL, ", :%.*s", (int)r->info->param[i].name.len,
                    r->info->param[i].name.data);
        for (char *dash = sql.data; dash && (dash = strchr(dash, '-'));)
            *dash = '_';
    }
    st = pm_buf_status(&sql, err);
    PM_STEP(st, prepare(r, &sql, err));
    pm_buf_free(&sql);
    return st;
}

pmapdb_status pm_remote_query(pmapdb_store *memory, pm_query_info *info, pmapdb_rows **out,
                              pmapdb_error *err)
{
    pmapdb_rows *r = NULL;
    pmapdb_status st = pm_rows_new(memory, info, &r, err);

    if (st == PMAPDB_OK && !pm_text_equal(info->engine, PM_TEXT("clickhouse")))
        st = pm_query_fail(info, NULL, err, "the header has no '-- engine: clickhouse' line");
    PM_STEP(st, prepare_params(r, err));
    PM_STEP(st, pm_query_keep_names(info, err));
    if (st == PMAPDB_OK)
        *out = r;
    else
        pmapdb_rows_close(r);
    return st;
}

/* ---- literals ---- */

static pmapdb_status put_text(pm_text text, pm_buf *sql, pmapdb_error *err)
{
    pm_buf_add(sql, "'", 1, NULL);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'' || text.data[i] == '\\')
            pm_buf_add(sql, "\\", 1, NULL);
        pm_buf_add(sql, text.data + i, 1, NULL);
    }
    return pm_buf_add(sql, "'", 1, err);
}

/* An empty text is '': a comparison with NULL would leave out every row. */
static pmapdb_status put_literal(const pmapdb_rows *r, int param, pm_buf *sql, pmapdb_error *err)
{
    sqlite3_stmt *row = r->stmt;
    pm_unit unit = r->info->param[param].unit;

    switch (sqlite3_column_type(row, param + 1)) {
    case SQLITE_INTEGER:
        /* LIMIT takes only a bare number, which may have no common type with an Int64 */
        return pm_buf_addf(sql, err, unit == PM_UNIT_COUNT ? "%lld" : "toInt64(%lld)",
                           (long long)sqlite3_column_int64(row, param + 1));
    case SQLITE_FLOAT:
        if (isfinite(sqlite3_column_double(row, param + 1)))
            return pm_buf_addf(sql, err, "toFloat64(%.17g)", sqlite3_column_double(row, param + 1));
        return pm_buf_addf(sql, err, "NULL");
    case SQLITE_NULL:
        return pm_buf_addf(sql, err, pm_unit_is_number(unit) ? "NULL" : "''");
    default:
        return put_text(pm_col_text(row, param + 1), sql, err);
    }
}

/* ---- the pass over the statement ---- */

/* Returns the length of the string, quoted name or comment at s, up to its end or the end of the
 * text; 0 if s begins none of these. */
static size_t length_of_quoted(const char *s)
{
    size_t n = 1;

    if (*s == '\'' || *s == '"' || *s == '`') {
        while (s[n] && s[n] != *s)
            n += s[n] == '\\' && s[n + 1] ? 2 : 1;
        return n + (s[n] != '\0');
    }
    if (s[0] == '-' && s[1] == '-')
        return strcspn(s, "\n");
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");

        return end ? (size_t)(end - s) + 2 : strlen(s);
    }
    return 0;
}

/* Returns why this place of the statement is ambiguous, or NULL. Newer servers accept more
 * characters as quotes and comment marks, and nest comments; a literal must not end up inside a
 * string or a comment. */
static const char *why_unsafe(const char *s, size_t quoted)
{
    if (quoted > 2 && s[0] == '/') {
        const char *inner = strstr(s + 2, "/*");

        if (inner && inner < s + quoted)
            return "a nested comment";
        if (s[quoted - 1] != '/')
            return "an unterminated comment";
    }
    if (quoted && *s != '/' && *s != '-' && (quoted < 2 || s[quoted - 1] != *s))
        return "an unterminated string";
    if (!quoted && (*s == '#' || *s == '$' || (unsigned char)*s >= 0x80))
        return "a character that is allowed only in strings and comments";
    if (!quoted && *s == ';' && s[1 + strspn(s + 1, " \t\r\n")])
        return "a second statement";
    return NULL;
}

/* Puts the literal for :name at s. Returns the length of :name, or 0. */
static size_t put_param(const pmapdb_rows *r, const char *s, bool *used, pm_buf *sql,
                        pmapdb_status *st, pmapdb_error *err)
{
    size_t n = strspn(s + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    char bound[128];
    int i = 0;

    if (*s != ':' || !n || (s[1] >= '0' && s[1] <= '9'))
        return 0;
    snprintf(bound, sizeof bound, "%.*s", (int)n + 1, s);
    while (i < r->info->n_params && !pm_query_is_param(bound, r->info->param[i].name))
        i++;
    if (i == r->info->n_params) {
        *st = pm_query_fail(r->info, s, err, "the parameter '%s' is not declared", bound);
        return 0;
    }
    used[i] = true;
    *st = put_literal(r, i, sql, err);
    return n + 1;
}

/* Copies the statement up to its end or its semicolon. */
static pmapdb_status put_statement(const pmapdb_rows *r, pm_buf *sql, pmapdb_error *err)
{
    bool used[PM_QUERY_ITEMS] = {false};
    pmapdb_status st = PMAPDB_OK;

    for (const char *s = r->info->body; *s && st == PMAPDB_OK;) {
        size_t n = length_of_quoted(s);
        const char *why = why_unsafe(s, n);

        if (why)
            return pm_query_fail(r->info, s, err, "%s", why);
        if (*s == ';')
            break;
        if (!n && s[0] == ':' && s[1] == ':')
            n = 2;
        if (!n && (n = put_param(r, s, used, sql, &st, err))) {
            s += n;
            continue;
        }
        n = n ? n : 1;
        PM_STEP(st, pm_buf_add(sql, s, n, err));
        s += n;
    }
    for (int i = 0; i < r->info->n_params && st == PMAPDB_OK; i++)
        if (!used[i])
            st = pm_query_fail(r->info, NULL, err,
                               "the parameter '%s' is declared, but the statement does not use it",
                               r->info->param[i].name.data);
    return st;
}

pmapdb_status pm_remote_sql(pmapdb_rows *r, pm_buf *sql, pmapdb_error *err)
{
    pmapdb_status st = pm_query_resolve(r, err);

    if (st == PMAPDB_OK && sqlite3_step(r->stmt) != SQLITE_ROW)
        st = pm_sql_fail(r->store->db, "read the parameters", err);
    PM_STEP(st, put_statement(r, sql, err));
    PM_STEP(st, pm_buf_addf(sql, err, "\nFORMAT TabSeparatedWithNames\n"));
    return st;
}

/* ---- the reply ---- */

/* Undoes the escapes of a field. *known is false for \N. */
static pmapdb_status read_field(pm_text field, pm_buf *out, bool *known, pmapdb_error *err)
{
    static const char escaped[] = "bfnrt0", meant[] = "\b\f\n\r\t";
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(out);
    *known = !pm_text_equal(field, PM_TEXT("\\N"));
    for (size_t i = 0; i < field.len && st == PMAPDB_OK; i++) {
        const char *at = NULL;

        if (field.data[i] == '\\' && i + 1 < field.len)
            at = field.data[++i] ? strchr(escaped, field.data[i]) : NULL;
        st = pm_buf_add(out, at ? meant + (at - escaped) : field.data + i, 1, err);
    }
    return st;
}

pmapdb_status pm_remote_hosts(pmapdb_rows *r, pm_text names, pmapdb_error *err)
{
    pm_buf name = {0};
    pmapdb_status st = PMAPDB_OK;
    pm_text field;
    bool known;

    while (st == PMAPDB_OK && (field = pm_text_word(&names, "\n")).len) {
        st = read_field(field, &name, &known, err);
        pm_sql_do(r->store->sql, "INSERT OR IGNORE INTO host (name) VALUES (?1)",
                  PM_ARGS(PM_T(pm_buf_text(&name))));
        PM_STEP(st, pm_sql_end(r->store->sql, err));
    }
    pm_buf_free(&name);
    return st;
}

/* Makes the table of the rows, and the two statements about it. */
static pmapdb_status make_table(const pmapdb_rows *r, pm_buf *insert, pm_buf *select,
                                pmapdb_error *err)
{
    const pm_query_info *q = r->info;
    pm_buf create = {0};
    pmapdb_status st;

    for (int i = 0; i < q->n_columns; i++) {
        bool time = q->column[i].unit == PM_UNIT_TIME;

        pm_buf_addf(&create, NULL, "%s c%d %s", i ? "," : "CREATE TEMP TABLE answer (", i,
                    time || pm_unit_is_number(q->column[i].unit) ? "NUMERIC" : "TEXT");
        pm_buf_addf(insert, NULL, "%s ?%d", i ? "," : "INSERT INTO answer VALUES (", i + 1);
        pm_buf_addf(select, NULL,
                    time ? "%s strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', c%d / 1000, 'unixepoch')"
                         : "%s c%d",
                    i ? "," : "SELECT", i);
    }
    pm_buf_addf(insert, NULL, ")");
    pm_buf_addf(select, NULL, " FROM answer ORDER BY rowid");
    st = pm_buf_addf(&create, err, ")");
    PM_STEP(st, pm_buf_status(insert, err));
    PM_STEP(st, pm_buf_status(select, err));
    if (st == PMAPDB_OK) {
        pm_sql_exec(r->store->sql, create.data, "keep the reply");
        st = pm_sql_end(r->store->sql, err);
    }
    pm_buf_free(&create);
    return st;
}

static pmapdb_status bad_reply(const pmapdb_rows *r, pm_text line, pmapdb_error *err)
{
    int n = line.len < 200 ? (int)line.len : 200;

    return pm_fail(err, PMAPDB_INPUT, "the server's reply does not have the columns of %.*s: %.*s",
                   (int)r->info->name.len, r->info->name.data, n, line.len ? line.data : "");
}

/* Inserts a line; the first one has the names of the columns, and is only checked. */
static pmapdb_status read_row(pmapdb_rows *r, pm_text line, bool names, pm_buf *text,
                              pmapdb_error *err)
{
    const pm_query_info *q = r->info;
    pm_text rest = line;
    pmapdb_status st = PMAPDB_OK;
    bool more = true;
    int n = 0;

    for (; st == PMAPDB_OK && n < q->n_columns && more; n++) {
        pm_text field = pm_text_cut(&rest, '\t');
        bool known;

        more = rest.data > field.data + field.len; /* a tab follows the field */
        st = read_field(field, text, &known, err);
        if (st == PMAPDB_OK && names && !pm_text_equal(pm_buf_text(text), q->column[n].name))
            return bad_reply(r, line, err);
        known = known && !(pm_unit_is_number(q->column[n].unit) &&
                           pm_text_equal(pm_buf_text(text), PM_TEXT("nan")));
        if (st == PMAPDB_OK && !names &&
            (known ? sqlite3_bind_text64(r->stmt, n + 1, text->len ? text->data : "", text->len,
                                         SQLITE_TRANSIENT, SQLITE_UTF8)
                   : sqlite3_bind_null(r->stmt, n + 1)) != SQLITE_OK)
            st = pm_sql_fail(r->store->db, "keep the reply", err);
    }
    if (st != PMAPDB_OK)
        return st;
    if (n < q->n_columns || more)
        return bad_reply(r, line, err);
    if (names || (sqlite3_step(r->stmt) == SQLITE_DONE && sqlite3_reset(r->stmt) == SQLITE_OK))
        return PMAPDB_OK;
    return pm_sql_fail(r->store->db, "keep the reply", err);
}

pmapdb_status pm_remote_answer(pmapdb_rows *r, pm_text reply, pmapdb_error *err)
{
    pm_buf insert = {0}, select = {0}, text = {0};
    bool names = true;
    pmapdb_status st = make_table(r, &insert, &select, err);

    if (!pm_text_ends(reply, PM_TEXT("\n")))
        PM_STEP(st, pm_fail(err, PMAPDB_INPUT, "the server's reply is incomplete"));
    PM_STEP(st, prepare(r, &insert, err));
    while (st == PMAPDB_OK && reply.len) {
        st = read_row(r, pm_text_cut(&reply, '\n'), names, &text, err);
        names = false;
    }
    PM_STEP(st, prepare(r, &select, err));
    r->bound = true;
    pm_buf_free(&insert);
    pm_buf_free(&select);
    pm_buf_free(&text);
    return st;
}
