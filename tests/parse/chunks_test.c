/* chunks: a text gives the same rows, blocks, notes and states for every division into chunks.
 *
 * Texts of up to SMALL bytes are cut into chunks of every size, and into two parts at every
 * position. Larger texts are cut into chunks of some sizes, and at random positions from a fixed
 * seed. The cost is quadratic, so without PMAPDB_FULL=1 a small text longer than EVERY bytes is
 * also cut at random sizes and positions only. The texts are tests/fixtures and, if present, the
 * captures of PMAPDB_SHARED.
 */
#include "parse/kit.h"
#include <dirent.h>
#include <sys/stat.h>

#define SMALL 8192
#define EVERY 512
#define DRAWN_SIZES 20
#define DRAWN_SPLITS 30
#define DRAWN_CUTS 8
#define CUTS_MAX 12

static bool full, missing;
static uint64_t texts, readings;

/* ---- one reading, compared as it goes ---- */

typedef struct expected {
    const pm_seen *whole;
    const pm_buf *blocks; /* of each block, its text */
    size_t row, block;    /* seen so far */
    bool same;
} expected;

static bool same_mapping(const pm_mapping *a, const pm_mapping *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset &&
           a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor &&
           a->present == b->present && memcmp(a->value, b->value, sizeof a->value) == 0 &&
           strcmp(a->perms, b->perms) == 0 && a->name_cut == b->name_cut &&
           pm_text_equal(a->path, b->path) && pm_text_equal(a->flags, b->flags) &&
           pm_text_equal(a->extra, b->extra);
}

static pmapdb_status compare_mapping(void *ctx, const pm_mapping *m, pmapdb_error *err)
{
    expected *e = ctx;

    (void)err;
    e->same = e->same && e->row < e->whole->n_rows && same_mapping(m, &e->whole->rows[e->row]);
    e->row++;
    return PMAPDB_OK;
}

static pmapdb_status compare_block(void *ctx, const pm_block *b, pmapdb_error *err)
{
    expected *e = ctx;
    pm_buf text = {0};

    (void)err;
    kit_write_block(&text, b);
    e->same = e->same && e->block < e->whole->n_blocks &&
              e->whole->first_row[e->block + 1] == e->row &&
              pm_text_equal(pm_buf_text(&text), pm_buf_text(&e->blocks[e->block]));
    e->block++;
    pm_buf_free(&text);
    return PMAPDB_OK;
}

/* The text in the chunks that end at cuts[0] < cuts[1] < ..., and at its end. */
static pm_seen *read_cut(const pm_reader_events *events, pm_text t, const size_t *cuts, size_t n)
{
    pm_seen *s = calloc(1, sizeof *s);
    pm_reader_events own = {s, kit_mapping, kit_block};
    pm_reader *r = NULL;
    size_t at = 0;

    assert_non_null(s);
    assert_int_equal(pm_reader_new(events ? events : &own, PM_DIALECT_COUNT, &r, &s->err), 0);
    for (size_t i = 0; i <= n && s->status == PMAPDB_OK; i++) {
        size_t end = i < n ? cuts[i] : t.len;

        s->status = kit_feed(r, t.data + at, end - at, &s->err);
        at = end;
    }
    if (s->status == PMAPDB_OK)
        s->status = pm_reader_finish(r, &s->err);
    s->foreign = pm_reader_foreign_lines(r);
    s->hopeless = pm_reader_hopeless(r);
    pm_reader_free(r);
    readings++;
    return s;
}

static void show_difference(const char *path, const pm_seen *whole, pm_text t, const size_t *cuts,
                            size_t n)
{
    pm_seen *s = read_cut(NULL, t, cuts, n);
    pm_buf wanted = kit_text(whole, true), got = kit_text(s, true);

    print_error("%s: whole: status %d, hopeless %d\n%s", path, whole->status, whole->hopeless,
                wanted.data);
    print_error("--- %zu chunks, the first of %zu bytes: status %d, hopeless %d\n%s", n + 1,
                n ? cuts[0] : t.len, s->status, s->hopeless, got.data);
    fail_msg("%s: other events in %zu chunks", path, n + 1);
}

/* ---- the cuts of one text ---- */

typedef struct subject {
    const char *path;
    pm_text text;
    pm_seen *whole;
    pm_buf *blocks;
    size_t *cuts; /* room for one behind every byte */
    uint64_t seed;
} subject;

static void expect_same(const subject *of, size_t n)
{
    expected e = {.whole = of->whole, .blocks = of->blocks, .same = true};
    pm_reader_events events = {&e, compare_mapping, compare_block};
    pm_seen *s = read_cut(&events, of->text, of->cuts, n);

    if (!e.same || e.row != of->whole->n_rows || e.block != of->whole->n_blocks ||
        s->foreign != of->whole->foreign || s->hopeless != of->whole->hopeless ||
        s->status != of->whole->status)
        show_difference(of->path, of->whole, of->text, of->cuts, n);
    kit_free(s);
}

static void chunks_of(const subject *of, size_t size)
{
    size_t n = 0;

    for (size_t at = size; at < of->text.len; at += size)
        of->cuts[n++] = at;
    expect_same(of, n);
}

static void split_at(const subject *of, size_t place)
{
    of->cuts[0] = place;
    expect_same(of, 1);
}

/* 1 to n; the same ones in every run. */
static size_t draw(subject *of, size_t n)
{
    of->seed = of->seed * 6364136223846793005U + 1442695040888963407U;
    return (size_t)((of->seed >> 33) % n) + 1;
}

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

static void drawn_cuts(subject *of)
{
    size_t n = draw(of, CUTS_MAX), kept = 1;

    for (size_t i = 0; i < n; i++)
        of->cuts[i] = draw(of, of->text.len - 1);
    qsort(of->cuts, n, sizeof *of->cuts, by_size);
    for (size_t i = 1; i < n; i++)
        if (of->cuts[i] != of->cuts[kept - 1])
            of->cuts[kept++] = of->cuts[i];
    expect_same(of, kept);
}

static void cut_small(subject *of)
{
    size_t n = of->text.len;
    bool every = full || n <= EVERY;

    for (size_t size = 1; size < n && (every || size <= 9); size++)
        chunks_of(of, size);
    for (size_t place = 1; place < n && every; place++)
        split_at(of, place);
    for (int i = 0; i < DRAWN_SIZES && !every; i++)
        chunks_of(of, draw(of, n - 1));
    for (int i = 0; i < DRAWN_SPLITS && !every; i++)
        split_at(of, draw(of, n - 1));
}

static void cut_large(subject *of)
{
    static const size_t sizes[] = {1, 7, 61, 1021, 65536};

    for (size_t i = 0; i < COUNT(sizes); i++)
        chunks_of(of, sizes[i]);
    for (int i = 0; i < DRAWN_CUTS; i++)
        drawn_cuts(of);
}

static void cut_file(const char *path)
{
    pm_buf bytes = kit_slurp(path);
    subject of = {.path = path, .text = pm_buf_text(&bytes), .seed = bytes.len};

    of.cuts = calloc(bytes.len + CUTS_MAX, sizeof *of.cuts);
    of.whole = kit_read(of.text);
    of.blocks = calloc(of.whole->n_blocks + 1, sizeof *of.blocks);
    assert_true(of.cuts && of.blocks);
    for (size_t i = 0; i < of.whole->n_blocks; i++)
        kit_write_block(&of.blocks[i], &of.whole->blocks[i]);
    if (bytes.len > SMALL)
        cut_large(&of);
    else if (bytes.len > 1)
        cut_small(&of);
    texts++;
    for (size_t i = 0; i < of.whole->n_blocks; i++)
        pm_buf_free(&of.blocks[i]);
    free(of.blocks);
    free(of.cuts);
    kit_free(of.whole);
    pm_buf_free(&bytes);
}

/* Every file below a folder; false where the folder is not there. */
static bool cut_folder(const char *folder) // NOLINT(misc-no-recursion): folders hold folders
{
    DIR *dir = opendir(folder);

    if (!dir)
        return false;
    for (struct dirent *e; (e = readdir(dir));) {
        char path[2048];
        struct stat st;

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        assert_int_equal(lstat(path, &st), 0);
        if (S_ISDIR(st.st_mode))
            (void)cut_folder(path);
        else if (S_ISREG(st.st_mode))
            cut_file(path);
    }
    (void)closedir(dir);
    return true;
}

static void fixtures(void **state)
{
    assert_true(cut_folder("tests/fixtures"));
}

static void shared_folder(const char *name)
{
    const char *shared = getenv("PMAPDB_SHARED");
    char path[1024];

    snprintf(path, sizeof path, "%s/captures/%s", shared ? shared : "", name);
    if (!shared || !cut_folder(path)) {
        missing = true;
        skip();
    }
}

static void captures_from_the_field(void **state)
{
    shared_folder("pmap");
}

static void captures_of_every_version(void **state)
{
    shared_folder("versions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures),
        cmocka_unit_test(captures_from_the_field),
        cmocka_unit_test(captures_of_every_version),
    };
    const char *wanted = getenv("PMAPDB_FULL");
    int failed;

    full = wanted && strcmp(wanted, "1") == 0;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("%" PRIu64 " texts, read %" PRIu64 " times in pieces%s\n", texts, readings,
                  full ? "" : " (PMAPDB_FULL=1 cuts everywhere)");
    return failed || !missing ? failed : 77;
}
