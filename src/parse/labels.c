/* labels: what a JVM says itself of its memory -> ranges of addresses with names. */
#include "parse/labels.h"

#include "base/clock.h"
#include "base/num.h"
#include "parse/labels_line.h"
#include <stdlib.h>

#define NMT_BEGINS PM_TEXT("Native Memory Tracking:")
#define NMT_MAP PM_TEXT("Virtual memory map:")
#define MAP_BEGINS PM_TEXT("Memory mappings:")
#define MAP_ENDS PM_TEXT("Number of mappings:")
#define MAP_OFF PM_TEXT("NMT is disabled.")
/* Where files were appended to each other, each may begin with one. */
#define BYTE_ORDER_MARK PM_TEXT("\xef\xbb\xbf")

struct pm_labels_reader {
    pm_labels_fn on_report;
    void *ctx;
    pm_buf rest; /* the begun line */
    bool overlong;
    uint64_t line; /* number of the line at hand */
    int64_t pid;   /* of a line "4711:" with only blank ones behind it */
    int64_t time_ms;
    bool in_report, in_map;
    pm_labels report;
    pm_label_line region; /* reserved: its parts follow; its text is the report's by now */
    size_t region_text;
    bool in_region;
    uint64_t cursor; /* what lies below is in the report */
};

const char *pm_labels_source_name(pm_labels_source source)
{
    return source == PM_LABELS_NMT ? "nmt" : "system-map";
}

void pm_labels_free(pm_labels *l)
{
    free(l->label);
    pm_buf_free(&l->texts);
    *l = (pm_labels){0};
}

pmapdb_status pm_labels_reader_new(pm_labels_fn on_report, void *ctx, pm_labels_reader **out,
                                   pmapdb_error *err)
{
    pm_labels_reader *r = calloc(1, sizeof *r);

    *out = r;
    if (!r)
        return pm_fail_nomem(err);
    r->on_report = on_report;
    r->ctx = ctx;
    r->pid = r->time_ms = PMAPDB_UNKNOWN;
    return PMAPDB_OK;
}

void pm_labels_reader_free(pm_labels_reader *r)
{
    if (!r)
        return;
    pm_labels_free(&r->report);
    pm_buf_free(&r->rest);
    free(r);
}

/* ---- ranges ---- */

static void damage(pm_labels_reader *r)
{
    if (!r->report.damaged++)
        r->report.damaged_line = r->line;
}

/* A range of the region at hand, from the cursor on. */
static pmapdb_status emit(pm_labels_reader *r, uint64_t end, bool committed, pmapdb_error *err)
{
    pm_labels *l = &r->report;
    pm_label *last = l->n ? &l->label[l->n - 1] : NULL;
    pm_label next = {r->cursor, end, committed, r->region_text};
    pmapdb_status st;

    if (end <= r->cursor)
        return PMAPDB_OK;
    r->cursor = end;
    if (last && last->end == next.start && last->start >= r->region.start &&
        last->committed == committed) {
        last->end = end;
        return PMAPDB_OK;
    }
    if (l->n == PM_LABELS_MAX) {
        l->full = true;
        return PMAPDB_OK;
    }
    st = pm_grow(&l->label, &l->cap, l->n, sizeof *l->label, err);
    if (st == PMAPDB_OK)
        l->label[l->n++] = next;
    return st;
}

static pmapdb_status end_region(pm_labels_reader *r, pmapdb_error *err)
{
    if (!r->in_region)
        return PMAPDB_OK;
    r->in_region = false;
    return emit(r, r->region.end, r->region.committed, err);
}

/* Most ranges are called as the one before. */
static pmapdb_status keep_text(pm_labels_reader *r, pm_text text, pmapdb_error *err)
{
    pm_labels *l = &r->report;
    pmapdb_status st;

    if (l->texts.len && pm_text_equal(pm_text_of(l->texts.data + r->region_text), text))
        return PMAPDB_OK;
    r->region_text = l->texts.len;
    st = pm_buf_add(&l->texts, text.data, text.len, err);
    return st == PMAPDB_OK ? pm_buf_add(&l->texts, "", 1, err) : st;
}

/* Both texts are in the order of addresses: what goes back is damaged. */
static pmapdb_status begin_region(pm_labels_reader *r, const pm_label_line *line, pmapdb_error *err)
{
    pmapdb_status st = end_region(r, err);

    if (st != PMAPDB_OK)
        return st;
    if (line->start < r->cursor) {
        damage(r);
        return PMAPDB_OK;
    }
    if (!line->text.len)
        return PMAPDB_OK;
    st = keep_text(r, line->text, err);
    r->region = *line;
    r->region.text = (pm_text){0};
    r->in_region = true;
    r->cursor = line->start;
    return st;
}

static pmapdb_status add_part(pm_labels_reader *r, const pm_label_line *line, pmapdb_error *err)
{
    pmapdb_status st;

    if (!r->in_region || line->start < r->region.start || line->end > r->region.end ||
        (!r->region.committed && line->start < r->cursor)) {
        damage(r);
        return PMAPDB_OK;
    }
    if (r->region.committed)
        return PMAPDB_OK;
    st = emit(r, line->start, false, err);
    return st == PMAPDB_OK ? emit(r, line->end, true, err) : st;
}

/* ---- reports ---- */

static pmapdb_status end_report(pm_labels_reader *r, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (r->in_report) {
        st = end_region(r, err);
        if (st == PMAPDB_OK)
            st = r->on_report(r->ctx, &r->report, err);
    }
    r->in_report = r->in_map = r->in_region = false;
    r->cursor = 0;
    pm_labels_free(&r->report);
    return st;
}

static pmapdb_status begin_report(pm_labels_reader *r, pm_labels_source source, pmapdb_error *err)
{
    pmapdb_status st = end_report(r, err);

    r->report =
        (pm_labels){.source = source, .pid = r->pid, .time_ms = r->time_ms, .first_line = r->line};
    r->report.has_map = r->in_map = source == PM_LABELS_SYSTEM_MAP;
    r->report.torn = r->report.has_map;
    r->region_text = 0;
    r->pid = PMAPDB_UNKNOWN;
    r->in_report = true;
    return st;
}

/* Its end was seen: it is not cut off. */
static pmapdb_status end_map(pm_labels_reader *r, pmapdb_error *err)
{
    r->in_map = r->report.torn = false;
    return end_region(r, err);
}

static pmapdb_status read_row(pm_labels_reader *r, pm_text line, pmapdb_error *err)
{
    bool nmt = r->report.source == PM_LABELS_NMT;
    pm_label_line row;
    pm_label_kind kind = nmt ? pm_label_nmt(line, &row) : pm_label_system_map(line, &row);

    switch (kind) {
    case PM_LABEL_RESERVED:
        return begin_region(r, &row, err);
    case PM_LABEL_COMMITTED:
        return add_part(r, &row, err);
    case PM_LABEL_DAMAGED:
        damage(r);
        return PMAPDB_OK;
    default:
        return PMAPDB_OK;
    }
}

static bool ends_map(const pm_labels_reader *r, pm_text line)
{
    if (r->report.source == PM_LABELS_SYSTEM_MAP)
        return pm_text_starts(line, MAP_ENDS);
    return pm_text_equal(line, PM_TEXT("Details:")) ||
           pm_text_equal(line, PM_TEXT("Memory file details"));
}

static pmapdb_status read_report_line(pm_labels_reader *r, pm_text line, pmapdb_error *err)
{
    if (!r->in_report)
        return PMAPDB_OK;
    if (r->report.source == PM_LABELS_NMT && pm_text_equal(line, NMT_MAP)) {
        r->report.has_map = r->report.torn = r->in_map = true;
        return PMAPDB_OK;
    }
    if (r->report.source == PM_LABELS_SYSTEM_MAP && pm_text_starts(line, MAP_OFF))
        r->report.off = true;
    if (!r->in_map)
        return PMAPDB_OK;
    return ends_map(r, line) ? end_map(r, err) : read_row(r, line, err);
}

/* "4711:", as jcmd writes above what a JVM answers. */
static bool is_pid(pm_text line, int64_t *pid)
{
    uint64_t v;

    if (line.len < 2 || line.data[line.len - 1] != ':' ||
        !pm_num_all((pm_text){line.data, line.len - 1}, &v) || v == 0 || v > INT32_MAX)
        return false;
    *pid = (int64_t)v;
    return true;
}

static pm_text trim(pm_text t)
{
    if (pm_text_starts(t, BYTE_ORDER_MARK))
        t = pm_text_from(t, BYTE_ORDER_MARK.len);
    while (t.len && pm_char_in(t.data[0], " \t"))
        t = pm_text_from(t, 1);
    while (t.len && pm_char_in(t.data[t.len - 1], " \t\r"))
        t.len--;
    return t;
}

/* Of what stands in a report, a map least of all: a call stack has thousands of lines. */
static bool is_moment(const pm_labels_reader *r, pm_text line, int64_t *ms)
{
    return !r->in_map && line.len && !pm_char_in(line.data[0], "[(0") &&
           pm_clock_parse_line(line, ms);
}

static pmapdb_status read_line(pm_labels_reader *r, pm_text whole, pmapdb_error *err)
{
    pm_text line = trim(whole);
    int64_t v;
    pmapdb_status st = PMAPDB_OK;

    if (pm_text_equal(line, NMT_BEGINS))
        return begin_report(r, PM_LABELS_NMT, err);
    if (pm_text_equal(line, MAP_BEGINS))
        return begin_report(r, PM_LABELS_SYSTEM_MAP, err);
    if (is_pid(line, &v)) {
        st = end_report(r, err);
        r->pid = v;
        return st;
    }
    if (line.len)
        r->pid = PMAPDB_UNKNOWN;
    if (is_moment(r, line, &v)) {
        st = end_report(r, err);
        r->time_ms = v;
        return st;
    }
    return read_report_line(r, line, err);
}

/* ---- the stream ---- */

static pmapdb_status end_line(pm_labels_reader *r, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    r->line++;
    if (!r->overlong)
        st = read_line(r, pm_buf_text(&r->rest), err);
    else if (r->in_map)
        damage(r);
    r->overlong = false;
    pm_buf_clear(&r->rest);
    return st;
}

pmapdb_status pm_labels_feed(pm_labels_reader *r, const char *bytes, size_t n, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (const char *p = bytes, *end = bytes + n; p < end && st == PMAPDB_OK;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t part = (size_t)((newline ? newline : end) - p);

        if (r->rest.len + part > PM_LABELS_LINE)
            r->overlong = true;
        if (!r->overlong)
            st = pm_buf_add(&r->rest, p, part, err);
        p += part;
        if (newline && st == PMAPDB_OK) {
            st = end_line(r, err);
            p++;
        }
    }
    return st;
}

pmapdb_status pm_labels_finish(pm_labels_reader *r, pmapdb_error *err)
{
    pmapdb_status st = r->rest.len || r->overlong ? end_line(r, err) : PMAPDB_OK;

    return st == PMAPDB_OK ? end_report(r, err) : st;
}

bool pm_labels_guess(pm_text begin)
{
    while (begin.len) {
        const char *newline = memchr(begin.data, '\n', begin.len);
        size_t n = newline ? (size_t)(newline - begin.data) : begin.len;
        pm_text line = trim((pm_text){begin.data, n});

        if (pm_text_equal(line, NMT_BEGINS) || pm_text_equal(line, MAP_BEGINS))
            return true;
        begin = pm_text_from(begin, newline ? n + 1 : n);
    }
    return false;
}
