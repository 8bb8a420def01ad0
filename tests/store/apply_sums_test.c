/* apply_sums_test: sums by category made from versions by where they begin and end, against adding
 * up every capture. */
#include "kit.h"

#include "store/rules/apply_work.h"

#define CAPTURES 24
#define SHARES 60
#define SEEDS 400

static bool shows(const pm_share *s, int64_t k)
{
    return s->first <= k && (s->last == PMAPDB_UNKNOWN || s->last >= k);
}

static size_t make_shares(pm_share *share, size_t n_captures, uint64_t *seed)
{
    size_t n = kit_below(seed, SHARES);

    for (size_t i = 0; i < n; i++) {
        pm_share *s = &share[i];

        s->category_id = 1 + (int64_t)kit_below(seed, 5);
        s->first = (int64_t)kit_below(seed, n_captures);
        s->last = s->first + (int64_t)kit_below(seed, n_captures - (size_t)s->first);
        if (s->last == (int64_t)n_captures - 1)
            s->last = PMAPDB_UNKNOWN;
        s->totals.v[0] = 1;
        for (int k = 1; k < PM_TOTAL_COUNT; k++)
            s->totals.v[k] = kit_below(seed, 9) ? (int64_t)kit_below(seed, 3) : -1;
    }
    return n;
}

/* The captures that both ways make, as versions: strip.c puts them together. */
static void add_up(const pm_share *share, size_t n, size_t n_captures, pm_strip *out)
{
    pm_strip captures = {0};

    kit_ok(pm_strip_init(&captures, n_captures, NULL), NULL);
    for (size_t k = 0; k < n_captures; k++) {
        pm_cell cells[8] = {0};
        size_t n_cells = 0;
        pm_rollup r = {0};

        for (size_t i = 0; i < n; i++)
            if (shows(&share[i], (int64_t)k))
                kit_ok(pm_rollup_add(&r, share[i].category_id, &share[i].totals, NULL), NULL);
        for (size_t i = 0; i < r.n; i++) {
            cells[n_cells].key = r.item[i].category_id;
            memcpy(cells[n_cells++].m.v, r.item[i].v, sizeof r.item[i].v);
        }
        kit_ok(pm_strip_set(&captures, k, cells, n_cells, NULL), NULL);
        pm_rollup_free(&r);
    }
    kit_ok(pm_strip_versions(&captures, n_captures, out, NULL), NULL);
    pm_strip_free(&captures, n_captures);
}

static bool try_seed(uint64_t seed)
{
    pm_share share[SHARES] = {0};
    size_t n_captures = 1 + kit_below(&seed, CAPTURES);
    size_t n = make_shares(share, n_captures, &seed);
    pm_strip want = {0}, got = {0};
    bool same;

    add_up(share, n, n_captures, &want);
    kit_ok(pm_share_sums(share, n, n_captures, &got, NULL), NULL);
    same = got.n_saved == want.n_saved;
    for (size_t i = 0; i < got.n_saved && same; i++)
        same = memcmp(&got.saved[i], &want.saved[i], sizeof *got.saved) == 0;
    pm_strip_free(&want, 0);
    pm_strip_free(&got, 0);
    return same;
}

static void as_every_capture_adds_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (!try_seed(seed)) {
            print_error("seed %llu\n", (unsigned long long)seed);
            fail();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_every_capture_adds_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
