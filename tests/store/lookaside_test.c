/* lookaside_test: blocks of any size keep their bytes while others come and go; freed blocks are
 * used again; SQLite takes no locks. */
#include "kit.h"

#define STEPS 10000
#define BLOCKS 200

typedef struct kept {
    unsigned char *bytes;
    int n;
    unsigned char is; /* every byte */
} kept;

static sqlite3_mem_methods before;

/* Small sizes are frequent, as in SQLite. */
static int any_size(uint64_t *seed)
{
    static const uint64_t most[] = {64, 64, 300, 2100, 10000};

    return 1 + (int)kit_below(seed, most[kit_below(seed, COUNT(most))]);
}

static void check(const kept *k)
{
    assert_int_equal((uintptr_t)k->bytes % 8, 0);
    assert_true((int)sqlite3_msize(k->bytes) >= k->n);
    for (int i = 0; i < k->n; i++)
        if (k->bytes[i] != k->is)
            fail_msg("byte %d of %d has changed", i, k->n);
}

static void fill(kept *k, int n, unsigned char with)
{
    k->n = n;
    k->is = with;
    memset(k->bytes, with, (size_t)n);
}

TEST(blocks_keep_their_bytes)
{
    static kept blocks[BLOCKS];
    uint64_t seed = 1;

    for (int i = 0; i < STEPS; i++) {
        kept *k = &blocks[kit_below(&seed, BLOCKS)];
        int n = any_size(&seed);

        if (k->bytes)
            check(k);
        if (!k->bytes) {
            k->bytes = sqlite3_malloc(n);
        } else if (kit_below(&seed, 2)) {
            k->bytes = sqlite3_realloc(k->bytes, n);
            k->n = n < k->n ? n : k->n;
            check(k);
        } else {
            sqlite3_free(k->bytes);
            k->bytes = NULL;
            continue;
        }
        assert_non_null(k->bytes);
        fill(k, n, (unsigned char)i);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        sqlite3_free(blocks[i].bytes);
}

TEST(a_freed_block_is_used_again)
{
    void *first = sqlite3_malloc(100), *second;

    sqlite3_free(first);
    second = sqlite3_malloc(90);
    assert_ptr_equal(second, first);
    sqlite3_free(second);
}

TEST(no_locks)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_null(sqlite3_db_mutex(db));
    sqlite3_close(db);
}

/* SQLite is configured before it begins. Fails if SQLite refuses the other memory. */
static int begin(void **state)
{
    sqlite3_mem_methods now;

    (void)state;
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &before);
    pm_store_lookaside();
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &now);
    return now.xMalloc == before.xMalloc;
}

static int end(void **state)
{
    (void)state;
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_MALLOC, &before);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
    sqlite3_config(SQLITE_CONFIG_SERIALIZED);
    return 0;
}

RUN_TESTS(begin, end)
