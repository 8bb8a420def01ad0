/* merge_damage_test: damaged stores are merged: the damage is reported, and is not copied. */
#include "api/merging.h"

/* A merge reports the damaged store, and takes the captures before the damage at most. `known`: the
 * target has a part of the process. */
static void try_damage(const char *sql, bool known)
{
    merging m;

    make_store("bad.db", "alpha", 7, 0, 3);
    make_store("good.db", "beta", 7, 0, 2);
    if (known)
        make_store("all.db", "alpha", 7, 5, 1);
    damage("bad.db", sql);
    start(&m);
    assert_int_equal(MERGE(&m, "all.db", "bad.db", "good.db"), PMAPDB_OK);
    if (m.result.failed != 1 || !strstr(m.news.data, "bad.db: ") ||
        !strstr(m.news.data, "damaged") ||
        !strstr(m.news.data, "good.db: 1 hosts, 1 processes, 2 snapshots, 2 new, 0 known\n"))
        fail_msg("%s: %s", sql, m.news.data);
    assert_int_equal(ask("all.db", SNAPSHOTS), known ? 3 : 2);
    assert_int_equal(ask("all.db", "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    finish(&m);
    shell("rm -f *.db *.db-wal *.db-shm");
}

IN_BOX(damaged_stores)
{
    static const char *const damages[] = {
        "UPDATE region SET length = 0",
        "UPDATE region SET length = -4096, start = 4096",
        "DELETE FROM region WHERE region_id = 2",
        "DELETE FROM object WHERE object_id = 1",
        "DELETE FROM epoch",
        "DELETE FROM capture",
        "UPDATE process SET name_rank = 77",
        "UPDATE process SET identity = 'nobody'",
        "UPDATE snapshot SET state_code = 7",
        "UPDATE snapshot SET off = -1 WHERE off = 0",
        ("INSERT INTO rare_fields (rare_fields_id, hash, rss_kib) VALUES (901, 0, 99); "
         "UPDATE mapping_version SET rare_fields_id = 901 WHERE first = 0"),
        "DELETE FROM mapping_version WHERE first = 0",
        ("INSERT INTO rare_fields (rare_fields_id, hash, own_fields) VALUES (902, 0, 8); "
         "UPDATE mapping_version SET rare_fields_id = 902"),
        "UPDATE mapping_version SET private_dirty = -5",
    };

    for (size_t i = 0; i < COUNT(damages); i++) {
        try_damage(damages[i], false);
        try_damage(damages[i], true);
    }
}

/* Damaged pages, which SQLite itself reports. */
WITH_MERGE(damaged_pages)
{
    make_store("bad.db", "alpha", 7, 0, 50);
    make_store("good.db", "beta", 7, 0, 2);
    shell("rm -f bad.db-wal; pages=$(($(stat -c %s bad.db) / 4096)); i=8; while [ $i -lt $pages ]; "
          "do "
          "printf '\\377\\377\\377\\377\\377\\377\\377\\377' | "
          "dd of=bad.db bs=1 seek=$((i * 4096)) conv=notrunc 2>dd.err; i=$((i + 3)); done");
    assert_int_equal(MERGE(m, "all.db", "bad.db", "good.db"), PMAPDB_OK);
    assert_int_equal(m->result.failed, 1);
    assert_non_null(strstr(m->news.data, "good.db: 1 hosts, 1 processes, 2 snapshots, 2 new"));
}

RUN_TESTS(NULL, NULL)
