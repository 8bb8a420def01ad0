/* map_recall_test: a mapping that comes back from the store is, field for field, what the parser
 * gives of its text. Of all maps of the tree, and some of each workload in PMAPDB_SHARED. */
#include "map_shot.h"

#include "source/source.h"
#include <dirent.h>

#define TEXT_BYTES_MAX ((size_t)16 << 20)
#define FROM_WORKLOAD 6

static size_t texts, mappings;

/* ---- one text ---- */

/* *out: what it has, as ids of the pool of `a`. False: the kernel does not print such. */
static bool parse(pm_again *a, pm_dialect dialect, pm_text text, pm_block *block,
                  const uint32_t **ids, size_t *n)
{
    const pm_pool *pool;

    return pm_again_begin(a, dialect, NULL) == PMAPDB_OK &&
           pm_again_feed(a, text.data, text.len, NULL, NULL) == PMAPDB_OK &&
           pm_again_finish(a, block, &pool, ids, n, NULL) == PMAPDB_OK && *n > 0;
}

/* Captured live from a process of its own, and kept. False: it is no map of this dialect. */
static bool store(const kit *k, const subject *s, pm_text text)
{
    shot t = {.again = shot_again(), .live = {.boot_id = "boot", .predicted_us = PMAPDB_UNKNOWN}};
    pm_capture *c = kit_capture(k, s->dialect, s->pid, SHOT_MS + s->pid);
    const uint32_t *ids = NULL;
    bool good = parse(t.again, s->dialect, text, &c->block, &ids, &c->n_rows);

    t.capture = c;
    if (good) {
        c->rows = malloc(c->n_rows * sizeof *c->rows);
        if (!c->rows)
            abort();
        memcpy(c->rows, ids, c->n_rows * sizeof *c->rows);
        c->pool = pm_again_pool(t.again);
        c->pid = c->block.pid = s->pid;
        c->host = SHOT_HOST;
        c->start_time = s->start_time;
        c->time_source = PM_TIME_LIVE;
        c->live = &t.live;
        kit_name(c, s->name, PM_NAME_EXE);
        shot_begin(k);
        shot_put(k, &t, 1, true);
        shot_commit(k);
        pm_store_abandon(k->store); /* the program ends */
    }
    shot_free(&t);
    return good;
}

/* In one pool equal mappings have one id: the text is parsed into the pool of what was recalled. */
static void expect_recalled(const kit *k, const subject *s, pm_text text)
{
    shot t = {.again = shot_again()};
    pm_block block;
    const uint32_t *ids = NULL;
    uint32_t *recalled;
    size_t n = 0, n_recalled;

    shot_recall(k, s, &t);
    n_recalled = t.again->last.n;
    assert_int_equal(t.known, n_recalled);
    recalled = calloc(n_recalled + 1, sizeof *recalled);
    if (!recalled)
        abort();
    for (size_t i = 0; i < n_recalled; i++) {
        recalled[i] = t.again->last.piece[i].id;
        t.again->last.piece[i].len = 0; /* not to be told by its mark */
    }
    assert_true(parse(t.again, s->dialect, text, &block, &ids, &n));
    assert_int_equal(n, n_recalled);
    for (size_t i = 0; i < n; i++)
        if (ids[i] != recalled[i])
            fail_msg("mapping at %llx of text %zu",
                     (unsigned long long)t.again->last.piece[i].start, texts);
    texts++;
    mappings += n;
    free(recalled);
    pm_store_abandon(k->store);
    shot_free(&t);
}

/* Recognised by their marks: none is parsed, and hash and sums are those of the text. */
static void expect_recognised(const kit *k, const subject *s, pm_text text)
{
    pm_again *fresh = shot_again();
    shot t = {.again = shot_again()};
    pm_block want = {.hash = 0}, got = {.hash = 1};
    const uint32_t *ids = NULL;
    size_t n = 0, n_got = 1;

    assert_true(parse(fresh, s->dialect, text, &want, &ids, &n));
    shot_recall(k, s, &t);
    assert_true(parse(t.again, s->dialect, text, &got, &ids, &n_got));
    assert_null(t.again->reader);
    assert_int_equal(n_got, n);
    assert_true(got.hash == want.hash && got.fields == want.fields && got.state == want.state);
    assert_memory_equal(&got.totals, &want.totals, sizeof got.totals);
    pm_again_free(fresh);
    pm_store_abandon(k->store);
    shot_free(&t);
}

/* Of another process each time. */
static bool try_text(const kit *k, pm_text text)
{
    static const pm_dialect dialects[] = {PM_DIALECT_SMAPS, PM_DIALECT_MAPS};
    static int64_t pid = 100;

    for (size_t i = 0; i < 2; i++) {
        subject s = {.pid = ++pid, .start_time = 7, .name = "app", .dialect = dialects[i]};

        if (store(k, &s, text)) {
            expect_recalled(k, &s, text);
            expect_recognised(k, &s, text);
            return true;
        }
    }
    return false;
}

/* ---- many ---- */

static pm_buf slurp(pm_source *source)
{
    pm_buf text = {0};
    const char *bytes;
    size_t n;

    while (text.len < TEXT_BYTES_MAX && pm_source_read(source, &bytes, &n, NULL) == PMAPDB_OK && n)
        pm_buf_add(&text, bytes, n, NULL);
    return text;
}

static void try_all(const kit *k, const char *path, size_t at_most)
{
    pm_source *source = NULL;
    const pm_source_entry *entry;

    kit_ok(pm_source_new(&path, 1, &source, NULL), NULL);
    if (!source)
        abort();
    for (size_t n = 0; n < at_most;) {
        pm_buf text = {0};

        if (pm_source_next(source, &entry, NULL) != PMAPDB_OK)
            continue;
        if (!entry)
            break;
        if (!entry->closed)
            text = slurp(source);
        n += text.data && strchr("0123456789abcdef", text.data[0]) &&
             try_text(k, pm_buf_text(&text));
        pm_buf_free(&text);
    }
    pm_source_free(source);
}

static void of_the_tree(void **state)
{
    texts = mappings = 0;
    try_all(kit_of(state), "samples", SIZE_MAX);
    try_all(kit_of(state), "tests/fixtures", SIZE_MAX);
    print_message("%zu texts, %zu mappings\n", texts, mappings);
    assert_in_range(texts, 5, 10000);
}

static void of_workloads(void **state)
{
    const char *shared = getenv("PMAPDB_SHARED");
    struct dirent *entry;
    char path[1024];
    DIR *dir;

    snprintf(path, sizeof path, "%s/workloads", shared ? shared : "../shared");
    dir = opendir(path);
    if (!dir) {
        skip();
        abort();
    }
    texts = mappings = 0;
    while ((entry = readdir(dir))) {
        snprintf(path, sizeof path, "%s/workloads/%s", shared ? shared : "../shared",
                 entry->d_name);
        if (strstr(entry->d_name, ".tar.zst"))
            try_all(kit_of(state), path, FROM_WORKLOAD);
    }
    closedir(dir);
    print_message("%zu texts, %zu mappings\n", texts, mappings);
    assert_in_range(texts, 20, 10000);
}

/* No map is so; nothing is known then. */
static void what_overlaps_is_refused(void **state)
{
    pm_again *a = shot_again();
    pm_mapping m = {.start = 0x1000, .end = 0x3000, .path = PM_TEXT(""), .perms = "rw-p"};
    uint32_t id;

    (void)state;
    pm_again_know_nothing(a, PM_DIALECT_SMAPS);
    kit_ok(pm_again_know(a, &m, (pm_again_mark){1, 9}, &id, NULL), NULL);
    assert_int_equal(a->last.n, 1);
    m.start = 0x2fff;
    m.end = 0x4000;
    assert_int_equal(pm_again_know(a, &m, (pm_again_mark){2, 9}, &id, NULL), PMAPDB_INPUT);
    assert_int_equal(a->last.n, 0);
    pm_again_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(of_the_tree),
        IN_KIT(of_workloads),
        IN_KIT(what_overlaps_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
