/* live_map_fuzz: the map of one process is read again and again: the remembered text gives the same
 * rows as the search in the pool. Byte 0: smaps or maps; byte 1: how the readings are cut into
 * pieces; then the readings, separated by 0xff. */
#include "rows.h"

#include "parse/live_map.h"

typedef struct result {
    pmapdb_status st;
    pm_block block;
    const pm_pool *pool;
    const uint32_t *rows;
    size_t n;
} result;

static result read_map(pm_live_map *a, pm_dialect dialect, pm_text t, uint8_t split)
{
    pmapdb_error err = {0};
    result r = {.st = pm_live_map_begin(a, dialect, &err)};

    if (r.st == PMAPDB_OK)
        r.st = fuzz_feed(pm_live_map_feed, a, t, split, &err);
    if (r.st == PMAPDB_OK)
        r.st = pm_live_map_finish(a, &r.block, &r.pool, &r.rows, &r.n, &err);
    FUZZ_CHECK(r.st == PMAPDB_OK || r.st == PMAPDB_INPUT, "status %d: %s", (int)r.st, err.text);
    if (r.st != PMAPDB_OK)
        fuzz_message(&err);
    return r;
}

/* Rows and what the store takes of the block; ids are the pool's own. */
static void put_result(pm_buf *tape, const result *r)
{
    pm_totals totals = {{0}};
    uint64_t fields = 0;

    pm_buf_clear(tape);
    for (size_t i = 0; i < r->n; i++) {
        const pm_mapping *m = &r->pool->mappings[r->rows[i]]->m;

        fuzz_check_row(m);
        FUZZ_CHECK(i == 0 || r->pool->mappings[r->rows[i - 1]]->m.end <= m->start, "order");
        fuzz_put_row(tape, m);
        pm_totals_add(&totals, m);
        fields |= m->present;
    }
    FUZZ_CHECK(memcmp(&totals, &r->block.totals, sizeof totals) == 0, "sums are not the rows'");
    FUZZ_CHECK(fields == r->block.fields, "fields are not the rows'");
    FUZZ_CHECK((r->n == 0) == (r->block.empty.len > 0), "%zu rows", r->n);
}

/* The results of the reader for the same text. */
static void put_row(void *ctx, const pm_mapping *m)
{
    fuzz_put_row(ctx, m);
}

static bool all_complete;

static void see_state(void *ctx, const pm_block *b)
{
    (void)ctx;
    all_complete &= b->state == PM_STATE_COMPLETE;
}

static void compare_with_reader(pm_dialect dialect, pm_text t, const pm_buf *tape)
{
    static pm_buf told;
    static fuzz_rows rows = {.ctx = &told, .on_row = put_row, .on_block = see_state};

    pm_buf_clear(&told);
    all_complete = true;
    fuzz_read(&rows, dialect, t, 0);
    FUZZ_CHECK(rows.n_blocks == 1 && all_complete, "taken for whole");
    fuzz_same(tape, &told, "read live is what is read");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pm_buf tape, other;
    fuzz_input in = fuzz_open(data, size);
    pm_dialect dialect = fuzz_byte(&in) % 2 ? PM_DIALECT_MAPS : PM_DIALECT_SMAPS;
    uint8_t split = fuzz_byte(&in);
    pm_live_map a = {0}, fresh = {0};
    pm_text before = PM_TEXT("");
    result known, whole;

    for (int turn = 0; turn < 6 && in.p < in.end; turn++) {
        pm_text t = fuzz_until(&in, 0xff);

        if (split % 2)
            fuzz_read_known(before, t, split);
        before = t;
        known = read_map(&a, dialect, t, split);

        if (known.st != PMAPDB_OK)
            continue;
        put_result(&tape, &known);
        whole = read_map(&fresh, dialect, t, 0);
        if (whole.st == PMAPDB_OK) {
            put_result(&other, &whole);
            fuzz_same(&tape, &other, "what is known makes no difference");
            if (whole.n)
                compare_with_reader(dialect, t, &tape);
        }
        pm_live_map_free(&fresh);
    }
    pm_live_map_free(&a);
    return 0;
}
