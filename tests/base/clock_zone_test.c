/* clock_zone_test: time zones that the C library knows, and texts that only look like time zones.
 */
#include "source/box.h"

#include "base/clock/clock.h"

TEST(rules)
{
    char good[] =
        "UTC GMT UTC0 CET-1 EST5EDT CET-1CEST,M3.5.0,M10.5.0/3 "
        "CET-1CEST-2,M3.5.0/2:00:00,M10.5.0/-1 <+0330>-3:30 "
        "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1 NZST-12:00:00NZDT-13:00:00,J60/2,300/167 abc+24";
    char bad[] = " NOWHERE/LAND NOWHERE Europe +02:00 2 UT0 CET- CET-25 CET-1:60 CET-1: CET-1CE "
                 "CET-1CEST, CET-1CEST,M3.5.0 CET-1CEST,M3.5.0,M10.5.0, CET-1CEST,M13.5.0,M10.5.0 "
                 "CET-1CEST,M3.6.0,M10.5.0 CET-1CEST,M3.5.7,M10.5.0 CET-1CEST,M3.5,M10.5.0 "
                 "<+03> <+0>3 "
                 "<+03-3 :CET-1 : / ../../../../etc/passwd /etc/passwd";

    for (char *rest = good, *zone; (zone = strsep(&rest, " "));)
        if (!pm_clock_is_zone(zone))
            fail_msg("'%s' is a zone", zone);
    for (char *rest = bad, *zone; (zone = strsep(&rest, " "));)
        if (pm_clock_is_zone(zone))
            fail_msg("'%s' is not a zone", zone);
    assert_false(pm_clock_is_zone("CET-1 "));
}

/* TZDIR names the folder of the database of zones. */
IN_BOX(files)
{
    char path[128];

    setenv("TZDIR", box_folder, 1);
    assert_int_equal(mkdir("Land", 0700), 0);
    box_text("Land/Town", "TZif2");
    snprintf(path, sizeof path, "%s/Land/Town", box_folder);
    assert_true(pm_clock_is_zone("Land/Town"));
    assert_true(pm_clock_is_zone(":Land/Town"));
    assert_true(pm_clock_is_zone(path));
    assert_false(pm_clock_is_zone("Land"));
    assert_false(pm_clock_is_zone("Land/town"));
    box_text("Land/Town", "TZi");
    assert_false(pm_clock_is_zone("Land/Town"));
    unsetenv("TZDIR");
}

RUN_TESTS(NULL, NULL)
