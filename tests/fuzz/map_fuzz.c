/* map_fuzz: writes a map from the bytes of the input as a tool prints it, and reads the same map
 * back. Then damages a line or some bytes at a time: each way to cut the bytes into pieces gives
 * the same result, sums are those of the rows, and a complete capture lacks no row. Byte 0: the
 * dialect; byte 1: the pieces; byte 2: number of rows; the rows; the rest is the damage.
 * PMAPDB_FUZZ_SHOW=1 prints the map. */
#include "map_text.h"

typedef struct expected {
    const fuzz_map *map;
    size_t at;
} expected;

static void on_row(void *ctx, const pm_mapping *m)
{
    expected *e = ctx;
    const fuzz_area *a = &e->map->area[e->at];

    FUZZ_CHECK(e->at < e->map->n, "row %zu of %zu", e->at, e->map->n);
    FUZZ_CHECK(m->start == a->start && m->end == a->start + a->kib * 1024, "row %zu", e->at);
    FUZZ_CHECK(strcmp(m->perms, a->perms) == 0, "mode %s of row %zu", m->perms, e->at);
    FUZZ_CHECK(m->value[PM_SIZE] == a->kib, "size of row %zu", e->at);
    if (e->map->dialect != PM_DIALECT_PMAP)
        FUZZ_CHECK(pm_has(m, PM_BIT(PM_RSS)) && m->value[PM_RSS] == a->rss, "RSS of row %zu",
                   e->at);
    if (e->map->dialect <= PM_DIALECT_PMAP_XX)
        FUZZ_CHECK(m->value[PM_PRIVATE_DIRTY] == a->dirty && m->inode == a->inode &&
                       m->offset == a->offset,
                   "numbers of row %zu", e->at);
    if (e->map->dialect == PM_DIALECT_SMAPS)
        FUZZ_CHECK(pm_text_equal(m->path, pm_text_of(a->name)), "name of row %zu", e->at);
    e->at++;
}

static void on_block(void *ctx, const pm_block *b)
{
    const expected *e = ctx;

    FUZZ_CHECK(e->at == e->map->n, "%zu rows of %zu", e->at, e->map->n);
    FUZZ_CHECK(b->dialect == e->map->dialect, "read as %s", pm_dialect_names[b->dialect]);
    FUZZ_CHECK(b->state == PM_STATE_COMPLETE, "missing: %.*s", (int)b->missing.len,
               b->missing.data);
    FUZZ_CHECK(b->totals.v[PM_TOTAL_SIZE] == (int64_t)e->map->kib, "size");
    FUZZ_CHECK(e->map->dialect == PM_DIALECT_PMAP ||
                   b->totals.v[PM_TOTAL_RSS] == (int64_t)e->map->rss,
               "RSS");
    FUZZ_CHECK((b->checked == PM_CHECKED_FOOTER) == (e->map->dialect != PM_DIALECT_SMAPS),
               "checked %d", (int)b->checked);
}

static void expect_as_written(const fuzz_map *map, pm_text t)
{
    expected e = {map, 0};
    static fuzz_rows rows;

    rows.ctx = &e;
    rows.on_row = on_row;
    rows.on_block = on_block;
    fuzz_read(&rows, PM_DIALECT_COUNT, t, 0);
    FUZZ_CHECK(rows.n_blocks == 1, "%zu blocks", rows.n_blocks);
}

/* Of one row less, the line of sums tells; but for sums in which shared mappings count twice, which
 * some versions print: that is then said. */
static void on_short_block(void *ctx, const pm_block *b)
{
    (void)ctx;
    FUZZ_CHECK(b->state != PM_STATE_COMPLETE || b->notes.len, "a row is gone, and nobody says so");
}

static void expect_gap(const fuzz_map *map, pm_buf *text, size_t row)
{
    static fuzz_rows rows = {.on_block = on_short_block};
    pm_text line = fuzz_line(pm_buf_text(text), map->first_row + row);
    size_t at = (size_t)(line.data - text->data);

    memmove(text->data + at, text->data + at + line.len, text->len - at - line.len);
    text->len -= line.len;
    fuzz_read(&rows, PM_DIALECT_COUNT, pm_buf_text(text), 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_map map;
    static pm_buf text;
    fuzz_input in = fuzz_open(data, size);
    uint8_t dialect = fuzz_byte(&in), split = fuzz_byte(&in);

    fuzz_map_draw(&map, &in, dialect);
    fuzz_map_write(&map, &text);
    if (getenv("PMAPDB_FUZZ_SHOW"))
        fwrite(text.data, 1, text.len, stderr);
    expect_as_written(&map, pm_buf_text(&text));
    if (map.dialect != PM_DIALECT_SMAPS && map.n > 1 && split % 4 == 0)
        expect_gap(&map, &text, split / 4 % map.n);
    for (int turn = 0; turn < 8 && in.p < in.end; turn++)
        fuzz_damage(&text, &in);
    fuzz_read_both(PM_DIALECT_COUNT, pm_buf_text(&text), split);
    return 0;
}
