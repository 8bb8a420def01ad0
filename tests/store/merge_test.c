/* merge_test: merged stores, each with a part of the captures, give the answers of one store with
 * all of them.
 *
 * A seed gives a history of processes of two hosts: text in several dialects, partial captures and
 * captures with sums only, and live sweeps of two boots. Each capture goes to one or two of three
 * stores; everything except the ids must be equal. PMAPDB_SEEDS=N: the number of seeds. */
#include "answers.h"
#include "merged.h"
#include "whole.h"
#include "world.h"

#include "set_clock.h"

#define SEEDS 7
#define STORES 3
#define BOOTS 2

/* ---- a history ---- */

typedef struct seen {
    pm_capture *capture;
    size_t sweep;   /* of the history, or SIZE_MAX */
    unsigned where; /* bit N: store N has it */
} seen;

typedef struct history {
    seen seen[WORLD_CAPTURES];
    pm_live live[WORLD_CAPTURES];
    char degraded[WORLD_CAPTURES][24];
    pm_sweep sweep[WORLD_CAPTURES];
    int64_t ended_ms[WORLD_CAPTURES];
    size_t n, n_sweeps;
} history;

static const char *const hosts[] = {"alpha", "beta", NULL};
static const char *const boots[BOOTS] = {"b0000000-0000-0000-0000-000000000000",
                                         "b1111111-1111-1111-1111-111111111111"};

static seen *add(history *h, pm_capture *c, unsigned where)
{
    seen *s = &h->seen[h->n++];

    *s = (seen){c, SIZE_MAX, where};
    return s;
}

/* Returns one store, sometimes two. */
static unsigned somewhere(uint64_t *seed)
{
    unsigned where = 1U << kit_below(seed, STORES);

    if (kit_below(seed, 6) == 0)
        where |= 1U << kit_below(seed, STORES);
    return where;
}

static void record_text(const kit *k, history *h, const world *w, size_t host, int64_t pid,
                        int64_t ms, uint64_t *seed)
{
    static const pm_dialect dialects[] = {PM_DIALECT_SMAPS, PM_DIALECT_PMAP_XX,
                                          PM_DIALECT_PMAP_SMALL_X, PM_DIALECT_PMAP};
    static const pm_time_source sources[] = {PM_TIME_STREAM, PM_TIME_MTIME, PM_TIME_NAME,
                                             PM_TIME_NOW};
    uint64_t which = 1 + kit_below(seed, 15);

    for (size_t i = 0; i < 4 && h->n < WORLD_CAPTURES; i++) {
        pm_capture *c;

        if (!(which & (1U << i)))
            continue;
        c = world_capture(k, w, dialects[i], pid, ms + (int64_t)kit_below(seed, 3) * 100, seed);
        c->ordinal = (int64_t)kit_below(seed, 2);
        c->host = hosts[host];
        c->time_source = sources[kit_below(seed, 4)];
        if (kit_below(seed, 4) == 0)
            kit_name(c, "better", PM_NAME_COMM);
        if (kit_below(seed, 3) == 0)
            kit_command(c, c->taken_ms % 2 ? "/opt/app -v" : "/opt/app: worker");
        free(c->source_name);
        c->source_name = strdup(kit_below(seed, 2) ? "one.txt" : "two.txt");
        add(h, c, somewhere(seed));
    }
}

static void record_totals(const kit *k, history *h, const world *w, int64_t pid, int64_t ms,
                          uint64_t *seed)
{
    for (uint64_t n = kit_below(seed, 3); n > 0 && h->n < WORLD_CAPTURES; n--) {
        pm_capture *c = world_totals(k, w, PM_DIALECT_ROLLUP, pid, ms, seed);

        c->ordinal = (int64_t)n;
        c->host = hosts[0];
        c->start_time = 5000; /* sums have no other sign of a life */
        add(h, c, somewhere(seed));
    }
}

static void describe_live(history *h, const world *w, size_t boot, int64_t ms, pm_live *live,
                          uint64_t *seed)
{
    bool other = kit_below(seed, 3) == 0;

    *live =
        (pm_live){.boot_id = boots[boot],
                  .standing = {.ppid = 1,
                               .uid = other ? 0 : 1000,
                               .user = other ? PM_TEXT("root") : PM_TEXT("web"),
                               .comm = PM_TEXT("app"),
                               .exe = PM_TEXT("/opt/app/bin/app"),
                               .cmdline = PM_TEXT("app -v"),
                               .environment = other ? PM_TEXT("A1=x\0A=\0B=y=z\0") : PM_TEXT(""),
                               .memory_max_kib = other ? PM_NO_LIMIT : 1 << 20,
                               .address_limit_kib = PM_NO_LIMIT,
                               .stack_limit_kib = 8192,
                               .max_map_count = 65530},
                  .mono_ns = (ms - 1700000000000) * 1000000 + 7000000,
                  .utc_ms = ms + 7,
                  .read_us = 100 + (int64_t)kit_below(seed, 50),
                  .cpu_us = 80,
                  .longest_us = 12,
                  .predicted_us = other ? 9000 : PMAPDB_UNKNOWN,
                  .threads = 3,
                  .hwm_kib = 4096,
                  .swap_kib = PMAPDB_UNKNOWN,
                  .page_tables_kib = (int64_t)w->n,
                  .anon_kib = 5,
                  .file_kib = 6,
                  .shmem_kib = 0,
                  .oom_score = 666,
                  .pages = {.number = other, .anon_kib = 8, .own_kib = 4, .hugetlb_kib = 2048},
                  .activity = {.known = !other, .cpu_us = 70, .major_faults = 3, .page_idle = 1}};
    live->standing.use = (pm_cgroup_use){50, 40, 30, 2};
    if (other) {
        snprintf(h->degraded[h->n], sizeof h->degraded[0], "it would take %zu s", w->n);
        live->degraded = h->degraded[h->n];
    }
}

/* Records a beat; all of its captures go to the same stores. */
static void record_sweep(const kit *k, history *h, world w[2], size_t boot, int64_t ms,
                         uint64_t *seed)
{
    unsigned where = somewhere(seed);
    pm_sweep *sweep = &h->sweep[h->n_sweeps];
    int64_t unmoved = (int64_t)kit_below(seed, 4); /* the process that is left out: 0, 1, or none */

    *sweep = (pm_sweep){.host = hosts[1],
                        .boot_id = boots[boot],
                        .selection = "--all",
                        .every_ms = boot ? 5000 : PMAPDB_UNKNOWN,
                        .started_ms = ms,
                        .mono_ns = (ms - 1700000000000) * 1000000,
                        .counts = {.missed = (int64_t)kit_below(seed, 3), .unreadable = 2}};
    h->ended_ms[h->n_sweeps] = ms + 20;
    for (int64_t p = 0; p < 2 && h->n < WORLD_CAPTURES; p++) {
        pm_capture *c;

        if (p == unmoved)
            continue;
        c = world_capture(k, &w[p], PM_DIALECT_SMAPS, 200 + p, ms, seed);
        c->host = hosts[1];
        c->time_source = PM_TIME_LIVE;
        c->start_time = 900 + p;
        kit_name(c, "app", PM_NAME_LIVE);
        c->live = &h->live[h->n];
        describe_live(h, &w[p], boot, ms, &h->live[h->n], seed);
        c->block.checked = PM_CHECKED_STATUS;
        c->block.tool_rss_kib = 77;
        add(h, c, where)->sweep = h->n_sweeps;
    }
    h->n_sweeps++;
}

static void make_history(const kit *k, history *h, uint64_t seed)
{
    static const int64_t steps[] = {300, 1000, 1001, 5000, 60000};
    world w[4] = {0};
    int64_t ms = 1700000000000;
    size_t beats = 8 + kit_below(&seed, 24), boot = 0;
    bool sweeps = kit_below(&seed, 3) > 0, text = !sweeps || kit_below(&seed, 2);

    h->n = h->n_sweeps = 0;
    for (int i = 0; i < 24; i++)
        world_add(&w[i % 4], &seed);
    for (int i = 0; i < 4; i++)
        world_thread(&w[i], &seed);
    for (size_t b = 0; b < beats && h->n + 16 < WORLD_CAPTURES; b++) {
        for (size_t i = kit_below(&seed, 6); i > 0; i--)
            world_step(&w[kit_below(&seed, 4)], &seed);
        if (sweeps && b == beats / 2)
            boot = 1;
        if (sweeps)
            record_sweep(k, h, w + 2, boot, ms, &seed);
        if (text) {
            record_text(k, h, &w[0], 0, 100, ms, &seed);
            record_text(k, h, &w[1], 1 + kit_below(&seed, 2), 100, ms, &seed);
        }
        if (text && kit_below(&seed, 3) == 0)
            record_totals(k, h, &w[0], 101, ms, &seed);
        ms += steps[kit_below(&seed, COUNT(steps))];
    }
}

static int by_time(const void *a, const void *b)
{
    const seen *s = a, *t = b;
    const pm_capture *x = s->capture, *y = t->capture;

    if (x->taken_ms != y->taken_ms)
        return x->taken_ms < y->taken_ms ? -1 : 1;
    if (s->sweep != t->sweep)
        return s->sweep < t->sweep ? -1 : 1;
    if (x->block.dialect != y->block.dialect)
        return x->block.dialect < y->block.dialect ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->block.hash < y->block.hash ? -1 : x->block.hash > y->block.hash;
}

static void free_history(history *h)
{
    for (size_t i = 0; i < h->n; i++)
        pm_capture_free(h->seen[i].capture);
}

/* ---- storing ---- */

static void put_sweep(const kit *k, const history *h, size_t *i)
{
    size_t sweep = h->seen[*i].sweep, n = 0;
    pm_capture *some[2];

    for (; *i < h->n && h->seen[*i].sweep == sweep; ++*i)
        some[n++] = h->seen[*i].capture;
    kit_store_sweep(k, &h->sweep[sweep], h->ended_ms[sweep], some, n);
}

/* Stores text captures, a few in one transaction. */
static void put_text(const kit *k, const history *h, unsigned where, size_t *i)
{
    pm_capture *some[4];
    size_t n = 0;

    for (; *i < h->n && h->seen[*i].sweep == SIZE_MAX && n < COUNT(some); ++*i)
        if (h->seen[*i].where & where)
            some[n++] = h->seen[*i].capture;
    kit_store_all(k, some, n, n);
}

static void put_all(const kit *k, const history *h, unsigned where)
{
    char sql[160];

    for (size_t i = 0; i < h->n;) {
        if (h->seen[i].sweep == SIZE_MAX)
            put_text(k, h, where, &i);
        else if (h->seen[i].where & where)
            put_sweep(k, h, &i);
        else
            i++;
    }
    kit_exec(k, "INSERT INTO pin SELECT snapshot_id, 'why ' || hash, taken_ms FROM snapshot "
                "WHERE hash % 7 = 0");
    for (int i = 0; i < STORES; i++) { /* all stores refused capture 1, at different times */
        snprintf(sql, sizeof sql,
                 "INSERT OR IGNORE INTO refused VALUES (1, %d, 'all'), (%d, 7, 'one')",
                 where == ~0U ? 10 : 10 + (int)where / 2, 100 + i);
        if (where & (1U << i))
            kit_exec(k, sql);
    }
}

/* ---- one history ---- */

typedef struct stores {
    kit *one, *part[STORES], *all;
    pm_buf want, got;
} stores;

static bool is_as_one(const stores *s, const kit *k, uint64_t seed, const char *what)
{
    pm_buf *got = (pm_buf *)&s->got;

    answers(k, got);
    if (whole_store(k) && answers_equal(got, &s->want))
        return true;
    print_error("seed %llu: %s\n", (unsigned long long)seed, what);
    return false;
}

static bool merge_parts(stores *s, uint64_t seed)
{
    size_t first = seed % STORES;

    kit_anew(s->all);
    for (size_t i = 0; i < STORES; i++)
        merge(s->all, s->part[(first + i) % STORES]);
    if (!is_as_one(s, s->all, seed, "three into a new one"))
        return false;
    for (size_t i = 0; i < STORES; i++) {
        pmapdb_merge_event again = merge(s->all, s->part[i]).event;

        if (again.new_ones || again.known != again.snapshots) {
            print_error("seed %llu: %llu new ones\n", (unsigned long long)seed,
                        (unsigned long long)again.new_ones);
            return false;
        }
    }
    if (!is_as_one(s, s->all, seed, "once more"))
        return false;
    for (size_t i = 1; i < STORES; i++)
        merge(s->part[first], s->part[(first + i) % STORES]);
    return is_as_one(s, s->part[first], seed, "into one of them");
}

/* Fills the parts, and `one` unless NULL, with a history. */
static void make_parts(stores *s, uint64_t seed)
{
    static history h;

    make_history(s->part[0], &h, seed);
    qsort(h.seen, h.n, sizeof *h.seen, by_time);
    for (unsigned i = 0; i <= STORES; i++) {
        kit *k = i < STORES ? s->part[i] : s->one;

        if (!k)
            continue;
        kit_anew(k);
        put_all(k, &h, i < STORES ? 1U << i : ~0U);
    }
    free_history(&h);
}

static bool try_seed(stores *s, uint64_t seed)
{
    make_parts(s, seed);
    answers(s->one, &s->want);
    return merge_parts(s, seed);
}

static void leave(stores *s)
{

    kit_free(s->all);
    for (size_t i = 0; i < STORES; i++)
        kit_free(s->part[i]);
    pm_buf_free(&s->want);
    pm_buf_free(&s->got);
}

TEST(parts_make_a_whole)
{
    stores s = {.one = kit_new(), .all = kit_new()};
    int failed = 0;

    for (size_t i = 0; i < STORES; i++)
        s.part[i] = kit_new();
    for (WORLD_SEEDS(seed, SEEDS)) {
        if (seed % 2) /* a slow machine: a turn ends after two reads of the clock */
            set_clock_step(CLOCK_MONOTONIC, 60000000);
        failed += !try_seed(&s, seed);
        set_clock_free();
    }
    kit_free(s.one);
    leave(&s);
    assert_int_equal(failed, 0);
}

/* ---- killed ---- */

#define KILLS 4 /* merges into the same store that are killed and run again */
#define SEEDS_KILLED 2

typedef struct killed {
    const kit *into;
    size_t commits, after; /* the program is killed after this commit */
    char path[128];        /* the copy of the store at that time */
} killed;

static void copy_file(const char *from, const char *to, const char *end)
{
    char command[512];

    snprintf(command, sizeof command, "cp '%s%s' '%s%s'", from, end, to, end);
    assert_int_equal(system(command), 0);
}

static int on_commit(void *ctx, sqlite3 *db, const char *name, int pages)
{
    killed *w = ctx;

    (void)db, (void)name, (void)pages;
    if (++w->commits == w->after) {
        copy_file(w->into->path, w->path, "");
        copy_file(w->into->path, w->path, "-wal");
    }
    return SQLITE_OK;
}

/* Merges into a copy of part 0 that has not been closed; returns the number of commits. */
static size_t merge_and_kill(const stores *s, kit *copy, size_t after)
{
    killed w = {.into = copy, .after = after};

    kit_remove_store(copy);
    kit_close(s->part[0]);
    copy_file(s->part[0]->path, copy->path, "");
    kit_open(s->part[0]);
    kit_open(copy);
    snprintf(w.path, sizeof w.path, "%s", s->all->path);
    kit_remove_store(s->all);
    sqlite3_wal_hook(copy->store->db, on_commit, &w);
    merge(copy, s->part[1]);
    if (w.commits >= after)
        kit_open(s->all);
    return w.commits;
}

static bool kill_and_merge_again(stores *s, kit *copy, uint64_t seed)
{
    size_t commits, step;
    bool good = true;

    if (seed % 2) /* pinned snapshots stay, too */
        kit_keep(s->part[0], (pmapdb_keep){.last = 2});
    commits = merge_and_kill(s, copy, SIZE_MAX);
    answers(copy, &s->want);
    step = commits / KILLS + 1;
    for (size_t after = 1 + seed % step; after <= commits && good; after += step) {
        char what[64];

        merge_and_kill(s, copy, after);
        merge(s->all, s->part[1]);
        snprintf(what, sizeof what, "killed after commit %zu of %zu", after, commits);
        good = is_as_one(s, s->all, seed, what);
    }
    return good;
}

TEST(killed_and_run_again)
{
    stores s = {.all = kit_new()};
    kit *copy = kit_new();
    int failed = 0;

    for (size_t i = 0; i < STORES; i++)
        s.part[i] = kit_new();
    for (WORLD_SEEDS(seed, SEEDS_KILLED)) {
        set_clock_step(CLOCK_MONOTONIC, 60000000); /* each turn ends after two reads of the clock */
        make_parts(&s, seed);
        failed += !kill_and_merge_again(&s, copy, seed);
        set_clock_free();
    }
    kit_free(copy);
    leave(&s);
    assert_int_equal(failed, 0);
}

RUN_TESTS(NULL, NULL)
