/* glob_fuzz: a glob and a text, a newline between them. The C library's fnmatch(3) agrees where it
 * can be asked: ASCII, no classes of its own locale, no backslash at the end. */
#include "kit.h"

#include "classify/glob.h"
#include <fnmatch.h>

static bool is_plain(pm_text t)
{
    for (size_t i = 0; i < t.len; i++)
        if (t.data[i] <= 0)
            return false;
    return true;
}

/* What POSIX leaves open: [. and [=, names of classes, ranges that end in what is no character, a
 * backslash at the end. Without brackets nothing of it can be. */
static bool is_settled(pm_text pattern)
{
    return is_plain(pattern) && !(pattern.len && pattern.data[pattern.len - 1] == '\\') &&
           !memchr(pattern.data, '[', pattern.len);
}

static void ask_fnmatch(pm_text pattern, pm_text text, bool matches)
{
    char *p = fuzz_string(pattern), *t = fuzz_string(text);

    FUZZ_CHECK((fnmatch(p, t, 0) == 0) == matches, "'%s' on '%s': %d", p, t, matches);
    free(p);
    free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_open(data, size);
    pm_text pattern = fuzz_until(&in, '\n'), text = fuzz_rest(&in);
    char *one = fuzz_alone(pattern.data, pattern.len), *two = fuzz_alone(text.data, text.len);
    char start[16];
    size_t n;
    bool matches;

    pattern.data = one;
    text.data = two;
    matches = pm_glob(pattern, text);
    n = pm_glob_start(pattern, start, sizeof start);
    FUZZ_CHECK(n <= sizeof start && n <= pattern.len, "start of %zu bytes", n);
    FUZZ_CHECK(!matches || pm_text_starts(text, (pm_text){start, n}), "it begins otherwise");
    if (is_settled(pattern) && is_plain(text))
        ask_fnmatch(pattern, text, matches);
    free(one);
    free(two);
    return 0;
}
