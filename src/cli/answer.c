/* answer: reads the rows of a query, or writes them in the output format of the command line. */
#include "cli/answer.h"

#include "base/near.h"
#include <stdlib.h>

/* ---- rows ---- */

bool pm_answer_lists(pm_text list, pm_text name)
{
    pm_text word;

    while ((word = pm_text_word(&list, " ")).len)
        if (pm_text_equal(word, name))
            return true;
    return false;
}

/* Copies a name of a column without a part of it: rss_kib_delta, _kib: rss_delta. */
static void without(const char *column, const char *part, char *out, size_t size)
{
    const char *at = *part ? strstr(column, part) : NULL;
    size_t before = at ? (size_t)(at - column) : strlen(column);

    snprintf(out, size, "%.*s%s", (int)before, column, at ? at + strlen(part) : "");
}

/* Returns the column that the user calls by this name: rss is rss_kib, as in the header of a table,
 * taken is taken_at. */
static int find_column(const pm_cli *cli, const pmapdb_rows *rows, pm_text name)
{
    static const char *const parts[] = {"", "_kib", "_at", "_id"};
    const pm_query_info *q = pm_rows_info(rows);
    char shorter[128];
    pm_near near;

    pm_near_start(&near, name);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (int i = 0; i < q->n_columns; i++) {
            without(pmapdb_rows_name(rows, i), parts[k], shorter, sizeof shorter);
            if (pm_text_equal(name, pm_text_of(shorter)))
                return i;
            pm_near_try(&near, q->column[i].name);
        }
    pm_cli_die("no column '%.*s'%s %s --help lists them", (int)name.len, name.data,
               pm_near_hint(&near), cli->title);
}

/* Numbers begin with the largest; texts and times with the first, or after "-" with the last. A
 * "+" begins with the smallest. */
static void sort_rows(const pm_cli *cli, pmapdb_rows *rows)
{
    const char *by = cli->sort;
    char sign = *by == '-' || *by == '+' ? *by++ : '\0', after[64];
    int i = find_column(cli, rows, pm_text_of(by));
    bool number = pm_unit_is_number(pm_rows_info(rows)->column[i].unit);

    snprintf(after, sizeof after, ") ORDER BY %d %s NULLS LAST", i + 1,
             sign == '-' || (number && sign != '+') ? "DESC" : "");
    pm_answer_wrap(rows, "SELECT * FROM (", after);
}

/* Takes the last rows. Counts all of them in a column after those of the query. */
static void take_newest(int64_t n, pmapdb_rows *rows)
{
    char after[128];

    snprintf(after, sizeof after, ") LIMIT -1)) ORDER BY nth_row DESC LIMIT %lld) ORDER BY nth_row",
             (long long)n);
    pm_answer_wrap(rows,
                   "SELECT * FROM (SELECT * FROM (SELECT *, count(*) OVER () AS n_rows, "
                   "row_number() OVER () AS nth_row FROM (SELECT * FROM (",
                   after);
}

/* Returns true if only the newest rows are shown. */
static bool arrange(const pm_cli *cli, pmapdb_rows *rows)
{
    if (cli->sort)
        sort_rows(cli, rows);
    else if (cli->top && pm_rows_info(rows)->order.len)
        take_newest(cli->top, rows);
    else
        return false;
    return !cli->sort;
}

static void show_column(const pmapdb_rows *rows, int i, pm_answer_view *v)
{
    const pm_query_column *c = &pm_rows_info(rows)->column[i];

    if (v->n == PM_QUERY_ITEMS)
        return;
    v->from[v->n] = i;
    v->column[v->n] = (pm_column){pmapdb_rows_name(rows, i), c->unit};
    v->help[v->n++] = c->help;
}

static void show_columns(const pm_cli *cli, const pmapdb_rows *rows, pm_answer_view *v)
{
    pm_text names = pm_text_of(cli->columns);
    pm_text name;

    v->about.narrow = (pm_text){NULL, 0};
    while ((name = pm_text_word(&names, ", ")).len)
        show_column(rows, find_column(cli, rows, name), v);
}

void pm_answer_look(const pm_cli *cli, const pmapdb_rows *rows, pm_answer_view *v)
{
    const pm_query_info *q = pm_rows_info(rows);
    bool all = !pm_cli_is_for_people(cli) || cli->wide || q->table.len == 0;

    *v = (pm_answer_view){.about = {.name = q->name,
                                    .title = q->title,
                                    .narrow = q->narrow,
                                    .help = v->help,
                                    .labels = v->labels,
                                    .moment_ms = rows->moment_ms}};
    if (cli->columns)
        show_columns(cli, rows, v);
    for (int i = 0; i < q->n_columns && !cli->columns; i++)
        if (all || pm_answer_lists(q->table, q->column[i].name))
            show_column(rows, i, v);
    for (int i = 0; i < q->n_columns; i++)
        v->summed[i] = pm_answer_lists(q->total, q->column[i].name);
    for (int i = 0; i < q->n_params; i++) {
        pm_unit unit = q->param[i].unit;

        /* These distinguish one answer from another, and stay the same from run to run. */
        if (rows->given[i] && *rows->given[i] &&
            (unit == PM_UNIT_PROCESS || unit == PM_UNIT_CATEGORY || unit == PM_UNIT_TEXT))
            v->labels[v->about.n_labels++] =
                (pm_label){q->param[i].name, pm_text_of(rows->given[i])};
    }
}

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

static int64_t int_at(const pmapdb_rows *rows, int column)
{
    if (column < 0 || pmapdb_rows_type(rows, column) == PMAPDB_NULL)
        return PMAPDB_UNKNOWN;
    return within(pmapdb_rows_name(rows, column), pmapdb_rows_int(rows, column));
}

int64_t pm_answer_int(const pmapdb_rows *rows, const char *name)
{
    return int_at(rows, pm_answer_column(rows, name));
}

pm_text pm_answer_bytes(const pmapdb_rows *rows, const char *name)
{
    int i = pm_answer_column(rows, name);
    pm_text t = {NULL, 0};

    if (i >= 0)
        t.data = pmapdb_rows_text(rows, i, &t.len);
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
    return pm_pool_text_get(texts, id);
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
        char *name = pm_text_copy(q->param[i].name);
        pm_text value;

        if (!name)
            pm_cli_no_memory();
        if (pm_answer_column(row, name) >= 0) {
            value = pm_answer_bytes(row, name);
            free(to->given[i]);
            to->given[i] = NULL;
            to->bound = false;
            if (value.data && !(to->given[i] = pm_text_copy(value)))
                pm_cli_no_memory();
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

/* ---- output ---- */

/* Says what an answer without rows means: "no gaps". */
static void say_empty(const pm_cli *cli, const pmapdb_rows *rows)
{
    const pm_query_info *q = pm_rows_info(rows);
    pm_text name = q->builtin ? q->name : PM_TEXT("rows");
    char words[64];

    snprintf(words, sizeof words, "no %.*s", (int)name.len, name.data);
    for (char *dash; (dash = strchr(words, '-'));)
        *dash = ' ';
    pm_cli_note(cli, "%.*s", q->empty.len ? (int)q->empty.len : (int)strlen(words),
                q->empty.len ? q->empty.data : words);
}

/* Steps to the next row, unless the output failed. If the query fails, the output keeps that
 * failure. */
static bool step(pm_output *out, pmapdb_rows *rows)
{
    pmapdb_error err;
    bool has = false;

    if (!pm_output_failed(out))
        pm_output_check(out, pmapdb_next(rows, &has, &err), &err);
    return has && !pm_output_failed(out);
}

/* Adds up the columns of the total; a sum is unknown if one of its values is. */
static void add_up(const pmapdb_rows *rows, pm_answer_view *v)
{
    for (int i = 0; i < pm_rows_info(rows)->n_columns; i++) {
        int64_t value = v->summed[i] ? int_at(rows, i) : 0;

        if (value == PMAPDB_UNKNOWN || v->sum[i] == PMAPDB_UNKNOWN)
            v->sum[i] = PMAPDB_UNKNOWN;
        else
            v->sum[i] += value;
    }
}

static void write_total(pm_output *out, const pmapdb_rows *rows, const pm_answer_view *v)
{
    pm_value values[PM_QUERY_ITEMS];

    if (!pm_rows_info(rows)->total.len || !pm_cli_is_for_people(out->cli))
        return;
    for (int i = 0; i < v->n; i++)
        values[i] = v->summed[v->from[i]] ? pm_value_int(v->sum[v->from[i]])
                                          : pm_value_text(i ? "" : "TOTAL");
    pm_output_total(out, values);
}

void pm_answer_rows(pm_output *out, pmapdb_rows *rows, pm_answer_view *view, pm_answer_see see,
                    void *ctx)
{
    pm_value values[PM_QUERY_ITEMS];
    bool newest = arrange(out->cli, rows), has = step(out, rows);
    int64_t n = newest && has ? pmapdb_rows_int(rows, pmapdb_rows_columns(rows)) : 0;

    if (rows->clipped[0] && !pm_output_failed(out))
        pm_cli_note(out->cli, "%s", rows->clipped);
    if (!has && !pm_output_failed(out))
        say_empty(out->cli, rows);
    pm_answer_look(out->cli, rows, view);
    if (!pm_output_failed(out))
        pm_output_rows(out, view->column, view->n, &view->about);
    for (; has; has = step(out, rows)) {
        if (see)
            see(ctx, rows);
        for (int i = 0; i < view->n; i++)
            values[i] = pm_answer_value(rows, view->from[i]);
        pm_output_row(out, values);
        add_up(rows, view);
    }
    write_total(out, rows, view);
    if (n > out->cli->top && !pm_output_failed(out))
        pm_cli_note(out->cli, "the newest %lld of %lld rows", (long long)out->cli->top,
                    (long long)n);
}

void pm_answer_write(const pm_cli *cli, pmapdb_rows *rows, pm_answer_see see, void *ctx)
{
    pm_output out;
    pm_answer_view view;

    pm_output_open(&out, cli);
    pm_answer_rows(&out, rows, &view, see, ctx);
    pm_output_end(&out);
}
