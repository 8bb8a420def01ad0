/* lives_test: lives of live captures are found again, however many; 65,536 are the most. */
#include "store/lives.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h wants the first two. */
#include <cmocka.h>

#define MOST 65536

static const pm_live boot = {.boot_id = "b1"}, other_boot = {.boot_id = "b2"}, no_boot = {0};

static pm_capture life(int64_t pid, const pm_live *live, const char *host)
{
    return (pm_capture){.pid = pid, .start_time = pid * 10, .live = live, .host = host};
}

static int64_t found(const pm_lives *lives, const pm_capture *c)
{
    const pm_known_life *known = pm_lives_find(lives, c);

    return known ? known->process_id : 0;
}

static void keep(pm_lives *lives, const pm_capture *c, int64_t process_id)
{
    pm_process_found f = {.process_id = process_id};

    assert_int_equal(pm_lives_keep(lives, c, &f, NULL), PMAPDB_OK);
}

static void many(void **state)
{
    pm_lives *lives = NULL;

    (void)state;
    assert_int_equal(pm_lives_new(&lives, NULL), PMAPDB_OK);
    for (int64_t pid = 1; pid <= 3000; pid++) {
        pm_capture c = life(pid, &boot, "h");

        assert_int_equal(found(lives, &c), 0);
        keep(lives, &c, pid + 1000000);
    }
    for (int64_t pid = 1; pid <= 3000; pid++) {
        pm_capture c = life(pid, &boot, "h");

        assert_int_equal(found(lives, &c), pid + 1000000);
    }
    pm_lives_free(lives);
}

/* Host, boot, pid and start time: each of them tells two lives apart. */
static void apart(void **state)
{
    pm_lives *lives = NULL;
    pm_capture a = life(7, &boot, "h"), boots = life(7, &other_boot, "h"), hosts = a, none = a,
               again = a, text = a, unknown = a, no_id = life(7, &no_boot, "h");

    (void)state;
    hosts.host = "i";
    none.host = NULL;
    again.start_time++;
    text.live = NULL;
    unknown.start_time = PMAPDB_UNKNOWN;
    assert_int_equal(pm_lives_new(&lives, NULL), PMAPDB_OK);
    assert_int_equal(found(lives, &a), 0);
    keep(lives, &a, 1);
    keep(lives, &text, 9);
    keep(lives, &unknown, 9);
    keep(lives, &no_id, 9);
    assert_int_equal(found(lives, &boots) + found(lives, &hosts) + found(lives, &none), 0);
    assert_int_equal(found(lives, &again) + found(lives, &text) + found(lives, &unknown), 0);
    keep(lives, &boots, 2);
    keep(lives, &hosts, 3);
    keep(lives, &none, 4);
    keep(lives, &again, 5);
    keep(lives, &a, 6); /* as it is now */
    assert_int_equal(found(lives, &boots), 2);
    assert_int_equal(found(lives, &hosts), 3);
    assert_int_equal(found(lives, &none), 4);
    assert_int_equal(found(lives, &again), 5);
    assert_int_equal(found(lives, &a), 6);
    pm_lives_forget(lives);
    assert_int_equal(found(lives, &a), 0);
    pm_lives_free(lives);
}

/* A service that runs for a year sees more processes than it may remember. */
static void begins_anew(void **state)
{
    pm_lives *lives = NULL;
    pm_capture first = life(1, &boot, "h"), last = life(MOST + 1, &boot, "h");

    (void)state;
    assert_int_equal(pm_lives_new(&lives, NULL), PMAPDB_OK);
    for (int64_t pid = 1; pid <= MOST; pid++) {
        pm_capture c = life(pid, &boot, "h");

        keep(lives, &c, pid);
    }
    assert_int_equal(found(lives, &first), 1);
    keep(lives, &last, MOST + 1);
    assert_int_equal(found(lives, &first), 0);
    assert_int_equal(found(lives, &last), MOST + 1);
    pm_lives_free(lives);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many),
        cmocka_unit_test(apart),
        cmocka_unit_test(begins_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
