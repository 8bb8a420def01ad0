/* spark: rows of a time series as one row per key: where it began, where it ended, and its course
 * in between. Stands in front of the table or of Markdown. */
#include "base/buf.h"
#include "render/course.h"
#include "render/format.h"
#include "render/held.h"

#include <math.h>
#include <stdlib.h>

typedef struct series {
    pm_value *keys; /* of its first row: a whole row */
    pm_buf id;
    pm_point *points;
    size_t n, cap;
} series;

typedef struct spark {
    size_t moment, drawn; /* columns */
    series *all;
    size_t n, cap;
    bool reals;   /* some value drawn is no whole number */
    bool *varies; /* one per column: a key that is not the same in all rows */
} spark;

static bool is_key(const pm_column *c)
{
    return c->unit == PM_UNIT_TEXT || c->unit == PM_UNIT_CATEGORY || c->unit == PM_UNIT_PROCESS ||
           (c->unit == PM_UNIT_INT && pm_held_is_identity(c)) || c->unit == PM_UNIT_LINEAGE;
}

static bool is_drawable(const pm_column *c)
{
    return pm_unit_is_number(c->unit) && c->unit != PM_UNIT_SNAPSHOT &&
           c->unit != PM_UNIT_ADDRESS && !pm_held_is_identity(c);
}

/* "rss" is rss_kib. */
static bool is_called(const pm_column *c, const char *name)
{
    size_t n = strlen(name);

    return strncmp(c->name, name, n) == 0 && (!c->name[n] || strcmp(c->name + n, "_kib") == 0);
}

/* The named column, else rss, else the first that can be drawn. n_columns for none. */
static size_t find_drawn(const pm_render *r, size_t moment)
{
    const char *wanted = r->options.spark_of;
    size_t first = r->n_columns;

    for (size_t i = 0; i < r->n_columns; i++) {
        if (i == moment || !is_drawable(&r->columns[i]))
            continue;
        if (is_called(&r->columns[i], wanted ? wanted : "rss"))
            return i;
        if (first == r->n_columns)
            first = i;
    }
    return wanted ? r->n_columns : first;
}

static pmapdb_status open_spark(pm_render *r, pmapdb_error *err)
{
    spark *s = r->state = calloc(1, sizeof *s);

    if (!s)
        return pm_fail_nomem(err);
    s->varies = calloc(r->n_columns, sizeof *s->varies);
    if (!s->varies)
        return pm_fail_nomem(err);
    s->moment = pm_held_moment_column(r->columns, r->n_columns);
    if (s->moment == r->n_columns)
        return pm_fail(err, PMAPDB_USAGE,
                       "--spark draws a course over time: these rows have no "
                       "column taken_at, ts, last_at or to_at");
    s->drawn = find_drawn(r, s->moment);
    if (s->drawn == r->n_columns)
        return pm_fail(err, PMAPDB_USAGE, "--spark: there is no column of numbers '%s'",
                       r->options.spark_of ? r->options.spark_of : "");
    return PMAPDB_OK;
}

static void close_spark(pm_render *r)
{
    spark *s = r->state;

    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++) {
        free(s->all[i].keys);
        free(s->all[i].points);
        pm_buf_free(&s->all[i].id);
    }
    free(s->all);
    free(s->varies);
    free(s);
}

/* Adds a value so that no two different ones look alike. */
static pmapdb_status add_id(pm_buf *out, const pm_value *v, pmapdb_error *err)
{
    pmapdb_status st =
        pm_buf_addf(out, err, "%d,%lld,%zu:", (int)v->kind, (long long)v->i, v->t.len);

    return st == PMAPDB_OK ? pm_buf_add(out, v->t.data, v->t.len, err) : st;
}

static pmapdb_status add_series(pm_render *r, const pm_value *values, pm_buf *id, series **out,
                                pmapdb_error *err)
{
    spark *s = r->state;
    series one = {0};
    pmapdb_status st = pm_grow(&s->all, &s->cap, s->n, sizeof *s->all, err);

    if (st != PMAPDB_OK)
        return st;
    one.keys = pm_held_copy(values, r->n_columns);
    if (!one.keys)
        return pm_fail_nomem(err);
    one.id = *id;
    *id = (pm_buf){0};
    for (size_t i = 0; i < r->n_columns && s->n; i++) {
        const pm_value *a = &s->all[0].keys[i], *b = &one.keys[i];

        s->varies[i] |= a->kind != b->kind || a->i != b->i || !pm_text_equal(a->t, b->t);
    }
    s->all[s->n] = one;
    *out = &s->all[s->n++];
    return PMAPDB_OK;
}

static pmapdb_status find_series(pm_render *r, const pm_value *values, series **out,
                                 pmapdb_error *err)
{
    spark *s = r->state;
    pm_buf id = {0};
    pmapdb_status st = pm_buf_addf(&id, err, "k");

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++)
        if (is_key(&r->columns[i]))
            st = add_id(&id, &values[i], err);
    *out = NULL;
    for (size_t i = 0; i < s->n && st == PMAPDB_OK && !*out; i++)
        if (pm_text_equal(pm_buf_text(&s->all[i].id), pm_buf_text(&id)))
            *out = &s->all[i];
    if (st == PMAPDB_OK && !*out)
        st = add_series(r, values, &id, out, err);
    pm_buf_free(&id);
    return st;
}

/* What has no moment cannot be drawn. */
static pmapdb_status row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    spark *s = r->state;
    const pm_value *v = &values[s->drawn];
    pm_point point = {.v = NAN};
    series *of = NULL;
    pmapdb_status st;

    if (!pm_held_moment(&values[s->moment], &point.ms))
        return PMAPDB_OK;
    if (v->kind == PM_VALUE_INT)
        point.v = (double)v->i;
    else if (v->kind == PM_VALUE_REAL)
        point.v = v->r;
    s->reals |= v->kind == PM_VALUE_REAL;
    st = find_series(r, values, &of, err);
    if (!of)
        return st;
    st = pm_grow(&of->points, &of->cap, of->n, sizeof *of->points, err);
    if (st == PMAPDB_OK)
        of->points[of->n++] = point;
    return st;
}

/* ---- the rows that come out ---- */

static pmapdb_status find_axis(const spark *s, pm_course_axis *out, pmapdb_error *err)
{
    size_t n = 0, at = 0;
    int64_t *moments;

    for (size_t i = 0; i < s->n; i++)
        n += s->all[i].n;
    moments = malloc((n + 1) * sizeof *moments);
    if (!moments)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->all[i].n; k++)
            moments[at++] = s->all[i].points[k].ms;
    *out = pm_course_axis_of(moments, n);
    free(moments);
    return PMAPDB_OK;
}

static pm_value number(double v, bool whole)
{
    if (isnan(v))
        return (pm_value){.kind = PM_VALUE_NULL};
    if (whole)
        return (pm_value){.kind = PM_VALUE_INT, .i = (int64_t)v};
    return (pm_value){.kind = PM_VALUE_REAL, .r = v};
}

/* Keys that are the same everywhere tell nothing; of no key that differs the last one stays. How
 * many there are. */
static size_t choose_keys(const pm_render *r, size_t *from)
{
    const spark *s = r->state;
    size_t n = 0, last = r->n_columns;

    for (size_t i = 0; i < r->n_columns; i++) {
        if (!is_key(&r->columns[i]))
            continue;
        last = i;
        if (s->varies[i])
            from[n++] = i;
    }
    if (!n && last < r->n_columns)
        from[n++] = last;
    return n;
}

static int by_moment(const void *a, const void *b)
{
    const pm_point *x = a, *y = b;

    return (x->ms > y->ms) - (x->ms < y->ms);
}

static pmapdb_status write_series(pm_render *r, pm_render *table, const pm_course_axis *axis,
                                  series *one, const size_t *from, size_t n_keys, pmapdb_error *err)
{
    const spark *s = r->state;
    bool md = r->options.format == PM_FORMAT_MD;
    pm_value *values = calloc(n_keys + 3, sizeof *values);
    pmapdb_status st;

    if (!values)
        return pm_fail_nomem(err);
    qsort(one->points, one->n, sizeof *one->points, by_moment);
    for (size_t i = 0; i < n_keys; i++)
        values[i] = one->keys[from[i]];
    values[n_keys] = number(one->points[0].v, !s->reals);
    values[n_keys + 1] = number(one->points[one->n - 1].v, !s->reals);
    pm_buf_clear(&r->line);
    st = pm_course_add(&r->line, axis, one->points, one->n, r->options.ascii, md ? "\xc2\xa0" : " ",
                       err);
    values[n_keys + 2] = (pm_value){.kind = PM_VALUE_TEXT, .t = pm_buf_text(&r->line)};
    if (st == PMAPDB_OK)
        st = pm_render_row(table, values, err);
    free(values);
    return st;
}

/* The keys, rss_kib_first, rss_kib_last, course. */
static pmapdb_status open_table(pm_render *r, const size_t *from, size_t n_keys, pm_render **out,
                                pmapdb_error *err)
{
    const spark *s = r->state;
    const pm_column *drawn = &r->columns[s->drawn];
    pm_render_options options = r->options;
    pm_column *columns = calloc(n_keys + 3, sizeof *columns);
    pm_buf first = {0}, last = {0};
    pmapdb_status st;

    if (!columns)
        return pm_fail_nomem(err);
    options.spark = false;
    options.about = NULL; /* it speaks of other columns */
    for (size_t i = 0; i < n_keys; i++)
        columns[i] = r->columns[from[i]];
    st = pm_buf_addf(&first, err, "%s_first", drawn->name);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&last, err, "%s_last", drawn->name);
    if (st == PMAPDB_OK) {
        columns[n_keys] = (pm_column){first.data, drawn->unit};
        columns[n_keys + 1] = (pm_column){last.data, drawn->unit};
        columns[n_keys + 2] = (pm_column){"course", PM_UNIT_CATEGORY}; /* never cut to fit */
        st = pm_render_new(&options, &r->sink, columns, (int)n_keys + 3, out, err);
    }
    pm_buf_free(&first);
    pm_buf_free(&last);
    free(columns);
    return st;
}

static pmapdb_status end(pm_render *r, pmapdb_error *err)
{
    const spark *s = r->state;
    size_t *from = calloc(r->n_columns, sizeof *from), n_keys = 0;
    pm_render *table = NULL;
    pm_course_axis axis = {0};
    pmapdb_status st;

    if (!from)
        return pm_fail_nomem(err);
    st = find_axis(s, &axis, err);
    if (st == PMAPDB_OK) {
        n_keys = choose_keys(r, from);
        st = open_table(r, from, n_keys, &table, err);
    }
    for (size_t i = 0; i < s->n && st == PMAPDB_OK; i++)
        st = write_series(r, table, &axis, &s->all[i], from, n_keys, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(table, err);
    pm_render_free(table);
    free(from);
    return st;
}

const pm_render_ops pm_render_spark = {
    .open = open_spark,
    .close = close_spark,
    .row = row,
    .end = end,
    .own_top = true,
};
