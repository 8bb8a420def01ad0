/* near_test: words that are near a misspelt word, and words that are not. */
#include "unit.h"

#include "base/near.h"

static void distance(const char *a, const char *b, size_t wanted)
{
    assert_int_equal(pm_near_distance(pm_text_of(a), pm_text_of(b)), wanted);
    assert_int_equal(pm_near_distance(pm_text_of(b), pm_text_of(a)), wanted);
}

static void distances(void **state)
{
    char word[PM_NEAR_WORD + 1];

    distance("", "", 0);
    distance("growth", "growth", 0);
    distance("growth", "GROWTH", 0);
    distance("growth", "", 6);
    distance("grwoth", "growth", 1); /* two letters swapped */
    distance("gowth", "growth", 1);
    distance("grrowth", "growth", 1);
    distance("grawth", "growth", 1);
    distance("kitten", "sitting", 3);
    distance("ca", "abc", 3); /* a swapped pair is not changed once more */
    distance("abcdefghijkl", "lkjihgfedcba", 11);
    memset(word, 'x', sizeof word);
    word[PM_NEAR_WORD] = '\0';
    distance(word, word, SIZE_MAX);
    word[PM_NEAR_WORD - 1] = '\0';
    distance(word, word, 0);
}

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

static void the_nearest_of_some(void **state)
{
    nearest("snapshts", "snapshots");
    nearest("snapshot", "snapshots"); /* the word itself is not what is wrong */
    nearest("Growth", "growth");
    nearest("haep", "heap");
    nearest("rss_kb", "rss_kib");
    nearest("qss_kib", "rss_kib"); /* equally near: the first */
    nearest("map", "mappings");    /* begun */
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

static void hints(void **state)
{
    pm_near near;

    pm_near_start(&near, PM_TEXT("haep"));
    assert_string_equal(pm_near_hint(&near), ";");
    pm_near_try(&near, PM_TEXT("heap"));
    assert_string_equal(pm_near_hint(&near), ", did you mean 'heap'?");
}

RUN_TESTS(TEST(distances), TEST(the_nearest_of_some), TEST(hints))
