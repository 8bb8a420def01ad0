/* header: parses the comment at the head of a query file, and reports its errors. */
#include "store/read/catalog.h"

#include "base/near.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- errors ---- */

pmapdb_status pm_query_fail(const pm_query_info *q, const char *at, pmapdb_error *err,
                            const char *format, ...)
{
    char what[sizeof err->text];
    const char *newline = strchr(q->text, '\n');
    int line = 1;
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (const char *p = q->text; p < at; p++)
        line += *p == '\n';
    if (q->where && at)
        return pm_fail(err, PMAPDB_USAGE, "%s:%d: %s", q->where, line, what);
    if (q->where)
        return pm_fail(err, PMAPDB_USAGE, "%s: %s", q->where, what);
    if (at && newline && newline[1])
        return pm_fail(err, PMAPDB_USAGE, "line %d: %s", line, what);
    return pm_fail(err, PMAPDB_USAGE, "%s", what);
}

static pmapdb_status bad(const pm_query_info *q, const char *what, pm_text which, pmapdb_error *err)
{
    return pm_query_fail(q, which.data, err, "%s '%.*s'", what, (int)which.len, which.data);
}

/* ---- lines ---- */

#define BLANKS " \t\r"

/* Takes the next word from *t. */
static pm_text word(pm_text *t)
{
    pm_text w = pm_text_word(t, BLANKS);

    *t = pm_text_trim(*t, BLANKS);
    return w;
}

static pmapdb_status read_type(const pm_query_info *q, pm_text name, pm_unit *out,
                               pmapdb_error *err)
{
    pm_near near;

    *out = pm_unit_find(name);
    if (*out != PM_UNIT_COUNT_OF_UNITS)
        return PMAPDB_OK;
    pm_near_start(&near, name);
    for (int i = 0; i < PM_UNIT_COUNT_OF_UNITS; i++)
        pm_near_try(&near, pm_text_of(pm_unit_name((pm_unit)i)));
    return pm_query_fail(q, name.data, err, "no type '%.*s'%s", (int)name.len, name.data,
                         near.best[0] ? pm_near_hint(&near) : "");
}

static int find_column(const pm_query_info *q, pm_text name)
{
    for (int i = 0; i < q->n_columns; i++)
        if (pm_text_equal(q->column[i].name, name))
            return i;
    return -1;
}

/* Reads a line of a parameter, NAME TYPE DEFAULT TEXT, or of a column, NAME TYPE TEXT. */
static pmapdb_status read_item(pm_query_info *q, bool is_param, pm_text rest, pmapdb_error *err)
{
    pm_text name = word(&rest), type = word(&rest);
    pm_text fallback = is_param ? word(&rest) : type;
    int n = is_param ? q->n_params : q->n_columns;
    pm_unit unit;
    pmapdb_status st;

    if (!fallback.len)
        return bad(q,
                   is_param ? "a param line is NAME TYPE DEFAULT TEXT, not"
                            : "a column line is NAME TYPE TEXT, not",
                   name, err);
    /* the name becomes an option and, with underscores in place of dashes, a parameter in SQL */
    if (is_param &&
        (!isalpha((unsigned char)name.data[0]) ||
         strspn(name.data, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") <
             name.len))
        return bad(q,
                   "a parameter's name begins with a letter, and has letters, digits, dashes and "
                   "underscores; not",
                   name, err);
    st = read_type(q, type, &unit, err);
    if (st != PMAPDB_OK)
        return st;
    if ((is_param ? pm_query_param_at(q, name) : find_column(q, name)) >= 0)
        return bad(q, is_param ? "declared twice: the parameter" : "declared twice: the column",
                   name, err);
    if (n == PM_QUERY_ITEMS)
        return bad(q, is_param ? "too many parameters at" : "too many columns at", name, err);
    if (pm_text_equal(fallback, PM_TEXT("\"\"")))
        fallback.len = 0;
    if (is_param)
        q->param[q->n_params++] = (pm_query_param){name, fallback, rest, unit};
    else
        q->column[q->n_columns++] = (pm_query_column){name, rest, unit};
    return PMAPDB_OK;
}

/* The lines of a header; those with a place are texts. */
static const struct {
    const char *key;
    size_t at; /* in pm_query_info; 0: read by a function */
} keys[] = {{"name:", offsetof(pm_query_info, name)},
            {"title:", offsetof(pm_query_info, title)},
            {"table:", offsetof(pm_query_info, table)},
            {"narrow:", offsetof(pm_query_info, narrow)},
            {"total:", offsetof(pm_query_info, total)},
            {"empty:", offsetof(pm_query_info, empty)},
            {"order:", offsetof(pm_query_info, order)},
            {"engine:", offsetof(pm_query_info, engine)},
            {"param:", 0},
            {"column:", 0}};

/* `line`: without "-- ". */
static pmapdb_status read_line(pm_query_info *q, pm_text line, pmapdb_error *err)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        pm_text rest = pm_text_from(line, strlen(keys[i].key));

        if (!pm_text_starts(line, pm_text_of(keys[i].key)))
            continue;
        if (!keys[i].at)
            return read_item(q, *keys[i].key == 'p', rest, err);
        *(pm_text *)((char *)q + keys[i].at) = pm_text_trim(rest, BLANKS);
        return PMAPDB_OK;
    }
    return PMAPDB_OK; /* a comment */
}

static pmapdb_status check_names(const pm_query_info *q, const char *line, pm_text names,
                                 pmapdb_error *err)
{
    pm_text name;

    while ((name = word(&names)).len)
        if (find_column(q, name) < 0)
            return pm_query_fail(q, name.data, err,
                                 "the %s line names a column that is not declared: '%.*s'", line,
                                 (int)name.len, name.data);
    return PMAPDB_OK;
}

/* Reads up to the first line that is not a comment: q->body. */
static pmapdb_status read_header(pm_query_info *q, pmapdb_error *err)
{
    pm_text text = pm_text_of(q->text);
    pmapdb_status st = PMAPDB_OK;

    while (pm_text_starts(text, PM_TEXT("--")) && st == PMAPDB_OK) {
        pm_text whole = pm_text_cut(&text, '\n');
        pm_text line = pm_text_trim(pm_text_from(whole, 2), BLANKS);

        st = read_line(q, line, err);
        if (line.len == 0 && q->n_columns && !q->about.data)
            q->about.data = whole.data + whole.len;
    }
    if (q->about.data)
        q->about.len = (size_t)(text.data - q->about.data);
    q->body = text.data + strspn(text.data, " \t\r\n");
    if (st != PMAPDB_OK)
        return st;
    if (!q->name.len && !q->n_columns)
        return pm_query_fail(q, NULL, err,
                             "a query begins with '-- name:', '-- title:', '-- column:' lines");
    if (!q->name.len || !q->n_columns)
        return pm_query_fail(q, q->text, err, "the header has no '-- %s:' line",
                             q->name.len ? "column" : "name");
    st = check_names(q, "table", q->table, err);
    PM_STEP(st, check_names(q, "narrow", q->narrow, err));
    PM_STEP(st, check_names(q, "total", q->total, err));
    return st;
}

pmapdb_status pm_catalog_parse(const char *where, pm_text text, pm_query_info **out,
                               pmapdb_error *err)
{
    pm_query_info *q = calloc(1, sizeof *q);
    pmapdb_status st = PMAPDB_OK;

    if (!q || !(q->text = strndup(text.data, text.len)) || !(q->where = strdup(where)))
        st = pm_fail_nomem(err);
    else
        st = read_header(q, err);
    if (st == PMAPDB_OK)
        *out = q;
    else
        pm_catalog_free(q);
    return st;
}
