/* pool: equal things have equal ids, different things have different ids; pointers stay valid. */
#include "unit.h"

#include "base/pool.h"
#include <stdio.h>

#define MANY 100000

static pm_pool *new_pool(void)
{
    pm_pool *pool = NULL;

    assert_int_equal(pm_pool_new(&pool, NULL), PMAPDB_OK);
    return pool;
}

static uint32_t id_of(pm_pool *pool, const pm_mapping *m)
{
    uint32_t id = UINT32_MAX;

    assert_int_equal(pm_pool_mapping(pool, m, &id, NULL), PMAPDB_OK);
    return id;
}

static uint32_t text_id(pm_pool *pool, pm_text t)
{
    uint32_t id = UINT32_MAX;

    assert_int_equal(pm_pool_text(pool, t, &id, NULL), PMAPDB_OK);
    return id;
}

static pm_mapping sample(void)
{
    pm_mapping m = {.start = 0x1000,
                    .end = 0x3000,
                    .offset = 0x10,
                    .inode = 42,
                    .dev_major = 8,
                    .dev_minor = 1,
                    .perms = "r-xp",
                    .path = PM_TEXT("/usr/bin/x"),
                    .flags = PM_TEXT("rd ex"),
                    .extra = PM_TEXT("New: 4 kB")};

    pm_set(&m, PM_SIZE, 8);
    return m;
}

TEST(texts)
{
    pm_pool *pool = new_pool();
    char word[] = "hello";
    uint32_t hello = text_id(pool, pm_text_of(word)), nul;

    assert_int_equal(text_id(pool, PM_TEXT("")), 0);
    assert_int_equal(text_id(pool, (pm_text){NULL, 0}), 0);
    assert_int_equal(text_id(pool, PM_TEXT("hello")), hello);
    word[0] = 'j'; /* the pool has its own copy */
    assert_string_equal(pool->texts[hello].data, "hello");
    assert_int_not_equal(text_id(pool, pm_text_of(word)), hello);
    nul = text_id(pool, PM_TEXT("a\0b"));
    assert_int_not_equal(text_id(pool, PM_TEXT("a")), nul);
    assert_true(pm_text_equal(pool->texts[nul], PM_TEXT("a\0b")));
    pm_pool_free(pool);
    pm_pool_free(NULL);
}

TEST(equal_mappings_have_one_id)
{
    pm_pool *pool = new_pool();
    pm_mapping a = sample(), b = sample();
    char path[] = "/usr/bin/x";
    uint32_t id = id_of(pool, &a);
    size_t bytes;

    b.path = pm_text_of(path);
    bytes = pm_pool_bytes(pool);
    assert_int_equal(id_of(pool, &b), id);
    assert_int_equal(pm_pool_bytes(pool), bytes);
    assert_true(pool->mappings[id]->m.path.data != a.path.data);
    assert_true(pm_text_equal(pool->mappings[id]->m.path, a.path));
    assert_true(pm_text_equal(pool->mappings[id]->m.flags, a.flags));
    assert_true(pm_text_equal(pool->mappings[id]->m.extra, a.extra));
    assert_string_equal(pool->mappings[id]->m.perms, "r-xp");
    assert_int_equal(pool->mappings[id]->m.value[PM_SIZE], 8);
    pm_pool_free(pool);
}

/* Makes a mapping that differs from the sample in field n; false if n is too large. */
static bool vary(pm_mapping *m, size_t n)
{
    static const size_t bytes[] = {offsetof(pm_mapping, start),     offsetof(pm_mapping, end),
                                   offsetof(pm_mapping, offset),    offsetof(pm_mapping, inode),
                                   offsetof(pm_mapping, dev_major), offsetof(pm_mapping, dev_minor),
                                   offsetof(pm_mapping, present),   offsetof(pm_mapping, perms),
                                   offsetof(pm_mapping, name_cut)};

    *m = sample();
    if (n < COUNT(bytes)) {
        ((char *)m)[bytes[n]] ^= 1;
        return true;
    }
    n -= COUNT(bytes);
    if (n == 0)
        m->path = PM_TEXT("/usr/bin/y");
    else if (n == 1)
        m->flags = PM_TEXT("rd");
    else if (n == 2)
        m->extra = PM_TEXT("");
    else if (n < 3 + PM_FIELD_COUNT)
        m->value[n - 3]++;
    m->flags = n == 3 + PM_FIELD_COUNT ? m->path : m->flags;
    return n <= 3 + PM_FIELD_COUNT;
}

TEST(every_field_counts)
{
    pm_pool *pool = new_pool();
    pm_mapping m = sample();
    uint32_t next = id_of(pool, &m) + 1;

    for (size_t n = 0; vary(&m, n); n++)
        assert_int_equal(id_of(pool, &m), next++); /* ids are dense */
    for (size_t n = 0; vary(&m, n); n++)
        assert_int_equal(id_of(pool, &m), n + 1);
    pm_pool_free(pool);
}

/* The pool remembers the texts of the last mapping; each mapping has the right texts anyway. */
TEST(texts_of_neighbours)
{
    static const char *const paths[] = {"/a", "/a", "", "/b", "/a", "/ab", "/b", ""};
    pm_pool *pool = new_pool();
    pm_mapping m = sample();

    for (uint32_t i = 0; i < COUNT(paths); i++) {
        const pm_mapping *got;
        uint32_t id;

        m.start = i;
        m.path = pm_text_of(paths[i]);
        m.flags = pm_text_of(paths[7 - i]);
        m.extra = i % 2 ? m.path : (pm_text){NULL, 0};
        id = id_of(pool, &m);
        got = &pool->mappings[id]->m;
        assert_true(pm_text_equal(got->path, m.path));
        assert_true(pm_text_equal(got->flags, m.flags));
        assert_true(pm_text_equal(got->extra, m.extra));
        text_id(pool, PM_TEXT("/c")); /* another text between two mappings */
    }
    pm_pool_free(pool);
}

TEST(many)
{
    pm_pool *pool = new_pool();
    pm_mapping m = sample();
    const pm_mapping *first;
    const char *first_path;

    assert_int_equal(id_of(pool, &m), 0);
    first = &pool->mappings[0]->m;
    first_path = first->path.data;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 1; i < MANY; i++) {
            char path[32];

            m.start = (uint64_t)i << 12;
            m.path = (pm_text){path, (size_t)snprintf(path, sizeof path, "/lib/%u", i % 1000)};
            assert_int_equal(id_of(pool, &m), i);
        }
    assert_ptr_equal(&pool->mappings[0]->m, first);
    assert_ptr_equal(pool->mappings[0]->m.path.data, first_path);
    assert_string_equal(pool->mappings[1999]->m.path.data, "/lib/999");
    assert_true(pm_pool_bytes(pool) >= MANY * sizeof m);
    pm_pool_free(pool);
}

TEST(long_text)
{
    static char bytes[1 << 20];
    pm_pool *pool = new_pool();
    uint32_t id, after;

    memset(bytes, 'x', sizeof bytes);
    id = text_id(pool, (pm_text){bytes, sizeof bytes});
    after = text_id(pool, PM_TEXT("after"));
    assert_int_equal(pool->texts[id].len, sizeof bytes);
    assert_memory_equal(pool->texts[id].data, bytes, sizeof bytes);
    assert_string_equal(pool->texts[after].data, "after");
    pm_pool_free(pool);
}

RUN_TESTS(NULL, NULL)
