/* map_import_test: an import for each capture, as cron runs them, leaves the store that one program
 * leaves: each table but map_cache is equal. */
#include "map_equal.h"

#include "store/map_cache.h"
#include "store/same.h"

#define ROWS 400
#define BEATS 40
#define BEGIN_MS INT64_C(1700000000000)

static pm_capture *imported(const kit *k, const uint64_t *kib, int64_t beat)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, 7, BEGIN_MS + beat * 5000);

    c->block.hash = (uint64_t)beat + 1;
    for (uint64_t i = 0; i < ROWS; i++)
        if (kib[i])
            kit_map(k, c, 0x100000 + i * 0x100000, kib[i], i % 3 ? "rw-p" : "r-xp",
                    i % 5   ? ""
                    : i % 2 ? "/srv/a"
                            : "/srv/b");
    return c;
}

/* True where a program that begins now finds the piece, which says what the tables say. */
static bool expect_rows_recalled(const kit *k)
{
    pmapdb_error err = {0};
    pm_stream got = {0}, want = {0};
    pm_objects *objects = NULL;
    bool done = false;

    kit_ok(pm_objects_new(k->store->sql, &objects, &err), &err);
    kit_ok(pm_stream_load_head(k->store->sql, 1, PM_DIALECT_PMAP_SMALL_X, PM_STATE_COMPLETE, &got,
                               &err),
           &err);
    kit_ok(pm_map_cache_rows(k->store->sql, objects, 1, &got, &done, &err), &err);
    load_rows(k, 1, PM_DIALECT_PMAP_SMALL_X, objects, &want);
    if (done)
        expect_rows(&got, &want);
    pm_stream_free(&got);
    pm_stream_free(&want);
    pm_objects_free(objects);
    return done;
}

/* ---- what the piece tells of mappings ---- */

/* The newest rows, as a program that begins now has them, and that of a capture's pool. */
static pm_stream recognised(const kit *k, const pm_capture *c)
{
    pm_classify_context context;
    pmapdb_error err = {0};
    pm_stream s = {0};
    pm_objects *objects = NULL;
    bool done = false;

    kit_ok(pm_objects_new(k->store->sql, &objects, &err), &err);
    kit_ok(
        pm_stream_load_head(k->store->sql, 1, PM_DIALECT_PMAP_SMALL_X, PM_STATE_COMPLETE, &s, &err),
        &err);
    kit_ok(pm_map_cache_rows(k->store->sql, objects, 1, &s, &done, &err), &err);
    assert_true(done);
    pm_classify_prepare(c, &context);
    kit_ok(pm_same_recognise(&s, c, &context, &err), &err);
    assert_null(s.pool ? s.marks : NULL);
    pm_objects_free(objects);
    return s;
}

/* Rows of the capture that have the id of its mapping at the same place, and all others none. */
static size_t known_rows(const pm_stream *s, const pm_capture *c)
{
    size_t n = 0;

    if (!s->pool)
        return 0;
    for (size_t i = 0, j = 0; i < s->rows.n; i++) {
        while (j < c->n_rows && pm_capture_row(c, j)->start < s->rows.row[i].at.start)
            j++;
        if (j < c->n_rows && s->ids[i] == c->rows[j]) {
            assert_true(pm_capture_row(c, j)->start == s->rows.row[i].at.start);
            n++;
        } else {
            assert_int_equal(s->ids[i], UINT32_MAX);
        }
    }
    return n;
}

static void expect_known(const kit *k, pm_capture *c, size_t wanted)
{
    pm_stream s = recognised(k, c);

    assert_int_equal(known_rows(&s, c), wanted);
    pm_stream_free(&s);
    pm_capture_free(c);
}

/* Another program's pool gives other ids to the same mappings. */
static void rows_are_recognised(void **state)
{
    kit *k = kit_of(state);
    uint64_t kib[ROWS];

    for (size_t i = 0; i < ROWS; i++)
        kib[i] = 4 + 4 * (i % 60);
    for (int64_t beat = 0; beat < 2; beat++) {
        kit_put(k, imported(k, kib, beat));
        kit_close(k);
        kit_open(k);
    }
    pm_capture_free(imported(k, (uint64_t[ROWS]){4, 8, 12}, 9)); /* other ids than theirs were */
    expect_known(k, imported(k, kib, 2), ROWS);
    kib[7] = 0;
    kib[8]++;
    expect_known(k, imported(k, kib, 2), ROWS - 2);
    for (size_t i = 0; i < ROWS; i++) /* the first that can be run is another program */
        kib[i] = i % 3 ? kib[i] : 0;
    expect_known(k, imported(k, kib, 2), 0);
}

/* A program for each capture leaves the store that one program leaves. */
static void imports_of_cron(void **state)
{
    kit *cold = kit_of(state), *warm = NULL;
    uint64_t kib[ROWS], seed = 5;
    size_t recalled = 0;

    assert_int_equal(kit_enter((void **)&warm), 0);
    for (size_t i = 0; i < ROWS; i++)
        kib[i] = 4 + 4 * kit_below(&seed, 60);
    for (int64_t beat = 0; beat < BEATS; beat++) {
        for (uint64_t n = kit_below(&seed, 40); n; n--)
            kib[kit_below(&seed, ROWS)] = 4 * kit_below(&seed, 60);
        kit_put(cold, imported(cold, kib, beat));
        kit_put(warm, imported(warm, kib, beat));
        kit_close(cold);
        kit_open(cold);
        recalled += expect_rows_recalled(cold);
        expect_equal(cold, warm, 5, beat);
    }
    assert_true(recalled >= BEATS - 10); /* not before the second, nor in a new epoch */
    kit_expect(warm, "SELECT count(*) FROM map_cache", "0\n");
    kit_leave((void **)&warm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(imports_of_cron),
        IN_KIT(rows_are_recognised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
