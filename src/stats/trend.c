/* trend: one series of a memory size or a count -> a verdict.
 *
 * sample -> points -> posteriors -> verdict -> refutations
 */
#include "stats/trend.h"

#include "stats/average.h"
#include "stats/elementary.h"
#include "stats/order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const pm_verdict_names[] = {"too-few", "steady",  "shrinking",
                                        "plateau", "suspect", "leak"};

const char *const pm_shape_names[] = {
    "",          "const", "linear", "step",          "two-step", "saturating",  "ramp-then-flat",
    "late-ramp", "power", "log",    "warmup+linear", "two-tau",  "step+linear", "accelerating",
    "knee"};

static double level_of(pm_sample *s)
{
    memcpy(s->work, s->raw, s->n * sizeof *s->work);
    return pm_median(s->work, s->n);
}

/* Growth of less than this over the window does not matter. */
static double material_of(double level, const pm_trend_options *options)
{
    double share = options->size ? PM_MATERIAL_SIZE : PM_MATERIAL_SHARE;

    return fmax(share * fmax(1.0, level), options->count ? PM_MATERIAL_COUNT : PM_MATERIAL_KIB);
}

/* The rate, averaged over the outcomes that the verdict stands for. */
static pm_slope rate_for(const pm_average *w, pm_verdict verdict)
{
    if (verdict == PM_VERDICT_LEAK)
        return pm_slope_of(w, PM_OUTCOME_LEAK, PM_OUTCOME_LEAK);
    if (verdict == PM_VERDICT_SUSPECT)
        return pm_slope_of(w, PM_OUTCOME_WATCH, PM_OUTCOME_LEAK);
    return pm_slope_of(w, PM_OUTCOME_BOUNDED, PM_OUTCOME_SHRINK);
}

/* The curve to show: of a leak the most likely one without an end. */
static const pm_fitted *shown(const pm_average *w, pm_verdict verdict)
{
    return verdict == PM_VERDICT_LEAK ? &w->endless : &w->top;
}

/* How far the best shape is from its lowest to its highest point, and from its first to its last.
 */
static void rise_of(const pm_average *w, double *range, double *rise)
{
    const pm_points *p = &w->points;
    double low = INFINITY, high = -INFINITY;

    for (int i = 0; i < p->n; i++) {
        double v = pm_curve_value(&w->top.curve, p->x[i]);

        low = fmin(low, v);
        high = fmax(high, v);
    }
    *range = high - low;
    *rise = pm_curve_value(&w->top.curve, p->x[p->n - 1]) - pm_curve_value(&w->top.curve, p->x[0]);
}

/* True if the series grew and did not give the growth back. */
static bool has_grown(const pm_average *w)
{
    double range, rise;

    rise_of(w, &range, &rise);
    return rise >= w->material && rise >= 0.5 * range;
}

/* A rise smaller than half a quantum is not a rise, and a line with a small step is a line. */
static pm_shape shape_of(const pm_average *w, pm_verdict verdict)
{
    const pm_curve *curve = &shown(w, verdict)->curve;
    double range, rise;

    rise_of(w, &range, &rise);
    if (range < 0.5 * w->quantum)
        return PM_SHAPE_CONST;
    if (curve->shape == PM_SHAPE_STEP_LINEAR &&
        fabs(curve->coef[0]) < PM_STEP_SHOWN * fabs(curve->coef[1]))
        return PM_SHAPE_LINEAR;
    return curve->shape;
}

static pm_verdict by_posterior(const pm_average *w)
{
    double leak = w->posterior[PM_OUTCOME_LEAK], watch = w->posterior[PM_OUTCOME_WATCH];
    bool explained = w->r2 >= PM_R2_SMOOTH ||
                     (w->r2 >= PM_R2_MIN && w->line.end >= PM_STEEP * w->line.end_error);
    bool grows = explained && pm_slope_of(w, PM_OUTCOME_WATCH, PM_OUTCOME_LEAK).rate > 0.0;

    if (grows && (leak >= PM_POSTERIOR_LEAK || leak + watch >= PM_POSTERIOR_SUSPECT))
        return PM_VERDICT_SUSPECT;
    if (w->posterior[PM_OUTCOME_SHRINK] >= PM_POSTERIOR_SHRINK &&
        rate_for(w, PM_VERDICT_SHRINKING).high < 0.0)
        return PM_VERDICT_SHRINKING;
    if (w->posterior[PM_OUTCOME_BOUNDED] >= 0.5 && has_grown(w))
        return PM_VERDICT_PLATEAU;
    return PM_VERDICT_STEADY;
}

static int64_t to_ms(double seconds)
{
    return (int64_t)floor(seconds * 1000.0 + 0.5);
}

/* When the growth began, if the shape has such a place. */
static int64_t since_of(const pm_average *w, pm_verdict verdict)
{
    const pm_sample *s = &w->sample;
    const pm_curve *curve = &shown(w, verdict)->curve;
    pm_shape shape = curve->shape;
    double at = s->t[s->life[s->lives - 1].begin] + curve->at * s->span;

    if (s->lives > 1 || (shape != PM_SHAPE_LATE_RAMP && shape != PM_SHAPE_STEP))
        return INT64_MIN;
    return to_ms(at);
}

/* The least steady growth that the series would show, per span: against the noise around the curve
 * that says that it grows, or else around the straight line. */
static double detectable_of(const pm_average *w, pm_verdict verdict)
{
    const pm_fitted *curve = shown(w, verdict);
    bool grows = verdict >= PM_VERDICT_SUSPECT && curve->curve.outcome != PM_OUTCOME_BOUNDED;

    return fmax(w->material, PM_STEEP * (grows ? curve->end_error : w->line.end_error));
}

static pm_confidence as_leak(const pm_average *w)
{
    return pm_confidence_of(w, rate_for(w, PM_VERDICT_LEAK).rate,
                            detectable_of(w, PM_VERDICT_LEAK));
}

static double confidence_of(const pm_average *w, pm_verdict verdict)
{
    const double *posterior = w->posterior;

    if (verdict == PM_VERDICT_LEAK)
        return as_leak(w).grows;
    if (verdict == PM_VERDICT_SUSPECT)
        return posterior[PM_OUTCOME_LEAK] + posterior[PM_OUTCOME_WATCH];
    return posterior[PM_OUTCOME_BOUNDED] + posterior[PM_OUTCOME_SHRINK];
}

/* Growth of less than half a quantum in the window is rounding. */
static double rounded(const pm_average *w, double slope)
{
    return fabs(slope) < 0.5 * w->quantum ? 0.0 : slope;
}

/* True if the growth is a leak, which its own numbers do not deny. Else the reason says why not, if
 * the growth is nearly a leak. */
static bool leaks(const pm_average *w, char *reason)
{
    double wanted = w->options->leak_posterior;
    bool high = wanted > 0.0 && wanted < PM_POSTERIOR_LEAK;
    bool low = wanted > PM_POSTERIOR_LEAK;
    double sure = high ? wanted : low ? PM_SURE_LOW : PM_SURE;
    double steady = high ? wanted : low ? PM_STEADY_LOW : PM_STEADY;
    pm_slope r = rate_for(w, PM_VERDICT_LEAK);
    pm_confidence c;

    if (w->posterior[PM_OUTCOME_LEAK] < PM_POSTERIOR_LEAST || r.rate <= 0.0)
        return false;
    c = as_leak(w);
    if (c.steady < steady)
        return false;
    if (c.grows < sure)
        snprintf(reason, PM_REASON, "goes on with a probability of %.0f %%", floor(100 * c.grows));
    else if (rounded(w, pm_slope_of_leak(w).low) <= 0.0)
        snprintf(reason, PM_REASON, "the interval of the rate includes 0");
    else if (r.rate < detectable_of(w, PM_VERDICT_LEAK))
        snprintf(reason, PM_REASON, "slower than these snapshots can show");
    else if (w->posterior[PM_OUTCOME_BOUNDED] >= PM_POSTERIOR_END)
        snprintf(reason, PM_REASON, "may have ended recently");
    else
        return true;
    return false;
}

static pm_verdict verdict_of(const pm_average *w, char *reason)
{
    char doubt[PM_REASON] = "";
    pm_verdict verdict = leaks(w, doubt) ? PM_VERDICT_LEAK : by_posterior(w);

    if (verdict >= PM_VERDICT_SUSPECT &&
        pm_growth_is_over(&w->sample, &w->points, w->line.end, reason))
        return PM_VERDICT_PLATEAU;
    if (verdict == PM_VERDICT_SUSPECT)
        memcpy(reason, doubt, sizeof doubt);
    return verdict;
}

static void report(const pm_average *w, pm_trend *out)
{
    double per_hour = 3600.0 / w->sample.span;
    pm_slope r;

    out->verdict = verdict_of(w, out->reason);
    out->confidence = confidence_of(w, out->verdict);
    r = out->verdict == PM_VERDICT_LEAK ? pm_slope_of_leak(w) : rate_for(w, out->verdict);
    out->rate = rounded(w, r.rate) * per_hour;
    out->low = rounded(w, r.low) * per_hour;
    out->high = rounded(w, r.high) * per_hour;
    out->since_ms = since_of(w, out->verdict);
    out->detectable = detectable_of(w, out->verdict) * per_hour;
    out->shape = shape_of(w, out->verdict);
}

/* True if the load of days may explain the growth: the series is long, or one life shows such a
 * load, or the longest of several lives has a day. */
static bool has_days(const pm_sample *s, double days)
{
    if (days >= PM_DAYS_FREE)
        return true;
    return days >= PM_DAYS_MIN &&
           (s->lives > 1 ? s->span >= 86400.0 : !(s->daily < PM_PROFILE_SEEN));
}

/* A service that is captured every few minutes is asked every day, and one of its days looks like a
 * leak by chance. Under the load of days a start-up takes a week. */
static void doubt_days(const pm_average *w, const pm_daily *d, pm_trend *out)
{
    const pm_sample *s = &w->sample;
    double days = (double)(out->last_ms - out->first_ms) / 86400000.0;
    bool starts = out->shape == PM_SHAPE_WARMUP_LINEAR || out->shape == PM_SHAPE_KNEE ||
                  w->posterior[PM_OUTCOME_WATCH] > w->posterior[PM_OUTCOME_LEAK];
    bool dense = !w->points.floor && (double)out->snapshots >= PM_DAYS_DENSE * days;
    double sure = out->lives > 1 || days < PM_DAYS_FEW ? PM_DAYS_SURE_MORE : PM_SURE_LOW;

    if (out->verdict != PM_VERDICT_LEAK || !has_days(s, days) || out->confidence >= sure ||
        d->evidence >= PM_DAYS_EVIDENCE || !(dense || (s->seasonal && starts)))
        return;
    out->verdict = PM_VERDICT_SUSPECT;
    snprintf(out->reason, PM_REASON, "the days do not confirm the growth yet");
}

/* Judges lives of days by their days: a leak that came with a release, or later, resets with each
 * life, and the load hides it. */
static void judge_days(const pm_series *series, pm_average *w, pm_trend *out)
{
    pm_daily d = {0};
    bool found = pm_daily_of(series, w->sample.work, &d);

    doubt_days(w, &d, out);
    if (!found || w->sample.lives == 1 || out->verdict == PM_VERDICT_LEAK ||
        d.evidence < PM_DAYS_EVIDENCE || d.rate < PM_DAYS_SHARE * w->level)
        return;
    out->verdict = PM_VERDICT_LEAK;
    out->shape = d.since > 0.0 ? PM_SHAPE_LATE_RAMP : PM_SHAPE_LINEAR;
    out->rate = d.rate / 24;
    out->low = (d.rate - PM_DAYS_WIDER * PM_Z90 * d.error) / 24;
    out->high = (d.rate + PM_DAYS_WIDER * PM_Z90 * d.error) / 24;
    out->detectable = PM_STEEP * d.error / 24;
    out->since_ms = d.since > 0.0 ? to_ms(d.since) : INT64_MIN;
    out->confidence = 1 - pm_exp(-d.evidence / PM_DAYS_DOUBT);
    snprintf(out->reason, PM_REASON, "the daily means grow by more than load and start-up explain");
}

static pmapdb_status judge(const pm_series *series, pm_average *w, pm_trend *out, pmapdb_error *err)
{
    pm_sample *s = &w->sample;
    bool enough = false;
    pmapdb_status st;

    if (s->lives == 0)
        return PMAPDB_OK;
    out->snapshots = s->snapshots;
    out->lives = s->lives;
    out->first_ms = to_ms(s->first);
    out->last_ms = to_ms(s->t[s->n - 1]);
    w->level = level_of(s);
    w->material = material_of(w->level, w->options);
    w->quantum = w->options->quantum > 0.0 ? w->options->quantum : 1.0;
    if (s->lives == 1)
        pm_season_remove(s);
    st = pm_average_models(w, &enough, err);
    if (!st && enough) {
        report(w, out);
        judge_days(series, w, out);
    }
    return st;
}

pmapdb_status pm_trend_judge(const pm_series *series, const pm_trend_options *options,
                             pm_trend *out, pmapdb_error *err)
{
    pm_average w = {.options = options, .room = options->room};
    pmapdb_status st = PMAPDB_OK;

    *out = (pm_trend){.since_ms = INT64_MIN, .snapshots = series->n};
    if (!w.room)
        st = pm_trend_room_open(&w.room, err);
    if (!st)
        st = pm_sample_make(series, &w.sample, err);
    if (!st)
        st = judge(series, &w, out, err);
    pm_sample_free(&w.sample);
    if (w.room != options->room)
        pm_trend_room_close(w.room);
    return st;
}
