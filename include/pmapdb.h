/* pmapdb.h: the public interface of libpmapdb.
 *
 * A store is one SQLite file that holds repeated captures of process memory maps. Captures go in
 * through pmapdb_import() and pmapdb_capture(); answers come out as the rows of named queries
 * (pmapdb_query()) and of SQL (pmapdb_sql()).
 *
 * Units.      Sizes are KiB, 64-bit integers. Times are milliseconds since 1970-01-01 UTC.
 *             Addresses and offsets are bytes; the store keeps them as two's complement.
 * Unknown.    Never 0. In C it is PMAPDB_UNKNOWN, in SQL NULL, in CSV nothing between commas.
 *             An unknown text is NULL.
 * Ownership.  After a call, pmapdb keeps none of your pointers, except those that
 *             pmapdb_on_progress() takes. You never free memory of pmapdb.
 *             A store goes to pmapdb_close(), rows go to pmapdb_rows_close(); both take NULL.
 *             Text in events lasts for the callback. Text from pmapdb_rows_* lasts until the next
 *             call on the same rows.
 * Options.    A *_defaults function fills the options. Every callback may be NULL and gets `ctx`.
 *             on_progress is called now and then; if it returns false, the run ends with
 *             PMAPDB_STOPPED.
 * Errors.     Every function that can fail returns pmapdb_status and takes a pmapdb_error last,
 *             which may be NULL.
 *             On failure, *out is not changed, *result may count what was done until then, and the
 *             error holds one line that names the file, the process or the option.
 * Threads.    A store and its rows belong to one thread at a time. There is no global state.
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

/* A number that is not known. No size, time or pid of a real process comes near it. */
#define PMAPDB_UNKNOWN INT64_MIN

typedef enum pmapdb_status {
    PMAPDB_OK = 0,
    PMAPDB_NOMEM,    /* out of memory */
    PMAPDB_USAGE,    /* the caller asked for something that makes no sense */
    PMAPDB_IO,       /* the operating system refused; os_errno says why */
    PMAPDB_INPUT,    /* bytes that are not a capture, or are damaged beyond use */
    PMAPDB_DATABASE, /* SQLite refused; db_code says why */
    PMAPDB_SCHEMA,   /* a file that is not a pmapdb store, or a store of a newer pmapdb */
    PMAPDB_BUSY,     /* another process holds the store for longer than the busy timeout */
    PMAPDB_NOTFOUND, /* no such process, snapshot, query or file; the text lists the existing ones
                      */
    PMAPDB_STOPPED,  /* a callback asked to stop */
    PMAPDB_TIMEOUT   /* a statement worked longer than it may */
} pmapdb_status;

typedef struct pmapdb_error {
    pmapdb_status status;
    int os_errno;   /* 0 where it does not apply */
    int db_code;    /* SQLite's extended result code, or 0 */
    char text[512]; /* one line, no full stop, no newline */
} pmapdb_error;

/* How far a long call is. */
typedef struct pmapdb_progress {
    const char *what;  /* the current step, file, store or table */
    const char *unit;  /* what done and of count; NULL: nothing is counted */
    uint64_t done, of; /* of: 0 while unknown */
    uint64_t bytes;    /* read so far; 0 in a step that reads no files */
} pmapdb_progress;

/* False ends the call. */
typedef bool (*pmapdb_progress_fn)(void *ctx, const pmapdb_progress *progress);

/* ---- store ---- */

typedef struct pmapdb_store pmapdb_store;

typedef enum pmapdb_open_mode {
    PMAPDB_READ,  /* read-only; a missing store is PMAPDB_NOTFOUND */
    PMAPDB_WRITE, /* created if missing, migrated if old */
    PMAPDB_CHANGE /* as PMAPDB_WRITE, but never created */
} pmapdb_open_mode;

typedef struct pmapdb_open_options {
    pmapdb_open_mode mode;
    unsigned file_mode;    /* permission bits of a new store; 0: 0600 */
    const char *group;     /* group of a new store, or NULL */
    int busy_ms;           /* how long to wait for another writer; 0: 60,000 */
    const char *query_dir; /* *.sql in this folder override the built-in queries; or NULL */
    bool in_memory;        /* a new store without a file, for PMAPDB_WRITE; `path` only names it */
} pmapdb_open_options;

PMAPDB_API pmapdb_status pmapdb_open(const char *path, const pmapdb_open_options *options,
                                     pmapdb_store **out, pmapdb_error *err);
PMAPDB_API void pmapdb_close(pmapdb_store *store);

/* True if SQLite could not create the -shm. The store is then read as a file that does not change:
 * writes of other processes are not seen. */
PMAPDB_API bool pmapdb_is_immutable(const pmapdb_store *store);

/* Between these two calls every answer is of one state of the store, whatever other processes write
 * meanwhile. End soon: the -wal grows until then. Closing the store also ends the reading. */
PMAPDB_API pmapdb_status pmapdb_begin_read(pmapdb_store *store, pmapdb_error *err);
PMAPDB_API void pmapdb_end_read(pmapdb_store *store);

/* Calls on_progress now and then while the rows of queries are searched for; `done` counts the
 * processes that leaks has judged. False ends the query with PMAPDB_STOPPED. After each row `what`
 * is NULL. on_progress NULL: no calls. Not for pmapdb_sql(), which has a time limit. */
PMAPDB_API void pmapdb_on_progress(pmapdb_store *store, pmapdb_progress_fn on_progress, void *ctx);

/* ---- import ---- */

/* A capture that was stored or known, or a file that gave none. */
typedef struct pmapdb_import_event {
    const char *path;      /* as the user would find it: FILE, ARCHIVE:MEMBER, or - */
    const char *error;     /* why nothing was stored; NULL: the rest is valid */
    bool known;            /* an earlier import reported this error */
    bool trouble;          /* this error makes the exit code 2 */
    int64_t snapshot_id;   /* PMAPDB_UNKNOWN: a duplicate of a snapshot that a prune removed */
    int64_t pid, taken_ms; /* the pid may be unknown */
    const char *name;
    const char *dialect;         /* smaps, pmap-XX, ...: `pmapdb dialects` lists them */
    const char *state, *checked; /* complete, partial, totals; footer, status, rollup, none */
    int64_t mappings, size_kib;  /* unknown in a capture of totals */
    int64_t rss_kib;             /* of its rows, or of VmRSS; may be unknown */
    bool duplicate;              /* it was stored before: nothing changed */
    const char *missing;         /* of a partial capture, in words and numbers; else NULL */
    size_t n_warnings;           /* about its pid, its process and its categories */
    const char *const *warnings;
    size_t n_notes; /* what was repaired (rows that a tool printed twice); 0 for a duplicate */
    const char *const *notes;
    uint64_t labels; /* If not 0, the event is not a capture but a report of a JVM, which names
                        this many ranges; snapshot_id is the capture that shows them, mappings and
                        size_kib count the mappings that the report names */
} pmapdb_import_event;

typedef struct pmapdb_import_options {
    const char *host;      /* NULL: unknown */
    const char *name;      /* of the processes; NULL: the best that each capture gives */
    int64_t pid;           /* of captures without a pid; PMAPDB_UNKNOWN: unknown */
    int64_t at_ms;         /* the time of every capture; PMAPDB_UNKNOWN: each capture's own time */
    const char *time_from; /* "name", "mtime"; NULL: time line, then name, then mtime */
    int64_t every_ms; /* the step of a log without times; PMAPDB_UNKNOWN: such logs are refused */
    int64_t first_ms; /* the time of the log's first capture; PMAPDB_UNKNOWN: counted back from the
                         log's end */
    int64_t sweep_ms; /* snapshots of one name within this time are one moment */
    const char *dialect; /* read rows as this dialect only; NULL: by their shape */
    bool strict;         /* warnings about identity and time become errors */
    uint64_t max_memory; /* bytes that one file's captures may take until they are stored; 0: any */
    uint64_t max_unpacked; /* bytes out of one packed file; 0: 64 GiB, and from 1 GiB on at most
                              1,000 times the packed size */
    /* Import stores the program of a command line, or the script, module, jar or main class of an
     * interpreter. It also stores the text that these regular expressions (or their groups)
     * match. */
    const char *const *keep_cmdline;
    size_t n_keep_cmdline;
    /* A file of lines "NAME EXPRESSION" (as --match takes them): the first line whose expression
     * holds gives the name, unless `name` does; or NULL. */
    const char *names;
    void *ctx;
    /* Once per capture or failed file, in the order of storing. */
    void (*on_event)(void *ctx, const pmapdb_import_event *event);
    /* False ends the import after the current capture. */
    pmapdb_progress_fn on_progress;
} pmapdb_import_options;

typedef struct pmapdb_import_result {
    uint64_t stored, duplicates, partial, refused; /* captures */
    uint64_t new_trouble; /* refused or partial captures met for the first time: exit code 2 */
    uint64_t empty;       /* empty maps, kernel threads, vanished and denied processes */
    uint64_t skipped;     /* files in directories and archives that are not captures */
    uint64_t labels;      /* new reports in which a JVM names its memory */
} pmapdb_import_result;

PMAPDB_API void pmapdb_import_defaults(pmapdb_import_options *options);

/* Stores the captures in files, directories (recursive), compressed files, archives, "-" (standard
 * input). Damage is reported through on_event and counted, and the other captures are stored: that
 * is PMAPDB_OK. Another status means that the run ended early; captures committed before that stay.
 */
PMAPDB_API pmapdb_status pmapdb_import(pmapdb_store *store, const char *const *paths,
                                       size_t n_paths, const pmapdb_import_options *options,
                                       pmapdb_import_result *result, pmapdb_error *err);

/* ---- live capture ---- */

typedef enum pmapdb_measure {
    PMAPDB_MEASURE_AUTO, /* smaps; where it would stall the process for too long, pagemap, or maps
                            if this user may not read pagemap */
    PMAPDB_MEASURE_SMAPS,
    PMAPDB_MEASURE_MAPS,
    PMAPDB_MEASURE_TOTALS /* no mappings: the sums of status, which cost the process nothing */
} pmapdb_measure;

/* Whether to read which processes share which pages, and how a page of two processes is known to be
 * one. */
typedef enum pmapdb_pages {
    PMAPDB_PAGES_NONE,
    PMAPDB_PAGES_AUTO,    /* by frame if the kernel shows frames, else by identity */
    PMAPDB_PAGES_FRAME,   /* by the number of its frame: needs CAP_SYS_ADMIN */
    PMAPDB_PAGES_IDENTITY /* by its place in a file, or by its address in forked processes; any
                             other page counts as the process's own */
} pmapdb_pages;

/* A snapshot, or why a process gave none. */
typedef struct pmapdb_capture_event {
    pmapdb_import_event news; /* as of an import; its path is /proc/PID/smaps, or "" */
    int64_t read_us;          /* how long the map was read and parsed */
    int64_t predicted_us; /* the stall that smaps was predicted to cause; unknown: not predicted,
                             because the process is small or `measure` is not AUTO */
    const char *degraded; /* why maps or pagemap was read although smaps was wanted; else NULL */
} pmapdb_capture_event;

/* A beat: all selected processes at one moment. */
typedef struct pmapdb_capture_beat {
    int64_t started_ms, ended_ms;
    uint64_t stored;
    uint64_t vanished;   /* processes that ended or became another program while they were read */
    uint64_t unreadable; /* processes that this user may not read */
    uint64_t degraded;   /* of `stored`: maps was read in place of smaps */
    uint64_t unmoved;    /* left out by rss_above_kib */
    uint64_t changed;    /* processes whose map changed too quickly while it was read */
    uint64_t missed;     /* beats since the previous one that could not be kept */
    int64_t moved_ms; /* how far the clock was set, or the machine slept, since the previous one */
    const pmapdb_error *lost; /* why nothing of the beat is stored; else NULL */
} pmapdb_capture_beat;

typedef struct pmapdb_capture_options {
    /* Which processes: pids, match or all. This program itself is never among the last two. */
    const int64_t *pids;
    size_t n_pids;
    const char *match; /* an expression, as --match takes it */
    bool all;
    pmapdb_measure measure;
    pmapdb_pages pages;
    int64_t max_stall_us;  /* of one process, for PMAPDB_MEASURE_AUTO and touched_ms */
    int64_t touched_ms;    /* the shortest time between two clearings of the accessed bits of a
                              process (or markings of its pages as idle): Referenced is then what
                              was touched since; PMAPDB_UNKNOWN: never */
    int64_t every_ms;      /* beats at multiples of this in UTC; PMAPDB_UNKNOWN: one beat, now */
    int64_t count;         /* number of beats; PMAPDB_UNKNOWN: until stopped */
    int64_t rss_above_kib; /* only processes with more RSS; PMAPDB_UNKNOWN: all */
    const char *const *keep_env; /* variables of the environment to store */
    size_t n_keep_env;
    const char *const *keep_cmdline; /* as of an import */
    size_t n_keep_cmdline;
    int64_t lock_wait_ms; /* how long to wait for a run of the same selection to end */
    const char *host;     /* NULL: this machine's name */
    const char *name;     /* of the processes; NULL: the one that people know them by */
    const char *names;    /* a file of rules that give names, as of an import */
    /* Another /proc: of a container, or of another machine, mounted here or copied to a folder or
     * an archive (a copy has its own time, in its files uptime and stat); NULL: /proc. */
    const char *proc;
    /* With pages and one beat: also write a copy of /proc with the pages of the processes, which
     * `proc` of another machine reads; or NULL. */
    const char *archive;
    void *ctx;
    /* Once per snapshot, when it is committed, and per process that gave none. */
    void (*on_event)(void *ctx, const pmapdb_capture_event *event);
    void (*on_beat)(void *ctx, const pmapdb_capture_beat *beat);
    /* Between two processes, and between two beats at least once a second. False drops a beat that
     * is being read, and completes a beat that is being stored; then the run ends. */
    pmapdb_progress_fn on_progress;
} pmapdb_capture_options;

/* Sums over all beats. */
typedef struct pmapdb_capture_result {
    uint64_t beats, missed; /* kept; not begun, or lost */
    uint64_t stored, vanished, degraded, unmoved, changed;
    uint64_t cleared;  /* how often clear_refs cleared the accessed bits of a process */
    uint64_t marked;   /* how often page idle tracking marked the pages of a process */
    uint64_t archived; /* processes in the archive */
    uint64_t trouble;  /* events with `trouble`: a process named by pid gave no snapshot in the
                          first beat, a map cannot be parsed or stored, an archive is damaged */
    bool ended;        /* no process named by pid is left */
} pmapdb_capture_result;

PMAPDB_API void pmapdb_capture_defaults(pmapdb_capture_options *options);

/* Reads the maps of live processes and stores them, each beat in one transaction (in several if
 * more than 256 MiB would wait for it). What cannot be read is reported and counted. With every_ms,
 * a beat that cannot be stored is lost, and the run goes on. PMAPDB_BUSY: another run of the same
 * selection goes on. */
PMAPDB_API pmapdb_status pmapdb_capture(pmapdb_store *store, const pmapdb_capture_options *options,
                                        pmapdb_capture_result *result, pmapdb_error *err);

/* ---- labels of a host ---- */

typedef struct pmapdb_label {
    const char *key;   /* build, version, role, region, or any other word */
    const char *value; /* NULL: from at_ms on the host has no such label */
} pmapdb_label;

/* From at_ms on, the host has these values; other labels stay. Stores only what changes. host NULL:
 * this machine. */
PMAPDB_API pmapdb_status pmapdb_label_host(pmapdb_store *store, const char *host, int64_t at_ms,
                                           const pmapdb_label *labels, size_t n_labels,
                                           pmapdb_error *err);

/* ---- prune ---- */

#define PMAPDB_KEEP_ALL (-1)

/* Which moments of a series stay. A series is a name on a host; a moment is everything of it that
 * was captured together. A moment stays if any rule keeps it, or if it is pinned. Each rule keeps
 * the last moment of each period in local time (TZ), counted from the newest; 0: no such rule. */
typedef struct pmapdb_keep {
    int64_t last, hourly, daily, weekly, monthly, yearly; /* how many, or PMAPDB_KEEP_ALL */
    int64_t within_ms; /* all moments that are newer than the newest minus this */
} pmapdb_keep;

typedef struct pmapdb_prune_moment {
    const char *host, *name; /* the host may be NULL */
    int64_t moment_ms, snapshots;
    bool kept;
    const char *why; /* kept: "last, daily, pinned"; removed: "no rule keeps it", "max-size" ... */
} pmapdb_prune_moment;

/* In a dry run, what would become of the series. */
typedef struct pmapdb_prune_series {
    const char *host, *name; /* the host may be NULL */
    int64_t moments_kept, moments_removed, snapshots_kept, snapshots_removed;
    const char *why; /* how many moments each rule keeps: "last 5, daily 30" */
} pmapdb_prune_series;

typedef struct pmapdb_prune_options {
    pmapdb_keep keep;
    int64_t max_kib; /* afterwards, the oldest moments go until the store is no larger than this;
                        PMAPDB_UNKNOWN: any size */
    const char *process; /* only this name, or HOST:NAME; NULL: all */
    const char *host;    /* only series of this host; NULL: all */
    bool drop;           /* everything of `process` or `host` that is not pinned */
    bool force;          /* max_kib and drop may remove all of a name */
    bool dry_run;        /* changes nothing; the store may be open for reading */
    void *ctx;
    /* The plan, per series newest first, before anything is removed. */
    void (*on_moment)(void *ctx, const pmapdb_prune_moment *moment);
    void (*on_series)(void *ctx, const pmapdb_prune_series *series); /* at the end */
    /* False stops between two steps: the store is whole, and the next prune goes on. */
    pmapdb_progress_fn on_progress;
} pmapdb_prune_options;

typedef struct pmapdb_prune_result {
    uint64_t series, moments_kept, moments_removed, snapshots_kept, snapshots_removed;
    int64_t kib_before, kib_after; /* of the store's file; an estimate in a dry run with max_kib */
    bool fits;                     /* max_kib was reached, or not asked for */
    bool held;                     /* a reader keeps the file from shrinking until it ends */
    bool wants_vacuum;             /* the file was made without auto_vacuum: it does not shrink */
} pmapdb_prune_result;

PMAPDB_API void pmapdb_prune_defaults(pmapdb_prune_options *options);

/* Removes moments; no column of what stays changes. The store remembers removed text, so that an
 * import does not bring it back. Works in small transactions: readers and captures go on. */
PMAPDB_API pmapdb_status pmapdb_prune(pmapdb_store *store, const pmapdb_prune_options *options,
                                      pmapdb_prune_result *result, pmapdb_error *err);

/* The moment of a snapshot (selectors as in queries: last, @ID, a time) is never pruned. process
 * NULL: the only one. *snapshot_id, which may be NULL, is the snapshot that was selected. */
PMAPDB_API pmapdb_status pmapdb_pin(pmapdb_store *store, const char *process, const char *snapshot,
                                    const char *reason, int64_t *snapshot_id, pmapdb_error *err);
/* Removes all pins of the moment. */
PMAPDB_API pmapdb_status pmapdb_unpin(pmapdb_store *store, const char *process,
                                      const char *snapshot, int64_t *snapshot_id,
                                      pmapdb_error *err);

typedef struct pmapdb_compact_options {
    bool vacuum; /* rewrites the whole file: no other writer, and as much space again */
    void *ctx;
    pmapdb_progress_fn on_progress; /* as in prune */
} pmapdb_compact_options;

typedef struct pmapdb_compact_result {
    uint64_t epochs_before, epochs_after;
    int64_t kib_before, kib_after;
    bool held, wants_vacuum; /* as of a prune */
} pmapdb_compact_result;

/* Joins what late captures and prunes left in pieces, removes what nothing refers to, and gives
 * free space back. */
PMAPDB_API pmapdb_status pmapdb_compact(pmapdb_store *store, const pmapdb_compact_options *options,
                                        pmapdb_compact_result *result, pmapdb_error *err);

/* ---- doctor ---- */

typedef enum pmapdb_health {
    PMAPDB_HEALTH_OK,
    PMAPDB_HEALTH_NOTE,   /* worth knowing */
    PMAPDB_HEALTH_TROUBLE /* somebody has to act */
} pmapdb_health;

/* The result of one check. */
typedef struct pmapdb_doctor_event {
    const char *check; /* "integrity", "size", ... */
    pmapdb_health state;
    const char *value;  /* what was found, for people: "120 MiB", "wal"; or "" */
    const char *detail; /* in words: where, since when, what to do; or "" */
    double number;      /* the value as a number; NaN if it is not one */
    const char *unit;   /* of the number: KiB, ms, snapshots, ...; or "" */
} pmapdb_doctor_event;

typedef struct pmapdb_doctor_options {
    bool deep;            /* also checks all indexes, all references, the sums of every snapshot */
    int64_t max_size_kib; /* the size that the file may reach; PMAPDB_UNKNOWN: the disk's */
    void *ctx;
    void (*on_event)(void *ctx, const pmapdb_doctor_event *event);
} pmapdb_doctor_options;

typedef struct pmapdb_doctor_result {
    uint64_t notes, troubles; /* checks that ended so */
} pmapdb_doctor_result;

PMAPDB_API void pmapdb_doctor_defaults(pmapdb_doctor_options *options);

/* Checks a store: whether it is whole, whether captures arrive, what they cost, how long its space
 * lasts. Takes a path, because a damaged store may not open: then fewer checks run. Changes
 * nothing. PMAPDB_OK also if there is trouble, which is counted. */
PMAPDB_API pmapdb_status pmapdb_doctor(const char *path, const pmapdb_doctor_options *options,
                                       pmapdb_doctor_result *result, pmapdb_error *err);

/* ---- merge ---- */

/* One other store. */
typedef struct pmapdb_merge_event {
    const char *path;
    const char *error;   /* why the store, or the rest of it, was not merged; names it; or NULL */
    const char *warning; /* or NULL */
    uint64_t hosts, processes;
    uint64_t snapshots, new_ones, known; /* read; stored (in a dry run: would be); here already */
} pmapdb_merge_event;

typedef struct pmapdb_merge_options {
    const char *host; /* of processes whose host the other stores do not know; NULL: unknown */
    int64_t sweep_ms; /* snapshots of one name within this time are one moment */
    bool dry_run;     /* stores nothing */
    void *ctx;
    void (*on_event)(void *ctx, const pmapdb_merge_event *event); /* once per other store */
    /* False ends the merge: what was stored stays, and the next merge goes on. */
    pmapdb_progress_fn on_progress;
} pmapdb_merge_options;

typedef struct pmapdb_merge_result {
    uint64_t stores, failed; /* other stores; of them those with an error */
    uint64_t new_ones, known;
} pmapdb_merge_result;

PMAPDB_API void pmapdb_merge_defaults(pmapdb_merge_options *options);

/* Stores what other stores hold: afterwards this store is as if it had seen all their captures
 * itself. Captures that are here already, or were pruned here, are not stored again; but a
 * live sweep that this store has lost completely returns if another store has it. The other stores
 * are only read, and may be in use. A store that cannot be read, or is damaged, is reported through
 * on_event, and the others are merged.
 *
 * A process that only the other store knows keeps its lineages. If both stores know a process, its
 * lineages follow from all captures that are left.
 *
 * store may be NULL in a dry run, for an empty store. */
PMAPDB_API pmapdb_status pmapdb_merge(pmapdb_store *store, const char *const *paths, size_t n_paths,
                                      const pmapdb_merge_options *options,
                                      pmapdb_merge_result *result, pmapdb_error *err);

/* ---- export ---- */

typedef struct pmapdb_export_options {
    const char *const *processes; /* selectors; none: all */
    size_t n_processes;
    const char *from, *to;   /* selectors of the first and last moment; NULL: no bound */
    bool redact;             /* replaces names and addresses */
    const char *const *keep; /* regular expressions of names that are not replaced */
    size_t n_keep;
    void *ctx;
    void (*on_warning)(void *ctx, const char *warning);
    /* False ends the export: nothing of it is left. */
    pmapdb_progress_fn on_progress;
} pmapdb_export_options;

typedef struct pmapdb_export_result {
    uint64_t processes, snapshots, recordings;
    uint64_t tokens; /* texts that were replaced */
    int64_t size_kib;
} pmapdb_export_result;

PMAPDB_API void pmapdb_export_defaults(pmapdb_export_options *options);

/* Makes a new store of a part of this one. `path` must not exist. All ids stay, so that you can
 * look up an id of the extract in this store. With `redact` equal texts get equal tokens; every
 * sum, time, size and distance stays. The file (0600) appears whole or not at all. */
PMAPDB_API pmapdb_status pmapdb_export(pmapdb_store *store, const char *path,
                                       const pmapdb_export_options *options,
                                       pmapdb_export_result *result, pmapdb_error *err);

/* ---- rules ---- */

/* Lineages that go from one category to another. */
typedef struct pmapdb_rules_change {
    const char *from, *to;
    const char *rule; /* the rule that gives `to`; NULL: no rule */
    int64_t lineages;
    int64_t mappings, size_kib, rss_kib; /* of these lineages in the newest snapshots of their
                                            processes; PMAPDB_UNKNOWN: one of the snapshots does
                                            not show the number */
} pmapdb_rules_change;

typedef struct pmapdb_rules_options {
    const char *rules;  /* default, pmap-dotnet, or a file; NULL: the store's */
    bool dry_run;       /* pmapdb_rules_apply: keeps nothing */
    bool forget_labels; /* pmapdb_rules_apply: deletes the labels of JVMs; the rules then
                           decide these categories */
    void *ctx;
    void (*on_note)(void *ctx, const char *note);                    /* what could not be done */
    void (*on_change)(void *ctx, const pmapdb_rules_change *change); /* largest rss first */
    /* False ends the call, and nothing is kept. */
    pmapdb_progress_fn on_progress;
} pmapdb_rules_options;

typedef struct pmapdb_rules_result {
    bool same;       /* the rules are the store's already: the rest is 0 */
    int64_t reports; /* reports of JVMs on their own memory that are forgotten */
    int64_t processes;
    int64_t lineages, changed_lineages;
    int64_t snapshots, changed_snapshots; /* changed: their sums by category */
    int64_t unnamed; /* mappings whose category is one too many for the store: they keep its slug */
} pmapdb_rules_result;

/* Applies the rules to all stored mappings: the result equals a store that had these rules from the
 * beginning. Later captures get these rules, too. Each process is a transaction, a large one
 * several: after a failure, apply the rules again. The store must be open for writing, also for a
 * dry run. PMAPDB_INPUT also if a regular expression takes too long on some path. */
PMAPDB_API pmapdb_status pmapdb_rules_apply(pmapdb_store *store,
                                            const pmapdb_rules_options *options,
                                            pmapdb_rules_result *result, pmapdb_error *err);

/* ---- call stacks ---- */

typedef struct pmapdb_perf_options {
    const char *host;        /* on which it was recorded; NULL: unknown */
    int64_t pid;             /* of the threads in a text that has thread ids alone */
    int64_t clock_offset_ns; /* UTC minus the recording's clock; PMAPDB_UNKNOWN: pmapdb finds it */
    void *ctx;
    /* False ends the import, and nothing is stored. */
    pmapdb_progress_fn on_progress;
} pmapdb_perf_options;

/* One recording; the query `recordings` has its numbers. */
typedef struct pmapdb_perf_result {
    int64_t recording_id;
    bool known;     /* it was stored already */
    bool shallow;   /* chains end in libc: most of brk have one frame */
    bool chainless; /* there are no chains */
} pmapdb_perf_result;

PMAPDB_API void pmapdb_perf_defaults(pmapdb_perf_options *options);

/* Stores a text of perf script: mmap, munmap, brk, mremap and mprotect with their call chains. path
 * is a file, compressed or not, or "-". All of it is stored or nothing; a known text is not stored
 * again. PMAPDB_INPUT if it is not such a text, or has none of these calls. */
PMAPDB_API pmapdb_status pmapdb_import_perf(pmapdb_store *store, const char *path,
                                            const pmapdb_perf_options *options,
                                            pmapdb_perf_result *result, pmapdb_error *err);

/* ---- named queries ---- */

typedef struct pmapdb_rows pmapdb_rows;

typedef enum pmapdb_type { PMAPDB_NULL, PMAPDB_INT, PMAPDB_REAL, PMAPDB_TEXT } pmapdb_type;

/* Prepares a named query (queries/NAME.sql). Parameters start at their declared defaults. */
PMAPDB_API pmapdb_status pmapdb_query(pmapdb_store *store, const char *name, pmapdb_rows **out,
                                      pmapdb_error *err);

/* Prepares a query in a file, whose name must be that in its header. A mistake in the file is
 * PMAPDB_USAGE, and the text begins with FILE:LINE. */
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
/* The declared type: text int count real kib rate amount time duration bool address snapshot
 * process lineage category ratio. */
PMAPDB_API const char *pmapdb_rows_unit(const pmapdb_rows *rows, int column);
PMAPDB_API pmapdb_type pmapdb_rows_type(const pmapdb_rows *rows, int column);
/* An unknown number is PMAPDB_UNKNOWN, an unknown real is NaN, an unknown text is NULL. */
PMAPDB_API int64_t pmapdb_rows_int(const pmapdb_rows *rows, int column);
PMAPDB_API double pmapdb_rows_real(const pmapdb_rows *rows, int column);
/* The bytes of a text, which need not be UTF-8 and may hold NULs; *length, which may be NULL, does
 * not count the NUL at its end. A number is converted; NULL if memory runs out. */
PMAPDB_API const char *pmapdb_rows_text(const pmapdb_rows *rows, int column, size_t *length);

/* ---- ad-hoc SQL ---- */

typedef struct pmapdb_sql_options {
    const char *where;  /* the file that errors name; NULL: none */
    int64_t timeout_ms; /* of work, not of waiting for the caller; 0: none */
    int64_t max_rows;   /* 0: all */
} pmapdb_sql_options;

/* Prepares one SELECT (WITH, VALUES, EXPLAIN, a PRAGMA that only tells). It cannot change anything,
 * in the store or elsewhere. options may be NULL.
 *
 * Parameters (:k, @k, $k) are given with pmapdb_bind(rows, "k", ...), all of them: a number, also
 * in hexadecimal after 0x, is a number, an empty value is NULL, and the rest is text; 'text' in
 * quotes is text even if it looks like a number. Units come from the columns' names: X_kib
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
