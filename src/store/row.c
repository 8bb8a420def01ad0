/* row: numbers of a mapping in the encoding of table ver. */
#include "store/row.h"

#include <stdlib.h>

void pm_rows_free(pm_rows *rows)
{
    free(rows->row);
    *rows = (pm_rows){0};
}

static int64_t sum(int64_t a, int64_t b)
{
    return a == PMAPDB_UNKNOWN || b == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : a + b;
}

/* NULL stands for the usual value, where the view can know it. */
static int64_t unless(int64_t value, int64_t usual)
{
    return value == usual ? PMAPDB_UNKNOWN : value;
}

void pm_row_encode(const pm_mapping *m, uint64_t fields, int64_t detail_id, pm_metrics *out)
{
    int64_t pd = pm_mapping_value(m, PM_PRIVATE_DIRTY), pc = pm_mapping_value(m, PM_PRIVATE_CLEAN);
    int64_t sc = pm_mapping_value(m, PM_SHARED_CLEAN), sd = pm_mapping_value(m, PM_SHARED_DIRTY);
    int64_t swap = pm_mapping_value(m, PM_SWAP), rss = pm_mapping_value(m, PM_RSS);
    int64_t dirty = sum(sd, pd), resident = sum(sum(sc, pc), dirty);
    int64_t *v = out->v;

    v[PM_VER_PRIVATE_DIRTY] = pd;
    v[PM_VER_PRIVATE_CLEAN] = pc;
    v[PM_VER_SHARED_CLEAN] = sc;
    v[PM_VER_SHARED_DIRTY] = sd;
    v[PM_VER_SWAP] = swap;
    v[PM_VER_RSS] = unless(rss, resident);
    v[PM_VER_PSS] = unless(pm_mapping_value(m, PM_PSS), rss);
    v[PM_VER_REFERENCED] = unless(pm_mapping_value(m, PM_REFERENCED), rss);
    v[PM_VER_DIRTY] = unless(pm_mapping_value(m, PM_DIRTY), dirty);
    v[PM_VER_DETAIL] = detail_id;
    v[PM_VER_ABSENT] = (int64_t)(fields & ~m->present);
}

static int64_t or_else(int64_t value, int64_t usual)
{
    return value == PMAPDB_UNKNOWN ? usual : value;
}

void pm_row_decode(const pm_metrics *m, uint64_t fields, int64_t size_kib, pm_totals *out)
{
    const int64_t *v = m->v;
    uint64_t known = fields & ~(uint64_t)v[PM_VER_ABSENT];
    int64_t private = sum(v[PM_VER_PRIVATE_CLEAN], v[PM_VER_PRIVATE_DIRTY]);
    int64_t rss =
        or_else(v[PM_VER_RSS], sum(sum(v[PM_VER_SHARED_CLEAN], v[PM_VER_SHARED_DIRTY]), private));
    int64_t pss = or_else(v[PM_VER_PSS], rss);

    out->v[PM_TOTAL_MAPPINGS] = 1;
    out->v[PM_TOTAL_SIZE] = known & PM_BIT(PM_SIZE) ? size_kib : -1;
    out->v[PM_TOTAL_RSS] = known & PM_BIT(PM_RSS) ? or_else(rss, -1) : -1;
    out->v[PM_TOTAL_PSS] = known & PM_BIT(PM_PSS) ? or_else(pss, -1) : -1;
    out->v[PM_TOTAL_PRIVATE] = or_else(private, -1);
    out->v[PM_TOTAL_PRIVATE_DIRTY] = or_else(v[PM_VER_PRIVATE_DIRTY], -1);
    out->v[PM_TOTAL_SWAP] = or_else(v[PM_VER_SWAP], -1);
}

bool pm_metrics_equal(const pm_metrics *a, const pm_metrics *b)
{
    return memcmp(a, b, sizeof *a) == 0;
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

pmapdb_status pm_rows_lineages(const pm_rows *rows, pm_ids *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < rows->n && st == PMAPDB_OK; i++)
        st = pm_ids_add(out, rows->row[i].at.lineage, err);
    pm_ids_sort(out);
    return st;
}

static pm_place *places_of(const pm_rows *rows)
{
    pm_place *places = calloc(rows->n + 1, sizeof *places);

    for (size_t i = 0; places && i < rows->n; i++)
        places[i] = rows->row[i].at;
    return places;
}

pmapdb_status pm_rows_descent(const pm_rows *older, const pm_rows *own, pm_descent **out,
                              pmapdb_error *err)
{
    pm_place *old = places_of(older), *new = places_of(own);
    pm_descent *descent = calloc(own->n + 1, sizeof *descent);
    pmapdb_status st;

    if (!old || !new || !descent)
        st = pm_fail_nomem(err);
    else
        st = pm_lineage_pair(old, older->n, new, own->n, descent, err);
    free(old);
    free(new);
    if (st != PMAPDB_OK) {
        free(descent);
        return st;
    }
    *out = descent;
    return PMAPDB_OK;
}
