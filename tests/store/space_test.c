/* space_test: what a store takes on the disk beside itself, and what is left where the disk is
 * full. */
#include "prune_world.h"

#include "store/space.h"
#include <sys/stat.h>

static int64_t wal_bytes(const kit *k)
{
    char path[128];
    struct stat info;

    snprintf(path, sizeof path, "%s-wal", k->path);
    return stat(path, &info) == 0 ? (int64_t)info.st_size : -1;
}

/* An empty -wal has room that a prune can write to, whatever else takes the disk. */
static void a_prune_has_room(void **state)
{
    kit *k = kit_of(state);
    char path[128];
    struct stat info;

    pw_put_grown(k, 1, 0, 50);
    snprintf(path, sizeof path, "%s-wal", k->path);
    kit_close(k);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 0);
    assert_true(info.st_blocks * 512 >= PM_SPACE_RESERVE_BYTES);
    kit_open(k);
}

/* The room is where the store is, not where a link to it is. */
static void a_store_by_a_link(void **state)
{
    kit *k = kit_of(state);
    char link[128], wal[128];
    const pmapdb_open_options options = {.mode = PMAPDB_WRITE};
    pmapdb_store *store = NULL;
    pmapdb_error err = {0};
    struct stat info;

    kit_close(k);
    snprintf(link, sizeof link, "%s/link.db", k->dir);
    snprintf(wal, sizeof wal, "%s-wal", k->path);
    assert_int_equal(truncate(wal, 0), 0); /* gives its blocks back */
    assert_int_equal(symlink(k->path, link), 0);
    kit_ok(pmapdb_open(link, &options, &store, &err), &err);
    pmapdb_close(store);
    assert_int_equal(stat(wal, &info), 0);
    assert_true(info.st_blocks * 512 >= PM_SPACE_RESERVE_BYTES);
    unlink(link);
    kit_open(k);
}

/* As cron does it: what one run leaves in the -wal, the next would read and leave again. */
static void one_run_after_another(void **state)
{
    kit *k = kit_of(state);

    for (int64_t n = 0; n < 20; n++) {
        pw_put_grown(k, 1, n, n + 1);
        kit_close(k);
        assert_int_equal(wal_bytes(k), 0);
        kit_open(k);
    }
}

static void a_full_disk_is_a_failed_write(void **state)
{
    const kit *k = kit_of(state);
    pmapdb_error err = {0};

    pw_put_grown(k, 1, 0, 1);
    kit_exec(k, "PRAGMA max_page_count = 1");
    assert_int_equal(pm_sql_run(k->store->sql, "CREATE TABLE large AS SELECT randomblob(1000000)",
                                PM_NO_ARGS, &err),
                     PMAPDB_DATABASE);
    assert_memory_equal(err.text, "cannot write ", 13);
    assert_non_null(strstr(err.text, "no space left on the device"));
    assert_non_null(strstr(err.text, "pmapdb prune makes room"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(a_prune_has_room),
        IN_KIT(a_store_by_a_link),
        IN_KIT(one_run_after_another),
        IN_KIT(a_full_disk_is_a_failed_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
