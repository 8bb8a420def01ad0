/* held: rows that are kept until all of them are known. */
#include "render/held.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

pm_value *pm_held_copy(const pm_value *values, size_t n)
{
    size_t bytes = n * sizeof *values;
    pm_value *copy;
    char *text;

    for (size_t i = 0; i < n; i++)
        bytes += values[i].kind == PM_VALUE_TEXT ? values[i].t.len : 0;
    copy = malloc(bytes);
    if (!copy)
        return NULL;
    memcpy(copy, values, n * sizeof *values);
    text = (char *)(copy + n);
    for (size_t i = 0; i < n; i++) {
        if (values[i].kind != PM_VALUE_TEXT)
            continue;
        copy[i].t.data = text;
        if (values[i].t.len)
            memcpy(text, values[i].t.data, values[i].t.len);
        text += values[i].t.len;
    }
    return copy;
}

bool pm_held_moment(const pm_value *v, int64_t *ms)
{
    double seconds = v->kind == PM_VALUE_INT ? (double)v->i : v->r;

    if (v->kind == PM_VALUE_TEXT)
        return pm_clock_parse(v->t, ms);
    if (v->kind == PM_VALUE_NULL || !(fabs(seconds) < 1e12))
        return false;
    *ms = llround(seconds * 1000);
    return true;
}

size_t pm_held_moment_column(const pm_column *columns, size_t n)
{
    static const char *const names[] = {"taken_at", "ts", "last_at", "to_at"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < n; i++)
            if (strcmp(columns[i].name, names[k]) == 0)
                return i;
    return n;
}

bool pm_held_is_identity(const pm_column *c)
{
    pm_text name = pm_text_of(c->name);

    return c->unit == PM_UNIT_PROCESS || c->unit == PM_UNIT_LINEAGE ||
           pm_text_ends(name, PM_TEXT("_id")) || pm_text_ends(name, PM_TEXT("pid")) ||
           pm_text_starts(name, PM_TEXT("pid_")) || pm_text_equal(name, PM_TEXT("inode"));
}

bool pm_held_is_additive(const pm_column *c)
{
    if (pm_text_starts(pm_text_of(c->name), PM_TEXT("processes")))
        return false;
    return c->unit == PM_UNIT_KIB || c->unit == PM_UNIT_COUNT;
}
