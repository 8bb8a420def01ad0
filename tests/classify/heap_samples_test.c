/* The inferred heap of the samples: `pmap -x` hides it, smaps and -XX of the same beat name it. */
#include "classify/heap_of.h"

#include <glob.h>

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

RUN_TESTS(TEST(test_samples))
