/* siblings: the facts that the small files beside a capture (stat, status, comm, cmdline,
 * smaps_rollup) add to it: pid, start, name, and a proof of its sum. */
#include "api/import/intake.h"

#include "api/import/place.h"
#include "api/one_file.h"
#include "base/buf.h"
#include "base/hash.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SIBLING_MAX ((size_t)65536)

void pm_offer_name(pm_capture *c, pm_text name, pm_name_rank rank)
{
    char *copy;

    if (name.len == 0 || (c->name && c->name_rank <= rank) ||
        !(copy = strndup(name.data, name.len)))
        return;
    free(c->name);
    c->name = copy;
    c->name_rank = rank;
}

static void read_sibling(pm_intake *in, pm_siblings *s, pm_text kind, pm_text bytes)
{
    pm_text kept;

    if (!pm_siblings_read(s, kind, bytes) || !pm_text_equal(kind, PM_TEXT("cmdline")))
        return;
    kept = pm_intake_kept(in, bytes);
    snprintf(s->command, sizeof s->command, "%.*s", (int)kept.len, kept.data ? kept.data : "");
}

/* Takes the command line for a capture whose text does not show it. */
static void take_command(pm_capture *c, const char *command)
{
    char *copy = c->block.command.len || !*command ? NULL : strdup(command);

    if (!copy)
        return;
    free(c->command);
    c->command = copy;
    c->block.command = pm_text_of(copy);
}

/* ---- joining ---- */

static bool agree(int64_t theirs, int64_t ours)
{
    return theirs == PMAPDB_UNKNOWN || ours < 0 || theirs == ours;
}

/* Does not compare Pss: the kernel rounds it down once per mapping, and once in the rollup. */
static bool rollup_agrees(const pm_block *b, const pm_siblings *s)
{
    return s->rollup.rss_kib == b->totals.v[PM_TOTAL_RSS] &&
           agree(s->rollup.private_dirty_kib, b->totals.v[PM_TOTAL_PRIVATE_DIRTY]) &&
           agree(s->rollup.swap_kib, b->totals.v[PM_TOTAL_SWAP]);
}

/* Proves the sum. The rollup takes precedence: it comes from the page tables like smaps, VmRSS from
 * counters. `alone`: the file has no other capture that the siblings may belong to. */
static void prove(pm_block *b, const pm_siblings *s, bool alone)
{
    int64_t rollup = b->dialect == PM_DIALECT_SMAPS ? s->rollup.rss_kib : PMAPDB_UNKNOWN;
    pm_checked checked = PM_CHECKED_NONE;

    if (b->state == PM_STATE_TOTALS)
        return;
    if (b->totals.v[PM_TOTAL_RSS] < 0) { /* maps, plain pmap: the siblings alone know the RSS */
        if (alone && b->tool_rss_kib == PMAPDB_UNKNOWN)
            b->tool_rss_kib = s->rollup.rss_kib != PMAPDB_UNKNOWN ? s->rollup.rss_kib : s->rss_kib;
        return;
    }
    if (b->checked != PM_CHECKED_NONE)
        return;
    if (rollup != PMAPDB_UNKNOWN && rollup_agrees(b, s))
        checked = PM_CHECKED_ROLLUP;
    else if (s->rss_kib == b->totals.v[PM_TOTAL_RSS])
        checked = PM_CHECKED_STATUS;
    if (checked != PM_CHECKED_NONE)
        b->tool_rss_kib = b->totals.v[PM_TOTAL_RSS];
    else if (alone && (rollup != PMAPDB_UNKNOWN || s->rss_kib != PMAPDB_UNKNOWN))
        b->tool_rss_kib = rollup != PMAPDB_UNKNOWN ? rollup : s->rss_kib;
    if (b->state == PM_STATE_COMPLETE)
        b->checked = checked;
}

static void join_siblings(pm_capture *c, const pm_siblings *s, bool alone)
{
    bool cut = strncmp(s->argv0, s->comm, strlen(s->comm)) == 0;

    if (c->pid != PMAPDB_UNKNOWN && s->pid != PMAPDB_UNKNOWN && c->pid != s->pid)
        return;
    if (c->pid == PMAPDB_UNKNOWN)
        c->pid = s->pid;
    if (s->start_time != PMAPDB_UNKNOWN)
        c->start_time = s->start_time;
    take_command(c, s->command);
    pm_offer_name(c, pm_interpreted_name(pm_text_of(s->command)), PM_NAME_COMM);
    /* comm is cut at 15 bytes; the command line is not, but titles overwrite it. */
    pm_offer_name(c, pm_text_of(cut ? s->argv0 : s->comm), PM_NAME_COMM);
    prove(&c->block, s, alone);
}

static pmapdb_status sibling_path(pm_buf *out, pm_text dir, const pm_slot *slot, const char *kind,
                                  pmapdb_error *err)
{
    return pm_buf_addf(out, err, "%.*s%.*s%.*s%s%.*s", (int)dir.len, dir.data,
                       (int)slot->before.len, slot->before.data, (int)slot->dot.len, slot->dot.data,
                       kind, (int)slot->after.len, slot->after.data);
}

/* ---- inside an archive ---- */

/* Returns the index of the siblings at a place in the archive; adds an entry for a new place. */
static int64_t find_siblings(pm_intake *in, const pm_slot *slot)
{
    pm_text path = pm_text_of(in->entry->path), own = pm_text_of(in->entry->own_path);
    pm_buf key = {0};
    uint64_t hash;
    int64_t at = 0;

    path.len -= pm_text_basename(own).len;
    PM_STEP(in->st, sibling_path(&key, path, slot, "*", &in->error));
    hash = pm_hash(pm_buf_text(&key).data, key.len, 0);
    pm_buf_free(&key);
    if (in->st != PMAPDB_OK || pm_map_get(&in->sibling_index, hash, &at))
        return at;
    at = (int64_t)in->n_siblings;
    PM_STEP(in->st, pm_grow(&in->siblings, &in->cap_siblings, in->n_siblings, sizeof *in->siblings,
                            &in->error));
    PM_STEP(in->st, pm_map_put(&in->sibling_index, hash, at, &in->error));
    if (in->st == PMAPDB_OK)
        in->siblings[in->n_siblings++] = PM_SIBLINGS_NONE;
    return at;
}

void pm_sibling_keep(pm_intake *in, pm_text kind, const pm_slot *slot)
{
    int64_t at = find_siblings(in, slot);

    if (in->st == PMAPDB_OK)
        read_sibling(in, &in->siblings[at], kind, pm_buf_text(&in->heard));
}

void pm_sibling_expect(pm_intake *in)
{
    pm_slot slot = pm_place_slot(pm_text_of(in->entry->name));
    int64_t at = find_siblings(in, &slot);

    for (size_t i = in->first; i < in->n_pending; i++)
        in->pending[i].siblings = (size_t)at + 1;
}

void pm_sibling_join(pm_intake *in, size_t i)
{
    pm_pending *p = &in->pending[i];
    bool alone =
        (i == 0 || p[-1].file != p->file) && (i + 1 == in->n_pending || p[1].file != p->file);

    join_siblings(p->capture, &in->siblings[p->siblings - 1], alone);
    if (p->capture->pid != PMAPDB_UNKNOWN) {
        free(p->warning);
        p->warning = NULL;
    }
}

/* ---- on disk ---- */

/* Takes a file, compressed or not, if it is there. */
static bool look_for(pm_intake *in, pm_siblings *s, const char *path, const char *kind)
{
    struct stat info;
    pm_buf bytes = {0};
    bool found = stat(path, &info) == 0 && S_ISREG(info.st_mode);

    if (found) {
        pm_one_file_read(path, SIBLING_MAX, &bytes, NULL);
        read_sibling(in, s, pm_text_of(kind), pm_buf_text(&bytes));
    }
    pm_buf_free(&bytes);
    return found;
}

void pm_sibling_look(pm_intake *in)
{
    static const char *const kinds[] = {"stat", "status", "comm", "cmdline", "smaps_rollup"};
    pm_text name = pm_text_of(in->entry->name), dir = pm_text_folder(pm_text_of(in->entry->path));
    pm_slot slot = pm_place_slot(name);
    pm_buf path = {0};
    pm_siblings s = PM_SIBLINGS_NONE;
    bool found = false;

    /* the siblings of a compressed capture may have its extension, too */
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        const char *kind = kinds[i / 2], *extension = in->entry->path + dir.len + name.len;

        pm_buf_clear(&path);
        PM_STEP(in->st, sibling_path(&path, dir, &slot, kind, &in->error));
        PM_STEP(in->st, pm_buf_addf(&path, &in->error, "%s", i % 2 ? extension : ""));
        if (in->st != PMAPDB_OK)
            break;
        if (look_for(in, &s, path.data, kind))
            found = true;
    }
    for (size_t i = in->first; found && i < in->n_pending; i++)
        join_siblings(in->pending[i].capture, &s, in->n_pending - in->first == 1);
    pm_buf_free(&path);
}
