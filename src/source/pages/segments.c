/* segments: shared memory that has no file on a disk, and who maps it. */
#include "source/pages/segments.h"

#include "base/hash.h"
#include "base/num.h"
#include "source/pages/pagemap.h"
#include "source/proc_text.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define TABLE_MAX ((size_t)16 << 20)
#define PERM_REMOVED 01000

static uint64_t hash_of(uint64_t device, uint64_t inode)
{
    const uint64_t both[] = {device, inode};

    return pm_hash(both, sizeof both, 0);
}

static pmapdb_status add(pm_segments *s, uint64_t hash, const pm_segment *segment,
                         pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&s->item, &s->cap, s->n, sizeof *s->item, err);

    PM_STEP(st, pm_map_put(&s->of, hash, (int64_t)s->n, err));
    if (st == PMAPDB_OK)
        s->item[s->n++] = *segment;
    return st;
}

/* ---- SysV: key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap */

enum { KEY, SHMID, PERMS, SIZE, CPID, LPID, NATTCH, UID, RSS = 14, SWAP, WORDS };

static pmapdb_status add_sysv(pm_segments *s, pm_text line, pmapdb_error *err)
{
    int64_t number[WORDS];
    pm_text perms = {0};
    unsigned mode = 0;

    for (int i = 0; i < WORDS; i++) {
        pm_text word = pm_proc_word(&line);

        number[i] = pm_num_signed(word);
        if (i == PERMS)
            perms = word;
    }
    for (size_t i = 0; i < perms.len && i < 6; i++)
        mode = mode * 8 + (unsigned)(perms.data[i] - '0') % 8;
    if (number[SHMID] < 0 || number[SWAP] == PMAPDB_UNKNOWN) /* the heading, or damaged */
        return PMAPDB_OK;
    return add(s, hash_of(1, (uint64_t)number[SHMID]),
               &(pm_segment){.kind = "sysv",
                             .key = number[KEY],
                             .id = (uint64_t)number[SHMID],
                             .size_kib = (number[SIZE] + 1023) / 1024,
                             .rss_kib = number[RSS] / 1024,
                             .swap_kib = number[SWAP] / 1024,
                             .uid = number[UID],
                             .creator = number[CPID],
                             .attached = number[NATTCH],
                             .removed = mode & PERM_REMOVED},
               err);
}

static pmapdb_status read_sysv(int root, pm_segments *s, pmapdb_error *err)
{
    pm_buf text = {0};
    pm_text rest;
    pmapdb_status st = PMAPDB_OK;

    if (pm_proc_slurp(root, "sysvipc/shm", TABLE_MAX, &text) == ENOMEM)
        st = pm_fail_nomem(err);
    for (rest = pm_buf_text(&text); rest.len && st == PMAPDB_OK;)
        st = add_sysv(s, pm_text_cut(&rest, '\n'), err);
    pm_buf_free(&text);
    return st;
}

/* ---- files in memory, and who maps what ---- */

/* Reads the size of the file through map_files of the process, because a memfd has no path. Blocks
 * of a file in memory are its pages, in memory or swapped. */
static void look(const pm_proc *p, const pm_mapping *m, pm_segment *out)
{
    char name[64];
    struct stat info;

    snprintf(name, sizeof name, "map_files/%" PRIx64 "-%" PRIx64, m->start, m->end);
    if (fstatat(p->dir, name, &info, 0) != 0)
        return;
    out->size_kib = (info.st_size + 1023) / 1024;
    out->rss_kib = info.st_blocks / 2;
    out->uid = (int64_t)info.st_uid;
}

static pmapdb_status add_file(pm_segments *s, const pm_proc *p, const pm_mapping *m, uint64_t hash,
                              pmapdb_error *err)
{
    bool is_memfd = pm_text_starts(m->path, PM_TEXT("/memfd:"));
    pm_segment new = {.kind = is_memfd ? "memfd" : "posix",
                      .key = PMAPDB_UNKNOWN,
                      .id = m->inode,
                      .size_kib = PMAPDB_UNKNOWN,
                      .rss_kib = PMAPDB_UNKNOWN,
                      .swap_kib = PMAPDB_UNKNOWN,
                      .uid = PMAPDB_UNKNOWN,
                      .creator = PMAPDB_UNKNOWN,
                      .attached = PMAPDB_UNKNOWN,
                      .removed = !is_memfd && pm_text_ends(m->path, PM_TEXT(" (deleted)"))};

    snprintf(new.path, sizeof new.path, "%.*s", (int)m->path.len, m->path.data);
    look(p, m, &new);
    return add(s, hash, &new, err);
}

static void count_process(pm_segment *g, const pm_proc *p)
{
    size_t n = strlen(g->names);
    char name[sizeof p->comm + 2]; /* between blanks; a name can have blanks of its own */

    if (g->last_pid == p->pid)
        return;
    g->last_pid = p->pid;
    g->processes++;
    snprintf(name, sizeof name, " %s ", p->comm);
    if (!strstr(g->names, name) && n + strlen(name) < sizeof g->names)
        snprintf(g->names + n, sizeof g->names - n, "%s", name + (n > 0));
}

static pmapdb_status take_mapping(pm_segments *s, const pm_proc *p, const pm_mapping *m,
                                  pmapdb_error *err)
{
    bool is_sysv = pm_text_starts(m->path, PM_TEXT("/SYSV"));
    uint64_t hash = is_sysv ? hash_of(1, m->inode)
                            : hash_of((uint64_t)m->dev_major << 32 | m->dev_minor, m->inode);
    pmapdb_status st = PMAPDB_OK;
    int64_t i;

    if (!is_sysv && !pm_text_starts(m->path, PM_TEXT("/memfd:")) &&
        !pm_text_starts(m->path, PM_TEXT("/dev/shm/")))
        return st;
    if (!pm_map_get(&s->of, hash, &i)) {
        if (is_sysv) /* of another IPC namespace, or made meanwhile */
            return st;
        i = (int64_t)s->n;
        st = add_file(s, p, m, hash, err);
    }
    if (st == PMAPDB_OK)
        count_process(&s->item[i], p);
    return st;
}

static pmapdb_status read_process(pm_segments *s, const pm_proc *p, pm_page_ranges *maps,
                                  pm_proc_fate *fate, pmapdb_error *err)
{
    const pm_pagemap no_pages = {.page = 1};
    pmapdb_status st = pm_page_ranges_read(maps, p, &no_pages, NULL, fate, err);

    if (st == PMAPDB_INPUT) /* it changes too quickly */
        return PMAPDB_OK;
    for (size_t i = 0; i < maps->n && st == PMAPDB_OK && *fate == PM_PROC_GOOD; i++)
        st = take_mapping(s, p, pm_page_ranges_mapping(maps, i), err);
    return st;
}

pmapdb_status pm_segments_read(int root, pm_segments *out, pmapdb_error *err)
{
    int64_t *pids = NULL;
    size_t n = 0;
    pm_page_ranges maps = {0};
    pmapdb_status st;

    *out = (pm_segments){0};
    st = read_sysv(root, out, err);
    PM_STEP(st, pm_proc_list(root, &pids, &n, err));
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        pm_proc_fate fate = PM_PROC_GOOD;
        pm_proc p;

        st = pm_proc_open(root, pids[i], &p, &fate, err);
        if (st == PMAPDB_OK && fate == PM_PROC_GOOD) {
            st = read_process(out, &p, &maps, &fate, err);
            pm_proc_close(&p);
        }
        out->unread += fate == PM_PROC_UNREADABLE;
    }
    pm_page_ranges_free(&maps);
    free(pids);
    if (st != PMAPDB_OK)
        pm_segments_free(out);
    return st;
}

void pm_segments_free(pm_segments *s)
{
    free(s->item);
    pm_map_free(&s->of);
    *s = (pm_segments){0};
}
