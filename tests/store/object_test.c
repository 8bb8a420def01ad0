/* object_test: objects are read by ranges of ids, and only those that are wanted. */
#include "kit.h"

#include "store/dict/object.h"

#define OBJECTS 9

/* Stores one mapping per object: object_id is 1 + its number. */
static void fill(const kit *k)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 1, 1000);

    for (uint64_t i = 0; i < OBJECTS; i++)
        kit_map(k, c, 0x10000 * (i + 1), 4, "r--p", (char[]){'/', (char)('a' + i), '\0'});
    kit_put(k, c);
}

static char letter_of(pm_sql *sql, pm_objects *objects, int64_t id)
{
    const pm_object *o = pm_objects_get(sql, objects, id);

    return o ? o->path.data[1] : '?';
}

IN_KIT(in_any_order)
{
    static const int64_t ids[] = {4, 5, 4, 6, 2, 5, 3, 9, 9, 1};
    pm_sql *sql;
    pm_objects objects = {0};

    fill(k);
    sql = k->store->sql;
    pm_objects_load(sql, &objects, ids, COUNT(ids));
    assert_int_equal(objects.n, 7);
    for (size_t i = 0; i < COUNT(ids); i++)
        assert_int_equal(letter_of(sql, &objects, ids[i]), 'a' + ids[i] - 1);
    assert_int_equal(objects.n, 7);
    assert_int_equal(letter_of(sql, &objects, 7), 'g');
    pm_objects_load(sql, &objects, ids, 0);
    assert_int_equal(objects.n, 8);
    pm_objects_free(&objects);
}

/* Damage of another object is not met, whatever ids are around it. */
IN_KIT(no_others)
{
    static const int64_t ids[] = {3, 4, 6, 7, INT64_MAX, INT64_MIN, 0};
    pm_objects objects = {0};
    pmapdb_error err = {0};

    fill(k);
    kit_exec(k,
             "PRAGMA foreign_keys = OFF; UPDATE object SET category_id = 99 WHERE object_id = 5");
    pm_objects_load(k->store->sql, &objects, ids, COUNT(ids));
    kit_ok(pm_sql_end(k->store->sql, &err), &err);
    assert_int_equal(objects.n, 4);
    assert_null(pm_objects_get(k->store->sql, &objects, INT64_MAX));
    kit_fails(pm_sql_end(k->store->sql, &err), PMAPDB_DATABASE, &err, "is missing");
    pm_objects_get(k->store->sql, &objects, 5);
    kit_fails(pm_sql_end(k->store->sql, &err), PMAPDB_DATABASE, &err, "impossible category");
    pm_objects_free(&objects);
}

RUN_TESTS(NULL, NULL)
