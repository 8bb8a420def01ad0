/* ids: a set of row ids: filled, sorted once, then searched. */
#include "store/dict/ids.h"

#include "base/buf.h"
#include <stdlib.h>

void pm_ids_free(pm_ids *s)
{
    free(s->id);
    *s = (pm_ids){0};
}

pmapdb_status pm_ids_add(pm_ids *s, int64_t id, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&s->id, &s->cap, s->n, sizeof *s->id, err);

    if (st == PMAPDB_OK)
        s->id[s->n++] = id;
    return st;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

void pm_ids_sort(pm_ids *s)
{
    size_t kept = 0;

    if (s->n)
        qsort(s->id, s->n, sizeof *s->id, compare);
    for (size_t i = 0; i < s->n; i++)
        if (i == 0 || s->id[i] != s->id[i - 1])
            s->id[kept++] = s->id[i];
    s->n = kept;
}

bool pm_ids_has(const pm_ids *s, int64_t id)
{
    return s->n && bsearch(&id, s->id, s->n, sizeof *s->id, compare);
}
