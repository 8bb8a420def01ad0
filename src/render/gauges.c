/* gauges: the rows that Prometheus gets: the newest ones, no two with the same labels. */
#include "render/gauges.h"
#include "render/format.h"
#include "render/held.h"
#include "render/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TIDY_FROM 4096 /* rows held before old ones are dropped */

static void free_line(pm_gauge_line *l)
{
    free(l->values);
    pm_buf_free(&l->key);
}

pmapdb_status pm_gauges_open(pm_gauges *g, const pm_column *columns, size_t n, pmapdb_error *err)
{
    *g = (pm_gauges){.columns = columns, .n_columns = n, .tidy_at = TIDY_FROM};
    g->families = calloc(n, sizeof *g->families);
    g->has_text = calloc(n, sizeof *g->has_text);
    g->has_number = calloc(n, sizeof *g->has_number);
    g->moment = pm_held_moment_column(columns, n);
    return g->families && g->has_text && g->has_number ? PMAPDB_OK : pm_fail_nomem(err);
}

void pm_gauges_close(pm_gauges *g)
{
    for (size_t i = 0; i < g->n; i++)
        free_line(&g->lines[i]);
    for (size_t i = 0; g->families && i < g->n_columns; i++)
        pm_buf_free(&g->families[i].name);
    free(g->lines);
    free(g->families);
    free(g->has_text);
    free(g->has_number);
}

/* ---- keys ---- */

static pmapdb_status add_label_of(pm_buf *out, pm_text name, const pm_value *v, pmapdb_error *err)
{
    char text[PM_NUMBER_TEXT];

    if (pm_value_unknown(v))
        return PMAPDB_OK;
    if (v->kind == PM_VALUE_TEXT)
        return pm_family_add_label(out, name, v->t, err);
    if (v->kind == PM_VALUE_INT)
        snprintf(text, sizeof text, "%" PRId64, v->i);
    else
        pm_number_exact(v->r, text);
    return pm_family_add_label(out, name, pm_text_of(text), err);
}

/* Whose row it is, as far as it says. */
static bool names_process(const pm_column *c)
{
    static const char *const names[] = {"process_id", "host", "name", "pid"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(c->name, names[i]) == 0)
            return true;
    return c->unit == PM_UNIT_PROCESS;
}

static pmapdb_status key_by_process(pm_gauges *g, pm_gauge_line *l, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(&l->key);
    for (size_t i = 0; i < g->n_columns && st == PMAPDB_OK; i++)
        if (names_process(&g->columns[i]))
            st = add_label_of(&l->key, pm_text_of(g->columns[i].name), &l->values[i], err);
    return st;
}

/* A column says it of every row: it knows better. */
static bool is_column(const pm_gauges *g, pm_text label)
{
    for (size_t i = 0; i < g->n_columns; i++)
        if (g->families[i].kind == PM_FAMILY_LABEL &&
            pm_text_equal(pm_buf_text(&g->families[i].name), label))
            return true;
    return false;
}

static pmapdb_status key_by_labels(pm_gauges *g, pm_gauge_line *l, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(&l->key);
    for (size_t i = 0; i < g->n_columns && st == PMAPDB_OK; i++) {
        pm_text name = pm_buf_text(&g->families[i].name);

        if (g->families[i].kind != PM_FAMILY_LABEL)
            continue;
        st = add_label_of(&l->key, name, &l->values[i], err);
    }
    for (size_t i = 0; i < g->n_labels && st == PMAPDB_OK; i++)
        if (!is_column(g, g->labels[i].name))
            st = pm_family_add_label(&l->key, g->labels[i].name, g->labels[i].value, err);
    return st;
}

static pmapdb_status
make_keys(pm_gauges *g, pmapdb_status (*make)(pm_gauges *g, pm_gauge_line *l, pmapdb_error *err),
          pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < g->n && st == PMAPDB_OK; i++)
        st = make(g, &g->lines[i], err);
    return st;
}

static int compare_text(pm_text a, pm_text b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.data, b.data, n) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_order(const void *a, const void *b)
{
    const pm_gauge_line *x = a, *y = b;

    return (x->order > y->order) - (x->order < y->order);
}

/* Of one key the newest first. */
static int by_key(const void *a, const void *b)
{
    const pm_gauge_line *x = a, *y = b;
    int order = compare_text(pm_buf_text(&x->key), pm_buf_text(&y->key));

    if (!order)
        order = (x->moment < y->moment) - (x->moment > y->moment);
    return order ? order : by_order(a, b);
}

static bool same_key(const pm_gauge_line *a, const pm_gauge_line *b)
{
    return pm_text_equal(pm_buf_text(&a->key), pm_buf_text(&b->key));
}

/* ---- which rows ---- */

pmapdb_status pm_gauges_keep_newest(pm_gauges *g, pmapdb_error *err)
{
    size_t kept = 0, first = 0;
    pmapdb_status st;

    if (g->moment == g->n_columns || !g->n)
        return PMAPDB_OK;
    st = make_keys(g, key_by_process, err);
    if (st != PMAPDB_OK)
        return st;
    qsort(g->lines, g->n, sizeof *g->lines, by_key);
    for (size_t i = 0; i < g->n; i++) {
        if (i == 0 || !same_key(&g->lines[first], &g->lines[i]))
            first = kept;
        g->lines[kept] = g->lines[i];
        if (kept > first && g->lines[first].moment != g->lines[kept].moment)
            free_line(&g->lines[kept]);
        else
            kept++;
    }
    g->n = kept;
    qsort(g->lines, g->n, sizeof *g->lines, by_order);
    return PMAPDB_OK;
}

pmapdb_status pm_gauges_add(pm_gauges *g, const pm_value *values, pmapdb_error *err)
{
    pm_gauge_line l = {.moment = PMAPDB_UNKNOWN, .order = g->order++};
    pmapdb_status st = PMAPDB_OK;

    if (g->n == g->tidy_at) {
        st = pm_gauges_keep_newest(g, err);
        g->tidy_at = g->n * 2 > TIDY_FROM ? g->n * 2 : TIDY_FROM;
    }
    if (st == PMAPDB_OK)
        st = pm_grow(&g->lines, &g->cap, g->n, sizeof *g->lines, err);
    if (st != PMAPDB_OK)
        return st;
    l.values = pm_held_copy(values, g->n_columns);
    if (!l.values)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < g->n_columns; i++) {
        g->has_text[i] |= values[i].kind == PM_VALUE_TEXT;
        g->has_number[i] |= values[i].kind == PM_VALUE_INT || values[i].kind == PM_VALUE_REAL;
    }
    if (g->moment < g->n_columns)
        pm_held_moment(&values[g->moment], &l.moment);
    g->lines[g->n++] = l;
    return PMAPDB_OK;
}

static bool equal_values(const pm_value *a, const pm_value *b)
{
    if (pm_value_unknown(a) || pm_value_unknown(b))
        return pm_value_unknown(a) && pm_value_unknown(b);
    return a->kind == b->kind && a->i == b->i && a->r == b->r && pm_text_equal(a->t, b->t);
}

static void add_up(pm_value *sum, const pm_value *v)
{
    int64_t i;

    if (sum->kind == PM_VALUE_INT && v->kind == PM_VALUE_INT &&
        !__builtin_add_overflow(sum->i, v->i, &i)) {
        sum->i = i;
    } else if (pm_family_known(sum) && pm_family_known(v)) {
        sum->r = (sum->kind == PM_VALUE_INT ? (double)sum->i : sum->r) +
                 (v->kind == PM_VALUE_INT ? (double)v->i : v->r);
        sum->kind = PM_VALUE_REAL;
    } else {
        sum->kind = PM_VALUE_NULL;
    }
}

static pmapdb_status refuse(const pm_gauges *g, size_t column, const pm_gauge_line *l,
                            pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_USAGE,
                   "rows with the same labels {%.*s} differ in '%s', which cannot be added up: "
                   "prometheus needs a text column that tells them apart",
                   (int)(l->key.len < 200 ? l->key.len : 200), pm_buf_text(&l->key).data,
                   g->columns[column].name);
}

/* Of rows of one moment, the newest of their other times. */
static bool keep_later(const pm_gauges *g, pm_value *to, const pm_value *from)
{
    int64_t a, b;

    if (g->moment == g->n_columns)
        return false;
    if (pm_held_moment(from, &b) && (!pm_held_moment(to, &a) || a < b))
        *to = (pm_value){.kind = PM_VALUE_REAL, .r = (double)b / 1000};
    return true;
}

static pmapdb_status merge_two(const pm_gauges *g, pm_gauge_line *to, const pm_gauge_line *from,
                               pmapdb_error *err)
{
    for (size_t i = 0; i < g->n_columns; i++) {
        pm_family_kind kind = g->families[i].kind;

        if (kind != PM_FAMILY_GAUGE && kind != PM_FAMILY_AGE)
            continue;
        if (g->families[i].additive)
            add_up(&to->values[i], &from->values[i]);
        else if (!equal_values(&to->values[i], &from->values[i]) &&
                 !(kind == PM_FAMILY_AGE && keep_later(g, &to->values[i], &from->values[i])))
            return refuse(g, i, to, err);
    }
    return PMAPDB_OK;
}

pmapdb_status pm_gauges_merge(pm_gauges *g, pmapdb_error *err)
{
    size_t kept = 0;
    pmapdb_status st = make_keys(g, key_by_labels, err);

    if (st != PMAPDB_OK || !g->n)
        return st;
    qsort(g->lines, g->n, sizeof *g->lines, by_key);
    for (size_t i = 1; i < g->n; i++) {
        if (st == PMAPDB_OK && same_key(&g->lines[kept], &g->lines[i])) {
            st = merge_two(g, &g->lines[kept], &g->lines[i], err);
            free_line(&g->lines[i]);
        } else {
            g->lines[++kept] = g->lines[i];
        }
    }
    g->n = kept + 1;
    qsort(g->lines, g->n, sizeof *g->lines, by_order);
    return st;
}

void pm_gauges_cut(pm_gauges *g, size_t n)
{
    while (g->n > n)
        free_line(&g->lines[--g->n]);
}
