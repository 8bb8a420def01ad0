/* pmapdb.h: the public interface of libpmapdb.
 *
 * A store is one SQLite file that holds repeated captures of process memory maps. Captures go in
 * through pmapdb_import(); answers come out as the rows of named queries (pmapdb_query()) and of
 * SQL (pmapdb_sql()).
 *
 * Units.      Sizes are KiB, 64-bit integers. Times are milliseconds since 1970-01-01 UTC.
 *             Addresses and offsets are bytes; the store keeps them as two's complement.
 * Unknown.    Never 0. In C it is PMAPDB_UNKNOWN, in SQL NULL, in CSV nothing between commas.
 * Ownership.  pmapdb keeps no pointer that you gave it beyond the call, and gives you none to free.
 *             What *_open or *_query hands out goes back to *_close; both take NULL.
 *             Text from pmapdb_rows_* lives until the next call on the same rows.
 * Errors.     What can fail returns pmapdb_status and takes a pmapdb_error last, which may be NULL.
 *             On failure, outputs are left alone and the error holds one line that names the thing.
 * Threads.    A store and what hangs on it belong to one thread at a time. There is no global
 * state.
 */
#ifndef PMAPDB_H
#define PMAPDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PMAPDB_API __attribute__((visibility("default")))
#else
#define PMAPDB_API
#endif

#define PMAPDB_VERSION "0.1.0"

/* A number that the capture did not give. No size, time or pid of a real process comes near it. */
#define PMAPDB_UNKNOWN INT64_MIN

typedef enum pmapdb_status {
    PMAPDB_OK = 0,
    PMAPDB_NOMEM,    /* out of memory */
    PMAPDB_USAGE,    /* the caller asked for something that makes no sense */
    PMAPDB_IO,       /* the operating system refused; os_errno says why */
    PMAPDB_INPUT,    /* bytes that are no capture, or are damaged beyond use */
    PMAPDB_DATABASE, /* SQLite refused; db_code says why */
    PMAPDB_SCHEMA,   /* a file that is no pmapdb store, or one of a newer pmapdb */
    PMAPDB_BUSY,     /* another process holds the store for longer than the busy timeout */
    PMAPDB_NOTFOUND, /* no such process, snapshot, query, file; the text lists what there is */
    PMAPDB_STOPPED,  /* a callback asked to stop */
    PMAPDB_TIMEOUT   /* a statement worked longer than it may */
} pmapdb_status;

typedef struct pmapdb_error {
    pmapdb_status status;
    int os_errno;   /* 0 where it does not apply */
    int db_code;    /* SQLite's extended result code, or 0 */
    char text[512]; /* one line, no full stop, no newline */
} pmapdb_error;

/* ---- store ---- */

typedef struct pmapdb_store pmapdb_store;

typedef enum pmapdb_open_mode {
    PMAPDB_READ, /* read-only; a store that is not there is PMAPDB_NOTFOUND */
    PMAPDB_WRITE /* created when missing, migrated when old */
} pmapdb_open_mode;

typedef struct pmapdb_open_options {
    pmapdb_open_mode mode;
    unsigned file_mode;    /* permission bits of a new store; 0 means 0600 */
    const char *group;     /* group of a new store, or NULL */
    int busy_ms;           /* how long to wait for another writer; 0 means 60,000 */
    const char *query_dir; /* *.sql here override the built-in queries, or NULL */
} pmapdb_open_options;

PMAPDB_API pmapdb_status pmapdb_open(const char *path, const pmapdb_open_options *options,
                                     pmapdb_store **out, pmapdb_error *err);
PMAPDB_API void pmapdb_close(pmapdb_store *store);

/* True where the store could only be read as an unchanging file (no permission to make its -shm):
 * what another process writes meanwhile is not seen. */
PMAPDB_API bool pmapdb_is_immutable(const pmapdb_store *store);

/* ---- import ---- */

/* One line's worth of news from pmapdb_import(): a capture, or a file that gave none. */
typedef struct pmapdb_import_event {
    const char *path;  /* as the user would find it: FILE, or ARCHIVE:MEMBER, or - */
    const char *error; /* why nothing was stored, or NULL: then the rest is valid */
    bool known;        /* said by an earlier import already: only counted */
    bool trouble;      /* an import with this does not end well */
    int64_t snapshot_id;
    int64_t pid; /* or PMAPDB_UNKNOWN */
    const char *name;
    int64_t taken_ms;
    const char *dialect; /* smaps, pmap-XX, ...: `pmapdb dialects` lists them */
    const char *state;   /* complete, partial, totals */
    const char *checked; /* footer, status, rollup, none */
    int64_t mappings;    /* or PMAPDB_UNKNOWN: state totals */
    int64_t size_kib;    /* or PMAPDB_UNKNOWN */
    bool duplicate;      /* it was stored before: nothing changed */
    const char *missing; /* of a partial one, in words and numbers; else NULL */
    size_t n_warnings;   /* about its pid and process */
    const char *const *warnings;
    size_t n_notes; /* what was made good (a tool's doubled rows); none of a duplicate */
    const char *const *notes;
} pmapdb_import_event;

typedef struct pmapdb_import_progress {
    uint64_t files;    /* opened so far */
    uint64_t captures; /* found so far */
    uint64_t bytes;    /* read so far, after decompression */
    uint64_t stored;   /* written so far */
    uint64_t to_store; /* known so far */
} pmapdb_import_progress;

typedef struct pmapdb_import_options {
    const char *host;      /* NULL: unknown */
    const char *name;      /* handle of the process; NULL: the best that the capture gives */
    int64_t pid;           /* for captures that carry none; PMAPDB_UNKNOWN: none */
    int64_t at_ms;         /* the moment of every capture; PMAPDB_UNKNOWN: from the capture */
    const char *time_from; /* "name", "mtime", or NULL: time line, then name, then mtime */
    int64_t every_ms;      /* step of a log without times; PMAPDB_UNKNOWN: none */
    int64_t first_ms;      /* moment of such a log's first capture; PMAPDB_UNKNOWN: count back */
    int64_t sweep_ms;      /* snapshots of one name within this are one moment */
    const char *dialect;   /* read rows as this dialect only; NULL: by their shape */
    bool strict;           /* warnings about identity and time become errors */
    void *ctx;
    /* Called once per capture or failed file, in the order of storing. */
    void (*on_event)(void *ctx, const pmapdb_import_event *event);
    /* Called now and then; returning false stops the import after the capture at hand. */
    bool (*on_progress)(void *ctx, const pmapdb_import_progress *progress);
} pmapdb_import_options;

typedef struct pmapdb_import_result {
    uint64_t stored, duplicates, partial, refused; /* captures */
    uint64_t new_trouble; /* refused or partial ones met for the first time: exit code 2 */
    uint64_t empty;       /* empty maps, kernel threads, vanished and denied processes */
    uint64_t skipped;     /* files in directories and archives that are no captures */
} pmapdb_import_result;

PMAPDB_API void pmapdb_import_defaults(pmapdb_import_options *options);

/* Stores the captures of files, directories (recursive), compressed files, archives, "-" (stdin).
 * What is damaged is reported through on_event and counted; PMAPDB_OK then still means that the
 * store took everything else. Another status means that the run itself ended early; captures
 * committed before that stay. */
PMAPDB_API pmapdb_status pmapdb_import(pmapdb_store *store, const char *const *paths,
                                       size_t n_paths, const pmapdb_import_options *options,
                                       pmapdb_import_result *result, pmapdb_error *err);

/* ---- explain ---- */

/* What pmapdb_explain() says of one block of text that looks like a capture, or of a file that
 * gives none. Texts and lists last for the call. A text that does not apply is NULL, a number that
 * is not known PMAPDB_UNKNOWN, sizes are KiB. */
typedef struct pmapdb_explain_event {
    const char *path;              /* FILE, ARCHIVE:MEMBER, -; "" where the error names it */
    const char *error;             /* why an import would not store it, or NULL */
    int64_t first_line, last_line; /* of the block, from 1; unknown: this is about the file */
    int64_t pid;                   /* in the text, else in the path */
    const char *dialect;           /* NULL where it cannot be told */
    size_t n_why;                  /* what it was told by */
    const char *const *why;
    size_t n_notes; /* what an import makes good (a tool's doubled rows) */
    const char *const *notes;
    /* Without an error: */
    const char *tool;       /* what printed it: "procps 3.3.7 to 3.3.12" */
    const char *confidence; /* of the dialect: certain, likely, guess */
    const char *state;      /* complete, partial, totals */
    const char *checked;    /* footer, none: what lies beside the file is not asked */
    const char *missing;    /* partial: what */
    int64_t mappings;
    int64_t size_kib;
} pmapdb_explain_event;

typedef struct pmapdb_explain_options {
    const char *dialect; /* read rows as this dialect only; NULL: by their shape */
    void *ctx;
    /* Called once per block, in the order of the text; false ends the run with PMAPDB_STOPPED. */
    bool (*on_event)(void *ctx, const pmapdb_explain_event *event);
} pmapdb_explain_options;

typedef struct pmapdb_explain_result {
    uint64_t captures; /* blocks that an import would store, as far as one block shows */
    uint64_t refused;  /* blocks and files that it would not */
    uint64_t trouble;  /* files that cannot be read, and named ones that hold nothing to store */
} pmapdb_explain_result;

/* Reads what pmapdb_import() would read and says how. Needs no store and keeps nothing. */
PMAPDB_API pmapdb_status pmapdb_explain(const char *const *paths, size_t n_paths,
                                        const pmapdb_explain_options *options,
                                        pmapdb_explain_result *result, pmapdb_error *err);

/* ---- named queries ---- */

typedef struct pmapdb_rows pmapdb_rows;

typedef enum pmapdb_type { PMAPDB_NULL, PMAPDB_INT, PMAPDB_REAL, PMAPDB_TEXT } pmapdb_type;

/* Prepares a named query (queries/NAME.sql). Parameters start at their declared defaults. */
PMAPDB_API pmapdb_status pmapdb_query(pmapdb_store *store, const char *name, pmapdb_rows **out,
                                      pmapdb_error *err);

/* The same of a query in a file of the user's: its name must be that in its header. What is wrong
 * with it is PMAPDB_USAGE, and the text begins with FILE:LINE. */
PMAPDB_API pmapdb_status pmapdb_query_file(pmapdb_store *store, const char *path, pmapdb_rows **out,
                                           pmapdb_error *err);
PMAPDB_API void pmapdb_rows_close(pmapdb_rows *rows);

/* Gives a parameter its value as a user would write it: "last", "-2h", "10M", "redis/4711". */
PMAPDB_API pmapdb_status pmapdb_bind(pmapdb_rows *rows, const char *param, const char *value,
                                     pmapdb_error *err);

/* Steps to the next row. The first call resolves the parameters (selectors, sizes, times). */
PMAPDB_API pmapdb_status pmapdb_next(pmapdb_rows *rows, bool *has_row, pmapdb_error *err);

PMAPDB_API int pmapdb_rows_columns(const pmapdb_rows *rows);
PMAPDB_API const char *pmapdb_rows_name(const pmapdb_rows *rows, int column);
/* The declared type: text int count real kib rate time duration bool address snapshot process
 * lineage category ratio. */
PMAPDB_API const char *pmapdb_rows_unit(const pmapdb_rows *rows, int column);
PMAPDB_API pmapdb_type pmapdb_rows_type(const pmapdb_rows *rows, int column);
/* An unknown number is PMAPDB_UNKNOWN, an unknown real is not a number, an unknown text is NULL. */
PMAPDB_API int64_t pmapdb_rows_int(const pmapdb_rows *rows, int column);
PMAPDB_API double pmapdb_rows_real(const pmapdb_rows *rows, int column);
/* The bytes of a text, which need not be UTF-8 and may hold NULs; *length, which may be NULL, does
 * not count the end. */
PMAPDB_API const char *pmapdb_rows_text(const pmapdb_rows *rows, int column, size_t *length);

/* ---- ad-hoc SQL ---- */

typedef struct pmapdb_sql_options {
    const char *where;  /* what errors call the text: a file; NULL: nothing */
    int64_t timeout_ms; /* of work, not of waiting for the caller; 0: none */
    int64_t max_rows;   /* 0: all */
} pmapdb_sql_options;

/* Prepares one SELECT (WITH, VALUES, EXPLAIN, a PRAGMA that tells). It runs on a connection of its
 * own that cannot change anything, in the store or elsewhere. options may be NULL.
 *
 * Parameters (:k, @k, $k) are given with pmapdb_bind(rows, "k", ...): a number, 0x and hexadecimal
 * digits too, is a number, nothing is NULL, the rest is text; 'text' without its quotes, for text
 * that looks like a number. All must be given. Units come from the columns' names: X_kib
 * (X_kib_from, _to, _delta) is kib, X_at is time, start, end, offset are addresses; the others are
 * int, real or text by the first row, and text before it. */
PMAPDB_API pmapdb_status pmapdb_sql(pmapdb_store *store, const char *text,
                                    const pmapdb_sql_options *options, pmapdb_rows **out,
                                    pmapdb_error *err);

/* True once rows were left out because of max_rows. */
PMAPDB_API bool pmapdb_rows_cut(const pmapdb_rows *rows);

#ifdef __cplusplus
}
#endif

#endif
