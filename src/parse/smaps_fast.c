/* smaps_fast: the fast path for rows of smaps exactly as the kernel prints them. The pool knows
 * such a row by the hash of its text, keys included; otherwise a few comparisons read the row, and
 * the pool remembers it. Rows that differ in a single byte, and rows that the end of a chunk cuts,
 * are left to stream.c and smaps.c, which read line by line and give the same result. */
#include "parse/block.h"

#include "base/num.h"

/* "Rss:                   4 kB\n": the layout of every number up to 99,999,999 since Linux 2.6, and
 * "THPeligible:           0\n" since 6.0. */
#define LABEL 16
#define NUMBER 8

/* A key and its colon, padded with blanks up to the number. */
static const char labels[PM_FIELD_COUNT][LABEL + 32] = {
#define PM_FIELD(id, key, column, unit, additive) key ":                ",
#include "base/record/fields.def"
#undef PM_FIELD
};

/* Reads the line of this field. Returns its end, or NULL for any other line. */
static const char *read_field(const char *p, const char *end, int field, uint64_t *out)
{
    bool bare = field == PM_THP_ELIGIBLE || field == PM_PROTECTION_KEY;
    pm_text tail = bare ? PM_TEXT("\n") : PM_TEXT(" kB\n");
    const char *number = p + LABEL, *after = number + NUMBER;

    if ((size_t)(end - p) < LABEL + NUMBER + tail.len || memcmp(p, labels[field], LABEL) != 0 ||
        memcmp(after, tail.data, tail.len) != 0)
        return NULL;
    number = pm_skip_blanks(number, after);
    return number < after && number + pm_num_dec(number, after, out) == after ? after + tail.len
                                                                              : NULL;
}

/* Reads the line of any field. *field is the field of the line before, whose successor is tried
 * first. Returns the end of the line, or NULL. */
static const char *read_number(const char *p, const char *end, int *field, uint64_t *out)
{
    const char *next = NULL;

    for (int tries = 0; tries < PM_FIELD_COUNT && !next; tries++) {
        *field = (*field + 1) % PM_FIELD_COUNT;
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

/* Reads a row and its keys, in any order, each once. A row without Size is left to smaps.c. */
static bool read_row(pm_text t, pm_mapping *m)
{
    const char *p = memchr(t.data, '\n', t.len), *end = t.data + t.len;
    pm_text line = {t.data, (size_t)(p - t.data)};
    int field = -1;

    if (!is_ascii(line) || !pm_range_read(line, m) || m->end <= m->start ||
        pm_text_equal(m->path, PM_TEXT("[rollup]")))
        return false;
    for (p++; p < end && *p != 'V';) {
        uint64_t v;

        p = read_number(p, end, &field, &v);
        if (!p || pm_has(m, PM_BIT(field)))
            return false;
        pm_set(m, (enum pm_field)field, v);
    }
    if (p < end)
        p = read_flags(p, end, m);
    return p == end && pm_has(m, PM_BIT(PM_SIZE));
}

/* Finds the row in the pool, by its text or by its contents. */
static bool find_row(pm_reader *r, pm_text t, uint32_t *id)
{
    uint64_t hash = pm_hash(t.data, t.len, 0);
    int64_t known;
    pm_mapping m;

    if (pm_map_get(&r->pool->known, hash, &known)) {
        *id = (uint32_t)known;
        return true;
    }
    if (!read_row(t, &m))
        return false;
    pm_check(r, pm_pool_mapping(r->pool, &m, id, r->err));
    if (r->st == PMAPDB_OK)
        pm_check(r, pm_map_put(&r->pool->known, hash, *id, r->err));
    return r->st == PMAPDB_OK;
}

/* The row stays open, because the next row may be the same mapping, grown. */
pmapdb_status pm_fast_lines(void *reader, const char *p, const char *end, size_t *taken,
                            pmapdb_error *err)
{
    pm_reader *r = reader;
    pm_smaps *s = &r->smaps;
    const char *next;
    uint64_t lines;
    uint32_t id;

    if (!r->b.open || !s->open || !s->any_key || !pm_begins_row(*p))
        return PMAPDB_OK;
    r->err = err;
    next = row_end(p, end, &lines);
    if (!next || lines < 2 || !find_row(r, (pm_text){p, (size_t)(next - p)}, &id))
        return r->st;
    r->line++;
    pm_enter_row(r, PM_LINE_RANGE, PM_DIALECT_MAPS, &r->pool->mappings[id]->m);
    pm_smaps_known(r, id);
    r->line += lines - 1;
    pm_block_lines(r, p, (size_t)(next - p));
    s->any_key = true;
    s->blank_ends |= pm_has(&s->row, PM_HAS_FLAGS);
    *taken = (size_t)(next - p);
    return r->st;
}
