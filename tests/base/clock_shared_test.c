/* clock_shared: every line of the fixtures and of the public captures of PMAPDB_SHARED. They
 * contain memory maps and surrounding text. No line is a moment or begins with one (grep finds no
 * dates or times of day either), but a moment is found if the test adds it before a line. Exits
 * with 77 (skipped) if the captures are missing. */
#include "unit.h"

#include "base/clock_kit.h"
#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define STAMP "2026-11-21T02:05:32.123+01:00 "
#define STAMP_MS INT64_C(1795223132123)

static size_t files, lines, wrong;

static void complain(const char *path, pm_text line, const char *what)
{
    wrong++;
    print_error("%s: %s: '%.*s'\n", path, what, (int)line.len, line.data);
}

/* True if a moment before the line is found, and the rest is the line. */
static bool is_found_behind(pm_text line)
{
    size_t len = sizeof STAMP - 1 + line.len;
    char *stamped = malloc(len);
    pm_text rest = {0};
    int64_t ms = 0;
    bool ok;

    memcpy(stamped, STAMP, sizeof STAMP - 1);
    memcpy(stamped + sizeof STAMP - 1, line.data, line.len);
    ok = begins_with_moment((pm_text){stamped, len}, &ms, &rest) && ms == STAMP_MS &&
         pm_text_ends(line, rest);
    free(stamped);
    return ok;
}

static bool has_letter_or_digit(pm_text line)
{
    for (size_t i = 0; i < line.len; i++)
        if (isalnum((unsigned char)line.data[i]))
            return true;
    return false;
}

static int each_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    bool answers = strstr(path, "/stores/") != NULL; /* answers of queries begin with moments */
    FILE *in = type == FTW_F && !answers ? fopen(path, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;

    (void)st;
    (void)ftw;
    if (!in)
        return 0;
    files++;
    while ((n = getline(&line, &room, in)) >= 0) {
        pm_text t = {line, (size_t)n - (n && line[n - 1] == '\n')}, rest;
        int64_t ms;

        lines++;
        if (is_moment(t, &ms) || begins_with_moment(t, &ms, &rest))
            complain(path, t, "taken for a moment");
        if (has_letter_or_digit(t) && !is_found_behind(t))
            complain(path, t, "not found with a moment before it");
    }
    free(line);
    (void)fclose(in);
    return 0;
}

static void walk(const char *path, size_t least_files)
{
    files = lines = wrong = 0;
    assert_int_equal(nftw(path, each_file, 16, FTW_PHYS), 0);
    print_message("%s: %zu lines of %zu files\n", path, lines, files);
    assert_true(files >= least_files && lines > files);
    assert_int_equal(wrong, 0);
}

TEST(fixtures)
{
    walk("tests/fixtures", 5);
}

static char shared[1024];

TEST(captures)
{
    if (access(shared, F_OK) != 0)
        skip();
    walk(shared, 200);
}

int main(void)
{
    const char *folder = getenv("PMAPDB_SHARED");
    int failed;

    setenv("TZ", "UTC", 1);
    tzset();
    snprintf(shared, sizeof shared, "%s/captures", folder && *folder ? folder : "../shared");
    failed = unit_run(NULL, NULL);
    return failed || access(shared, F_OK) == 0 ? failed : 77;
}
