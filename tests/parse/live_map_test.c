/* live_map_test: a map that is read repeatedly equals the result of the reader after any change,
 * and an unchanged mapping keeps its id. PMAPDB_SEEDS=N: the number of beats with random changes.
 */
#include "parse/kit.h"

#include "parse/live_map.h"

static pm_live_map *new_map(void)
{
    pm_live_map *a = calloc(1, sizeof *a);

    assert_non_null(a);
    return a;
}

static void end_map(pm_live_map *a)
{
    pm_live_map_free(a);
    free(a);
}

typedef struct got {
    pm_block block;
    const pm_pool *pool;
    const uint32_t *rows;
    size_t n;
    pmapdb_error err;
} got;

static pmapdb_status feed(pm_live_map *a, pm_dialect dialect, pm_text t, size_t step,
                          pmapdb_error *err)
{
    pmapdb_status st = pm_live_map_begin(a, dialect, err);

    for (size_t at = 0; at < t.len && st == PMAPDB_OK; at += step) {
        size_t n = t.len - at < step ? t.len - at : step;
        char *chunk = malloc(n); /* its own block: the sanitizer sees a read past the end */

        assert_non_null(chunk);
        memcpy(chunk, t.data + at, n);
        st = pm_live_map_feed(a, chunk, n, err);
        free(chunk);
    }
    return st;
}

static pmapdb_status read_as(pm_live_map *a, pm_dialect dialect, pm_text t, size_t step, got *g)
{
    pmapdb_status st;

    memset(g, 0, sizeof *g);
    st = feed(a, dialect, t, step, &g->err);
    return st == PMAPDB_OK ? pm_live_map_finish(a, &g->block, &g->pool, &g->rows, &g->n, &g->err)
                           : st;
}

static void write_got(pm_buf *out, const got *g)
{
    for (size_t i = 0; i < g->n; i++)
        kit_write_row(out, &g->pool->mappings[g->rows[i]]->m);
}

static void expect_same_block(const pm_block *a, const pm_block *b, size_t step)
{
    if (a->fields != b->fields || a->state != b->state || a->dialect != b->dialect ||
        a->checked != b->checked || memcmp(&a->totals, &b->totals, sizeof a->totals) != 0)
        fail_msg("pieces of %zu bytes give another block", step);
}

/* Reads `t`, and compares the rows and the stored fields of the block with the reader. */
static void expect_read(pm_live_map *a, pm_dialect dialect, pm_text t, size_t step)
{
    pm_seen *s = kit_read_as(dialect, t, t.len);
    pm_buf wanted = kit_text(s, false), have = {0};
    got g;

    assert_int_equal(s->n_blocks, 1);
    if (read_as(a, dialect, t, step, &g) != PMAPDB_OK)
        fail_msg("%s", g.err.text);
    write_got(&have, &g);
    kit_same(&wanted, &have, step);
    expect_same_block(&g.block, &s->blocks[0], step);
    assert_int_equal(g.block.empty.len, 0);
    pm_buf_free(&wanted);
    pm_buf_free(&have);
    kit_free(s);
}

#define SMAPS "tests/fixtures/tools/kernel-smaps.txt"
#define DEMO "tests/fixtures/parse/demo-smaps.txt"
#define MAPS "tests/fixtures/tools/kernel-maps.txt"

static const struct text {
    const char *path;
    pm_dialect dialect;
} texts[] = {{SMAPS, PM_DIALECT_SMAPS}, {DEMO, PM_DIALECT_SMAPS}, {MAPS, PM_DIALECT_MAPS}};

#define N_TEXTS (COUNT(texts))

/* The size of the pieces does not matter, also if one row has changed. */
TEST(in_pieces)
{
    for (size_t i = 0; i < N_TEXTS; i++) {
        pm_buf t = kit_slurp(texts[i].path);
        char *changed = strstr(t.data + t.len / 2, " r") + 1;
        pm_live_map *a = new_map();

        for (size_t step = 1; step < t.len; step += step < 900 ? 61 : 1999) {
            *changed = *changed == 'r' ? '-' : 'r';
            expect_read(a, texts[i].dialect, pm_buf_text(&t), step);
        }
        end_map(a);
        pm_buf_free(&t);
    }
}

TEST(unchanged_rows_keep_their_ids)
{
    pm_buf t = kit_slurp(SMAPS);
    pm_live_map *a = new_map();
    uint32_t *ids;
    const pm_pool *pool;
    got g;

    assert_int_equal(read_as(a, PM_DIALECT_SMAPS, pm_buf_text(&t), 2048, &g), PMAPDB_OK);
    pool = g.pool;
    ids = malloc(g.n * sizeof *ids);
    assert_non_null(ids);
    memcpy(ids, g.rows, g.n * sizeof *ids);
    for (size_t i = 1; i < g.n; i++)
        assert_int_not_equal(ids[i - 1], ids[i]);
    assert_int_equal(read_as(a, PM_DIALECT_SMAPS, pm_buf_text(&t), 100, &g), PMAPDB_OK);
    assert_ptr_equal(g.pool, pool);
    assert_memory_equal(g.rows, ids, g.n * sizeof *ids);
    free(ids);
    end_map(a);
    pm_buf_free(&t);
}

/* ---- a map that changes ---- */

typedef struct area {
    uint64_t start, pages, rss;
    bool extra; /* a key that only this row has; last, so that the lines before it stay the same */
} area;

#define AREAS 40
#define PLACE 64 /* pages between two starts */

static void write_key(pm_buf *out, const char *key, uint64_t kib)
{
    static const char blanks[] = "       ";
    size_t n = 0;

    for (uint64_t v = kib; v >= 10; v /= 10)
        n++;
    kit_word(out, key);
    kit_number(out, blanks + n, kib, 10);
    kit_word(out, " kB\n");
}

static void write_area(pm_buf *out, const area *a)
{
    kit_number(out, "", a->start, 16);
    kit_number(out, "-", a->start + a->pages * 4096, 16);
    kit_word(out, " rw-p 00000000 00:00 0 \n");
    write_key(out, "Size:           ", a->pages * 4);
    write_key(out, "Rss:            ", a->rss);
    write_key(out, "Private_Dirty:  ", a->rss);
    kit_word(out, "VmFlags: rd wr mr mw me ac \n");
    if (a->extra)
        kit_word(out, "NewKey:                4 kB\n");
}

static pm_buf write_areas(const area *areas, const bool *there)
{
    pm_buf out = {0};

    for (size_t i = 0; i < AREAS; i++)
        if (there[i])
            write_area(&out, &areas[i]);
    return out;
}

static void change(uint64_t *seed, area *areas, bool *there)
{
    for (uint64_t n = kit_chance(seed, 6); n; n--) {
        size_t i = kit_chance(seed, AREAS);

        switch (kit_chance(seed, 5)) {
        case 0:
            there[i] = !there[i];
            break;
        case 1:
            areas[i].pages = 1 + kit_chance(seed, PLACE - areas[i].start / 4096 % PLACE);
            break;
        case 2: /* its start moves, its end stays */
            areas[i].start += 4096 * kit_chance(seed, areas[i].pages);
            areas[i].pages = PLACE - areas[i].start / 4096 % PLACE;
            break;
        case 3:
            areas[i].extra = !areas[i].extra;
            break;
        default:
            areas[i].rss = kit_chance(seed, 12) * 4;
        }
    }
    there[0] = true;
}

TEST(random_changes)
{
    static area areas[AREAS];
    static bool there[AREAS];
    pm_live_map *a = new_map();
    uint64_t seed = 1;

    for (size_t i = 0; i < AREAS; i++)
        areas[i] = (area){(UINT64_C(0x7f0000) + i * PLACE) * 4096, 1 + i % PLACE, i * 4, false};
    const char *beats = getenv("PMAPDB_SEEDS");

    for (long beat = 0; beat < (beats ? strtol(beats, NULL, 10) : 600); beat++) {
        pm_buf t;

        change(&seed, areas, there);
        t = write_areas(areas, there);
        expect_read(a, PM_DIALECT_SMAPS, pm_buf_text(&t), 1 + kit_chance(&seed, 3000));
        if (beat % 7 == 0) { /* an incomplete reading leaves no trace */
            got g;

            assert_int_equal(feed(a, PM_DIALECT_SMAPS, (pm_text){t.data, t.len / 2}, 77, &g.err),
                             PMAPDB_OK);
        }
        pm_buf_free(&t);
    }
    end_map(a);
}

/* A long run: the memory does not grow, and rows stay right when the pool is renewed. */
TEST(many_beats)
{
    static area areas[AREAS];
    static bool there[AREAS];
    pm_live_map *a = new_map();
    const pm_pool *first = NULL;
    size_t most = 0;
    bool renewed = false;
    got g;

    memset(there, true, sizeof there);
    for (size_t i = 0; i < AREAS; i++)
        areas[i] = (area){(UINT64_C(0x7f0000) + i * PLACE) * 4096, 1 + i % PLACE, 4, false};
    for (uint64_t beat = 0; beat < 8000; beat++) {
        pm_buf t;

        areas[7].rss = beat;
        t = write_areas(areas, there);
        if (beat % 100 == 0)
            expect_read(a, PM_DIALECT_SMAPS, pm_buf_text(&t), 2048);
        assert_int_equal(read_as(a, PM_DIALECT_SMAPS, pm_buf_text(&t), 2048, &g), PMAPDB_OK);
        first = first ? first : g.pool;
        renewed |= g.pool != first;
        most = most > pm_live_map_bytes(a) ? most : pm_live_map_bytes(a);
        pm_buf_free(&t);
    }
    assert_true(renewed);
    assert_in_range(most, 1, 1 << 18);
    end_map(a);
}

TEST(nothing_at_all)
{
    pm_live_map *a = new_map();
    pm_buf t = kit_slurp(SMAPS);
    got g;

    assert_int_equal(read_as(a, PM_DIALECT_SMAPS, PM_TEXT(""), 1, &g), PMAPDB_OK);
    assert_int_equal(g.n, 0);
    assert_string_equal(g.block.empty.data, "no mappings: kernel thread");
    expect_read(a, PM_DIALECT_SMAPS, pm_buf_text(&t), 2048);
    assert_int_equal(read_as(a, PM_DIALECT_SMAPS, PM_TEXT(""), 1, &g), PMAPDB_OK);
    assert_int_equal(g.block.totals.v[PM_TOTAL_MAPPINGS], 0);
    end_map(a);
    pm_buf_free(&t);
}

/* ---- maps that are not whole ---- */

#define ROW "00001000-00003000 rw-p 00000000 00:00 0 \n"
#define KEYS "Size:                  8 kB\nRss:                   4 kB\n"

TEST(maps_that_are_not_whole)
{
    static const struct {
        const char *text, *words;
    } damaged[] = {
        {ROW KEYS "00002000-00004000 rw-p 00000000 00:00 0 \n" KEYS, "changed while"},
        {ROW KEYS "00000000-00000800 rw-p 00000000 00:00 0 \n" KEYS, "changed while"},
        {ROW KEYS "00004000-00006000 rw-p 00000000 00:00 0 \nSize:                  8 kB\n",
         "middle"},
        {ROW KEYS "00004000-00006000 rw-p 00000000 00:00 0 \n" KEYS "Rss", "in the middle"},
        {ROW KEYS
         "00004000-00006000 rw-p 00000000 00:00 0 \nSize:                  4 kB\nRss:      "
         "             4 kB\n",
         "its Size does not match"},
        {ROW KEYS "bare words\n" KEYS, "not what the kernel prints"},
        {"00001000-00002000 none\n " ROW KEYS, "not what the kernel prints"},
        {"PID:   cat\n" ROW KEYS, "not what the kernel prints"},
        {ROW KEYS "00005000-00004000 rw-p 00000000 00:00 0 \n" KEYS, "not what the kernel prints"},
        {ROW KEYS "00004000-00006000 rw-p zero\n" KEYS, "not what the kernel prints"},
        {ROW, "not what the kernel prints"}, /* a row of maps */
    };
    pm_buf t = kit_slurp(SMAPS);

    for (size_t i = 0; i < COUNT(damaged); i++)
        for (size_t step = 1; step < 200; step += 33) {
            pm_live_map *a = new_map();
            got g;

            if (i % 2)
                expect_read(a, PM_DIALECT_SMAPS, pm_buf_text(&t), 2048);
            assert_int_equal(read_as(a, PM_DIALECT_SMAPS, pm_text_of(damaged[i].text), step, &g),
                             PMAPDB_INPUT);
            if (!strstr(g.err.text, damaged[i].words))
                fail_msg("'%s' does not say '%s'", g.err.text, damaged[i].words);
            expect_read(a, PM_DIALECT_SMAPS, pm_buf_text(&t), 2048);
            end_map(a);
        }
    pm_buf_free(&t);
}

#define AT(start, end, size, rss)                                                             \
    "0000" #start "000-0000" #end "000 rw-p 00000000 00:00 0 \nSize:                  " #size \
    " kB\nRss:                   " #rss " kB\n"
#define AS_IT_WAS AT(1, 2, 4, 1) AT(3, 4, 4, 2) AT(4, 5, 4, 2) AT(8, 9, 4, 3)

/* The kernel goes on after the last printed address: a mapping that grew meanwhile comes again. */
TEST(grown_mappings_count_once)
{
    static const struct {
        const char *text;
        int64_t mappings, rss;
    } grown[] = {
        {AT(1, 2, 4, 1) AT(4, 5, 4, 2) AT(4, 6, 8, 5) AT(8, 9, 4, 3), 3, 9},
        {AT(1, 2, 4, 1) AT(3, 4, 4, 2) AT(4, 5, 4, 2) AT(4, 6, 8, 5), 3, 8},
    };
    static const char *const torn[] = {
        AT(1, 4, 12, 4) AT(2, 6, 16, 4),
        /* A row that overlaps several rows before it: another reading will have it alone. */
        AT(3, 4, 4, 2) AT(4, 5, 4, 2) AT(3, 6, 12, 7),
        /* The overlapped row has not grown. */
        AT(1, 4, 12, 4) AT(3, 4, 4, 2) AT(4, 5, 4, 2),
    };
    pm_live_map *known = new_map();
    got g;

    for (size_t i = 0; i < COUNT(grown); i++)
        for (size_t step = 1; step < 200; step += 33) {
            pm_live_map *fresh = new_map();

            expect_read(known, PM_DIALECT_SMAPS, pm_text_of(AS_IT_WAS), step);
            for (int k = 0; k < 4; k++) {
                assert_int_equal(read_as(k ? known : fresh, PM_DIALECT_SMAPS,
                                         pm_text_of(grown[i].text), step, &g),
                                 PMAPDB_OK);
                assert_int_equal(g.n, grown[i].mappings);
                assert_int_equal(g.block.totals.v[PM_TOTAL_MAPPINGS], grown[i].mappings);
                assert_int_equal(g.block.totals.v[PM_TOTAL_RSS], grown[i].rss);
            }
            end_map(fresh);
        }
    expect_read(known, PM_DIALECT_SMAPS, pm_text_of(grown[0].text), 100); /* like the reader */
    expect_read(known, PM_DIALECT_SMAPS, pm_text_of(AS_IT_WAS), 100);
    for (size_t i = 0; i < COUNT(torn); i++) {
        for (size_t step = 100; step <= 1000; step += 900) { /* again after a refusal */
            assert_int_equal(read_as(known, PM_DIALECT_SMAPS, pm_text_of(torn[i]), step, &g),
                             PMAPDB_INPUT);
            assert_true(known->torn);
        }
        expect_read(known, PM_DIALECT_SMAPS, pm_text_of(AS_IT_WAS), 100);
        assert_false(known->torn);
    }
    end_map(known);
}

/* A map that is cut anywhere is either refused or equals the result of the reader. */
TEST(cut_anywhere)
{
    pm_buf t = kit_slurp(DEMO);
    size_t refused = 0;

    for (size_t len = 1; len < t.len; len += len < t.len - 300 ? 3 : 1) {
        pm_live_map *a = new_map();
        got g;

        if (read_as(a, PM_DIALECT_SMAPS, (pm_text){t.data, len}, 2048, &g) == PMAPDB_OK)
            expect_read(a, PM_DIALECT_SMAPS, (pm_text){t.data, len}, 2048);
        else
            refused++;
        end_map(a);
    }
    assert_in_range(refused, t.len / 3, t.len - 1); /* 19 rows end in the text */
    pm_buf_free(&t);
}

RUN_TESTS(NULL, NULL)
