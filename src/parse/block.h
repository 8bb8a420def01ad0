/* block: what the reader knows of the block at hand. Internal to src/parse.
 *
 * stream.c tells lines apart and opens blocks; the files of the dialects turn lines into rows and
 * hand them to pm_block_add; block.c keeps the sums and judges the block at its end.
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

/* Taken off the lines of a block by strip_decoration.c. */
#define PM_WORN_QUOTE 1U   /* "> " */
#define PM_WORN_COLOUR 2U  /* escape sequences */
#define PM_WORN_TYPE 4U    /* dashes and blanks of a word processor */
#define PM_WORN_CALLOUT 8U /* <1> behind the name */

#define PM_BROKEN_ROW "it begins like a row and is none"

/* A piece of a block's text: block_hash.c. */
typedef struct pm_piece {
    uint64_t hash, first_line, n_lines;
    bool worn; /* something was taken off its lines */
} pm_piece;

/* Owned by block_hash.c. */
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

/* Which lines a block is made of. */
typedef enum pm_family {
    PM_FAMILY_NONE,
    PM_FAMILY_RANGE,
    PM_FAMILY_NARROW,
    PM_FAMILY_WIDE
} pm_family;

/* A key line as the kernel lays it out, "Rss:            " and eight columns for the number. */
#define PM_KEY_LINE 28 /* " kB" and the newline follow */
typedef struct pm_expected {
    uint32_t at, len; /* in pm_smaps.keys, of the line as it was last */
    enum pm_field field;
    uint64_t value;
    uint64_t above; /* bits of the fields that stand above it in the row */
} pm_expected;

/* The smaps row whose key lines are being read. */
typedef struct pm_smaps {
    pm_mapping row;
    bool open;
    bool torn;       /* since the row's first line there were lines that are none of ours */
    const char *bad; /* why the row cannot be taken, or NULL */
    uint64_t line;
    bool any_key;              /* in the block */
    bool any_row;              /* of the block is behind us */
    bool blank_ends;           /* VmFlags lines of the block end in a blank */
    uint64_t common;           /* what all rows before had */
    pm_buf path, flags, extra; /* flags: of the row at hand if it has them, else of one before */
    pm_expected order[PM_FIELD_COUNT];       /* of the keys in the row before */
    char keys[PM_FIELD_COUNT * PM_KEY_LINE]; /* their lines */
    size_t n_order, next;
    size_t calm; /* from there on, all may be as in the row before */
} pm_smaps;

/* What stands in which column of -X and -XX. */
typedef struct pm_columns {
    bool no_perms;              /* a column list of the user's, without Perm */
    bool offset, device, inode; /* stand before the numbers */
    size_t n;
    enum pm_field field[PM_COLUMNS_MAX]; /* PM_NO_COLUMN: not a field that we know */
    pm_text name[PM_COLUMNS_MAX];        /* as in the header; empty where there is none */
    bool has_name;
    bool has_flags, flags_glued; /* glued: the header says "VmFlagsMapping" */
    size_t flags_end; /* byte position just behind the VmFlags column; 0: rows without flags */
} pm_columns;

/* What a row shows before its numbers; 0 where it has no such column. */
typedef struct pm_wide_place {
    uint64_t start, offset, inode;
    uint32_t dev_major, dev_minor;
    char perms[5];
} pm_wide_place;

typedef struct pm_wide_row {
    size_t at, len; /* in pm_wide.text */
    uint64_t line;
    pm_wide_place place;
    size_t first, n; /* its numbers, in pm_wide.values; none where it has not the shape of a row */
    size_t behind;   /* byte position just behind the last of them */
} pm_wide_row;

/* The rows of a -X or -XX block: where the name begins is known when all were seen. */
typedef struct pm_wide {
    pm_buf text, extra, flags;
    pm_wide_row *rows;
    size_t n, cap;
    uint64_t *values; /* numbers of all rows, each read once */
    size_t n_values, cap_values;
    size_t due; /* the most that the rows so far can have, until they are read */
    pm_columns columns;
    uint64_t footer[PM_COLUMNS_MAX];
    size_t n_footer;
    uint64_t before[PM_COLUMNS_MAX]; /* the footer of the block before */
    size_t n_before;
} pm_wide;

typedef struct pm_open {
    bool open;
    bool pid_line, columns_line, tentative;
    bool word_for_pid; /* "PROCESS:   dashd" */
    pm_family family;
    pm_dialect dialect; /* of a narrow block */
    int64_t pid, time_ms;
    uint64_t first_line, last_line;
    uint64_t n_rows, last_start; /* rows seen, damaged or not */
    uint64_t prev_start, prev_end;
    char prev_perms[5];
    uint64_t n_bad, bad_line, cut_line, strange_line, gap_line, elided_line, gave_up_line;
    const char *bad_why;
    uint64_t n_odd, odd_line; /* rows that are not whole pages */
    uint64_t n_doubled;       /* rows printed a second time with zeroes */
    uint64_t n_grown;         /* mappings that grew while they were read, and came once more */
    uint64_t n_outside;       /* rows outside of the range of -A */
    bool goes_back, overlaps; /* of a row: it lies below, or over, the one before it */
    int name_blanks; /* between mode and name: 1, or 2 before procps 3.3.7; 0: not known yet */
    bool padded;     /* columns are made of blanks: not a web page's, that keeps one of each run */
    bool suse_mode;  /* "r-xp-" */
    bool raw_names;  /* "[heap]" where procps would print "[ anon ]" */
    bool tool_names; /* "  [anon]", "  [heap]": toybox */
    bool translated; /* "[ pile  ]" */
    bool shared_twice, runs_on; /* faults of the footer */
    int64_t below_kib;          /* RSS that the footer of -x -A counts and the rows do not show */
    unsigned worn;
    pm_totals totals;
    int64_t shared_kib, dirty_kib, pages_kib; /* pages: sum of KernelPageSize */
    uint64_t fields, names_cut;
    bool below_rule;              /* the rule stands above the first row: `sort` put it there */
    bool sums_first;              /* the rows came behind their sums: sorted, the largest first */
    bool half_footer;             /* the first of SLES's two lines of sums came */
    bool rule, footer;            /* the line of '=' came; the sums came */
    int64_t tool[PM_FIELD_COUNT]; /* what the footer says, or UNKNOWN */
    bool rollup;                  /* smaps_rollup */
    const char *refused, *empty;
    pm_checked checked;
    pm_state state;
} pm_open;

struct pm_reader {
    pm_reader_events events;
    pm_dialect only; /* PM_DIALECT_COUNT: any */
    pm_lines lines;
    uint64_t line, foreign, bytes;
    bool any_row, any_nul, unterminated;
    unsigned worn;                 /* by the line at hand */
    pm_buf plain;                  /* the line at hand, where taking that off moved bytes */
    int64_t time_ms;               /* of the blocks that follow, or UNKNOWN */
    int64_t hinted_pid;            /* named by the words before the next block, or UNKNOWN */
    uint64_t hint_until;           /* the last line where a block that begins is meant */
    uint64_t rule_line;            /* of the last rule outside of a block */
    bool foreign_told;             /* another tool's output was named */
    const char *chunk, *chunk_end; /* the bytes that are fed now */
    pm_piece_hash hash;
    pm_pool *pool;    /* or NULL: rows are told by on_mapping */
    pm_row_fn on_row; /* with a pool */
    pm_open b;
    pm_buf command, columns, missing, notes, why, tool;
    pm_map starts; /* of the rows of a block without a header; owned by enter.c */
    pm_smaps smaps;
    pm_wide wide;
};

/* ---- stream.c: for pm_lines ---- */

/* A command line has at most 6 MiB, a path 4 KiB: what is longer is no line of a capture. */
#define PM_LINE_BYTES_MAX ((size_t)16 << 20)
#define PM_LONG_LINE "it is longer than 16 MiB"

pmapdb_status pm_stream_line(void *reader, pm_text line, pmapdb_error *err);

/* ---- strip_decoration.c ---- */

pmapdb_status pm_strip_decoration(pm_reader *r, pm_text *t, pmapdb_error *err);
/* "<1>" behind a row: a mark that an explanation refers to. */
void pm_strip_callout(pm_reader *r, pm_text *t);

/* ---- enter.c: which block a line belongs to ---- */

/* --dialect lets rows of that family through. */
bool pm_is_wanted(const pm_reader *r, pm_family family, pm_dialect dialect);
/* A header line in the middle of a block whose rows `sort` has put around it. */
bool pm_is_sorted_header(const pm_reader *r);
/* The block that a row belongs to: the one at hand or a new one. */
pmapdb_status pm_enter_row(pm_reader *r, pm_family family, pm_dialect dialect, const pm_mapping *m,
                           pmapdb_error *err);
/* A line that is part of no block. */
void pm_pass_over(pm_reader *r);

/* ---- words.c: lines that are no rows and still say something ---- */

/* A moment, another tool's header, a refusal of the system, a process named in passing, a mark of
 * omission. *used = false: the line says nothing. */
pmapdb_status pm_words_line(pm_reader *r, pm_text line, pm_text t, bool *used, pmapdb_error *err);
/* A moment at the line's begin, with more behind it that is a line of a capture: then *t is that.
 */
bool pm_words_stamped(pm_reader *r, pm_text *t);
/* Whole line a moment? It is the time of the blocks that follow, or of the rule behind it. */
pmapdb_status pm_words_time(pm_reader *r, pm_text line, pm_text t, bool *used, pmapdb_error *err);
/* Of the block that begins at this line, as the words before it named it; or UNKNOWN. */
int64_t pm_words_pid(const pm_reader *r);
/* NULL, or whose header it is when none of ours. */
const char *pm_words_foreign(pm_text t);

/* ---- explain.c ---- */

/* Fills notes, why and tool of the reader for the block that ends; returns how sure that is. */
pmapdb_status pm_explain(pm_reader *r, pm_dialect dialect, pm_confidence *sure, pmapdb_error *err);

/* ---- block.c ---- */

/* Opens a block at the current line. */
void pm_block_open(pm_reader *r);
/* Judges the block, tells on_block, and is then outside of any. */
pmapdb_status pm_block_end(pm_reader *r, pmapdb_error *err);

/* A row. Damaged ones (no extent, overlap, absurd numbers) are counted and left out. */
pmapdb_status pm_block_add(pm_reader *r, const pm_mapping *m, uint64_t line, pmapdb_error *err);
void pm_block_bad(pm_reader *r, uint64_t line, const char *why);
/* One more piece of what is missing. */
pmapdb_status pm_block_missing(pm_reader *r, pmapdb_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- block_hash.c ---- */

/* The line is part of the block: its bytes go into the hash. */
void pm_block_line(pm_reader *r, pm_text line);
/* So many lines in n bytes that begin no piece; r->line is the last. */
void pm_block_bytes(pm_reader *r, const char *p, size_t n, uint64_t lines);
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
/* What was pasted without its first character: "f82f6bf0000-7f82f6bfb000". Where that makes 16 TiB
 * and the lost digit makes a mapping of usual size. */
bool pm_range_is_headless(pm_text line, const pm_mapping *m);
/* The kernel goes on behind the last address that it printed: a mapping that grew meanwhile comes
 * once more. m is the row at hand, grown. */
bool pm_smaps_grew(const pm_smaps *s, const pm_mapping *m);
pmapdb_status pm_smaps_row(pm_reader *r, const pm_mapping *m, pmapdb_error *err);
/* A row whose first line cannot be read: the keys below are not those of the row before. */
pmapdb_status pm_smaps_broken(pm_reader *r, pmapdb_error *err);
/* Looks like a key line: "Rss:      4 kB". */
bool pm_smaps_is_key(pm_text line);
/* A key line of the row at hand; *used = false where it is none. */
pmapdb_status pm_smaps_key(pm_reader *r, pm_text line, bool *used, pmapdb_error *err);
pmapdb_status pm_smaps_end(pm_reader *r, pmapdb_error *err);

/* ---- smaps_fast.c: lines as the kernel prints them, row after row the same ---- */

/* Remembers where in the row a key of the kernel's own layout stood. */
void pm_fast_learn(pm_smaps *s, pm_text line, enum pm_field field, bool kib);
/* For pm_lines: takes key lines in the order of the row before, without cutting them into lines
 * first. */
pmapdb_status pm_fast_keys(void *reader, const char *p, const char *end, size_t *taken,
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
pmapdb_status pm_narrow_row(pm_reader *r, pm_narrow *row, pmapdb_error *err);

/* ---- pmap_wide.c: -X, -XX; layout.c: their columns ---- */

static inline pm_text pm_wide_line(const pm_wide *w, size_t i)
{
    return (pm_text){w->text.data + w->rows[i].at, w->rows[i].len};
}

pmapdb_status pm_wide_hold(pm_reader *r, pm_text line, pmapdb_error *err);
pmapdb_status pm_wide_end(pm_reader *r, pmapdb_error *err);
/* Numbers of a row from *at on, at most `max`; *at is then behind the last. */
size_t pm_wide_numbers(pm_text line, size_t *at, size_t max, uint64_t *out);
/* Behind the columns before the numbers; 0 where the row has not that shape. */
size_t pm_wide_lead(const pm_columns *c, pm_text line, pm_wide_place *out);
/* Behind the longest run of two-letter words at `at`; 0 where there is none. */
size_t pm_wide_flags_end(pm_text line, size_t at);

/* Reads places and numbers of all rows, at most `max` of each. */
pmapdb_status pm_wide_read(pm_wide *w, size_t max, pmapdb_error *err);
/* The numbers of a row; NULL where it has not as many as there are columns. */
static inline const uint64_t *pm_wide_values(const pm_wide *w, size_t i)
{
    return w->rows[i].n == w->columns.n ? w->values + w->rows[i].first : NULL;
}
/* Where most rows' flags end; 0: they have none. */
size_t pm_wide_vote(const pm_wide *w);

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

/* ---- footer.c ---- */

bool pm_footer_wide(pm_reader *r, pm_text line);
/* Compares with the rows. Words and numbers of a difference go to `missing`. */
pmapdb_status pm_footer_check(pm_reader *r, pmapdb_error *err);

#endif
