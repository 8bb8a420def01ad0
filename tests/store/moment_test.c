/* moment_test: which snapshots were captured together, which of them are preferred, and when to
 * report that a sweep was too short. PMAPDB_SEEDS=N: the number of orders. */
#include "world.h"

#include "store/write/moment.h"

#define LIVE 16
#define MS INT64_C(1700000000000)

typedef struct shot {
    int64_t ms;
    int pid;
    pm_dialect dialect;
    int state;      /* a pm_state, LIVE */
    int64_t moment; /* expected, in ms */
    int preferred;
} shot;

static void put(const kit *k, const shot *s, int64_t ordinal)
{
    bool totals = s->state == PM_STATE_TOTALS;
    pm_capture *c = totals ? kit_totals(k, s->dialect, s->pid, MS + s->ms)
                           : kit_capture(k, s->dialect, s->pid, MS + s->ms);

    kit_name(c, "app", PM_NAME_GIVEN);
    if (totals)
        kit_total(c, PM_TOTAL_RSS, PM_BIT(PM_RSS), 10);
    else
        kit_map(k, c, 0x7ff000000000U + (uint64_t)s->pid * 0x100000, 132, "rw-p", "[stack]");
    c->block.state = (pm_state)(s->state & ~LIVE);
    if (s->state & LIVE)
        c->time_source = PM_TIME_LIVE;
    c->block.hash = (uint64_t)ordinal + 1;
    c->ordinal = ordinal;
    kit_put(k, c);
}

/* Checks shots, which are in the order of time, stored in many orders. */
static void check(kit *k, const shot *shots, size_t n)
{
    pm_buf wanted = {0};

    for (size_t i = 0; i < n; i++)
        pm_buf_addf(&wanted, NULL, "%zu|%lld|%d\n", i, (long long)shots[i].moment,
                    shots[i].preferred);
    for (uint64_t seed = 0; seed < world_given("PMAPDB_SEEDS", 5); seed++) {
        uint64_t chance = seed;
        bool done[16] = {false};

        kit_anew(k);
        for (size_t stored = 0; stored < n;) {
            size_t i = seed ? kit_below(&chance, n) : stored;

            if (done[i])
                continue;
            done[i] = true;
            stored++;
            put(k, &shots[i], (int64_t)i);
        }
        kit_expect(k,
                   "SELECT ordinal, moment_ms - 1700000000000, preferred FROM snapshot "
                   "ORDER BY ordinal",
                   wanted.data);
    }
    pm_buf_free(&wanted);
}

#define CHECK(...) \
    check(k, (const shot[]){__VA_ARGS__}, sizeof((const shot[]){__VA_ARGS__}) / sizeof(shot))

#define S PM_DIALECT_SMAPS
#define XX PM_DIALECT_PMAP_XX
#define X PM_DIALECT_PMAP_SMALL_X
#define WHOLE PM_STATE_COMPLETE
#define PART PM_STATE_PARTIAL
#define SUMS PM_STATE_TOTALS

IN_KIT(processes_within_the_sweep)
{
    CHECK({0, 1, S, WHOLE, 0, 1}, {400, 2, S, WHOLE, 0, 1}, {1000, 3, S, WHOLE, 0, 1},
          {1001, 4, S, WHOLE, 1001, 1}, {1900, 5, S, WHOLE, 1001, 1}, {2100, 6, S, WHOLE, 2100, 1});
}

IN_KIT(until_a_process_comes_again)
{
    CHECK({0, 1, S, WHOLE, 0, 1}, {100, 2, S, WHOLE, 0, 1}, {500, 1, S, WHOLE, 500, 1},
          {600, 2, S, WHOLE, 500, 1}, {900, 2, S, WHOLE, 900, 1});
}

IN_KIT(one_dialect_of_a_process_is_preferred)
{
    CHECK({0, 1, X, WHOLE, 0, 0}, {0, 1, S, WHOLE, 0, 1}, {0, 2, X, WHOLE, 0, 1},
          {5000, 1, X, WHOLE, 5000, 1}, {5000, 2, XX, WHOLE, 5000, 1},
          {5000, 2, X, WHOLE, 5000, 0});
    /* Complete captures come before partial ones and totals. */
    CHECK({0, 1, S, PART, 0, 0}, {0, 1, X, WHOLE, 0, 1}, {5000, 1, S, SUMS, 5000, 0},
          {5000, 1, X, PART, 5000, 1});
    /* Totals come last in any dialect, but are preferred if they are alone. */
    CHECK({0, 1, XX, SUMS, 0, 0}, {0, 1, X, WHOLE, 0, 1},
          {5000, 1, PM_DIALECT_ROLLUP, SUMS, 5000, 0}, {5000, 1, X, SUMS, 5000, 1},
          {9000, 1, PM_DIALECT_ROLLUP, SUMS, 9000, 1});
}

/* A time belongs to one moment only, and a process counts once per moment. */
IN_KIT(equal_times)
{
    CHECK({0, 1, S, WHOLE, 0, 0}, {0, 1, S, WHOLE, 0, 1}, {5000, 1, S, WHOLE, 5000, 1});
    CHECK({0, 1, S, WHOLE, 0, 1}, {500, 1, S, WHOLE, 500, 1}, {500, 2, S, WHOLE, 500, 1});
    CHECK({0, 2, S, WHOLE, 0, 1}, {500, 1, S, WHOLE, 500, 1}, {500, 2, S, WHOLE, 500, 1},
          {700, 3, X, WHOLE, 500, 1});
}

/* One capture between others moves the moments of all that follow within reach. */
IN_KIT(insertion_ripples)
{
    CHECK({0, 1, S, WHOLE, 0, 1}, {900, 2, S, WHOLE, 0, 1}, {1800, 3, S, WHOLE, 1800, 1},
          {2700, 4, S, WHOLE, 1800, 1}, {3600, 5, S, WHOLE, 3600, 1}, {4500, 6, S, WHOLE, 3600, 1},
          {5400, 7, S, WHOLE, 5400, 1});
}

IN_KIT(other_names_do_not_count)
{
    for (int pid = 1; pid <= 2; pid++) {
        pm_capture *c = kit_capture(k, S, pid, MS + pid);

        kit_name(c, pid == 1 ? "a" : "b", PM_NAME_GIVEN);
        kit_map(k, c, 0x10000, 8, "rw-p", "");
        kit_put(k, c);
    }
    kit_expect(k, "SELECT moment_ms - taken_ms FROM snapshot", "0\n0\n");
}

static bool spread_of(const kit *k, char *text, size_t size)
{
    pm_moments_spread(k->store->sql, 1, MS, MS + 1000000, KIT_SWEEP, text, size);
    kit_steps(k);
    return *text;
}

IN_KIT(a_short_sweep_is_told)
{
    char text[256];

    for (int beat = 0; beat < 4; beat++)
        for (int pid = 1; pid <= 3; pid++)
            put(k, &(const shot){beat * 60000 + pid * 2000, pid, S, WHOLE, 0, 0}, beat * 3 + pid);
    assert_true(spread_of(k, text, sizeof text));
    assert_non_null(strstr(text, "'app'"));
    assert_non_null(strstr(text, "--sweep 6000ms"));
}

IN_KIT(lives_that_follow_each_other_are_not_spread)
{
    char text[256];

    for (int pid = 1; pid <= 4; pid++)
        for (int beat = 0; beat < 3; beat++)
            put(k, &(const shot){pid * 9000 + beat * 3000, pid, S, WHOLE, 0, 0}, pid * 3 + beat);
    assert_false(spread_of(k, text, sizeof text));
}

/* Beats can be closer together than a sweep of text captures. */
IN_KIT(a_live_sweep_is_a_moment)
{
    CHECK({0, 1, S, WHOLE | LIVE, 0, 1}, {0, 2, S, WHOLE | LIVE, 0, 1},
          {300, 1, PM_DIALECT_MAPS, WHOLE | LIVE, 300, 1}, {300, 3, S, WHOLE | LIVE, 300, 1},
          {600, 2, S, WHOLE | LIVE, 600, 1});
    CHECK({0, 1, S, WHOLE | LIVE, 0, 1}, {200, 2, X, WHOLE, 200, 1}, {400, 3, X, WHOLE, 200, 1},
          {500, 1, S, WHOLE | LIVE, 500, 1}, {500, 2, X, WHOLE, 500, 1},
          {700, 3, X, WHOLE, 700, 1});
}

/* The moments that a writer keeps equal those that another writer reads from the store before each
 * capture. Mostly in time order, with many captures at one time. */
IN_KIT(remembered_as_if_asked)
{
    static const char *const sql = "SELECT s.ordinal, p.pid, s.moment_ms - 1700000000000, "
                                   "s.preferred FROM snapshot s JOIN process p ON p.process_id = "
                                   "s.process_id ORDER BY 1";
    static const pm_dialect dialects[] = {S, S, S, XX, X};

    for (WORLD_SEEDS(seed, 4)) {
        kit *other = kit_new();
        pm_buf a = {0}, b = {0};
        uint64_t chance = seed;
        int64_t ms = 0;

        for (int64_t i = 0; i < 120; i++) {
            shot s = {.ms = ms, .pid = 1 + (int)kit_below(&chance, 6)};

            s.dialect = dialects[kit_below(&chance, 5)];
            s.state = kit_below(&chance, 8) ? WHOLE : PART;
            s.state |= seed % 2 && kit_below(&chance, 3) == 0 ? LIVE : 0;
            s.ms -= kit_below(&chance, 15) ? 0 : (int64_t)kit_below(&chance, 3000);
            put(k, &s, i + (int64_t)seed * 1000);
            pm_store_forget(other->store);
            put(other, &s, i + (int64_t)seed * 1000);
            ms += kit_below(&chance, 2) ? 0 : (int64_t)kit_below(&chance, 700);
        }
        kit_rows(k, &a, sql);
        kit_rows(other, &b, sql);
        assert_string_equal(a.data, b.data);
        pm_buf_free(&a);
        pm_buf_free(&b);
        kit_free(other);
        kit_anew(k);
    }
}

RUN_TESTS(NULL, NULL)
