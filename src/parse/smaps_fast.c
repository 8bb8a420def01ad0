/* smaps_fast: the fast path for rows of smaps exactly as the kernel prints them. The kernel prints
 * the same bytes for an unchanged mapping, usually after the same row as before: the row that is
 * expected is recognized by the hash of its text, keys included. Otherwise a few comparisons read
 * the row, and from its second capture on the pool remembers the text. Rows that differ in a single
 * byte, and rows of tiny chunks, are left to stream.c and smaps.c, which read line by line and give
 * the same result. */
#include "parse/block.h"

#include "base/num.h"
#include <endian.h>

/* "Rss:                   4 kB\n": the layout of every number up to 99,999,999 since Linux 2.6, and
 * "THPeligible:           0\n" since 6.0. */
#define LABEL 16
#define NUMBER 8

/* A key and its colon, padded with blanks up to the number. */
static const char labels[PM_FIELD_COUNT][LABEL + 32] = {
#define PM_FIELD(id, key, column) key ":                ",
#include "base/record/fields.def"
#undef PM_FIELD
};

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte)) /* eight equal bytes */

/* Reads eight characters, blanks and then digits, as one integer whose lowest byte is the first
 * character: turns the blanks into zeroes, then joins neighbours to two, four and eight digits. */
static bool read_padded(const char *p, uint64_t *out)
{
    uint64_t v, digits;

    memcpy(&v, p, sizeof v);
    v = le64toh(v);
    digits = v ^ EACH(' '); /* 0 for a blank */
    v |= EACH('0') & ((digits & -digits) - 1);
    if (!digits || (v & EACH(0xf0)) != EACH('0') || ((v + EACH(6)) & EACH(0xf0)) != EACH('0'))
        return false;
    v = (v & EACH(0x0f)) * (1 + (10 << 8)) >> 8;
    v = (v & UINT64_C(0x00ff00ff00ff00ff)) * (1 + (100 << 16)) >> 16;
    *out = (v & UINT64_C(0x0000ffff0000ffff)) * (1 + (UINT64_C(10000) << 32)) >> 32;
    return true;
}

/* Reads the line of this field. Returns its end, or NULL for any other line. */
static const char *read_field(const char *p, const char *end, int field, uint64_t *out)
{
    const char *after = p + LABEL + NUMBER;

    if (end - p < LABEL + NUMBER + 4 || memcmp(p, labels[field], LABEL) != 0 ||
        !read_padded(p + LABEL, out))
        return NULL;
    if (PM_BIT(field) & PM_WITHOUT_UNIT)
        return *after == '\n' ? after + 1 : NULL;
    return memcmp(after, " kB\n", 4) == 0 ? after + 4 : NULL;
}

/* Reads the line of any field. *field is the field of the line before, whose successor is tried
 * first. Returns the end of the line, or NULL. */
static const char *read_number(const char *p, const char *end, int *field, uint64_t *out)
{
    const char *next = NULL;

    for (int tries = 0; tries < PM_FIELD_COUNT && !next; tries++) {
        *field = *field + 1 < PM_FIELD_COUNT ? *field + 1 : 0;
        next = read_field(p, end, *field, out);
    }
    return next;
}

/* Reads "VmFlags: rd wr mr mw me ac sd \n". Returns the end of the line, or NULL. */
static const char *read_flags(const char *p, const char *end, pm_mapping *m)
{
    const char *list = p + strlen("VmFlags: ");

    if (end - list < 4 || memcmp(p, "VmFlags: ", strlen("VmFlags: ")) != 0)
        return NULL;
    for (p = list; end - p > 3 && p[0] > ' ' && p[1] > ' ' && p[2] == ' ';)
        p += 3;
    m->flags = (pm_text){list, p > list ? (size_t)(p - list) - 1 : 0};
    m->present |= PM_HAS_FLAGS;
    return *p == '\n' ? p + 1 : NULL;
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

/* ---- a row ---- */

/* True if a row begins at p: "00400000-00401000 r". Other lines may begin with an address, too, and
 * keys of the row above may follow them. */
static inline bool begins_row(const char *p, const char *end)
{
    size_t n = pm_num_hex_run(p, end);

    if (n < PM_ADDRESS_MIN || n > PM_ADDRESS_MAX || p + n == end || p[n] != '-')
        return false;
    p += n + 1;
    n = pm_num_hex_run(p, end);
    return n && end - p > (ptrdiff_t)n + 1 && p[n] == ' ' && (p[n + 1] == 'r' || p[n + 1] == '-');
}

/* Reads a row and its keys, in any order, each once. Returns the beginning of the row that follows
 * in these bytes, otherwise NULL. A row without Size is left to smaps.c. */
static const char *read_row(const char *p, const char *end, pm_mapping *m, uint32_t *lines)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    pm_text line = {p, newline ? (size_t)(newline - p) : 0};
    int field = -1;

    if (!newline || !is_ascii(line) || !pm_range_read(line, m) || m->end <= m->start ||
        pm_text_equal(m->path, PM_TEXT("[rollup]")))
        return NULL;
    *lines = 1;
    for (p = newline + 1; p < end && *p >= 'A' && *p <= 'U'; ++*lines) {
        uint64_t v;

        p = read_number(p, end, &field, &v);
        if (!p || pm_has(m, PM_BIT(field)))
            return NULL;
        pm_set(m, (enum pm_field)field, v);
    }
    if (p < end && *p == 'V') {
        p = read_flags(p, end, m);
        ++*lines;
    }
    return p && pm_has(m, PM_BIT(PM_SIZE)) && begins_row(p, end) ? p : NULL;
}

#define CACHE_LINE 64

/* True if the row at p has the expected text. Equal hashes are taken for equal texts. During the
 * hashing, the processor fetches the mapping of the next row, and the pm_row_text of the row after
 * that. */
static bool is_expected(const pm_reader *r, const char *p, const char *end)
{
    const pm_pool *pool = r->pool;
    const pm_row_text *t;

    if (r->smaps.next_text >= pool->n_row_texts)
        return false;
    t = &pool->row_texts[r->smaps.next_text];
    if (t->next < pool->n_row_texts) {
        const pm_row_text *next = &pool->row_texts[t->next];

        for (size_t at = 0; at < sizeof(pm_pooled); at += CACHE_LINE)
            __builtin_prefetch((const char *)next->mapping + at);
        if (next->next < pool->n_row_texts)
            __builtin_prefetch(&pool->row_texts[next->next]);
    }
    return t->len < (size_t)(end - p) && begins_row(p + t->len, end) &&
           pm_hash(p, t->len, 0) == t->hash;
}

/* Adds a text to the pool. */
static pmapdb_status add_text(pm_pool *pool, const pm_row_text *t, pmapdb_error *err)
{
    pmapdb_status st =
        pm_grow(&pool->row_texts, &pool->cap_row_texts, pool->n_row_texts, sizeof *t, err);

    PM_STEP(st, pm_map_add(&pool->row_text_ids, t->hash, (int64_t)pool->n_row_texts, err));
    if (st == PMAPDB_OK)
        pool->row_texts[pool->n_row_texts++] = *t;
    return st;
}

/* Reads the row at p as *t. *at is the index of the expected text and becomes the index of *t. The
 * pool remembers texts from its second capture on, because most pools see a single capture. Returns
 * false if the row is left to smaps.c. */
static bool find_text(pm_reader *r, const char *p, const char *end, pm_row_text *t, uint32_t *at)
{
    pm_pool *pool = r->pool;
    uint32_t expected = *at;
    int64_t known = (int64_t)pool->n_row_texts;
    pm_mapping m;
    const char *next = read_row(p, end, &m, &t->lines);

    if (!next)
        return false;
    t->len = (uint32_t)(next - p);
    t->next = (uint32_t)known + 1; /* new texts mostly follow each other */
    t->hash = r->smaps.remembers ? pm_hash(p, t->len, 0) : 0;
    if (r->smaps.remembers && pm_map_get(&pool->row_text_ids, t->hash, &known)) {
        *t = pool->row_texts[known];
    } else {
        if (expected < pool->n_row_texts) /* probably the expected row has changed */
            t->next = pool->row_texts[expected].next;
        pm_check(r, pm_pool_mapping(pool, &m, &t->id, r->err));
        t->mapping = r->st == PMAPDB_OK ? pool->mappings[t->id] : NULL;
        if (r->smaps.remembers && r->st == PMAPDB_OK)
            pm_check(r, add_text(pool, t, r->err));
    }
    *at = (uint32_t)known;
    return r->st == PMAPDB_OK;
}

/* The row stays open, because the next row may be the same mapping, grown. */
pmapdb_status pm_fast_lines(void *reader, const char *p, const char *end, size_t *taken,
                            pmapdb_error *err)
{
    pm_reader *r = reader;
    pm_smaps *s = &r->smaps;
    pm_row_text t;
    uint32_t at = s->next_text;

    if (!r->b.open || !s->open || !s->any_key)
        return PMAPDB_OK;
    r->err = err;
    if (is_expected(r, p, end)) {
        t = r->pool->row_texts[at];
    } else if (!find_text(r, p, end, &t, &at)) {
        *taken = begins_row(p, end) ? PM_LINES_WAIT : 0;
        return r->st;
    }
    if (s->text < r->pool->n_row_texts)
        r->pool->row_texts[s->text].next = at;
    s->text = at;
    s->next_text = t.next;
    r->line++;
    pm_enter_row(r, PM_LINE_RANGE, PM_DIALECT_MAPS, &t.mapping->m);
    pm_smaps_known(r, t.id);
    r->line += t.lines - 1;
    pm_block_lines(r, p, t.len);
    s->any_key = true;
    s->blank_ends |= pm_has(s->now, PM_HAS_FLAGS);
    *taken = t.len;
    return r->st;
}
