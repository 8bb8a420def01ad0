/* smaps_fast: key lines as the kernel prints them, in the same order for row after row. A few
 * comparisons recognise them, so they skip the questions that a line of a pasted or damaged capture
 * needs; smaps is read three times as fast. Whatever differs in one byte is left to stream.c and
 * smaps.c, which read the same from it. */
#include "parse/block.h"

#include "base/num.h"

/* "Rss:                   4 kB\n": every number up to 99,999,999 is printed like this since 2.6,
 * and "THPeligible:           0\n" since 6.0. */
#define LABEL 16
#define NUMBER 8
#define KIB_TAIL " kB\n"
#define BARE_LINE (LABEL + NUMBER + 1)

/* "VmFlags: rd wr mr mw me ac sd \n" */
#define FLAGS_LABEL "VmFlags:"

/* ---- key lines ---- */

static bool is_usual(pm_text line, size_t len)
{
    const char *colon = memchr(line.data, ':', line.len), *number = line.data + LABEL;

    return line.len + 1 == len && pm_skip_blanks(colon + 1, number) == number;
}

void pm_fast_learn(pm_smaps *s, pm_text line, enum pm_field field, bool kib)
{
    pm_expected *e = s->order + s->next, *before = s->next ? e - 1 : NULL;
    bool known = s->next < s->n_order && e->field == field;
    uint64_t above = before ? before->above | PM_BIT(before->field) : 0;
    size_t len = kib ? PM_KEY_LINE : BARE_LINE, at = before ? before->at + before->len : 0;
    bool usual = is_usual(line, len);

    if (!known && (!usual || (above & PM_BIT(field))))
        return;
    if (usual) { /* else a number of nine digits in a place that is known */
        *e = (pm_expected){(uint32_t)at, (uint32_t)len, field, s->row.value[field], above};
        memcpy(s->keys + at, line.data, line.len);
        s->keys[at + line.len] = '\n';
    }
    s->next++;
    if (!known)
        s->n_order = s->next; /* what stood behind may not follow any more */
}

static uint64_t differ(const char *a, const char *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x ^ y;
}

static bool is_same(const char *p, const char *key, size_t len)
{
    return !(differ(p, key) | differ(p + 8, key + 8) | differ(p + 16, key + 16) |
             differ(p + len - 8, key + len - 8));
}

/* The line at p, if it is the expected one with another number. */
static bool take_number(pm_expected *e, char *key, const char *p)
{
    if ((differ(p, key) | differ(p + 8, key + 8)) ||
        (e->len == BARE_LINE ? p[LABEL + NUMBER] != '\n'
                             : memcmp(p + LABEL + NUMBER, KIB_TAIL, 4) != 0) ||
        !pm_num_column(p + LABEL, &e->value))
        return false;
    memcpy(key + LABEL, p + LABEL, NUMBER);
    return true;
}

/* All expected lines from e on, if they are those of the row before to the last byte. */
static size_t take_rest(pm_smaps *s, const pm_expected *e, const char *p, const char *end)
{
    const pm_expected *last = s->order + s->n_order - 1;
    uint64_t fields = (last->above | PM_BIT(last->field)) & ~e->above;
    size_t len = last->at + last->len - e->at;

    if ((size_t)(end - p) < len || (s->row.present & fields) ||
        memcmp(p, s->keys + e->at, len) != 0)
        return 0;
    for (; e <= last; e++)
        s->row.value[e->field] = e->value;
    s->row.present |= fields;
    return len;
}

/* The expected lines from p on; returns what is behind them. */
static const char *take_numbers(pm_smaps *s, const char *p, const char *end)
{
    pm_expected *e = s->order + s->next, *last = s->order + s->n_order, *calm = s->order + s->calm;
    pm_expected *changed = s->order; /* behind the last one that did */
    size_t rest;

    for (; e < last; e++) {
        if (e == calm && (rest = take_rest(s, e, p, end))) {
            p += rest;
            e = last;
            break;
        }
        if (end - p < (ptrdiff_t)e->len || pm_has(&s->row, PM_BIT(e->field)))
            break;
        if (!is_same(p, s->keys + e->at, e->len)) {
            if (!take_number(e, s->keys + e->at, p))
                break;
            changed = e + 1;
            calm = changed > calm ? changed : calm;
        }
        pm_set(&s->row, e->field, e->value);
        p += e->len;
    }
    s->next = (size_t)(e - s->order);
    /* Perhaps one line more of the next row will be like this one's. */
    if (e == last)
        s->calm = (size_t)(calm - s->order) - (changed < calm);
    return p;
}

static bool is_plain(char c)
{
    return c > ' ' && c < 0x7f;
}

/* Two letters each, a blank behind each. */
static size_t take_flags(pm_smaps *s, const char *p, const char *end)
{
    const size_t label = sizeof FLAGS_LABEL - 1;
    const char *q = p + label;
    pm_text list = {q + 1, 0};

    if ((size_t)(end - p) < label + 2 || memcmp(p, FLAGS_LABEL, label) != 0 || *q != ' ')
        return 0;
    while (end - q > 4 && is_plain(q[1]) && is_plain(q[2]) && q[3] == ' ')
        q += 3;
    if (q[1] != '\n')
        return 0;
    list.len = q > list.data ? (size_t)(q - list.data) : 0;
    if (!pm_text_equal(list, pm_buf_text(&s->flags))) {
        pm_buf_clear(&s->flags);
        if (pm_buf_add(&s->flags, list.data, list.len, NULL) != PMAPDB_OK)
            return 0;
    }
    s->row.present |= PM_HAS_FLAGS;
    s->blank_ends = true;
    return (size_t)(q + 2 - p);
}

static size_t usual_keys(pm_smaps *s, const char *p, const char *end, uint64_t *lines)
{
    const char *from = p;
    size_t next = s->next, flags;

    p = take_numbers(s, p, end);
    *lines = s->next - next;
    if (p < end && *p == 'V' && (flags = take_flags(s, p, end))) {
        p += flags;
        ++*lines;
    }
    s->any_key |= p > from;
    return (size_t)(p - from);
}

/* ---- rows ---- */

/* Every byte is a character of ASCII: no escape, no carriage return, no other blank or dash. */
static bool is_ascii(pm_text t)
{
    uint64_t word, bad = 0;
    size_t at = 0;

    for (; at + sizeof word <= t.len; at += sizeof word) {
        memcpy(&word, t.data + at, sizeof word);
        bad |= (word - UINT64_C(0x2020202020202020)) | word;
    }
    for (; at < t.len; at++)
        bad |= (uint64_t)((unsigned char)t.data[at] - 0x20) | (unsigned char)t.data[at];
    return !(bad & UINT64_C(0x8080808080808080));
}

bool pm_fast_row(pm_text line)
{
    return pm_num_hex_run(line.data, line.data + (line.len != 0)) && is_ascii(line);
}

pmapdb_status pm_fast_keys(void *reader, const char *p, const char *end, size_t *taken,
                           pmapdb_error *err)
{
    pm_reader *r = reader;
    uint64_t lines = 0;

    (void)err;
    if (*p < 'A' || *p > 'Z' || !r->b.open || !r->smaps.open || r->smaps.torn)
        return PMAPDB_OK;
    *taken = usual_keys(&r->smaps, p, end, &lines);
    r->line += lines;
    if (*taken)
        pm_block_bytes(r, p, *taken, lines);
    return PMAPDB_OK;
}
