/* rules_file_test: sets of rules in files: the first mistake is reported with its line. */
#include "unit.h"

#include "api/rules.h"
#include "store/rules/rules_file.h"

/* ---- sets ---- */

static void refuses_text(pm_text text, const char *mistake)
{
    pm_rules *set = NULL;
    pmapdb_error err = {0};

    assert_int_equal(pm_rules_read(text, "F", &set, &err), PMAPDB_INPUT);
    assert_null(set);
    assert_string_equal(err.text, mistake);
}

static void refuses(const char *text, const char *mistake)
{
    refuses_text(pm_text_of(text), mistake);
}

static void takes(const char *text, size_t rules)
{
    pm_rules *set = NULL;
    pmapdb_error err;

    if (pm_rules_read(pm_text_of(text), "F", &set, &err) != PMAPDB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(pm_rules_count(set), rules);
    pm_rules_free(set);
}

TEST(test_shapes)
{
    takes("rule,category\nall,mine\n", 1);
    takes("category,base,rule\r\nheap/x,heap,a\r\nstack/y,stack,b", 2);
    takes("\xef\xbb\xbf\"rule\", category \nall,\"my, own\"\n", 1);
    takes("# comment, \"with a quote\n\nrule,category,size\n# more\na,x,4\n#\nb,x,\"8\"\n", 2);
    takes("rule,category,size,note\na,x,4,\"two\n# lines\"\nb,x,8,\n", 2);
}

TEST(test_mistakes)
{
    refuses("", "F: empty: the first line names the columns");
    refuses("# nothing\n", "F: empty: the first line names the columns");
    refuses("rule,category\n", "F: there is no rule");
    refuses("rule,category,below\na,x,size=4 size=8\n", "F:2: below: size occurs twice");
    refuses("# one\n\nrule,category,perms\n# four\na,x,rw-\n",
            "F:5: perms: 'rw-' is not four letters, rwxp or rwxs, with - for a missing one and ? "
            "for any");
    refuses("rule,category,note,size\na,x,\"two\nlines\",y\n",
            "F:2: size: 'y' is not a size: KiB, or a number followed by K, M, G or T");
    refuses("rule,category,flag,size\na,x,nr,4\n",
            "F:1: there is no column 'flag', did you mean 'flags'?");
    refuses("rule,category,size,size\na,x,4,4\n", "F:1: two columns are called 'size'");
    refuses("rule,category,size\na,x,4,\n", "F:2: 4 fields, and the first line names 3");
    refuses("rule,category,size\na,x,\"4\n", "F:2: a quote is opened and not closed");
    refuses("rule,category,size\na,x,4\nB,x,8\nb,x,y\n",
            "F:3: rule: 'B' has characters other than a-z, 0-9 and -");
    refuses("rule,category,size\nb,x,8\nb,x,16\n", "F:3: rule: 'b' occurs twice");
    refuses("rule,kind\na,b\n", "F:1: there is no column 'kind'");
}

TEST(test_bytes)
{
    static const char nul[] = "rule,category\na,x\0y\n";
    pm_buf large = {0};

    refuses_text((pm_text){nul, sizeof nul - 1}, "F:2: category: it contains a NUL byte");
    refuses("rule,category\na,x\nb,\xff\n", "F:3: bytes that are not UTF-8");
    assert_int_equal(pm_buf_addf(&large, NULL, "rule,category,note\na,x,"), PMAPDB_OK);
    while (large.len < PM_RULES_FILE_MAX - 32000)
        assert_int_equal(pm_buf_addf(&large, NULL, "\n#%031000d", 0), PMAPDB_OK);
    takes(large.data, 1);
    while (large.len <= PM_RULES_FILE_MAX)
        assert_int_equal(pm_buf_addf(&large, NULL, "\n"), PMAPDB_OK);
    refuses_text(pm_buf_text(&large), "F: larger than 1 MiB");
    pm_buf_free(&large);
}

/* ---- built-in sets ---- */

/* A damaged set is read to its end or refused. */
TEST(test_damaged)
{
    static const char bytes[] = "\"\n,;|~!%?#-*[]()\\={}0aK\x01\x80\xff";
    pm_text whole = pm_rules_builtin(PM_TEXT("default"));
    char *text = pm_text_copy(whole);
    uint64_t random = 7;
    size_t taken = 0, refused = 0;

    assert_non_null(text);
    for (int round = 0; round < 300; round++) {
        pm_rules *set = NULL;
        pmapdb_error err;
        size_t n = whole.len;

        memcpy(text, whole.data, whole.len);
        for (int i = round % 4; i >= 0; i--) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            text[(random >> 33) % whole.len] = bytes[(random >> 20) % (sizeof bytes - 1)];
            n = round % 7 == 0 ? (random >> 13) % whole.len : n;
        }
        if (pm_rules_read((pm_text){text, n}, "F", &set, &err) == PMAPDB_OK) {
            taken++;
        } else {
            refused++;
            assert_int_equal(err.status, PMAPDB_INPUT);
            assert_int_equal(err.text[0], 'F');
        }
        pm_rules_free(set);
    }
    assert_true(taken > 20 && refused > 50);
    free(text);
}

TEST(test_builtin)
{
    pm_rules *rules = NULL;
    pm_buf text = {0};

    assert_null(pm_rules_builtin(PM_TEXT("test")).data);
    assert_null(pm_rules_builtin(PM_TEXT("")).data);
    for (const char *const *name = pm_rules_builtins; *name; name++) {
        pm_text set = pm_rules_builtin(pm_text_of(*name));

        assert_non_null(set.data);
        assert_int_equal(pm_rules_read(set, *name, &rules, NULL), PMAPDB_OK);
        pm_rules_free(rules);
    }
    assert_int_equal(pm_rules_find("default", &text, NULL), PMAPDB_OK);
    assert_true(pm_text_equal(pm_buf_text(&text), pm_rules_builtin(PM_TEXT("default"))));
    pm_buf_clear(&text);
    assert_int_equal(pm_rules_find("rules/default.csv", &text, NULL), PMAPDB_OK);
    assert_true(pm_text_equal(pm_buf_text(&text), pm_rules_builtin(PM_TEXT("default"))));
    pm_buf_free(&text);
    assert_int_not_equal(pm_rules_find("no-such-set", &text, NULL), PMAPDB_OK);
    pm_buf_free(&text);
}

RUN_TESTS(NULL, NULL)
