/* heap_shared_test: the inferred heap of samples and of real programs: `pmap -x` hides the name
 * that smaps and -XX of the same moment show. Also reads $PMAPDB_SHARED/workloads; skipped (77)
 * without it. */
#include "classify/rows.h"

#include "base/buf.h"
#include "parse/reader.h"
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define BEATS 40 /* about this many of each workload, spread over the whole run */

typedef struct found_heap {
    uint64_t start, end; /* both 0: no heap */
} found_heap;

typedef struct reading {
    pm_pool *pool;
    found_heap heap;
} reading;

static pmapdb_status on_block(void *ctx, const pm_block *block, uint32_t *rows, size_t n,
                              pmapdb_error *err)
{
    reading *r = ctx;
    pm_capture c = {.pool = r->pool, .rows = rows, .n_rows = n};
    pm_classify_context context;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        const pm_mapping *m = pm_capture_row(&c, i);

        if (pm_text_equal(m->path, PM_TEXT("[heap]"))) {
            r->heap.start = r->heap.start ? r->heap.start : m->start;
            r->heap.end = m->end;
        }
    }
    c.block.dialect = block->dialect;
    pm_classify_prepare(&c, &context);
    if (context.heap_inferred)
        r->heap = (found_heap){context.heap_start, context.heap_end};
    return PMAPDB_OK;
}

/* The heap that a capture names, or the inferred heap if the capture hides names. */
static found_heap heap_of(const char *path)
{
    reading r = {0};
    pm_reader *reader;
    char bytes[16384];
    size_t n;
    FILE *file = fopen(path, "re");

    if (!file)
        fail_msg("no %s", path);
    assert_int_equal(pm_pool_new(&r.pool, NULL), PMAPDB_OK);
    assert_int_equal(pm_reader_new(PM_DIALECT_COUNT, r.pool, on_block, &r, &reader, NULL),
                     PMAPDB_OK);
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        assert_int_equal(pm_reader_feed(reader, bytes, n, NULL), PMAPDB_OK);
    assert_int_equal(pm_reader_finish(reader, NULL), PMAPDB_OK);
    pm_reader_free(reader);
    fclose(file);
    pm_pool_free(r.pool);
    return r.heap;
}

/* The path of the file with another suffix beside a .x file. */
static void beat_path(const char *x_path, const char *suffix, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s%s", (int)strlen(x_path) - 1, x_path, suffix);
}

static bool beat_has(const char *x_path, const char *suffix)
{
    char path[PATH_MAX];

    beat_path(x_path, suffix, path);
    return access(path, R_OK) == 0;
}

static found_heap heap_of_beat(const char *x_path, const char *suffix)
{
    char path[PATH_MAX];

    beat_path(x_path, suffix, path);
    return heap_of(path);
}

static void test_samples(void **state)
{
    size_t compared = 0;
    glob_t found;

    assert_int_equal(glob("samples/captures/leaky-*/*.x", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *x_path = found.gl_pathv[i];
        found_heap inferred = heap_of(x_path), smaps, wide;

        assert_true(inferred.end > inferred.start);
        if (!beat_has(x_path, "smaps"))
            continue;
        smaps = heap_of_beat(x_path, "smaps");
        wide = heap_of_beat(x_path, "XX");
        assert_int_equal(inferred.start, smaps.start);
        assert_int_equal(inferred.end, smaps.end);
        assert_int_equal(wide.start, smaps.start);
        assert_int_equal(wide.end, smaps.end);
        compared++;
    }
    assert_int_equal(found.gl_pathc, 13);
    assert_int_equal(compared, 3);
    globfree(&found);
}

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
        cmocka_unit_test_prestate(test_workload, redis), /* jemalloc: has no heap */
        cmocka_unit_test_prestate(test_workload, java),
        cmocka_unit_test_prestate(test_workload, node), /* not position independent */
    };
    const struct CMUnitTest always[] = {cmocka_unit_test(test_samples)};
    const char *shared = getenv("PMAPDB_SHARED");
    char archive[PATH_MAX];
    int failed = cmocka_run_group_tests(always, NULL, NULL);

    snprintf(archive, sizeof archive, "%s/workloads/c_brk.tar.zst", shared ? shared : "");
    if (!shared || access(archive, R_OK) != 0) {
        puts("skipped: PMAPDB_SHARED has no workloads");
        return failed ? failed : 77;
    }
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
