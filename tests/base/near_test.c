/* near_test: words that are near a misspelt word, and words that are not. */
#include "unit.h"

#include "base/near.h"

static void nearest(const char *wanted, const char *best)
{
    static const char *const words[] = {"snapshots", "snapshot", "processes", "mappings",
                                        "growth",    "heap",     "stack",     "rss_kib",
                                        "pss_kib",   "diff",     "sql"};
    pm_near near;

    pm_near_start(&near, pm_text_of(wanted));
    for (size_t i = 0; i < COUNT(words); i++)
        pm_near_try(&near, pm_text_of(words[i]));
    assert_string_equal(near.best, best);
}

TEST(the_nearest_of_some)
{
    nearest("snapshts", "snapshots");
    nearest("snapshot", "snapshots"); /* the word itself is not a suggestion */
    nearest("Growth", "growth");
    nearest("haep", "heap");
    nearest("rss_kb", "rss_kib");
    nearest("qss_kib", "rss_kib"); /* equally near: the first */
    nearest("map", "mappings");    /* the word begins with "map" */
    nearest("sqll", "sql");
    nearest("rss", "rss_kib");
    nearest("dif", "diff");
    nearest("", "");
    nearest("x", "");
    nearest("he", "");
    nearest("leak", "");
    nearest("hello", "");
    nearest("processor", "processes");
    nearest("proceedings", "");
}

TEST(hints)
{
    pm_near near;

    pm_near_start(&near, PM_TEXT("haep"));
    assert_string_equal(pm_near_hint(&near), ";");
    pm_near_try(&near, PM_TEXT("heap"));
    assert_string_equal(pm_near_hint(&near), ", did you mean 'heap'?");
}

RUN_TESTS(NULL, NULL)
