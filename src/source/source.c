/* source: files, archives and standard input as one sequence of entries. */
#include "source/source.h"

#include "base/buf.h"
#include "source/archive.h"
#include "source/feed.h"
#include "source/unpack.h"
#include "source/walk.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct pm_source {
    pm_walk *walk;
    pm_feed feed;
    pm_unpack *unpack; /* NULL: the file at hand is plain */
    pm_walk_file file; /* at hand while `open` */
    bool open, ended;
    uint64_t unpacked; /* at most, of one file; 0: the usual */
    pm_buf dir, name, path;
    size_t own; /* where in `path` the entry's own begins */
    pm_source_entry entry;
};

pmapdb_status pm_source_new(const char *const *paths, size_t n_paths, pm_source **out,
                            pmapdb_error *err)
{
    pm_source *s = calloc(1, sizeof *s);
    pmapdb_status st;

    if (!s)
        return pm_fail_nomem(err);
    st = pm_walk_new(paths, n_paths, &s->walk, err);
    if (st != PMAPDB_OK) {
        free(s);
        return st;
    }
    *out = s;
    return PMAPDB_OK;
}

static void close_file(pm_source *s)
{
    pm_unpack_close(s->unpack);
    s->unpack = NULL;
    if (s->open && !s->file.is_stdin && !s->file.closed)
        close(s->file.fd);
    s->open = false;
}

void pm_source_free(pm_source *s)
{
    if (!s)
        return;
    close_file(s);
    pm_walk_free(s->walk);
    pm_feed_free(&s->feed);
    pm_buf_free(&s->dir);
    pm_buf_free(&s->name);
    pm_buf_free(&s->path);
    free(s);
}

void pm_source_limit(pm_source *s, uint64_t unpacked)
{
    s->unpacked = unpacked;
}

bool pm_source_changed(const pm_source *s)
{
    return s->open && !s->unpack && !s->file.is_stdin && pm_feed_changed(&s->feed);
}

static pm_text without_suffix(pm_text name)
{
    static const char *const suffixes[] = {".gz", ".xz", ".zst", ".bz2"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        pm_text suffix = pm_text_of(suffixes[i]);

        if (name.len > suffix.len && pm_text_ends(name, suffix))
            return (pm_text){name.data, name.len - suffix.len};
    }
    return name;
}

static pmapdb_status set(pm_buf *buf, pm_text t, pmapdb_error *err)
{
    pm_buf_clear(buf);
    return pm_buf_add(buf, t.data, t.len, err);
}

/* DIR of "DIR/NAME"; "/" of "/NAME", since "" would be the current directory. */
static pm_text dir_of(pm_text path, pm_text name)
{
    size_t len = path.len - name.len;

    return (pm_text){path.data, len > 1 ? len - 1 : len};
}

static pmapdb_status describe_file(pm_source *s, bool compressed, pmapdb_error *err)
{
    pm_text path = pm_text_of(s->file.path), name = pm_text_basename(path);
    pmapdb_status st;

    if ((st = set(&s->path, path, err)) != PMAPDB_OK ||
        (st = set(&s->dir, dir_of(path, name), err)) != PMAPDB_OK ||
        (st = set(&s->name, compressed ? without_suffix(name) : name, err)) != PMAPDB_OK)
        return st;
    s->own = 0;
    s->entry = (pm_source_entry){.mtime_ms = s->file.mtime_ms,
                                 .named = s->file.named,
                                 .is_stdin = s->file.is_stdin,
                                 .closed = s->file.closed};
    return PMAPDB_OK;
}

static pmapdb_status describe_member(pm_source *s, const pm_member *member, pmapdb_error *err)
{
    pm_text path = pm_text_of(member->path), name = pm_text_basename(path);
    pm_text dirs = dir_of(path, name);
    pmapdb_status st;

    if ((st = set(&s->path, pm_text_of(s->file.path), err)) != PMAPDB_OK ||
        (st = set(&s->dir, pm_text_of(s->file.path), err)) != PMAPDB_OK ||
        (st = pm_buf_addf(&s->path, err, ":%s", member->path)) != PMAPDB_OK ||
        (st = set(&s->name, member->compressed ? without_suffix(name) : name, err)) != PMAPDB_OK)
        return st;
    if (dirs.len && ((st = pm_buf_add(&s->dir, ":", 1, err)) != PMAPDB_OK ||
                     (st = pm_buf_add(&s->dir, dirs.data, dirs.len, err)) != PMAPDB_OK))
        return st;
    s->own = strlen(s->file.path) + 1;
    s->entry = (pm_source_entry){.mtime_ms = member->mtime_ms == PMAPDB_UNKNOWN ? s->file.mtime_ms
                                                                                : member->mtime_ms,
                                 .in_archive = true,
                                 .closed = member->closed};
    return PMAPDB_OK;
}

/* The next member of the archive at hand; closes it at its end. */
static pmapdb_status next_member(pm_source *s, bool *found, pmapdb_error *err)
{
    pm_member member;
    pmapdb_status st = pm_unpack_next(s->unpack, &member, found, err);

    if (st != PMAPDB_OK)
        return st;
    if (!*found) {
        close_file(s);
        return PMAPDB_OK;
    }
    return member.path ? describe_member(s, &member, err)
                       : describe_file(s, member.compressed, err);
}

/* Opens the next file; *found where it is plain. */
static pmapdb_status next_file(pm_source *s, bool *found, pmapdb_error *err)
{
    const char *head;
    size_t n;
    pmapdb_status st;

    s->open = true;
    if (s->file.closed) {
        *found = true;
        return describe_file(s, false, err);
    }
    st = pm_feed_start(&s->feed, s->file.fd, s->file.regular, err);
    if (st == PMAPDB_OK && !pm_feed_peek(&s->feed, &head, &n))
        st = pm_fail_io(err, s->feed.os_errno, "'" PM_SHOWN "'", PM_SHOW(s->file.path));
    if (st == PMAPDB_OK && pm_archive_wants(head, n, s->file.path))
        return pm_unpack_open(&s->feed, s->file.path, s->unpacked, &s->unpack, err);
    if (st != PMAPDB_OK) {
        close_file(s);
        return st;
    }
    *found = true;
    return describe_file(s, false, err);
}

pmapdb_status pm_source_next(pm_source *s, const pm_source_entry **entry, pmapdb_error *err)
{
    bool found = false;

    while (!found) {
        pmapdb_status st;

        if (s->unpack) {
            st = next_member(s, &found, err);
        } else {
            bool another;

            close_file(s);
            st = pm_walk_next(s->walk, &s->file, &another, err);
            if (st == PMAPDB_OK && !another) {
                *entry = NULL;
                return PMAPDB_OK;
            }
            PM_STEP(st, next_file(s, &found, err));
        }
        if (st != PMAPDB_OK)
            return st;
    }
    s->ended = s->entry.closed;
    s->entry.dir = pm_buf_text(&s->dir).data;
    s->entry.name = pm_buf_text(&s->name).data;
    s->entry.path = pm_buf_text(&s->path).data;
    s->entry.own_path = s->entry.path + s->own;
    *entry = &s->entry;
    return PMAPDB_OK;
}

pmapdb_status pm_source_read(pm_source *s, const char **bytes, size_t *n, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    *bytes = "";
    *n = 0;
    if (s->ended)
        return PMAPDB_OK;
    if (s->unpack)
        st = pm_unpack_read(s->unpack, bytes, n, err);
    else if (!pm_feed_next(&s->feed, false, bytes, n))
        st = pm_fail_io(err, s->feed.os_errno, "'" PM_SHOWN "'", PM_SHOW(s->entry.path));
    s->ended = st != PMAPDB_OK || *n == 0;
    return st;
}

bool pm_source_slurp(const char *path, size_t max, char *buf, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    ssize_t got = 0;
    size_t have = 0;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        got = -1;
    while (got >= 0 && have < max) {
        got = read(fd, buf + have, max - have);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            have += (size_t)got;
        else
            break;
    }
    close(fd);
    if (got < 0)
        return false;
    *n = have;
    return true;
}
