/* labels: the reports of a JVM about its own memory. NMT prints call stacks and the committed parts
 * of a reservation below it; only the reservation has a name:
 *   [0x00000000f0000000 - 0x0000000100000000] reserved 262144KB for Java Heap from
 *       [0x00007fcd6a11a461] ReservedSpace::reserve(...)+0x291
 *     [0x00000000f0000000 - 0x00000000fbb00000] committed 191488KB from
 * In System.map the columns between range and name differ from version to version:
 *   0x00000000f0000000 - 0x00000000fbb00000  196083712 rw-p  155402240  0 4K  com  JAVAHEAP /FILE
 */
#include "parse/files/labels.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/num.h"
#include "parse/guess.h"
#include <stdlib.h>

/* By source. A System.map is a map from its first line on. */
static const struct {
    const char *name, *first_line, *map_begin, *map_end, *other_end;
} texts[] = {
    {"nmt", "Native Memory Tracking:", "Virtual memory map:", "Details:", "Memory file details"},
    {"system-map", "Memory mappings:", NULL, "Number of mappings:", "Number of mappings:"},
};

const char *pm_labels_source_name(pm_labels_source source)
{
    return texts[source].name;
}

void pm_labels_free(pm_labels *l)
{
    free(l->label);
    *l = (pm_labels){0};
}

/* ---- one line of a map ---- */

/* Reads "[0xSTART - 0xEND] " or "0xSTART-0xEND ". */
static bool take_range(pm_text *t, pm_label *out)
{
    bool whole;

    pm_text_take(t, "[");
    whole = pm_text_take(t, "0x") && pm_num_take_hex(t, &out->start);
    *t = pm_text_skip(*t, " -");
    whole = whole && pm_text_take(t, "0x") && pm_num_take_hex(t, &out->end);
    *t = pm_text_skip(*t, "] ");
    return whole && out->start < out->end;
}

static bool take_name(pm_text t, pm_label *out)
{
    if (!t.len || t.len >= sizeof out->text || memchr(t.data, '\0', t.len))
        return false;
    memcpy(out->text, t.data, t.len);
    return true;
}

/* Reads "reserved 64KB for NAME from", "reserved and committed 64KB for NAME"; a committed part has
 * no name. HotSpot rounds other units than KB. */
static bool read_nmt(pm_text t, pm_label *out)
{
    bool part = pm_text_take(&t, "committed ");
    uint64_t kib;
    pm_text size;

    if ((!part && !pm_text_take(&t, "reserved ")) ||
        (!part && pm_text_take(&t, "and ") && !pm_text_take(&t, "committed ")))
        return false;
    size = pm_text_word(&t, " ");
    if (pm_text_ends(size, PM_TEXT("KB")) &&
        (!pm_num_take(&size, &kib) || size.len != 2 || kib != (out->end - out->start) >> 10))
        return false;
    if (pm_text_ends(t, PM_TEXT(" from")))
        t.len -= 5;
    return part || (pm_text_take(&t, " for ") && take_name(t, out));
}

/* Reads SIZE, then columns, one of which is permissions. Of the columns after it only a name begins
 * with a capital: JAVAHEAP, CODE,META, STACK-4712-main, mtCompiler. A file is the last one. */
static bool read_system_map(pm_text t, pm_label *out)
{
    char perms[5] = "";
    uint64_t size;
    pm_text word = pm_text_word(&t, " ");

    if (!pm_num_all(word, &size) || size != out->end - out->start)
        return false;
    while (!*out->text && (word = pm_text_word(&t, " ")).len && !pm_char_in(*word.data, "/[")) {
        size_t at = pm_text_starts(word, PM_TEXT("mt")) ? 2 : 0;
        bool name = word.len > at + 1 && word.data[at] >= 'A' && word.data[at] <= 'Z';

        if (!*perms)
            pm_guess_perms(word.data, word.data + word.len, perms);
        else if (name && !take_name(word, out))
            return false;
    }
    return *perms;
}

/* ---- reports ---- */

typedef struct reader {
    pm_labels_fn on_report;
    void *ctx;
    uint64_t line; /* number of the current line */
    int64_t pid, time_ms;
    bool in_report, in_map;
    pm_labels report;
} reader;

static void damage(reader *r)
{
    if (!r->report.damaged++)
        r->report.damaged_line = r->line;
}

/* True if a program can have this memory: x86-64 and arm64 give it at most 2^57 addresses, and a
 * range of more than 2^47 bytes would name everything. Both texts are in the order of addresses. */
static bool is_possible(const pm_labels *l, const pm_label *next)
{
    return next->start > 0 && next->end < UINT64_C(1) << 57 &&
           next->end - next->start <= UINT64_C(1) << 47 &&
           (!l->n || next->start >= l->label[l->n - 1].end) && l->n < PM_LABELS_MAX;
}

static pmapdb_status read_row(reader *r, pm_text line, pmapdb_error *err)
{
    pm_labels *l = &r->report;
    bool nmt = l->source == PM_LABELS_NMT, right;
    pm_text rest = line, first = pm_text_word(&rest, " ");
    pm_label next = {0};
    pmapdb_status st = PMAPDB_OK;

    /* "[0xADDRESS]" is of a call stack */
    if (!pm_text_starts(line, nmt ? PM_TEXT("[0x") : PM_TEXT("0x")) ||
        pm_text_ends(first, PM_TEXT("]")))
        return PMAPDB_OK;
    right =
        take_range(&line, &next) && (nmt ? read_nmt(line, &next) : read_system_map(line, &next));
    if (!right || (*next.text && !is_possible(l, &next)))
        damage(r);
    else if (*next.text &&
             (st = pm_grow(&l->label, &l->cap, l->n, sizeof *l->label, err)) == PMAPDB_OK)
        l->label[l->n++] = next;
    return st;
}

static pmapdb_status end_report(reader *r, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (r->in_map)
        damage(r);
    if (r->in_report)
        st = r->on_report(r->ctx, &r->report, err);
    pm_labels_free(&r->report);
    r->in_report = r->in_map = false;
    return st;
}

static pmapdb_status read_report_line(reader *r, pm_text line, pmapdb_error *err)
{
    pm_labels_source source = r->report.source;

    if (!r->in_map)
        r->in_map =
            texts[source].map_begin && pm_text_equal(line, pm_text_of(texts[source].map_begin));
    else if (!pm_text_starts(line, pm_text_of(texts[source].map_end)) &&
             !pm_text_starts(line, pm_text_of(texts[source].other_end)))
        return read_row(r, line, err);
    else
        r->in_map = false;
    return PMAPDB_OK;
}

/* Reads "4711:", which jcmd prints above the answer of a JVM. */
static bool read_pid(pm_text line, int64_t *pid)
{
    uint64_t v;

    if (!pm_num_take(&line, &v) || !pm_text_equal(line, PM_TEXT(":")) || !v || v > INT32_MAX)
        return false;
    *pid = (int64_t)v;
    return true;
}

static pmapdb_status read_line(reader *r, pm_text line, pmapdb_error *err)
{
    pm_labels_source source = PM_LABELS_NMT;
    int64_t pid = PMAPDB_UNKNOWN;
    pm_clock_line at;
    pmapdb_status st = PMAPDB_OK;

    r->line++;
    /* where files were appended to each other, each may begin with a byte order mark */
    pm_text_take(&line, "\xef\xbb\xbf");
    line = pm_text_trim(line, " \t\r");
    if (!line.len)
        return PMAPDB_OK;
    while (source < PM_LABELS_NONE && !pm_text_equal(line, pm_text_of(texts[source].first_line)))
        source++;
    if (source < PM_LABELS_NONE) {
        st = end_report(r, err);
        r->report = (pm_labels){.source = source, .pid = r->pid, .time_ms = r->time_ms};
        r->in_report = true;
        r->in_map = !texts[source].map_begin;
    } else if (read_pid(line, &pid)) {
        st = end_report(r, err);
    } else if (!r->in_map && pm_clock_read_line(line, &at) == PM_CLOCK_MOMENT && !at.rest.len) {
        st = end_report(r, err);
        r->time_ms = at.ms;
    } else if (r->in_report) {
        st = read_report_line(r, line, err);
    }
    r->pid = pid;
    return st;
}

/* ---- the text ---- */

bool pm_labels_guess(pm_text begin)
{
    for (int i = 0; i < PM_LABELS_NONE; i++)
        if (pm_text_holds(begin, texts[i].first_line))
            return true;
    return false;
}

pmapdb_status pm_labels_read(pm_text text, pm_labels_fn on_report, void *ctx, pmapdb_error *err)
{
    reader r = {
        .on_report = on_report, .ctx = ctx, .pid = PMAPDB_UNKNOWN, .time_ms = PMAPDB_UNKNOWN};
    pmapdb_status st = PMAPDB_OK;

    while (text.len && st == PMAPDB_OK)
        st = read_line(&r, pm_text_cut(&text, '\n'), err);
    PM_STEP(st, end_report(&r, err));
    pm_labels_free(&r.report);
    return st;
}
