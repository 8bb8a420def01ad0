/* sitting_test: sittings, their leaders, and the source of the lineages of each capture. */
#include "kit.h"

#include "store/write/sitting.h"

#define S PM_DIALECT_SMAPS
#define XX PM_DIALECT_PMAP_XX
#define X PM_DIALECT_PMAP_SMALL_X
#define P PM_DIALECT_PMAP

typedef struct capture {
    int64_t ms;
    pm_dialect dialect;
    int complete;
    int leads, base; /* expected; base -1: none */
} capture;

static pm_order order_of(const capture *c, size_t i)
{
    return (pm_order){.taken_ms = c->ms,
                      .dialect = c->dialect,
                      .state = c->complete ? PM_STATE_COMPLETE : PM_STATE_PARTIAL,
                      .ordinal = (int64_t)i};
}

/* Returns the newest capture of this stream among the first n stored ones, or -1. */
static int newest(const size_t *put, size_t n, const pm_order *o, pm_dialect dialect,
                  pm_state state)
{
    for (; n > 0; n--)
        if (o[put[n - 1]].dialect == dialect && o[put[n - 1]].state == state)
            return (int)put[n - 1];
    return -1;
}

typedef struct replay {
    pm_sitting sitting;
    pm_order o[16];
    size_t put[16], n;
} replay;

static void put(replay *r, const capture *wanted, size_t i, bool leads)
{
    int dialect = pm_sitting_base(&r->sitting), base = -1;

    if (dialect != PM_NO_LEADER)
        base = newest(r->put, r->n, r->o, (pm_dialect)dialect, PM_STATE_COMPLETE);
    else if (!leads)
        base = newest(r->put, r->n, r->o, r->o[i].dialect, r->o[i].state);
    if (wanted[i].leads != leads || wanted[i].base != base)
        fail_msg("capture %zu: leads %d, base %d", i, leads, base);
    pm_sitting_add(&r->sitting, &r->o[i]);
    r->put[r->n++] = i;
}

static void check(const capture *wanted, size_t n)
{
    replay r = {.sitting = pm_sitting_none()};
    pm_sitting whole = pm_sitting_none();

    for (size_t i = 0; i < n; i++)
        r.o[i] = order_of(&wanted[i], i);
    for (size_t from = 0, to; from < n; from = to) {
        pm_sitting s = pm_sitting_none();
        size_t leader = n;

        assert_false(pm_sitting_joins(&r.sitting, &r.o[from], KIT_SWEEP));
        pm_sitting_begin(&s, &r.o[from]);
        for (to = from; to == from || (to < n && pm_sitting_joins(&s, &r.o[to], KIT_SWEEP)); to++) {
            leader = pm_sitting_displaces(&s, &r.o[to], KIT_SWEEP) || to == from ? to : leader;
            pm_sitting_add(&s, &r.o[to]);
        }
        leader = s.leader == PM_NO_LEADER ? n : leader;
        pm_sitting_begin(&r.sitting, &r.o[from]);
        if (leader < n)
            put(&r, wanted, leader, true);
        for (size_t i = from; i < to; i++)
            if (i != leader)
                put(&r, wanted, i, false);
    }
    for (size_t i = 0; i < n; i++) {
        if (!pm_sitting_joins(&whole, &r.o[i], KIT_SWEEP))
            pm_sitting_begin(&whole, &r.o[i]);
        pm_sitting_add(&whole, &r.o[i]);
    }
    assert_int_equal(whole.leader, r.sitting.leader);
    assert_int_equal(whole.spine, r.sitting.spine);
    assert_int_equal(whole.seen, r.sitting.seen);
    assert_int_equal(pm_order_compare(&whole.last, &r.o[n - 1]), 0);
}

#define CHECK(...) \
    check((const capture[]){__VA_ARGS__}, sizeof((const capture[]){__VA_ARGS__}) / sizeof(capture))

TEST(leaders_form_the_spine)
{
    CHECK({0, S, 1, 1, -1}, {5000, S, 1, 1, 0}, {10000, S, 1, 1, 1});
    /* The dialect with most fields leads anywhere in a sitting; the others borrow from it. */
    CHECK({0, X, 1, 0, 1}, {100, S, 1, 1, -1}, {200, P, 1, 0, 1}, {5000, X, 1, 1, 1});
    CHECK({0, S, 1, 1, -1}, {0, X, 1, 0, 0}, {5000, S, 1, 1, 0}, {5000, XX, 1, 0, 2},
          {5000, X, 1, 0, 2});
}

TEST(partial_captures_never_lead)
{
    CHECK({0, S, 0, 0, 1}, {100, X, 1, 1, -1}, {5000, S, 0, 0, 1}, {9000, S, 1, 1, 1});
    /* Without a leader, a stream continues itself. */
    CHECK({0, S, 0, 0, -1}, {100, X, 0, 0, -1}, {5000, S, 0, 0, 0}, {5000, X, 0, 0, 1});
    /* complete and partial ones of one dialect are two streams */
    CHECK({0, S, 0, 0, -1}, {5000, S, 1, 1, -1}, {9000, S, 0, 0, 1});
}

TEST(sitting_ends)
{
    /* A sitting ends after the sweep. */
    CHECK({0, S, 1, 1, -1}, {KIT_SWEEP, X, 1, 0, 0});
    CHECK({0, S, 1, 1, -1}, {KIT_SWEEP + 1, X, 1, 1, 0});
    /* The sweep counts from the first capture of the sitting. */
    CHECK({0, X, 1, 0, 1}, {600, S, 1, 1, -1}, {1200, P, 1, 1, 1});
    /* A sitting ends if a dialect comes again. */
    CHECK({0, S, 1, 1, -1}, {300, S, 1, 1, 0}, {600, S, 1, 1, 1});
    CHECK({0, X, 1, 0, 1}, {100, S, 1, 1, -1}, {500, X, 1, 1, 1}, {700, P, 1, 0, 2});
    /* The same holds at equal times. */
    CHECK({0, S, 1, 1, -1}, {0, S, 1, 1, 0}, {0, X, 1, 0, 1});
    /* A partial capture counts for its dialect. */
    CHECK({0, S, 0, 0, -1}, {300, S, 1, 1, -1});
}

TEST(who_displaces_the_leader)
{
    const pm_order x = {.taken_ms = 0, .dialect = X}, s = {.taken_ms = 300, .dialect = S};
    const pm_order far = {.taken_ms = KIT_SWEEP + 1, .dialect = S};
    pm_sitting sitting = pm_sitting_none();

    pm_sitting_begin(&sitting, &x);
    pm_sitting_add(&sitting, &x);
    assert_true(pm_sitting_displaces(&sitting, &s, KIT_SWEEP));
    assert_false(pm_sitting_displaces(&sitting, &far, KIT_SWEEP));
    pm_sitting_begin(&sitting, &s);
    pm_sitting_add(&sitting, &s);
    assert_false(pm_sitting_displaces(&sitting, &x, KIT_SWEEP));
    assert_true(pm_sitting_joins(&sitting, &x, KIT_SWEEP));
}

RUN_TESTS(NULL, NULL)
