/* redact: what a redacted export shows in place of the texts and addresses of a store.
 *
 * The table below has a line for each column with a text or an address that a redacted export
 * copies. A column without a line is a number that stays: sizes, counts, times, ids, pids, lengths,
 * offsets. A text in such a column ends the export: no unlisted text leaves the store.
 *
 * A text is replaced by a token: a prefix and a number, in the order of first appearance. The same
 * text has the same token everywhere. A token is never made of the text: trying a dictionary would
 * reveal a hash. No token equals a text that stays.
 *
 * FIXED: one of the schema's own words (its CHECK ensures that).
 * WORD: stays if the kernel or this program wrote it (public.c): flags, the reason why a snapshot
 * is partial, a JVM's name for a part of its memory; else a token. EXTRA: keys of smaps stay.
 * HOST, BOOT, USER, REASON, RULE: a token (host1, boot2, user3, text4, rule5); the user root and
 * built-in rules stay.
 * PATH: part by part; folders become d1, d2 ..., a last part becomes f3 with its tail (.so.1,
 * .jar). Folders of the system stay, and so do common libraries, the first part (/opt, /home),
 * names from the kernel, and, as a last part, names of programs of the system. The name of a
 * process and the path of a cgroup are treated alike. COMMAND: its first word as a path, then
 * "...". CATEGORY: the categories of built-in rules stay; else slug/TOKEN, or a token. NOTE, of a
 * category: a built-in note stays, else nothing.
 * SYMBOL, of a frame: stays if the DSO is the kernel's or the system's, or kept by --keep; else a
 * token: functions of the owner's programs reveal what these do.
 *
 * ADDRESS: moved (export-move.sql); 0 and the kernel's half stay. NEW_ADDRESS: the fifth argument
 * of a call, for mremap an address. FRAME: a distance stays; the address of a frame without a
 * symbol gets a number. INODE, UID: numbers in the order of appearance; the same for the same
 * device and inode, and from 1001 on; a uid below 1000 stays. COUNTS: a blob of counts stays. HASH:
 * a random number, because the hash of a text confirms a guess of the text. AGAIN: a new hash of
 * the redacted row, by which the row is found. NEVER: is not copied. */
#ifndef PM_STORE_EXPORT_REDACT_H
#define PM_STORE_EXPORT_REDACT_H

#include "base/buf.h"
#include "base/map.h"
#include "base/pool.h"
#include "classify/rules.h"
#include "classify/rules_regex.h"
#include "store/file/sql.h"

#define PM_REDACT_COLUMNS(X)                    \
    X("host", "name", HOST)                     \
    X("host_label", "key", REASON)              \
    X("host_label", "value", REASON)            \
    X("name", "name", PATH)                     \
    X("process", "boot_id", BOOT)               \
    X("process", "command", COMMAND)            \
    X("process", "identity", FIXED)             \
    X("process", "stack_end", ADDRESS)          \
    X("process", "vdso_start", ADDRESS)         \
    X("process", "libc_start", ADDRESS)         \
    X("process", "ld_start", ADDRESS)           \
    X("process", "exe_start", ADDRESS)          \
    X("origin", "folder", PATH)                 \
    X("origin", "file", PATH)                   \
    X("capture", "number", NEVER)               \
    X("schedule", "boot_id", BOOT)              \
    X("schedule", "selection", REASON)          \
    X("epoch", "dialect", FIXED)                \
    X("epoch", "state", FIXED)                  \
    X("snapshot", "dialect", FIXED)             \
    X("snapshot", "missing", WORD)              \
    X("snapshot", "hash", HASH)                 \
    X("live_process", "hash", AGAIN)            \
    X("live_process", "comm", PATH)             \
    X("live_process", "exe", PATH)              \
    X("live_process", "cmdline", COMMAND)       \
    X("live_process", "uid", UID)               \
    X("live_process", "user", USER)             \
    X("live_process", "cgroup", PATH)           \
    X("live_reading", "degraded", WORD)         \
    X("page_scan", "method", FIXED)             \
    X("page_scan", "sets", COUNTS)              \
    X("pin", "reason", REASON)                  \
    X("category", "category", CATEGORY)         \
    X("category", "description", NOTE)          \
    X("object", "hash", AGAIN)                  \
    X("object", "perms", WORD)                  \
    X("object", "device", WORD)                 \
    X("object", "inode", INODE)                 \
    X("object", "path", PATH)                   \
    X("object", "flags", WORD)                  \
    X("lineage", "rule", RULE)                  \
    X("label", "source", FIXED)                 \
    X("label", "start", ADDRESS)                \
    X("label", "label", WORD)                   \
    X("region", "start", ADDRESS)               \
    X("recording", "hash", HASH)                \
    X("recording", "file", PATH)                \
    X("traced_process", "pid_source", FIXED)    \
    X("traced_process", "offset_source", FIXED) \
    X("thread", "comm", PATH)                   \
    X("frame", "symbol", SYMBOL)                \
    X("frame", "offset", FRAME)                 \
    X("frame", "dso", PATH)                     \
    X("call", "a0", ADDRESS)                    \
    X("call", "a4", NEW_ADDRESS)                \
    X("call", "ret", ADDRESS)                   \
    X("extent", "start", ADDRESS)               \
    X("foreign_extent", "start", ADDRESS)       \
    X("rare_fields", "extra", WORD)

typedef enum pm_redact_how {
    PM_REDACT_STAYS, /* has no line */
    PM_REDACT_WORD,
    PM_REDACT_HOST,
    PM_REDACT_BOOT,
    PM_REDACT_USER,
    PM_REDACT_REASON,
    PM_REDACT_RULE,
    PM_REDACT_PATH,
    PM_REDACT_COMMAND,
    PM_REDACT_CATEGORY,
    PM_REDACT_NOTE,
    PM_REDACT_SYMBOL,
    PM_REDACT_TEXTS, /* the kinds above are of texts, those below are not */
    PM_REDACT_FIXED,
    PM_REDACT_ADDRESS,
    PM_REDACT_NEW_ADDRESS,
    PM_REDACT_FRAME,
    PM_REDACT_INODE,
    PM_REDACT_UID,
    PM_REDACT_COUNTS,
    PM_REDACT_HASH,
    PM_REDACT_AGAIN,
    PM_REDACT_NEVER
} pm_redact_how;

/* Public names and words: regular expressions, which match the whole text. */
typedef enum pm_public {
    PM_PUBLIC_SYSTEM, /* a path below a folder of the system, without ".." in it */
    PM_PUBLIC_NAME,   /* a name in place of a path: [heap], /dev/zero, anon_inode:bpf-map */
    PM_PUBLIC_BEGIN,  /* group 1: /home/, /var/lib/, or the frame around a name: [anon:, /memfd: */
    PM_PUBLIC_PART,   /* a part of a path on every system: libc.so.6, system.slice */
    PM_PUBLIC_TAIL,   /* group 1: the end of a last part: .so.1.2, .jar */
    PM_PUBLIC_WORD,   /* from the kernel or this program */
    PM_PUBLIC_COUNT
} pm_public;

extern const char *const pm_public_patterns[PM_PUBLIC_COUNT];

#define PM_REDACT_SETS 8 /* the most sets of built-in rules */

/* The state that the rows of one export share. The functions that append to `out` keep the first
 * failure in st and err, and then append nothing more. */
typedef struct pm_redact {
    pm_pool *pool;        /* texts and tokens */
    pm_map token;         /* id of a text -> id of its token */
    pm_map programs;      /* ids of the names of the system's programs */
    uint64_t last_number; /* of the newest token */
    pm_regex **keep;
    size_t n_keep;
    pm_regex *is_public[PM_PUBLIC_COUNT];
    pm_regex_space space;
    pm_rules *set[PM_REDACT_SETS];
    size_t n_sets;
    pm_buf out;
    pmapdb_status st;
    pmapdb_error err;
} pm_redact;

/* keep: regular expressions; a path, a part of one or a word stays if one of them matches it from
 * end to end. PMAPDB_USAGE: one is not a regular expression. */
pmapdb_status pm_redact_new(const char *const *keep, size_t n_keep, pm_redact **out,
                            pmapdb_error *err);
void pm_redact_free(pm_redact *r);

/* ---- in SQL ----
 *
 * redact(HOW, value, beside) returns the redacted text; `beside`: the DSO of a symbol, else NULL.
 * With HOW 0 it fails: `beside` names a column that has no text. note_path(path) is for
 * export-survey.sql, draw() for export-move.sql. Views cannot call these functions. */
pmapdb_status pm_redact_register(pm_redact *r, sqlite3 *db, pmapdb_error *err);
void pm_redact_unregister(sqlite3 *db);

/* Appends the expression for a column of row t of a table; `value` reads the column; `space` as in
 * export.h. */
pmapdb_status pm_redact_expression(pm_buf *out, const char *table, const char *column,
                                   const char *value, const char *space, pmapdb_error *err);

/* ---- in C ---- */

pm_redact_how pm_redact_of(const char *table, const char *column);

/* Redacts a text as `how`; `beside` as above. *out lasts until the next call. */
pmapdb_status pm_redact_text(pm_redact *r, pm_redact_how how, pm_text text, pm_text beside,
                             pm_text *out, pmapdb_error *err);

/* Makes the last part of a path of the system public: it may be the name of a program. */
pmapdb_status pm_redact_publish(pm_redact *r, pm_text path, pmapdb_error *err);

/* The error of a function, which SQLite cannot carry; PMAPDB_OK: none failed. */
pmapdb_status pm_redact_failed(const pm_redact *r, pmapdb_error *err);

#endif
