/* block: the state of a reader, in parts of which each belongs to one file. Internal to src/parse.
 *
 * stream.c tells lines apart and opens blocks; the files of the dialects turn lines into rows and
 * hand them to pm_block_add; block.c keeps the sums and judges the block at its end.
 *
 * The first failure stays in reader.st: after it no event is told, and the rest of the line may run
 * through.
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
/* No field of a real mapping comes near it (64 PiB), and 2^16 of them add up without overflow. */
#define PM_KIB_MAX ((uint64_t)1 << 46)
#define PM_BROKEN_ROW "it begins like a row and is none"

/* Which lines a block is made of. */
typedef enum pm_family {
    PM_FAMILY_NONE,
    PM_FAMILY_RANGE,
    PM_FAMILY_NARROW,
    PM_FAMILY_WIDE
} pm_family;

/* What is remarkable in a block: explain.c has a sentence for each, in this order. */
typedef enum pm_mark {
    PM_MARK_GAVE_UP, /* these say that rows are missing */
    PM_MARK_CUT,
    PM_MARK_BAD,
    PM_MARK_ELIDED,
    PM_MARK_GAP,
    PM_MARK_DOUBLED, /* from here on: what was made good */
    PM_MARK_GROWN,
    PM_MARK_OUTSIDE,
    PM_MARK_ODD,
    PM_MARK_NAME_CUT,
    PM_MARK_NO_NAMES,
    PM_MARK_TRANSLATED,
    PM_MARK_SHARED_TWICE, /* n: KiB */
    PM_MARK_RUNS_ON,
    PM_MARK_BELOW, /* n: KiB */
    PM_MARK_UNPROVED,
    PM_MARK_COLOUR, /* these four: taken off the lines by strip_decoration.c */
    PM_MARK_QUOTE,
    PM_MARK_TYPE,
    PM_MARK_CALLOUT,
    PM_MARK_BUSYBOX,
    PM_MARK_COUNT,
    PM_MARK_STRANGE = PM_MARK_COUNT, /* a GAP if the block goes on; has no sentence */
    PM_MARKS
} pm_mark;

/* A piece of a block's text: block_hash.c. */
typedef struct pm_piece {
    uint64_t hash, first_line, n_lines;
    bool worn; /* something was taken off its lines */
} pm_piece;

typedef struct pm_piece_hash {
    const char *run, *run_end; /* lines of the current piece in this chunk, not hashed yet */
    pm_hash_parts *parts;      /* its bytes before those, if begun */
    bool begun;
    pm_piece current, ended; /* the current one has no hash yet */
    uint64_t text;           /* of the pieces that ended */
} pm_piece_hash;

static inline bool pm_begins_piece(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* The smaps row whose key lines are being read: smaps.c, smaps_fast.c. */
typedef struct pm_smaps {
    pm_mapping row;
    bool open;
    bool known;      /* the row is one of the pool's, texts included */
    bool torn;       /* foreign lines came after the row's first line */
    const char *bad; /* why the row cannot be taken, or NULL */
    uint64_t line;
    bool any_key, any_row;               /* in the block */
    bool blank_ends;                     /* VmFlags lines of the block end in a blank */
    uint64_t common;                     /* fields that all rows before had */
    pm_buf path, flags, extra;           /* flags: of this row if it has them, else of one before */
    enum pm_field order[PM_FIELD_COUNT]; /* of the keys in the row before */
    size_t n_order, next;
} pm_smaps;

/* What stands in which column of -X and -XX: layout.c. */
typedef struct pm_columns {
    bool no_perms; /* a column list of the user's, without Perm */
    char place[4]; /* before the numbers: "odi" or less of it, as pm_read_place takes it */
    size_t n;
    enum pm_field field[PM_COLUMNS_MAX]; /* PM_NO_COLUMN: an unknown field */
    pm_text name[PM_COLUMNS_MAX];        /* as in the header; empty where there is none */
    bool has_name;
    bool has_flags, flags_glued; /* glued: the header says "VmFlagsMapping" */
    size_t flags_end;            /* byte position after the VmFlags column; 0: no flags */
} pm_columns;

typedef struct pm_wide_row {
    size_t at, len; /* in pm_wide.text */
    uint64_t line;
    size_t first, n; /* its numbers, in pm_wide.values; none where it has not the shape of a row */
    size_t numbers_end; /* byte position after the last of them; 0: not the shape of a row */
} pm_wide_row;

/* The rows of a -X or -XX block, held until all were seen: pmap_wide.c. */
typedef struct pm_wide {
    pm_buf text, extra, flags;
    pm_wide_row *rows;
    size_t n, cap;
    uint64_t *values; /* numbers of all rows */
    size_t n_values, cap_values;
    size_t due; /* the most numbers that the rows so far can have, until they are read */
    pm_columns columns;
    uint64_t footer[PM_COLUMNS_MAX], before[PM_COLUMNS_MAX]; /* of this block; of the last one */
    size_t n_footer, n_before;
} pm_wide;

/* How pmap printed the rows: narrow.c. */
typedef struct pm_style {
    int name_blanks; /* between mode and name: 1, or 2 before procps 3.3.7; 0: not known yet */
    bool padded;     /* columns are made of blanks: not a web page's, that keeps one of each run */
    bool suse_mode;  /* "r-xp-" */
    bool raw_names;  /* "[heap]" where procps would print "[ anon ]" */
    bool tool_names; /* "  [anon]", "  [heap]": toybox */
} pm_style;

typedef struct pm_open {
    bool open;
    pm_family family;
    pm_dialect dialect; /* of a narrow block */
    int64_t pid, time_ms;
    uint64_t first_line, last_line;
    unsigned worn; /* bits of marks, from PM_MARK_COLOUR on */
    const char *refused, *empty;
    /* stream.c: the lines around the rows */
    bool pid_line, columns_line;
    bool tentative;    /* the pid line is not laid out as procps does */
    bool word_for_pid; /* "PROCESS:   dashd" */
    bool rule;         /* the line of '=' came */
    bool half_footer;  /* the first of SLES's two lines of sums came */
    bool rollup;       /* smaps_rollup */
    /* enter.c: the order of the rows */
    uint64_t n_rows, last_start; /* rows seen, damaged or not */
    bool below_rule;             /* the rule stands above the first row: `sort` put it there */
    bool sums_first;             /* the rows came after their sums: sorted, the largest first */
    /* block.c: the rows that were kept */
    uint64_t prev_start, prev_end;
    char prev_perms[5];
    bool goes_back, overlaps; /* a row lies below, or over, the one before it */
    struct {
        uint64_t n, line; /* of the first one */
    } mark[PM_MARKS];
    const char *bad_why;
    pm_totals totals;
    int64_t shared_kib, dirty_kib, pages_kib; /* pages: sum of KernelPageSize */
    uint64_t fields;
    pm_style style;
    /* sums.c */
    bool footer;                  /* the sums came */
    int64_t tool[PM_FIELD_COUNT]; /* what the footer says, or UNKNOWN */
    pm_checked checked;
    pm_state state;
} pm_open;

struct pm_reader {
    pm_reader_events events;
    pm_dialect only; /* PM_DIALECT_COUNT: any */
    pm_pool *pool;   /* or NULL: rows are told by on_mapping */
    pm_row_fn on_row;
    pmapdb_status st; /* the first failure */
    pmapdb_error *err;
    pm_lines lines;
    const char *chunk, *chunk_end; /* the bytes that are fed now */
    const char *ahead; /* the end of bytes after those, which come next; or NULL: live_map.c */
    uint64_t foreign, bytes;
    bool any_row, any_nul, unterminated;
    /* the current line */
    uint64_t line;
    pm_text raw;   /* as it came: the hash is made of it */
    unsigned worn; /* bits of marks, as pm_open.worn */
    pm_buf plain;  /* without decoration, where taking that off moved bytes */
    /* words.c: what was said of the next block */
    int64_t time_ms;     /* of the blocks that follow, or UNKNOWN */
    int64_t hinted_pid;  /* named by the words before the next block, or UNKNOWN */
    uint64_t hint_until; /* the last line where a block that begins is meant */
    uint64_t rule_line;  /* of the last rule outside of a block */
    bool foreign_told;   /* another tool's output was named */
    /* the block */
    pm_open b;
    pm_piece_hash hash;
    pm_buf command, columns, missing, notes, why, tool;
    pm_map starts; /* of the rows of a block without a header: enter.c */
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

/* A command line has at most 6 MiB, a path 4 KiB: a longer line is no line of a capture. */
#define PM_LINE_BYTES_MAX ((size_t)16 << 20)
#define PM_LONG_LINE "it is longer than 16 MiB"

pmapdb_status pm_stream_line(void *reader, pm_text line, pmapdb_error *err);

/* ---- strip_decoration.c ---- */

void pm_strip_decoration(pm_reader *r, pm_text *t);
/* "<1>" after a row: a mark that an explanation refers to. */
void pm_strip_callout(pm_reader *r, pm_text *t);

/* ---- enter.c: which block a line belongs to ---- */

/* --dialect lets rows of that family through. */
bool pm_is_wanted(const pm_reader *r, pm_family family, pm_dialect dialect);
/* A header line in the middle of a block whose rows `sort` has put around it. */
bool pm_is_sorted_header(const pm_reader *r);
/* The current line is a row, of the current block or of one that begins with it. */
void pm_enter_row(pm_reader *r, pm_family family, pm_dialect dialect, const pm_mapping *m);
/* The current line is part of no block. */
void pm_pass_over(pm_reader *r);

/* ---- words.c: lines that are no rows and still say something ---- */

/* A moment, another tool's header, a refusal of the system, a process named in passing, a mark of
 * omission. False: the line says nothing. */
bool pm_words_line(pm_reader *r, pm_text t);
/* A moment and after it a line of a capture: then *t is that line. */
bool pm_words_stamped(pm_reader *r, pm_text *t);
/* The line is, or begins with, a moment: that of the blocks that follow. Or it is a stamped rule.
 */
bool pm_words_time(pm_reader *r, pm_text t);

/* ---- explain.c ---- */

/* Fills notes, why and tool of the reader for the block that ends. */
pm_confidence pm_explain(pm_reader *r, pm_dialect dialect);
/* What the marks say is missing, in words, added to `missing`. */
void pm_explain_missing(pm_reader *r);

/* ---- block.c ---- */

/* Opens a block at the current line. */
void pm_block_open(pm_reader *r);
/* Judges the block, tells on_block, and is then outside of any. */
void pm_block_end(pm_reader *r);

void pm_block_mark(pm_reader *r, pm_mark mark, uint64_t line);
/* A row. Damaged ones (no extent, overlap, absurd numbers) are counted and left out. */
void pm_block_add(pm_reader *r, const pm_mapping *m, uint64_t line);
void pm_block_bad(pm_reader *r, uint64_t line, const char *why);
/* One more piece of what is missing. */
void pm_block_missing(pm_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- block_hash.c ---- */

/* The current line is part of the block: its bytes go into the hash. */
void pm_block_line(pm_reader *r);
/* So many lines in n bytes that begin no piece; r->line is the last. */
void pm_block_bytes(pm_reader *r, const char *p, size_t n, uint64_t lines);
void pm_block_end_piece(pm_reader *r);
/* A whole piece, whose hash is known, is part of the block; its last line is the current one. */
void pm_block_piece(pm_reader *r, const pm_piece *piece);
/* The chunk ends: its bytes will be gone. */
void pm_block_flush(pm_reader *r);
/* True if the piece that ended last is exactly the lines from `line` up to the current one, as the
 * kernel printed them: a row with its keys. */
bool pm_block_row_hash(const pm_reader *r, uint64_t line, uint64_t *hash);
uint64_t pm_block_hash(pm_reader *r);
void pm_block_unhash(pm_reader *r);

/* ---- smaps.c: maps, smaps ---- */

/* `path` and the other texts of the row point into `line`. */
bool pm_range_read(pm_text line, pm_mapping *m);
/* The kernel goes on after the last address that it printed: a mapping that grew meanwhile comes
 * once more. m is the current row, grown. */
bool pm_smaps_grew(const pm_smaps *s, const pm_mapping *m);
void pm_smaps_row(pm_reader *r, pm_text line, const pm_mapping *m);
/* A row whose text was read before: the piece before the next line. Its texts last. */
void pm_smaps_known(pm_reader *r, const pm_mapping *m, const pm_piece *piece);
/* A row whose first line cannot be read: the keys below are not those of the row before. */
void pm_smaps_broken(pm_reader *r, const char *why);
/* Looks like a key line: "Rss:      4 kB". */
bool pm_smaps_is_key(pm_text line);
/* Takes a key line of the current row. */
bool pm_smaps_key(pm_reader *r, pm_text line);
void pm_smaps_end(pm_reader *r);

/* ---- smaps_fast.c: lines as the kernel prints them, row after row the same ---- */

/* Remembers where in the row a key of the kernel's own layout stood. */
void pm_fast_learn(pm_smaps *s, enum pm_field field);
/* For pm_lines: takes key lines in the order of the row before, or a whole row that is known. */
pmapdb_status pm_fast_lines(void *reader, const char *p, const char *end, size_t *taken,
                            pmapdb_error *err);
/* May be a row of maps or smaps, and holds nothing that could have been put around one. */
bool pm_fast_row(pm_text line);

/* ---- narrow.c: pmap, -x, -d ---- */

typedef struct pm_narrow {
    pm_mapping m;
    pm_dialect dialect;  /* PM_DIALECT_COUNT: another tool's */
    const char *refused; /* ... and whose */
    pm_text rest;        /* blanks and name */
    bool outside;        /* a row that -x -A prints of what lies outside of its range */
    bool padded, suse_mode;
} pm_narrow;

bool pm_narrow_read(pm_text line, pm_narrow *out);
void pm_narrow_row(pm_reader *r, pm_narrow *row);
/* Reads what `pattern` asks for, each after blanks: O offset, o one of at least eight digits, d
 * device, i inode. Returns its end; NULL where something is missing. */
const char *pm_read_place(const char *p, const char *end, const char *pattern, pm_mapping *m);

/* ---- pmap_wide.c: -X, -XX; layout.c: their columns ---- */

static inline pm_text pm_wide_line(const pm_wide *w, size_t i)
{
    return (pm_text){w->text.data + w->rows[i].at, w->rows[i].len};
}

void pm_wide_hold(pm_reader *r, pm_text line);
void pm_wide_end(pm_reader *r);
/* Numbers of a row from *at on, at most `max`; *at is then after the last. */
size_t pm_wide_numbers(pm_text line, size_t *at, size_t max, uint64_t *out);
/* The position after the columns before the numbers; 0 where the row has not that shape. */
size_t pm_wide_lead(const pm_columns *c, pm_text line, pm_mapping *out);
/* Reads places and numbers of all rows, at most `max` of each. */
pmapdb_status pm_wide_read(pm_wide *w, size_t max, pmapdb_error *err);
/* The numbers of a row; NULL where it has not as many as there are columns. */
static inline const uint64_t *pm_wide_values(const pm_wide *w, size_t i)
{
    return w->rows[i].n == w->columns.n ? w->values + w->rows[i].first : NULL;
}
/* Where most rows' flags end; 0: they have none. */
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

/* Releases of Linux that changed the fields of smaps, the youngest first. */
#define PM_KERNELS 10
typedef struct pm_kernel {
    const char *since;
    uint64_t fields; /* that it brought */
} pm_kernel;
extern const pm_kernel pm_kernels[PM_KERNELS];

/* Fills w->columns and reads the rows by them. *refused is NULL, or why the block cannot be read.
 */
pmapdb_status pm_layout_find(pm_wide *w, pm_text header, const char **refused, pmapdb_error *err);

/* ---- sums.c ---- */

/* Sums of a narrow block; false where the line holds none. */
bool pm_footer_narrow(pm_reader *r, pm_text line);
/* The second line of SLES's sums. */
bool pm_footer_in_words(pm_text line);
/* A line of sums with nothing above it. */
bool pm_footer_alone(pm_text line);

bool pm_footer_wide(pm_reader *r, pm_text line);
/* Compares with the rows. Words and numbers of a difference go to `missing`. */
void pm_footer_check(pm_reader *r);

#endif
