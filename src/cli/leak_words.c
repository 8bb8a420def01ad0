/* leak_words: what a finding of pmapdb leaks is in words. */
#include "cli/leak_words.h"

#include "base/num.h"
#include "cli/next.h"
#include "render/number.h"
#include "stats/leaks/leaks.h"
#include <math.h>
#include <stdio.h>

#define HOUR_MS 3600000.0

/* ---- amounts ---- */

typedef struct scale {
    double of;
    const char *unit;
} scale;

static scale scale_of(const pm_leak_row *row, double v, bool human)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    scale s = {1, units[0]};

    if (pm_text_equal(row->unit, PM_TEXT("mappings")))
        return (scale){1, "mappings"};
    /* 1023.5 would round to 1024, which is 1 of the next unit. */
    for (size_t i = 0; human && fabs(v) / s.of >= 1023.5 && i + 1 < sizeof units / sizeof *units;
         i++)
        s = (scale){s.of * 1024, units[i + 1]};
    return s;
}

/* Estimates: three digits say enough, or all of those before the point. */
static pmapdb_status add_number(pm_buf *out, double v, const scale *s, pmapdb_error *err)
{
    char text[PM_NUMBER_TEXT];

    if (isnan(v))
        return pm_buf_addf(out, err, "?");
    v /= s->of;
    snprintf(text, sizeof text, fabs(v) >= 99.95 ? "%.0f" : "%.3g", v);
    return pm_buf_addf(out, err, "%s", text);
}

static pmapdb_status add_amount(pm_buf *out, const pm_leak_row *row, double v, bool human,
                                pmapdb_error *err)
{
    scale s = scale_of(row, v, human);
    pmapdb_status st = add_number(out, v, &s, err);

    return st == PMAPDB_OK ? pm_buf_addf(out, err, " %s", s.unit) : st;
}

static pmapdb_status add_span(pm_buf *out, double hours, pmapdb_error *err)
{
    char text[PM_NUMBER_TEXT];

    pm_number_span(hours * HOUR_MS, text);
    return pm_buf_addf(out, err, "%s", text);
}

pmapdb_status pm_leak_add_detectable(pm_buf *out, const pm_leak_row *row, bool human,
                                     pmapdb_error *err)
{
    pmapdb_status st = add_amount(out, row, row->detectable, human, err);

    return st == PMAPDB_OK ? pm_buf_addf(out, err, "/h") : st;
}

pmapdb_status pm_leak_add_course(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err)
{
    bool kib = !pm_text_equal(row->unit, PM_TEXT("mappings"));
    scale s = scale_of(row, row->last, human);
    pmapdb_status st = PMAPDB_OK;

    if (kib)
        st = pm_buf_addf(out, err, "%.*s ", (int)row->metric.len, row->metric.data);
    if (st == PMAPDB_OK)
        st = add_number(out, row->first, &s, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(out, err, " -> ");
    if (st == PMAPDB_OK)
        st = add_number(out, row->last, &s, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(out, err, " %s", s.unit);
    if (st == PMAPDB_OK && kib && row->mappings > 0)
        st = pm_buf_addf(out, err,
                         row->mappings >= 99.95 ? ", +%.0f mappings/h" : ", +%.3g mappings/h",
                         row->mappings);
    if (st == PMAPDB_OK && !isnan(row->span_h)) {
        st = pm_buf_addf(out, err, " over ");
        if (st == PMAPDB_OK)
            st = add_span(out, row->span_h, err);
    }
    if (st == PMAPDB_OK && row->snapshots != PMAPDB_UNKNOWN && row->lives != PMAPDB_UNKNOWN)
        st = pm_buf_addf(out, err, ", %lld snapshots, %lld li%s", (long long)row->snapshots,
                         (long long)row->lives, row->lives == 1 ? "fe" : "ves");
    return st;
}

pmapdb_status pm_leak_add_rate(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err)
{
    scale s = scale_of(row, row->rate, human);
    pmapdb_status st = pm_buf_addf(out, err, row->rate > 0 ? "+" : "");

    if (st == PMAPDB_OK)
        st = add_number(out, row->rate, &s, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(out, err, " %s/h [", s.unit);
    if (st == PMAPDB_OK)
        st = add_number(out, row->low, &s, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(out, err, ", ");
    if (st == PMAPDB_OK)
        st = add_number(out, row->high, &s, err);
    return st == PMAPDB_OK ? pm_buf_addf(out, err, "]") : st;
}

/* ---- shapes ---- */

/* What a person would say of the curve; others keep their names. */
static const char *words_of(pm_text shape)
{
    static const struct {
        pm_shape shape;
        const char *words;
    } known[] = {
        {PM_SHAPE_CONST, "flat"},
        {PM_SHAPE_LINEAR, "linear"},
        {PM_SHAPE_STEP, "one step"},
        {PM_SHAPE_TWO_STEP, "two steps"},
        {PM_SHAPE_PULSE, "up and down again"},
        {PM_SHAPE_SATURATING, "levelling off"},
        {PM_SHAPE_RAMP_THEN_FLAT, "a ramp, then flat"},
        {PM_SHAPE_LATE_RAMP, "flat, then linear"},
        {PM_SHAPE_POWER, "slower and slower"},
        {PM_SHAPE_LOG, "slower and slower"},
        {PM_SHAPE_WARMUP_LINEAR, "a warm-up, then linear"},
        {PM_SHAPE_TWO_TAU, "levelling off"},
        {PM_SHAPE_STEP_LINEAR, "linear with a step"},
        {PM_SHAPE_ACCELERATING, "faster and faster"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pm_text_equal(shape, pm_text_of(pm_shape_name(known[i].shape))))
            return known[i].words;
    return NULL;
}

pmapdb_status pm_leak_add_shape(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err)
{
    const char *words = words_of(row->shape);
    pmapdb_status st = PMAPDB_OK;

    (void)human;
    if (row->shape.len)
        st = pm_buf_addf(out, err, "%.*s", words ? (int)strlen(words) : (int)row->shape.len,
                         words ? words : row->shape.data);
    if (st == PMAPDB_OK && row->since.len >= 16) /* 2026-11-14T03:10:00Z */
        st = pm_buf_addf(out, err, " since %.10s %.5s UTC", row->since.data, row->since.data + 11);
    if (st == PMAPDB_OK && !isnan(row->confidence))
        st = pm_buf_addf(out, err, ", %.0f %% sure", fmin(99, floor(row->confidence * 100)));
    return st;
}

/* ---- limits ---- */

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

pmapdb_status pm_leak_add_limit(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err)
{
    pmapdb_status st;

    if (isnan(row->limit))
        return pm_buf_addf(out, err, "none known; --limit SIZE tells how long it lasts");
    st = pm_buf_addf(out, err, "%s", pm_leak_limit_words(row));
    if (st == PMAPDB_OK)
        st = add_amount(out, row, row->limit, human, err);
    if (st == PMAPDB_OK && isnan(row->eta_h))
        return pm_buf_addf(out, err, "; when it gets there is not known");
    if (st == PMAPDB_OK && row->eta_h <= 0)
        return pm_buf_addf(out, err, " is reached");
    if (st == PMAPDB_OK)
        st = pm_buf_addf(out, err, " in ");
    if (st == PMAPDB_OK)
        st = add_span(out, row->eta_h, err);
    if (st != PMAPDB_OK || isnan(row->low) || isnan(row->high) || row->high <= 0)
        return st;
    st = pm_buf_addf(out, err, " [");
    if (st == PMAPDB_OK)
        st = add_span(out, row->eta_h * row->rate / row->high, err);
    if (st == PMAPDB_OK && row->low <= 0)
        return pm_buf_addf(out, err, ", never]");
    if (st == PMAPDB_OK)
        st = pm_buf_addf(out, err, ", ");
    if (st == PMAPDB_OK)
        st = add_span(out, row->eta_h * row->rate / row->low, err);
    return st == PMAPDB_OK ? pm_buf_addf(out, err, "]") : st;
}

/* ---- what to do next ---- */

pmapdb_status pm_leak_add_next(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err)
{
    uint64_t lineage;
    bool one = row->is_lineage && !row->whole && pm_num_all(row->key, &lineage);
    pm_next next = {.category = row->category,
                    .name = row->name,
                    .pid = row->pid,
                    .process_id = row->process_id,
                    .lives = row->lives > 1,
                    .recorded = row->recorded,
                    .count = pm_text_equal(row->unit, PM_TEXT("mappings")),
                    .lineage = one ? (int64_t)lineage : PMAPDB_UNKNOWN};

    (void)human;
    /* A moment of an older life is none of the newest one's. */
    if (row->lives == 1)
        next.from = row->since;
    return pm_next_add(out, &next, err);
}
