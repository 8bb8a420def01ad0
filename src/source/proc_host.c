/* proc_host: what is of the machine and not of one process, looked up once for all of them. */
#include "source/proc_host.h"

#include "source/proc_text.h"
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>

#define MOUNTINFO_MAX ((size_t)16 * 1024 * 1024)
#define PASSWD_MAX ((size_t)1024 * 1024)

static int64_t read_max_map_count(int root)
{
    char block[32];
    pm_text text;

    if (!pm_proc_peek(root, "sys/vm/max_map_count", block, sizeof block, &text))
        return PMAPDB_UNKNOWN;
    return pm_proc_number(pm_proc_word(&text));
}

pmapdb_status pm_proc_host_new(int root, pm_proc_host **out, pmapdb_error *err)
{
    pm_proc_host *h = calloc(1, sizeof *h);
    pmapdb_status st;

    if (!h)
        return pm_fail_nomem(err);
    h->root = root;
    st = pm_proc_host_renew(h, err);
    if (st != PMAPDB_OK) {
        pm_proc_host_free(h);
        return st;
    }
    *out = h;
    return PMAPDB_OK;
}

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
    pm_cgroup_mounts_free(&h->mounts);
    free(h);
}

/* Without mountinfo there are no limits to be seen, and that is all. */
pmapdb_status pm_proc_host_renew(pm_proc_host *h, pmapdb_error *err)
{
    pm_buf text = {0};
    pmapdb_status st = PMAPDB_OK;
    int failed;

    forget_users(h);
    pm_cgroup_mounts_free(&h->mounts);
    h->max_map_count = read_max_map_count(h->root);
    failed = pm_proc_slurp(h->root, "self/mountinfo", MOUNTINFO_MAX, &text);
    if (failed == ENOMEM)
        st = pm_fail_nomem(err);
    else if (!failed)
        st = pm_cgroup_mounts_read(pm_buf_text(&text), &h->mounts, err);
    pm_buf_free(&text);
    return st;
}

/* An unknown user is "". NULL: no memory. */
static char *look_up(int64_t uid)
{
    struct passwd entry, *found = NULL;
    char *block = NULL, *name = NULL;
    int why = ERANGE;

    for (size_t size = 1024; size <= PASSWD_MAX && why == ERANGE; size *= 4) {
        char *larger = realloc(block, size);

        why = ENOMEM;
        if (!larger)
            break;
        block = larger;
        why = getpwuid_r((uid_t)uid, &entry, block, size, &found);
    }
    if (why != ENOMEM)
        name = strdup(found ? found->pw_name : "");
    free(block);
    return name;
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
