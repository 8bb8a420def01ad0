/* recall_test: a stored capture is restored as it was read: every field of every mapping, the set
 * of its fields, sums, texts. For all captures in the source tree and in PMAPDB_SHARED. */
#include "kit.h"

#include "parse/reader.h"
#include "source/source.h"
#include "store/recall/recall.h"

#define STEP_MS 10000

/* The stored captures, in the order of taken_ms. */
typedef struct given {
    kit *k;
    pm_capture **capture;
    size_t n, cap;
    int64_t pid;
} given;

static size_t compared, stored;
static int64_t every = 1; /* reads one of so many files */

/* ---- reading ---- */

/* Makes a capture of each block, with four time sources in turn. */
static pmapdb_status on_block(void *ctx, const pm_block *block, uint32_t *rows, size_t n_rows,
                              pmapdb_error *err)
{
    static const pm_time_source sources[] = {PM_TIME_STREAM, PM_TIME_MTIME, PM_TIME_NOW,
                                             PM_TIME_EVERY};
    given *g = ctx;
    pm_capture *c;

    if (!block->empty.len && !block->foreign) {
        int64_t at = 1700000000000 + (int64_t)g->n * STEP_MS;

        c = kit_capture(g->k, block->dialect, g->pid, at);
        c->block = *block;
        c->missing = pm_text_copy(block->missing);
        c->block.missing = pm_text_of(c->missing);
        c->block.notes = PM_TEXT("");
        c->command = pm_text_copy(block->command);
        c->block.command = pm_text_of(c->command);
        c->rows = malloc((n_rows + 1) * sizeof *c->rows);
        if (!c->rows)
            abort();
        if (n_rows)
            memcpy(c->rows, rows, n_rows * sizeof *c->rows);
        c->n_rows = n_rows;
        c->time_source = sources[g->n % 4];
        c->ordinal = (int64_t)g->n % 3;
        kit_ok(pm_grow(&g->capture, &g->cap, g->n, sizeof(pm_capture *), err), err);
        g->capture[g->n++] = c;
    }
    return PMAPDB_OK;
}

static void read_entry(given *g, pm_source *source)
{
    pm_reader *reader = NULL;
    const char *bytes;
    size_t n;

    kit_ok(pm_reader_new(PM_DIALECT_COUNT, g->k->pool, on_block, g, &reader, NULL), NULL);
    if (!reader)
        abort();
    while (pm_source_read(source, &bytes, &n, NULL) == PMAPDB_OK && n &&
           !pm_reader_hopeless(reader))
        kit_ok(pm_reader_feed(reader, bytes, n, NULL), NULL);
    kit_ok(pm_reader_finish(reader, NULL), NULL);
    pm_reader_free(reader);
}

/* ---- as text ---- */

static void write_mapping(pm_buf *out, const pm_mapping *m)
{
    pm_buf_addf(out, NULL, "%llx-%llx %s %llx %x:%x %llu '%.*s' cut %d '%.*s' '%.*s' present %llx",
                (unsigned long long)m->start, (unsigned long long)m->end, m->perms,
                (unsigned long long)m->offset, m->dev_major, m->dev_minor,
                (unsigned long long)m->inode, (int)m->path.len, m->path.data, m->name_cut,
                (int)m->flags.len, m->flags.len ? m->flags.data : "", (int)m->extra.len,
                m->extra.len ? m->extra.data : "", (unsigned long long)m->present);
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        pm_buf_addf(out, NULL, " %llu", (unsigned long long)m->value[i]);
    pm_buf_addf(out, NULL, "\n");
}

static void write_head(pm_buf *out, const pm_capture *c)
{
    const pm_block *b = &c->block;

    pm_buf_addf(out, NULL, "%s %s %s %d %lld %lld hash %llx fields %llx '%s' '%s%s' pid %lld\n",
                pm_dialect_names[b->dialect], pm_state_names[b->state],
                pm_checked_names[b->checked], c->time_source, (long long)c->taken_ms,
                (long long)c->ordinal, (unsigned long long)b->hash, (unsigned long long)b->fields,
                c->missing, c->source_dir, c->source_name, (long long)c->pid);
    pm_buf_addf(out, NULL, "tool %lld %lld totals", (long long)b->tool_size_kib,
                (long long)b->tool_rss_kib);
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        pm_buf_addf(out, NULL, " %lld", (long long)b->totals.v[i]);
    pm_buf_add(out, "\n", 1, NULL);
}

/* Rows are compared as text only where they differ. */
static bool same_mapping(const pm_mapping *x, const pm_mapping *y)
{
    return x->start == y->start && x->end == y->end && strcmp(x->perms, y->perms) == 0 &&
           x->offset == y->offset && x->dev_major == y->dev_major && x->dev_minor == y->dev_minor &&
           x->inode == y->inode && x->name_cut == y->name_cut && x->present == y->present &&
           pm_text_equal(x->path, y->path) && pm_text_equal(x->flags, y->flags) &&
           pm_text_equal(x->extra, y->extra) && memcmp(x->value, y->value, sizeof x->value) == 0;
}

/* ---- comparing ---- */

static void same(const pm_capture *got, const pm_capture *want)
{
    pm_buf a = {0}, b = {0};
    const pm_mapping **x = kit_rows_by_start(got), **y = kit_rows_by_start(want);

    write_head(&a, got);
    write_head(&b, want);
    if (got->n_rows != want->n_rows)
        fail_msg("%zu rows, were %zu", got->n_rows, want->n_rows);
    for (size_t i = 0; i < got->n_rows; i++)
        if (!same_mapping(x[i], y[i])) {
            write_mapping(&a, x[i]);
            write_mapping(&b, y[i]);
        }
    free(x);
    free(y);
    if (!pm_text_equal(pm_buf_text(&a), pm_buf_text(&b)))
        fail_msg("%s%s:\n%s\nwas:\n%s", want->source_dir, want->source_name, a.data, b.data);
    pm_buf_free(&a);
    pm_buf_free(&b);
    compared++;
}

static void recall_process(pm_recall *r, int64_t process_id, const given *g)
{
    pm_recall_item *items;
    size_t n;

    pm_recall_begin(r, process_id);
    items = pm_recall_items(r, &n);
    for (size_t i = 0; i < 2 * n; i++) {
        const pm_recall_item *item;
        const pm_capture *c;

        if (i == n) { /* backwards: an epoch is read again, from an earlier capture on */
            pm_recall_begin(r, process_id);
            items = pm_recall_items(r, &n);
        }
        if (i >= n && i % 3)
            continue;
        item = &items[i < n ? i : 2 * n - 1 - i];
        c = pm_recall_capture(r, item);
        kit_steps(g->k);
        if (!c || !g->capture)
            abort();
        same(c, g->capture[(item->order.taken_ms - 1700000000000) / STEP_MS]);
    }
}

static void recall_all(const kit *k, const given *g)
{
    pm_recall *r = pm_recall_new(k->store->sql);
    sqlite3_stmt *stmt;

    if (!r)
        abort();
    stmt = pm_sql_ask(k->store->sql, "SELECT process_id FROM process", PM_NO_ARGS);
    while (pm_sql_next(k->store->sql, stmt))
        recall_process(r, pm_col_int(stmt, 0), g);
    pm_recall_free(r);
}

/* Returns false if two rows of the capture have one address. */
static bool put(const kit *k, const pm_capture *c)
{
    pmapdb_error err = {0};
    pm_stored out;
    int64_t capture_id = 0;
    pmapdb_status st = kit_try(k->store, c, &capture_id, &out, &err);

    if (st == PMAPDB_INPUT)
        return false;
    kit_ok(st, &err);
    return true;
}

static void round_trip(kit *k, const char *path)
{
    given g = {.k = k};
    pm_source *source = NULL;
    const pm_source_entry *entry;

    kit_ok(pm_source_new(&path, 1, 0, &source, NULL), NULL);
    if (!source)
        abort();
    for (;;) {
        if (pm_source_next(source, &entry, NULL) != PMAPDB_OK)
            continue;
        if (!entry)
            break;
        g.pid++;
        if (!entry->skipped && g.pid % every == 0)
            read_entry(&g, source);
    }
    pm_source_free(source);
    kit_exec(k, "PRAGMA cache_size = -200000");
    for (size_t i = 0; i < g.n; i++)
        stored += put(k, g.capture[i]);
    recall_all(k, &g);
    for (size_t i = 0; i < g.n; i++)
        pm_capture_free(g.capture[i]);
    free(g.capture);
}

static void expect_all(size_t at_least)
{
    if (stored < at_least || compared < stored)
        fail_msg("%zu stored, %zu compared", stored, compared);
    stored = compared = 0;
}

IN_KIT(captures_of_the_tree)
{
    round_trip(k, "samples");
    expect_all(30);
}

IN_KIT(fixtures)
{
    round_trip(k, "tests/fixtures");
    expect_all(60);
}

IN_KIT(shared_captures)
{
    const char *shared = getenv("PMAPDB_SHARED");
    char path[1024];

    snprintf(path, sizeof path, "%s/captures", shared ? shared : "../shared");
    if (access(path, R_OK) != 0)
        skip();
    every = getenv("PMAPDB_FULL") ? 1 : 3;
    round_trip(k, path);
    expect_all(200 / (size_t)every);
}

RUN_TESTS(NULL, NULL)
