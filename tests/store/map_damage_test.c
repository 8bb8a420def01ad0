/* map_damage_test: table map_cache empties itself where a row that it shows changes, and whatever
 * stands in it, the capture goes on and stores what it would without. */
#include "map_shot.h"
#include "whole.h"

#define BEAT_MS 5000

static subject subject_of(int64_t pid)
{
    subject s = {.pid = pid, .start_time = 7, .name = "app", .dialect = PM_DIALECT_SMAPS};
    uint64_t seed = (uint64_t)pid;

    while (s.world.n < 12)
        world_step(&s.world, &seed);
    return s;
}

/* Programs that cron starts, with a mapping that changes each time. */
static void programs(kit *k, subject *s, int64_t from, int64_t to)
{
    uint64_t seed = (uint64_t)from + 1;

    for (int64_t n = from; n < to; n++) {
        shot t;

        world_touch(&s->world.map[kit_below(&seed, s->world.n)], &seed);
        shot_program(k, s, SHOT_MS + n * BEAT_MS, true, &t);
        shot_free(&t);
    }
}

/* ---- triggers ---- */

static void fill(kit *k)
{
    subject s = subject_of(40), other = subject_of(41);

    programs(k, &s, 0, 4);
    programs(k, &other, 0, 4);
    kit_expect(k, "SELECT count(*) FROM map_cache", "2\n");
}

static void what_empties_it(void **state)
{
    static const char *const statements[] = {
        "DELETE FROM ver WHERE first = 0 AND last IS NULL AND epoch_id = 1",
        "DELETE FROM ver WHERE last = 0",
        "DELETE FROM region WHERE region_id = 1",
        "UPDATE region SET lineage_id = lineage_id + 1 WHERE region_id = 1",
        "UPDATE region SET object_id = object_id + 1 WHERE region_id = 1",
        "UPDATE region SET start = start + 1 WHERE region_id = 1",
        "UPDATE region SET length = length + 1 WHERE region_id = 1",
        "UPDATE region SET offset = 4096 WHERE region_id = 1",
        "UPDATE region SET size_kib = 1 WHERE region_id = 1",
        "UPDATE region SET category_id = 1 WHERE region_id = 1",
        "UPDATE region SET reason = 1 WHERE region_id = 1",
        "UPDATE object SET category_id = 1 WHERE object_id = 1",
        "UPDATE object SET path = 'x' WHERE object_id = 1",
        "UPDATE object SET flags = 'rd' WHERE object_id = 1",
        "UPDATE snapshots SET off = 100 WHERE snapshot_id = 1",
        "UPDATE snapshots SET epoch_id = 2, off = 100 WHERE snapshot_id = 1",
        "UPDATE snapshots SET process_id = 2 WHERE snapshot_id = 1",
        "DELETE FROM snapshots WHERE snapshot_id = 4",
        "DELETE FROM map_cache",
        "UPDATE OR REPLACE snapshots SET off = 0 WHERE snapshot_id = 2",
        "INSERT INTO detail (hash) VALUES (7); UPDATE detail SET rss_kib = 4",
    };
    static const char *const columns[] = {
        "region_id", "first", "private_dirty", "private_clean", "shared_clean", "shared_dirty",
        "swap",      "pss",   "referenced",    "epoch_id",      "detail_id"};
    const kit *k = kit_of(state);

    fill(kit_of(state));
    kit_exec(k, "PRAGMA foreign_keys = OFF");
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        kit_exec(k, "SAVEPOINT before");
        kit_exec(k, statements[i]);
        kit_expect(k, "SELECT count(*) FROM map_cache", "0\n");
        kit_exec(k, "ROLLBACK TO before; RELEASE before");
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char sql[128];

        snprintf(sql, sizeof sql,
                 "UPDATE ver SET %s = 77 WHERE (epoch_id, region_id, first) IN (VALUES (1, 1, 0))",
                 columns[i]);
        kit_exec(k, "SAVEPOINT before");
        kit_exec(k, sql);
        kit_expect(k, "SELECT count(*) FROM map_cache", "0\n");
        kit_exec(k, "ROLLBACK TO before; RELEASE before");
    }
    kit_expect(k, "SELECT count(*) FROM map_cache", "2\n");
}

static void what_leaves_it(void **state)
{
    static const char *const statements[] = {
        "UPDATE ver SET last = 9 WHERE epoch_id = 1 AND last IS NULL",
        "UPDATE catver SET last = 9 WHERE epoch_id = 1 AND last IS NULL",
        "UPDATE snapshots SET behind_ms = 7, preferred = 0",
        "UPDATE snapshots SET missing = NULL, taken_ms = taken_ms + 1",
        "INSERT INTO ver (epoch_id, region_id, first) VALUES (1, 1, 9)",
        "UPDATE process SET name_id = 1",
        "UPDATE lineage SET category_id = 1",
        "INSERT INTO pin VALUES (1, 'x', 0)",
    };
    kit *k = kit_of(state);
    subject s = subject_of(40);

    fill(k);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        kit_exec(k, "SAVEPOINT before");
        kit_exec(k, statements[i]);
        kit_expect(k, "SELECT count(*) FROM map_cache", "2\n");
        kit_exec(k, "ROLLBACK TO before; RELEASE before");
    }
    kit_exec(k, "CREATE TEMP TABLE was AS SELECT * FROM map_cache");
    kit_close(k);
    kit_open(k);
    programs(k, &s, 4, 7); /* appends, of which few rows change */
    kit_expect(k, "SELECT process_id, off FROM map_cache", "1|0\n2|0\n");
}

/* The triggers must name every column of ver but `last`: one that a later schema adds as well. */
static void no_column_is_forgotten(void **state)
{
    const kit *k = kit_of(state);
    pm_buf columns = {0};

    kit_rows(k, &columns, "SELECT name FROM pragma_table_info('ver') WHERE name <> 'last'");
    if (!columns.data)
        abort();
    for (char *name = columns.data, *end; *name; name = end + 1) {
        char sql[300];

        end = strchr(name, '\n');
        if (!end)
            abort();
        *end = '\0';
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM sqlite_master WHERE name = 'map_cache_ver' AND "
                 "' ' || replace(substr(sql, 1, instr(sql, ' ON ')), ',', ' ') || ' ' LIKE "
                 "'%% %s %%'",
                 name);
        kit_expect(k, sql, "1\n");
    }
    pm_buf_free(&columns);
}

/* ---- what may stand in it ---- */

/* The same captures with and without what `spoil` makes of the table. */
static void expect_no_difference(kit *k, const char *spoil)
{
    static const char *const tables[] = {
        "snapshots", "ver ORDER BY 1, 2, 3", "catver ORDER BY 1, 2, 3", "region", "lineage",
        "object"};
    pm_buf spoilt = {0}, plain = {0};

    for (int i = 0; i < 2; i++) {
        subject s = subject_of(40), other = subject_of(41);
        pm_buf *out = i ? &plain : &spoilt;

        kit_remove_store(k);
        kit_open(k);
        programs(k, &s, 0, 4);
        programs(k, &other, 0, 4);
        kit_exec(k, i ? "DELETE FROM map_cache" : spoil);
        programs(k, &s, 4, 6);
        programs(k, &other, 4, 6);
        assert_true(whole_store(k));
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
            char sql[64];

            snprintf(sql, sizeof sql, "SELECT * FROM %s", tables[t]);
            kit_rows(k, out, sql);
        }
    }
    if (!pm_text_equal(pm_buf_text(&spoilt), pm_buf_text(&plain)))
        fail_msg("not as without: %s", spoil);
    pm_buf_free(&spoilt);
    pm_buf_free(&plain);
}

#define SWAP_PROCESSES                                                                            \
    "PRAGMA foreign_keys = OFF; UPDATE map_cache SET process_id = -process_id; UPDATE map_cache " \
    "SET process_id = 3 + process_id"

static void whatever_stands_in_it(void **state)
{
    static const char *const spoils[] = {
        "SELECT 1",
        "UPDATE map_cache SET map = x''",
        "UPDATE map_cache SET map = ''",
        "UPDATE map_cache SET map = 'text'",
        "UPDATE map_cache SET map = 17",
        "UPDATE map_cache SET map = zeroblob(100000)",
        "UPDATE map_cache SET map = randomblob(length(map))",
        "UPDATE map_cache SET map = substr(map, 1, length(map) / 2)",
        "UPDATE map_cache SET map = substr(map, 1, length(map) - 1)",
        "UPDATE map_cache SET map = map || x'00'",
        "UPDATE map_cache SET map = CAST(substr(map, 1, 40) || x'ff' || substr(map, 42) AS BLOB)",
        "UPDATE map_cache SET off = -1",
        "UPDATE map_cache SET off = 99",
        "UPDATE map_cache SET off = 'x'",
        "UPDATE map_cache SET epoch_id = 3 - epoch_id",
        "PRAGMA foreign_keys = OFF; UPDATE map_cache SET epoch_id = 99",
        /* of another process */
        ("UPDATE map_cache SET map = (SELECT map FROM map_cache m WHERE m.process_id <> "
         "map_cache.process_id)"),
        SWAP_PROCESSES,
        SWAP_PROCESSES "; UPDATE map_cache SET epoch_id = 3 - epoch_id",
        /* of another moment */
        "UPDATE map_cache SET off = 1",
    };

    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++)
        expect_no_difference(kit_of(state), spoils[i]);
}

/* ---- others leave theirs ---- */

static void what_ended_leaves_nothing(void **state)
{
    kit *k = kit_of(state);
    subject ended = subject_of(40), lives = subject_of(41), later = subject_of(42);
    shot t;

    programs(k, &ended, 0, 2);
    programs(k, &lives, 0, 2);
    shot_program(k, &lives, SHOT_MS + 86000000, true, &t);
    shot_free(&t);
    shot_program(k, &later, SHOT_MS + 87000000, true, &t);
    shot_free(&t);
    kit_expect(k, "SELECT p.pid FROM map_cache JOIN process p USING (process_id) ORDER BY 1",
               "41\n42\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(what_empties_it),           IN_KIT(what_leaves_it),
        IN_KIT(no_column_is_forgotten),    IN_KIT(whatever_stands_in_it),
        IN_KIT(what_ended_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
