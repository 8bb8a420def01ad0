/* stream: hashes of blocks, hostile bytes, very long lines and very many rows. cases_test.c tests
 * the rows of texts. */
#include "parse/kit.h"

#include "base/hash.h"
#include <time.h>

#define PMAP "0000000000400000     12K r-x-- demo\n total               12K\n"
#define MAPS "00400000-00403000 r-xp 00000000 fe:00 17      /srv/demo/demo\n"

/* Bytes that are not text end the reading early. */
TEST(hopeless)
{
    pm_seen *s = kit_read(PM_TEXT("\x7f"
                                  "ELF\0\0\0\0\n\0\n"));

    assert_true(s->hopeless);
    kit_free(s);
    s = kit_read(PM_TEXT(MAPS "00403000-00404000 r-xp 00000000 fe:00 17      /srv/\0demo\n"));
    assert_false(s->hopeless);
    kit_free(s);
}

static uint64_t hash_of(const char *text, size_t step)
{
    pm_seen *s = kit_read_as(PM_DIALECT_COUNT, pm_text_of(text), step);
    uint64_t hash;

    assert_int_equal(s->n_blocks, 1);
    hash = s->blocks[0].hash;
    kit_free(s);
    return hash;
}

/* A store identifies a capture by this hash. */
TEST(the_hash_is_that_of_the_blocks_lines)
{
    uint64_t hash = hash_of(MAPS, 1000);

    assert_int_equal(hash, pm_hash(MAPS, sizeof MAPS - 1, 0));
    assert_int_equal(hash_of(MAPS, 7), hash);
    assert_int_equal(hash_of("00400000-00403000 r-xp 00000000 fe:00 17      /srv/demo/demo", 1000),
                     hash);
    assert_int_equal(hash_of("\nSat Nov 21 02:05:32 UTC 2026\n$ cat maps\n" MAPS "\n\n$ \n", 3),
                     hash);
    assert_int_not_equal(
        hash_of("00400000-00403000 r-xp 00000000 fe:00 17      /srv/demo/demo\r\n", 5), hash);
    assert_int_equal(hash_of("1:   a\n" PMAP, 1),
                     pm_hash("1:   a\n" PMAP, sizeof "1:   a\n" PMAP - 1, 0));
}

/* Lines of another dialect before a block do not count for its hash. */
TEST(one_dialect_only_hashes_its_own)
{
    static const pm_text t = {"1:   a\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n"
                              "total kB               4       4       4\n2:   b\n"
                              "0000000000400000      8K r---- b\n total                8K\n",
                              155};
    pm_seen *whole = kit_read_as(PM_DIALECT_PMAP, t, t.len);

    for (size_t step = 1; step < t.len; step++) {
        pm_seen *s = kit_read_as(PM_DIALECT_PMAP, t, step);

        assert_int_equal(s->n_blocks, 1);
        assert_true(s->blocks[0].hash == whole->blocks[0].hash);
        kit_free(s);
    }
    kit_free(whole);
}

TEST(absurd_numbers)
{
    pm_buf text = {0};
    pm_seen *s;

    /* The sums would overflow. */
    for (unsigned i = 0; i < 140000; i++)
        assert_int_equal(pm_buf_addf(&text, NULL,
                                     "%08x-%08x rw-p 00000000 00:00 0 \nSize:                  4 "
                                     "kB\nRss:      70368744177664 kB\n",
                                     0x1000 * (i + 1), 0x1000 * (i + 2)),
                         PMAPDB_OK);
    assert_int_equal(pm_buf_addf(&text, NULL, "%s",
                                 "ffffffffff600000-ffffffffff601000 --xp 0 0:0 0\n"
                                 "99999999999999999999-1 r--p 0 0:0 0\n"
                                 "00000000-99999999999999999999 r--p 0 0:0 0\n"),
                     PMAPDB_OK);
    s = kit_read(pm_buf_text(&text));
    assert_int_equal(s->status, PMAPDB_OK);
    assert_int_equal(s->n_blocks, 1);
    assert_non_null(strstr(s->blocks[0].missing.data, "the sums are too large"));
    assert_true(s->blocks[0].totals.v[PM_TOTAL_RSS] > 0);
    kit_free(s);
    pm_buf_free(&text);
}

/* Each row has a lower address than the row before, and is compared with all earlier rows: 200,000
 * rows take a moment and not minutes. */
TEST(very_many_rows_that_go_back)
{
    pm_buf text = {0};
    clock_t began = clock();
    pm_seen *s;

    for (unsigned i = 200000; i; i--)
        assert_int_equal(pm_buf_addf(&text, NULL, "%016x       4       4       4 rw--- x\n",
                                     0x1000000 + i * 8192),
                         PMAPDB_OK);
    s = kit_read(pm_buf_text(&text));
    assert_int_equal(s->n_rows, 200000);
    assert_int_equal(s->n_blocks, 1);
    kit_free(s);
    assert_true((clock() - began) / CLOCKS_PER_SEC < 20);
    pm_buf_free(&text);
}

TEST(thousands_of_columns)
{
    pm_buf text = {0};
    pm_seen *s;

    assert_int_equal(pm_buf_addf(&text, NULL, "Address Perm  Size Rss"), PMAPDB_OK);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(pm_buf_addf(&text, NULL, " Key%d", i), PMAPDB_OK);
    assert_int_equal(pm_buf_addf(&text, NULL, " Mapping\n00400000 r--p"), PMAPDB_OK);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(pm_buf_addf(&text, NULL, " 4"), PMAPDB_OK);
    s = kit_read(pm_buf_text(&text));
    assert_string_equal(s->blocks[0].empty.data, "too many columns");
    kit_free(s);
    pm_buf_free(&text);
}

/* Feeds this many MiB of 'x'. */
static void feed_long(pm_reader *r, int mib)
{
    enum { CHUNK = 1 << 20 };
    char *chunk = malloc(CHUNK);
    pmapdb_error err;

    assert_non_null(chunk);
    memset(chunk, 'x', CHUNK);
    while (mib-- > 0)
        assert_int_equal(pm_reader_feed(r, chunk, CHUNK, &err), PMAPDB_OK);
    free(chunk);
}

static void feed_text(pm_reader *r, const char *text)
{
    pmapdb_error err;

    assert_int_equal(pm_reader_feed(r, text, strlen(text), &err), PMAPDB_OK);
}

static pmapdb_status keep_block(void *ctx, const pm_block *b, uint32_t *rows, size_t n,
                                pmapdb_error *err)
{
    pm_buf *out = ctx;

    return pm_buf_addf(out, err, "%lld rows, %.*s\n", (long long)b->totals.v[PM_TOTAL_MAPPINGS],
                       (int)b->missing.len, b->missing.data);
}

/* A line without an end is not a capture, and at most 16 MiB of it are kept. If the text has
 * nothing else, it is hopeless after another MiB. */
TEST(a_line_without_end)
{
    pm_pool *pool = kit_pool();
    pm_reader *r = NULL;

    assert_int_equal(pm_reader_new(PM_DIALECT_COUNT, pool, keep_block, NULL, &r, NULL), PMAPDB_OK);
    feed_long(r, 16);
    assert_false(pm_reader_hopeless(r));
    feed_long(r, 1);
    assert_true(pm_reader_hopeless(r));
    feed_long(r, 100);
    assert_true(pm_reader_held(r) <= (size_t)32 << 20);
    pm_reader_free(r);
    pm_pool_free(pool);
}

/* A long line among rows is a damaged row, and the rows around it are read. A command line of 2 MiB
 * may come before the rows. */
TEST(a_long_line)
{
    static const struct {
        const char *first, *last, *want;
        int mib;
    } cases[] = {
        {"00400000-00401000 r-xp 00000000 fe:00 17 /srv/a\n",
         "00500000-00501000 r-xp 00000000 fe:00 17 /srv/a\n",
         "2 rows, line 2 is damaged: it is longer than 16 MiB\n", 17},
        {"4711:   a\n0000000000400000      4K r-x-- a\n",
         "0000000000500000      4K r-x-- a\n total        8K\n",
         "2 rows, line 3 is damaged: it is longer than 16 MiB\n", 17},
        {"4711:   /srv/", "0000000000400000      4K r-x-- a\n total        4K\n", "1 rows, \n", 2},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_buf out = {0};
        pm_pool *pool = kit_pool();
        pm_reader *r = NULL;

        assert_int_equal(pm_reader_new(PM_DIALECT_COUNT, pool, keep_block, &out, &r, NULL),
                         PMAPDB_OK);
        feed_text(r, cases[i].first);
        feed_long(r, cases[i].mib);
        assert_false(pm_reader_hopeless(r));
        feed_text(r, "\n");
        assert_false(pm_reader_hopeless(r));
        feed_text(r, cases[i].last);
        assert_int_equal(pm_reader_finish(r, NULL), PMAPDB_OK);
        assert_string_equal(out.data, cases[i].want);
        pm_reader_free(r);
        pm_pool_free(pool);
        pm_buf_free(&out);
    }
}

static pmapdb_status stop(void *ctx, const pm_block *b, uint32_t *rows, size_t n, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_STOPPED, "enough");
}

TEST(a_callback_may_stop)
{
    const pm_text texts[] = {PM_TEXT(PMAP PMAP), PM_TEXT(MAPS MAPS)};

    for (size_t i = 0; i < COUNT(texts); i++) {
        pm_pool *pool = kit_pool();
        pm_reader *r = NULL;
        pmapdb_error err;

        assert_int_equal(pm_reader_new(PM_DIALECT_COUNT, pool, stop, NULL, &r, &err), PMAPDB_OK);
        assert_int_equal(pm_reader_feed(r, texts[i].data, texts[i].len, &err), PMAPDB_STOPPED);
        assert_string_equal(err.text, "enough");
        pm_reader_free(r);
        pm_pool_free(pool);
    }
}

RUN_TESTS(NULL, NULL)
