/* strip: a version table taken apart, changed, put together again. */
#include "store/strip.h"

#include "base/buf.h"
#include <stdlib.h>

void pm_strip_free(pm_strip *s, size_t n)
{
    for (size_t k = 0; s->captures && k < n; k++)
        free(s->captures[k].cell);
    free(s->captures);
    free(s->cells);
    free(s->saved);
    *s = (pm_strip){0};
}

pmapdb_status pm_strip_init(pm_strip *s, size_t n, pmapdb_error *err)
{
    s->captures = calloc(n + 1, sizeof *s->captures);
    return s->captures ? PMAPDB_OK : pm_fail_nomem(err);
}

#define NEW_CELL SIZE_MAX

/* Puts cell *at into capture k; NEW_CELL: a copy of `cell`, whose index *at then is. */
static pmapdb_status add_cell(pm_strip *s, size_t k, const pm_cell *cell, size_t *at,
                              pmapdb_error *err)
{
    pm_strip_capture *c = &s->captures[k];
    pmapdb_status st;

    if (*at == NEW_CELL) {
        st = pm_grow(&s->cells, &s->cap_cells, s->n_cells, sizeof *s->cells, err);
        if (st != PMAPDB_OK)
            return st;
        *at = s->n_cells++;
        s->cells[*at] = *cell;
    }
    st = pm_grow(&c->cell, &c->cap, c->n, sizeof *c->cell, err);
    if (st == PMAPDB_OK)
        c->cell[c->n++] = (uint32_t)*at;
    return st;
}

static pmapdb_status add_version(pm_strip *s, const pm_version *v, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&s->saved, &s->cap_saved, s->n_saved, sizeof *s->saved, err);

    if (st == PMAPDB_OK)
        s->saved[s->n_saved++] = *v;
    return st;
}

pmapdb_status pm_strip_add(pm_strip *s, size_t n, const pm_version *v, pmapdb_error *err)
{
    size_t at = NEW_CELL;
    pmapdb_status st = add_version(s, v, err);

    for (int64_t k = v->first < 0 ? 0 : v->first;
         st == PMAPDB_OK && k < (int64_t)n && (v->last == PMAPDB_UNKNOWN || k <= v->last); k++)
        st = add_cell(s, (size_t)k, &v->cell, &at, err);
    return st;
}

pmapdb_status pm_strip_make_room(pm_strip *s, size_t n, pmapdb_error *err)
{
    pm_strip_capture *grown = realloc(s->captures, (n + 2) * sizeof *grown);

    if (!grown)
        return pm_fail_nomem(err);
    s->captures = grown;
    return PMAPDB_OK;
}

void pm_strip_open_gap(pm_strip *s, size_t n, size_t k)
{
    memmove(&s->captures[k + 1], &s->captures[k], (n - k) * sizeof *s->captures);
    s->captures[k] = (pm_strip_capture){0};
}

static int compare_keys(const void *a, const void *b)
{
    int64_t x = ((const pm_cell *)a)->key, y = ((const pm_cell *)b)->key;

    return x < y ? -1 : x > y;
}

pmapdb_status pm_strip_set(pm_strip *s, size_t k, pm_cell *cells, size_t n, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    qsort(cells, n, sizeof *cells, compare_keys);
    s->captures[k].n = 0;
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        size_t at = NEW_CELL;

        if (i && cells[i].key == cells[i - 1].key)
            return pm_fail(err, PMAPDB_INPUT, "one mapping stands twice in a capture");
        st = add_cell(s, k, &cells[i], &at, err);
    }
    return st;
}

bool pm_strip_has_key(const pm_strip *s, size_t k, int64_t key)
{
    const pm_strip_capture *c = &s->captures[k];
    size_t low = 0, high = c->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->cells[c->cell[middle]].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->n && s->cells[c->cell[low]].key == key;
}

/* Capture k has this very cell; *hint moves up as the keys asked for do. */
static bool holds(const pm_strip *s, size_t k, const pm_cell *cell, size_t *hint)
{
    const pm_strip_capture *c = &s->captures[k];

    while (*hint < c->n && s->cells[c->cell[*hint]].key < cell->key)
        ++*hint;
    return *hint < c->n && s->cells[c->cell[*hint]].key == cell->key &&
           pm_metrics_equal(&s->cells[c->cell[*hint]].m, &cell->m);
}

int pm_version_compare(const pm_version *a, const pm_version *b)
{
    if (a->cell.key != b->cell.key)
        return a->cell.key < b->cell.key ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static int compare_versions(const void *a, const void *b)
{
    return pm_version_compare(a, b);
}

pmapdb_status pm_strip_versions(const pm_strip *s, size_t n, pm_strip *out, pmapdb_error *err)
{
    size_t *open = calloc(s->n_cells + 1, sizeof *open); /* cell -> its open version + 1 */
    pmapdb_status st = PMAPDB_OK;

    if (!open)
        return pm_fail_nomem(err);
    for (size_t k = 0; k < n && st == PMAPDB_OK; k++) {
        const pm_strip_capture *c = &s->captures[k];
        size_t before = 0, after = 0;

        for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++) {
            const pm_cell *cell = &s->cells[c->cell[i]];
            size_t version;

            if (k && holds(s, k - 1, cell, &before)) {
                version = open[s->captures[k - 1].cell[before]];
            } else {
                pm_version v = {*cell, (int64_t)k, PMAPDB_UNKNOWN};

                st = add_version(out, &v, err);
                version = out->n_saved;
            }
            open[c->cell[i]] = version;
            if (st == PMAPDB_OK && k + 1 < n && !holds(s, k + 1, cell, &after))
                out->saved[version - 1].last = (int64_t)k;
        }
    }
    free(open);
    if (st == PMAPDB_OK && out->n_saved)
        qsort(out->saved, out->n_saved, sizeof *out->saved, compare_versions);
    return st;
}

pmapdb_status pm_strip_split(pm_strip *from, pm_strip *to, size_t n, size_t k, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    to->captures = calloc(n - k + 1, sizeof *to->captures);
    if (!to->captures)
        return pm_fail_nomem(err);
    for (size_t i = k; i < n; i++)
        for (size_t j = 0; j < from->captures[i].n && st == PMAPDB_OK; j++) {
            size_t at = NEW_CELL;

            st = add_cell(to, i - k, &from->cells[from->captures[i].cell[j]], &at, err);
        }
    for (size_t i = k; i < n; i++) {
        free(from->captures[i].cell);
        from->captures[i] = (pm_strip_capture){0};
    }
    return st;
}

/* ---- versions alone ---- */

/* Adds to the end; a version that goes on where the one before ended is that one. */
static pmapdb_status continue_version(pm_strip *s, const pm_version *v, pmapdb_error *err)
{
    pm_version *before = s->n_saved ? &s->saved[s->n_saved - 1] : NULL;

    if (!before || before->cell.key != v->cell.key || before->last + 1 != v->first ||
        !pm_metrics_equal(&before->cell.m, &v->cell.m))
        return add_version(s, v, err);
    before->last = v->last;
    return PMAPDB_OK;
}

/* How many of the rising places lie below `place`. */
static size_t count_below(const int64_t *kept, size_t n, int64_t place)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (kept[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

pmapdb_status pm_strip_thin(const pm_strip *s, const int64_t *kept, size_t n, pm_strip *out,
                            pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < s->n_saved && st == PMAPDB_OK; i++) {
        pm_version v = s->saved[i];
        size_t first = count_below(kept, n, v.first);
        size_t end = v.last == PMAPDB_UNKNOWN ? n : count_below(kept, n, v.last + 1);

        if (first >= end)
            continue;
        v.first = (int64_t)first;
        v.last = end == n ? PMAPDB_UNKNOWN : (int64_t)end - 1;
        st = continue_version(out, &v, err);
    }
    return st;
}

pmapdb_status pm_strip_join(const pm_strip *a, size_t n, const pm_strip *b, pm_strip *out,
                            pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0, j = 0; (i < a->n_saved || j < b->n_saved) && st == PMAPDB_OK;) {
        bool from_a =
            i < a->n_saved && (j == b->n_saved || a->saved[i].cell.key <= b->saved[j].cell.key);
        pm_version v = from_a ? a->saved[i++] : b->saved[j++];

        if (!from_a)
            v.first += (int64_t)n;
        if (!from_a && v.last != PMAPDB_UNKNOWN)
            v.last += (int64_t)n;
        if (from_a && v.last == PMAPDB_UNKNOWN)
            v.last = (int64_t)n - 1;
        st = continue_version(out, &v, err);
    }
    return st;
}
