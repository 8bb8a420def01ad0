/* heard: the result of pmapdb_doctor() for the store of a kit, check by check. */
#ifndef TESTS_STORE_HEARD_H
#define TESTS_STORE_HEARD_H

#include "beats.h"

#include "base/clock/clock.h"
#include "set_clock.h"

#define MOST_CHECKS 64

typedef struct heard {
    char check[MOST_CHECKS][32], words[MOST_CHECKS][600];
    pmapdb_health state[MOST_CHECKS];
    double number[MOST_CHECKS];
    size_t n;
} heard;

static inline void heard_event(void *ctx, const pmapdb_doctor_event *e)
{
    heard *h = ctx;

    assert_true(h->n < MOST_CHECKS);
    snprintf(h->check[h->n], sizeof *h->check, "%s", e->check);
    snprintf(h->words[h->n], sizeof *h->words, "%s %s", e->value, e->detail);
    h->state[h->n] = e->state;
    h->number[h->n++] = e->number;
}

static inline pmapdb_doctor_result ask_with(const kit *k, heard *h, pmapdb_doctor_options options)
{
    pmapdb_doctor_result result;
    pmapdb_error err = {0};

    *h = (heard){.n = 0};
    options.ctx = h;
    options.on_event = heard_event;
    kit_ok(pmapdb_doctor(k->path, &options, &result, &err), &err);
    return result;
}

static inline pmapdb_doctor_result ask(const kit *k, heard *h, bool deep)
{
    pmapdb_doctor_options options;

    pmapdb_doctor_defaults(&options);
    options.deep = deep;
    return ask_with(k, h, options);
}

static inline size_t find(const heard *h, const char *check)
{
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->check[i], check) == 0)
            return i;
    fail_msg("no check %s", check);
    return 0;
}

static inline void expect(const heard *h, const char *check, pmapdb_health state, const char *part)
{
    size_t i = find(h, check);

    if (h->state[i] != state || !strstr(h->words[i], part))
        fail_msg("%s: expected %d '%s', is %d '%s'", check, (int)state, part, (int)h->state[i],
                 h->words[i]);
}

/* Expects exactly these words. */
static inline void expect_exactly(const heard *h, const char *check, pmapdb_health state,
                                  const char *words)
{
    size_t i = find(h, check);

    assert_int_equal(h->state[i], state);
    assert_string_equal(h->words[i], words);
}

/* Asks without --deep. */
static inline pmapdb_doctor_result hears(const kit *k, const char *check, pmapdb_health state,
                                         const char *part)
{
    heard h;
    pmapdb_doctor_result result = ask(k, &h, false);

    expect(&h, check, state, part);
    return result;
}

static inline void hears_exactly(const kit *k, const char *check, pmapdb_health state,
                                 const char *words)
{
    heard h;

    ask(k, &h, false);
    expect_exactly(&h, check, state, words);
}

#define OK PMAPDB_HEALTH_OK
#define NOTE PMAPDB_HEALTH_NOTE
#define TROUBLE PMAPDB_HEALTH_TROUBLE

/* Stores a smaps capture of one mapping. The process is called "one" if pid is 1, else "two". */
static inline void snapshot(const kit *k, int pid, int64_t second)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, pid, BEATS_MS + second * 1000);

    kit_map(k, c, 0x1000, 64, "rw-p", "");
    kit_name(c, pid == 1 ? "one" : "two", PM_NAME_GIVEN);
    kit_put(k, c);
}

/* Makes this machine the host of the job, and stores a snapshot at this second. */
static inline void here(const kit *k, int64_t second)
{
    char name[65] = "";

    gethostname(name, sizeof name - 1);
    beats_exec(k, "UPDATE host SET name = '%s' WHERE host_id = 900", name);
    snapshot(k, 1, second);
    beats_sights(k);
}

/* Moves the contents of the -wal into the file. */
static inline void heard_checkpoint(const kit *k)
{
    assert_int_equal(
        sqlite3_wal_checkpoint_v2(k->store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
        SQLITE_OK);
}

/* Runs before the tests of a file. */
static inline int stop_clock(void **state)
{
    (void)state;
    set_clock_step(CLOCK_REALTIME, 0);
    return 0;
}

/* Seconds since BEATS_MS. The tests stop the clock, so that ages do not change. */
static inline int64_t now(void)
{
    return (pm_clock_now() - BEATS_MS) / 1000;
}

#endif
