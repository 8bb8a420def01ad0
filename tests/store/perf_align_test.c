/* Two clocks by what both saw: found where it is clear, refused where it is not. */
#include "kit.h"

#include "store/perf/align.h"

#define S ((int64_t)1000000000)
#define OFFSET (1700000000 * S)

typedef struct scene {
    pm_align_edge edge[4096];
    pm_align_step step[4096];
    size_t n_edges, n_steps;
} scene;

static scene *new_scene(void)
{
    scene *s = calloc(1, sizeof *s);

    if (!s)
        abort();
    return s;
}

static void add_edge(scene *s, uint64_t address, int64_t ns, bool on)
{
    s->edge[s->n_edges++] = (pm_align_edge){address, ns, on};
}

/* What captures every `every` ns see of it. */
static void add_step(scene *s, uint64_t address, int64_t ns, bool on, int64_t every)
{
    int64_t from = (ns + OFFSET) / every * every;

    s->step[s->n_steps++] = (pm_align_step){address, from, from + every, on};
}

static pm_alignment align(scene *s)
{
    pm_alignment a;

    qsort(s->edge, s->n_edges, sizeof *s->edge, pm_align_compare_edges);
    kit_ok(pm_align(s->edge, s->n_edges, s->step, s->n_steps, OFFSET - 10000 * S,
                    OFFSET + 10000 * S, &a, NULL),
           NULL);
    return a;
}

static void found(void **state)
{
    scene *s = new_scene();
    uint64_t seed = 3;
    pm_alignment a;

    (void)state;
    for (uint64_t i = 0; i < 200; i++) { /* some of them unseen, some of others */
        int64_t ns = 1000 * S + (int64_t)kit_below(&seed, 300 * (uint64_t)S);

        add_edge(s, 4096 * i, ns, true);
        if (i % 3)
            add_step(s, 4096 * i, ns, true, 2 * S);
        else
            add_step(s, 4096 * i, ns + 50 * S + (int64_t)i * S, true, 2 * S);
    }
    a = align(s);
    assert_true(a.found);
    assert_true(llabs(a.offset_ns - OFFSET) <= a.slack_ns);
    assert_true(a.slack_ns < 2 * S);
    assert_true(a.votes >= 130 && a.votes <= 140);
    assert_int_equal(a.of, 200);
    free(s);
}

/* What comes and goes several times at one address. */
static void comes_and_goes(void **state)
{
    scene *s = new_scene();
    pm_alignment a;

    (void)state;
    for (uint64_t i = 0; i < 40; i++)
        for (int64_t k = 0; k < 4; k++) {
            int64_t ns = (int64_t)(i * 11) * S + k * (int64_t)(i + 7) * S;

            add_edge(s, 4096 * i, ns, k % 2 == 0);
            add_step(s, 4096 * i, ns, k % 2 == 0, 2 * S);
        }
    a = align(s);
    assert_true(a.found);
    assert_int_equal(a.votes, 160);
    assert_int_equal(a.of, 160);
    free(s);
}

/* Begins and ends are told apart. */
static void an_end_is_no_begin(void **state)
{
    scene *s = new_scene();

    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        add_edge(s, 4096 * i, (int64_t)(i * 7) * S, true);
        add_step(s, 4096 * i, (int64_t)(i * 7) * S, false, S);
    }
    assert_int_equal(align(s).of, 0);
    assert_false(align(s).found);
    free(s);
}

/* The same twice, 100 s apart: nobody can tell which. */
static void refused_where_two_are_alike(void **state)
{
    scene *s = new_scene();
    pm_alignment a;

    (void)state;
    for (uint64_t i = 0; i < 50; i++) {
        int64_t ns = (int64_t)(i * 3) * S;

        add_edge(s, 4096 * i, ns, true);
        add_edge(s, 4096 * i, ns + 1000 * S, true);
        add_step(s, 4096 * i, ns, true, S);
    }
    a = align(s);
    assert_false(a.found);
    assert_int_equal(a.votes, 50);
    assert_int_equal(a.rival, 50);
    free(s);
}

/* An address that is used again and again says nothing, and costs nothing. */
static void worn_addresses_do_not_vote(void **state)
{
    scene *s = new_scene();

    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        add_edge(s, 4096, (int64_t)i * S, true);
    add_step(s, 4096, 500 * S, true, S);
    assert_int_equal(align(s).of, 0);
    free(s);
}

/* One or two may agree by chance. */
static void refused_where_few_vote(void **state)
{
    scene *s = new_scene();

    (void)state;
    for (uint64_t i = 0; i < 2; i++) {
        add_edge(s, 4096 * i, (int64_t)(i * 7) * S, true);
        add_step(s, 4096 * i, (int64_t)(i * 7) * S, true, S);
    }
    assert_false(align(s).found);
    assert_int_equal(align(s).votes, 2);
    s->n_edges = s->n_steps = 0;
    assert_false(align(s).found);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),
        cmocka_unit_test(comes_and_goes),
        cmocka_unit_test(an_end_is_no_begin),
        cmocka_unit_test(refused_where_two_are_alike),
        cmocka_unit_test(worn_addresses_do_not_vote),
        cmocka_unit_test(refused_where_few_vote),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
