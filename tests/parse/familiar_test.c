/* familiar_test: rows whose text is known are not parsed, and what is read is the same as without,
 * whatever was read before and however the text is cut. */
#include "parse/kit.h"

#include "parse/text_hash.h"
#include <dirent.h>
#include <xxhash.h>

#define SMAPS "tests/fixtures/tools/kernel-smaps.txt"
#define OTHER "tests/fixtures/parse/demo-smaps.txt"

/* ---- reading with what was read before ---- */

typedef struct memory {
    pm_pool *pool;
    pm_familiar *familiar;
    pm_seen *seen;
    pm_buf ids; /* of the rows of the last reading */
} memory;

static memory new_memory(void)
{
    memory m = {0};

    assert_int_equal(pm_pool_new(&m.pool, NULL), PMAPDB_OK);
    assert_int_equal(pm_familiar_new(m.pool, &m.familiar, NULL), PMAPDB_OK);
    return m;
}

static void free_memory(memory *m)
{
    pm_familiar_free(m->familiar);
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
    pm_reader_recall(r, m->familiar, take_row);
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

    (void)state;
    each_text_of("tests/fixtures/parse", &m);
    each_text_of("tests/fixtures/tools", &m);
    free_memory(&m);
}

static void every_size_of_chunks(void **state)
{
    pm_buf t = kit_slurp(SMAPS);
    memory m = new_memory();

    (void)state;
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
    const char *more = odd[chance(seed, sizeof odd / sizeof *odd)];

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

    (void)state;
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

/* ---- it is not parsed ---- */

#define LIE 99 /* Rss in KiB of all that is known, whatever the text says */

static pm_familiar_text text_of(const char *p, const char *end)
{
    const char *from = p;
    uint32_t lines = 0;

    do {
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        lines++;
    } while (p < end && !pm_text_begins_piece(*p));
    return (pm_familiar_text){.hash = XXH3_64bits(from, (size_t)(p - from)),
                              .head = pm_familiar_head(from),
                              .len = (uint32_t)(p - from),
                              .lines = lines};
}

static void know_lies(memory *m, pm_text t)
{
    pm_seen *s = kit_read(t);
    const char *p = t.data;

    pm_familiar_begin(m->familiar);
    for (size_t i = 0; i < s->n_rows; i++) {
        pm_familiar_text text = text_of(p, t.data + t.len);

        s->rows[i].value[PM_RSS] = LIE;
        assert_int_equal(pm_pool_mapping(m->pool, &s->rows[i], &text.id, NULL), PMAPDB_OK);
        assert_int_equal(pm_familiar_keep(m->familiar, &text, NULL), PMAPDB_OK);
        p += text.len;
    }
    kit_free(s);
}

static size_t lies_in(memory *m, pm_text t)
{
    pm_seen *s = read_known(m, t, t.len);
    size_t n = 0;

    for (size_t i = 0; i < s->n_rows; i++)
        n += s->rows[i].value[PM_RSS] == LIE;
    kit_free(s);
    return n;
}

static size_t known_rows(const char *before, const char *now)
{
    memory m = new_memory();
    size_t n;

    know_lies(&m, pm_text_of(before));
    n = lies_in(&m, pm_text_of(now));
    free_memory(&m);
    return n;
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
#define E ROW("00045000", "00046000", "0")
#define F ROW("00056000", "00057000", "0")
#define C_CHANGED ROW("00023000", "00024000", "4")
#define C_GROWN ROW("00023000", "00024000", "0") "Locked:                0 kB\n"

/* The last of a text may go on: it is parsed. */
static void what_is_known_is_not_parsed(void **state)
{
    (void)state;
    assert_int_equal(known_rows(A B C D E F, A B C D E F), 5);
    assert_int_equal(known_rows(A B C D E F, A B C_CHANGED D E F), 4);
    assert_int_equal(known_rows(A B C D E F, A B D E F), 4);
    assert_int_equal(known_rows(A B C D E F, D E F), 2);
    assert_int_equal(known_rows(A B D E F, A B C D E F), 4);
    assert_int_equal(known_rows(A B D E F, A B D E F C), 5);
    assert_int_equal(known_rows(A B C D E F, A B C_GROWN D E F), 4);
    assert_int_equal(known_rows(A B C D E F, A B C "what is this\n" D E F), 4);
    assert_int_equal(known_rows(C D E F, A B), 0);
}

#define OF(row) ROW(row "1000", row "2000", "4")
#define FORKED OF("0001") OF("0002") OF("0003") OF("0004") OF("0005") OF("0006") OF("0007")
#undef OF
#define OF(row) ROW(row "1000", row "2000", "8")
#define CHILD OF("0001") OF("0002") OF("0003") OF("0004") OF("0005") OF("0006") OF("0007")

/* Where the captures of two processes that were forked from one take turns, it takes rows until it
 * is clear whose this is. */
static void processes_take_turns(void **state)
{
    memory m = new_memory();

    (void)state;
    know_lies(&m, pm_text_of(FORKED));
    know_lies(&m, pm_text_of(CHILD));
    for (int i = 0; i < 3; i++) {
        assert_in_range(lies_in(&m, pm_text_of(FORKED)), 4, 6);
        assert_in_range(lies_in(&m, pm_text_of(CHILD)), 4, 6);
    }
    free_memory(&m);
}

/* Another pool, other ids. */
static void what_is_renewed_knows_nothing(void **state)
{
    memory m = new_memory();
    pm_pool *fresh = NULL;

    (void)state;
    know_lies(&m, pm_text_of(A B C D E F));
    assert_int_not_equal(pm_familiar_bytes(m.familiar), 0);
    assert_int_equal(pm_pool_new(&fresh, NULL), PMAPDB_OK);
    pm_familiar_renew(m.familiar, fresh);
    pm_pool_free(m.pool);
    m.pool = fresh;
    assert_int_equal(pm_familiar_bytes(m.familiar), 0);
    assert_int_equal(lies_in(&m, pm_text_of(A B C D E F)), 0);
    free_memory(&m);
}

/* A key that comes behind a line that is none belongs to the row that was known. */
static void a_known_row_goes_on(void **state)
{
    const pm_text plain = PM_TEXT(A B C D);
    const pm_text more = PM_TEXT(A B "12 men\n"
                                     "NewKey:                4 kB\n" C D);
    memory m = new_memory();
    pm_seen *s;

    (void)state;
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

    (void)state;
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
    uint64_t pieces = 0;

    (void)state;
    assert_int_not_equal(hash_of(A B C D), hash_of(A B C_CHANGED D));
    assert_int_not_equal(hash_of(A B C), hash_of(A B C D));
    assert_int_not_equal(hash_of(B C D), hash_of(A B C D));
    assert_int_not_equal(hash_of(A B C D), hash_of(A B C D "Locked:                0 kB\n"));
    pieces = pm_text_hash_on(pieces, XXH3_64bits(A, sizeof A - 1));
    pieces = pm_text_hash_on(pieces, XXH3_64bits(B, sizeof B - 1));
    assert_true(hash_of(A B) == pieces);
    assert_true(pieces == UINT64_C(0x76de37fcf56340c6)); /* on every machine */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fixture),        cmocka_unit_test(every_size_of_chunks),
        cmocka_unit_test(whatever_is_damaged),  cmocka_unit_test(what_is_known_is_not_parsed),
        cmocka_unit_test(processes_take_turns), cmocka_unit_test(what_is_renewed_knows_nothing),
        cmocka_unit_test(a_known_row_goes_on),  cmocka_unit_test(what_is_said_of_the_block),
        cmocka_unit_test(every_byte_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
