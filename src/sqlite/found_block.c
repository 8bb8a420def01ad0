/* found_block: one block with its rows. */
#include "sqlite/blocks.h"

#include <stdlib.h>

void pm_found_block_free(pm_found_block *h)
{
    if (!h)
        return;
    free(h->capture.rows);
    free(h->places);
    free(h->path);
    free(h->error);
    pm_buf_free(&h->texts);
    pm_pool_free(h->retired);
    free(h);
}

size_t pm_found_block_rows(const pm_found_block *h)
{
    return h->capture.block.state == PM_STATE_TOTALS ? 1 : h->capture.n_rows;
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = ((const pm_found_place *)a)->start, y = ((const pm_found_place *)b)->start;

    return x < y ? -1 : x > y;
}

static pmapdb_status place(pm_found_block *h, pmapdb_error *err)
{
    size_t n = h->capture.n_rows;

    h->places = calloc(n + 1, sizeof *h->places);
    if (!h->places)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        h->places[i] = (pm_found_place){pm_capture_row(&h->capture, i)->start, h->capture.rows[i]};
    qsort(h->places, n, sizeof *h->places, compare_places);
    return PMAPDB_OK;
}

pmapdb_status pm_found_block_place_of(pm_found_block *h, const pm_mapping *m, size_t *out,
                                      pmapdb_error *err)
{
    pm_found_place key = {.start = m->start};
    const pm_found_place *at;
    pmapdb_status st = h->places ? PMAPDB_OK : place(h, err);

    if (st != PMAPDB_OK)
        return st;
    at = bsearch(&key, h->places, h->capture.n_rows, sizeof *h->places, compare_places);
    *out = (size_t)(at - h->places);
    return PMAPDB_OK;
}

pm_category pm_found_block_base(pm_found_block *h, const pm_mapping *m)
{
    if (!h->prepared)
        pm_classify_prepare(&h->capture, &h->context);
    h->prepared = true;
    return pm_classify_mapping(&h->context, m);
}
