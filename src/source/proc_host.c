/* proc_host: facts about the machine, not about one process: users, mounts of the cgroups, and
 * whether /proc shows processes of other users. */
#include "source/proc_host.h"

#include "base/hash.h"
#include "source/proc_text.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define MOUNTINFO_MAX ((size_t)16 * 1024 * 1024)
#define PASSWD_MAX ((size_t)64 * 1024)

static void forget_users(pm_proc_host *h)
{
    for (size_t i = 0; i < h->n_users; i++)
        free(h->users[i].name);
    h->n_users = 0;
}

void pm_proc_host_free(pm_proc_host *h)
{
    if (!h)
        return;
    forget_users(h);
    free(h->users);
    pm_map_free(&h->cgroup_of);
    free(h->cgroups);
    pm_buf_free(&h->mounts);
    free(h);
}

#define CGROUPS "/sys/fs/cgroup"

/* True if the whole of a hierarchy is mounted at a place: the top of a hierarchy has inode 1. */
static bool is_top(const char *place, unsigned long kind)
{
    struct stat top;
    struct statfs fs;

    return stat(place, &top) == 0 && top.st_ino == 1 && statfs(place, &fs) == 0 &&
           (unsigned long)fs.f_type == kind;
}

/* True if all hierarchies are at their usual places, and if paths begin at their tops, as in the
 * first cgroup namespace. */
static bool is_usual(void)
{
    struct stat info;

    return stat("/proc/self/ns/cgroup", &info) == 0 &&
           info.st_ino == 0xEFFFFFFB && /* PROC_CGROUP_INIT_INO */
           (is_top(CGROUPS "/memory", CGROUP_SUPER_MAGIC)
                ? is_top(CGROUPS "/unified", CGROUP2_SUPER_MAGIC)
                : is_top(CGROUPS, CGROUP2_SUPER_MAGIC));
}

/* The mounts are those of this program, whatever /proc is read, because this program looks for the
 * limits there. If they cannot be read, or belong to another machine, only the limits are unknown.
 * Usual mounts are not listed: the kernel takes 4 us for each, and containers bring hundreds. */
static pmapdb_status read_mounts(pm_buf *out, pmapdb_error *err)
{
    static const char usual[] = "0 0 0:0 / " CGROUPS " rw - cgroup2 none rw\n"
                                "0 0 0:0 / " CGROUPS "/memory rw - cgroup none memory\n"
                                "0 0 0:0 / " CGROUPS "/unified rw - cgroup2 none rw\n";
    pm_buf text = {0};
    pmapdb_status st = PMAPDB_OK;

    if (is_usual())
        return pm_buf_add(out, usual, strlen(usual), err);
    if (pm_proc_slurp(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &text) == ENOMEM)
        st = pm_fail_nomem(err);
    PM_STEP(st, pm_cgroup_mounts(pm_buf_text(&text), out, err));
    pm_buf_free(&text);
    return st;
}

pmapdb_status pm_proc_host_new(int root, pm_proc_host **out, pmapdb_error *err)
{
    pm_proc_host *h = calloc(1, sizeof *h);
    pmapdb_status st;

    if (!h)
        return pm_fail_nomem(err);
    h->root = root;
    h->copied = pm_proc_is_copy(root);
    st = h->copied ? PMAPDB_OK : read_mounts(&h->mounts, err);
    if (st == PMAPDB_OK)
        *out = h;
    else
        pm_proc_host_free(h);
    return st;
}

void pm_proc_host_renew(pm_proc_host *h)
{
    forget_users(h);
    pm_map_clear(&h->cgroup_of);
    h->n_cgroups = 0;
    h->max_map_count = pm_proc_number_in(h->root, "sys/vm/max_map_count");
}

/* Returns the name of a user, "" if unknown. NULL without memory. Searches /etc/passwd first,
 * whatever nsswitch.conf says: getpwuid_r takes 90 us instead of 40, because it asks nscd and reads
 * nsswitch.conf. A name that begins with + or - is not a user, but an instruction for NIS. */
static char *look_up(int64_t uid)
{
    struct passwd entry, *found = NULL;
    char block[PASSWD_MAX];
    FILE *file = fopen("/etc/passwd", "re");
    int failed = file ? 0 : errno;

    while (!failed && !(found && found->pw_uid == (uid_t)uid && !pm_char_in(*found->pw_name, "+-")))
        failed = fgetpwent_r(file, &entry, block, sizeof block, &found);
    if (file)
        fclose(file);
    if (failed == ENOENT) /* no such file, or no such user in it */
        failed = getpwuid_r((uid_t)uid, &entry, block, sizeof block, &found);
    return failed == ENOMEM ? NULL : strdup(found ? found->pw_name : "");
}

const char *pm_proc_host_user(pm_proc_host *h, int64_t uid)
{
    char *name;

    for (size_t i = 0; i < h->n_users; i++)
        if (h->users[i].uid == uid)
            return h->users[i].name;
    name = look_up(uid);
    if (!name ||
        pm_grow(&h->users, &h->cap_users, h->n_users, sizeof *h->users, NULL) != PMAPDB_OK) {
        free(name);
        return NULL;
    }
    h->users[h->n_users++] = (pm_proc_user){uid, name};
    return name;
}

/* Two paths with the same 64-bit hash are so unlikely that the paths are not compared. */
pmapdb_status pm_proc_host_cgroup(pm_proc_host *h, pm_text path, bool unified, pm_cgroup *out,
                                  pmapdb_error *err)
{
    uint64_t key = pm_hash(path.data, path.len, unified);
    int64_t index;
    pmapdb_status st = PMAPDB_OK;

    if (!pm_map_get(&h->cgroup_of, key, &index)) {
        index = (int64_t)h->n_cgroups;
        st = pm_grow(&h->cgroups, &h->cap_cgroups, h->n_cgroups, sizeof *h->cgroups, err);
        PM_STEP(st,
                pm_cgroup_read(pm_buf_text(&h->mounts), path, unified, &h->cgroups[index], err));
        PM_STEP(st, pm_map_put(&h->cgroup_of, key, index, err));
        if (st != PMAPDB_OK)
            return st;
        h->n_cgroups++;
    }
    *out = h->cgroups[index];
    return PMAPDB_OK;
}

/* Process 1 always exists. If it belongs to this user, as in a container, the test shows nothing.
 */
bool pm_proc_hides(int root)
{
    struct stat info;

    return fstatat(root, "1", &info, 0) != 0;
}
