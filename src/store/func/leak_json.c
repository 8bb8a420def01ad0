/* leak_json: a verdict as JSON text, written by hand: the extension links no JSON library. */
#include "store/func/leak_process.h"

#include "base/clock/clock.h"
#include "render/number.h"
#include <math.h>

#define HOUR_MS 3600000.0

static void add_name(pm_buf *out, const char *name)
{
    bool first = out->len && out->data[out->len - 1] == '{';

    pm_buf_addf(out, NULL, "%s\"%s\":", first ? "" : ",", name);
}

/* Bytes that are not UTF-8 stay: a path must pass through SQLite's JSON functions unchanged. */
static void add_text(pm_buf *out, const char *name, const char *text)
{
    add_name(out, name);
    pm_buf_addf(out, NULL, "\"");
    pm_buf_add_json(out, pm_text_of(text));
    pm_buf_addf(out, NULL, "\"");
}

static void add_words(pm_buf *out, const char *name, const char *words)
{
    if (words[0] != '\0')
        add_text(out, name, words);
}

/* Six digits, but all digits before the point; exact for an integer. */
static void add_number(pm_buf *out, const char *name, double v)
{
    char text[PM_NUMBER_TEXT];

    if (!isfinite(v))
        return;
    pm_number_brief(v == 0 ? 0 : v, text); /* no -0 */
    add_name(out, name);
    pm_buf_add(out, text, strlen(text), NULL);
}

static void add_time(pm_buf *out, const char *name, int64_t ms)
{
    char text[PM_CLOCK_TEXT];

    pm_clock_format(ms, text);
    add_words(out, name, text);
}

static void add_estimates(pm_buf *out, const pm_leak *row)
{
    const pm_trend *t = &row->trend;

    add_number(out, "rate_per_h", t->rate);
    add_number(out, "rate_low", t->low);
    add_number(out, "rate_high", t->high);
    add_number(out, "confidence", row->confidence);
    if (t->since_ms != INT64_MIN)
        add_time(out, "since", t->since_ms);
    else if (row->verdict == PM_VERDICT_LEAK || row->verdict == PM_VERDICT_SUSPECT)
        add_time(out, "since", t->first_ms);
    add_number(out, "detectable_per_h", t->detectable);
}

pmapdb_status pm_leak_json_add(pm_buf *out, const pm_leak *row, const char *key,
                               const char *category, pmapdb_error *err)
{
    const pm_trend *t = &row->trend;
    bool known = row->verdict != PM_VERDICT_TOO_FEW;

    pm_buf_add(out, "{", 1, NULL);
    if (key) {
        add_text(out, "key", key);
        add_words(out, "metric", pm_metric_names[row->metric]);
        add_words(out, "unit", row->metric == PM_METRIC_MAPPINGS ? "mappings" : "KiB");
    }
    add_words(out, "verdict", pm_verdict_names[row->verdict]);
    if (known && t->shape != PM_SHAPE_NONE)
        add_words(out, "shape", pm_shape_names[t->shape]);
    add_number(out, "snapshots", (double)t->snapshots);
    add_number(out, "lives", t->lives);
    add_number(out, "span_h", t->snapshots ? (double)(t->last_ms - t->first_ms) / HOUR_MS : NAN);
    add_number(out, "first", row->first);
    add_number(out, "last", row->last);
    if (known)
        add_estimates(out, row);
    add_number(out, "limit", row->limit);
    add_number(out, "eta_h", row->eta_h);
    add_words(out, "reason", row->reason);
    if (row->newest_ms != INT64_MIN)
        add_time(out, "last_at", row->newest_ms);
    if (key) {
        add_number(out, "mappings_per_h", row->mappings_rate);
        add_words(out, "why_metric", pm_metric_names[row->why_metric]);
        add_text(out, "category", category);
        add_words(out, "limit_by", pm_leak_limit_names[row->limit_by]);
        add_words(out, "rss_from", pm_leak_rss_names[row->rss_from]);
        add_words(out, "touched", row->touched);
    }
    pm_buf_add(out, "}", 1, NULL);
    return pm_buf_status(out, err);
}
