/* leak_lives: lives of processes, one snapshot a minute, and the answers of pmapdb leaks about
 * them. */
#ifndef TESTS_STORE_LEAK_LIVES_H
#define TESTS_STORE_LEAK_LIVES_H

#include "asked.h"
#include "beats.h"

#define MINUTE 60

static const char *const leak_keys[] = {"category", "object", "lineage"};

/* Checks the total row of each process, for every kind of key. */
static inline void expect_with(const kit *k, const char *const *given, const char *columns,
                               const char *wanted)
{
    const char *all[16] = {"by"};
    size_t n = 2;

    while (given && given[n - 2] && n < 15) {
        all[n] = given[n - 2];
        n++;
    }
    for (size_t i = 0; i < COUNT(leak_keys); i++) {
        all[1] = leak_keys[i];
        rows_of_key_are(k, "leaks", all, "total", columns, wanted);
    }
}

static inline void expect(const kit *k, const char *columns, const char *wanted)
{
    expect_with(k, NULL, columns, wanted);
}

typedef struct life {
    const char *host, *name;
    int pid;
    pm_dialect dialect;
    int64_t kib, step; /* of its only mapping, half of which is resident */
} life;

static inline pm_capture *one(const kit *k, const life *l, int64_t minute)
{
    pm_capture *c = kit_capture(k, l->dialect, l->pid, BEATS_MS + minute * MINUTE * 1000);
    bool tells = l->dialect != PM_DIALECT_MAPS && l->dialect != PM_DIALECT_PMAP;
    pm_mapping m = {.start = 0x100000, .perms = "rw-p"};
    uint64_t kib = (uint64_t)(l->kib + l->step * minute);

    m.end = m.start + kib * 1024;
    pm_set(&m, PM_SIZE, kib);
    if (tells)
        pm_set(&m, PM_RSS, kib / 2);
    kit_add(k, c, &m);
    c->host = (char *)l->host;
    kit_name(c, l->name, PM_NAME_GIVEN);
    return c;
}

/* Stores a snapshot for each minute from `first` to `last`. */
static inline void lives(const kit *k, const life *l, int64_t first, int64_t last)
{
    for (int64_t minute = first; minute <= last; minute++)
        kit_put(k, one(k, l, minute));
}

/* Gives the snapshots of a process from this minute on a live process with this memory limit. */
static inline void stands(const kit *k, int process, int64_t minute, int64_t memory_max)
{
    static int id;

    id++;
    beats_exec(
        k,
        "INSERT INTO live_process (live_process_id, hash, memory_max_kib, address_limit_kib, "
        "stack_limit_kib, max_map_count) VALUES (%d, %d, %lld, -1, -1, 65530)",
        id, id, (long long)memory_max);
    beats_exec(k,
               "INSERT OR REPLACE INTO live_reading (snapshot_id, live_process_id, mono_ns, "
               "read_us, cpu_us, longest_us) SELECT snapshot_id, %d, 0, 1, 1, 1 FROM snapshot "
               "WHERE process_id = %d AND taken_ms >= %lld",
               id, process, (long long)(BEATS_MS + minute * MINUTE * 1000));
}

#endif
