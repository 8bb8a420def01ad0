/* answer: writes the rows of a query in the output format of the command line. */
#include "cli/answer.h"

#include "base/near.h"

/* ---- rows ---- */

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

/* Takes the last n rows. A column after those of the query has the number of all rows. */
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

/* Fills in the view, after the first row: only then does the query know the moment of its rows. */
static void look(const pm_cli *cli, const pmapdb_rows *rows, pm_answer_view *v)
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
        if (all || pm_text_has(q->table, " ", q->column[i].name))
            show_column(rows, i, v);
    for (int i = 0; i < q->n_columns; i++)
        v->summed[i] = pm_text_has(q->total, " ", q->column[i].name);
    for (int i = 0; i < q->n_params; i++) {
        pm_unit unit = q->param[i].unit;

        /* Values of these types tell one answer from another, and stay the same from run to run. */
        if (rows->given[i] && *rows->given[i] &&
            (unit == PM_UNIT_PROCESS || unit == PM_UNIT_CATEGORY || unit == PM_UNIT_TEXT))
            v->labels[v->about.n_labels++] =
                (pm_sample_label){q->param[i].name, pm_text_of(rows->given[i])};
    }
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
        int64_t value = v->summed[i] ? pm_answer_int(rows, pmapdb_rows_name(rows, i)) : 0;

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
    look(out->cli, rows, view);
    if (!pm_output_failed(out) && !out->render) /* else these rows continue earlier rows */
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
    pmapdb_rows_close(rows);
}
