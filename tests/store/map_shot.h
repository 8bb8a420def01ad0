/* map_shot: a capture as a program that cron starts takes it: the map's text as the kernel prints
 * it, read by one that was told what the program before knew, or by one that knows nothing. */
#ifndef TESTS_STORE_MAP_SHOT_H
#define TESTS_STORE_MAP_SHOT_H

#include "world.h"

#include "parse/again_state.h"
#include "store/map_cache.h"
#include <inttypes.h>

#define SHOT_MS INT64_C(1700000000000)
#define SHOT_LIBRARIES 40 /* that never change */
#define SHOT_HOST "here"

/* One process as the kernel shows it. */
typedef struct subject {
    world world;
    int64_t pid, start_time;
    const char *name;
    pm_dialect dialect;
    bool no_ksm, new_key; /* of its kernel */
} subject;

static inline void shot_key(pm_buf *out, const char *key, uint64_t kib)
{
    char colon[32];

    snprintf(colon, sizeof colon, "%s:", key);
    pm_buf_addf(out, NULL, "%-15s %8llu kB\n", colon, (unsigned long long)kib);
}

static inline void shot_keys(pm_buf *out, const subject *s, const world_map *m)
{
    uint64_t huge = m->n > 8 ? m->rss / 3 : 0, locked = m->page % 17 == 3 ? m->rss : 0;

    shot_key(out, "Size", m->n * (WORLD_PAGE / 1024));
    shot_key(out, "KernelPageSize", 4);
    shot_key(out, "MMUPageSize", 4);
    shot_key(out, "Rss", m->rss);
    shot_key(out, "Pss", m->rss - m->rss / 3);
    shot_key(out, "Pss_Dirty", m->dirty);
    shot_key(out, "Shared_Clean", m->kind > 3 ? m->rss - m->dirty : 0);
    shot_key(out, "Shared_Dirty", 0);
    shot_key(out, "Private_Clean", m->kind > 3 ? 0 : m->rss - m->dirty);
    shot_key(out, "Private_Dirty", m->dirty);
    shot_key(out, "Referenced", m->rss - m->rss % 5);
    shot_key(out, "Anonymous", m->kind > 3 ? 0 : m->rss);
    if (!s->no_ksm)
        shot_key(out, "KSM", m->swap / 2);
    shot_key(out, "LazyFree", m->dirty == 7 ? 4 : 0);
    shot_key(out, "AnonHugePages", huge);
    shot_key(out, "ShmemPmdMapped", 0);
    shot_key(out, "FilePmdMapped", 0);
    shot_key(out, "Shared_Hugetlb", 0);
    shot_key(out, "Private_Hugetlb", 0);
    shot_key(out, "Swap", m->swap);
    shot_key(out, "SwapPss", m->swap);
    shot_key(out, "Locked", locked);
    if (s->new_key)
        shot_key(out, "NewKey", m->page % 3);
    pm_buf_addf(out, NULL, "THPeligible:           %d\nProtectionKey:         %d\nVmFlags: %s \n",
                m->n > 32, m->page % 5 == 1, m->kind % 2 ? "rd mr mw me sd" : "rd wr mr mw me ac");
}

static inline void shot_row(pm_buf *out, const subject *s, uint64_t start, const world_map *m,
                            const char *path)
{
    const world_kind *kind = &world_kinds[m->kind];
    size_t before = out->len;

    pm_buf_addf(out, NULL, "%llx-%llx %s %08" PRIx64 " %02x:%02x %llu ", (unsigned long long)start,
                (unsigned long long)(start + m->n * WORLD_PAGE), kind->perms,
                m->offset * WORLD_PAGE, kind->inode ? 8 : 0, 0, (unsigned long long)kind->inode);
    if (path[0])
        pm_buf_addf(out, NULL, "%*s%s", (int)(73 - (out->len - before)), "", path);
    pm_buf_addf(out, NULL, "\n");
    if (s->dialect == PM_DIALECT_SMAPS)
        shot_keys(out, s, m);
}

static inline int shot_by_page(const void *a, const void *b)
{
    const world_map *x = a, *y = b;

    return x->page < y->page ? -1 : x->page > y->page;
}

/* Libraries below, what lives in the middle, a stack and what the kernel maps above. */
static inline void shot_text(pm_buf *out, const subject *s)
{
    world_map map[WORLD_MAPS], stack = {.n = 3, .rss = 8, .dirty = 8, .swap = 0};

    memcpy(map, s->world.map, sizeof map);
    qsort(map, s->world.n, sizeof *map, shot_by_page);
    for (uint64_t i = 0; i < SHOT_LIBRARIES; i++) {
        world_map m = {.n = 1 + i % 7, .page = i, .kind = i % 4 ? 5 : 4, .rss = i % 5, .offset = 0};

        m.offset = i % 4 * 8;
        shot_row(out, s, 0x560000000000 + i * 0x100000, &m,
                 world_kinds[m.kind].inode ? world_kinds[m.kind].path : "");
    }
    for (size_t i = 0; i < s->world.n; i++)
        shot_row(out, s, WORLD_BASE + map[i].page * WORLD_PAGE, &map[i],
                 world_kinds[map[i].kind].path);
    shot_row(out, s, 0x7ffc00000000 + (uint64_t)s->pid * 0x100000, &stack, "[stack]");
    stack = (world_map){.n = 1, .kind = 2};
    shot_row(out, s, UINT64_C(0xffffffffff600000), &stack, "[vsyscall]");
}

/* ---- reading ---- */

typedef struct shot {
    pm_again *again;
    pm_live live;
    pm_capture *capture;
    pm_stored stored;
    size_t known, parsed; /* mappings that were recalled, with a mark; that the parser was given */
} shot;

static inline pm_again *shot_again(void)
{
    pm_again *a = NULL;

    kit_ok(pm_again_new(&a, NULL), NULL);
    if (!a)
        abort();
    return a;
}

/* What is known before, from the store. */
static inline void shot_recall(const kit *k, const subject *s, shot *out)
{
    const pm_live live = {.boot_id = "boot"};
    const pm_capture life = {
        .host = SHOT_HOST, .pid = s->pid, .start_time = s->start_time, .live = &live};
    pmapdb_error err = {0};

    kit_ok(pm_store_recall_map(k->store, &life, s->dialect, KIT_SWEEP, out->again, &err), &err);
    out->known = 0;
    for (size_t i = 0; i < out->again->last.n; i++)
        out->known += out->again->last.piece[i].len > 0;
}

/* One in so many readings breaks off in the middle and begins anew. */
static inline void shot_read(const subject *s, int64_t ms, uint64_t seed, shot *out)
{
    pm_buf text = {0};
    pmapdb_error err = {0};
    const uint32_t *rows;
    size_t step = 1 + kit_below(&seed, 4096);
    pm_capture *c = kit_capture(&(kit){.store = NULL}, s->dialect, s->pid, ms);

    shot_text(&text, s);
    for (int tries = kit_below(&seed, 9) == 0; tries >= 0; tries--) {
        size_t end = tries ? text.len / 2 : text.len;

        kit_ok(pm_again_begin(out->again, s->dialect, &err), &err);
        for (size_t at = 0; at < end; at += step)
            kit_ok(pm_again_feed(out->again, text.data + at, end - at < step ? end - at : step,
                                 NULL, &err),
                   &err);
    }
    out->parsed = out->again->n_changed;
    kit_ok(pm_again_finish(out->again, &c->block, &c->pool, &rows, &c->n_rows, &err), &err);
    c->rows = malloc((c->n_rows + 1) * sizeof *c->rows);
    if (!c->rows)
        abort();
    memcpy(c->rows, rows, c->n_rows * sizeof *c->rows);
    out->live = (pm_live){.boot_id = "boot",
                          .mono_ns = (ms - SHOT_MS) * 1000000,
                          .utc_ms = ms,
                          .predicted_us = PMAPDB_UNKNOWN,
                          .standing = {.comm = pm_text_of(s->name)}};
    c->pid = c->block.pid = s->pid;
    c->host = SHOT_HOST;
    c->start_time = s->start_time;
    c->time_source = PM_TIME_LIVE;
    kit_name(c, s->name, PM_NAME_EXE);
    out->capture = c;
    pm_buf_free(&text);
}

/* The shot's place in `out` is where it stays: the capture points into it. */
static inline void shot_take(const kit *k, const subject *s, int64_t ms, uint64_t seed, bool recall,
                             shot *out)
{
    out->again = out->again ? out->again : shot_again();
    if (recall)
        shot_recall(k, s, out);
    shot_read(s, ms, seed, out);
    out->capture->live = &out->live;
}

static inline void shot_free(shot *t)
{
    pm_capture_free(t->capture);
    pm_again_free(t->again);
    *t = (shot){0};
}

/* All in one transaction, as src/api/capture_store.c does. */
static inline void shot_put(const kit *k, shot *t, size_t n, bool keep)
{
    pmapdb_error err = {0};
    int64_t capture_id = 0;

    for (size_t i = 0; i < n; i++) {
        kit_ok(
            pm_store_put_within(k->store, t[i].capture, KIT_SWEEP, &capture_id, &t[i].stored, &err),
            &err);
        if (keep)
            kit_ok(pm_store_keep_map(k->store, &t[i].stored, t[i].capture, t[i].again, &err), &err);
    }
}

static inline void shot_begin(const kit *k)
{
    pmapdb_error err = {0};

    kit_ok(pm_store_begin(k->store, &err), &err);
}

static inline void shot_commit(const kit *k)
{
    pmapdb_error err = {0};

    kit_ok(pm_store_commit(k->store, &err), &err);
}

/* A whole program: opens, captures one process, ends. *t keeps what it counted. */
static inline void shot_program(kit *k, const subject *s, int64_t ms, bool with_cache, shot *t)
{
    kit_close(k);
    kit_open(k);
    *t = (shot){0};
    shot_take(k, s, ms, 1, with_cache, t);
    shot_begin(k);
    shot_put(k, t, 1, with_cache);
    shot_commit(k);
}

#endif
