/* phrases: prints the numbers of a leak in words. */
#include "cli/leaks/phrases.h"

#include "base/clock/clock.h"
#include "render/number.h"
#include "stats/leaks/leaks.h"
#include <inttypes.h>
#include <math.h>

#define HOUR_MS 3600000.0
#define LIVE_MS 86400000 /* the clock goes on for what was captured within a day */
#define FAR_H 87600.0    /* ten years: no date is meant */

/* ---- numbers ---- */

typedef struct number {
    char text[PM_NUMBER_TEXT];
} number;

typedef struct scale {
    double of;
    const char *unit;
} scale;

static scale scale_of(const pm_leak_row *r, double v, bool human)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    scale s = {1, units[0]};

    if (pm_text_equal(r->unit, PM_TEXT("mappings")))
        return (scale){1, "mappings"};
    /* 1023.5 would be rounded to 1024, which is 1 in the next unit. */
    for (size_t i = 1; human && fabs(v) / s.of >= 1023.5 && i < sizeof units / sizeof *units; i++)
        s = (scale){s.of * 1024, units[i]};
    return s;
}

/* Prints three significant digits of an estimate, or all digits before the decimal point. */
static number number_of(double v, scale s)
{
    number n = {"?"};

    v /= s.of;
    if (!isnan(v))
        snprintf(n.text, sizeof n.text, fabs(v) >= 99.95 ? "%.0f" : "%.3g", v);
    return n;
}

static number span_of(double hours)
{
    number n;

    pm_number_span(hours * HOUR_MS, n.text);
    return n;
}

/* ---- phrases ---- */

void pm_leak_print_as_of(FILE *out, const pm_leak_row *r, bool human)
{
    (void)human;
    if (r->last_at.len >= 19) /* 2026-11-14T03:10:02Z */
        fprintf(out, ", as of %.10s %.8s UTC", r->last_at.data, r->last_at.data + 11);
}

void pm_leak_print_course(FILE *out, const pm_leak_row *r, bool human)
{
    scale s = scale_of(r, r->last, human);

    if (pm_leak_row_is_kib(r))
        fprintf(out, "%.*s ", (int)r->metric.len, r->metric.data);
    fprintf(out, "%s -> %s %s", number_of(r->first, s).text, number_of(r->last, s).text, s.unit);
    if (pm_leak_row_is_kib(r) && r->mappings > 0)
        fprintf(out, ", +%s mappings/h", number_of(r->mappings, (scale){1, ""}).text);
    if (!isnan(r->span_h))
        fprintf(out, " over %s", span_of(r->span_h).text);
    if (r->snapshots != PMAPDB_UNKNOWN && r->lives != PMAPDB_UNKNOWN)
        fprintf(out, ", %" PRId64 " snapshots, %" PRId64 " li%s", r->snapshots, r->lives,
                r->lives == 1 ? "fe" : "ves");
    pm_leak_print_as_of(out, r, human);
}

void pm_leak_print_rate(FILE *out, const pm_leak_row *r, bool human)
{
    scale s = scale_of(r, r->rate, human);

    fprintf(out, "%s%s %s/h [%s, %s]", r->rate > 0 ? "+" : "", number_of(r->rate, s).text, s.unit,
            number_of(r->low, s).text, number_of(r->high, s).text);
}

void pm_leak_print_detectable(FILE *out, const pm_leak_row *r, bool human)
{
    scale s = scale_of(r, r->detectable, human);

    fprintf(out, "%s %s/h", number_of(r->detectable, s).text, isnan(r->detectable) ? "" : s.unit);
}

/* Returns everyday words for a shape, or its name if it has none. */
static pm_text words_of(pm_text shape)
{
    static const char *const words[PM_SHAPE_COUNT] = {
        [PM_SHAPE_CONST] = "flat",
        [PM_SHAPE_LINEAR] = "linear",
        [PM_SHAPE_STEP] = "one step",
        [PM_SHAPE_TWO_STEP] = "two steps",
        [PM_SHAPE_SATURATING] = "levelling off",
        [PM_SHAPE_KNEE] = "fast, then linear",
        [PM_SHAPE_RAMP_THEN_FLAT] = "a ramp, then flat",
        [PM_SHAPE_LATE_RAMP] = "flat, then linear",
        [PM_SHAPE_POWER] = "slower and slower",
        [PM_SHAPE_LOG] = "slower and slower",
        [PM_SHAPE_WARMUP_LINEAR] = "a warm-up, then linear",
        [PM_SHAPE_TWO_TAU] = "levelling off",
        [PM_SHAPE_STEP_LINEAR] = "linear with a step",
        [PM_SHAPE_ACCELERATING] = "faster and faster",
    };

    for (pm_shape s = 0; s < PM_SHAPE_COUNT; s++)
        if (words[s] && pm_text_equal(shape, pm_text_of(pm_shape_name(s))))
            return pm_text_of(words[s]);
    return shape;
}

void pm_leak_print_shape(FILE *out, const pm_leak_row *r, bool human)
{
    pm_text words = words_of(r->shape);

    (void)human;
    fprintf(out, "%.*s", (int)words.len, words.data);
    if (r->since.len >= 16) /* 2026-11-14T03:10:00Z */
        fprintf(out, " since %.10s %.5s UTC", r->since.data, r->since.data + 11);
    if (!isnan(r->confidence) &&
        (r->verdict == PM_VERDICT_LEAK || r->verdict == PM_VERDICT_SUSPECT))
        fprintf(out, ", %.0f %% sure", fmin(99, floor(r->confidence * 100)));
}

const char *pm_leak_limit_words(const pm_leak_row *row)
{
    static const struct {
        pm_leak_limit by;
        const char *words;
    } known[] = {{PM_LIMIT_CGROUP, "cgroup limit "},
                 {PM_LIMIT_ADDRESS, "address space limit (ulimit -v) "},
                 {PM_LIMIT_STACK, "stack limit (ulimit -s) "},
                 {PM_LIMIT_MAP_COUNT, "vm.max_map_count "}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pm_text_equal(row->limit_by, pm_text_of(pm_leak_limit_name(known[i].by))))
            return known[i].words;
    return "";
}

double pm_leak_left(const pm_leak_row *r, int64_t *at_ms)
{
    int64_t now = pm_clock_now(), last;
    double left;

    *at_ms = PMAPDB_UNKNOWN;
    if (isnan(r->eta_h) || r->eta_h > FAR_H || !pm_clock_parse(r->last_at, &last))
        return r->eta_h;
    *at_ms = last + (int64_t)(r->eta_h * HOUR_MS);
    left = (double)(*at_ms - now) / HOUR_MS;
    return now - last < LIVE_MS && left > 0 && left < r->eta_h ? left : r->eta_h;
}

void pm_leak_print_left(FILE *out, const pm_leak_row *r)
{
    char at[PM_CLOCK_TEXT], today[PM_CLOCK_TEXT];
    int64_t at_ms;

    fprintf(out, " in %s", span_of(pm_leak_left(r, &at_ms)).text);
    if (at_ms == PMAPDB_UNKNOWN)
        return;
    pm_clock_format(at_ms, at); /* 2026-11-14T03:10:02Z */
    pm_clock_format(pm_clock_now(), today);
    if (strncmp(at, today, 10) == 0)
        fprintf(out, ", at %.5s UTC", at + 11);
    else
        fprintf(out, ", at %.10s %.5s UTC", at, at + 11);
}

void pm_leak_print_limit(FILE *out, const pm_leak_row *r, bool human)
{
    scale s = scale_of(r, r->limit, human);
    int64_t at_ms;

    if (isnan(r->limit)) {
        fputs("none known; give --limit SIZE to see how long it lasts", out);
        return;
    }
    fprintf(out, "%s%s %s", pm_leak_limit_words(r), number_of(r->limit, s).text, s.unit);
    if (isnan(r->eta_h)) {
        fputs("; when it is reached is not known", out);
    } else if (r->eta_h <= 0) {
        fputs(" is reached", out);
    } else {
        double gone = r->eta_h - pm_leak_left(r, &at_ms);

        pm_leak_print_left(out, r);
        if (!isnan(r->low) && !isnan(r->high) && r->high > 0)
            fprintf(out, " [%s, %s]", span_of(fmax(r->eta_h * r->rate / r->high - gone, 0)).text,
                    r->low <= 0 ? "never" : span_of(r->eta_h * r->rate / r->low - gone).text);
    }
}
