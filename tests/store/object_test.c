/* object_test: objects that are read back by their id, alone and with those of their map. */
#include "kit.h"

#include "store/object.h"

#define OBJECTS 40

/* Objects 1 to 40, each of a path of its own. */
static void fill(const kit *k)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, 1000);

    for (uint64_t i = 0; i < OBJECTS; i++) {
        char path[32];

        snprintf(path, sizeof path, "/srv/%d", (int)i);
        kit_map(k, c, 0x100000 * (i + 1), 4, "r--s", path);
    }
    kit_put(k, c);
}

static pm_objects *none(const kit *k)
{
    pm_objects *objects = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_objects_new(k->store->sql, &objects, &err), &err);
    return objects;
}

static void alone(void **state)
{
    const kit *k = kit_of(state);
    const pm_object *o = NULL, *again = NULL;
    pm_objects *objects = none(k);
    pmapdb_error err = {0};

    fill(k);
    kit_ok(pm_objects_get(objects, 3, &o, &err), &err);
    assert_true(o->id == 3 && pm_text_equal(o->path, PM_TEXT("/srv/2")));
    assert_int_equal(pm_objects_count(objects), 1);
    kit_ok(pm_objects_of_map(objects, 3, &again, &err), &err);
    assert_ptr_equal(again, o);
    assert_int_equal(pm_objects_count(objects), 1);
    pm_objects_free(objects);
}

static void those_of_its_map(void **state)
{
    const kit *k = kit_of(state);
    const pm_object *o = NULL, *next = NULL;
    pm_objects *objects = none(k);
    pmapdb_error err = {0};

    fill(k);
    kit_ok(pm_objects_get(objects, 4, &next, &err), &err);
    kit_ok(pm_objects_of_map(objects, 2, &o, &err), &err);
    assert_int_equal(pm_objects_count(objects), 2); /* not before the second in a row */
    kit_ok(pm_objects_of_map(objects, 3, &o, &err), &err);
    assert_true(o->id == 3 && pm_text_equal(o->path, PM_TEXT("/srv/2")));
    assert_int_equal(pm_objects_count(objects), 33);
    kit_exec(k, "UPDATE object SET path = 'other'"); /* they are at hand */
    kit_ok(pm_objects_get(objects, 34, &o, &err), &err);
    assert_true(o->id == 34 && pm_text_equal(o->path, PM_TEXT("/srv/33")));
    kit_ok(pm_objects_of_map(objects, 4, &o, &err), &err);
    assert_ptr_equal(o, next);
    pm_objects_free(objects);
}

/* Other maps made objects in between. */
static void far_apart(void **state)
{
    const kit *k = kit_of(state);
    const pm_object *o = NULL;
    pm_objects *objects = none(k);
    pmapdb_error err = {0};

    fill(k);
    for (int64_t id = 1; id <= OBJECTS; id += 5)
        kit_ok(pm_objects_of_map(objects, id, &o, &err), &err);
    for (int64_t id = OBJECTS; id > OBJECTS - 4; id--)
        kit_ok(pm_objects_of_map(objects, id, &o, &err), &err);
    assert_int_equal(pm_objects_count(objects), OBJECTS / 5 + 4);
    pm_objects_free(objects);
}

/* What nobody asked for does no harm. */
static void a_damaged_one(void **state)
{
    const kit *k = kit_of(state);
    const pm_object *o = NULL;
    pm_objects *objects = none(k);
    pmapdb_error err = {0};

    fill(k);
    kit_exec(k, "PRAGMA foreign_keys = OFF; UPDATE object SET category_id = 0 WHERE object_id = 5;"
                "DELETE FROM object WHERE object_id = 6");
    kit_ok(pm_objects_of_map(objects, 3, &o, &err), &err);
    kit_ok(pm_objects_of_map(objects, 4, &o, &err), &err);
    assert_int_equal(o->id, 4);
    assert_int_equal(pm_objects_count(objects), 31); /* without 5 and 6 */
    assert_int_equal(pm_objects_of_map(objects, 5, &o, &err), PMAPDB_DATABASE);
    assert_string_equal(err.text, "object 5 has a category that cannot be; the store is damaged");
    assert_int_equal(pm_objects_of_map(objects, 6, &o, &err), PMAPDB_DATABASE);
    assert_string_equal(err.text, "object 6 is missing; the store is damaged");
    assert_int_equal(pm_objects_of_map(objects, INT64_MAX, &o, &err), PMAPDB_DATABASE);
    pm_objects_free(objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(alone),
        IN_KIT(those_of_its_map),
        IN_KIT(far_apart),
        IN_KIT(a_damaged_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
