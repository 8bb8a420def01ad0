/* bulk_test: rows written many at once are those that are written one by one. */
#include "kit.h"

#include "store/bulk.h"
#include <inttypes.h>

#define TABLE "CREATE TEMP TABLE t (id INTEGER PRIMARY KEY, n INTEGER, word TEXT)"
#define HEAD "INSERT INTO temp.t (id, n, word)"
#define ROW "(?, ?, ?)"

static const pm_bulk_table table = {.one = PM_BULK_INSERT(HEAD, ROW),
                                    .many = PM_BULK_INSERTS(HEAD, ROW),
                                    .last = "SELECT max(id) FROM temp.t",
                                    .columns = 3};

static pmapdb_status add(pm_bulk *b, int64_t n, pmapdb_error *err)
{
    pm_arg *args;
    int64_t id = 0;
    pmapdb_status st = pm_bulk_row(b, &args, &id, err);

    if (st != PMAPDB_OK)
        return st;
    args[1] = PM_I(n % 3 ? n : PMAPDB_UNKNOWN);
    args[2] = PM_S(n % 2 ? "odd" : NULL);
    assert_int_equal(args[0].i, id);
    return PMAPDB_OK;
}

static void every_count(void **state)
{
    kit *k = kit_of(state);
    pm_bulk b;

    kit_exec(k, TABLE);
    for (int64_t count = 0, before = 0; count < 3 * PM_BULK_ROWS + 2; before += count++) {
        pmapdb_error err = {0};
        char want[64];

        pm_bulk_begin(&b, k->store->sql, &table);
        for (int64_t n = 1; n <= count; n++)
            kit_ok(add(&b, n, &err), &err);
        kit_ok(pm_bulk_end(&b, &err), &err);
        kit_ok(pm_bulk_end(&b, &err), &err); /* nothing is left */
        snprintf(want, sizeof want, "%" PRId64 "|%" PRId64 "\n", before + count, before + count);
        kit_expect(k, "SELECT count(*), coalesce(max(id), 0) FROM temp.t", want);
    }
    kit_expect(
        k,
        "WITH last AS (SELECT max(id) - 97 AS base FROM temp.t) SELECT count(*) FROM temp.t, "
        "last WHERE id > base AND n IS CASE WHEN (id - base) % 3 THEN id - base END AND word "
        "IS CASE WHEN (id - base) % 2 THEN 'odd' END",
        "97\n");
}

static void no_number_left(void **state)
{
    kit *k = kit_of(state);
    pmapdb_error err = {0};
    pm_bulk b;

    kit_exec(k, TABLE);
    kit_exec(k, "INSERT INTO temp.t VALUES (9223372036854775807, 1, '')");
    pm_bulk_begin(&b, k->store->sql, &table);
    assert_int_equal(add(&b, 1, &err), PMAPDB_DATABASE);
}

/* The first capture of a process is large enough; whatever comes of it, keys are looked up again.
 */
static void keys_are_checked_again(void **state)
{
    kit *k = kit_of(state);

    for (int64_t pid = 1; pid < 3; pid++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, pid, pid * 10000);

        for (uint64_t i = 0; i < 1000; i++)
            kit_map(k, c, 0x10000 + i * 0x4000, 8, "rw-p", i % 2 ? "/srv/a" : "");
        kit_put(k, c);
    }
    kit_expect(k, "PRAGMA foreign_keys", "1\n");
    kit_expect(k, "SELECT count(*) FROM pragma_foreign_key_check", "0\n");
    kit_expect(k,
               "SELECT snapshot_id, count(*), count(DISTINCT lineage_id) FROM mappings GROUP BY 1",
               "1|1000|1000\n2|1000|1000\n");
    assert_int_not_equal(
        sqlite3_exec(k->store->db, "UPDATE lineage SET process_id = 99", NULL, NULL, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(every_count),
        IN_KIT(no_number_left),
        IN_KIT(keys_are_checked_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
