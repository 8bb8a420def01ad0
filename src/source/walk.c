/* walk: walks directories with fts(3), opens files, and skips names of /proc that cannot be
 * captures. */
#include "source/walk.h"

#include "source/source.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN_MAX 200
#define PID_MAX_DIGITS 7 /* 20261121 is a date */

const char *pm_walk_tail(const char *path)
{
    size_t len = strlen(path);

    return len > SHOWN_MAX ? path + len - SHOWN_MAX : path;
}

const char *pm_walk_dots(const char *path)
{
    return pm_walk_tail(path) == path ? "" : "...";
}

/* ---- names of /proc ---- */

/* Files that are never opened: secrets (environ), a word per page of address space or of the
 * machine, memory itself, messages that reading consumes (kmsg), binary (auxv), write-only. */
static const char skipped_names[] =
    " environ pagemap kpageflags kpagecount kpagecgroup kcore kmsg auxv clear_refs ";

/* People use these names for their own files, so the names are skipped only in the folder of a
 * process. `exe` is the program, or a link to a program of this machine. `timers` is usually empty,
 * but is not an empty map. */
static const char skipped_in_process[] = " mem exe timers ";

/* Folders of a process that are skipped. In a copy, links in fd and map_files lead to unrelated
 * files of this machine. The smaps of a thread repeats that of its process. In the other folders,
 * many files are empty or cannot be read. */
static const char skipped_folders[] = " fd map_files task net ns attr ";

static bool is_process(pm_text name)
{
    return (name.len && pm_digits(name) == name.len && name.len <= PID_MAX_DIGITS) ||
           pm_text_listed(name, " self thread-self ");
}

/* Cuts the last part off the path. */
static pm_text cut_last(pm_text *path)
{
    pm_text part = pm_text_basename(*path);

    path->len -= part.len;
    while (path->len && path->data[path->len - 1] == '/')
        path->len--;
    return part;
}

bool pm_walk_skips(pm_text path)
{
    pm_text name = cut_last(&path), inner = cut_last(&path);

    if (pm_text_listed(name, skipped_names) ||
        (pm_text_listed(name, skipped_in_process) && is_process(inner)))
        return true;
    while (inner.len) {
        pm_text outer = cut_last(&path);

        if (pm_text_listed(inner, skipped_folders) && is_process(outer))
            return true;
        inner = outer;
    }
    return false;
}

/* ---- files ---- */

/* Fails unless the path may be ignored: a file that vanished after its directory was read (because
 * its process ended), or a link that leads nowhere or to itself. */
static pmapdb_status cannot(int os_errno, const char *path, bool named, pmapdb_error *err)
{
    if ((os_errno == ENOENT || os_errno == ELOOP) && !named)
        return PMAPDB_OK;
    if (os_errno == ENOENT)
        return pm_fail(err, PMAPDB_NOTFOUND, "'" PM_SHOWN "': no such file or directory",
                       PM_SHOW(path));
    return pm_fail_io(err, os_errno, "'" PM_SHOWN "'", PM_SHOW(path));
}

static int64_t mtime_of(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;
}

static pmapdb_status open_file(const char *path, bool named, pm_walk_file *file, bool *found,
                               pmapdb_error *err)
{
    /* a regular file may have become a FIFO meanwhile: never wait for its writer */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (named ? 0 : O_NONBLOCK));
    struct stat st;
    int failed;

    if (fd < 0)
        return cannot(errno, path, named, err);
    failed = fstat(fd, &st) != 0 ? errno : 0;
    if (failed || (!named && !S_ISREG(st.st_mode))) {
        close(fd);
        return failed ? cannot(failed, path, named, err) : PMAPDB_OK;
    }
    *file = (pm_walk_file){.fd = fd,
                           .path = path,
                           .mtime_ms = mtime_of(&st),
                           .regular = S_ISREG(st.st_mode),
                           .named = named};
    *found = true;
    return PMAPDB_OK;
}

/* Opens a file below a directory of the list. */
static pmapdb_status find_file(const char *path, pm_walk_file *file, bool *found, pmapdb_error *err)
{
    struct stat st; /* of the target of a link; before opening, which may activate a device */

    if (stat(path, &st) != 0)
        return cannot(errno, path, false, err);
    if (!S_ISREG(st.st_mode))
        return PMAPDB_OK;
    if (!pm_walk_skips(pm_text_of(path)))
        return open_file(path, false, file, found, err);
    *file = (pm_walk_file){.fd = -1, .path = path, .mtime_ms = mtime_of(&st), .skipped = true};
    *found = true;
    return PMAPDB_OK;
}

static pmapdb_status visit(pm_walk *walk, FTSENT *entry, pm_walk_file *file, bool *found,
                           pmapdb_error *err)
{
    bool named = entry->fts_level == FTS_ROOTLEVEL;

    if (!named && entry->fts_name[0] == '.') {
        fts_set(walk->tree, entry, FTS_SKIP);
        return PMAPDB_OK;
    }
    switch (entry->fts_info) {
    case FTS_D:
    case FTS_DP:
    case FTS_DC:
        return PMAPDB_OK;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return cannot(entry->fts_errno, entry->fts_path, named, err);
    default:
        return named ? open_file(entry->fts_path, true, file, found, err)
                     : find_file(entry->fts_path, file, found, err);
    }
}

/* ---- the walk ---- */

static int by_bytes(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static pmapdb_status begin_path(pm_walk *walk, pm_walk_file *file, bool *found, pmapdb_error *err)
{
    const char *path = walk->paths[walk->next++];

    if (strcmp(path, PM_SOURCE_STDIN) == 0) {
        *file = (pm_walk_file){
            .path = path, .mtime_ms = PMAPDB_UNKNOWN, .named = true, .is_stdin = true};
        *found = true;
        return PMAPDB_OK;
    }
    walk->tree = fts_open((char *[]){(char *)path, NULL},
                          FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_bytes);
    return walk->tree ? PMAPDB_OK : cannot(errno, path, true, err);
}

pmapdb_status pm_walk_next(pm_walk *walk, pm_walk_file *file, bool *found, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (*found = false; st == PMAPDB_OK && !*found;) {
        FTSENT *entry;
        int failed;

        errno = 0;
        entry = walk->tree ? fts_read(walk->tree) : NULL;
        failed = entry ? 0 : errno;
        if (!entry && walk->tree) {
            fts_close(walk->tree);
            walk->tree = NULL;
        }
        if (entry)
            st = visit(walk, entry, file, found, err);
        else if (failed)
            st = cannot(failed, walk->paths[walk->next - 1], true, err);
        else if (walk->next < walk->n_paths)
            st = begin_path(walk, file, found, err);
        else
            break;
    }
    return st;
}
