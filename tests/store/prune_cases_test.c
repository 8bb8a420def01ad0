/* prune_cases_test: pins, names that would disappear, the size limit, the size of the file. */
#include "prune_world.h"

static void refuse(const kit *k, const pmapdb_prune_options *o, const char *words)
{
    pmapdb_prune_result r;
    pmapdb_error err = {0};

    kit_fails(pmapdb_prune(k->store, o, &r, &err), PMAPDB_USAGE, &err, words);
}

/* ---- pins ---- */

IN_KIT(a_pinned_moment_stays)
{
    pmapdb_error err = {0};
    int64_t id = 0;

    pw_put_grown(k, 1, 0, 10);
    pw_put_grown(k, 2, 0, 10); /* another process of the name, in the same moments */
    kit_ok(pmapdb_pin(k->store, "app", "@3", "before the update", &id, &err), &err);
    assert_int_equal(id, 3);
    kit_expect(k, "SELECT snapshot_id, reason, pinned_ms > 1700000000000 FROM pin",
               "3|before the update|1\n");
    pw_keep_last(k, 1);
    kit_expect(k, "SELECT count(*), count(DISTINCT moment_ms) FROM snapshot", "4|2\n");
    pw_keep_last(k, 1);
    kit_expect(k, "SELECT count(*) FROM snapshot", "4\n");
    /* Any snapshot of the pinned moment removes the pin. */
    kit_ok(pmapdb_unpin(k->store, NULL, "@13", &id, &err), &err);
    assert_int_equal(pmapdb_unpin(k->store, NULL, "@13", &id, &err), PMAPDB_NOTFOUND);
    pw_keep_last(k, 1);
    kit_expect(k, "SELECT count(*), (SELECT count(*) FROM pin) FROM snapshot", "2|0\n");
}

/* The epoch of the partial capture goes. Its 150 regions are shown by no other epoch of its stream,
 * but by the epoch of the complete captures. */
IN_KIT(many_regions_of_another_stream_stay)
{
    pmapdb_error err = {0};

    for (int64_t n = 0; n < 3; n++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, 1, PW_AT(n));

        for (uint64_t i = 0; i < 150; i++)
            kit_map(k, c, 0x100000 * (i + 1), 64, "rw-p", "/a.dat");
        kit_name(c, "app", PM_NAME_HEADER);
        c->block.hash = 1 + (uint64_t)n;
        if (n == 1)
            kit_partial(c);
        kit_put(k, c);
    }
    kit_expect(k, "SELECT count(*), (SELECT count(*) FROM epoch) FROM region", "150|2\n");
    kit_ok(pmapdb_pin(k->store, "app", "@1", "x", NULL, &err), &err);
    pw_keep_last(k, 1);
    kit_expect(k, "SELECT count(*), (SELECT count(*) FROM mappings) FROM region", "150|300\n");
}

IN_KIT(what_cannot_be_pinned)
{
    pmapdb_error err = {0};

    pw_put_grown(k, 1, 0, 2);
    pw_put_grown(k, 100, 0, 2);
    assert_int_equal(pmapdb_pin(k->store, "app", "@99", "x", NULL, &err), PMAPDB_NOTFOUND);
    assert_int_equal(pmapdb_pin(k->store, NULL, "last", "x", NULL, &err), PMAPDB_NOTFOUND);
    assert_int_equal(pmapdb_pin(k->store, "app", "last", "", NULL, &err), PMAPDB_USAGE);
    kit_ok(pmapdb_pin(k->store, "db", "-1m", "x", NULL, &err), &err);
    kit_expect(k, "SELECT snapshot_id FROM pin", "3\n");
}

/* ---- what may vanish ---- */

IN_KIT(a_name_vanishes_only_by_force)
{
    pmapdb_prune_options o = {.drop = true, .max_kib = PMAPDB_UNKNOWN, .process = "db"};

    pw_put_grown(k, 1, 0, 3);
    pw_put_grown(k, 100, 0, 3);
    refuse(k, &o, "nothing of 'db' would stay");
    o.process = NULL;
    refuse(k, &o, "drop needs");
    o.process = "db/100";
    refuse(k, &o, "is one process");
    o.process = "db";
    o.keep.last = 1;
    refuse(k, &o, "takes no rule");
    o.keep.last = 0;
    o.force = true;
    pw_prune(k, &o);
    kit_expect(k,
               "SELECT n.name, count(*) FROM snapshot s JOIN process p USING (process_id) JOIN "
               "name n USING (name_id) GROUP BY 1",
               "app|3\n");
    kit_expect(k, "SELECT name FROM name", "app\n");
    kit_expect(k, "SELECT count(*) FROM forgotten", "3\n");
    /* Pruned captures stay away, and new ones are stored. */
    pw_put_grown(k, 100, 0, 3);
    kit_expect(k, "SELECT count(*) FROM snapshot", "3\n");
    pw_put_grown(k, 100, 3, 4);
    kit_expect(k, "SELECT count(*) FROM snapshot", "4\n");
    assert_true(PW_NONE(k, whole_broken));
}

IN_KIT(a_rule_must_be_given)
{
    pw_put_grown(k, 1, 0, 3);
    refuse(k, &(pmapdb_prune_options){.max_kib = PMAPDB_UNKNOWN}, "at least one rule");
    refuse(k, &(pmapdb_prune_options){.keep.daily = -7, .max_kib = PMAPDB_UNKNOWN},
           "must not be negative");
    refuse(k, &(pmapdb_prune_options){.max_kib = 0}, "above zero");
    kit_expect(k, "SELECT count(*) FROM snapshot", "3\n");
}

/* Each process without a name is its own series. */
IN_KIT(the_unnamed_are_alone)
{
    for (int64_t pid = 1; pid < 4; pid++)
        for (int64_t n = 0; n < 5; n++) {
            pm_capture *c = pw_grown(k, pid, 10 * pid + n);

            kit_name(c, "?", PM_NAME_UNKNOWN);
            kit_put(k, c);
        }
    pw_keep_last(k, 2);
    kit_expect(
        k, "SELECT p.pid, count(*) FROM snapshot s JOIN process p USING (process_id) GROUP BY 1",
        "1|2\n2|2\n3|2\n");
}

/* ---- the largest size ---- */

IN_KIT(the_oldest_go_until_it_fits)
{
    pmapdb_prune_options o = {.keep.last = PMAPDB_KEEP_ALL, .max_kib = 500};
    pmapdb_prune_result r;

    pw_fill(k, 1200);
    r = pw_prune(k, &o);
    assert_true(r.kib_before > 700);
    assert_true(r.fits);
    assert_true(r.kib_after <= 500);
    assert_int_equal(kit_bytes(k, "") / 1024, r.kib_after);
    assert_true(r.kib_after > 400); /* no more than necessary was removed */
    kit_expect(k,
               "SELECT count(*) = 1200 - min(taken_ms - 1700000000000) / 60000, max(taken_ms) "
               "FROM snapshot",
               "1|1700071940000\n"); /* the oldest over both series */
    r = pw_prune(k, &o);
    assert_int_equal(r.snapshots_removed, 0);
    /* A limit that cannot be reached: one snapshot of each series is left. */
    o.max_kib = 10;
    r = pw_prune(k, &o);
    assert_false(r.fits);
    kit_expect(k, "SELECT count(*) FROM snapshot", "2\n");
    o.force = true;
    r = pw_prune(k, &o);
    assert_false(r.fits);
    kit_expect(
        k,
        "SELECT count(*), (SELECT count(*) FROM process), (SELECT count(*) FROM mapping_version), "
        "(SELECT count(*) FROM object), (SELECT count(*) FROM region) FROM snapshot",
        "0|0|0|0|0\n");
    kit_expect(k, "SELECT count(*) FROM forgotten", "1200\n");
}

/* ---- the file ---- */

IN_KIT(the_file_shrinks)
{
    pmapdb_prune_result r;

    kit_expect(k, "PRAGMA auto_vacuum", "2\n");
    pw_fill(k, 1200);
    r = pw_keep_last(k, 2);
    assert_true(r.kib_after < r.kib_before / 2);
    assert_int_equal(kit_bytes(k, "") / 1024, r.kib_after);
    assert_false(r.held || r.wants_vacuum);
    assert_int_equal(kit_bytes(k, "-wal"), 0);
}

/* Another program created the file, without auto_vacuum. */
IN_KIT(a_store_that_does_not_shrink)
{
    pmapdb_compact_options o = {.vacuum = true};
    pmapdb_compact_result c;
    pmapdb_prune_result r;
    pmapdb_error err = {0};
    sqlite3 *db;

    kit_remove_store(k);
    assert_int_equal(sqlite3_open(k->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    kit_open(k);
    kit_expect(k, "PRAGMA auto_vacuum", "0\n");
    pw_fill(k, 1200);
    r = pw_keep_last(k, 2);
    assert_true(r.wants_vacuum);
    assert_true(r.kib_after >= r.kib_before); /* because of table forgotten */
    o.vacuum = false;
    kit_ok(pmapdb_compact(k->store, &o, &c, &err), &err);
    assert_true(c.wants_vacuum);
    o.vacuum = true;
    kit_ok(pmapdb_compact(k->store, &o, &c, &err), &err);
    assert_false(c.wants_vacuum);
    assert_true(c.kib_after < r.kib_before / 2);
    assert_int_equal(kit_bytes(k, "") / 1024, c.kib_after);
    kit_expect(k, "PRAGMA auto_vacuum", "2\n");
    kit_expect(k, "PRAGMA foreign_keys", "1\n");
}

IN_KIT(a_dry_run_changes_nothing)
{
    pmapdb_prune_options o = {.keep.last = 1, .max_kib = PMAPDB_UNKNOWN, .dry_run = true};
    pmapdb_prune_result r;

    pw_put_grown(k, 1, 0, 20);
    r = pw_prune(k, &o);
    assert_int_equal(r.snapshots_removed, 19);
    kit_expect(k, "SELECT count(*), (SELECT count(*) FROM forgotten) FROM snapshot", "20|0\n");
}

RUN_TESTS(NULL, NULL)
