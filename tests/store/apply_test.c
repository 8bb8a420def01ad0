/* apply_test: rules applied to an existing store give the same result as rules given from the
 * start, for any captures in any order, and nothing else changes.
 *
 * PMAPDB_SEEDS=N: the number of histories. */
#include "answers.h"
#include "applied.h"
#include "whole.h"
#include "world.h"

#define SEEDS 5
#define SEED 3 /* of the tests with one history */
#define T0 1700000000000

/* ---- histories ---- */

static void record(const kit *k, world_history *h, const world *w, int64_t pid, int64_t ms,
                   uint64_t *seed)
{
    static const pm_dialect dialects[] = {PM_DIALECT_SMAPS, PM_DIALECT_PMAP_XX,
                                          PM_DIALECT_PMAP_SMALL_X, PM_DIALECT_PMAP};
    uint64_t which = 1 + kit_below(seed, 15);

    for (size_t i = 0; i < 4 && h->n < WORLD_CAPTURES; i++)
        if (which & (1U << i))
            h->capture[h->n++] = world_capture(k, w, dialects[i], pid, ms, seed);
    if (kit_below(seed, 5) == 0 && h->n < WORLD_CAPTURES)
        h->capture[h->n++] = world_totals(k, w, PM_DIALECT_ROLLUP, pid, ms, seed);
}

static void make_history(const kit *k, world_history *h, uint64_t *seed)
{
    world w[2] = {0};
    int64_t ms = T0;

    h->n = 0;
    for (int i = 0; i < 16; i++)
        world_add(&w[i % 2], seed);
    for (int i = 0; i < 4; i++)
        world_thread(&w[i % 2], seed);
    for (size_t beat = 8 + kit_below(seed, 16); beat > 0; beat--) {
        for (size_t i = kit_below(seed, 6); i > 0; i--)
            world_step(&w[kit_below(seed, 2)], seed);
        record(k, h, &w[0], 100, ms, seed);
        record(k, h, &w[1], 101, ms, seed);
        ms += 500 + (int64_t)kit_below(seed, 3) * 60000;
    }
    if (kit_below(seed, 2)) /* in any order, or in the order of time */
        world_shuffle(h, *seed);
}

#define TOGETHER 6

/* Stores captures in few transactions; order_test varies the transactions. */
static void put(const kit *k, const world_history *h, size_t from, size_t to)
{
    kit_store_all(k, h->capture + from, to - from, TOGETHER);
}

static void say(const kit *k, pm_buf *out)
{
    answers(k, out);
    kit_rows(k, out, APPLIED_SUMS);
}

static void start(kit *k, const char *rules)
{
    kit_anew(k);
    applied_use(k, rules);
}

static bool is_as(const kit *k, const pm_buf *want, uint64_t seed, const char *what)
{
    pm_buf got = {0}, unused = {0};
    bool same;

    say(k, &got);
    kit_rows(k, &unused, APPLIED_UNUSED);
    same = answers_equal(&got, want) && unused.len == 0;
    if (!same)
        print_error("seed %llu: %s %s\n", (unsigned long long)seed, what,
                    pm_buf_text(&unused).data);
    pm_buf_free(&got);
    pm_buf_free(&unused);
    return same;
}

static bool try_seed(kit *k, uint64_t seed)
{
    static world_history h;
    uint64_t random = seed;
    pm_buf kit_rules = {0}, others = {0};
    size_t half;
    bool good;

    make_history(k, &h, &random);
    half = h.n / 2 / TOGETHER * TOGETHER; /* equal transactions: ids of epochs are compared */
    start(k, KIT_RULES);
    put(k, &h, 0, h.n);
    say(k, &kit_rules);
    start(k, APPLIED_OTHERS);
    put(k, &h, 0, h.n);
    say(k, &others);
    applied_to(k, KIT_RULES, true, NULL);
    good = is_as(k, &kit_rules, seed, "applied") && whole_store(k);
    applied_to(k, APPLIED_OTHERS, true, NULL);
    good = good && is_as(k, &others, seed, "and back");
    start(k, APPLIED_OTHERS); /* the writer keeps state for the captures after the change */
    put(k, &h, 0, half);
    applied_to(k, KIT_RULES, true, NULL);
    put(k, &h, half, h.n);
    good = good && is_as(k, &kit_rules, seed, "in the midst") && whole_store(k);
    world_free(&h);
    pm_buf_free(&kit_rules);
    pm_buf_free(&others);
    return good;
}

IN_KIT(as_from_the_start)
{
    int failed = 0;

    for (WORLD_SEEDS(seed, SEEDS))
        failed += !try_seed(k, seed);
    assert_int_equal(failed, 0);
}

/* ---- processes that take several transactions ---- */

/* A process of which each mapping changes from capture to capture: many epochs. */
static void make_busy_history(const kit *k, world_history *h, uint64_t *seed)
{
    static const pm_dialect dialects[] = {PM_DIALECT_PMAP_X, PM_DIALECT_PMAP_X, PM_DIALECT_PMAP_XX,
                                          PM_DIALECT_SMAPS};
    world w = {0};

    h->n = 0;
    for (int i = 0; i < 12; i++)
        world_add(&w, seed);
    world_thread(&w, seed);
    for (int beat = 0; beat < 48; beat++) {
        for (int i = 0; i < 3; i++)
            world_step(&w, seed);
        for (size_t i = 0; i < w.n; i++)
            world_touch(&w.map[i], seed);
        h->capture[h->n++] = world_capture(k, &w, dialects[kit_below(seed, 1 + (size_t)beat / 12)],
                                           100, T0 + beat * 1200000, seed);
    }
    if (kit_below(seed, 2))
        world_shuffle(h, *seed);
}

/* What happens at a commit: the n-th fails, or another program writes after each. */
typedef struct commits {
    kit other;
    world_history *h;
    size_t next; /* capture that the other program stores */
    bool prunes; /* it then removes captures */
    int64_t n;
} commits;

static int fail_once(void *ctx)
{
    return --((commits *)ctx)->n == 0;
}

/* Stores a capture, and once removes all but the last of each hour. */
static int write_meanwhile(void *ctx, sqlite3 *db, const char *name, int pages)
{
    commits *c = ctx;

    (void)db, (void)name, (void)pages;
    if (c->next < c->h->n)
        kit_store_all(&c->other, c->h->capture + c->next++, 1, 1);
    if (c->n-- == 0)
        kit_keep(&c->other, (pmapdb_keep){.hourly = PMAPDB_KEEP_ALL});
    return SQLITE_OK;
}

/* Applies rules; the n-th commit fails. */
static void fail_at(kit *k, const char *rules, applied how, commits *c, int64_t n)
{
    pmapdb_rules_result r;
    pmapdb_error err = {0};

    c->n = n;
    how.parted = true;
    sqlite3_commit_hook(k->store->db, fail_once, c);
    applied_try(k, rules, true, &how, &r, &err);
    sqlite3_commit_hook(k->store->db, NULL, NULL);
}

/* As if the program had named all anonymous lineages. */
#define NAMED                                                                                 \
    "INSERT INTO category VALUES (99, 'anonymous/named', '', 'anonymous'); "                  \
    "UPDATE region SET category_id = 99 WHERE lineage_id IN (SELECT lineage_id FROM lineage " \
    "WHERE category_id = 11 AND rule IS NULL); "                                              \
    "UPDATE category_version SET category_id = 99 WHERE category_id = 11; "                   \
    "UPDATE lineage SET category_id = 99, rule = 'label' WHERE category_id = 11 AND rule IS NULL"

/* At each of the commits the program fails; the rules are applied again. own: the store has the
 * rules, and names are forgotten. */
static void fail_everywhere(kit *k, bool own)
{
    static world_history h;
    uint64_t seed = 3;
    commits c = {.n = 0};
    pm_buf want = {0};

    make_busy_history(k, &h, &seed);
    start(k, KIT_RULES);
    put(k, &h, 0, h.n);
    say(k, &want);
    for (int64_t at = 1; c.n <= 0; at++) {
        applied how = {.forgets = own};
        pmapdb_rules_result r;
        pmapdb_error err = {0};

        start(k, own ? KIT_RULES : APPLIED_OTHERS);
        put(k, &h, 0, h.n);
        if (own)
            kit_exec(k, NAMED);
        fail_at(k, KIT_RULES, how, &c, at);
        assert_true(at > 6 || c.n <= 0); /* an epoch each */
        kit_ok(applied_try(k, KIT_RULES, true, &how, &r, &err), &err);
        assert_true(is_as(k, &want, (uint64_t)at, "failed") && whole_store(k));
    }
    pm_buf_free(&want);
    world_free(&h);
}

IN_KIT(failed_between_epochs)
{
    fail_everywhere(k, false);
    fail_everywhere(k, true);
}

/* Stores a history by other rules; *want is what the store would say by KIT_RULES. */
static void begin_with_others(kit *k, world_history *h, commits *c, pm_buf *want)
{
    uint64_t seed = SEED;

    make_busy_history(k, h, &seed);
    start(k, KIT_RULES);
    put(k, h, 0, h->n);
    say(k, want);
    start(k, "rule,category,base\nother,heap/other,heap\n");
    put(k, h, 0, h->n);
    c->other = *k;
}

/* Another program applies the same rules and fails between epochs, once. */
static void other_fails(void *ctx)
{
    commits *c = ctx;

    if (c->other.store)
        return;
    kit_open(&c->other);
    fail_at(&c->other, KIT_RULES, (applied){0}, c, 4);
}

IN_KIT(another_failed_meanwhile)
{
    static world_history h;
    commits c = {.n = 0};
    applied how = {.meanwhile = other_fails, .ctx = &c};
    pmapdb_rules_result r;
    pmapdb_error err = {0};
    pm_buf want = {0};

    begin_with_others(k, &h, &c, &want);
    c.other.store = NULL;
    kit_ok(applied_try(k, KIT_RULES, true, &how, &r, &err), &err);
    kit_close(&c.other);
    assert_true(is_as(k, &want, SEED, "another failed") && whole_store(k));
    pm_buf_free(&want);
    world_free(&h);
}

static bool try_meanwhile(kit *k, uint64_t seed)
{
    static world_history h;
    uint64_t random = seed;
    commits c = {.h = &h, .n = seed % 4 == 3 ? (int64_t)seed % 8 : -1};
    const bool prunes = c.n >= 0;
    applied how = {.parted = true};
    pmapdb_rules_result r;
    pmapdb_error err = {0};
    pm_buf want = {0}, got = {0};
    bool good;

    make_busy_history(k, &h, &random);
    start(k, KIT_RULES);
    put(k, &h, 0, h.n);
    answers(k, &want);
    start(k, APPLIED_OTHERS);
    c.next = h.n / 2;
    put(k, &h, 0, c.next);
    c.other = *k;
    kit_open(&c.other);
    sqlite3_wal_hook(k->store->db, write_meanwhile, &c);
    kit_ok(applied_try(k, KIT_RULES, true, &how, &r, &err), &err);
    kit_reopen(k);
    kit_close(&c.other);
    put(k, &h, c.next, h.n);
    answers(k, &got);
    good = whole_store(k) && (prunes || answers_equal(&got, &want));
    if (!good)
        print_error("seed %llu: meanwhile\n", (unsigned long long)seed);
    pm_buf_free(&want);
    pm_buf_free(&got);
    world_free(&h);
    return good;
}

IN_KIT(others_write_between_epochs)
{
    int failed = 0;

    for (WORLD_SEEDS(seed, 3 * SEEDS))
        failed += !try_meanwhile(k, seed);
    assert_int_equal(failed, 0);
}

/* If captures were removed, the captures that are left decide. */
IN_KIT(what_is_left_decides)
{
    static world_history h;

    for (WORLD_SEEDS(seed, SEEDS)) {
        uint64_t random = seed;
        const pmapdb_keep keep = {.hourly = 1 + (int64_t)seed % 3, .last = 1 + (int64_t)seed % 5};

        make_history(k, &h, &random);
        start(k, APPLIED_OTHERS);
        put(k, &h, 0, h.n);
        assert_true(kit_keep(k, keep).snapshots_removed > 0);
        applied_to(k, KIT_RULES, true, NULL);
        if (!whole_store(k))
            fail_msg("seed %llu", (unsigned long long)seed);
        world_free(&h);
    }
}

/* ---- by hand ---- */

/* Stores two pairs of a guard of 64 KiB and a stack of 8 MiB, and a file. */
static void put_one(const kit *k, pm_dialect dialect, int64_t pid, int minute)
{
    pm_capture *c = kit_capture(k, dialect, pid, T0 + (int64_t)minute * 60000);

    kit_name(c, "app", PM_NAME_HEADER);
    kit_map(k, c, 0x7f0000000000U, 64, "---p", "");
    kit_map(k, c, 0x7f0000010000U, 8192, "rw-p", "");
    kit_map(k, c, 0x7f0010000000U, 64, "---p", "");
    kit_map(k, c, 0x7f0010010000U, 8192 + (minute ? 4 : 0), "rw-p", "");
    kit_map(k, c, 0x7f0020000000U, 100, "r--p", "/opt/data");
    kit_map(k, c, 0x7ff000000000U, 132, "rw-p", "[stack]");
    kit_put(k, c);
}

#define SIMPLE                  \
    "rule,category,base,size\n" \
    "file,Data,mapped-file,\n"  \
    "block,anonymous/block,anonymous,\n"

static const char simple_changes[] =
    "anonymous/thread-stack > anonymous/block block 4: 4 32772 16386\n"
    "reserve/guard > reserve - 4: 4 256 128\n"
    "mapped-file > Data file 2: 2 200 100\n";

IN_KIT(tells_what_changes)
{
    pm_buf changes = {0};
    pmapdb_rules_result r;

    put_one(k, PM_DIALECT_SMAPS, 7, 0);
    put_one(k, PM_DIALECT_SMAPS, 7, 1);
    put_one(k, PM_DIALECT_SMAPS, 8, 0);
    r = applied_to(k, SIMPLE, true, &changes);
    assert_string_equal(pm_buf_text(&changes).data, simple_changes);
    assert_int_equal(r.processes, 2);
    assert_int_equal(r.lineages, 12);
    assert_int_equal(r.changed_lineages, 10);
    assert_int_equal(r.snapshots, 3);
    assert_int_equal(r.changed_snapshots, 3);
    kit_expect(k, APPLIED_UNUSED, "");
    kit_expect(k, "SELECT name, applied_ms > 0 FROM rule_set", "test|1\n");
    pm_buf_free(&changes);
}

IN_KIT(keeps_nothing_unless_told)
{
    pm_buf before, after, changes = {0};

    put_one(k, PM_DIALECT_SMAPS, 7, 0);
    put_one(k, PM_DIALECT_SMAPS, 7, 1);
    put_one(k, PM_DIALECT_SMAPS, 8, 0);
    before = whole_content(k);
    kit_rows(k, &before, "SELECT * FROM category JOIN rule_set");
    applied_to(k, SIMPLE, false, &changes);
    assert_string_equal(pm_buf_text(&changes).data, simple_changes);
    after = whole_content(k);
    kit_rows(k, &after, "SELECT * FROM category JOIN rule_set");
    assert_true(answers_equal(&after, &before));
    put_one(k, PM_DIALECT_SMAPS, 7, 2); /* by the old rules */
    assert_true(whole_store(k));
    pm_buf_free(&before);
    pm_buf_free(&after);
    pm_buf_free(&changes);
}

IN_KIT(same_rules_ask_nothing)
{
    pm_buf before, after;

    put_one(k, PM_DIALECT_SMAPS, 7, 0);
    kit_exec(k, "UPDATE lineage SET rule = 'by hand' WHERE rule = 'stack'");
    before = whole_content(k);
    assert_true(applied_to(k, KIT_RULES, true, NULL).same);
    after = whole_content(k);
    assert_true(answers_equal(&after, &before));
    kit_expect(k, "SELECT applied_ms > 0 FROM rule_set", "1\n");
    pm_buf_free(&before);
    pm_buf_free(&after);
}

/* Another program applies other rules, once. */
static int apply_others(void *ctx, sqlite3 *db, const char *name, int pages)
{
    commits *c = ctx;

    (void)db, (void)name, (void)pages;
    if (++c->n == 2) {
        kit_open(&c->other);
        applied_to(&c->other, KIT_RULES, true, NULL);
        kit_close(&c->other);
    }
    return SQLITE_OK;
}

/* The rules that were applied last decide every lineage: the program that began first ends. */
IN_KIT(another_applies_other_rules)
{
    static world_history h;
    commits c = {.n = 0};
    applied how = {.parted = true};
    pmapdb_rules_result r;
    pmapdb_error err = {0};
    pm_buf want = {0};

    begin_with_others(k, &h, &c, &want);
    sqlite3_wal_hook(k->store->db, apply_others, &c);
    assert_int_equal(applied_try(k, APPLIED_OTHERS, true, &how, &r, &err), PMAPDB_BUSY);
    kit_reopen(k);
    assert_true(is_as(k, &want, SEED, "others applied") && whole_store(k));
    pm_buf_free(&want);
    world_free(&h);
}

/* A program was killed between two processes: new captures follow the new rules, the old ones do as
 * soon as the rules are applied again. */
IN_KIT(begun_and_killed)
{
    pm_buf want, got;

    for (int pid = 7; pid < 9; pid++)
        put_one(k, PM_DIALECT_SMAPS, pid, 0);
    applied_to(k, SIMPLE, true, NULL);
    want = whole_content(k);
    applied_to(k, KIT_RULES, true, NULL);
    applied_use(k, SIMPLE);
    kit_exec(k, "UPDATE rule_set SET hash = 0");
    assert_false(applied_to(k, SIMPLE, true, NULL).same);
    got = whole_content(k);
    assert_true(answers_equal(&got, &want));
    assert_true(applied_to(k, SIMPLE, true, NULL).same);
    pm_buf_free(&want);
    pm_buf_free(&got);
}

/* Stores, once, a capture that shows more than the stored one. */
static void put_stronger(void *ctx)
{
    kit *other = ctx;

    if (other->store)
        return;
    kit_open(other);
    put_one(other, PM_DIALECT_SMAPS, 7, 1);
}

static int committed(void *ctx, sqlite3 *db, const char *name, int pages)
{
    (void)db, (void)name, (void)pages;
    put_stronger(ctx);
    return SQLITE_OK;
}

/* While the rules are matched, or after the new ones are stored, a capture arrives that decides the
 * lineages otherwise. */
IN_KIT(decided_meanwhile)
{
    static const char small[] = "rule,category,base,size\nsmall,anonymous/small,anonymous,..8192\n";
    static const char asked[] = "SELECT snapshot_id, start, category, rule FROM mappings JOIN "
                                "lineages USING (lineage_id, category) ORDER BY 1, 2";
    pm_buf want = {0}, got = {0};

    start(k, small);
    put_one(k, PM_DIALECT_PMAP, 7, 0);
    put_one(k, PM_DIALECT_SMAPS, 7, 1);
    kit_rows(k, &want, asked);
    for (int stored = 0; stored < 2; stored++) {
        kit other;
        applied how = {.meanwhile = stored ? NULL : put_stronger, .ctx = &other};
        pmapdb_rules_result r;
        pmapdb_error err = {0};

        start(k, KIT_RULES);
        put_one(k, PM_DIALECT_PMAP, 7, 0);
        other = *k;
        other.store = NULL;
        if (stored)
            sqlite3_wal_hook(k->store->db, committed, &other);
        kit_ok(applied_try(k, small, true, &how, &r, &err), &err);
        kit_close(&other);
        pm_buf_clear(&got);
        kit_rows(k, &got, asked);
        assert_true(answers_equal(&got, &want));
    }
    pm_buf_free(&want);
    pm_buf_free(&got);
}

/* The rule changes, the category stays. */
IN_KIT(rules_change_alone)
{
    pm_buf changes = {0};
    pmapdb_rules_result r;

    put_one(k, PM_DIALECT_SMAPS, 7, 0);
    r = applied_to(k,
                   "rule,category,base\nname,anonymous/thread-stack,anonymous\n"
                   "other,reserve/guard,reserve\n",
                   true, &changes);
    assert_int_equal(changes.len, 0);
    assert_int_equal(r.changed_lineages, 0);
    assert_int_equal(r.changed_snapshots, 0);
    kit_expect(k, "SELECT DISTINCT rule FROM lineage ORDER BY 1", "?\nname\nother\n");
    pm_buf_free(&changes);
}

IN_KIT(unknown_stays_unknown)
{
    pm_buf changes = {0};
    pm_capture *c = kit_totals(k, PM_DIALECT_ROLLUP, 7, T0 + 900000);

    put_one(k, PM_DIALECT_SMAPS, 7, 0);
    kit_name(c, "app", PM_NAME_HEADER);
    kit_total(c, PM_TOTAL_RSS, PM_BIT(PM_RSS), 100);
    kit_put(k, c);
    kit_exec(k,
             "INSERT INTO rare_fields (rare_fields_id, hash, own_fields) SELECT 77, 0, fields & ~8 "
             "FROM epoch WHERE dialect = 'smaps' LIMIT 1;"
             "UPDATE mapping_version SET rare_fields_id = 77 WHERE region_id = (SELECT "
             "region_id FROM mappings WHERE path = '/opt/data');"
             "UPDATE category_version SET rss_kib = NULL WHERE category_id = (SELECT "
             "category_id FROM category WHERE category = 'mapped-file');"
             "UPDATE snapshot SET rss_kib = NULL WHERE state = 'complete'");
    applied_to(k, SIMPLE, true, &changes);
    assert_non_null(strstr(pm_buf_text(&changes).data, "mapped-file > Data file 1: 1 100 -1\n"));
    kit_expect(k, "SELECT category, rss_kib, pss_kib FROM categories ORDER BY 1",
               "Data|?|?\nanonymous/block|8192|?\nreserve|64|?\nstack|66|?\ntotal|100|?\n");
    pm_buf_free(&changes);
}

IN_KIT(names_of_the_program_stay)
{
    put_one(k, PM_DIALECT_SMAPS, 7, 0);
    kit_exec(k, "UPDATE lineage SET rule = 'label' WHERE rule = 'stack'");
    applied_to(k, SIMPLE, true, NULL);
    kit_expect(k, "SELECT category, mappings FROM categories ORDER BY 1",
               "Data|1\nanonymous/thread-stack|2\nreserve|2\nstack|1\n");
}

/* ---- nothing is changed where it cannot be right ---- */

#define CATEGORIES "SELECT * FROM category"
#define AND_RULES CATEGORIES " JOIN rule_set"

static void expect_refused(const kit *k, const char *rules, applied *how, const char *content,
                           pmapdb_status status, const char *why)
{
    pm_buf before = whole_content(k), after;
    pmapdb_rules_result result;
    pmapdb_error err = {0};

    kit_rows(k, &before, content);
    assert_int_equal(applied_try(k, rules, true, how, &result, &err), status);
    kit_says(&err, why);
    after = whole_content(k);
    kit_rows(k, &after, content);
    assert_true(answers_equal(&after, &before));
    kit_expect(k, "PRAGMA foreign_keys", "1\n");
    pm_buf_free(&before);
    pm_buf_free(&after);
}

IN_KIT(damaged)
{
    put_one(k, PM_DIALECT_SMAPS, 7, 0);
    kit_exec(k, "UPDATE mapping_version SET private_clean = private_clean + 4 WHERE region_id = 2");
    expect_refused(k, SIMPLE, &(applied){0}, CATEGORIES, PMAPDB_DATABASE, "would not add up");
}

IN_KIT(stopped)
{
    put_one(k, PM_DIALECT_SMAPS, 7, 0);
    put_one(k, PM_DIALECT_SMAPS, 8, 0);
    expect_refused(k, SIMPLE, &(applied){.stop_at = 2}, AND_RULES, PMAPDB_STOPPED, "stopped");
}

#define EACH_FILE "rule,category,base,path\nfile,%b,mapped-file,\n"

/* Lineages without room for a category get that of their slug; old rules can be applied again. */
IN_KIT(too_many_categories)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, T0);
    pmapdb_rules_result result;
    pmapdb_error err;

    for (unsigned i = 0; i < PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT + 5; i++) {
        char path[32];

        snprintf(path, sizeof path, "/data/%u", i);
        kit_map(k, c, 0x7f0000000000U + (uint64_t)i * 0x10000, 4, "r--p", path);
    }
    kit_put(k, c);
    kit_ok(applied_try(k, EACH_FILE, true, &(applied){0}, &result, &err), &err);
    assert_int_equal(result.unnamed, 5);
    kit_expect(k,
               "SELECT count(*), count(DISTINCT category_id), sum(category_id = 9 AND rule IS "
               "NULL) FROM lineage",
               "1805|1801|5\n");
    kit_expect(k,
               "SELECT count(*) FROM snapshot s WHERE s.mappings IS NOT (SELECT sum(mappings) FROM "
               "categories c WHERE c.snapshot_id = s.snapshot_id)",
               "0\n");
    kit_ok(applied_try(k, "rule,category,base,path\nfile,F %b,mapped-file,\n", true, &(applied){0},
                       &result, &err),
           &err);
    assert_int_equal(result.unnamed, 5);
    kit_ok(applied_try(k, KIT_RULES, true, &(applied){0}, &result, &err), &err);
    kit_expect(k, "SELECT count(*) FROM category", "14\n");
}

IN_KIT(regex_gives_up)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, T0);

    kit_map(k, c, 0x7f0000000000U, 4, "r--p",
            "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaax");
    kit_put(k, c);
    expect_refused(k, "rule,category,base,path\nslow,Slow,mapped-file,~^/(a+)+$\n", &(applied){0},
                   AND_RULES, PMAPDB_INPUT, "rule 'slow': its regex takes too long");
}

RUN_TESTS(NULL, NULL)
