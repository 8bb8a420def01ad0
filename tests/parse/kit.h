/* kit: feeds a reader in chunks of a given size and records every event as a line of text. */
#ifndef PM_TESTS_PARSE_KIT_H
#define PM_TESTS_PARSE_KIT_H

#include "base/buf.h"
#include "parse/reader.h"
#include "unit.h"
#include <inttypes.h>
#include <stdio.h>

/* The result of a stream. The texts of rows and blocks are copies. */
typedef struct pm_seen {
    pm_mapping *rows;
    pm_block *blocks;
    size_t *first_row; /* of each block, and the end */
    size_t n_rows, cap_rows, n_blocks, cap_blocks, cap_first;
    pm_pool *pool;
    uint64_t foreign;
    bool hopeless;
    pmapdb_status status;
    pmapdb_error err;
} pm_seen;

static inline pm_text kit_copy(pm_text t)
{
    char *copy = malloc(t.len + 1);

    assert_non_null(copy);
    if (t.len)
        memcpy(copy, t.data, t.len);
    copy[t.len] = '\0';
    return (pm_text){copy, t.len};
}

static inline void kit_mapping(pm_seen *s, const pm_mapping *m)
{
    pm_mapping *row;

    assert_int_equal(pm_grow(&s->rows, &s->cap_rows, s->n_rows, sizeof *s->rows, NULL), PMAPDB_OK);
    row = &s->rows[s->n_rows++];
    *row = *m;
    row->path = kit_copy(m->path);
    row->flags = kit_copy(m->flags);
    row->extra = kit_copy(m->extra);
}

static inline pmapdb_status kit_block(void *ctx, const pm_block *b, uint32_t *rows, size_t n,
                                      pmapdb_error *err)
{
    pm_seen *s = ctx;
    pm_block *block;

    for (size_t i = 0; i < n; i++)
        kit_mapping(s, &s->pool->mappings[rows[i]]->m);
    assert_int_equal(pm_grow(&s->blocks, &s->cap_blocks, s->n_blocks, sizeof *s->blocks, err),
                     PMAPDB_OK);
    assert_int_equal(
        pm_grow(&s->first_row, &s->cap_first, s->n_blocks + 1, sizeof *s->first_row, err),
        PMAPDB_OK);
    block = &s->blocks[s->n_blocks++];
    *block = *b;
    block->command = kit_copy(b->command);
    block->missing = kit_copy(b->missing);
    block->notes = kit_copy(b->notes);
    block->empty = kit_copy(b->empty);
    s->first_row[0] = 0;
    s->first_row[s->n_blocks] = s->n_rows;
    return PMAPDB_OK;
}

/* Feeds a chunk in its own heap block: the sanitizer sees a read past the end. */
static inline pmapdb_status kit_feed(pm_reader *r, const char *bytes, size_t n, pmapdb_error *err)
{
    char *chunk = malloc(n);
    pmapdb_status st;

    assert_non_null(chunk);
    memcpy(chunk, bytes, n);
    st = pm_reader_feed(r, chunk, n, err);
    free(chunk);
    return st;
}

static inline pm_pool *kit_pool(void)
{
    pm_pool *pool = NULL;

    assert_int_equal(pm_pool_new(&pool, NULL), PMAPDB_OK);
    return pool;
}

/* If the step is 1, no row of smaps takes the fast path. */
static inline pm_seen *kit_read_by(pm_dialect dialect, pm_text t, size_t step, pm_pool *pool)
{
    pm_seen *s = calloc(1, sizeof *s);
    pm_reader *r = NULL;

    assert_non_null(s);
    s->pool = pool;
    assert_int_equal(pm_reader_new(dialect, pool, kit_block, s, &r, &s->err), PMAPDB_OK);
    for (size_t at = 0; t.data && at < t.len && s->status == PMAPDB_OK; at += step) {
        size_t n = t.len - at < step ? t.len - at : step;

        s->status = kit_feed(r, t.data + at, n, &s->err);
    }
    if (s->status == PMAPDB_OK)
        s->status = pm_reader_finish(r, &s->err);
    s->foreign = pm_reader_foreign_lines(r);
    s->hopeless = pm_reader_hopeless(r);
    pm_reader_free(r);
    return s;
}

static inline pm_seen *kit_read_as(pm_dialect dialect, pm_text t, size_t step)
{
    pm_pool *pool = kit_pool();
    pm_seen *s = kit_read_by(dialect, t, step, pool);

    pm_pool_free(pool);
    return s;
}

static inline pm_seen *kit_read(pm_text t)
{
    return kit_read_as(PM_DIALECT_COUNT, t, t.len ? t.len : 1);
}

static inline void kit_free(pm_seen *s)
{
    for (size_t i = 0; i < s->n_rows; i++) {
        free((char *)s->rows[i].path.data);
        free((char *)s->rows[i].flags.data);
        free((char *)s->rows[i].extra.data);
    }
    for (size_t i = 0; i < s->n_blocks; i++) {
        free((char *)s->blocks[i].command.data);
        free((char *)s->blocks[i].missing.data);
        free((char *)s->blocks[i].notes.data);
        free((char *)s->blocks[i].empty.data);
    }
    free(s->first_row);
    free(s->blocks);
    free(s->rows);
    free(s);
}

/* ---- events as text, without printf, which is slow under the sanitizer ---- */

static inline void kit_word(pm_buf *out, const char *word)
{
    pm_buf_add(out, word, strlen(word), NULL);
}

static inline void kit_number(pm_buf *out, const char *before, uint64_t v, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits;

    do
        digits[--at] = "0123456789abcdef"[v % base];
    while (v /= base);
    kit_word(out, before);
    pm_buf_add(out, digits + at, sizeof digits - at, NULL);
}

static inline void kit_between(pm_buf *out, const char *before, pm_text t, const char *after)
{
    kit_word(out, before);
    pm_buf_add(out, t.data, t.len, NULL);
    kit_word(out, after);
}

/* Writes "1000-2000 rw-p +0 fe:0 i17 Size=4 Rss=4 {rd wr} pseudo [/a b]". */
static inline void kit_write_row(pm_buf *out, const pm_mapping *m)
{
    kit_number(out, "", m->start, 16);
    kit_number(out, "-", m->end, 16);
    kit_between(out, " ", pm_text_of(m->perms), "");
    if (pm_has(m, PM_HAS_OFFSET))
        kit_number(out, " +", m->offset, 16);
    if (pm_has(m, PM_HAS_DEVICE)) {
        kit_number(out, " ", m->dev_major, 16);
        kit_number(out, ":", m->dev_minor, 16);
    }
    if (pm_has(m, PM_HAS_INODE))
        kit_number(out, " i", m->inode, 10);
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        if (pm_has(m, PM_BIT(i))) {
            kit_word(out, " ");
            kit_word(out, pm_fields[i].key);
            kit_number(out, "=", m->value[i], 10);
        }
    if (pm_has(m, PM_HAS_FLAGS))
        kit_between(out, " {", m->flags, "}");
    if (m->extra.len)
        kit_between(out, " <", m->extra, ">");
    kit_word(out, pm_has(m, PM_HAS_PSEUDO) ? " pseudo" : "");
    kit_word(out, m->name_cut ? " cut" : "");
    kit_between(out, " [", m->path, "]\n");
}

static inline void kit_write_block(pm_buf *out, const pm_block *b)
{
    pm_buf_addf(out, NULL, "%s pid %" PRId64 " time %" PRId64 " lines %" PRIu64 "-%" PRIu64,
                pm_dialect_names[b->dialect], b->pid, b->time_ms, b->first_line, b->last_line);
    pm_buf_addf(out, NULL, " hash %" PRIx64 " fields %" PRIx64 " %s %s tool %" PRId64 " %" PRId64,
                b->hash, b->fields, pm_state_names[b->state], pm_checked_names[b->checked],
                b->tool_size_kib, b->tool_rss_kib);
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        kit_number(out, " ", (uint64_t)b->totals.v[i], 10);
    kit_word(out, b->foreign ? " foreign" : "");
    kit_between(out, " command (", b->command, ")");
    kit_between(out, " missing (", b->missing, ")");
    kit_between(out, " notes (", b->notes, ")");
    kit_between(out, " empty (", b->empty, ")\n");
}

/* Writes the rows alone, or the rows with their blocks. */
static inline pm_buf kit_text(const pm_seen *s, bool blocks)
{
    pm_buf out = {0};

    for (size_t i = 0; i < s->n_blocks; i++) {
        for (size_t row = s->first_row[i]; row < s->first_row[i + 1]; row++)
            kit_write_row(&out, &s->rows[row]);
        if (blocks)
            kit_write_block(&out, &s->blocks[i]);
    }
    if (blocks)
        pm_buf_addf(&out, NULL, "foreign %" PRIu64 "\n", s->foreign);
    return out;
}

static inline void kit_same(const pm_buf *a, const pm_buf *b, size_t step)
{
    if (pm_text_equal(pm_buf_text(a), pm_buf_text(b)))
        return;
    fail_msg("chunks of %zu bytes give other events:\n%s---\n%s", step, b->data, a->data);
}

/* Expects these events of the text in chunks of `step` bytes. */
static inline void kit_expect(const pm_buf *expected, pm_text t, size_t step, pm_pool *pool)
{
    pm_seen *s = kit_read_by(PM_DIALECT_COUNT, t, step, pool);
    pm_buf got = kit_text(s, true);

    kit_same(expected, &got, step);
    pm_buf_free(&got);
    kit_free(s);
}

/* Expects the same events for many sizes of chunks and with a pool that knows the rows: every size
 * up to 16, every fifth size up to `sizes` (which ones depends on the length of the text), and some
 * larger sizes; with PMAPDB_FULL every size up to `sizes`. */
static inline void kit_every_chunk(pm_text t, size_t sizes)
{
    pm_seen *whole = kit_read(t);
    pm_buf expected = kit_text(whole, true);
    pm_pool *pool = kit_pool();
    bool every = getenv("PMAPDB_FULL");

    for (size_t step = 1; step < t.len + 997; step += step < sizes ? 1 : 997)
        if (every || step <= 16 || step >= sizes || (step + t.len) % 5 == 0)
            kit_expect(&expected, t, step, pool);
    pm_pool_free(pool);
    pm_buf_free(&expected);
    kit_free(whole);
}

static inline pm_buf kit_slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    pm_buf all = {0};
    char part[65536];
    size_t n;

    if (!f)
        fail_msg("cannot read %s", path);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        assert_int_equal(pm_buf_add(&all, part, n, NULL), PMAPDB_OK);
    (void)fclose(f);
    return all;
}

static inline pm_buf kit_fixture(const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "tests/fixtures/parse/%s", name);
    return kit_slurp(path);
}

/* Returns a number below n; the numbers are the same in every run. */
static inline size_t kit_chance(uint64_t *seed, size_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*seed >> 33) % n;
}

#endif
