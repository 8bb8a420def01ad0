/* source: files, archives and standard input as one sequence of entries. */
#include "source/source.h"

#include "base/buf.h"
#include "source/archive.h"
#include "source/feed.h"
#include "source/unpack.h"
#include "source/walk.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADVICE "; import --max-unpacked SIZE raises the limit"

struct pm_source {
    pm_walk walk;
    pm_feed feed;
    pm_unpack *unpack; /* NULL if the current file is plain */
    pm_walk_file file; /* the current file while `open` */
    bool open, ended;
    uint64_t unpacked; /* maximum for one file; 0: the default */
    pm_buf name, path;
    pm_source_entry entry;
};

pmapdb_status pm_source_new(const char *const *paths, size_t n_paths, uint64_t unpacked,
                            pm_source **out, pmapdb_error *err)
{
    pm_source *s = calloc(1, sizeof *s);

    if (!s)
        return pm_fail_nomem(err);
    s->walk = (pm_walk){.paths = paths, .n_paths = n_paths};
    s->unpacked = unpacked;
    *out = s;
    return PMAPDB_OK;
}

static void close_file(pm_source *s)
{
    if (s->unpack)
        pm_unpack_close(s->unpack);
    s->unpack = NULL;
    if (s->open && !s->file.is_stdin && !s->file.skipped)
        close(s->file.fd);
    s->open = false;
}

void pm_source_free(pm_source *s)
{
    if (!s)
        return;
    close_file(s);
    if (s->walk.tree)
        fts_close(s->walk.tree);
    free(s->feed.block);
    pm_buf_free(&s->name);
    pm_buf_free(&s->path);
    free(s);
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

/* Fills in the entry of the current file, or of a member that has a path. */
static pmapdb_status describe(pm_source *s, const pm_member *member, bool compressed,
                              pmapdb_error *err)
{
    pm_text path = pm_text_of(member ? member->path : s->file.path);
    pm_text name = pm_text_basename(path);
    size_t own;

    pm_buf_clear(&s->path);
    pm_buf_clear(&s->name);
    if (member)
        pm_buf_addf(&s->path, NULL, "%s:", s->file.path);
    own = s->path.len;
    pm_buf_add(&s->path, path.data, path.len, NULL);
    name = compressed ? without_suffix(name) : name;
    pm_buf_add(&s->name, name.data, name.len, NULL);
    if (s->path.failed || s->name.failed)
        return pm_fail_nomem(err);
    s->entry = (pm_source_entry){.name = s->name.data,
                                 .path = s->path.data,
                                 .own_path = s->path.data + own,
                                 .mtime_ms = s->file.mtime_ms,
                                 .named = !member && s->file.named,
                                 .in_archive = member,
                                 .is_stdin = !member && s->file.is_stdin,
                                 .skipped = member ? member->skipped : s->file.skipped};
    if (!s->file.skipped && s->feed.live)
        s->entry.mtime_ms = PMAPDB_UNKNOWN;
    if (member && member->mtime_ms != PMAPDB_UNKNOWN)
        s->entry.mtime_ms = member->mtime_ms;
    return PMAPDB_OK;
}

/* Finds the next member of the current archive; closes the archive at its end. */
static pmapdb_status next_member(pm_source *s, bool *found, pmapdb_error *err)
{
    pm_member member;
    pmapdb_status st;

    do
        st = pm_unpack_next(s->unpack, &member, found, err);
    while (st == PMAPDB_OK && *found && member.link);
    if (st != PMAPDB_OK)
        return st;
    if (!*found) {
        close_file(s);
        return PMAPDB_OK;
    }
    return describe(s, member.path ? &member : NULL, member.compressed, err);
}

/* Opens the next file; *found is true if the file is plain. */
static pmapdb_status next_file(pm_source *s, bool *found, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    s->open = true;
    if (!s->file.skipped) {
        st = pm_feed_start(&s->feed, s->file.fd, s->file.regular, s->file.path, err);
        if (st == PMAPDB_OK && pm_archive_wants(s->feed.block, s->feed.len, s->file.path))
            return pm_unpack_open(&s->feed, s->file.path, s->unpacked, ADVICE, &s->unpack, err);
    }
    PM_STEP(st, describe(s, NULL, false, err));
    *found = st == PMAPDB_OK;
    if (st != PMAPDB_OK)
        close_file(s);
    return st;
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
            st = pm_walk_next(&s->walk, &s->file, &another, err);
            if (st == PMAPDB_OK && !another) {
                *entry = NULL;
                return PMAPDB_OK;
            }
            PM_STEP(st, next_file(s, &found, err));
        }
        if (st != PMAPDB_OK)
            return st;
    }
    s->ended = s->entry.skipped;
    *entry = &s->entry;
    return PMAPDB_OK;
}

/* True if the size of the plain file has changed since it was opened. */
static bool has_changed(const pm_feed *feed)
{
    struct stat st;

    return feed->most != UINT64_MAX && fstat(feed->fd, &st) == 0 &&
           (uint64_t)st.st_size != feed->most;
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
    s->entry.changed = s->ended && !s->unpack && has_changed(&s->feed);
    return st;
}
