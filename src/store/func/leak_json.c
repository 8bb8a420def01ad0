/* leak_json: one verdict as text. Written by hand: the extension links no JSON library. */
#include "store/func/leak_json.h"

#include "base/clock.h"
#include "render/number.h"
#include <math.h>
#include <stdio.h>

#define HOUR_MS 3600000.0

typedef struct writer {
    pm_buf *out;
    bool any;
    pmapdb_status st;
    pmapdb_error *err;
} writer;

static void add(writer *w, const char *bytes, size_t n)
{
    if (w->st == PMAPDB_OK)
        w->st = pm_buf_add(w->out, bytes, n, w->err);
}

static void add_name(writer *w, const char *name)
{
    if (w->st == PMAPDB_OK)
        w->st = pm_buf_addf(w->out, w->err, "%s\"%s\":", w->any ? "," : "", name);
    w->any = true;
}

/* Bytes that are not UTF-8 stay as they are: a path must come out of SQLite's JSON functions as it
 * went in. */
static void add_text(writer *w, const char *name, pm_text t)
{
    char escape[8];
    size_t from = 0;

    if (!t.data)
        return;
    add_name(w, name);
    add(w, "\"", 1);
    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.data[i];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        add(w, t.data + from, i - from);
        snprintf(escape, sizeof escape, c < 0x20 ? "\\u%04x" : "\\%c", c);
        add(w, escape, strlen(escape));
        from = i + 1;
    }
    add(w, t.data + from, t.len - from);
    add(w, "\"", 1);
}

static void add_words(writer *w, const char *name, const char *words)
{
    if (words[0] != '\0')
        add_text(w, name, pm_text_of(words));
}

/* Six digits, all of those before the point; exact where it is whole. */
static void add_number(writer *w, const char *name, double v)
{
    char text[PM_NUMBER_TEXT];

    if (!isfinite(v))
        return;
    pm_number_brief(v == 0 ? 0 : v, text); /* no -0 */
    add_name(w, name);
    add(w, text, strlen(text));
}

static void add_time(writer *w, const char *name, int64_t ms)
{
    char text[PM_CLOCK_TEXT];

    pm_clock_format(ms, text);
    add_words(w, name, text);
}

static bool is_growing(pm_verdict verdict)
{
    return verdict == PM_VERDICT_LEAK || verdict == PM_VERDICT_SUSPECT;
}

static void add_estimates(writer *w, const pm_leak *row)
{
    const pm_trend *t = &row->trend;

    add_number(w, "rate_per_h", t->rate);
    add_number(w, "rate_low", t->low);
    add_number(w, "rate_high", t->high);
    add_number(w, "confidence", row->confidence);
    if (t->since_ms != INT64_MIN)
        add_time(w, "since", t->since_ms);
    else if (is_growing(row->verdict))
        add_time(w, "since", t->first_ms);
    add_number(w, "detectable_per_h", t->detectable);
}

pmapdb_status pm_leak_json_add(pm_buf *out, const pm_leak *row, const pm_leak_label *label,
                               pmapdb_error *err)
{
    const pm_trend *t = &row->trend;
    bool known = row->verdict != PM_VERDICT_TOO_FEW;
    writer w = {out, false, PMAPDB_OK, err};

    add(&w, "{", 1);
    if (label->key.data) {
        add_text(&w, "key", label->key);
        add_words(&w, "metric", pm_metric_name(row->metric));
        add_words(&w, "unit", row->metric == PM_METRIC_MAPPINGS ? "mappings" : "KiB");
    }
    add_words(&w, "verdict", pm_verdict_name(row->verdict));
    if (known && t->shape != PM_SHAPE_NONE)
        add_words(&w, "shape", pm_shape_name(t->shape));
    add_number(&w, "snapshots", (double)t->snapshots);
    add_number(&w, "lives", t->lives);
    add_number(&w, "span_h", t->snapshots ? (double)(t->last_ms - t->first_ms) / HOUR_MS : NAN);
    add_number(&w, "first", row->first);
    add_number(&w, "last", row->last);
    if (known)
        add_estimates(&w, row);
    add_number(&w, "limit", row->limit);
    add_number(&w, "eta_h", row->eta_h);
    add_words(&w, "reason", row->reason);
    if (label->last_ms != INT64_MIN)
        add_time(&w, "last_at", label->last_ms);
    if (label->key.data) {
        add_number(&w, "mappings_per_h", row->mappings_rate);
        add_words(&w, "why_metric", pm_metric_name(row->why_metric));
        add_text(&w, "category", label->category);
        add_words(&w, "limit_by", pm_leak_limit_name(row->limit_by));
        add_words(&w, "rss_from", pm_leak_rss_name(row->rss_from));
    }
    add(&w, "}", 1);
    return w.st;
}
