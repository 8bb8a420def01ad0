/* redact: what a redacted export shows in place of the texts and addresses of a store.
 *
 * The table below has a line for every column of the schema with a text or an address. A column
 * without a line is a number that stays: sizes, counts, times, ids, pids, lengths, offsets. A text
 * or a blob in such a column ends the export: no unlisted text leaves the store.
 *
 * FIXED: one of the schema's own words (its CHECK ensures that).
 *
 * WORD: one of the program's own words; another word gets a token. SENTENCE: a sentence of the
 * program; a text with other words gets a token.
 *
 * PATH: part by part; folders become d1, d2 ..., a last part becomes f1, f2 ... with its tail
 * (.so.1, .jar). Parts in folders of the system stay, and so do common libraries (by their last
 * part), the first part (/opt, /home) and names from the kernel. CGROUP: part by part, like a path.
 *
 * NAME: the last part of such a path, which is often the name of a program: the same token.
 * COMMAND: its first word as a path or a name, then "...".
 *
 * HOST, BOOT, USER, REASON, RULE: a token (host1, boot1, user1, text1, rule1); the user root and
 * built-in rules stay. SELECTION: --all stays, else a token.
 *
 * CATEGORY: the categories of built-in rules stay; else slug/TOKEN, or a token. NOTE, of a
 * category: a built-in note stays, else nothing.
 *
 * SYMBOL, of a frame: stays if the DSO is the kernel's or the system's, or kept by --keep; else a
 * token: functions of the owner's programs reveal what these do. LABEL: a JVM's name for its memory
 * stays; the name of a thread gets a token.
 *
 * EXTRA: lines "Key: N kB" with keys that this program does not know: the key gets a token. PERMS,
 * DEVICE, FLAGS: stay in the kernel's format; else a token.
 *
 * ADDRESS: moved (export-move.sql); 0 and the kernel's half stay. FRAME: a distance stays; an
 * address (of a frame without a symbol) is moved, an address of the kernel gets a number.
 * NEW_ADDRESS: the fifth argument of a call, for mremap an address.
 *
 * INODE: a number in the order of appearance, the same for the same device and inode. UID: stays
 * below 1000, else a number from 1001 on.
 *
 * NUMBERS: a blob of counts stays.
 *
 * HASH: a random number, because the hash of a text confirms a guess of the text. AGAIN: a new hash
 * of the redacted row, by which the row is found. NEVER: is not copied at all. */
#ifndef PM_STORE_EXPORT_REDACT_H
#define PM_STORE_EXPORT_REDACT_H

#include "base/buf.h"
#include "classify/rules.h"
#include "classify/rules_regex.h"
#include "store/export/public.h"
#include "store/export/tokens.h"
#include "store/file/sql.h"

#define PM_REDACT_COLUMNS(X)                    \
    X("host", "name", HOST)                     \
    X("host_label", "key", REASON)              \
    X("host_label", "value", REASON)            \
    X("name", "name", NAME)                     \
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
    X("schedule", "selection", SELECTION)       \
    X("dialect", "name", FIXED)                 \
    X("epoch", "dialect", WORD)                 \
    X("epoch", "state", FIXED)                  \
    X("snapshot", "taken_at", NEVER)            \
    X("snapshot", "time_source", NEVER)         \
    X("snapshot", "dialect", WORD)              \
    X("snapshot", "state", NEVER)               \
    X("snapshot", "checked", NEVER)             \
    X("snapshot", "missing", SENTENCE)          \
    X("snapshot", "hash", HASH)                 \
    X("live_process", "hash", AGAIN)            \
    X("live_process", "comm", NAME)             \
    X("live_process", "exe", PATH)              \
    X("live_process", "cmdline", COMMAND)       \
    X("live_process", "uid", UID)               \
    X("live_process", "user", USER)             \
    X("live_process", "cgroup", CGROUP)         \
    X("environment", "name", NEVER)             \
    X("environment", "value", NEVER)            \
    X("live_reading", "degraded", SENTENCE)     \
    X("page_scan", "method", FIXED)             \
    X("page_scan", "sets", NUMBERS)             \
    X("pin", "reason", REASON)                  \
    X("push", "target", NEVER)                  \
    X("push", "rules", NEVER)                   \
    X("push", "error", NEVER)                   \
    X("push_leak", "category", NEVER)           \
    X("push_leak", "metric", NEVER)             \
    X("push_token", "text", NEVER)              \
    X("push_self", "store", NEVER)              \
    X("forgotten", "hash", NEVER)               \
    X("forgotten", "dialect", NEVER)            \
    X("refused", "hash", NEVER)                 \
    X("refused", "reason", NEVER)               \
    X("category", "category", CATEGORY)         \
    X("category", "description", NOTE)          \
    X("rule_set", "name", NEVER)                \
    X("rule_set", "text", NEVER)                \
    X("object", "hash", AGAIN)                  \
    X("object", "perms", PERMS)                 \
    X("object", "device", DEVICE)               \
    X("object", "inode", INODE)                 \
    X("object", "path", PATH)                   \
    X("object", "flags", FLAGS)                 \
    X("lineage", "rule", RULE)                  \
    X("label", "source", FIXED)                 \
    X("label", "start", ADDRESS)                \
    X("label", "label", LABEL)                  \
    X("region", "start", ADDRESS)               \
    X("recording", "hash", HASH)                \
    X("recording", "file", PATH)                \
    X("traced_process", "pid_source", FIXED)    \
    X("traced_process", "offset_source", FIXED) \
    X("thread", "comm", NAME)                   \
    X("frame", "symbol", SYMBOL)                \
    X("frame", "offset", FRAME)                 \
    X("frame", "dso", PATH)                     \
    X("call", "a0", ADDRESS)                    \
    X("call", "a4", NEW_ADDRESS)                \
    X("call", "ret", ADDRESS)                   \
    X("extent", "start", ADDRESS)               \
    X("foreign_extent", "start", ADDRESS)       \
    X("rare_fields", "extra", EXTRA)

typedef enum pm_redact_how {
    PM_REDACT_STAYS, /* has no line */
    PM_REDACT_FIXED,
    PM_REDACT_WORD,
    PM_REDACT_SENTENCE,
    PM_REDACT_PATH,
    PM_REDACT_NAME,
    PM_REDACT_COMMAND,
    PM_REDACT_CGROUP,
    PM_REDACT_HOST,
    PM_REDACT_BOOT,
    PM_REDACT_USER,
    PM_REDACT_REASON,
    PM_REDACT_RULE,
    PM_REDACT_SELECTION,
    PM_REDACT_CATEGORY,
    PM_REDACT_NOTE,
    PM_REDACT_SYMBOL,
    PM_REDACT_LABEL,
    PM_REDACT_EXTRA,
    PM_REDACT_PERMS,
    PM_REDACT_DEVICE,
    PM_REDACT_FLAGS,
    PM_REDACT_ADDRESS,
    PM_REDACT_FRAME,
    PM_REDACT_NEW_ADDRESS,
    PM_REDACT_INODE,
    PM_REDACT_UID,
    PM_REDACT_NUMBERS,
    PM_REDACT_HASH,
    PM_REDACT_AGAIN,
    PM_REDACT_NEVER
} pm_redact_how;

pm_redact_how pm_redact_of(const char *table, const char *column);

#define PM_REDACT_SETS 8 /* the most sets of built-in rules */

/* The state that the rows of one export share. The functions below that return nothing append to
 * `out`; the first failure is kept in st and err, and stops further appending. */
typedef struct pm_redact {
    pm_tokens *tokens;
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
 * no_number(column) is called for a value that should be a number but is not: it fails.
 * note_path(path) is for export-survey.sql, draw() for export-move.sql. Views cannot call these
 * functions. */
pmapdb_status pm_redact_register(pm_redact *r, sqlite3 *db, pmapdb_error *err);
void pm_redact_unregister(sqlite3 *db);

/* Appends the expression for a column of row t of a table; `value` reads the column; `space` as in
 * export_table.h. */
pmapdb_status pm_redact_expression(pm_buf *out, const char *table, const char *column,
                                   const char *value, const char *space, pmapdb_error *err);

/* ---- in C ---- */

/* Redacts a text as `how`; `beside` as above. *out lasts until the next call. */
pmapdb_status pm_redact_text(pm_redact *r, pm_redact_how how, pm_text text, pm_text beside,
                             pm_text *out, pmapdb_error *err);

/* Makes the last part of a path of the system public: it may be the name of a program. */
pmapdb_status pm_redact_publish(pm_redact *r, pm_text path, pmapdb_error *err);

/* The error of a function, which SQLite cannot carry; PMAPDB_OK: none failed. */
pmapdb_status pm_redact_failed(const pm_redact *r, pmapdb_error *err);

/* ---- between redact.c and redact_path.c ---- */

bool pm_redact_is_public(pm_redact *r, pm_public what, pm_text text);
/* True if --keep matches the text. */
bool pm_redact_is_kept(pm_redact *r, pm_text text);

/* Appends the text unchanged. */
void pm_redact_add(pm_redact *r, pm_text text);
void pm_redact_add_token(pm_redact *r, const char *prefix, pm_text text, pm_text tail);
/* Appends the text unchanged, unless it equals a token. */
void pm_redact_add_kept(pm_redact *r, const char *prefix, pm_text text);
/* Appends the text if it `stays` or --keep matches; else a token. */
void pm_redact_add_word(pm_redact *r, const char *prefix, pm_text text, bool stays);

void pm_redact_path(pm_redact *r, pm_text path);
void pm_redact_command(pm_redact *r, pm_text command);
void pm_redact_cgroup(pm_redact *r, pm_text path);

#endif
