/* fit: the least squares of every shape equal the normal equations of naive matrices. */
#include "stats/matrix.h"

/* Least squares of a curve by the normal equations. */
typedef struct truth {
    double coef[2], rss, error[2]; /* variances for residuals of variance 1 */
} truth;

static truth truth_of(const pm_curve *c, int columns, double phi)
{
    double v[3][N], a[N][N], b[N];
    truth t = {0};

    for (int i = 0; i < N; i++) {
        for (int k = 0; k < columns; k++)
            v[k][i] = pm_curve_column(c, k, points.x[i]);
        v[2][i] = points.y[i];
    }
    t.rss = product(phi, v[2], v[2]);
    for (int want = -1; want < columns; want++) { /* the coefficients, then the inverse */
        for (int k = 0; k < columns; k++) {
            for (int j = 0; j < columns; j++)
                a[k][j] = product(phi, v[k], v[j]);
            b[k] = want < 0 ? product(phi, v[k], v[2]) : k == want;
        }
        solve(columns, a, b);
        for (int k = 0; k < columns && want < 0; k++) {
            t.coef[k] = b[k];
            t.rss -= b[k] * product(phi, v[k], v[2]);
        }
        if (want >= 0)
            t.error[want] = b[want];
    }
    return t;
}

static int columns_of(const pm_curve *c)
{
    switch (c->shape) {
    case PM_SHAPE_CONST:
        return 0;
    case PM_SHAPE_TWO_STEP:
    case PM_SHAPE_TWO_TAU:
    case PM_SHAPE_WARMUP_LINEAR:
    case PM_SHAPE_KNEE:
    case PM_SHAPE_STEP_LINEAR:
        return 2;
    default:
        return 1;
    }
}

/* The score is Schwarz' criterion, corrected for few points. */
static void expect_fitted(const pm_fitted *f, double quantum)
{
    int p = columns_of(&f->curve), dof = N - points.lives;
    truth t = truth_of(&f->curve, p, f->phi);
    double rss = t.rss + N * quantum * quantum / 12 * (1 + f->phi * f->phi), k = p + 1;

    for (int i = 0; i < p; i++)
        expect_close(f->curve.coef[i], t.coef[i], 1e3 + fabs(t.coef[i]));
    expect_close(f->score,
                 dof * log(rss / N) + p * log(dof) + 2 * k * (k + 1) / (dof - k) -
                     points.lives * log(1 - f->phi * f->phi),
                 1e2);
    if (p == 1) {
        pm_curve one = f->curve;

        one.coef[0] = 1;
        expect_close(f->end_error, fabs(pm_curve_end(&one)) * sqrt(rss / (dof - 1) * t.error[0]),
                     f->end_error);
    }
    if (f->curve.shape == PM_SHAPE_STEP_LINEAR || f->curve.shape == PM_SHAPE_KNEE)
        expect_close(f->end_error, sqrt(rss / (dof - 2) * t.error[1]), f->end_error);
    expect_close(f->end,
                 (pm_curve_value(&f->curve, 1 + 1e-6) - pm_curve_value(&f->curve, 1)) / 1e-6, 1e5);
}

/* No member of a shape is better than the member that was kept. */
static void expect_best(const pm_fit *fit, const pm_design *c, int shape)
{
    const pm_shape_info *info = &pm_shapes[shape];
    pm_curve curve = {.shape = info->shape};
    double best = INFINITY;
    int members = info->members == PM_AT_CUTS ? c->cuts : info->members;

    for (int i = 0; i < members; i++) {
        truth t;

        curve.at = c->of_shape[shape][i].at;
        t = truth_of(&curve, columns_of(&curve), c->phi);
        curve.coef[0] = t.coef[0];
        curve.coef[1] = t.coef[1];
        if (pm_curve_allowed(&curve))
            best = fmin(best, t.rss);
    }
    for (int i = 0; i < fit->n; i++)
        if (fit->shape[i].curve.shape == info->shape &&
            fit->shape[i].curve.outcome == info->outcome)
            expect_close(truth_of(&fit->shape[i].curve, columns_of(&curve), c->phi).rss, best,
                         best);
}

TEST(least_squares)
{
    static const double phis[] = {0.0, 0.7};

    for (int round = 0; round < 4; round++) {
        pm_fit fit = {.material = 50, .quantum = round % 2 ? 4 : 0};
        double sum = 0, families = 0;
        pm_design c = {0};

        make(1 + round / 2);
        assert_int_equal(pm_design_fit(&c, &points, phis[round % 2], NULL, NULL), PMAPDB_OK);
        pm_fit_add(&fit, &c, points.y, 0.0);
        assert_in_range(fit.n, PM_SHAPES - 3, PM_SHAPES + 3); /* some are not allowed */
        for (int i = 0; i < fit.n; i++) {
            expect_fitted(&fit.shape[i], fit.quantum);
            sum += fit.shape[i].weight;
        }
        for (int i = 0; i < PM_OUTCOMES; i++)
            families += fit.outcome[i].weight;
        expect_close(families, sum, sum);
        for (int s = 0; s < PM_SHAPES; s++)
            if (pm_shapes[s].first != PM_BASIS_NONE && pm_shapes[s].first != PM_BASIS_LINE)
                expect_best(&fit, &c, s);
        pm_design_free(&c);
    }
}

/* Evidence against a kind of noise lowers the weights of its shapes. */
TEST(against)
{
    pm_fit fit = {.material = 50}, other = {.material = 50};
    pm_design c = {0};
    double before;

    make(1);
    assert_int_equal(pm_design_fit(&c, &points, 0.35, NULL, NULL), PMAPDB_OK);
    pm_fit_add(&fit, &c, points.y, 0.0);
    before = fit.outcome[PM_OUTCOME_LEAK].weight;
    pm_fit_add(&fit, &c, points.y, 6.0); /* adds e^-3 of the weight */
    expect_close(fit.outcome[PM_OUTCOME_LEAK].weight, before * (1 + exp(-3)), before);
    pm_fit_add(&other, &c, points.y, 6.0); /* and in the other order */
    pm_fit_add(&other, &c, points.y, 0.0);
    expect_close(other.outcome[PM_OUTCOME_LEAK].weight, fit.outcome[PM_OUTCOME_LEAK].weight,
                 before);
    expect_close(other.reference, fit.reference, 100);
    pm_design_free(&c);
}

TEST(explained)
{
    pm_curve line = {.shape = PM_SHAPE_LINEAR}, flat = {.shape = PM_SHAPE_CONST};
    pm_curve step = {.shape = PM_SHAPE_STEP_LINEAR, .at = 0.4};

    for (int lives = 1; lives <= 2; lives++) {
        double all;

        make(lives);
        all = product(0, points.y, points.y);
        expect_close(pm_curve_explains(&line, &points), 1 - truth_of(&line, 1, 0).rss / all, 1);
        expect_close(pm_curve_explains(&step, &points), 1 - truth_of(&step, 2, 0).rss / all, 1);
        assert_true(pm_curve_explains(&flat, &points) == 0);
    }
    for (int i = 0; i < N; i++)
        points.y[i] = 7;
    assert_true(pm_curve_explains(&line, &points) == 0);
}

RUN_TESTS(NULL, NULL)
