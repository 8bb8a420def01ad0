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
    PMAPDB_READ,  /* read-only; a store that is not there is PMAPDB_NOTFOUND */
    PMAPDB_WRITE, /* created when missing, migrated when old */
    PMAPDB_CHANGE /* as PMAPDB_WRITE, but never created: for what changes a store that is there */
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
    const char *path;    /* as the user would find it: FILE, or ARCHIVE:MEMBER, or - */
    const char *error;   /* why nothing was stored, or NULL: then the rest is valid */
    bool known;          /* said by an earlier import already: only counted */
    bool trouble;        /* an import with this does not end well */
    int64_t snapshot_id; /* PMAPDB_UNKNOWN: a duplicate that a prune removed */
    int64_t pid;         /* or PMAPDB_UNKNOWN */
    const char *name;
    int64_t taken_ms;
    const char *dialect; /* smaps, pmap-XX, ...: `pmapdb dialects` lists them */
    const char *state;   /* complete, partial, totals */
    const char *checked; /* footer, status, rollup, none */
    int64_t mappings;    /* or PMAPDB_UNKNOWN: state totals */
    int64_t size_kib;    /* or PMAPDB_UNKNOWN */
    bool duplicate;      /* it was stored before: nothing changed */
    const char *missing; /* of a partial one, in words and numbers; else NULL */
    size_t n_warnings;   /* about its pid and process, and categories that it could not get */
    const char *const *warnings;
    size_t n_notes; /* what was made good (a tool's doubled rows); none of a duplicate */
    const char *const *notes;
    uint64_t labels; /* not 0: no capture but so many ranges that a JVM names; snapshot_id is the
                        capture whose mappings they are, mappings and size_kib of those it names */
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
    uint64_t max_memory;   /* bytes that one file's captures may take until they are stored; 0: no
                              bound */
    uint64_t max_unpacked; /* bytes out of one packed file; 0: 64 GiB, and 1,000 times its size */
    /* Of a command line only the program is stored, and of an interpreter's the script, module, jar
     * or main class; besides what these regexes match, or their groups. */
    const char *const *keep_cmdline;
    size_t n_keep_cmdline;
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
    uint64_t labels;      /* reports in which a JVM names its memory, new ones */
} pmapdb_import_result;

PMAPDB_API void pmapdb_import_defaults(pmapdb_import_options *options);

/* Stores the captures of files, directories (recursive), compressed files, archives, "-" (stdin).
 * What is damaged is reported through on_event and counted; PMAPDB_OK then still means that the
 * store took everything else. Another status means that the run itself ended early; captures
 * committed before that stay. */
PMAPDB_API pmapdb_status pmapdb_import(pmapdb_store *store, const char *const *paths,
                                       size_t n_paths, const pmapdb_import_options *options,
                                       pmapdb_import_result *result, pmapdb_error *err);

/* ---- live capture ---- */

typedef enum pmapdb_measure {
    PMAPDB_MEASURE_AUTO, /* smaps, or maps where smaps would stall the process for too long */
    PMAPDB_MEASURE_SMAPS,
    PMAPDB_MEASURE_MAPS
} pmapdb_measure;

/* One line's worth of news from pmapdb_capture(): a snapshot, or why there is none. */
typedef struct pmapdb_capture_event {
    pmapdb_import_event news; /* as of an import; its path is /proc/PID/smaps, or "" */
    int64_t read_us;          /* reading and parsing the map took this long */
    int64_t predicted_us;     /* the stall that smaps was predicted to cause, or PMAPDB_UNKNOWN */
    const char *degraded;     /* why maps was read although smaps was wanted; else NULL */
} pmapdb_capture_event;

/* A beat: all chosen processes at one moment. */
typedef struct pmapdb_capture_beat {
    int64_t started_ms, ended_ms;
    uint64_t stored;
    uint64_t vanished;   /* processes that ended or became another program while they were read */
    uint64_t unreadable; /* that this user may not read */
    uint64_t degraded;   /* of `stored`: maps where smaps was wanted */
    uint64_t unmoved;    /* left out by growth_percent, growth_kib, rss_above_kib */
    uint64_t changed;    /* whose map changed too quickly while it was read */
    uint64_t missed;     /* beats that could not be kept since the one before */
    int64_t moved_ms;    /* so much the clock was set, or the machine slept, since then */
    const pmapdb_error *lost; /* nothing of it is stored, and why; else NULL */
} pmapdb_capture_beat;

typedef struct pmapdb_capture_options {
    /* Which processes, one of three. This program itself is never among the last two. */
    const int64_t *pids;
    size_t n_pids;
    const char *match; /* an expression, as --match takes it */
    bool all;
    pmapdb_measure measure;
    int64_t max_stall_us;   /* of one process, for PMAPDB_MEASURE_AUTO */
    int64_t every_ms;       /* beats at multiples of this in UTC; PMAPDB_UNKNOWN: one, now */
    int64_t count;          /* so many beats; PMAPDB_UNKNOWN: until stopped */
    int64_t growth_percent; /* only what moved by this since its last snapshot; PMAPDB_UNKNOWN */
    int64_t growth_kib;     /* the same in KiB of RSS */
    int64_t rss_above_kib;  /* only what has more RSS; PMAPDB_UNKNOWN */
    const char *const *keep_env; /* variables of the environment to store */
    size_t n_keep_env;
    const char *const *keep_cmdline; /* as of an import */
    size_t n_keep_cmdline;
    int64_t lock_wait_ms; /* for a run of the same selection to end */
    const char *host;     /* NULL: this machine's name */
    const char *name;     /* of the processes; NULL: of their executables */
    void *ctx;
    /* Called once per snapshot, when it is committed, and per process that gave none. */
    void (*on_event)(void *ctx, const pmapdb_capture_event *event);
    void (*on_beat)(void *ctx, const pmapdb_capture_beat *beat);
    /* Called between processes and at least once a second; returning false ends the run: a beat
     * that is being read is dropped, one that is being stored is completed. */
    bool (*on_progress)(void *ctx);
} pmapdb_capture_options;

typedef struct pmapdb_capture_result {
    uint64_t beats;                                /* kept */
    uint64_t missed;                               /* not begun, or lost */
    uint64_t stored;                               /* snapshots */
    uint64_t vanished, degraded, unmoved, changed; /* as of a beat, over all of them */
    uint64_t trouble; /* processes named by pid, of the first beat, that gave no snapshot */
    bool ended;       /* of the processes named by pid none is left */
} pmapdb_capture_result;

PMAPDB_API void pmapdb_capture_defaults(pmapdb_capture_options *options);

/* Reads the maps of live processes and stores them, each beat in one transaction (in several where
 * more than 256 MiB would wait for it). What cannot be read is reported and counted. With every_ms
 * a beat that cannot be stored is lost, and the run goes on; PMAPDB_STOPPED: on_progress ended it;
 * PMAPDB_BUSY: a run of the same selection is under way. */
PMAPDB_API pmapdb_status pmapdb_capture(pmapdb_store *store, const pmapdb_capture_options *options,
                                        pmapdb_capture_result *result, pmapdb_error *err);

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
    uint64_t max_memory; /* bytes that what is read of one file may take; 0: no bound */
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

/* ---- prune ---- */

#define PMAPDB_KEEP_ALL (-1)

/* What stays of a series, which is a name on a host: of its moments (all processes and dialects
 * that were captured together) those that any rule keeps, counted from the newest, the last one of
 * each period, in local time (TZ); and those that are pinned. 0: no such rule. */
typedef struct pmapdb_keep {
    int64_t last, hourly, daily, weekly, monthly, yearly; /* how many, or PMAPDB_KEEP_ALL */
    int64_t within_ms; /* all that are newer than the newest minus this */
} pmapdb_keep;

/* What becomes of one moment. */
typedef struct pmapdb_prune_moment {
    const char *host; /* or NULL */
    const char *name;
    int64_t moment_ms, snapshots;
    bool kept;
    const char *why; /* kept: "last, daily, pinned"; removed: "no rule keeps it", "max-size" ... */
} pmapdb_prune_moment;

/* What became of one series; of a dry run, what would. */
typedef struct pmapdb_prune_series {
    const char *host; /* or NULL */
    const char *name;
    int64_t moments_kept, moments_removed, snapshots_kept, snapshots_removed;
    const char *why; /* how many moments each rule keeps: "last 5, daily 30" */
} pmapdb_prune_series;

typedef struct pmapdb_prune_options {
    pmapdb_keep keep;
    int64_t max_kib;     /* then the oldest moments go until the store fits; PMAPDB_UNKNOWN: no */
    const char *process; /* only this name, or HOST:NAME; NULL: all */
    const char *host;    /* only series of this host; NULL: all */
    bool drop;           /* everything of `process` or `host` that is not pinned */
    bool force;          /* a name may vanish: for max_kib and drop */
    bool dry_run;        /* tell, change nothing; a store opened for reading will do */
    void *ctx;
    /* The plan, per series newest first, before anything is removed; may be NULL. */
    void (*on_moment)(void *ctx, const pmapdb_prune_moment *moment);
    /* At the end; may be NULL. */
    void (*on_series)(void *ctx, const pmapdb_prune_series *series);
    /* Now and then; false stops between two steps: the store is whole, the next prune goes on. */
    bool (*on_progress)(void *ctx, const char *step, uint64_t done, uint64_t of);
} pmapdb_prune_options;

typedef struct pmapdb_prune_result {
    uint64_t series, moments_kept, moments_removed, snapshots_kept, snapshots_removed;
    int64_t kib_before, kib_after; /* of the store's file; of a dry run with max_kib, about */
    bool fits;                     /* max_kib was reached, or not asked for */
    bool held;                     /* a reader keeps the file from shrinking until it ends */
    bool wants_vacuum;             /* the file was made without auto_vacuum: it does not shrink */
} pmapdb_prune_result;

PMAPDB_API void pmapdb_prune_defaults(pmapdb_prune_options *options);

/* Removes moments; what stays is not changed in any column. Text that was removed leaves a trace,
 * so that an import knows it and does not bring it back. Works in small transactions: readers are
 * not disturbed, captures go on. */
PMAPDB_API pmapdb_status pmapdb_prune(pmapdb_store *store, const pmapdb_prune_options *options,
                                      pmapdb_prune_result *result, pmapdb_error *err);

/* The moment of a snapshot (selectors as in queries: last, @ID, a time) is never pruned. process
 * NULL: the only one. *snapshot_id, which may be NULL, is the one that was meant. */
PMAPDB_API pmapdb_status pmapdb_pin(pmapdb_store *store, const char *process, const char *snapshot,
                                    const char *reason, int64_t *snapshot_id, pmapdb_error *err);
/* All pins of its moment go. */
PMAPDB_API pmapdb_status pmapdb_unpin(pmapdb_store *store, const char *process,
                                      const char *snapshot, int64_t *snapshot_id,
                                      pmapdb_error *err);

typedef struct pmapdb_compact_options {
    bool
        vacuum; /* rewrite the whole file: nobody else can write, and as much space again is used */
    void *ctx;
    bool (*on_progress)(void *ctx, const char *step, uint64_t done, uint64_t of); /* as in prune */
} pmapdb_compact_options;

typedef struct pmapdb_compact_result {
    uint64_t epochs_before, epochs_after;
    int64_t kib_before, kib_after;
    bool held, wants_vacuum; /* as of a prune */
} pmapdb_compact_result;

/* Writes what late captures and prunes left in pieces as if it had come in order, removes what
 * nothing shows any more, gives free space back. */
PMAPDB_API pmapdb_status pmapdb_compact(pmapdb_store *store, const pmapdb_compact_options *options,
                                        pmapdb_compact_result *result, pmapdb_error *err);

/* ---- doctor ---- */

typedef enum pmapdb_health {
    PMAPDB_HEALTH_OK,
    PMAPDB_HEALTH_NOTE,   /* worth knowing */
    PMAPDB_HEALTH_TROUBLE /* something is to be done */
} pmapdb_health;

/* What pmapdb_doctor() found in one respect. Texts last for the call. */
typedef struct pmapdb_doctor_event {
    const char *check; /* "integrity", "size", ... */
    pmapdb_health state;
    const char *value;  /* what was found, for people: "120 MiB", "wal"; or "" */
    const char *detail; /* in words: where, since when, what to do; or "" */
    double number;      /* the value where it is a number; else not a number */
    const char *unit;   /* of that: KiB, ms, snapshots, ...; or "" */
} pmapdb_doctor_event;

typedef struct pmapdb_doctor_options {
    bool deep;            /* also all indexes, all references, the sums of every snapshot */
    bool compact;         /* also join what late captures split, and give space back */
    int64_t max_size_kib; /* what the file may grow to; PMAPDB_UNKNOWN: the disk */
    void *ctx;
    void (*on_event)(void *ctx, const pmapdb_doctor_event *event);
} pmapdb_doctor_options;

typedef struct pmapdb_doctor_result {
    uint64_t notes, troubles; /* checks that ended so */
} pmapdb_doctor_result;

PMAPDB_API void pmapdb_doctor_defaults(pmapdb_doctor_options *options);

/* Says how the store in that file is: whether it is whole, whether captures arrive, what they cost,
 * how long it lasts. Takes a path, because a damaged store may not open: then it says what can be
 * said. Changes nothing unless `compact`. PMAPDB_OK also where there is trouble, which is counted;
 * PMAPDB_NOTFOUND where there is no such file. */
PMAPDB_API pmapdb_status pmapdb_doctor(const char *path, const pmapdb_doctor_options *options,
                                       pmapdb_doctor_result *result, pmapdb_error *err);

/* ---- merge ---- */

/* What pmapdb_merge() says of one other store. */
typedef struct pmapdb_merge_event {
    const char *path;
    const char *error;   /* why it, or the rest of it, was not merged; names it; or NULL */
    const char *warning; /* or NULL */
    uint64_t hosts, processes;
    uint64_t snapshots, new_ones, known; /* looked at; stored, or would be; there already */
} pmapdb_merge_event;

typedef struct pmapdb_merge_progress {
    const char *path;
    uint64_t snapshots, stored; /* of this one, so far */
} pmapdb_merge_progress;

typedef struct pmapdb_merge_options {
    const char *host; /* of processes whose host the other stores do not know; NULL: unknown */
    int64_t sweep_ms; /* snapshots of one name within this are one moment */
    bool dry_run;     /* nothing is stored */
    void *ctx;
    /* Called once per other store. */
    void (*on_event)(void *ctx, const pmapdb_merge_event *event);
    /* Called now and then; returning false ends the merge: what was stored stays, and the next
     * one goes on. */
    bool (*on_progress)(void *ctx, const pmapdb_merge_progress *progress);
} pmapdb_merge_options;

typedef struct pmapdb_merge_result {
    uint64_t stores, failed; /* other stores; of them those with an error */
    uint64_t new_ones, known;
} pmapdb_merge_result;

PMAPDB_API void pmapdb_merge_defaults(pmapdb_merge_options *options);

/* Stores what other stores hold: after that, this one holds what it would if it had seen all their
 * captures itself, besides its own. What it holds already is not stored again, nor what was pruned
 * here; but live sweeps of which nothing is left come back while another store has them. The other
 * stores are only read, and may be in use. One that cannot be read, or is damaged, is reported
 * through on_event, and the others are merged.
 *
 * A process that this store has no part of keeps its lineages, with what captures pruned since told
 * of them; where both have a part, lineages are what all captures that are left say.
 *
 * store may be NULL in a dry run: an empty one. */
PMAPDB_API pmapdb_status pmapdb_merge(pmapdb_store *store, const char *const *paths, size_t n_paths,
                                      const pmapdb_merge_options *options,
                                      pmapdb_merge_result *result, pmapdb_error *err);

/* ---- export ---- */

/* What pmapdb_export() has to say besides. Texts last for the call. */
typedef struct pmapdb_export_event {
    const char *warning; /* or NULL: then a text, or a stretch of addresses, and what stands for it
                            in the new store; bytes, of any kind */
    const char *original, *token;
    size_t original_len, token_len;
} pmapdb_export_event;

typedef struct pmapdb_export_progress {
    const char *table; /* at hand */
    uint64_t rows;     /* written so far */
} pmapdb_export_progress;

typedef struct pmapdb_export_options {
    const char *const *processes; /* selectors; none: all */
    size_t n_processes;
    const char *from, *to;   /* selectors of the first and last moment; NULL: all of them */
    bool redact;             /* names and addresses are replaced */
    const char *const *keep; /* regular expressions of what is not */
    size_t n_keep;
    void *ctx;
    void (*on_event)(void *ctx, const pmapdb_export_event *event);
    /* Called now and then; returning false ends the export: nothing of it is left. */
    bool (*on_progress)(void *ctx, const pmapdb_export_progress *progress);
} pmapdb_export_options;

typedef struct pmapdb_export_result {
    uint64_t processes, snapshots, recordings;
    uint64_t tokens; /* texts that were replaced */
    int64_t size_kib;
} pmapdb_export_result;

PMAPDB_API void pmapdb_export_defaults(pmapdb_export_options *options);

/* Makes a store at `path`, where nothing may be, of what is asked for of this one. All ids are as
 * they are here: of what somebody says of the extract one can look up what it is about. With
 * `redact` the same text has the same token everywhere; every sum, time, size and distance stays.
 * The file (0600) appears whole or not at all. */
PMAPDB_API pmapdb_status pmapdb_export(pmapdb_store *store, const char *path,
                                       const pmapdb_export_options *options,
                                       pmapdb_export_result *result, pmapdb_error *err);

/* ---- rules ---- */

/* A set of rules. Texts last for the call. */
typedef struct pmapdb_rule_set {
    const char *name;        /* of a set that is built in, else the file that it came from */
    const char *text;        /* CSV, as a file of rules is written */
    const char *application; /* the folder that {app} in it stands for */
    int64_t rules;
    bool stored;         /* it is the store's: its categories come from it */
    int64_t applied_ms;  /* to the store; PMAPDB_UNKNOWN: never, or the store began with it */
    bool named_built_in; /* this library has a set of that name */
    bool built_in;       /* and this is it: else it is that of another version */
} pmapdb_rule_set;

typedef struct pmapdb_rule {
    int64_t position; /* from 1: the first that matches a mapping gives it its category */
    const char *name, *category;
    const char *conditions; /* in words */
    const char *note;       /* or "" */
    bool of_object;   /* it asks for nothing that can change in the life of a lineage; else it is
                         asked in the first capture, and what it said then stays */
    int64_t lineages; /* that it gave their category; PMAPDB_UNKNOWN: the set is not the store's */
} pmapdb_rule;

/* Lineages that go from one category to another. */
typedef struct pmapdb_rules_change {
    const char *from, *to;
    const char *rule; /* that gives `to`; NULL: none does */
    int64_t lineages;
    int64_t mappings, size_kib, rss_kib; /* of them in the newest snapshots of their processes;
                                            PMAPDB_UNKNOWN: one of those does not show it */
} pmapdb_rules_change;

typedef struct pmapdb_rules_options {
    const char *rules;       /* default, pmap-dotnet, or a file; NULL: the store's */
    const char *application; /* folder for {app}; NULL: /app, of the store's set what it has */
    bool dry_run;            /* pmapdb_rules_apply: nothing is kept */
    bool forget_labels;      /* pmapdb_rules_apply: what JVMs said of their own memory goes, and the
                                rules are asked of what it named */
    void *ctx;
    /* Any of them may be NULL. on_note: a line for each mistake, "FILE:LINE: reason", and for what
     * is allowed and perhaps not meant. */
    void (*on_note)(void *ctx, bool mistake, const char *note);
    void (*on_set)(void *ctx, const pmapdb_rule_set *set);           /* before the others */
    void (*on_rule)(void *ctx, const pmapdb_rule *rule);             /* pmapdb_rules */
    void (*on_change)(void *ctx, const pmapdb_rules_change *change); /* largest rss first */
    /* Now and then; false ends it, and nothing is kept. */
    bool (*on_progress)(void *ctx, uint64_t processes, uint64_t of);
} pmapdb_rules_options;

typedef struct pmapdb_rules_result {
    bool same;       /* they are the store's: there was nothing to do, the rest is 0 */
    int64_t reports; /* of JVMs on their own memory, that are forgotten */
    int64_t processes;
    int64_t lineages, changed_lineages;
    int64_t snapshots, changed_snapshots; /* whose sums by category are others now */
} pmapdb_rules_result;

/* The rules of a set, in their order. store may be NULL: no lineages are known, and the set is
 * default where none is named. A set with a mistake is PMAPDB_INPUT. */
PMAPDB_API pmapdb_status pmapdb_rules(pmapdb_store *store, const pmapdb_rules_options *options,
                                      pmapdb_error *err);

/* Gives all that the store has the categories that it would have if it had had these rules from the
 * beginning, in one transaction; what is stored later gets them too. The store must be open for
 * writing, for a dry run as well: its changes are made and taken back. PMAPDB_INPUT also where a
 * regex takes too long on some path. */
PMAPDB_API pmapdb_status pmapdb_rules_apply(pmapdb_store *store,
                                            const pmapdb_rules_options *options,
                                            pmapdb_rules_result *result, pmapdb_error *err);

/* ---- call stacks ---- */

typedef struct pmapdb_perf_progress {
    uint64_t bytes, events; /* read so far; events of whatever kind */
} pmapdb_perf_progress;

typedef struct pmapdb_perf_options {
    const char *host; /* that it was recorded on; NULL: unknown */
    int64_t pid;      /* of whose threads it is, where the text has thread ids alone */
    /* UTC minus the recording's clock, ns; PMAPDB_UNKNOWN: it is found. */
    int64_t clock_offset_ns;
    void *ctx;
    /* Called now and then; returning false ends the import, and nothing is stored. */
    bool (*on_progress)(void *ctx, const pmapdb_perf_progress *progress);
} pmapdb_perf_options;

/* What became of one recording. Numbers of one that was known are those it was stored with. */
typedef struct pmapdb_perf_result {
    int64_t recording_id;
    bool known;                 /* it was stored already */
    uint64_t calls, failed;     /* with an enter and an exit; of them, that returned an error */
    uint64_t unended, unbegun;  /* enters without an exit, exits without an enter */
    uint64_t bad;               /* events that could not be read */
    int64_t lost;               /* that perf lost; PMAPDB_UNKNOWN: the text does not say */
    uint64_t threads, homeless; /* of them, that nobody knows the process of */
    int64_t span_ms;
    uint64_t tracees, linked; /* processes; of them, that the store has captures of */
    uint64_t live_kib;        /* mapped in it and not unmapped at its end */
    bool shallow;             /* chains end in libc: most of brk have one frame */
    bool chainless;           /* there are none */
    /* of the process with most calls */
    int64_t pid, process_id;     /* or PMAPDB_UNKNOWN */
    char pid_source[16];         /* text, given, thread, assumed, unknown */
    char name[64];               /* of the process in the store, or "" */
    char clock[16];              /* clocks, given, events, or "": not found */
    int64_t offset_ns, slack_ns; /* or PMAPDB_UNKNOWN */
} pmapdb_perf_result;

PMAPDB_API void pmapdb_perf_defaults(pmapdb_perf_options *options);

/* Stores a text of perf script: mmap, munmap, brk, mremap and mprotect with their call chains. path
 * is a file, compressed or not, or "-". The whole of it is stored or nothing; known, it is not
 * stored again. PMAPDB_INPUT where it is no such text, or has none of these calls. */
PMAPDB_API pmapdb_status pmapdb_import_perf(pmapdb_store *store, const char *path,
                                            const pmapdb_perf_options *options,
                                            pmapdb_perf_result *result, pmapdb_error *err);

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
