/* smaps_fast: the fast path for rows of smaps that the pool knows by the hash of their text, and
 * for key lines in the layout of the kernel and in the same order as in the previous row. A few
 * comparisons recognise them, so they skip the checks that a line of a pasted or damaged capture
 * needs. This makes reading smaps three times as fast. Lines that differ in a single byte are left
 * to stream.c and smaps.c, which give the same result. */
#include "parse/block.h"

#include "base/num.h"

/* "Rss:                   4 kB\n": the layout of every number up to 99,999,999 since Linux 2.6, and
 * "THPeligible:           0\n" since 6.0. */
#define LABEL 16
#define NUMBER 8
#define KIB_TAIL " kB\n"

/* "VmFlags: rd wr mr mw me ac sd \n" */
#define FLAGS_LABEL "VmFlags:"

/* A key and its colon, padded with blanks up to the number. */
static const char labels[PM_FIELD_COUNT][LABEL + 32] = {
#define PM_FIELD(id, key, column, unit, additive) key ":                ",
#include "base/record/fields.def"
#undef PM_FIELD
};

void pm_fast_learn(pm_smaps *s, enum pm_field field)
{
    if (s->next == PM_FIELD_COUNT)
        return; /* a key appeared twice */
    if (s->next == s->n_order || s->order[s->next] != field) {
        s->order[s->next] = field;
        s->n_order = s->next + 1; /* the keys after it may be different now */
    }
    s->next++;
}

static bool is_label(const char *p, const char *label)
{
    uint64_t a[2], b[2];

    memcpy(a, p, sizeof a);
    memcpy(b, label, sizeof b);
    return a[0] == b[0] && a[1] == b[1];
}

/* Takes the expected lines from p on. Returns the end of the last line. */
static const char *take_numbers(pm_smaps *s, const char *p, const char *end)
{
    for (; s->next < s->n_order; s->next++) {
        enum pm_field field = s->order[s->next];
        bool bare = field == PM_THP_ELIGIBLE || field == PM_PROTECTION_KEY;
        size_t tail = bare ? 1 : sizeof KIB_TAIL - 1;
        uint64_t v;

        if ((size_t)(end - p) < LABEL + NUMBER + tail || !is_label(p, labels[field]) ||
            pm_has(&s->row, PM_BIT(field)) ||
            memcmp(p + LABEL + NUMBER, bare ? "\n" : KIB_TAIL, tail) != 0 ||
            !pm_num_column(p + LABEL, &v))
            break;
        pm_set(&s->row, field, v);
        p += LABEL + NUMBER + tail;
    }
    return p;
}

static bool is_plain(char c)
{
    return c > ' ' && c < 0x7f;
}

/* Takes words of two letters, each followed by a blank. Returns the length of the line, or 0. */
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

/* True if every byte is a printable ASCII character: no escape, no carriage return, no special
 * blank or dash. */
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

/* ---- a complete row ---- */

/* Returns the end of the row at p if another row follows in these bytes, otherwise NULL. */
static const char *row_end(const char *p, const char *end, uint64_t *lines)
{
    *lines = 0;
    while ((p = memchr(p, '\n', (size_t)(end - p))) && ++p < end) {
        ++*lines;
        if (pm_begins_row(*p)) {
            const char *after = p + pm_num_hex_run(p, end);

            return after - p >= PM_ADDRESS_MIN && after < end && *after == '-' ? p : NULL;
        }
    }
    return NULL;
}

/* Takes a row and its keys whose text was read before. The row stays open, because the next row may
 * be the same mapping, grown. */
static size_t take_known(pm_reader *r, const char *p, const char *end)
{
    pm_smaps *s = &r->smaps;
    uint64_t lines;
    const char *next = row_end(p, r->ahead ? r->ahead : end, &lines);
    const pm_mapping *m;
    uint32_t id;

    if (!next || next > end || lines < 2 ||
        !pm_pool_recall(r->pool, pm_hash(p, (size_t)(next - p)), &id))
        return 0;
    m = pm_pool_get(r->pool, id);
    r->line++;
    pm_enter_row(r, PM_LINE_RANGE, PM_DIALECT_MAPS, m);
    pm_smaps_known(r, id, p);
    r->line += lines - 1;
    pm_block_lines(r, p, (size_t)(next - p), lines);
    s->any_key = true;
    s->blank_ends |= pm_has(m, PM_HAS_FLAGS) && next[-2] == ' ';
    return (size_t)(next - p);
}

static size_t take_keys(pm_reader *r, const char *p, const char *end)
{
    pm_smaps *s = &r->smaps;
    size_t next = s->next;
    const char *numbers_end = take_numbers(s, p, end);
    size_t flags = numbers_end < end && *numbers_end == 'V' ? take_flags(s, numbers_end, end) : 0;
    size_t lines = s->next - next + (flags != 0), taken = (size_t)(numbers_end - p) + flags;

    r->line += lines;
    s->any_key |= lines > 0;
    if (lines)
        pm_block_lines(r, p, taken, lines);
    return taken;
}

pmapdb_status pm_fast_lines(void *reader, const char *p, const char *end, size_t *taken,
                            pmapdb_error *err)
{
    pm_reader *r = reader;

    if (!r->b.open || !r->smaps.open || r->b.rollup)
        return PMAPDB_OK;
    r->err = err;
    if (*p >= 'A' && *p <= 'Z' && !r->smaps.torn)
        *taken = take_keys(r, p, end);
    else if (r->pool && r->smaps.any_row && r->smaps.any_key && pm_begins_row(*p))
        *taken = take_known(r, p, end);
    return r->st;
}
