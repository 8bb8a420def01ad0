/* walk: directories and the opening of files. */
#include "source/walk.h"

#include "base/buf.h"
#include "source/skip.h"
#include "source/source.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN_MAX 200

/* A list of names that are visited one by one: the paths given, or what a directory holds. */
typedef struct level {
    char *dir; /* NULL for the paths given */
    char **names;
    size_t n, cap, next;
} level;

struct pm_walk {
    level *levels; /* the paths given, then each directory that is being walked */
    size_t n_levels, cap_levels;
    pm_buf path;
};

const char *pm_walk_tail(const char *path)
{
    size_t len = strlen(path);

    return len > SHOWN_MAX ? path + len - SHOWN_MAX : path;
}

const char *pm_walk_dots(const char *path)
{
    return pm_walk_tail(path) == path ? "" : "...";
}

static void free_level(level *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->names[i]);
    free(l->names);
    free(l->dir);
}

static pmapdb_status add_name(level *l, const char *name, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&l->names, &l->cap, l->n, sizeof *l->names, err);

    if (st != PMAPDB_OK)
        return st;
    l->names[l->n] = strdup(name);
    return l->names[l->n] ? (l->n++, PMAPDB_OK) : pm_fail_nomem(err);
}

static pmapdb_status push(pm_walk *walk, const level *l, pmapdb_error *err)
{
    pmapdb_status st =
        pm_grow(&walk->levels, &walk->cap_levels, walk->n_levels, sizeof *walk->levels, err);

    if (st == PMAPDB_OK)
        walk->levels[walk->n_levels++] = *l;
    return st;
}

pmapdb_status pm_walk_new(const char *const *paths, size_t n_paths, pm_walk **out,
                          pmapdb_error *err)
{
    pm_walk *walk = calloc(1, sizeof *walk);
    level given = {0};
    pmapdb_status st = PMAPDB_OK;

    if (!walk)
        return pm_fail_nomem(err);
    for (size_t i = 0; st == PMAPDB_OK && i < n_paths; i++)
        st = add_name(&given, paths[i], err);
    PM_STEP(st, push(walk, &given, err));
    if (st != PMAPDB_OK) {
        free_level(&given);
        pm_walk_free(walk);
        return st;
    }
    *out = walk;
    return PMAPDB_OK;
}

void pm_walk_free(pm_walk *walk)
{
    if (!walk)
        return;
    while (walk->n_levels)
        free_level(&walk->levels[--walk->n_levels]);
    free(walk->levels);
    pm_buf_free(&walk->path);
    free(walk);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static pmapdb_status read_names(DIR *dir, const char *path, level *l, pmapdb_error *err)
{
    const struct dirent *entry;
    pmapdb_status st;

    while (errno = 0, (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        st = add_name(l, entry->d_name, err);
        if (st != PMAPDB_OK)
            return st;
    }
    if (errno)
        return pm_fail_io(err, errno, "'" PM_SHOWN "'", PM_SHOW(path));
    if (l->n)
        qsort(l->names, l->n, sizeof *l->names, by_bytes);
    return PMAPDB_OK;
}

static pmapdb_status enter(pm_walk *walk, const char *path, pmapdb_error *err)
{
    DIR *dir = opendir(path);
    level l = {0};
    size_t len = strlen(path);
    pmapdb_status st;

    if (!dir)
        return pm_fail_io(err, errno, "'" PM_SHOWN "'", PM_SHOW(path));
    while (len > 1 && path[len - 1] == '/')
        len--;
    l.dir = strndup(path, len);
    st = l.dir ? read_names(dir, path, &l, err) : pm_fail_nomem(err);
    closedir(dir);
    PM_STEP(st, push(walk, &l, err));
    if (st != PMAPDB_OK)
        free_level(&l);
    return st;
}

/* What vanished since its directory was read (a process that ended) is no failure, nor is a link
 * that leads nowhere or to itself. */
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
    /* a regular file may have become a FIFO in between: never wait for its writer */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (named ? 0 : O_NONBLOCK));
    struct stat st;

    if (fd < 0)
        return cannot(errno, path, named, err);
    if (fstat(fd, &st) != 0) {
        int os_errno = errno;

        close(fd);
        return cannot(os_errno, path, named, err);
    }
    if (!named && !S_ISREG(st.st_mode)) {
        close(fd);
        return PMAPDB_OK;
    }
    *file = (pm_walk_file){
        .fd = fd,
        .path = path,
        .mtime_ms = mtime_of(&st),
        .regular = S_ISREG(st.st_mode),
        .named = named,
    };
    *found = true;
    return PMAPDB_OK;
}

static pmapdb_status visit(pm_walk *walk, bool named, pm_walk_file *file, bool *found,
                           pmapdb_error *err)
{
    const char *path = walk->path.data;
    struct stat st;
    bool link;

    if (named && strcmp(path, PM_SOURCE_STDIN) == 0) {
        *file = (pm_walk_file){
            .path = path, .mtime_ms = PMAPDB_UNKNOWN, .named = true, .is_stdin = true};
        *found = true;
        return PMAPDB_OK;
    }
    link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
    if (stat(path, &st) != 0)
        return cannot(errno, path, named, err);
    if (S_ISDIR(st.st_mode))
        return link && !named ? PMAPDB_OK : enter(walk, path, err);
    if (!named && !S_ISREG(st.st_mode))
        return PMAPDB_OK;
    if (!named && pm_skip_path(pm_text_of(path))) {
        *file = (pm_walk_file){.fd = -1, .path = path, .mtime_ms = mtime_of(&st), .closed = true};
        *found = true;
        return PMAPDB_OK;
    }
    return open_file(path, named, file, found, err);
}

/* Sets walk->path to what the level shows next. */
static pmapdb_status step(pm_walk *walk, level *l, pmapdb_error *err)
{
    const char *name = l->names[l->next++];

    pm_buf_clear(&walk->path);
    if (!l->dir)
        return pm_buf_addf(&walk->path, err, "%s", name);
    return pm_buf_addf(&walk->path, err, "%s%s%s", l->dir, strcmp(l->dir, "/") == 0 ? "" : "/",
                       name);
}

pmapdb_status pm_walk_next(pm_walk *walk, pm_walk_file *file, bool *found, pmapdb_error *err)
{
    *found = false;
    while (walk->n_levels && !*found) {
        level *l = &walk->levels[walk->n_levels - 1];
        pmapdb_status st;

        if (l->next == l->n) {
            free_level(l);
            walk->n_levels--;
            continue;
        }
        st = step(walk, l, err);
        PM_STEP(st, visit(walk, walk->n_levels == 1, file, found, err));
        if (st != PMAPDB_OK)
            return st;
    }
    return PMAPDB_OK;
}
