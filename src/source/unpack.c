/* unpack: unpacks with libarchive, by the formats and filters that run inside this process. */
#include "source/unpack.h"

#include "base/text.h"
#include "source/archive.h"
#include "source/walk.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_HOLE ((int64_t)1 << 20)  /* a sparse core dump may contain a hole of 275 GB */
#define PLACE_MAX ((int64_t)1 << 48) /* in a page map of 2^57 bytes of addresses */
/* Compressed bytes are passed on in pieces of this size, so that the limits are checked often
 * enough: zstd can expand one KiB to 10 MiB of repetition. */
#define PIECE ((size_t)1024)

#define BYTES_MAX ((uint64_t)64 << 30)
#define BYTES_SURE ((uint64_t)1 << 30) /* allowed with any ratio */
#define RATIO_MAX 1000
/* Header before one member. libarchive keeps the header in memory; a sparse map of this size takes
 * 400 MB. */
#define HEADER_MIB_MAX 16

struct pm_unpack {
    pm_feed *feed;
    const char *label, *advice;    /* as given to pm_unpack_open() */
    struct archive *outer, *inner; /* inner: for a member that is itself compressed */
    struct archive_entry *entry,
        *inner_entry;   /* owned: a reader without memory for its own entry would still use it */
    const char *member; /* path of the current member, or NULL; valid as long as the entry */
    int64_t at;         /* bytes of the member returned so far */
    int64_t hole;       /* NULs still to return before the block */
    const void *block;
    size_t len; /* bytes of the block; 0 without a block */
    bool begun, single, ended, dead, damaged;
    const char *left; /* unused bytes of the block of the feed */
    size_t n_left;
    uint64_t most;        /* limit of unpacked bytes; 0: the default */
    uint64_t inner_bytes; /* from earlier members that were compressed themselves */
    uint64_t header_at;   /* offset of the current header */
    bool in_header;
    bool packed;   /* the archive itself is compressed */
    char why[112]; /* the limit that was reached, or empty */
};

/* True from the moment a limit is reached. */
static bool is_over(pm_unpack *u)
{
    uint64_t outer = pm_archive_given(u->outer), most = u->most ? u->most : BYTES_MAX;
    uint64_t all = (u->packed ? outer : 0) + u->inner_bytes + pm_archive_given(u->inner);

    if (u->why[0])
        return true;
    if (u->in_header && outer - u->header_at > (uint64_t)HEADER_MIB_MAX << 20)
        snprintf(u->why, sizeof u->why, "more than %d MiB of header before one member",
                 HEADER_MIB_MAX);
    else if (!u->most && all > BYTES_SURE && all / RATIO_MAX > u->feed->given)
        snprintf(u->why, sizeof u->why, "unpacks to more than %d times its size%s", RATIO_MAX,
                 u->advice);
    else if (all > most)
        snprintf(u->why, sizeof u->why, "unpacks to more than %.10g MiB%s",
                 (double)most / (1 << 20), u->advice);
    return u->why[0] != '\0';
}

static pmapdb_status fail_here(pm_unpack *u, struct archive *a, pmapdb_error *err)
{
    if (u->why[0]) /* after a limit, nothing more is read */
        u->ended = u->dead = true;
    if (u->feed->os_errno)
        return pm_fail_io(err, u->feed->os_errno, "'" PM_SHOWN "'", PM_SHOW(u->label));
    /* libarchive does not report that zlib had no memory. */
    if (PM_LIBRARY(archive_errno)(a) == ENOMEM || errno == ENOMEM)
        return pm_fail_nomem(err);
    return pm_fail(err, PMAPDB_INPUT, "'" PM_SHOWN "%s" PM_SHOWN "': %s", PM_SHOW(u->label),
                   u->member ? ":" : "", PM_SHOW(u->member ? u->member : ""),
                   u->why[0] ? u->why : pm_archive_reason(a));
}

static la_ssize_t read_outer(struct archive *a, void *ctx, const void **bytes)
{
    pm_unpack *u = ctx;
    size_t n;

    if (is_over(u)) {
        PM_LIBRARY(archive_set_error)(a, EFBIG, "too much");
        return -1;
    }
    if (!u->n_left && !pm_feed_next(u->feed, true, &u->left, &u->n_left)) {
        PM_LIBRARY(archive_set_error)(a, u->feed->os_errno, "read error");
        return -1;
    }
    n = u->packed && u->n_left > PIECE ? PIECE : u->n_left;
    *bytes = u->left;
    u->left += n;
    u->n_left -= n;
    return (la_ssize_t)n;
}

static pmapdb_status open_outer(pm_unpack *u, pmapdb_error *err)
{
    u->outer = pm_archive_reader(true);
    u->entry = u->outer ? PM_LIBRARY(archive_entry_new2)(u->outer) : NULL;
    u->inner_entry = u->outer ? PM_LIBRARY(archive_entry_new2)(u->outer) : NULL;
    if (!u->entry || !u->inner_entry)
        return pm_fail_nomem(err);
    return pm_archive_open(u->outer, u, read_outer) == ARCHIVE_OK ? PMAPDB_OK
                                                                  : fail_here(u, u->outer, err);
}

pmapdb_status pm_unpack_open(pm_feed *feed, const char *label, uint64_t most, const char *advice,
                             pm_unpack **out, pmapdb_error *err)
{
    pm_unpack *u = calloc(1, sizeof *u);
    pmapdb_status st;

    if (!u)
        return pm_fail_nomem(err);
    u->feed = feed;
    u->label = label;
    u->most = most;
    u->advice = advice;
    u->packed = pm_archive_is_packed((pm_text){feed->block, feed->len});
    st = pm_archive_load(err);
    PM_STEP(st, open_outer(u, err));
    if (st == PMAPDB_OK)
        *out = u;
    else
        pm_unpack_close(u);
    return st;
}

void pm_unpack_close(pm_unpack *u)
{
    if (u && u->outer) {
        PM_LIBRARY(archive_read_free)(u->inner);
        PM_LIBRARY(archive_read_free)(u->outer);
        PM_LIBRARY(archive_entry_free)(u->entry);
        PM_LIBRARY(archive_entry_free)(u->inner_entry);
    }
    free(u);
}

static bool is_good(int r)
{
    return r == ARCHIVE_OK || r == ARCHIVE_WARN;
}

/* Loads a block of the member unless one is loaded or the member has ended: at its end, or at a
 * hole larger than any in a capture. Returns the code of libarchive. */
static int load_block(pm_unpack *u)
{
    int r = ARCHIVE_OK;

    while (!u->len && !u->ended && is_good(r)) {
        la_int64_t offset = 0;

        r = PM_LIBRARY(archive_read_data_block)(u->outer, &u->block, &u->len, &offset);
        if (r == ARCHIVE_EOF || (is_good(r) && offset - u->at > MAX_HOLE)) {
            u->ended = true;
            u->len = 0;
            return ARCHIVE_OK;
        }
        if (!is_good(r)) {
            u->dead = r == ARCHIVE_FATAL;
            u->ended = true;
            u->len = 0;
        } else if (u->len) {
            u->hole = offset > u->at ? offset - u->at : 0;
            u->at = offset + (la_int64_t)u->len;
        }
    }
    return r;
}

/* Returns the next bytes of the member as stored in the archive; *n = 0 at its end. */
static int next_block(pm_unpack *u, const void **bytes, size_t *n)
{
    static const char nothing[4096];
    int r = load_block(u);

    *n = 0;
    if (u->len && u->hole) {
        *bytes = nothing;
        *n = u->hole < (int64_t)sizeof nothing ? (size_t)u->hole : sizeof nothing;
        u->hole -= (int64_t)*n;
    } else if (u->len) {
        *bytes = u->block;
        *n = u->len;
        u->len = 0;
    }
    return r;
}

static la_ssize_t read_inner(struct archive *a, void *ctx, const void **bytes)
{
    pm_unpack *u = ctx;
    size_t n;
    int r = next_block(u, bytes, &n);

    if (!is_good(r)) {
        PM_LIBRARY(archive_set_error)
        (a, PM_LIBRARY(archive_errno)(u->outer), "%s", PM_LIBRARY(archive_error_string)(u->outer));
        return -1;
    }
    return (la_ssize_t)n;
}

/* Checks the first block of the member without consuming it, and adds a second reader if the member
 * is compressed. */
static pmapdb_status open_inner(pm_unpack *u, pm_member *member, pmapdb_error *err)
{
    int r = load_block(u);

    if (!is_good(r))
        return fail_here(u, u->outer, err);
    if (!u->len || u->hole || !pm_archive_is_packed((pm_text){u->block, u->len}))
        return PMAPDB_OK;
    member->compressed = true;
    u->inner = pm_archive_reader(false);
    if (!u->inner)
        return pm_fail_nomem(err);
    if (pm_archive_open(u->inner, u, read_inner) != ARCHIVE_OK)
        return fail_here(u, u->inner, err);
    r = PM_LIBRARY(archive_read_next_header2)(u->inner, u->inner_entry);
    if (r == ARCHIVE_EOF) {
        PM_LIBRARY(archive_read_free)(u->inner);
        u->inner = NULL;
    } else if (!is_good(r))
        return fail_here(u, u->inner, err);
    return PMAPDB_OK;
}

/* Reads the next valid header. Returns the code of libarchive. A damaged header of a tar is
 * skipped: the members after it are valid, and the damage is reported at the end. */
static int next_header(pm_unpack *u)
{
    int r;

    u->inner_bytes += pm_archive_given(u->inner);
    PM_LIBRARY(archive_read_free)(u->inner);
    u->inner = NULL;
    u->at = u->hole = 0;
    u->len = 0;
    u->ended = false;
    /* a separate step, so that the rest of the member does not count as header */
    r = u->begun ? PM_LIBRARY(archive_read_data_skip)(u->outer) : ARCHIVE_OK;
    u->member = NULL;
    if (r == ARCHIVE_FATAL)
        return r;
    u->header_at = pm_archive_given(u->outer);
    u->in_header = true;
    while ((r = PM_LIBRARY(archive_read_next_header2)(u->outer, u->entry)) == ARCHIVE_RETRY)
        u->damaged = true;
    u->in_header = false;
    return r;
}

static pmapdb_status at_end(pm_unpack *u, pm_member *member, bool *found, pmapdb_error *err)
{
    bool nothing_inside = !u->begun && PM_LIBRARY(archive_format)(u->outer) == ARCHIVE_FORMAT_EMPTY;

    u->dead = true;
    if (nothing_inside) {
        *member = (pm_member){.mtime_ms = PMAPDB_UNKNOWN, .compressed = true};
        u->ended = *found = true;
    }
    if (u->damaged)
        return pm_fail(err, PMAPDB_INPUT, "'" PM_SHOWN "': damaged tar archive: parts are missing",
                       PM_SHOW(u->label));
    return PMAPDB_OK;
}

pmapdb_status pm_unpack_next(pm_unpack *u, pm_member *member, bool *found, pmapdb_error *err)
{
    pmapdb_status st;
    int r;

    errno = 0;
    *found = false;
    while (!u->dead) {
        r = next_header(u);
        if (r == ARCHIVE_EOF)
            return at_end(u, member, found, err);
        if (!is_good(r)) {
            u->dead = true;
            return fail_here(u, u->outer, err);
        }
        u->begun = true;
        u->single = PM_LIBRARY(archive_format)(u->outer) == ARCHIVE_FORMAT_RAW;
        *member = (pm_member){.mtime_ms = PMAPDB_UNKNOWN, .compressed = u->single};
        if (u->single) {
            *found = true;
            return PMAPDB_OK;
        }
        u->member = pm_archive_path(u->entry);
        if (PM_LIBRARY(archive_entry_filetype)(u->entry) == AE_IFLNK)
            member->link = PM_LIBRARY(archive_entry_symlink)(u->entry);
        if (!u->member || PM_LIBRARY(archive_entry_hardlink)(u->entry) ||
            (!member->link && PM_LIBRARY(archive_entry_filetype)(u->entry) != AE_IFREG))
            continue;
        member->path = u->member;
        member->mtime_ms = pm_archive_mtime_ms(u->entry);
        if ((*found = member->link != NULL))
            return PMAPDB_OK;
        member->skipped = pm_walk_skips(pm_text_of(u->member));
        st = member->skipped ? PMAPDB_OK : open_inner(u, member, err);
        *found = st == PMAPDB_OK;
        return st;
    }
    return PMAPDB_OK;
}

/* Reports bytes after the end of the compressed data, where the gzip and bzip2 readers stop without
 * an error. */
static pmapdb_status at_end_of_single(pm_unpack *u, pmapdb_error *err)
{
    int64_t consumed = PM_LIBRARY(archive_filter_bytes)(u->outer, -1);

    if (!u->single || consumed < 0 || !pm_feed_has_rest(u->feed, (uint64_t)consumed))
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_INPUT, "'" PM_SHOWN "': garbage after the compressed data",
                   PM_SHOW(u->label));
}

pmapdb_status pm_unpack_read(pm_unpack *u, const char **bytes, size_t *n, pmapdb_error *err)
{
    const void *block = "";
    la_int64_t offset;
    int r;

    errno = 0;
    *n = 0;
    *bytes = "";
    if (u->ended && !u->inner)
        return PMAPDB_OK;
    do
        r = u->inner ? PM_LIBRARY(archive_read_data_block)(u->inner, &block, n, &offset)
                     : next_block(u, &block, n);
    while (u->inner && is_good(r) && *n == 0);
    *bytes = block;
    if (r == ARCHIVE_EOF) {
        *n = 0;
        return PMAPDB_OK;
    }
    if (!is_good(r) || is_over(u)) {
        *n = 0;
        u->ended = true;
        return fail_here(u, u->inner ? u->inner : u->outer, err);
    }
    return *n ? PMAPDB_OK : at_end_of_single(u, err);
}

/* Writes the rest of the member; *written becomes false if the disk refuses it. Returns the code of
 * libarchive. */
static int copy_blocks(pm_unpack *u, struct archive *disk, la_int64_t *at, bool *written)
{
    const void *block = u->block; /* the beginning of the member may be read already */
    size_t n = u->len;
    int r = u->ended ? ARCHIVE_EOF : ARCHIVE_OK;

    *at = u->at - (la_int64_t)n;
    u->len = 0;
    u->ended = true;
    while (*written && is_good(r) && *at <= PLACE_MAX && !is_over(u)) {
        *written = !n || PM_LIBRARY(archive_write_data_block)(disk, block, n, *at) >= 0;
        r = PM_LIBRARY(archive_read_data_block)(u->outer, &block, &n, at);
    }
    return r;
}

pmapdb_status pm_unpack_to(pm_unpack *u, struct archive *disk, const char *path, pmapdb_error *err)
{
    struct archive_entry *e = PM_LIBRARY(archive_entry_clone)(u->entry);
    la_int64_t at = 0;
    bool written;
    int r;

    if (!e)
        return pm_fail_nomem(err);
    errno = 0;
    PM_LIBRARY(archive_entry_set_pathname)(e, path);
    PM_LIBRARY(archive_entry_set_perm)(e, 0600);
    PM_LIBRARY(archive_entry_unset_size)(e); /* a hole at the end is left out */
    written = PM_LIBRARY(archive_write_header)(disk, e) == ARCHIVE_OK;
    r = copy_blocks(u, disk, &at, &written);
    written = PM_LIBRARY(archive_write_finish_entry)(disk) == ARCHIVE_OK && written;
    PM_LIBRARY(archive_entry_free)(e);
    if (written && r == ARCHIVE_EOF)
        return PMAPDB_OK;
    unlink(path);
    if (!written)
        return pm_fail_io(err, PM_LIBRARY(archive_errno)(disk),
                          "cannot unpack '%s' (set TMPDIR to unpack elsewhere)", u->member);
    if (at > PLACE_MAX)
        return pm_fail(err, PMAPDB_INPUT,
                       "'%s' contains pages at addresses that no process can have", u->member);
    return fail_here(u, u->outer, err);
}
