/* memo_test: rows whose text was read before are found in the memo of the pool. The result is the
 * same as without the memo, whatever was read before and wherever the text is cut. */
#include "parse/kit.h"

#include "base/hash.h"
#include <dirent.h>

#define SMAPS "tests/fixtures/tools/kernel-smaps.txt"
#define OTHER "tests/fixtures/parse/demo-smaps.txt"

/* ---- reading with what was read before ---- */

typedef struct memory {
    pm_pool *pool;
    pm_seen *seen;
    pm_buf ids; /* of the rows of the last reading */
} memory;

static memory new_memory(void)
{
    memory m = {0};

    assert_int_equal(pm_pool_new(&m.pool, NULL), PMAPDB_OK);
    return m;
}

static void free_memory(memory *m)
{
    pm_pool_free(m->pool);
    pm_buf_free(&m->ids);
}

static pmapdb_status take_row(void *ctx, uint32_t id, pmapdb_error *err)
{
    memory *m = ctx;

    assert_int_equal(pm_buf_add(&m->ids, (const char *)&id, sizeof id, err), PMAPDB_OK);
    return kit_mapping(m->seen, pm_pool_get(m->pool, id), err);
}

static pmapdb_status take_block(void *ctx, const pm_block *b, pmapdb_error *err)
{
    return kit_block(((memory *)ctx)->seen, b, err);
}

static pm_seen *read_known(memory *m, pm_text t, size_t step)
{
    const pm_reader_events events = {m, NULL, take_block};
    pm_seen *s = m->seen = calloc(1, sizeof *s);
    pm_reader *r = NULL;

    assert_non_null(s);
    pm_buf_clear(&m->ids);
    assert_int_equal(pm_reader_new(&events, PM_DIALECT_COUNT, &r, &s->err), PMAPDB_OK);
    pm_reader_intern(r, m->pool, take_row);
    for (size_t at = 0; at < t.len; at += step)
        assert_int_equal(kit_feed(r, t.data + at, t.len - at < step ? t.len - at : step, NULL),
                         PMAPDB_OK);
    assert_int_equal(pm_reader_finish(r, NULL), PMAPDB_OK);
    s->foreign = pm_reader_foreign_lines(r);
    pm_reader_free(r);
    return s;
}

static void expect_same(memory *m, pm_text t, size_t step)
{
    pm_seen *plain = kit_read(t), *known = read_known(m, t, step);
    pm_buf wanted = kit_text(plain, true), got = kit_text(known, true);

    kit_same(&wanted, &got, step);
    pm_buf_free(&wanted);
    pm_buf_free(&got);
    kit_free(plain);
    kit_free(known);
}

/* ---- it is the same ---- */

static void each_text_of(const char *folder, memory *m)
{
    DIR *dir = opendir(folder);
    const struct dirent *e;

    assert_non_null(dir);
    while ((e = readdir(dir))) {
        char path[512];
        pm_buf t;

        if (!pm_text_ends(pm_text_of(e->d_name), PM_TEXT(".txt")))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        t = kit_slurp(path);
        for (int i = 0; i < 2; i++) {
            expect_same(m, pm_buf_text(&t), t.len + 1);
            expect_same(m, pm_buf_text(&t), 1000);
        }
        pm_buf_free(&t);
    }
    closedir(dir);
}

static void every_fixture(void **state)
{
    memory m = new_memory();

    each_text_of("tests/fixtures/parse", &m);
    each_text_of("tests/fixtures/tools", &m);
    free_memory(&m);
}

static void every_size_of_chunks(void **state)
{
    pm_buf t = kit_slurp(SMAPS);
    memory m = new_memory();

    for (size_t step = 1; step < t.len; step += step < 1500 ? 17 : 2999)
        expect_same(&m, pm_buf_text(&t), step);
    free_memory(&m);
    pm_buf_free(&t);
}

static uint64_t chance(uint64_t *seed, uint64_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % n;
}

static const char *const odd[] = {
    "\n",
    "Rss:                   4 kB\n",
    "NewKey:                4 kB\n",
    "VmFlags: rd wr \n",
    "12:30:01 up 3 days\n",
    "2024-01-02 03:04:05\n",
    "what is this\n",
    "> ",
    " ",
    "\r",
    "4711:   /bin/true\n",
    "00400000-00401000 r-xp 00000000 00:00 0 [rollup]\n",
    "00400000-0040",
    "Permission denied\n",
    "---\n",
    "00001000      4K rw---   [ anon ]\n",
    "total                4K\n",
};

/* Somewhere, mostly at a line's begin: a line or a piece of one too many, or some bytes less. */
static void damage(pm_buf *t, uint64_t *seed)
{
    pm_buf out = {0};
    size_t at = chance(seed, t->len), less = chance(seed, 3) ? 0 : chance(seed, 900);
    const char *newline = memchr(t->data + at, '\n', t->len - at);
    const char *more = odd[chance(seed, COUNT(odd))];

    if (newline && chance(seed, 8))
        at = (size_t)(newline - t->data) + 1;
    less = less < t->len - at ? less : t->len - at;
    pm_buf_add(&out, t->data, at, NULL);
    if (chance(seed, 4))
        pm_buf_add(&out, more, strlen(more), NULL);
    pm_buf_add(&out, t->data + at + less, t->len - at - less, NULL);
    pm_buf_free(t);
    *t = out;
}

/* A damaged text among good ones: what is read of it is what it says, and it is no harm to them. */
static void whatever_is_damaged(void **state)
{
    pm_buf good = kit_slurp(SMAPS), other = kit_slurp(OTHER);
    memory m = new_memory();
    uint64_t seed = 1;

    for (int turn = 0; turn < 250; turn++) {
        pm_buf t = {0};

        pm_buf_add(&t, good.data, good.len, NULL);
        if (chance(&seed, 3) == 0)
            pm_buf_add(&t, other.data, other.len, NULL);
        for (uint64_t n = 1 + chance(&seed, 4); n; n--)
            damage(&t, &seed);
        expect_same(&m, pm_buf_text(&t), 1 + chance(&seed, 2 * t.len));
        if (turn % 5 == 0)
            expect_same(&m, pm_buf_text(&good), good.len);
        pm_buf_free(&t);
    }
    free_memory(&m);
    pm_buf_free(&good);
    pm_buf_free(&other);
}

#define ROW(start, end, rss)                    \
    start "-" end " rw-p 00000000 00:00 0 \n"   \
          "Size:                  4 kB\n"       \
          "Rss:                   " rss " kB\n" \
          "VmFlags: rd wr mr mw me ac \n"
#define A ROW("00001000", "00002000", "0")
#define B ROW("00012000", "00013000", "0")
#define C ROW("00023000", "00024000", "0")
#define D ROW("00034000", "00035000", "0")
#define LIE 99
#define C_CHANGED ROW("00023000", "00024000", "4")

/* Rss of the row at `start` in `now`, if the memo was told that the text of B is a mapping with an
 * Rss that it has not. */
static uint64_t rss_by_memo(const char *now, uint64_t start)
{
    memory m = new_memory();
    pm_mapping lie = {.start = 0x12000, .end = 0x13000, .perms = "rw-p"};
    uint64_t rss = 0;
    pm_seen *s;
    uint32_t id;

    lie.present = PM_HAS_OFFSET | PM_HAS_DEVICE | PM_HAS_INODE | PM_HAS_PSEUDO | PM_HAS_FLAGS;
    pm_set(&lie, PM_SIZE, 4);
    pm_set(&lie, PM_RSS, LIE);
    assert_int_equal(pm_pool_mapping(m.pool, &lie, &id, NULL), PMAPDB_OK);
    assert_int_equal(pm_pool_note(m.pool, pm_hash(B, sizeof B - 1), id, NULL), PMAPDB_OK);
    s = read_known(&m, pm_text_of(now), strlen(now));
    for (size_t i = 0; i < s->n_rows; i++)
        if (s->rows[i].start == start)
            rss = s->rows[i].value[PM_RSS];
    kit_free(s);
    free_memory(&m);
    return rss;
}

/* The memo is asked for a row as the kernel prints it, and for no other. */
static void the_memo_is_asked(void **state)
{
    assert_int_equal(rss_by_memo(A B C, 0x12000), LIE);
    assert_int_equal(rss_by_memo(B C, 0x12000), 0); /* the first row shows what the text is */
    assert_int_equal(rss_by_memo(A B "Locked:                0 kB\n" C, 0x12000), 0);
    assert_int_equal(rss_by_memo(A B "what is this\n" C, 0x12000), 0);
    assert_int_equal(rss_by_memo(A "> " B C, 0x12000), 0);
    assert_int_equal(rss_by_memo(A B, 0x12000), 0); /* the last row may go on */
}

/* A key after a strange line belongs to the row above that line. */
static void a_known_row_goes_on(void **state)
{
    const pm_text plain = PM_TEXT(A B C D);
    const pm_text more = PM_TEXT(A B "12 men\n"
                                     "NewKey:                4 kB\n" C D);
    memory m = new_memory();
    pm_seen *s;

    expect_same(&m, plain, plain.len);
    expect_same(&m, more, more.len);
    s = read_known(&m, more, more.len);
    assert_string_equal(s->rows[1].extra.data, "NewKey: 4 kB");
    kit_free(s);
    expect_same(&m, plain, plain.len);
    free_memory(&m);
}

/* What a row says of its block besides its numbers: colours around a key, how lists of flags end.
 */
static void what_is_said_of_the_block(void **state)
{
    const pm_text coloured = PM_TEXT(A "\033[1mLocked:                0 kB\033[0m\n" B C);
    const pm_text cut = {A B C D, sizeof A B C D - 3};
    memory m = new_memory();

    expect_same(&m, cut, cut.len);
    expect_same(&m, cut, cut.len);
    expect_same(&m, coloured, coloured.len);
    expect_same(&m, coloured, coloured.len);
    expect_same(&m, coloured, coloured.len);
    free_memory(&m);
}

/* ---- what a text is known by ---- */

static uint64_t hash_of(const char *t)
{
    pm_seen *s = kit_read(pm_text_of(t));
    uint64_t hash = s->blocks[0].hash;

    assert_int_equal(s->n_blocks, 1);
    kit_free(s);
    return hash;
}

static void every_byte_counts(void **state)
{
    assert_int_not_equal(hash_of(A B C D), hash_of(A B C_CHANGED D));
    assert_int_not_equal(hash_of(A B C), hash_of(A B C D));
    assert_int_not_equal(hash_of(B C D), hash_of(A B C D));
    assert_int_not_equal(hash_of(A B C D), hash_of(A B C D "Locked:                0 kB\n"));
    assert_true(hash_of(A B) == pm_hash(A B, sizeof A B - 1));
}

RUN_TESTS(TEST(every_fixture), TEST(every_size_of_chunks), TEST(whatever_is_damaged),
          TEST(the_memo_is_asked), TEST(a_known_row_goes_on), TEST(what_is_said_of_the_block),
          TEST(every_byte_counts))
