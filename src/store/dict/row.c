/* row: numbers of a mapping in the encoding of table mapping_version. */
#include "store/dict/row.h"

#include <stdlib.h>

void pm_rows_free(pm_rows *rows)
{
    free(rows->row);
    *rows = (pm_rows){0};
}

pmapdb_status pm_rows_reserve(pm_rows *rows, size_t n, pmapdb_error *err)
{
    size_t cap = n + n / 8 + 1;
    pm_row *grown;

    if (n <= rows->cap)
        return PMAPDB_OK;
    grown = realloc(rows->row, cap * sizeof *grown);
    if (!grown)
        return pm_fail_nomem(err);
    rows->row = grown;
    rows->cap = cap;
    return PMAPDB_OK;
}

int64_t pm_metrics_dirty(const pm_metrics *m)
{
    return pm_known_sum(m->v[PM_VER_SHARED_DIRTY], m->v[PM_VER_PRIVATE_DIRTY]);
}

int64_t pm_metrics_parts(const pm_metrics *m)
{
    int64_t clean = pm_known_sum(m->v[PM_VER_SHARED_CLEAN], m->v[PM_VER_PRIVATE_CLEAN]);

    return pm_known_sum(clean, pm_metrics_dirty(m));
}

static int64_t or_else(int64_t value, int64_t usual)
{
    return value == PMAPDB_UNKNOWN ? usual : value;
}

int64_t pm_metrics_pss_dirty(const pm_metrics *m, int64_t rss)
{
    const int64_t *v = m->v;
    int64_t pss = or_else(v[PM_VER_PSS], or_else(rss, pm_metrics_parts(m))), dirty;
    int64_t private = pm_known_sum(v[PM_VER_PRIVATE_CLEAN], v[PM_VER_PRIVATE_DIRTY]);
    int64_t shared = pm_known_sum(v[PM_VER_SHARED_CLEAN], v[PM_VER_SHARED_DIRTY]);

    if (v[PM_VER_SHARED_DIRTY] == 0)
        return v[PM_VER_PRIVATE_DIRTY];
    if (pss == PMAPDB_UNKNOWN || private == PMAPDB_UNKNOWN || shared == PMAPDB_UNKNOWN ||
        __builtin_mul_overflow(pss - private, v[PM_VER_SHARED_DIRTY], &dirty))
        return PMAPDB_UNKNOWN;
    return v[PM_VER_PRIVATE_DIRTY] + dirty / (shared > 1 ? shared : 1);
}

static const enum pm_field part_fields[PM_VER_PARTS] = {PM_PRIVATE_DIRTY, PM_PRIVATE_CLEAN,
                                                        PM_SHARED_CLEAN, PM_SHARED_DIRTY};
#define PARTS                                                                        \
    (PM_BIT(PM_PRIVATE_DIRTY) | PM_BIT(PM_PRIVATE_CLEAN) | PM_BIT(PM_SHARED_CLEAN) | \
     PM_BIT(PM_SHARED_DIRTY))

/* Stores Rss in an epoch that does not have all of its parts: puts the known numbers into columns
 * whose fields the epoch lacks. */
static void spread(const pm_mapping *m, uint64_t fields, int64_t rss, int64_t v[PM_VER_PARTS])
{
    int64_t rest = rss, rest_at = -1;

    for (int i = PM_VER_PARTS - 1; i >= 0; i--)
        if (!(fields & PM_BIT(part_fields[i]))) {
            v[i] = 0;
            rest_at = i == PM_VER_PRIVATE_DIRTY && rest_at >= 0 ? rest_at : i;
        }
    if (fields & PM_BIT(PM_PRIVATE)) { /* without its parts: the anonymous one counts as dirty, so
                                          that Anonymous has its usual value */
        int64_t private = pm_mapping_value(m, PM_PRIVATE), anon = pm_mapping_value(m, PM_ANONYMOUS);

        v[PM_VER_PRIVATE_DIRTY] = anon < private ? anon : private;
        v[PM_VER_PRIVATE_CLEAN] = private - v[PM_VER_PRIVATE_DIRTY];
        v[PM_VER_SHARED_DIRTY] = anon - v[PM_VER_PRIVATE_DIRTY];
        v[PM_VER_SHARED_CLEAN] = rss - private - v[PM_VER_SHARED_DIRTY];
        return;
    }
    if (!(fields & PM_BIT(PM_PRIVATE_DIRTY)) && rest_at != PM_VER_PRIVATE_DIRTY) {
        int64_t dirty = pm_mapping_value(m, PM_DIRTY);

        dirty = dirty == PMAPDB_UNKNOWN ? pm_mapping_value(m, PM_ANONYMOUS) : dirty;
        v[PM_VER_PRIVATE_DIRTY] = dirty > 0 ? dirty : 0;
    }
    for (int i = 0; i < PM_VER_PARTS; i++)
        rest = pm_known_sum(rest, v[i] == PMAPDB_UNKNOWN ? v[i] : -v[i]);
    if (rest > 0)
        v[rest_at] = rest;
}

/* Returns NULL (PMAPDB_UNKNOWN) for the usual value, from which the view computes it. */
static int64_t unless(int64_t value, int64_t usual)
{
    return value == usual ? PMAPDB_UNKNOWN : value;
}

void pm_row_encode(const pm_mapping *m, uint64_t fields, pm_metrics *out)
{
    int64_t rss = pm_mapping_value(m, PM_RSS);
    int64_t *v = out->v;

    for (int i = 0; i < PM_VER_PARTS; i++)
        v[i] = pm_mapping_value(m, part_fields[i]);
    if ((fields & PARTS) != PARTS && rss != PMAPDB_UNKNOWN)
        spread(m, fields, rss, v);
    v[PM_VER_SWAP] = pm_mapping_value(m, PM_SWAP);
    v[PM_VER_PSS] = unless(pm_mapping_value(m, PM_PSS), rss);
    v[PM_VER_REFERENCED] = unless(pm_mapping_value(m, PM_REFERENCED), rss);
    v[PM_VER_DETAIL] = v[PM_VER_RSS] = v[PM_VER_FIELDS] = PMAPDB_UNKNOWN;
}

void pm_row_decode(const pm_metrics *m, uint64_t fields, int64_t size_kib, pm_totals *out)
{
    const int64_t *v = m->v;
    uint64_t known = pm_metrics_fields(m, fields);
    bool tells_dirty = fields & PM_BIT(PM_PRIVATE_DIRTY);
    bool tells_private =
        (tells_dirty && fields & PM_BIT(PM_PRIVATE_CLEAN)) || fields & PM_BIT(PM_PRIVATE);
    int64_t private = pm_known_sum(v[PM_VER_PRIVATE_CLEAN], v[PM_VER_PRIVATE_DIRTY]);
    int64_t rss = or_else(v[PM_VER_RSS], pm_metrics_parts(m));
    int64_t pss = or_else(v[PM_VER_PSS], rss);

    out->v[PM_TOTAL_MAPPINGS] = 1;
    out->v[PM_TOTAL_SIZE] = known & PM_BIT(PM_SIZE) ? size_kib : -1;
    out->v[PM_TOTAL_RSS] = known & PM_BIT(PM_RSS) ? or_else(rss, -1) : -1;
    out->v[PM_TOTAL_PSS] = known & PM_BIT(PM_PSS) ? or_else(pss, -1) : -1;
    out->v[PM_TOTAL_PRIVATE] = tells_private ? or_else(private, -1) : -1;
    out->v[PM_TOTAL_PRIVATE_DIRTY] = tells_dirty ? or_else(v[PM_VER_PRIVATE_DIRTY], -1) : -1;
    out->v[PM_TOTAL_SWAP] = or_else(v[PM_VER_SWAP], -1);
}

int pm_place_compare(const pm_place *a, const pm_place *b)
{
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    return pm_place_compare(&((const pm_row *)a)->at, &((const pm_row *)b)->at);
}

void pm_rows_sort(pm_rows *rows)
{
    for (size_t i = 1; i < rows->n; i++)
        if (compare_rows(&rows->row[i - 1], &rows->row[i]) > 0) {
            qsort(rows->row, rows->n, sizeof *rows->row, compare_rows);
            return;
        }
}
