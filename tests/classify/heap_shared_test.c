/* The inferred heap of real programs: what `pmap -x` hides, smaps of the same beat names.
 * Reads $PMAPDB_SHARED/workloads; skipped (77) where they are not. */
#include "classify/heap_of.h"

#include <glob.h>

#define BEATS 40 /* about so many of each workload, spread over the whole run */

/* The programs ran on while they were read, smaps first: a heap may have grown before -x, at most
 * to what the next smaps shows. */
static void compare_beat(const char *x_path, const char *next_x_path)
{
    found_heap inferred = heap_of(x_path), named = heap_of_beat(x_path, "smaps");
    found_heap later = inferred.end > named.end && named.end && next_x_path
                           ? heap_of_beat(next_x_path, "smaps")
                           : named;

    if (inferred.start != named.start || inferred.end < named.end || inferred.end > later.end)
        fail_msg("%s: [heap] is %lx-%lx, inferred %lx-%lx", x_path, (unsigned long)named.start,
                 (unsigned long)named.end, (unsigned long)inferred.start,
                 (unsigned long)inferred.end);
}

static void unpack(const char *workload, const char *place)
{
    char archive[PATH_MAX];
    FILE *shell;

    snprintf(archive, sizeof archive, "%s/workloads/%s.tar.zst", getenv("PMAPDB_SHARED"), workload);
    assert_int_equal(setenv("ARCHIVE", archive, 1), 0);
    assert_int_equal(setenv("PLACE", place, 1), 0);
    shell = popen("zstd -dcq --long=27 \"$ARCHIVE\" |"
                  " tar x -C \"$PLACE\" --strip-components=1 --wildcards '*.x' '*.smaps'",
                  "re");
    assert_non_null(shell);
    assert_int_equal(pclose(shell), 0);
}

static void test_workload(void **state)
{
    char place[] = "/tmp/pmapdb-heap-XXXXXX", pattern[64];
    FILE *shell;
    glob_t found;

    assert_non_null(mkdtemp(place));
    unpack(*state, place);
    snprintf(pattern, sizeof pattern, "%s/*.x", place);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += found.gl_pathc / BEATS + 1)
        compare_beat(found.gl_pathv[i], i + 1 < found.gl_pathc ? found.gl_pathv[i + 1] : NULL);
    globfree(&found);
    shell = popen("rm -r \"$PLACE\"", "re");
    assert_non_null(shell);
    assert_int_equal(pclose(shell), 0);
}

int main(void)
{
    static char c_brk[] = "c_brk", redis[] = "redis", java[] = "java_heap", node[] = "node_steady";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_workload, c_brk), /* grows all the time */
        cmocka_unit_test_prestate(test_workload, redis), /* jemalloc: has none */
        cmocka_unit_test_prestate(test_workload, java),
        cmocka_unit_test_prestate(test_workload, node), /* not position independent */
    };
    const char *shared = getenv("PMAPDB_SHARED");
    char archive[PATH_MAX];

    snprintf(archive, sizeof archive, "%s/workloads/c_brk.tar.zst", shared ? shared : "");
    if (!shared || access(archive, R_OK) != 0) {
        puts("skipped: PMAPDB_SHARED has no workloads");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
