/* turn_test: a writer with much to do lets others write in between. */
#include "kit.h"

#include <pthread.h>
#include <stdatomic.h>

#define TURN_MS 20
#define TURNS_MAX 300 /* that another writer may have to wait; without pauses there is no limit */

typedef struct other {
    const char *path;
    atomic_bool waits, wrote;
} other;

/* Waits for its turn to write once. */
static void *write_once(void *ctx)
{
    other *o = ctx;
    pmapdb_open_options options = {.mode = PMAPDB_CHANGE};
    pmapdb_store *s = NULL;
    pmapdb_error err = {0};

    kit_ok(pmapdb_open(o->path, &options, &s, &err), &err);
    o->waits = true;
    kit_ok(pm_store_begin(s, &err), &err);
    kit_ok(pm_store_commit(s, &err), &err);
    o->wrote = true;
    pmapdb_close(s);
    return NULL;
}

IN_KIT(another_writer_gets_its_turn)
{
    other o = {.path = k->path};
    pmapdb_error err = {0};
    pthread_t thread;
    int turns = 0;

    k->store->turn_ms = TURN_MS;
    for (; !o.wrote && turns <= TURNS_MAX; turns++) {
        kit_ok(pm_store_begin(k->store, &err), &err);
        if (turns == 0)
            assert_int_equal(pthread_create(&thread, NULL, write_once, &o), 0);
        while (!o.waits)
            usleep(1000);
        while (!pm_store_turn_is_over(k->store, 1))
            usleep(500);
        kit_ok(pm_store_commit(k->store, &err), &err);
    }
    pthread_join(thread, NULL);
    assert_true(turns <= TURNS_MAX);
}

RUN_TESTS(NULL, NULL)
