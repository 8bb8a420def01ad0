/* unpack_fuzz: a compressed file or an archive, from a descriptor without a name: reading ends, and
 * every member has a valid path. */
#include "kit.h"

#include "source/archive.h"
#include "source/unpack.h"
#include <sys/mman.h>
#include <unistd.h>

/* The importer bounds the size of unpacked files; here unpacking only has to end. */
#define MEMBERS 100
#define BYTES ((size_t)4 << 20)

static pm_feed feed;

static bool start(const uint8_t *data, size_t size)
{
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("archive", MFD_CLOEXEC);
    FUZZ_CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size &&
                   lseek(fd, 0, SEEK_SET) == 0,
               "no descriptor");
    FUZZ_CHECK(pm_feed_start(&feed, fd, size % 2, "x", NULL) == PMAPDB_OK, "memory");
    FUZZ_CHECK(feed.len == size, "%zu bytes", feed.len);
    return pm_archive_wants(feed.block, feed.len, size % 3 ? "x" : "x.tar");
}

static void check_failure(pmapdb_status st, const pmapdb_error *err)
{
    FUZZ_CHECK(st == PMAPDB_INPUT || st == PMAPDB_NOMEM, "status %d: %s", (int)st, err->text);
    fuzz_message(err);
}

static void read_member(pm_unpack *u, size_t *left)
{
    pmapdb_error err = {0};
    const char *bytes;
    size_t n = 1, sum = 0;

    while (n && *left) {
        pmapdb_status st = pm_unpack_read(u, &bytes, &n, &err);

        if (st != PMAPDB_OK) {
            check_failure(st, &err);
            FUZZ_CHECK(n == 0, "%zu bytes of a failure", n);
            return;
        }
        for (size_t i = 0; i < n; i += 64)
            sum += (unsigned char)bytes[i];
        *left -= n < *left ? n : *left;
    }
    FUZZ_CHECK(sum != SIZE_MAX, "bytes");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pm_unpack *u = NULL;
    pm_member member;
    pmapdb_error err = {0};
    pmapdb_status st;
    size_t left = BYTES;
    bool found = true;

    if (size == 0 || size > PM_FEED_BLOCK || !start(data, size))
        return 0;
    st = pm_unpack_open(&feed, "x.tar", 0, "", &u, &err);
    for (int i = 0; st == PMAPDB_OK && i < MEMBERS && left; i++) {
        st = pm_unpack_next(u, &member, &found, &err);
        if (st != PMAPDB_OK || !found)
            break;
        FUZZ_CHECK(member.mtime_ms == PMAPDB_UNKNOWN || member.mtime_ms > 0, "mtime %" PRId64,
                   member.mtime_ms);
        if (!member.skipped)
            read_member(u, &left);
    }
    if (st != PMAPDB_OK)
        check_failure(st, &err);
    pm_unpack_close(u);
    return 0;
}
