/* ask: asks queries, and reads the columns of their rows by name. */
#include "cli/answer.h"

#include <stdlib.h>

pm_value pm_answer_value(const pmapdb_rows *rows, int column)
{
    pm_value v = {.kind = PM_VALUE_NULL};

    switch (pmapdb_rows_type(rows, column)) {
    case PMAPDB_INT:
        v.kind = PM_VALUE_INT;
        v.i = pmapdb_rows_int(rows, column);
        break;
    case PMAPDB_REAL:
        v.kind = PM_VALUE_REAL;
        v.r = pmapdb_rows_real(rows, column);
        break;
    case PMAPDB_TEXT:
        v.kind = PM_VALUE_TEXT;
        v.t.data = pmapdb_rows_text(rows, column, &v.t.len);
        break;
    case PMAPDB_NULL:
        break;
    }
    return v;
}

/* Limits sizes and numbers of mappings to values that a process can have, so that sums do not
 * overflow; addresses are not limited. */
static int64_t within(const char *name, int64_t value)
{
    static const int64_t most = (int64_t)1 << 46;

    if (!strstr(name, "_kib") && strncmp(name, "mappings", 8) != 0)
        return value;
    return value > most ? most : value < -most ? -most : value;
}

int pm_answer_column(const pmapdb_rows *rows, const char *name)
{
    int i = pmapdb_rows_columns(rows) - 1;

    while (i >= 0 && strcmp(pmapdb_rows_name(rows, i), name) != 0)
        i--;
    return i;
}

int64_t pm_answer_int(const pmapdb_rows *rows, const char *name)
{
    int i = pm_answer_column(rows, name);

    return i < 0 || pmapdb_rows_type(rows, i) == PMAPDB_NULL
               ? PMAPDB_UNKNOWN
               : within(name, pmapdb_rows_int(rows, i));
}

double pm_answer_real(const pmapdb_rows *rows, const char *name)
{
    return pmapdb_rows_real(rows, pm_answer_column(rows, name));
}

pm_text pm_answer_bytes(const pmapdb_rows *rows, const char *name)
{
    int i = pm_answer_column(rows, name);
    bool known = i >= 0 && pmapdb_rows_type(rows, i) != PMAPDB_NULL;
    pm_text t = {NULL, 0};

    if (known)
        t.data = pmapdb_rows_text(rows, i, &t.len);
    if (known && !t.data) /* the text of a number takes memory */
        pm_cli_no_memory();
    return t;
}

void pm_answer_text(const pmapdb_rows *rows, const char *name, char *out, size_t size)
{
    pm_text t = pm_answer_bytes(rows, name);

    snprintf(out, size, "%.*s", t.data ? (int)t.len : 0, t.data ? t.data : "");
}

pm_text pm_answer_keep(pm_pool *texts, pm_text text)
{
    uint32_t id;
    pmapdb_error err;

    if (!text.data)
        return text;
    pm_cli_must(pm_pool_text(texts, text, &id, &err), &err);
    return texts->texts[id];
}

void pm_answer_bind(pmapdb_rows *rows, const char *param, const char *value)
{
    pmapdb_error err;

    if (value)
        pm_cli_must(pmapdb_bind(rows, param, value, &err), &err);
}

pmapdb_rows *pm_answer_ask(pmapdb_store *store, const char *query, const pm_answer_arg *args)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err;

    pm_cli_must(pmapdb_query(store, query, &rows, &err), &err);
    for (; args->param; args++)
        if (args->of)
            pm_answer_give(rows, args->param, args->of);
        else
            pm_answer_bind(rows, args->param, args->value);
    return rows;
}

pmapdb_rows *pm_answer_sql(pmapdb_store *store, const char *sql)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err;

    pm_cli_must(pmapdb_sql(store, sql, NULL, &rows, &err), &err);
    return rows;
}

void pm_answer_give(pmapdb_rows *rows, const char *param, pmapdb_rows *of)
{
    pm_buf json = {0};

    pm_answer_json(of, &json);
    pm_answer_bind(rows, param, json.data);
    pm_buf_free(&json);
}

void pm_answer_wrap(pmapdb_rows *rows, const char *before, const char *after)
{
    pmapdb_error err;

    pm_cli_must(pm_rows_wrap(rows, before, after, &err), &err);
}

void pm_answer_pass(const pmapdb_rows *row, pmapdb_rows *to)
{
    const pm_query_info *q = pm_rows_info(to);

    for (int i = 0; i < q->n_params; i++) {
        char *name = pm_cli_memory(pm_text_copy(q->param[i].name));
        pm_text value;

        if (pm_answer_column(row, name) >= 0) {
            value = pm_answer_bytes(row, name);
            free(to->given[i]);
            to->given[i] = value.data ? pm_cli_memory(pm_text_copy(value)) : NULL;
            to->bound = false;
        }
        free(name);
    }
}

void pm_answer_json(pmapdb_rows *rows, pm_buf *out)
{
    const pm_query_info *q = pm_rows_info(rows);
    pm_buf before = {0};
    pm_text json;
    bool has = false;
    pmapdb_error err;

    pm_buf_addf(&before, NULL, "SELECT json_group_array(json_object(");
    for (int i = 0; i < q->n_columns; i++)
        pm_buf_addf(&before, NULL, "%s'%s', \"%s\"", i ? "," : "", pmapdb_rows_name(rows, i),
                    pmapdb_rows_name(rows, i));
    pm_buf_addf(&before, NULL, ")) FROM (");
    pm_cli_must(pm_buf_status(&before, &err), &err);
    pm_answer_wrap(rows, before.data, ")");
    pm_cli_must(pmapdb_next(rows, &has, &err), &err);
    json.data = pmapdb_rows_text(rows, 0, &json.len);
    pm_cli_must(pm_buf_add(out, json.data, json.len, &err), &err);
    pmapdb_rows_close(rows);
    pm_buf_free(&before);
}

/* ---- texts ---- */

const char *pm_cli_text(const pm_buf *buf)
{
    if (buf->failed)
        pm_cli_no_memory();
    return pm_buf_text(buf).data;
}
