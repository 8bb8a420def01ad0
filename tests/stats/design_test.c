/* design: whitening and products equal naive matrices; the same points share their columns. */
#include "stats/matrix.h"

TEST(whitening)
{
    static const double phis[] = {0.0, 0.35, 0.93};

    for (int lives = 1; lives <= 2; lives++)
        for (int k = 0; k < 3; k++) {
            double x[N], y[N];

            make(lives);
            pm_whiten(points.life, N, phis[k], points.x, x);
            pm_whiten(points.life, N, phis[k], points.y, y);
            expect_close(pm_dot(x, x, N), product(phis[k], points.x, points.x), 1);
            expect_close(pm_dot(x, y, N), product(phis[k], points.x, points.y), 1e3);
            expect_close(pm_dot(y, y, N), product(phis[k], points.y, points.y), 1e6);
        }
}

static void expect_column(const pm_design *c, const pm_regressor *is, pm_basis basis, double at)
{
    double raw[N], v[N], low = INFINITY, high = -INFINITY;

    assert_true(is->at == at);
    for (int i = 0; i < N; i++) {
        raw[i] = pm_basis_value(basis, at, points.x[i]);
        low = fmin(low, raw[i]);
        high = fmax(high, raw[i]);
    }
    pm_whiten(points.life, N, c->phi, raw, v);
    assert_memory_equal(is->v, v, sizeof v);
    assert_true(is->spread == high - low);
    expect_close(is->square, product(c->phi, raw, raw), 1 + is->square);
    expect_close(is->with_line, product(c->phi, raw, points.x), 1 + is->square);
}

static void expect_columns(const pm_design *c)
{
    double before = -1;

    expect_column(c, c->line, PM_BASIS_LINE, 0);
    assert_int_equal(c->cuts, points.lives == 1 ? N - 1 : c->cuts);
    for (int i = 0; i < c->cuts; i++) {
        expect_column(c, &c->steps[i], PM_BASIS_STEP, c->steps[i].at);
        assert_true(c->steps[i].at > before);
        before = c->steps[i].at;
        for (int j = i + 1; j < c->cuts; j++)
            assert_true(c->cross[i * c->cuts + j] == pm_dot(c->steps[i].v, c->steps[j].v, N));
    }
    for (int s = 0; s < PM_SHAPES; s++)
        for (int i = 0; c->of_shape[s] && i < pm_shapes[s].members; i++)
            if (pm_shapes[s].first != PM_BASIS_LINE)
                expect_column(c, &c->of_shape[s][i], pm_shapes[s].first,
                              pm_shape_at(&pm_shapes[s], i));
    for (int i = 0; i < PM_FAST_TAUS; i++)
        expect_column(c, &c->fast[i], PM_BASIS_SATURATE, pm_fast_taus[i]);
    for (int i = 0; i < PM_SLOW_TAUS; i++)
        expect_column(c, &c->slow[i], PM_BASIS_SATURATE, pm_slow_taus[i]);
}

TEST(columns_are_made_once)
{
    pm_design white = {0}, like = {0};
    const double *memory;

    make(1);
    assert_int_equal(pm_design_fit(&white, &points, 0.0, NULL, NULL), PMAPDB_OK);
    assert_int_equal(pm_design_fit(&like, &points, 0.7, &white, NULL), PMAPDB_OK);
    expect_columns(&white);
    expect_columns(&like);
    for (int i = 0; i < white.cuts; i++)
        assert_true(white.steps[i].at == 0.5 * (points.x[i] + points.x[i + 1]));
    memory = white.memory;
    points.y[3] += 1; /* measured values do not matter: new columns would overwrite memory[0] */
    white.memory[0] = 4711;
    assert_int_equal(pm_design_fit(&white, &points, 0.0, NULL, NULL), PMAPDB_OK);
    assert_true(white.memory == memory && white.memory[0] == 4711);
    assert_int_equal(pm_design_fit(&white, &points, 0.35, NULL, NULL), PMAPDB_OK);
    expect_columns(&white);
    points.x[N - 1] += 0.01;
    assert_int_equal(pm_design_fit(&white, &points, 0.35, NULL, NULL), PMAPDB_OK);
    expect_columns(&white);
    for (int i = BREAK; i < N; i++)
        points.life[i] = 1;
    points.lives = 2;
    assert_int_equal(pm_design_fit(&white, &points, 0.35, NULL, NULL), PMAPDB_OK);
    expect_columns(&white);
    pm_design_free(&white);
    pm_design_free(&like);
    assert_null(white.memory);
}

RUN_TESTS(NULL, NULL)
