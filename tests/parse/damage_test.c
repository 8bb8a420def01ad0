/* damage: each capture is damaged at one place at a time. A damaged capture whose rows or sums
 * differ from the whole capture must show it: the result is partial or refused, or has a note that
 * the whole capture does not have. If the rows or their sizes differ, the footer never proves the
 * capture.
 *
 * Some damage is invisible: it leaves a text that the tool could have printed. It is counted
 * separately, and only these kinds are allowed:
 * - whole mappings are lost (in smaps with all their keys) from a capture without sums: maps,
 *   smaps, pmap -q, rows of -X that were copied without their footer;
 * - the end of `pmap PID` is lost after a whole row, because `pmap -q PID` prints no footer either;
 * - the head of a file without header is lost together with all but blanks of its last line;
 * - keys of the only mapping of smaps are lost, in whole lines: kernels print different keys;
 * - all is lost except a part of the last row that looks like a row, with at least 8 digits of the
 *   address: there is no other row to compare with;
 * - a byte is lost inside a row of a capture without sums, and the row still looks like a row;
 * - whole captures are lost: at the head or tail of a log, or a capture of one line.
 *
 * In its long form the test reports four coincidences. In grown-XX.txt (three times) the later row
 * of a mapping that grew is lost, and the footer is of the earlier moment. In
 * procps-3.3.12-built-x.txt a lost digit makes a row smaller by exactly the shared mappings, which
 * this tool counts twice.
 *
 * The captures are the fixtures, the samples and, if present, those of PMAPDB_SHARED. By default a
 * few places of each are damaged; with PMAPDB_DAMAGE=all every place (a minute in a release build):
 *     PMAPDB_DAMAGE=all build/release/tests/parse_tests damage */
#include "parse/kit.h"

#include "base/hash.h"
#include <ftw.h>

#define BLOCKS_MAX 512
#define NOTES 8
#define FAILURES_SHOWN 20

/* The properties of a block that this test judges. */
typedef struct said {
    pm_dialect dialect;
    pm_state state;
    pm_checked checked;
    int64_t sums[PM_TOTAL_COUNT];
    uint64_t missing, notes[NOTES]; /* hashes of the messages, without numbers */
    uint64_t first_line;
    bool doubts; /* a note says that rows may be lost or that sums differ */
    bool empty, matched;
} said;

typedef struct reading {
    said blocks[BLOCKS_MAX];
    size_t n;
} reading;

static uint64_t hash_words(pm_text t)
{
    uint64_t hash = 0;

    for (; t.len; t = pm_text_from(t, 1))
        if (*t.data < '0' || *t.data > '9')
            hash = pm_hash(t.data, 1, hash);
    return hash;
}

static pmapdb_status take_block(void *ctx, const pm_block *b, uint32_t *rows, size_t n_rows,
                                pmapdb_error *err)
{
    reading *r = ctx;
    pm_text notes = b->notes;
    said *s;

    if (r->n == BLOCKS_MAX)
        return PMAPDB_OK;
    s = &r->blocks[r->n++];
    *s = (said){.dialect = b->dialect,
                .state = b->state,
                .checked = b->checked,
                .missing = hash_words(b->missing),
                .first_line = b->first_line,
                .empty = b->empty.len > 0};
    memcpy(s->sums, b->totals.v, sizeof s->sums);
    s->doubts = memmem(notes.data, notes.len, " lost?", 6) ||
                memmem(notes.data, notes.len, " footer ", 8); /* does not add up */
    for (size_t i = 0; notes.len && i < NOTES; i++)
        s->notes[i] = hash_words(pm_text_cut(&notes, '\n'));
    return PMAPDB_OK;
}

static void read_text(pm_text t, reading *out)
{
    pm_pool *pool = kit_pool();
    pm_reader *r = NULL;
    pmapdb_error err;

    out->n = 0;
    assert_int_equal(pm_reader_new(PM_DIALECT_COUNT, pool, take_block, out, &r, &err), PMAPDB_OK);
    assert_int_equal(pm_reader_feed(r, t.data, t.len, &err), PMAPDB_OK);
    assert_int_equal(pm_reader_finish(r, &err), PMAPDB_OK);
    pm_reader_free(r);
    pm_pool_free(pool);
}

/* ---- judging ---- */

/* True if the sums of b are unknown or equal those of a, and b has no new `missing`. */
static bool is_same(const said *a, const said *b)
{
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        if (a->sums[i] != b->sums[i] && (b->sums[i] >= 0 || i == PM_TOTAL_MAPPINGS))
            return false;
    return a->empty == b->empty && (!b->missing || a->missing == b->missing);
}

/* Pairs the blocks that the damage did not change. */
static void match(reading *a, reading *b)
{
    for (size_t i = 0; i < a->n; i++)
        a->blocks[i].matched = false;
    for (size_t k = 0; k < b->n; k++) {
        b->blocks[k].matched = false;
        for (size_t i = 0; i < a->n && !b->blocks[k].matched; i++)
            if (!a->blocks[i].matched && is_same(&a->blocks[i], &b->blocks[k]))
                a->blocks[i].matched = b->blocks[k].matched = true;
    }
}

static bool has_note(const reading *r, uint64_t note)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < NOTES; k++)
            if (r->blocks[i].notes[k] == note)
                return true;
    return false;
}

/* True if a block is partial, refused or only sums, or has a note that the whole text lacks. */
static bool is_said(const reading *whole, const reading *damaged)
{
    size_t refused = 0, partial = 0;

    for (size_t i = 0; i < whole->n; i++) {
        refused += whole->blocks[i].empty;
        partial += whole->blocks[i].state == PM_STATE_PARTIAL;
    }
    for (size_t k = 0; k < damaged->n; k++) {
        const said *s = &damaged->blocks[k];

        if (!s->matched && (s->empty || s->doubts || s->state != PM_STATE_COMPLETE))
            return true;
        refused -= s->empty;
        partial -= s->state == PM_STATE_PARTIAL;
        for (size_t n = 0; n < NOTES && s->notes[n]; n++)
            if (!has_note(whole, s->notes[n]))
                return true;
    }
    return refused > whole->n || partial > whole->n; /* more than in the whole text */
}

/* True if a capture of the whole text has the same number of rows and the same sum of sizes. */
static bool has_sizes(const reading *whole, const said *s)
{
    for (size_t i = 0; i < whole->n; i++)
        if (whole->blocks[i].sums[PM_TOTAL_MAPPINGS] == s->sums[PM_TOTAL_MAPPINGS] &&
            whole->blocks[i].sums[PM_TOTAL_SIZE] == s->sums[PM_TOTAL_SIZE])
            return true;
    return false;
}

typedef enum kind { ROW, LINE, GLUE, HEAD, TAIL, NULS, BYTE, GARBLE, BEHEAD, KINDS } kind;

static const char *const kind_names[KINDS] = {"row deleted", "line deleted",  "newline lost",
                                              "head cut",    "tail cut",      "NUL tail",
                                              "byte lost",   "start garbled", "start cut"};

typedef enum verdict { HARMLESS, SAID, UNSEEN, SILENT, PROVED, VERDICTS } verdict;

static const char *const verdict_names[VERDICTS] = {"no loss", "said", "nobody can see", "SILENT",
                                                    "PROVED though other"};

/* `whole_rows`: the damage removed only whole rows, or lines outside of captures. */
static verdict judge(kind k, reading *whole, reading *damaged, bool whole_rows)
{
    size_t n_whole = 0, n_damaged = 0;
    bool summed = false, lines_of_sums = true, one_row = true, quiet = true;

    match(whole, damaged);
    for (size_t i = 0; i < whole->n; i++) {
        const said *s = &whole->blocks[i];

        if (s->matched)
            continue;
        n_whole++;
        summed |= s->checked == PM_CHECKED_FOOTER;
        lines_of_sums &= s->state == PM_STATE_TOTALS;
        one_row &= s->sums[PM_TOTAL_MAPPINGS] == 1;
    }
    for (size_t i = 0; i < damaged->n; i++) {
        const said *s = &damaged->blocks[i];

        if (s->matched)
            continue;
        n_damaged++;
        if (s->state == PM_STATE_COMPLETE && s->checked == PM_CHECKED_FOOTER && !s->empty &&
            !has_sizes(whole, s))
            return PROVED;
        quiet &= s->dialect == PM_DIALECT_PMAP || s->dialect == PM_DIALECT_TOYBOX ||
                 s->dialect == PM_DIALECT_BUSYBOX;
    }
    if (n_whole == 0 && n_damaged == 0)
        return HARMLESS;
    if (damaged->n == 0 || is_said(whole, damaged)) /* import says "no capture in it" */
        return SAID;
    if (n_damaged == 0 && (lines_of_sums || one_row || k == HEAD || k == TAIL))
        return UNSEEN;
    if (k == HEAD && damaged->n == 1 && damaged->blocks[0].sums[PM_TOTAL_MAPPINGS] == 1)
        return UNSEEN;
    return whole_rows && (!summed || quiet) ? UNSEEN : SILENT;
}

/* ---- damaging ---- */

typedef struct text {
    const char *path;
    pm_text t;
    pm_buf damaged;
    size_t *line, n; /* the start of each line, and the end */
    reading whole;
} text;

static unsigned long counts[KINDS][VERDICTS];
static unsigned failures;
static bool everything;

static pm_text line_at(const text *x, size_t i)
{
    return (pm_text){x->t.data + x->line[i], x->line[i + 1] - x->line[i]};
}

static bool is_key(const text *x, size_t i)
{
    pm_text t = i < x->n ? pm_text_skip(line_at(x, i), " ") : PM_TEXT("");
    const char *colon = t.len ? memchr(t.data, ':', t.len) : NULL;

    return colon && *t.data >= 'A' && *t.data <= 'Z' &&
           !memchr(t.data, ' ', (size_t)(colon - t.data));
}

static bool is_row(const text *x, size_t i)
{
    pm_text t = pm_text_skip(line_at(x, i), " ");

    return pm_text_skip(t, "0123456789abcdef").len + 8 <= t.len;
}

static bool begins_block(const text *x, size_t line)
{
    for (size_t i = 0; i < x->whole.n; i++)
        if (x->whole.blocks[i].first_line == line + 1)
            return true;
    return false;
}

/* True for a key of the first mapping of a capture. */
static bool is_first_mapping(const text *x, size_t line)
{
    while (line && is_key(x, line))
        line--;
    return begins_block(x, line);
}

/* True for a key of the only mapping of a capture. */
static bool is_only_mapping(const text *x, size_t line)
{
    size_t end = line;

    while (end < x->n && is_key(x, end))
        end++;
    return is_first_mapping(x, line) && (end == x->n || !is_row(x, end) || begins_block(x, end));
}

static void add(text *x, size_t from, size_t to)
{
    if (to > from)
        pm_buf_add(&x->damaged, x->t.data + from, to - from, NULL);
}

static void count(text *x, kind k, size_t at, bool whole_rows)
{
    static reading damaged;
    verdict v;

    read_text(pm_buf_text(&x->damaged), &damaged);
    v = judge(k, &x->whole, &damaged, whole_rows);
    counts[k][v]++;
    if (v >= SILENT && failures++ < FAILURES_SHOWN)
        fprintf(stderr, "%s: %s at byte %zu, now %zu bytes: %s\n", x->path, kind_names[k], at,
                x->damaged.len, verdict_names[v]);
    pm_buf_clear(&x->damaged);
}

/* Cuts off the head or the tail at byte `at`, or overwrites the tail with NUL bytes. */
static void cut(text *x, kind k, size_t line, size_t at)
{
    pm_text rest = {x->t.data + at, x->line[line + 1] - at};
    pm_text gone = {x->t.data + x->line[line], at - x->line[line]};
    bool bound = !pm_text_skip(gone, "> ").len;

    if (k == HEAD)
        add(x, at, x->t.len);
    else
        add(x, 0, at);
    for (size_t i = at; k == NULS && i < x->t.len; i++)
        pm_buf_add(&x->damaged, "", 1, NULL);
    count(x, k, at,
          k == HEAD   ? (bound && !is_key(x, line)) || !pm_text_skip(rest, "> \t\n").len
          : k == TAIL ? gone.len == 0 && (!is_key(x, line) || is_first_mapping(x, line))
                      : false);
}

/* Damages line i in ways of one kind. */
static void damage(text *x, kind k, size_t i)
{
    size_t from = x->line[i], to = x->line[i + 1], end = i + 1;
    static const char junk[] = "#\0~ x";

    switch (k) {
    case ROW:
        while (end < x->n && is_key(x, end))
            end++;
        add(x, 0, from);
        add(x, x->line[end], x->t.len);
        count(x, k, from, true);
        return;
    case LINE:
        add(x, 0, from);
        add(x, to, x->t.len);
        count(x, k, from, is_key(x, i) ? is_only_mapping(x, i) : !is_key(x, i + 1));
        return;
    case GLUE:
        add(x, 0, to - 1);
        add(x, to, x->t.len);
        count(x, k, to - 1, false);
        return;
    case HEAD:
    case TAIL:
    case NULS:
        for (size_t at = from; at < to;
             at += everything && x->t.len < 4000 ? 1 : 1 + (to - from) / 3)
            cut(x, k, i, at);
        return;
    case BYTE:
        for (size_t at = from; at < to - 1; at += everything ? 3 : 7) {
            add(x, 0, at);
            add(x, at + 1, x->t.len);
            count(x, k, at, true);
        }
        return;
    default:
        for (size_t n = 1; n < 24 && n < to - from; n += 5) {
            add(x, 0, from);
            for (size_t c = 0; k == GARBLE && c < n; c++)
                pm_buf_add(&x->damaged, &junk[(i + n) % 5], 1, NULL);
            add(x, from + n, x->t.len);
            count(x, k, from, false);
        }
    }
}

/* Damages every n-th place: a large capture takes no longer than many small captures. */
static void damage_text(text *x)
{
    size_t bytes = everything ? (size_t)50 << 20 : (size_t)2 << 10, rows = 0;

    for (size_t i = 0; i < x->n; i++)
        rows += is_row(x, i);
    for (kind k = 0; k < KINDS; k++) {
        bool by_row = k == ROW || k >= GARBLE;
        size_t step = 1 + (by_row ? rows : x->n) * x->t.len / bytes;

        for (size_t i = 0, nth = 0; i < x->n; i++)
            if ((!by_row || is_row(x, i)) && (nth++ % step == 0 || i + 1 == x->n))
                damage(x, k, i);
    }
}

static size_t files;

/* Damages a file; large files only in the long form. */
static int damage_file(const char *path, const struct stat *info, int type, struct FTW *at)
{
    text x = {.path = path};
    bool any = false;
    pm_buf bytes;

    if (type != FTW_F || (!everything && info->st_size >= 10000))
        return 0;
    bytes = kit_slurp(path);
    x.t = pm_buf_text(&bytes);
    x.line = calloc(x.t.len + 2, sizeof *x.line);
    assert_non_null(x.line);
    for (size_t i = 0; i < x.t.len; i++)
        if (i + 1 == x.t.len || x.t.data[i] == '\n')
            x.line[++x.n] = i + 1;
    read_text(x.t, &x.whole);
    for (size_t i = 0; i < x.whole.n && !any; i++)
        any = !x.whole.blocks[i].empty;
    if (any)
        damage_text(&x);
    free(x.line);
    pm_buf_free(&x.damaged);
    pm_buf_free(&bytes);
    files++;
    return 0;
}

TEST(damage_is_said)
{
    const char *shared = getenv("PMAPDB_SHARED");
    char captures[1024];
    const char *const folders[] = {"tests/fixtures/parse", "samples/captures", "samples/logs",
                                   captures};

    everything = getenv("PMAPDB_DAMAGE") != NULL;
    snprintf(captures, sizeof captures, "%s/captures", shared ? shared : ".");
    for (size_t i = 0; i < COUNT(folders); i++) {
        files = 0;
        nftw(folders[i], damage_file, 16, 0);
        assert_true(files > 0 || folders[i] == captures);
    }
    for (kind k = 0; k < KINDS; k++) {
        fprintf(stderr, "%-14s", kind_names[k]);
        for (verdict v = 0; v < VERDICTS; v++)
            fprintf(stderr, "  %s %lu", verdict_names[v], counts[k][v]);
        fprintf(stderr, "\n");
    }
    assert_int_equal(failures, 0);
}

RUN_TESTS(NULL, NULL)
