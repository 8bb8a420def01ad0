/* labels: what a JVM says of its own memory. A part of a reservation stands below it, and its call
 * stack below that:
 *   [0x00000000f0000000 - 0x0000000100000000] reserved 262144KB for Java Heap from
 *       [0x00007fcd6a11a461] ReservedSpace::reserve(...)+0x291
 *     [0x00000000f0000000 - 0x00000000fbb00000] committed 191488KB from
 * In System.map the columns between range and name differ from version to version:
 *   0x00000000f0000000 - 0x00000000fbb00000  196083712 rw-p  155402240  0 4K  com  JAVAHEAP /FILE
 */
#include "parse/labels.h"

#include "base/clock.h"
#include "base/line.h"
#include "base/num.h"
#include "parse/guess.h"
#include <stdlib.h>

#define TEXT_MAX 128 /* bytes of a name; the JVM cuts a thread's at 63 */

/* Each by its source. NMT's map has two ends: "Details:" or a map of ZGC's own file. */
static const char *const names[] = {"nmt", "system-map"};
static const char *const first_lines[] = {"Native Memory Tracking:", "Memory mappings:"};
static const char *const map_ends[] = {"Details:", "Number of mappings:", "Memory file details"};

typedef enum line_kind { NOTHING, REGION, PART, DAMAGED } line_kind;

typedef struct region {
    uint64_t start, end;
    bool committed; /* all of it is */
    pm_text text;   /* empty: without a name */
} region;

struct pm_labels_reader {
    pm_labels_fn on_report;
    void *ctx;
    pm_lines lines;
    uint64_t line; /* its number */
    int64_t pid, time_ms;
    bool in_report, in_map, in_region;
    pm_labels report;
    region region;      /* its text is in the report by now */
    size_t region_text; /* there */
    uint64_t cursor;    /* the report has all below */
};

const char *pm_labels_source_name(pm_labels_source source)
{
    return names[source];
}

void pm_labels_free(pm_labels *l)
{
    free(l->label);
    pm_buf_free(&l->texts);
    *l = (pm_labels){0};
}

/* ---- one line ---- */

/* Cuts what the pattern says off *t: X a hex number, N a decimal one, a blank any number of blanks,
 * every other character itself. */
static bool scan(pm_text *t, const char *pattern, uint64_t *out)
{
    const char *p = t->data, *end = p + t->len;

    for (; *pattern; pattern++) {
        size_t n = 1;

        if (*pattern == ' ')
            n = (size_t)(pm_skip_blanks(p, end) - p);
        else if (*pattern == 'X' || *pattern == 'N')
            n = *pattern == 'X' ? pm_num_hex(p, end, out++) : pm_num_dec(p, end, out++);
        else if (p == end || *p != *pattern)
            return false;
        if (n == 0 && *pattern != ' ')
            return false;
        p += n;
    }
    *t = (pm_text){p, (size_t)(end - p)};
    return true;
}

/* x86-64 and arm64 give a program at most 2^57 addresses. No range of more than 2^47 bytes is
 * named: then everything would be called so. */
static bool is_possible(const region *r)
{
    return r->start > 0 && r->start < r->end && r->end < UINT64_C(1) << 57 &&
           r->end - r->start <= UINT64_C(1) << 47;
}

/* "262144KB", with scale= also MB, GB, B or no unit: as HotSpot rounds it, halves up. */
static bool take_size(pm_text *t, uint64_t bytes)
{
    const char *unit = "BKMG";
    uint64_t number, shift = 0;

    if (!scan(t, "N", &number))
        return false;
    if (t->len && pm_char_in(*t->data, unit)) {
        shift = (uint64_t)(strchr(unit, *t->data) - unit) * 10;
        *t = pm_text_from(*t, 1);
        scan(t, "B", NULL);
    }
    return (bytes + (UINT64_C(1) << shift) / 2) >> shift == number;
}

static bool is_text(pm_text t)
{
    return t.len && t.len <= TEXT_MAX && !memchr(t.data, '\0', t.len);
}

static line_kind nmt_line(pm_text t, region *out)
{
    pm_text rest = t;
    uint64_t v[2];
    bool reserved;

    if (*t.data == '(' || scan(&rest, "[0xX]", v)) /* of a call stack */
        return NOTHING;
    if (!scan(&t, "[0xX - 0xX] ", v))
        return DAMAGED;
    *out = (region){.start = v[0], .end = v[1]};
    out->committed = scan(&t, "reserved and committed ", NULL);
    reserved = out->committed || scan(&t, "reserved ", NULL);
    if (!is_possible(out) || (!reserved && !scan(&t, "committed ", NULL)) ||
        !take_size(&t, out->end - out->start))
        return DAMAGED;
    if (pm_text_ends(t, PM_TEXT(" from")))
        t.len -= 5;
    if (!reserved)
        return t.len ? DAMAGED : PART;
    if (!scan(&t, " for ", NULL) || !is_text(t))
        return DAMAGED;
    out->text = t;
    return REGION;
}

/* Numbers, page sizes (4K), offsets (0x1000), notes (thp,nores or -): no capital but a unit's. */
static bool is_column(pm_text w)
{
    if (w.len > 1 && pm_char_in(w.data[w.len - 1], "KMG"))
        w.len--;
    return pm_text_skip(w, "0123456789abcdefghijklmnopqrstuvwxyz,-").len == 0;
}

/* JAVAHEAP, CODE,META, STACK-4712-main, mtCompiler; a file begins with a slash or a bracket. */
static bool is_name(pm_text w)
{
    pm_text word = pm_text_starts(w, PM_TEXT("mt")) ? pm_text_from(w, 2) : w;

    return is_text(w) && word.len > 1 && *word.data >= 'A' && *word.data <= 'Z';
}

static line_kind system_map_line(pm_text t, region *out)
{
    uint64_t v[3];
    char perms[5] = "";
    pm_text word;

    if (!pm_text_starts(t, PM_TEXT("0x")))
        return NOTHING;
    if (!scan(&t, "0xX - 0xX N ", v) || v[0] >= v[1] || v[2] != v[1] - v[0])
        return DAMAGED;
    *out = (region){.start = v[0], .end = v[1]};
    for (size_t at = 0; pm_guess_word(t, &at, &word);)
        if ((*perms || pm_guess_perms(word.data, word.data + word.len, perms) != 4) &&
            !is_column(word)) {
            out->text = is_name(word) ? word : (pm_text){0};
            break;
        }
    out->committed = memcmp(perms, "---", 3) != 0;
    /* [vsyscall] is the kernel's, and has no name */
    return !*perms || (out->text.len && !is_possible(out)) ? DAMAGED : REGION;
}

/* ---- ranges ---- */

static void damage(pm_labels_reader *r)
{
    if (!r->report.damaged++)
        r->report.damaged_line = r->line;
}

/* A range of the current region, from the cursor on. */
static pmapdb_status emit(pm_labels_reader *r, uint64_t end, bool committed, pmapdb_error *err)
{
    pm_labels *l = &r->report;
    pm_label *last = l->n ? &l->label[l->n - 1] : NULL;
    pm_label next = {r->cursor, end, committed, r->region_text};
    bool goes_on = last && last->end == next.start && last->start >= r->region.start &&
                   last->committed == committed;
    pmapdb_status st = PMAPDB_OK;

    if (end <= r->cursor)
        return PMAPDB_OK;
    r->cursor = end;
    if (goes_on)
        last->end = end;
    else if (l->n == PM_LABELS_MAX)
        l->full = true;
    else if ((st = pm_grow(&l->label, &l->cap, l->n, sizeof *l->label, err)) == PMAPDB_OK)
        l->label[l->n++] = next;
    return st;
}

static pmapdb_status end_region(pm_labels_reader *r, pmapdb_error *err)
{
    bool open = r->in_region;

    r->in_region = false;
    return open ? emit(r, r->region.end, r->region.committed, err) : PMAPDB_OK;
}

/* Both texts are in the order of addresses: a region below the last one is damaged. */
static pmapdb_status begin_region(pm_labels_reader *r, const region *next, pmapdb_error *err)
{
    pm_buf *texts = &r->report.texts;
    pmapdb_status st = end_region(r, err);

    if (next->start < r->cursor)
        damage(r);
    if (st != PMAPDB_OK || !next->text.len || next->start < r->cursor)
        return st;
    /* most ranges are called as the one before */
    if (!texts->len || !pm_text_equal(pm_text_of(texts->data + r->region_text), next->text)) {
        r->region_text = texts->len;
        pm_buf_add(texts, next->text.data, next->text.len, err);
        st = pm_buf_add(texts, "", 1, err);
    }
    r->region = *next;
    r->in_region = true;
    r->cursor = next->start;
    return st;
}

static pmapdb_status add_part(pm_labels_reader *r, const region *part, pmapdb_error *err)
{
    const region *whole = &r->region;
    pmapdb_status st;

    if (!r->in_region || part->start < whole->start || part->end > whole->end ||
        (!whole->committed && part->start < r->cursor)) {
        damage(r);
        return PMAPDB_OK;
    }
    if (whole->committed)
        return PMAPDB_OK;
    st = emit(r, part->start, false, err);
    return st == PMAPDB_OK ? emit(r, part->end, true, err) : st;
}

/* ---- reports ---- */

static pmapdb_status end_report(pm_labels_reader *r, pmapdb_error *err)
{
    pmapdb_status st = end_region(r, err);

    if (st == PMAPDB_OK && r->in_report)
        st = r->on_report(r->ctx, &r->report, err);
    r->in_report = r->in_map = false;
    r->cursor = 0;
    pm_labels_free(&r->report);
    return st;
}

static pmapdb_status begin_report(pm_labels_reader *r, pm_labels_source source, pmapdb_error *err)
{
    bool map = source == PM_LABELS_SYSTEM_MAP;
    pmapdb_status st = end_report(r, err);

    r->report = (pm_labels){.source = source, .pid = r->pid, .time_ms = r->time_ms};
    r->report.first_line = r->line;
    r->report.has_map = r->report.torn = r->in_map = map;
    r->region_text = 0;
    r->pid = PMAPDB_UNKNOWN;
    r->in_report = true;
    return st;
}

static pmapdb_status read_row(pm_labels_reader *r, pm_text line, pmapdb_error *err)
{
    bool nmt = r->report.source == PM_LABELS_NMT;
    region next;
    line_kind kind = nmt ? nmt_line(line, &next) : system_map_line(line, &next);

    if (kind == DAMAGED)
        damage(r);
    return kind == REGION ? begin_region(r, &next, err)
           : kind == PART ? add_part(r, &next, err)
                          : PMAPDB_OK;
}

static pmapdb_status read_report_line(pm_labels_reader *r, pm_text line, pmapdb_error *err)
{
    pm_labels_source source = r->report.source;

    r->report.off |= pm_text_starts(line, PM_TEXT("NMT is disabled."));
    if (source == PM_LABELS_NMT && pm_text_equal(line, PM_TEXT("Virtual memory map:"))) {
        r->report.has_map = r->report.torn = r->in_map = true;
        return PMAPDB_OK;
    }
    if (!r->in_map)
        return PMAPDB_OK;
    if (!pm_text_starts(line, pm_text_of(map_ends[source])) &&
        (source != PM_LABELS_NMT || !pm_text_starts(line, pm_text_of(map_ends[2]))))
        return read_row(r, line, err);
    r->in_map = r->report.torn = false;
    return end_region(r, err);
}

/* Where files were appended to each other, each may begin with a byte order mark. */
static pm_text trim(pm_text t)
{
    scan(&t, "\xef\xbb\xbf", NULL);
    return pm_text_trim(t, " \t\r");
}

static pmapdb_status read_line(void *reader, pm_text whole, pmapdb_error *err)
{
    pm_labels_reader *r = reader;
    pm_text line = trim(whole), rest = line;
    uint64_t pid;
    int64_t ms;
    pmapdb_status st = PMAPDB_OK;

    r->line++;
    if (r->lines.cut) {
        if (r->in_map)
            damage(r);
        return PMAPDB_OK;
    }
    for (int i = PM_LABELS_NMT; i <= PM_LABELS_SYSTEM_MAP; i++)
        if (pm_text_equal(line, pm_text_of(first_lines[i])))
            return begin_report(r, (pm_labels_source)i, err);
    /* "4711:", as jcmd writes it above the answer of a JVM */
    if (scan(&rest, "N:", &pid) && !rest.len && pid && pid <= INT32_MAX) {
        st = end_report(r, err);
        r->pid = (int64_t)pid;
        return st;
    }
    if (!line.len)
        return PMAPDB_OK;
    r->pid = PMAPDB_UNKNOWN;
    /* in a map no line is a moment: a call stack has thousands */
    if (!r->in_map && !pm_char_in(*line.data, "[(0") && pm_clock_parse_line(line, &ms)) {
        st = end_report(r, err);
        r->time_ms = ms;
        return st;
    }
    return r->in_report ? read_report_line(r, line, err) : PMAPDB_OK;
}

bool pm_labels_guess(pm_text begin)
{
    for (int i = PM_LABELS_NMT; i <= PM_LABELS_SYSTEM_MAP; i++)
        if (memmem(begin.data, begin.len, first_lines[i], strlen(first_lines[i])))
            return true;
    return false;
}

/* ---- the reader ---- */

pmapdb_status pm_labels_reader_new(pm_labels_fn on_report, void *ctx, pm_labels_reader **out,
                                   pmapdb_error *err)
{
    pm_labels_reader *r = calloc(1, sizeof *r);

    *out = r;
    if (!r)
        return pm_fail_nomem(err);
    *r = (pm_labels_reader){.on_report = on_report,
                            .ctx = ctx,
                            .lines = {.fn = read_line, .ctx = r, .max = PM_LABELS_LINE},
                            .pid = PMAPDB_UNKNOWN,
                            .time_ms = PMAPDB_UNKNOWN};
    return PMAPDB_OK;
}

void pm_labels_reader_free(pm_labels_reader *r)
{
    if (!r)
        return;
    pm_labels_free(&r->report);
    pm_lines_free(&r->lines);
    free(r);
}

pmapdb_status pm_labels_feed(pm_labels_reader *r, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_lines_feed(&r->lines, bytes, n, err);
}

pmapdb_status pm_labels_finish(pm_labels_reader *r, pmapdb_error *err)
{
    pmapdb_status st = pm_lines_finish(&r->lines, err);

    return st == PMAPDB_OK ? end_report(r, err) : st;
}
