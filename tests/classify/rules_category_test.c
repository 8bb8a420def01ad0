/* rules_category_test: templates of categories, and their results for awkward names. */
#include "classify/ruling.h"

static void gives(const char *category, const char *path_glob, pm_rule_row row,
                  const char *expected)
{
    pm_rules *set = set_of_one(one("a", category, PM_RULE_PATH, path_glob));
    pm_buf out = {0};

    assert_int_equal(pm_rules_match(set, 0, NULL, &row, NULL), 0);
    assert_int_equal(pm_rules_category(set, 0, &row, &out, NULL), PMAPDB_OK);
    assert_string_equal(pm_buf_text(&out).data, expected);
    pm_buf_free(&out);
    pm_rules_free(set);
}

TEST(test_paths)
{
    gives("%b", NULL, file_row("/a/b.so (deleted)"), "b.so");
    gives("%p", NULL, file_row("/a/b.so (deleted)"), "/a/b.so (deleted)");
    gives("x/%b, 100%%", NULL, file_row("/a/b"), "x/b, 100%");
    gives("%1-%2%3", "~^/([^/]*)/(x)?(.*)$", file_row("/usr/lib"), "usr-lib");
    gives("%2", "~(a)(b)?", file_row("/a"), "mapped-file"); /* an empty group: the slug stays */
    gives("%b", NULL, file_row("/a/"), "mapped-file");
    gives("%1", "~(?=(.*))", file_row("/a"), "/a");
}

TEST(test_brackets)
{
    static const struct {
        const char *path, *slug;
    } slugs[] = {
        {"[anon: Go: heap]", "go-heap"},
        {"[anon:dalvik-main space (region space)]", "dalvik-main-space-region-space"},
        {"[anon:my cache 17]", "my-cache"},
        {"[anon:a1b]", "ab"},
        {"[anon:.bss]", "bss"},
        {"[anon:libc.so 2.]", "libc.so"},
        {"[anon:17]", "unnamed"},
        {"[anon:]", "unnamed"},
        {"[anon:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
        {"[anon:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bb]",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
        {"[anon:\xc3\x89t\xc3\xa9]", "t"},
    };

    gives("%r", NULL, named_row("[anon: Go: heap]"), "anon: Go: heap");
    gives("%n", NULL, named_row("[anon: Go: heap]"), " Go: heap");
    gives("%n", NULL, named_row("[vvar_vclock]"), "vvar_vclock");
    gives("[%r]", NULL, named_row("[vvar_vclock]"), "[vvar_vclock]");
    gives("%r", NULL, file_row("/a"), "mapped-file");
    for (size_t i = 0; i < COUNT(slugs); i++)
        gives("%w", NULL, named_row(slugs[i].path), slugs[i].slug);
}

/* The first word of a category never changes its meaning: the name of a file may be a slug. */
TEST(test_slugs)
{
    pm_rules *set = set_of_one(one("a", "anonymous/%w", PM_RULE_BASE, "anonymous"));
    pm_rule_row row = named_row("[anon:x y]"), heap = some_row();
    pm_buf out = {0};

    gives("%b", NULL, file_row("/tmp/heap"), "'heap'");
    gives("%b", NULL, file_row("/tmp/total"), "'total'");
    gives("%p", NULL, file_row("heap/x"), "'heap/x'");
    gives("%b", NULL, file_row("/tmp/heaps"), "heaps");
    gives("%w", NULL, named_row("[anon:stack]"), "'stack'");
    gives("anon%b", NULL, file_row("/tmp/ymous"), "'anonymous'");
    assert_int_equal(pm_rules_category(set, 0, &row, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, "anonymous/x-y");
    pm_buf_clear(&out);
    heap.base = PM_CATEGORY_HEAP;
    assert_int_equal(pm_rules_category(set, PM_NO_RULE, &heap, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, "heap");
    pm_buf_free(&out);
    pm_rules_free(set);
}

/* A category has at most 120 bytes, and no character is cut. */
TEST(test_length)
{
    char path[4096] = "/", expected[256];
    pm_rules *set = set_of_one(one("a", "%p", PM_RULE_PATH, NULL));
    pm_rule_row row = file_row(path);

    snprintf(path, sizeof path, "/%0119d", 7);
    gives("%p", NULL, file_row(path), path);
    snprintf(path, sizeof path, "/%0120d", 7);
    snprintf(expected, sizeof expected, "...%0117d", 7);
    gives("%p", NULL, file_row(path), expected);
    for (size_t n = 110; n < 400; n++) {
        pm_buf out = {0};

        memset(path, 'x', sizeof path);
        for (size_t i = n / 2 % 2 + 2; i + 1 < n; i += 2)
            path[i] = '\xc3', path[i + 1] = '\xa9';
        row.path = (pm_text){path, n};
        assert_int_equal(pm_rules_category(set, 0, &row, &out, NULL), PMAPDB_OK);
        assert_in_range(out.len, n < 120 ? n : 118, n < 120 ? n : 120);
        for (size_t i = 0; i < out.len; i++)
            if (out.data[i] == '\xc3' || out.data[i] == '\xa9')
                assert_true(out.data[i] == '\xc3' ? out.data[i + 1] == '\xa9'
                                                  : i && out.data[i - 1] == '\xc3');
        pm_buf_free(&out);
    }
    pm_rules_free(set);
}

RUN_TESTS(NULL, NULL)
