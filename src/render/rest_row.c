/* rest_row: one row for all rows beyond `top`. */
#include "render/rest_row.h"
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

struct pm_rest_row {
    const pm_column *columns;
    size_t n;
    uint64_t rows;
    bool times_differ;
    pm_buf *times; /* the first row's, one per column */
    pm_value *row;
    char label[40];
};

pm_rest_row *pm_rest_row_new(const pm_column *columns, size_t n)
{
    pm_rest_row *rest = calloc(1, sizeof *rest);

    if (!rest)
        return NULL;
    rest->columns = columns;
    rest->n = n;
    rest->times = calloc(n, sizeof *rest->times);
    rest->row = calloc(n, sizeof *rest->row);
    if (rest->times && rest->row)
        return rest;
    pm_rest_row_free(rest);
    return NULL;
}

void pm_rest_row_free(pm_rest_row *rest)
{
    if (!rest)
        return;
    for (size_t i = 0; rest->times && i < rest->n; i++)
        pm_buf_free(&rest->times[i]);
    free(rest->times);
    free(rest->row);
    free(rest);
}

/* KiB and counts, except the number of processes: every row has the same processes. */
static bool is_additive(const pm_column *c)
{
    return (c->unit == PM_UNIT_KIB || c->unit == PM_UNIT_COUNT) &&
           !pm_text_starts(pm_text_of(c->name), PM_TEXT("processes"));
}

static pm_value sum(const pm_value *a, const pm_value *b)
{
    pm_value v = {.kind = PM_VALUE_NULL};
    bool numbers = (a->kind == PM_VALUE_INT || a->kind == PM_VALUE_REAL) &&
                   (b->kind == PM_VALUE_INT || b->kind == PM_VALUE_REAL);

    if (!numbers)
        return v;
    if (a->kind == PM_VALUE_INT && b->kind == PM_VALUE_INT) {
        if (!__builtin_add_overflow(a->i, b->i, &v.i))
            v.kind = PM_VALUE_INT;
        return v;
    }
    v.kind = PM_VALUE_REAL;
    v.r = (a->kind == PM_VALUE_INT ? (double)a->i : a->r) +
          (b->kind == PM_VALUE_INT ? (double)b->i : b->r);
    return v;
}

/* A sum over several moments would count the same memory once per moment. */
static pmapdb_status note_time(pm_rest_row *rest, size_t i, pm_text t, pmapdb_error *err)
{
    if (!rest->times[i].data)
        return pm_buf_add(&rest->times[i], t.data, t.len, err);
    if (!pm_text_equal(pm_buf_text(&rest->times[i]), t))
        rest->times_differ = true;
    return PMAPDB_OK;
}

pmapdb_status pm_rest_row_add(pm_rest_row *rest, const pm_value *values, bool left_out,
                              pmapdb_error *err)
{
    static const pm_value zero = {.kind = PM_VALUE_INT};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < rest->n && st == PMAPDB_OK; i++) {
        if (rest->columns[i].unit == PM_UNIT_TIME && values[i].kind == PM_VALUE_TEXT)
            st = note_time(rest, i, values[i].t, err);
        if (left_out)
            rest->row[i] = sum(rest->rows ? &rest->row[i] : &zero, &values[i]);
    }
    rest->rows += left_out;
    return st;
}

const pm_value *pm_rest_row_values(pm_rest_row *rest)
{
    static const pm_value blank = {.kind = PM_VALUE_TEXT, .t = {"", 0}};
    size_t label = rest->n;

    if (!rest->rows)
        return NULL;
    for (size_t i = 0; i < rest->n; i++) {
        if (!rest->times_differ && is_additive(&rest->columns[i]))
            continue;
        rest->row[i] = blank;
        label = label < rest->n ? label : i;
    }
    snprintf(rest->label, sizeof rest->label, "[%llu other%s]", (unsigned long long)rest->rows,
             rest->rows == 1 ? "" : "s");
    rest->row[label < rest->n ? label : 0] =
        (pm_value){.kind = PM_VALUE_TEXT, .t = pm_text_of(rest->label)};
    return rest->row;
}
