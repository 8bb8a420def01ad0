/* catalog: the named queries and their headers. */
#include "store/catalog.h"

#include "base/buf.h"
#include "store/embedded.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define QUERY_FILE_MAX (1 << 20)

void pm_catalog_free(pm_query_info *info)
{
    if (!info)
        return;
    free(info->text);
    free(info);
}

const char *pm_catalog_builtin(size_t i)
{
    return pm_embedded_queries[i].name;
}

/* ---- header ---- */

static pm_text trim(pm_text t)
{
    while (t.len && (t.data[0] == ' ' || t.data[0] == '\t'))
        t = pm_text_from(t, 1);
    while (t.len && (t.data[t.len - 1] == ' ' || t.data[t.len - 1] == '\r'))
        t.len--;
    return t;
}

/* Takes the next word off *t. */
static pm_text word(pm_text *t)
{
    pm_text w;
    size_t n = 0;

    *t = trim(*t);
    while (n < t->len && t->data[n] != ' ')
        n++;
    w = (pm_text){t->data, n};
    *t = trim(pm_text_from(*t, n));
    return w;
}

static pmapdb_status bad(pmapdb_error *err, const char *where, int line, const char *what,
                         pm_text which)
{
    return pm_fail(err, PMAPDB_USAGE, "%s:%d: %s '%.*s'", where, line, what, (int)which.len,
                   which.data);
}

static pmapdb_status read_param(pm_query_info *q, const char *where, int line, pm_text rest,
                                pmapdb_error *err)
{
    pm_query_param p;
    pm_text unit;

    p.name = word(&rest);
    unit = word(&rest);
    p.fallback = word(&rest);
    p.help = rest;
    p.unit = pm_unit_find(unit);
    if (!p.name.len || !p.fallback.len)
        return bad(err, where, line, "a param line is NAME TYPE DEFAULT TEXT, not", p.name);
    if (p.unit == PM_UNIT_COUNT_OF_UNITS)
        return bad(err, where, line, "no such type:", unit);
    if (q->n_params == PM_QUERY_ITEMS)
        return bad(err, where, line, "too many parameters at", p.name);
    if (pm_text_equal(p.fallback, PM_TEXT("\"\"")))
        p.fallback = (pm_text){p.fallback.data, 0};
    q->param[q->n_params++] = p;
    return PMAPDB_OK;
}

static pmapdb_status read_column(pm_query_info *q, const char *where, int line, pm_text rest,
                                 pmapdb_error *err)
{
    pm_query_column c;
    pm_text unit;

    c.name = word(&rest);
    unit = word(&rest);
    c.help = rest;
    c.unit = pm_unit_find(unit);
    if (!c.name.len)
        return bad(err, where, line, "a column line is NAME TYPE TEXT, not", c.name);
    if (c.unit == PM_UNIT_COUNT_OF_UNITS)
        return bad(err, where, line, "no such type:", unit);
    if (q->n_columns == PM_QUERY_ITEMS)
        return bad(err, where, line, "too many columns at", c.name);
    q->column[q->n_columns++] = c;
    return PMAPDB_OK;
}

/* `line` without its "-- ". */
static pmapdb_status read_line(pm_query_info *q, const char *where, int number, pm_text line,
                               pmapdb_error *err)
{
    if (pm_text_starts(line, PM_TEXT("name:")))
        q->name = trim(pm_text_from(line, 5));
    else if (pm_text_starts(line, PM_TEXT("title:")))
        q->title = trim(pm_text_from(line, 6));
    else if (pm_text_starts(line, PM_TEXT("table:")))
        q->table = trim(pm_text_from(line, 6));
    else if (pm_text_starts(line, PM_TEXT("param:")))
        return read_param(q, where, number, pm_text_from(line, 6), err);
    else if (pm_text_starts(line, PM_TEXT("column:")))
        return read_column(q, where, number, pm_text_from(line, 7), err);
    return PMAPDB_OK;
}

static pmapdb_status read_header(pm_query_info *q, const char *where, pm_text text,
                                 pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    int number = 0;

    while (text.len >= 2 && text.data[0] == '-' && text.data[1] == '-' && st == PMAPDB_OK) {
        const char *newline = memchr(text.data, '\n', text.len);
        size_t len = newline ? (size_t)(newline - text.data) : text.len;
        pm_text line = trim((pm_text){text.data + 2, len - 2});

        number++;
        st = read_line(q, where, number, line, err);
        if (line.len == 0 && q->n_columns && !q->about.data)
            q->about.data = text.data + len;
        text = pm_text_from(text, newline ? len + 1 : len);
    }
    if (q->about.data)
        q->about.len = (size_t)(text.data - q->about.data);
    if (st == PMAPDB_OK && (!q->name.len || !q->n_columns))
        return pm_fail(err, PMAPDB_USAGE,
                       "%s: a query begins with '-- name:', '-- title:', '-- column:' lines",
                       where);
    return st;
}

pmapdb_status pm_catalog_parse(const char *where, pm_text text, pm_query_info **out,
                               pmapdb_error *err)
{
    pm_query_info *q = calloc(1, sizeof *q);
    pmapdb_status st;

    if (!q || !(q->text = strndup(text.data, text.len))) {
        pm_catalog_free(q);
        return pm_fail_nomem(err);
    }
    st = read_header(q, where, pm_text_of(q->text), err);
    if (st != PMAPDB_OK) {
        pm_catalog_free(q);
        return st;
    }
    *out = q;
    return PMAPDB_OK;
}

/* ---- where it comes from ---- */

static pmapdb_status read_file(const char *dir, const char *middle, const char *name,
                               pm_query_info **out, pmapdb_error *err)
{
    pm_buf path = {0}, text = {0};
    FILE *file = NULL;
    pmapdb_status st = pm_buf_addf(&path, err, "%s%s/%s.sql", dir, middle, name);

    if (st == PMAPDB_OK && !(file = fopen(path.data, "re")))
        st = errno == ENOENT || errno == ENOTDIR || (errno == EACCES && *middle)
                 ? PMAPDB_NOTFOUND /* a settings folder of somebody else is none of ours */
                 : pm_fail_io(err, errno, "cannot read '%s'", path.data);
    while (st == PMAPDB_OK) {
        char chunk[4096];
        size_t n = fread(chunk, 1, sizeof chunk, file);

        if (n == 0)
            break;
        st = text.len > QUERY_FILE_MAX
                 ? pm_fail(err, PMAPDB_USAGE, "'%s' is too large for a query", path.data)
                 : pm_buf_add(&text, chunk, n, err);
    }
    if (st == PMAPDB_OK)
        st = pm_catalog_parse(path.data, pm_buf_text(&text), out, err);
    if (st == PMAPDB_OK && !pm_text_equal((*out)->name, pm_text_of(name))) {
        st = pm_fail(err, PMAPDB_USAGE,
                     "%s: the name in the header is '%.*s'; it must be the file's", path.data,
                     (int)(*out)->name.len, (*out)->name.data);
        pm_catalog_free(*out);
    }
    if (file)
        fclose(file);
    pm_buf_free(&path);
    pm_buf_free(&text);
    return st;
}

static pmapdb_status unknown(const char *name, pmapdb_error *err)
{
    pm_buf all = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; pm_embedded_queries[i].name && st == PMAPDB_OK; i++)
        st = pm_buf_addf(&all, err, " %s", pm_embedded_queries[i].name);
    if (st == PMAPDB_OK)
        st = pm_fail(err, PMAPDB_NOTFOUND, "no query '%s'; there are:%s", name, all.data);
    pm_buf_free(&all);
    return st;
}

pmapdb_status pm_catalog_find(const char *query_dir, const char *name, pm_query_info **out,
                              pmapdb_error *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    pmapdb_status st = PMAPDB_NOTFOUND;

    if (strchr(name, '/'))
        return unknown(name, err);
    if (query_dir)
        st = read_file(query_dir, "", name, out, err);
    if (st == PMAPDB_NOTFOUND && config && *config)
        st = read_file(config, "/pmapdb/queries", name, out, err);
    else if (st == PMAPDB_NOTFOUND && home && *home)
        st = read_file(home, "/.config/pmapdb/queries", name, out, err);
    if (st != PMAPDB_NOTFOUND)
        return st;
    for (size_t i = 0; pm_embedded_queries[i].name; i++)
        if (strcmp(pm_embedded_queries[i].name, name) == 0)
            return pm_catalog_parse(
                name, (pm_text){pm_embedded_queries[i].text, pm_embedded_queries[i].len}, out, err);
    return unknown(name, err);
}
