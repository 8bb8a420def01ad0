/* others: the rows that a table leaves out, as one row. */
#include "render/others.h"
#include "base/buf.h"
#include "render/held.h"

#include <stdio.h>
#include <stdlib.h>

struct pm_others {
    const pm_column *columns;
    size_t n;
    uint64_t rows;
    bool times_differ;
    pm_buf *times; /* of the first row, one per column */
    pm_value *row;
    char label[40];
};

pmapdb_status pm_others_new(const pm_column *columns, size_t n, pm_others **out, pmapdb_error *err)
{
    pm_others *o = calloc(1, sizeof *o);

    if (!o)
        return pm_fail_nomem(err);
    *out = o;
    o->columns = columns;
    o->n = n;
    o->times = calloc(n, sizeof *o->times);
    o->row = calloc(n, sizeof *o->row);
    return o->times && o->row ? PMAPDB_OK : pm_fail_nomem(err);
}

void pm_others_free(pm_others *o)
{
    if (!o)
        return;
    for (size_t i = 0; o->times && i < o->n; i++)
        pm_buf_free(&o->times[i]);
    free(o->times);
    free(o->row);
    free(o);
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

/* A sum over several moments would count what stays as often as it was looked at. */
static pmapdb_status see_time(pm_others *o, size_t i, pm_text t, bool first, pmapdb_error *err)
{
    if (first)
        return pm_buf_add(&o->times[i], t.data, t.len, err);
    if (!pm_text_equal(pm_buf_text(&o->times[i]), t))
        o->times_differ = true;
    return PMAPDB_OK;
}

pmapdb_status pm_others_see(pm_others *o, const pm_value *values, bool left_out, pmapdb_error *err)
{
    static const pm_value none = {.kind = PM_VALUE_INT};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < o->n && st == PMAPDB_OK; i++) {
        if (o->columns[i].unit == PM_UNIT_TIME && values[i].kind == PM_VALUE_TEXT)
            st = see_time(o, i, values[i].t, !o->times[i].data, err);
        if (left_out)
            o->row[i] = sum(o->rows ? &o->row[i] : &none, &values[i]);
    }
    o->rows += left_out;
    return st;
}

/* The first column that has no sum; else the first. */
static size_t label_column(const pm_others *o)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->times_differ || !pm_held_is_additive(&o->columns[i]))
            return i;
    return 0;
}

const pm_value *pm_others_row(pm_others *o)
{
    static const pm_value blank = {.kind = PM_VALUE_TEXT, .t = {"", 0}};

    if (!o->rows)
        return NULL;
    for (size_t i = 0; i < o->n; i++)
        if (o->times_differ || !pm_held_is_additive(&o->columns[i]))
            o->row[i] = blank;
    snprintf(o->label, sizeof o->label, "[%llu other%s]", (unsigned long long)o->rows,
             o->rows == 1 ? "" : "s");
    o->row[label_column(o)] = (pm_value){.kind = PM_VALUE_TEXT, .t = pm_text_of(o->label)};
    return o->row;
}
