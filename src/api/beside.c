/* beside: what the small files beside a capture (stat, status, comm, cmdline, smaps_rollup) add to
 * it: pid, start, name, and a proof of its sum. */
#include "api/intake.h"

#include "api/place.h"
#include "base/buf.h"
#include "base/hash.h"
#include <stdlib.h>

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

/* ---- joining ---- */

static bool agree(int64_t theirs, int64_t ours)
{
    return theirs == PMAPDB_UNKNOWN || ours < 0 || theirs == ours;
}

/* Not Pss: the kernel rounds it down once per mapping, and once in the rollup. */
static bool rollup_agrees(const pm_block *b, const pm_siblings *s)
{
    return s->rollup.rss_kib == b->totals.v[PM_TOTAL_RSS] &&
           agree(s->rollup.private_dirty_kib, b->totals.v[PM_TOTAL_PRIVATE_DIRTY]) &&
           agree(s->rollup.swap_kib, b->totals.v[PM_TOTAL_SWAP]);
}

/* What is resident, of a capture whose mappings do not tell (maps, plain pmap), as with live ones.
 * Nothing is proved by it. The rollup is a capture of its own, and is judged as that. */
static void take_vm_rss(pm_block *b, const pm_siblings *s, bool alone)
{
    if (alone && b->tool_rss_kib == PMAPDB_UNKNOWN)
        b->tool_rss_kib = s->rss_kib;
}

/* The rollup's word counts for more: it is made as smaps is, from the page tables, VmRSS from
 * counters. `alone`: there is no other capture in the file that they may be meant for. */
static void prove(pm_block *b, const pm_siblings *s, bool alone)
{
    int64_t rollup = b->dialect == PM_DIALECT_SMAPS ? s->rollup.rss_kib : PMAPDB_UNKNOWN;
    pm_checked checked = PM_CHECKED_NONE;

    if (b->state == PM_STATE_TOTALS)
        return;
    if (b->totals.v[PM_TOTAL_RSS] < 0) {
        take_vm_rss(b, s, alone);
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

/* path_pid: what the path says, if it says something. */
static void join_siblings(pm_capture *c, const pm_siblings *s, int64_t path_pid, bool alone)
{
    int64_t pid = c->pid != PMAPDB_UNKNOWN ? c->pid : path_pid;

    if (pid != PMAPDB_UNKNOWN && s->pid != PMAPDB_UNKNOWN && pid != s->pid)
        return;
    if (pid == PMAPDB_UNKNOWN)
        c->pid = s->pid;
    if (s->start_time != PMAPDB_UNKNOWN)
        c->start_time = s->start_time;
    /* comm is cut at 15 bytes; the command line is not, but titles overwrite it. */
    if (s->comm[0] && strncmp(s->argv0, s->comm, strlen(s->comm)) == 0)
        pm_offer_name(c, pm_text_of(s->argv0), PM_NAME_COMM);
    else
        pm_offer_name(c, pm_text_of(s->comm[0] ? s->comm : s->argv0), PM_NAME_COMM);
    prove(&c->block, s, alone);
}

/* The path of the file at hand up to its own name. */
static pm_text folder(const char *path)
{
    pm_text whole = pm_text_of(path);

    return (pm_text){path, whole.len - pm_text_basename(whole).len};
}

static pmapdb_status sibling_path(pm_buf *out, pm_text dir, const pm_slot *slot, const char *kind,
                                  pmapdb_error *err)
{
    return pm_buf_addf(out, err, "%.*s%.*s%.*s%s%.*s", (int)dir.len, dir.data,
                       (int)slot->before.len, slot->before.data, (int)slot->dot.len, slot->dot.data,
                       kind, (int)slot->after.len, slot->after.data);
}

/* ---- inside an archive ---- */

typedef struct wanted {
    const pm_intake *in;
    const char *key;
} wanted;

static bool is_wanted(const void *of, int64_t at)
{
    const wanted *w = of;

    return strcmp(w->in->beside[at].key, w->key) == 0;
}

/* Takes the key. */
static pmapdb_status add_beside(pm_intake *in, char *key, uint64_t hash, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&in->beside, &in->cap_beside, in->n_beside, sizeof *in->beside, err);

    PM_STEP(st, pm_map_add(&in->beside_index, hash, (int64_t)in->n_beside, err));
    if (st != PMAPDB_OK) {
        free(key);
        return st;
    }
    in->beside[in->n_beside].key = key;
    pm_siblings_init(&in->beside[in->n_beside++].found);
    return PMAPDB_OK;
}

/* Makes an empty one where there is none yet. */
static pmapdb_status find_beside(pm_intake *in, const pm_slot *slot, int64_t *at, pmapdb_error *err)
{
    pm_buf key = {0};
    wanted w = {in, NULL};
    pmapdb_status st = pm_buf_addf(&key, err, "%s/", in->entry->dir);

    PM_STEP(st, sibling_path(&key, PM_TEXT(""), slot, "*", err));
    if (st != PMAPDB_OK) {
        pm_buf_free(&key);
        return st;
    }
    w.key = key.data;
    if (pm_map_find(&in->beside_index, pm_hash(key.data, key.len), is_wanted, &w, at)) {
        pm_buf_free(&key);
        return PMAPDB_OK;
    }
    *at = (int64_t)in->n_beside;
    return add_beside(in, key.data, pm_hash(key.data, key.len), err);
}

pmapdb_status pm_beside_hear(pm_intake *in, const char *bytes, size_t n, pmapdb_error *err)
{
    return in->heard.len < SIBLING_MAX ? pm_buf_add(&in->heard, bytes, n, err) : PMAPDB_OK;
}

pmapdb_status pm_beside_keep(pm_intake *in, pm_text kind, const pm_slot *slot, pmapdb_error *err)
{
    int64_t at;
    pmapdb_status st = find_beside(in, slot, &at, err);

    if (st == PMAPDB_OK)
        pm_siblings_read(&in->beside[at].found, kind, pm_buf_text(&in->heard));
    return st;
}

pmapdb_status pm_beside_expect(pm_intake *in, pmapdb_error *err)
{
    pm_slot slot = pm_place_slot(pm_text_of(in->entry->name));
    int64_t at;
    pmapdb_status st = find_beside(in, &slot, &at, err);

    for (size_t i = in->first; i < in->n_pending && st == PMAPDB_OK; i++)
        in->pending[i].beside = (size_t)at + 1;
    return st;
}

void pm_beside_join(pm_intake *in, size_t i)
{
    pm_pending *p = &in->pending[i];
    bool alone =
        (i == 0 || p[-1].file != p->file) && (i + 1 == in->n_pending || p[1].file != p->file);

    if (!p->beside)
        return;
    join_siblings(p->capture, &in->beside[p->beside - 1].found, PMAPDB_UNKNOWN, alone);
    if (p->capture->pid != PMAPDB_UNKNOWN) {
        free(p->warning);
        p->warning = NULL;
    }
}

/* ---- on disk ---- */

static bool unpack_sibling(const char *path, char *bytes, size_t *n)
{
    pm_source *source = NULL;
    const pm_source_entry *entry;
    const char *block;
    size_t got = 0;

    *n = 0;
    if (pm_source_new(&path, 1, &source, NULL) != PMAPDB_OK)
        return false;
    if (pm_source_next(source, &entry, NULL) == PMAPDB_OK && entry)
        while (pm_source_read(source, &block, &got, NULL) == PMAPDB_OK && got &&
               *n + got <= SIBLING_MAX) {
            memcpy(bytes + *n, block, got);
            *n += got;
        }
    pm_source_free(source);
    return *n > 0;
}

/* packed: what the capture's name ends in, where it is compressed: then all of them may be. */
static void look_for(pm_siblings *s, pm_text dir, const pm_slot *slot, const char *kind,
                     pm_text packed, char *bytes)
{
    pm_buf path = {0};
    size_t n;

    if (sibling_path(&path, dir, slot, kind, NULL) == PMAPDB_OK) {
        if (pm_source_slurp(path.data, SIBLING_MAX, bytes, &n) ||
            (packed.len && pm_buf_add(&path, packed.data, packed.len, NULL) == PMAPDB_OK &&
             unpack_sibling(path.data, bytes, &n)))
            pm_siblings_read(s, pm_text_of(kind), (pm_text){bytes, n});
    }
    pm_buf_free(&path);
}

pmapdb_status pm_beside_look(pm_intake *in, pmapdb_error *err)
{
    static const char *const kinds[] = {"stat", "status", "comm", "cmdline", "smaps_rollup"};
    pm_text path = pm_text_of(in->entry->path), name = pm_text_of(in->entry->name);
    pm_text dir = folder(in->entry->path), packed = pm_text_from(path, dir.len + name.len);
    pm_slot slot = pm_place_slot(name);
    int64_t path_pid = pm_place_pid(dir, name);
    char *bytes = malloc(SIBLING_MAX);
    pm_siblings s;

    if (!bytes)
        return pm_fail_nomem(err);
    pm_siblings_init(&s);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        look_for(&s, dir, &slot, kinds[i], packed, bytes);
    for (size_t i = in->first; i < in->n_pending; i++)
        join_siblings(in->pending[i].capture, &s, path_pid, in->n_pending - in->first == 1);
    free(bytes);
    return PMAPDB_OK;
}
