/* block: the state of a reader in parts, one for each file. Internal to src/parse.
 *
 * stream.c classifies lines; stream.c, enter.c and words.c begin blocks; the files of the dialects
 * turn lines into rows and pass them to pm_block_add; block_rows.c counts the rows; block.c judges
 * the block at its end.
 *
 * reader.st keeps the first failure. After a failure no event is reported, but the rest of the
 * current line may still be processed.
 */
#ifndef PM_PARSE_BLOCK_H
#define PM_PARSE_BLOCK_H

#include "parse/reader.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/line.h"
#include "base/map.h"
#include "parse/formats.h"
#include "parse/guess.h"

#define PM_COLUMNS_MAX 64
/* 64 PiB: no field of a real mapping comes near it, and 2^16 such values do not overflow. */
#define PM_KIB_MAX ((uint64_t)1 << 46)
#define PM_BROKEN_ROW "it begins like a row but is not a row"

typedef enum pm_mark {
#define PM_MARK(id, sentence) PM_MARK_##id,
#include "parse/marks.def"
#undef PM_MARK
    PM_MARK_COUNT,
    PM_MARK_STRANGE = PM_MARK_COUNT, /* becomes a GAP if the block continues; has no sentence */
    PM_MARKS
} pm_mark;

/* The smaps row whose key lines are being read: smaps.c. */
typedef struct pm_smaps {
    const pm_mapping *now; /* points to `row`, or to mapping `id` of the pool */
    pm_mapping row;
    bool open, known; /* known: `now` points into the pool */
    uint32_t id;
    bool torn;       /* foreign lines came after the row's first line */
    bool headless;   /* its address may have lost digits; Size decides, if the row has it */
    const char *bad; /* why the row cannot be used, or NULL */
    uint64_t line;
    bool any_key;       /* in the block */
    bool blank_ends;    /* VmFlags lines of the block end in a blank */
    uint64_t common;    /* fields that all earlier rows of the block have; 0 before the first */
    bool remembers;     /* smaps_fast.c: the pool remembers the texts of the block */
    uint32_t text;      /* smaps_fast.c: of the last row; index in pool->row_texts */
    uint32_t next_text; /* of the row that is expected next */
    pm_buf path, flags, extra; /* flags: of this row, or of an earlier row if this row has none */
} pm_smaps;

/* The contents of each column of -X and -XX: layout.c. */
typedef struct pm_columns {
    bool no_perms; /* the user's column list has no Perm */
    char place[4]; /* columns before the numbers: a part of "odi", a pattern for pm_read_place */
    size_t n;
    enum pm_field field[PM_COLUMNS_MAX]; /* PM_NO_COLUMN: an unknown field */
    pm_text name[PM_COLUMNS_MAX];        /* as in the header; empty without a header */
    bool has_name;
    bool has_flags;
    size_t flags_end; /* byte position after the VmFlags column; 0 without flags */
} pm_columns;

typedef struct pm_wide_row {
    size_t at, len; /* in pm_wide.text */
    uint64_t line;
} pm_wide_row;

/* The rows of a -X or -XX block, held until all have been seen: pmap_wide.c. */
typedef struct pm_wide {
    pm_buf text, extra, flags;
    pm_wide_row *rows;
    size_t n, cap;
    pm_columns columns;
    uint64_t footer[PM_COLUMNS_MAX], before[PM_COLUMNS_MAX]; /* of this block; of the previous */
    size_t n_footer, n_before;
} pm_wide;

/* How pmap printed the rows: narrow.c. */
typedef struct pm_style {
    int name_blanks; /* blanks between mode and name: 1, or 2 before procps 3.3.7; 0: unknown */
    bool padded; /* columns are padded with blanks (a web page keeps only one blank of each run) */
    bool tool_names; /* "  [anon]", "  [heap]": toybox */
} pm_style;

typedef struct pm_open {
    bool open;
    pm_line_kind rows;  /* kind of its rows: PM_LINE_RANGE, _NARROW or _WIDE; _OTHER: no row yet */
    pm_dialect dialect; /* if the block is narrow */
    int64_t pid, time_ms;
    uint64_t first_line, last_line;
    unsigned worn; /* bit set of marks, from PM_MARK_COLOUR on */
    const char *refused, *empty;
    /* stream.c: the lines around the rows */
    bool pid_line, columns_line;
    bool tentative;    /* the layout of the pid line is not that of procps */
    bool word_for_pid; /* "PROCESS:   dashd" */
    bool rule;         /* the line of '=' was seen */
    bool half_footer;  /* the first of the two lines of sums of SLES was seen */
    bool rollup;       /* smaps_rollup */
    /* enter.c: the order of the rows */
    uint64_t n_rows, last_start; /* rows seen, damaged or not */
    size_t digits;               /* of the addresses, if the block is narrow */
    bool below_rule;             /* the rule is above the first row, where `sort` moved it */
    bool sums_first;             /* the rows follow their sums: sorted, largest first */
    /* block_rows.c: the rows that are kept */
    const pm_mapping *held; /* the last row, which the next row may print again, grown; or NULL */
    const pm_mapping *prev; /* the last row that is kept, or NULL */
    uint64_t held_line;
    uint32_t held_id;         /* in the pool */
    bool goes_back, overlaps; /* a row lies below the previous row, or overlaps it */
    struct {
        uint64_t n, line; /* line of the first occurrence */
    } mark[PM_MARKS];
    const char *bad_why;
    pm_mapping sum;       /* values: added up; present: the fields that each of the rows has */
    uint64_t any_sum_bit; /* all bits that were ever set in any of the sums */
    int64_t shared_kib;
    uint64_t again[PM_FIELD_COUNT];   /* sums of the rows that were printed again, grown */
    uint64_t outside[PM_FIELD_COUNT]; /* sums of the rows outside the range of -A */
    uint64_t fields;
    pm_style style;
    /* sums.c */
    bool footer;                  /* the sums were seen */
    int64_t tool[PM_FIELD_COUNT]; /* the values of the footer, or UNKNOWN */
    pm_checked checked;
    pm_state state;
} pm_open;

struct pm_reader {
    pm_hash_parts hash; /* of the lines of the block; first, because it is aligned */
    pm_block_fn on_block;
    void *ctx;
    pm_pool *pool;
    pm_dialect only;  /* PM_DIALECT_COUNT: any */
    pmapdb_status st; /* the first failure */
    pmapdb_error *err;
    pm_lines lines;
    uint64_t foreign, bytes;
    bool any_row, any_nul, unhashed; /* unhashed: the lines are not hashed */
    /* the current line */
    uint64_t line;
    pm_text raw;   /* the unchanged line, used for the hash */
    unsigned worn; /* bit set of marks, as in pm_open.worn */
    pm_buf plain;  /* the line without decoration, if its removal moved bytes */
    /* words.c: facts about the next block */
    int64_t time_ms;                    /* of the blocks that follow, or UNKNOWN */
    uint64_t second_line, no_date_line; /* of a time that occurs twice, or is no date; or 0 */
    int64_t hinted_pid;                 /* named by words before the next block, or UNKNOWN */
    uint64_t hint_until; /* the last line on which a block may begin and still get hinted_pid */
    uint64_t rule_line;  /* line of the last rule outside a block */
    bool foreign_told;   /* the output of another tool was reported */
    bool nul_told;       /* NUL bytes outside a capture were reported */
    /* stream.c: the last line outside a block that nobody understood */
    uint64_t stray_line;
    pm_mark stray; /* the mark of a block whose first row follows directly */
    /* the block */
    pm_open b;
    uint32_t *rows; /* that are kept, in the pool */
    size_t n_rows, cap_rows;
    pm_buf command, columns, missing, notes;
    pm_map starts; /* start addresses in a block without a header: enter.c */
    pm_smaps smaps;
    pm_wide wide;
};

static inline void pm_check(pm_reader *r, pmapdb_status st)
{
    if (r->st == PMAPDB_OK)
        r->st = st;
}

static inline void pm_keep(pm_reader *r, pm_buf *buf, pm_text t)
{
    pm_check(r, pm_buf_add(buf, t.data, t.len, r->err));
}

/* ---- stream.c: for pm_lines ---- */

/* A command line has at most 6 MiB, a path 4 KiB: a longer line is not part of a capture. */
#define PM_LINE_BYTES_MAX ((size_t)16 << 20)
#define PM_LONG_LINE "it is longer than 16 MiB"

pmapdb_status pm_stream_line(void *reader, pm_text line, pmapdb_error *err);

/* ---- reader.c ---- */

/* Removes decoration from a line: colours, quotes of mail. */
void pm_strip_decoration(pm_reader *r, pm_text *t);
/* Remembers for the block that decoration was removed. */
static inline void pm_wear(pm_reader *r, pm_mark mark)
{
    r->worn |= 1U << (mark - PM_MARK_COLOUR);
}

/* ---- enter.c: which block a line belongs to ---- */

/* True if --dialect admits rows of that kind. */
bool pm_is_wanted(const pm_reader *r, pm_line_kind rows, pm_dialect dialect);
/* True if the current line is a header inside a block whose rows `sort` moved around the header. */
bool pm_is_sorted_header(const pm_reader *r);
/* Handles a current line that is a row, of the current block or of a new block that begins here. */
void pm_enter_row(pm_reader *r, pm_line_kind rows, pm_dialect dialect, const pm_mapping *m);
/* Handles a current line that is not part of any block. */
void pm_pass_over(pm_reader *r);
/* Handles a line outside the layout of a capture. A piece of a row among rows is a damaged row;
 * above the first row it shows that the beginning is missing. */
void pm_stray_line(pm_reader *r, pm_text t, bool torn);
/* Handles a line with NUL bytes, which no tool prints: a file system left them where text was lost.
 */
void pm_nul_line(pm_reader *r);
/* Counts a row of the block that cannot be read. */
void pm_bad_line(pm_reader *r, const char *why);

/* ---- words.c: informative lines that are not rows ---- */

/* Handles a moment, another tool's header, a refusal by the system, a process name in other text,
 * or a mark of omission. False for any other line. */
bool pm_words_line(pm_reader *r, pm_text t);
/* True if the line is a moment and then a line of a capture; *t becomes the latter. */
bool pm_words_stamped(pm_reader *r, pm_text *t);
/* True if the line is, or begins with, the moment of the blocks that follow, or if it is a rule
 * with a moment before it. */
bool pm_words_time(pm_reader *r, pm_text t);

/* True if the line names exactly one process, once or several times: "PID 4711", "pid=4711,",
 * "process 4711", "(pid: 4711)", "/proc/4711/smaps" ("maps", "smaps_rollup"). A number is 1 to
 * 4194304, has no leading zero and stands alone: "pid 4711/4712" and "pid 12.5" do not name a
 * process. */
bool pm_pid_in_words(pm_text line, int64_t *pid);

/* ---- block.c ---- */

/* Opens a block at the current line. */
void pm_block_open(pm_reader *r);
/* Judges the block and reports it through on_block. Afterwards no block is open. */
void pm_block_end(pm_reader *r);

void pm_block_mark(pm_reader *r, pm_mark mark, uint64_t line);
void pm_block_bad(pm_reader *r, uint64_t line, const char *why);
/* Adds one item to the list of what is missing. */
void pm_block_missing(pm_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes the current line part of the block and adds its unchanged bytes to the hash. */
void pm_block_line(pm_reader *r);
/* Adds unchanged lines of n bytes; r->line is the last of them. */
void pm_block_lines(pm_reader *r, const char *p, size_t n);

/* ---- block_rows.c ---- */

/* Adds a row. Damaged rows (no extent, overlap, absurd numbers) are counted and left out. The row
 * is held until the next one: the kernel continues after the last address that it printed, so a
 * mapping that grew meanwhile is printed again, and the later row counts. */
void pm_block_add(pm_reader *r, const pm_mapping *m, uint64_t line);
/* Counts the held row. */
void pm_block_flush(pm_reader *r);
/* True if m is the row before, grown. */
static inline bool pm_block_grew(const pm_mapping *before, const pm_mapping *m)
{
    return m->start == before->start && before->end > before->start && m->end > before->end;
}
/* Adds the numbers of a row that the capture does not count to `sums`, because the footer may count
 * the row. */
void pm_block_add_up(const pm_mapping *m, uint64_t sums[PM_FIELD_COUNT]);

/* ---- smaps.c: maps, smaps ---- */

/* `path` and the other texts of the row point into `line`. */
bool pm_range_read(pm_text line, pm_mapping *m);
void pm_smaps_row(pm_reader *r, pm_text line, const pm_mapping *m);
/* Takes a row of the pool that begins on the current line. Another row must begin after its keys.
 */
void pm_smaps_known(pm_reader *r, uint32_t id);
/* Handles a row whose first line cannot be read: the keys below are not the previous row's. */
void pm_smaps_broken(pm_reader *r, const char *why);
/* True if the line looks like a key line: "Rss:      4 kB". With `known`, only for keys of Linux.
 */
bool pm_smaps_is_key(pm_text line, bool known);
/* Takes a key line of the current row. False if the line is not a key line. */
bool pm_smaps_key(pm_reader *r, pm_text line);
/* Passes on the current row, if one is open, after all its key lines are read; `last`: the block
 * ends. */
void pm_smaps_close(pm_reader *r, bool last);

/* Reads flags separated by blanks into *out, with single blanks. False if a word does not have two
 * characters or, with `letters`, has characters that known flags lack. */
bool pm_read_flags(pm_reader *r, pm_buf *out, pm_text list, bool letters);

/* ---- smaps_fast.c: rows exactly as the kernel prints them ---- */

/* For pm_lines. Takes a row with its key lines. */
pmapdb_status pm_fast_lines(void *reader, const char *p, const char *end, size_t *taken,
                            pmapdb_error *err);
/* ---- narrow.c: pmap, -x, -d ---- */

typedef struct pm_narrow {
    pm_mapping m;
    pm_dialect dialect;  /* PM_DIALECT_COUNT: the row of an unsupported tool */
    const char *refused; /* the name of the unsupported tool */
    pm_text rest;        /* blanks and name */
    size_t digits;       /* of the address */
    bool outside;        /* a row that -x -A prints for memory outside its range */
    bool padded, suse_mode;
} pm_narrow;

bool pm_narrow_read(pm_text line, pm_narrow *out);
void pm_narrow_row(pm_reader *r, pm_narrow *row);
/* Reads the items of `pattern`, each after blanks: O an offset, o an offset of at least eight
 * digits, d a device, i an inode. Returns the end of the last item; NULL if an item is missing. */
const char *pm_read_place(const char *p, const char *end, const char *pattern, pm_mapping *m);

/* ---- sums.c ---- */

/* Reads the sums of a narrow block; false if the line contains no sums. */
bool pm_footer_narrow(pm_open *b, pm_text line);
/* True for the second line of the sums of SLES. */
bool pm_footer_in_words(pm_text line);
/* True for a line of sums without rows above it. */
bool pm_footer_alone(pm_text line);

bool pm_footer_wide(pm_reader *r, pm_text line);
/* Compares the footer with the rows. Describes differences in `missing`. */
void pm_footer_check(pm_reader *r);

/* ---- pmap_wide.c, layout.c: the rows of pmap -X and -XX, and their columns ---- */

static inline pm_text pm_wide_line(const pm_wide *w, size_t i)
{
    return (pm_text){w->text.data + w->rows[i].at, w->rows[i].len};
}

void pm_wide_hold(pm_reader *r, pm_text line);
void pm_wide_end(pm_reader *r);
/* Reads at most `max` numbers of a row from *at on and moves *at after the last number. */
size_t pm_wide_numbers(pm_text line, size_t *at, size_t max, uint64_t *out);
/* Returns the position after the columns before the numbers; 0 if the row has another shape. */
size_t pm_wide_lead(const pm_columns *c, pm_text line, pm_mapping *out);
/* Reads at most `max` numbers of row i. Returns how many the row has. *end is the position after
 * them; 0 if the line is not shaped like a row. */
size_t pm_wide_count(const pm_wide *w, size_t i, size_t max, uint64_t *out, size_t *end);
/* Reads a number for each column. False if the row has fewer. */
static inline bool pm_wide_values(const pm_wide *w, size_t i, uint64_t out[PM_COLUMNS_MAX],
                                  size_t *end)
{
    return pm_wide_count(w, i, w->columns.n, out, end) == w->columns.n && *end;
}
/* Returns the position where the flags of most rows end; 0 without flags. */
size_t pm_wide_vote(const pm_wide *w);

/* Boyer and Moore's majority vote. */
typedef struct pm_vote {
    size_t winner, votes;
} pm_vote;

static inline void pm_vote_for(pm_vote *v, size_t value)
{
    if (v->votes == 0)
        v->winner = value;
    v->votes += v->winner == value ? 1 : (size_t)-1;
}

/* Fills w->columns. Returns NULL, or the reason why the block cannot be read. */
const char *pm_layout_find(pm_wide *w, pm_text header);

#endif
