/* glob_test: globs match as fnmatch(3) does, where both are comparable. */
#include "classify/rules_regex.h"

#include "unit.h"

#include <fnmatch.h>
#include <stdlib.h>

/* Returns NULL for a set without an end, which is refused. */
static pm_regex *compiled(pm_text pattern)
{
    pm_regex *out = NULL;
    pmapdb_error err;
    pmapdb_status st = pm_glob_new(pattern, &out, &err);

    assert_true(st == PMAPDB_OK || (st == PMAPDB_INPUT && memchr(pattern.data, '[', pattern.len)));
    return out;
}

static bool matches(pm_regex *regex, pm_text text)
{
    pm_regex_space space = {0};
    bool first = pm_regex_matches(regex, &space, text);

    assert_true(first == pm_regex_matches(regex, &space, text)); /* now compiled */
    pm_regex_space_free(&space);
    pm_regex_free(regex);
    return first;
}

static bool glob(pm_text pattern, pm_text text)
{
    return matches(compiled(pattern), text);
}

static void agree(const char *pattern, const char *text)
{
    bool expected = fnmatch(pattern, text, 0) == 0;
    pm_regex *regex = compiled(pm_text_of(pattern));

    if (regex && matches(regex, pm_text_of(text)) != expected)
        fail_msg("'%s' %s '%s' by fnmatch(3)", pattern, expected ? "matches" : "does not match",
                 text);
}

/* The first word of both lists is empty. */
TEST(test_by_hand)
{
    char patterns[] =
        " * ? a ab a* *a *a* a? [a] [ab]* [!a] [^a]b [a-c]b [c-a] []] [!]] [a-] [-a] []-a] [ "
        "[a a[ [[:xdigit:]]* [[:alpha:]]* [[:x:]] [![:digit:]] [[:digit:]a]b \\a \\* \\[a] "
        "[\\]] [\\a-c] */b /* *.so* ** *a*b*c ?*? [*] [?] [a-c-e] [[: [[:alpha";

    for (char *rest = patterns, *pattern; (pattern = strsep(&rest, " "));) {
        char texts[] =
            " a b ab ba abc ] - [ [a a[ * \\ a\\ / /b a/b /a/b x.so.1 1 1b 9x aXbXc : [[:alpha";
        char *left = texts;

        for (char *text; (text = strsep(&left, " "));)
            agree(pattern, text);
    }
}

/* A generator that returns the same numbers on every machine. */
static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void random_text(uint32_t *seed, const char *const *letters, size_t n, char *out)
{
    size_t len = next(seed) % 9;

    *out = '\0';
    for (size_t i = 0; i < len; i++)
        strcat(out, letters[next(seed) % n]);
}

/* Leaves out [. and [=, which need the collation of a locale, and a \ at the end. */
TEST(test_random)
{
    static const char *const in_pattern[] = {"a", "b",     "c",    "*",           "*", "?",
                                             "[", "]",     "!",    "^",           "-", "\\",
                                             "/", "[a-c]", "[!b]", "[[:digit:]]", "z"};
    static const char *const in_text[] = {"1", "a", "b", "c", "z", "-", "]", "[", "/", "\\", "*"};
    uint32_t seed = 7;
    char pattern[128], text[64];

    for (int i = 0; i < 100000; i++) {
        size_t n, slashes = 0;

        random_text(&seed, in_pattern, COUNT(in_pattern), pattern);
        random_text(&seed, in_text, COUNT(in_text), text);
        n = strlen(pattern);
        while (slashes < n && pattern[n - 1 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            agree(pattern, text);
    }
}

/* fnmatch(3) cannot take a NUL, and its locale decides about UTF-8 and other bytes. */
TEST(test_any_bytes)
{
    assert_true(glob(PM_TEXT("?"), PM_TEXT("é")));
    assert_false(glob(PM_TEXT("??"), PM_TEXT("é")));
    assert_true(glob(PM_TEXT("[é]"), PM_TEXT("é")));
    assert_true(glob(PM_TEXT("[à-ü]"), PM_TEXT("é")));
    assert_false(glob(PM_TEXT("[à-ü]"), PM_TEXT("a")));
    assert_true(glob(PM_TEXT("[!a]x"), PM_TEXT("éx")));
    assert_true(glob(PM_TEXT("é*"), PM_TEXT("éx")));
    assert_false(glob(PM_TEXT("[[:alpha:]]"), PM_TEXT("é")));
    assert_true(glob(PM_TEXT("a?b"), PM_TEXT("a\0b")));
    assert_true(glob(PM_TEXT("a*b"), PM_TEXT("a\0b")));
    assert_true(glob(PM_TEXT("a*z"), PM_TEXT("a\xffz")));
    assert_false(glob(PM_TEXT("a?z"), PM_TEXT("a\xffz")));
    assert_true(glob(PM_TEXT("*.so"), PM_TEXT("/\xff/x.so")));
    assert_false(glob(PM_TEXT("\xc3\xa9"), PM_TEXT("\xe9"))); /* a byte in another encoding */
    assert_true(glob(PM_TEXT("?"), PM_TEXT("\xf0\x9f\x98\x80")));
}

/* Many stars cost neither stack nor much time. */
TEST(test_stars)
{
    enum { N = 400 };
    char pattern[2 * N], text[N];

    for (int i = 0; i < N; i++)
        memcpy(pattern + 2 * (size_t)i, "*a", 2);
    memset(text, 'a', N);
    assert_true(glob((pm_text){pattern, 2 * N}, (pm_text){text, N}));
    text[N - 1] = 'b';
    assert_false(glob((pm_text){pattern, 2 * N}, (pm_text){text, N}));
}

RUN_TESTS(NULL, NULL)
