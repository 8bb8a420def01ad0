/* copy: a /proc, live or copied. */
#include "source/copy.h"

#include "base/num.h"

#include "source/archive.h"
#include "source/proc.h"
#include "source/proc_text.h"
#include "source/unpack.h"
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX ((uint64_t)16 << 30) /* without holes */
#define NAME_MAX_HERE 64

static const char of_process[] = " maps smaps smaps_rollup status stat statm comm cmdline cgroup "
                                 "limits oom_score pagemap pages ";
static const char of_machine[] =
    " uptime stat meminfo vmstat kpageflags iomem swaps sysvipc/shm sys/kernel/hostname "
    "sys/kernel/random/boot_id sys/vm/max_map_count self/mountinfo book ";

/* ---- names ---- */

/* Returns the part of a member's path after "proc/"; empty if the path has no such part. */
static pm_text below_proc(pm_text path)
{
    pm_text proc = PM_TEXT("proc/");

    for (pm_text rest = path; rest.len; pm_text_cut(&rest, '/'))
        if (pm_text_starts(rest, proc))
            return pm_text_from(rest, proc.len);
    return PM_TEXT("");
}

/* Writes the name of a member in the folder; false if it is not needed. Only listed names are
 * written, so none leads out of the folder. */
static bool name_of(const pm_member *m, bool environments, char out[NAME_MAX_HERE])
{
    pm_text path = pm_text_of(m->path), inside = below_proc(path), file = inside, pid;

    snprintf(out, NAME_MAX_HERE, "%.*s", (int)inside.len, inside.data);
    if (pm_text_equal(pm_text_basename(path), PM_TEXT("metadata.json")) && !inside.len)
        return snprintf(out, NAME_MAX_HERE, "metadata.json") > 0;
    if (pm_text_listed(inside, of_machine))
        return !m->link;
    pid = pm_text_cut(&file, '/');
    if (pm_num_signed(pid) < 1 || pid.len > 10 || inside.len >= NAME_MAX_HERE)
        return false;
    if (m->link)
        return pm_text_equal(file, PM_TEXT("exe"));
    return pm_text_listed(file, of_process) ||
           (environments && pm_text_equal(file, PM_TEXT("environ")));
}

/* ---- archives ---- */

/* After damage nothing more is unpacked, and the files before the damage stay. Zeroes become holes:
 * snap.py writes an entry for each page of an empty mapping. */
static pmapdb_status unpack_all(pm_unpack *u, bool environments, const pm_copy *c,
                                pmapdb_error *err)
{
    struct archive *disk = PM_LIBRARY(archive_write_disk_new)();
    char path[sizeof c->folder + NAME_MAX_HERE + 1], name[NAME_MAX_HERE];
    pmapdb_status st = PMAPDB_OK;
    bool found = true;
    pm_member m;

    if (!disk)
        return pm_fail_nomem(err);
    PM_LIBRARY(archive_write_disk_set_options)(disk, ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_SPARSE);
    while (st == PMAPDB_OK) {
        st = pm_unpack_next(u, &m, &found, err);
        if (st != PMAPDB_OK || !found)
            break;
        if (!m.path || !name_of(&m, environments, name))
            continue;
        snprintf(path, sizeof path, "%s/%s", c->folder, name);
        st = pm_unpack_to(u, disk, path, err);
    }
    PM_LIBRARY(archive_write_free)(disk);
    return st;
}

static pmapdb_status make_folder(pm_copy *c, pmapdb_error *err)
{
    const char *base = getenv("TMPDIR");

    snprintf(c->folder, sizeof c->folder, "%s/pmapdb-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(c->folder))
        return pm_proc_open_root(c->folder, &c->root, err);
    pm_fail_io(err, errno, "cannot make '%s'", c->folder);
    c->folder[0] = '\0';
    return PMAPDB_IO;
}

static pmapdb_status open_archive(int fd, const char *path, bool environments, pm_copy *c,
                                  pmapdb_error *err)
{
    pm_feed feed = {0};
    pm_unpack *u = NULL;
    pmapdb_error damage;
    pmapdb_status st = pm_feed_start(&feed, fd, true, path, err);

    if (st == PMAPDB_OK && !pm_archive_wants(feed.block, feed.len, path))
        st = pm_fail(err, PMAPDB_INPUT, "'%s' is neither a folder nor an archive of a /proc", path);
    PM_STEP(st, pm_unpack_open(&feed, path, BYTES_MAX, "", &u, err));
    PM_STEP(st, make_folder(c, err));
    if (st == PMAPDB_OK) {
        st = unpack_all(u, environments, c, &damage);
        if (st == PMAPDB_INPUT) {
            snprintf(c->damage, sizeof c->damage, "%s", damage.text);
            st = PMAPDB_OK;
        } else if (st != PMAPDB_OK && err) {
            *err = damage;
        }
    }
    pm_unpack_close(u);
    free(feed.block);
    return st;
}

pmapdb_status pm_copy_open(const char *path, bool environments, pm_copy *out, pmapdb_error *err)
{
    struct stat info;
    pmapdb_status st;
    int fd;

    *out = (pm_copy){.root = -1};
    if (stat(path, &info) != 0 || S_ISDIR(info.st_mode))
        return pm_proc_open_root(path, &out->root, err);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pm_fail_io(err, errno, "cannot open '%s'", path);
    st = open_archive(fd, path, environments, out, err);
    close(fd);
    if (st != PMAPDB_OK)
        pm_copy_close(out);
    return st;
}

void pm_copy_close(pm_copy *c)
{
    char *const paths[] = {c->folder, NULL};
    FTS *tree =
        c->folder[0] ? fts_open(paths, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL) : NULL;
    const FTSENT *e;

    while (tree && (e = fts_read(tree)))
        if (e->fts_info == FTS_DP)
            rmdir(e->fts_accpath);
        else if (e->fts_info != FTS_D)
            unlink(e->fts_accpath);
    if (tree)
        fts_close(tree);
    if (c->root >= 0)
        close(c->root);
    *c = (pm_copy){.root = -1};
}
