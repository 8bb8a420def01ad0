/* rows: reads a text as captures, checks each row and block, alone and against the others, and
 * records all results. */
#ifndef PM_TESTS_FUZZ_ROWS_H
#define PM_TESTS_FUZZ_ROWS_H

#include "kit.h"
#include "parse/reader.h"

/* As in src/parse/block.h: far above every field of a real mapping. */
#define FUZZ_KIB_MAX ((uint64_t)1 << 46)

typedef struct fuzz_rows {
    pm_buf tape; /* all events */
    pm_totals totals;
    uint64_t fields; /* fields of the rows of the current block */
    size_t n_rows, n_blocks;
    void *ctx;
    void (*on_row)(void *ctx, const pm_mapping *m); /* or NULL */
    void (*on_block)(void *ctx, const pm_block *b);
    pm_pool *pool;    /* or NULL: a new one for each text */
    pm_pool *reading; /* of the current text */
} fuzz_rows;

static inline void fuzz_check_row(const pm_mapping *m)
{
    FUZZ_CHECK(m->start < m->end, "%" PRIx64 "-%" PRIx64, m->start, m->end);
    /* -X with columns of the user's own may be without a mode */
    FUZZ_CHECK(!*m->perms || (strlen(m->perms) == 4 && strspn(m->perms, "rwxps-") == 4), "mode");
    for (int i = 0; i < PM_FIELD_COUNT; i++) {
        FUZZ_CHECK(m->value[i] <= FUZZ_KIB_MAX, "field %d", i);
        FUZZ_CHECK(pm_has(m, PM_BIT(i)) || m->value[i] == 0, "field %d is not there", i);
    }
    FUZZ_CHECK(!m->path.len || !memchr(m->path.data, '\n', m->path.len), "a name of two lines");
    FUZZ_CHECK(!m->flags.len || pm_has(m, PM_HAS_FLAGS), "flags that are not there");
    for (size_t i = 0; i < m->flags.len; i++)
        FUZZ_CHECK((m->flags.data[i] == ' ') == (i % 3 == 2), "flags at %zu", i);
}

static inline void fuzz_put_row(pm_buf *tape, const pm_mapping *m)
{
    const uint64_t numbers[] = {m->start,     m->end,       m->offset,  m->inode,
                                m->dev_major, m->dev_minor, m->present, m->name_cut};

    fuzz_put(tape, "row", 3);
    fuzz_put(tape, numbers, sizeof numbers);
    fuzz_put(tape, m->value, sizeof m->value);
    fuzz_put(tape, m->perms, sizeof m->perms);
    fuzz_put_text(tape, m->path);
    fuzz_put_text(tape, m->flags);
    fuzz_put_text(tape, m->extra);
}

static inline void fuzz_on_row(fuzz_rows *r, const pm_mapping *m)
{
    fuzz_check_row(m);
    fuzz_put_row(&r->tape, m);
    pm_totals_add(&r->totals, m);
    r->fields |= m->present;
    r->n_rows++;
    if (r->on_row)
        r->on_row(r->ctx, m);
}

/* The sums of a block are those of its rows; what it calls complete and checked is what the tool's
 * own sum says, or the notes say what the tool got wrong. */
static inline void fuzz_check_block(const fuzz_rows *r, const pm_block *b)
{
    bool any = r->totals.v[PM_TOTAL_MAPPINGS] > 0;

    FUZZ_CHECK(b->first_line >= 1 && b->first_line <= b->last_line, "lines");
    FUZZ_CHECK((b->state == PM_STATE_PARTIAL) == (b->missing.len > 0) ||
                   b->state == PM_STATE_TOTALS,
               "state %d, missing %zu bytes", (int)b->state, b->missing.len);
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        FUZZ_CHECK(b->totals.v[i] >= 0 || b->totals.v[i] == PMAPDB_UNKNOWN, "total %d is %" PRId64,
                   i, b->totals.v[i]);
    if (b->state == PM_STATE_TOTALS || b->empty.len) {
        FUZZ_CHECK(!any, "rows where there are none to store");
        return;
    }
    FUZZ_CHECK(any, "a block with nothing in it");
    FUZZ_CHECK(b->dialect < PM_DIALECT_ROLLUP, "dialect %d", (int)b->dialect);
    FUZZ_CHECK(memcmp(&b->totals, &r->totals, sizeof r->totals) == 0, "sums are not the rows'");
    FUZZ_CHECK(b->fields == r->fields, "fields are not the rows'");
    if (b->state == PM_STATE_COMPLETE && b->checked == PM_CHECKED_FOOTER)
        FUZZ_CHECK(b->tool_size_kib == r->totals.v[PM_TOTAL_SIZE] || b->notes.len,
                   "the footer says %" PRId64 ", the rows %" PRId64, b->tool_size_kib,
                   r->totals.v[PM_TOTAL_SIZE]);
}

static inline void fuzz_put_block(pm_buf *tape, const pm_block *b)
{
    const uint64_t numbers[] = {b->dialect,
                                (uint64_t)b->pid,
                                (uint64_t)b->time_ms,
                                b->first_line,
                                b->last_line,
                                b->hash,
                                b->fields,
                                b->state,
                                b->checked,
                                (uint64_t)b->tool_size_kib,
                                (uint64_t)b->tool_rss_kib,
                                b->foreign};

    fuzz_put(tape, "block", 5);
    fuzz_put(tape, numbers, sizeof numbers);
    fuzz_put(tape, &b->totals, sizeof b->totals);
    fuzz_put_text(tape, b->command);
    fuzz_put_text(tape, b->missing);
    fuzz_put_text(tape, b->notes);
    fuzz_put_text(tape, b->empty);
}

static inline pmapdb_status fuzz_on_block(void *ctx, const pm_block *b, uint32_t *rows, size_t n,
                                          pmapdb_error *err)
{
    fuzz_rows *r = ctx;

    (void)err;
    for (size_t i = 0; i < n; i++)
        fuzz_on_row(r, &r->reading->mappings[rows[i]]->m);
    fuzz_check_block(r, b);
    fuzz_put_block(&r->tape, b);
    if (r->on_block)
        r->on_block(r->ctx, b);
    r->n_blocks++;
    r->fields = 0;
    r->totals = (pm_totals){{0}};
    return PMAPDB_OK;
}

static inline pmapdb_status fuzz_feed_reader(void *reader, const char *bytes, size_t n,
                                             pmapdb_error *err)
{
    return pm_reader_feed(reader, bytes, n, err);
}

/* Clears the tape first. */
static inline void fuzz_read(fuzz_rows *out, pm_dialect dialect, pm_text t, uint8_t split)
{
    pm_pool *own = NULL;
    pm_reader *reader = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = out->pool ? PMAPDB_OK : pm_pool_new(&own, &err);

    out->reading = own ? own : out->pool;
    if (st == PMAPDB_OK)
        st = pm_reader_new(dialect, out->reading, fuzz_on_block, out, &reader, &err);
    pm_buf_clear(&out->tape);
    out->totals = (pm_totals){{0}};
    out->fields = out->n_rows = out->n_blocks = 0;
    if (st == PMAPDB_OK)
        st = fuzz_feed(fuzz_feed_reader, reader, t, split, &err);
    if (st == PMAPDB_OK)
        st = pm_reader_finish(reader, &err);
    FUZZ_CHECK(st == PMAPDB_OK, "status %d: %s", (int)st, err.text);
    FUZZ_CHECK(out->totals.v[PM_TOTAL_MAPPINGS] == 0, "rows without a block");
    fuzz_put_int(&out->tape, pm_reader_foreign_lines(reader));
    fuzz_put_int(&out->tape, pm_reader_hopeless(reader));
    pm_reader_free(reader);
    pm_pool_free(own);
}

/* In one piece, and, where `split` is odd, in those of it: the same. Even: it is twice as fast. */
static inline void fuzz_read_both(pm_dialect dialect, pm_text t, uint8_t split)
{
    static fuzz_rows whole, pieces;

    fuzz_read(&whole, dialect, t, 0);
    if (split % 2 == 0)
        return;
    fuzz_read(&pieces, dialect, t, split);
    fuzz_same(&whole.tape, &pieces.tape, "another cut of the same bytes gives the same");
}

/* The pool knows `before`, then the text itself; the results must be the same. */
static inline void fuzz_read_known(pm_text before, pm_text t, uint8_t split)
{
    static fuzz_rows plain, known;

    FUZZ_CHECK(pm_pool_new(&known.pool, NULL) == PMAPDB_OK, "memory");
    fuzz_read(&known, PM_DIALECT_COUNT, before, 0);
    fuzz_read(&plain, PM_DIALECT_COUNT, t, 0);
    for (int i = 0; i < 2; i++) {
        fuzz_read(&known, PM_DIALECT_COUNT, t, i ? split : 0);
        fuzz_same(&plain.tape, &known.tape, "what is known makes no difference");
    }
    pm_pool_free(known.pool);
}

#endif
