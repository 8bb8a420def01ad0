/* points: buckets, sawteeth and staircases with results that are known by hand. */
#include "stats/samples.h"

#include <string.h>

static pm_points points;

static void points_of(size_t n, int most)
{
    take(n);
    pm_points_of(&sample, most, &points);
}

/* ---- buckets ---- */

/* Each point of a straight line lies on the line, whatever the buckets. */
static void expect_line(size_t n, int most, int count)
{
    every(HOUR / 2, n);
    for (size_t i = 0; i < n; i++)
        value[i] = 300 + 4 * (double)i;
    points_of(n, most);
    assert_int_equal(points.n, count);
    assert_true(!points.floor && !points.staircase && points.lives == 1);
    for (int i = 0; i < count; i++) {
        double place = 300 + 4 * (double)(n - 1) * points.x[i];

        assert_true(fabs(points.y[i] - place) < 1e-9 * place);
        assert_true(points.x[i] >= 0 && points.x[i] <= 1 && points.life[i] == 0);
        assert_true(i == 0 || points.x[i] > points.x[i - 1]);
    }
}

TEST(buckets)
{
    expect_line(960, PM_BUCKETS, 32);
    expect_line(960, PM_BUCKETS_FEWER, 23);
    expect_line(960, PM_BUCKETS_FEWEST, 16);
    expect_line(48, PM_BUCKETS, 16);
    expect_line(47, PM_BUCKETS, 23);
    expect_line(14, PM_BUCKETS, 7);
    expect_line(8, PM_BUCKETS, PM_POINTS_MIN);
}

/* An outlier does not move its bucket; a bucket without values has no point. */
TEST(buckets_of_odd_data)
{
    every(HOUR, 192);
    for (size_t i = 0; i < 192; i++)
        value[i] = 500;
    value[50] = 1e9;
    value[120] = 0;
    points_of(192, PM_BUCKETS);
    assert_int_equal(points.n, 32);
    for (int i = 0; i < points.n; i++)
        assert_true(points.y[i] == 500);
    for (size_t i = 96; i < 192; i++)
        ms[i] += INT64_C(192) * HOUR;
    points_of(192, PM_BUCKETS);
    assert_int_equal(points.n, 16);
    assert_true(points.x[7] < 0.26 && points.x[8] > 0.74);
}

TEST(buckets_of_lives)
{
    every(HOUR, 800);
    for (size_t i = 0; i < 800; i++) {
        value[i] = 100 + (double)(i % 100);
        life[i] = (int32_t)(i / 100);
    }
    points_of(800, PM_BUCKETS);
    assert_int_equal(points.n, 8 * 16);
    for (int i = 0; i < points.n; i++) {
        assert_int_equal(points.life[i], i / 16);
        assert_true(fabs(points.y[i] - (125 + 74 * points.x[i])) < 1e-9 * 200); /* after start-up */
    }
}

/* ---- sawtooth ---- */

static void sawtooth(size_t n, size_t period, double leak)
{
    every(HOUR, n);
    for (size_t i = 0; i < n; i++)
        value[i] = 1000 + 20 * (double)(i % period) + leak * floor((double)i / (double)period);
}

TEST(floors)
{
    sawtooth(120, 12, 7);
    points_of(120, PM_BUCKETS);
    assert_true(points.floor && !points.staircase);
    assert_int_equal(points.n, 10); /* the series begins at a floor, too */
    for (int i = 0; i < points.n; i++) {
        assert_true(points.y[i] == 1000 + 7 * i);
        assert_true(fabs(points.x[i] - 12 * i / 119.0) < 1e-12);
    }
    for (size_t i = 0; i < 12; i++)
        value[i] += 200; /* the series does not begin at a floor */
    points_of(120, PM_BUCKETS);
    assert_int_equal(points.n, 9);
    assert_true(points.y[0] == 1007 && fabs(points.x[0] - 12 / 119.0) < 1e-12);
}

TEST(many_floors)
{
    sawtooth(900, 9, 0); /* 100 teeth are joined in groups of four */
    for (size_t i = 0; i < 900; i++)
        value[i] -= i % 36 == 9 ? 5 : 0;
    points_of(900, PM_BUCKETS);
    assert_true(points.floor);
    assert_int_equal(points.n, 25);
    for (int i = 0; i < 25; i++)
        assert_true(points.y[i] == 995);
}

static size_t teeth_of(size_t n, size_t *out)
{
    double *work = malloc(n * sizeof *work);
    size_t count;

    assert_non_null(work);
    count = pm_sawtooth_find(value, n, work, out);
    free(work);
    return count;
}

TEST(teeth)
{
    size_t at[MOST];

    sawtooth(100, 10, 3);
    assert_int_equal(teeth_of(100, at), 9);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(at[i], 10 * (i + 1));
    for (size_t i = 0; i < 100; i++) /* each second fall takes two snapshots */
        value[i] = i % 20 < 10 ? 20 * (double)(i % 10) : i % 20 == 19 ? 40 : 10 * (double)(i % 10);
    assert_int_equal(teeth_of(100, at), 9);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(at[i], 10 * (i + 1));
    sawtooth(50, 10, 3);
    assert_int_equal(teeth_of(50, at), 4);
    sawtooth(40, 10, 3); /* three falls do not make a sawtooth */
    assert_int_equal(teeth_of(40, at), 0);
    sawtooth(11, 2, 0); /* too few snapshots */
    assert_int_equal(teeth_of(11, at), 0);
    for (size_t i = 0; i < 300; i++)
        value[i] = noise(i);
    assert_int_equal(teeth_of(300, at), 0);
    for (size_t i = 0; i < 300; i++) /* falls are hardly steeper than rises */
        value[i] = i % 5 == 4 ? 30 : 20 * (double)(i % 5);
    assert_int_equal(teeth_of(300, at), 0);
    for (size_t i = 0; i < 300; i++) /* large rises, too */
        value[i] = 2 * (double)(i % 20) + (i % 20 < 10 ? 0 : 60);
    assert_int_equal(teeth_of(300, at), 0);
}

/* ---- staircase ---- */

/* A table that doubles whenever the need, which grows from 3 by `slope` an hour, exceeds it. */
static void doubling(size_t n, double slope)
{
    double room = 4;

    every(HOUR, n);
    for (size_t i = 0; i < n; i++) {
        while (3 + slope * (double)i > room)
            room *= 2;
        value[i] = room;
    }
}

TEST(corners)
{
    double slope = 0.29;

    doubling(300, slope); /* to 89.7: five steps */
    points_of(300, PM_BUCKETS);
    assert_true(points.staircase && !points.floor);
    assert_int_equal(points.n, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(points.y[i] == 4 << i);
        assert_true(fabs(3 + slope * 299 * points.x[i] - points.y[i]) <= slope / 2);
    }
    assert_true(points.late_step == 64);
}

/* A last step that is longer than any step before shows that the growth may be over. */
TEST(tail_of_stairs)
{
    every(HOUR, 200);
    for (size_t i = 0; i < 200; i++)
        value[i] = 100.0 * (i < 120 ? floor((double)i / 20) : 6);
    points_of(200, PM_BUCKETS);
    assert_true(points.staircase);
    assert_int_equal(points.n, 6 + 3 + 1);
    for (int i = 0; i < points.n; i++)
        assert_true(points.y[i] == 100.0 * (i < 6 ? i : 6));
    assert_true(fabs(points.x[6] - 139 / 199.0) < 1e-12 && points.x[9] == 1.0);
    assert_true(points.x[8] > points.x[7] && points.x[9] > points.x[8]);
}

static void expect_no_stairs(size_t n)
{
    points_of(n, PM_BUCKETS);
    assert_false(points.staircase);
}

TEST(no_stairs)
{
    doubling(300, 0.29);
    value[150] -= 3; /* the series falls */
    expect_no_stairs(300);
    for (size_t i = 0; i < 300; i++) /* four steps */
        value[i] = 10.0 * floor((double)i / 60);
    expect_no_stairs(300);
    every(HOUR, 300);
    for (size_t i = 0; i < 300; i++) /* the steps are over before the half */
        value[i] = 10.0 * (i < 140 ? floor((double)i / 20) : 7);
    expect_no_stairs(300);
    for (size_t i = 0; i < 300; i++) /* ramps between the steps */
        value[i] = (double)i * 5 + 100.0 * floor((double)i / 50);
    expect_no_stairs(300);
    for (size_t i = 0; i < 23; i++) /* three snapshots per step */
        value[i] = 10.0 * floor((double)i / 3);
    expect_no_stairs(23);
    for (size_t i = 0; i < 300; i++)
        value[i] = 100.0 * floor((double)i / 50);
    for (size_t i = 50; i < 300; i += 50) /* a step may take two snapshots */
        value[i] -= 40;
    points_of(300, PM_BUCKETS);
    assert_true(points.staircase && points.n == 5);
    for (size_t i = 0; i < 300; i++)
        life[i] = i >= 150;
    expect_no_stairs(300);
}

RUN_TESTS(NULL, let_go)
