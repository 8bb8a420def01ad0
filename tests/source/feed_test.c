/* feed_test: the bytes per read: few for a running process, so that the kernel does not walk its
 * page tables twice; many for a file. */
#include "source/box.h"

#include "source/feed.h"
#include "source/proc.h"

/* Appends the whole file to `bytes`. Returns the size of the largest block. */
static size_t read_all(const char *path, bool full, pm_buf *bytes)
{
    pm_feed feed = {0};
    size_t n, most = 0;
    const char *block;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(pm_feed_start(&feed, fd, false, path, NULL), PMAPDB_OK);
    while (pm_feed_next(&feed, full, &block, &n) && n) {
        most = n > most ? n : most;
        assert_int_equal(pm_buf_add(bytes, block, n, NULL), PMAPDB_OK);
    }
    assert_int_equal(feed.os_errno, 0);
    free(feed.block);
    close(fd);
    return most;
}

TEST(of_a_process)
{
    pm_buf bytes = {0};

    assert_in_range(read_all("/proc/self/smaps", false, &bytes), 1, PM_PROC_PIECE);
    assert_true(bytes.len > 2 * PM_PROC_PIECE);
    assert_memory_equal(bytes.data + bytes.len - 1, "\n", 1);
    pm_buf_clear(&bytes);
    /* a full block consists of many small pieces */
    assert_true(read_all("/proc/self/smaps", true, &bytes) > PM_PROC_PIECE);
    pm_buf_free(&bytes);
}

IN_BOX(of_a_file)
{
    size_t size = 2 * PM_FEED_BLOCK + 1;
    char *text = malloc(size);
    pm_buf bytes = {0};

    memset(text, 'x', size);
    box_write("large", text, size);
    assert_int_equal(read_all("large", false, &bytes), PM_FEED_BLOCK);
    assert_int_equal(bytes.len, size);
    assert_memory_equal(bytes.data, text, size);
    pm_buf_free(&bytes);
    free(text);
}

RUN_TESTS(NULL, NULL)
