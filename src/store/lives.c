/* lives: which process of the store a live capture belongs to. */
#include "store/lives.h"

#include <stdlib.h>
#include <xxhash.h>

#define FIRST_SLOTS 256
#define LIVES_MAX 65536 /* all are forgotten then: most have ended */

typedef struct entry {
    char *host, *boot_id; /* boot_id NULL: free */
    int64_t pid, start_time;
    pm_known_life life;
} entry;

struct pm_lives {
    entry *slots; /* open addressing */
    size_t size, used;
};

pmapdb_status pm_lives_new(pm_lives **out, pmapdb_error *err)
{
    pm_lives *lives = calloc(1, sizeof *lives);

    if (!lives)
        return pm_fail_nomem(err);
    *out = lives;
    return PMAPDB_OK;
}

void pm_lives_forget(pm_lives *lives)
{
    for (size_t i = 0; i < lives->size; i++) {
        free(lives->slots[i].host);
        free(lives->slots[i].boot_id);
    }
    free(lives->slots);
    *lives = (pm_lives){0};
}

void pm_lives_free(pm_lives *lives)
{
    if (!lives)
        return;
    pm_lives_forget(lives);
    free(lives);
}

static bool is_live(const pm_capture *c)
{
    return c->live && c->live->boot_id && c->start_time != PMAPDB_UNKNOWN;
}

static uint64_t hash_of(int64_t pid, int64_t start_time)
{
    const int64_t both[] = {pid, start_time};

    return XXH3_64bits(both, sizeof both);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static entry *slot_of(const pm_lives *lives, int64_t pid, int64_t start_time, const char *boot_id,
                      const char *host)
{
    size_t at = hash_of(pid, start_time) & (lives->size - 1);

    for (; lives->slots[at].boot_id; at = (at + 1) & (lives->size - 1)) {
        const entry *e = &lives->slots[at];

        if (e->pid == pid && e->start_time == start_time && same_text(e->boot_id, boot_id) &&
            same_text(e->host, host))
            break;
    }
    return &lives->slots[at];
}

const pm_known_life *pm_lives_find(const pm_lives *lives, const pm_capture *c)
{
    const entry *e;

    if (!lives->size || !is_live(c))
        return NULL;
    e = slot_of(lives, c->pid, c->start_time, c->live->boot_id, c->host);
    return e->boot_id ? &e->life : NULL;
}

static pmapdb_status grow(pm_lives *lives, pmapdb_error *err)
{
    pm_lives grown = {.size = lives->size ? lives->size * 2 : FIRST_SLOTS, .used = lives->used};

    if (lives->used * 2 < lives->size)
        return PMAPDB_OK;
    grown.slots = calloc(grown.size, sizeof *grown.slots);
    if (!grown.slots)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < lives->size; i++) {
        const entry *e = &lives->slots[i];

        if (e->boot_id)
            *slot_of(&grown, e->pid, e->start_time, e->boot_id, e->host) = *e;
    }
    free(lives->slots);
    *lives = grown;
    return PMAPDB_OK;
}

pmapdb_status pm_lives_keep(pm_lives *lives, const pm_capture *c, const pm_process_found *found,
                            pmapdb_error *err)
{
    entry *e;
    pmapdb_status st;

    if (!is_live(c))
        return PMAPDB_OK;
    if (lives->used >= LIVES_MAX)
        pm_lives_forget(lives);
    st = grow(lives, err);
    if (st != PMAPDB_OK)
        return st;
    e = slot_of(lives, c->pid, c->start_time, c->live->boot_id, c->host);
    if (!e->boot_id) {
        entry made = {.host = c->host ? strdup(c->host) : NULL,
                      .boot_id = strdup(c->live->boot_id),
                      .pid = c->pid,
                      .start_time = c->start_time};

        if (!made.boot_id || (c->host && !made.host)) {
            free(made.host);
            free(made.boot_id);
            return pm_fail_nomem(err);
        }
        *e = made;
        lives->used++;
    }
    e->life = (pm_known_life){.process_id = found->process_id,
                              .name_id = found->name_id,
                              .name_rank = found->name_rank,
                              .taken_ms = c->taken_ms,
                              .mono_ns = c->live->mono_ns};
    return PMAPDB_OK;
}
