/* spool: the events of a recording in a temporary file. */
#include "store/perf/spool.h"

#include "base/buf.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#define BUFFER ((size_t)1 << 20)
#define EVENT UINT32_MAX /* stands where else the slot of a chain does */

struct pm_spool {
    FILE *file;
    char *dir;
    uint64_t *hash; /* of the chain in each slot; 0: none yet */
    pm_buf chain;
};

static pmapdb_status fail(const pm_spool *s, const char *doing, pmapdb_error *err)
{
    return pm_fail_io(err, errno ? errno : EIO,
                      "cannot %s a temporary file in '%s' (TMPDIR names another folder)", doing,
                      s->dir);
}

static int open_unnamed(const char *dir)
{
    char path[4096];
    int fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    if (snprintf(path, sizeof path, "%s/pmapdb-XXXXXX", dir) >= (int)sizeof path)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

pmapdb_status pm_spool_new(pm_spool **out, pmapdb_error *err)
{
    const char *dir = getenv("TMPDIR");
    pm_spool *s = calloc(1, sizeof *s);
    int fd;
    pmapdb_status st = PMAPDB_OK;

    if (!s)
        return pm_fail_nomem(err);
    s->dir = strdup(dir && *dir ? dir : "/var/tmp");
    s->hash = calloc(PM_SPOOL_SLOTS, sizeof *s->hash);
    if (!s->dir || !s->hash) {
        pm_spool_free(s);
        return pm_fail_nomem(err);
    }
    fd = open_unnamed(s->dir);
    s->file = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (!s->file || setvbuf(s->file, NULL, _IOFBF, BUFFER) != 0) {
        st = fail(s, "make", err);
        if (!s->file && fd >= 0)
            close(fd);
        pm_spool_free(s);
        return st;
    }
    *out = s;
    return PMAPDB_OK;
}

void pm_spool_free(pm_spool *s)
{
    if (!s)
        return;
    if (s->file)
        fclose(s->file);
    pm_buf_free(&s->chain);
    free(s->hash);
    free(s->dir);
    free(s);
}

static bool put(pm_spool *s, const void *bytes, size_t n)
{
    return fwrite_unlocked(bytes, 1, n, s->file) == n;
}

/* 64 bits tell chains apart: with a billion of them two are taken for one by a chance of 1 in 40.
 */
static bool put_chain(pm_spool *s, pm_text chain, int64_t *slot)
{
    uint64_t hash = XXH3_64bits(chain.data, chain.len);
    uint32_t at = (uint32_t)(hash % PM_SPOOL_SLOTS), head[2] = {at, (uint32_t)chain.len};

    *slot = at;
    hash += hash == 0;
    if (s->hash[at] == hash)
        return true;
    s->hash[at] = hash;
    return put(s, head, sizeof head) && put(s, chain.data, chain.len);
}

pmapdb_status pm_spool_put(pm_spool *s, pm_trace_event *event, pm_text chain, pmapdb_error *err)
{
    static const uint32_t head = EVENT;

    event->stack = -1;
    errno = 0;
    if ((chain.len && !put_chain(s, chain, &event->stack)) || !put(s, &head, sizeof head) ||
        !put(s, event, sizeof *event))
        return fail(s, "write", err);
    return PMAPDB_OK;
}

pmapdb_status pm_spool_rewind(pm_spool *s, pmapdb_error *err)
{
    errno = 0;
    return fflush(s->file) == 0 && fseek(s->file, 0, SEEK_SET) == 0 ? PMAPDB_OK
                                                                    : fail(s, "write", err);
}

static bool get(pm_spool *s, void *bytes, size_t n)
{
    return fread_unlocked(bytes, 1, n, s->file) == n;
}

static pmapdb_status next_chain(pm_spool *s, pm_text *chain, pmapdb_error *err)
{
    static const char zeroes[4096];
    uint32_t n;
    pmapdb_status st = PMAPDB_OK;

    if (!get(s, &n, sizeof n))
        return fail(s, "read", err);
    while (s->chain.cap <= n && st == PMAPDB_OK) /* room, whatever is in it */
        st = pm_buf_add(&s->chain, zeroes, sizeof zeroes, err);
    if (st != PMAPDB_OK)
        return st;
    *chain = (pm_text){s->chain.data, n};
    return get(s, s->chain.data, n) ? PMAPDB_OK : fail(s, "read", err);
}

pmapdb_status pm_spool_next(pm_spool *s, pm_trace_event *event, pm_text *chain, bool *has,
                            pmapdb_error *err)
{
    uint32_t head;

    errno = 0;
    *chain = (pm_text){NULL, 0};
    *has = get(s, &head, sizeof head);
    if (!*has)
        return ferror(s->file) ? fail(s, "read", err) : PMAPDB_OK;
    if (head == EVENT)
        return get(s, event, sizeof *event) ? PMAPDB_OK : fail(s, "read", err);
    event->stack = head;
    return next_chain(s, chain, err);
}
