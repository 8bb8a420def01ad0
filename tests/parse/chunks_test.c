/* chunks: a text has the same rows, blocks, notes and states for every division into chunks, and
 * for every set of rows that the pool knows by their text. The texts are tests/fixtures and, if
 * present, the captures of PMAPDB_SHARED. The cost is quadratic: texts longer than EVERY bytes are
 * read in chunks of some sizes only, and shorter texts in every fifth size; PMAPDB_FULL: in all
 * sizes. */
#include "parse/kit.h"

#include "base/hash.h"
#include <ftw.h>

#define SMAPS "tests/fixtures/tools/kernel-smaps.txt"
#define OTHER "tests/fixtures/parse/demo-smaps.txt"
#define EVERY 512
#define LONG 32768 /* longer texts are not read byte by byte */

/* ---- every text ---- */

static pm_pool *known; /* rows of all texts so far */

static void cut_text(pm_text t)
{
    static const size_t sizes[] = {1, 7, 61, 1021, 65536};
    pm_seen *whole = kit_read(t);
    pm_buf expected = kit_text(whole, true);
    uint64_t seed = t.len;
    bool every = t.len <= EVERY || getenv("PMAPDB_FULL");

    kit_expect(&expected, t, t.len + 1, known);
    for (size_t step = 1; every && step < t.len; step += getenv("PMAPDB_FULL") ? 1 : 5)
        kit_expect(&expected, t, step, known);
    for (size_t i = t.len > LONG; !every && i < COUNT(sizes); i++)
        kit_expect(&expected, t, sizes[i], known);
    for (size_t i = 0; !every && i < (t.len > 8192 ? 1 : 4); i++)
        kit_expect(&expected, t, 1 + kit_chance(&seed, t.len), known);
    pm_buf_free(&expected);
    kit_free(whole);
}

static int cut_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    pm_buf bytes = {0};

    if (type == FTW_F)
        bytes = kit_slurp(path);
    if (bytes.len)
        cut_text(pm_buf_text(&bytes));
    pm_buf_free(&bytes);
    return 0;
}

/* Reads every file below a folder; false if the folder is missing. */
static bool cut_folder(const char *folder)
{
    bool there;

    known = kit_pool();
    there = nftw(folder, cut_file, 16, FTW_PHYS) == 0;
    pm_pool_free(known);
    return there;
}

TEST(fixtures)
{
    assert_true(cut_folder("tests/fixtures"));
}

TEST(shared_captures)
{
    const char *shared = getenv("PMAPDB_SHARED");
    char path[1024];

    snprintf(path, sizeof path, "%s/captures", shared ? shared : ".");
    if (!cut_folder(path))
        skip();
}

/* ---- damaged texts ---- */

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

/* Inserts a line or a part of a line, mostly at the start of a line, or removes some bytes. */
static void damage(pm_buf *t, uint64_t *seed)
{
    pm_buf out = {0};
    size_t at = kit_chance(seed, t->len), less = kit_chance(seed, 3) ? 0 : kit_chance(seed, 900);
    const char *newline = memchr(t->data + at, '\n', t->len - at);
    const char *more = odd[kit_chance(seed, COUNT(odd))];

    if (newline && kit_chance(seed, 8))
        at = (size_t)(newline - t->data) + 1;
    less = less < t->len - at ? less : t->len - at;
    pm_buf_add(&out, t->data, at, NULL);
    if (kit_chance(seed, 4))
        pm_buf_add(&out, more, strlen(more), NULL);
    pm_buf_add(&out, t->data + at + less, t->len - at - less, NULL);
    pm_buf_free(t);
    *t = out;
}

static void expect_same(pm_text t, size_t step, pm_pool *pool)
{
    pm_seen *plain = kit_read(t);
    pm_buf expected = kit_text(plain, true);

    kit_expect(&expected, t, step, pool);
    pm_buf_free(&expected);
    kit_free(plain);
}

/* The pool does not change the result for damaged texts, nor for good texts among them. */
TEST(damaged_texts)
{
    pm_buf good = kit_slurp(SMAPS), other = kit_slurp(OTHER);
    pm_pool *pool = kit_pool();
    uint64_t seed = 1;

    for (int turn = 0; turn < 100; turn++) {
        pm_buf t = {0};

        pm_buf_add(&t, good.data, good.len, NULL);
        if (kit_chance(&seed, 3) == 0)
            pm_buf_add(&t, other.data, other.len, NULL);
        for (size_t n = 1 + kit_chance(&seed, 4); n; n--)
            damage(&t, &seed);
        expect_same(pm_buf_text(&t), 1 + kit_chance(&seed, 2 * t.len), pool);
        if (turn % 5 == 0)
            expect_same(pm_buf_text(&good), good.len, pool);
        pm_buf_free(&t);
    }
    pm_pool_free(pool);
    pm_buf_free(&good);
    pm_buf_free(&other);
}

/* ---- rows that the pool knows ---- */

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

/* Returns the Rss of row B in `now`. The pool knows the text of B as a mapping with a wrong Rss. */
static uint64_t rss_by_pool(const char *now)
{
    pm_pool *pool = kit_pool();
    pm_mapping lie = {.start = 0x12000, .end = 0x13000, .perms = "rw-p"};
    pm_row_text text = {.hash = pm_hash(B, sizeof B - 1, 0), .len = sizeof B - 1, .lines = 4};
    uint64_t rss = 0;
    pm_seen *s;
    uint32_t id;

    lie.present = PM_HAS_OFFSET | PM_HAS_DEVICE | PM_HAS_INODE | PM_HAS_PSEUDO | PM_HAS_FLAGS;
    pm_set(&lie, PM_SIZE, 4);
    pm_set(&lie, PM_RSS, LIE);
    assert_int_equal(pm_pool_mapping(pool, &lie, &id, NULL), PMAPDB_OK);
    assert_int_equal(pm_grow(&pool->row_texts, &pool->cap_row_texts, 0, sizeof text, NULL),
                     PMAPDB_OK);
    text.id = id;
    text.mapping = pool->mappings[id];
    pool->row_texts[pool->n_row_texts++] = text;
    s = kit_read_by(PM_DIALECT_COUNT, pm_text_of(now), strlen(now), pool);
    for (size_t i = 0; i < s->n_rows; i++)
        if (s->rows[i].start == lie.start)
            rss = s->rows[i].value[PM_RSS];
    kit_free(s);
    pm_pool_free(pool);
    return rss;
}

/* The pool is asked only for a row in the form of the kernel. */
TEST(the_pool_is_asked)
{
    assert_int_equal(rss_by_pool(A B C), LIE);
    assert_int_equal(rss_by_pool(B C), 0); /* the first row shows the dialect */
    assert_int_equal(rss_by_pool(A B "Locked:                0 kB\n" C), 0);
    assert_int_equal(rss_by_pool(A B "what is this\n" C), 0);
    assert_int_equal(rss_by_pool(A "> " B C), 0);
    assert_int_equal(rss_by_pool(A B), 0); /* the last row may go on */
}

/* Lines around a row of smaps: a key after a strange line belongs to the row above that line, also
 * if the line begins like a row. Colours around a key and the ends of lists of flags matter for the
 * whole block. */
TEST(rows_among_other_lines)
{
    static const pm_text texts[] = {PM_TEXT(A B C D),
                                    PM_TEXT(A B "12 men\nNewKey:                4 kB\n" C D),
                                    PM_TEXT(A B "deadbeef-xyz\nPss:                   0 kB\n" C D),
                                    PM_TEXT(A B "20261128-18:13:02 Rss:            0 kB\n" C D),
                                    PM_TEXT(A "\033[1mLocked:                0 kB\033[0m\n" B C),
                                    {A B C D, sizeof A B C D - 3}};
    pm_pool *pool = kit_pool();

    for (size_t turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < COUNT(texts); i++)
            expect_same(texts[i], turn ? texts[i].len : 1, pool);
    pm_pool_free(pool);
}

/* ---- the hash of a text ---- */

static uint64_t hash_of(const char *t)
{
    pm_seen *s = kit_read(pm_text_of(t));
    uint64_t hash = s->blocks[0].hash;

    assert_int_equal(s->n_blocks, 1);
    kit_free(s);
    return hash;
}

TEST(every_byte_counts)
{
    assert_int_not_equal(hash_of(A B C D), hash_of(A B C_CHANGED D));
    assert_int_not_equal(hash_of(A B C), hash_of(A B C D));
    assert_int_not_equal(hash_of(B C D), hash_of(A B C D));
    assert_int_not_equal(hash_of(A B C D), hash_of(A B C D "Locked:                0 kB\n"));
    assert_true(hash_of(A B) == pm_hash(A B, sizeof A B - 1, 0));
}

RUN_TESTS(NULL, NULL)
