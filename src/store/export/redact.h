/* redact: what a redacted export shows in place of the texts of a store. export-tables.sql has a
 * line for each column with a text or an address, and says how numbers are redacted.
 *
 * A text is replaced by a token: a prefix and a number, in the order of first appearance. The same
 * text has the same token everywhere. A token is never made of the text: trying a dictionary would
 * reveal a hash. No token equals a text that stays.
 *
 * WORD: stays if the kernel or this program wrote it (public.c): flags, unknown lines of smaps, the
 * reason why a snapshot is partial, a JVM's name for a part of its memory; else a token.
 * HOST, BOOT, USER, REASON, RULE: a token (host1, boot2, user3, text4, rule5); the user root and
 * built-in rules stay.
 * PATH: part by part; folders become d1, d2 ..., a last part becomes f3 with its tail (.so.1,
 * .jar). Folders of the system stay, and so do common libraries, the first part (/opt, /home),
 * names from the kernel, and, as a last part, names of programs of the system. The name of a
 * process and the path of a cgroup are treated alike. COMMAND: its first word as a path, then
 * "...". CATEGORY: the categories of built-in rules stay; else slug/TOKEN, or a token. NOTE, of a
 * category: a built-in note stays, else nothing.
 * SYMBOL, of a frame: stays if the DSO is the kernel's or the system's, or kept by --keep; else a
 * token: functions of the owner's programs reveal what these do. */
#ifndef PM_STORE_EXPORT_REDACT_H
#define PM_STORE_EXPORT_REDACT_H

#include "base/buf.h"
#include "base/map.h"
#include "base/pool.h"
#include "classify/rules_regex.h"
#include "store/file/sql.h"

/* PM_REDACT_WORD is 'word' in SQL. clang-format 14 formats this list anew each time. */
// clang-format off
#define PM_REDACT_WAYS(X) \
    X(NUMBER, "number") X(WORD, "word") X(HOST, "host") X(BOOT, "boot") \
    X(USER, "user") X(REASON, "reason") X(RULE, "rule") X(PATH, "path") \
    X(COMMAND, "command") X(CATEGORY, "category") X(NOTE, "note") X(SYMBOL, "symbol") \
    X(NEVER, "never")
// clang-format on

#define PM_REDACT_WAY(name, word) PM_REDACT_##name,
#define PM_REDACT_WORD_OF(name, word) word,
typedef enum pm_redact_how { PM_REDACT_WAYS(PM_REDACT_WAY) PM_REDACT_COUNT } pm_redact_how;

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
 * redact('path', value, beside) returns the redacted text; `beside`: the DSO of a symbol, else
 * NULL. redact('number', ...) fails: `beside` names a column that has no text. note_path(path) is
 * for export-survey.sql, draw() for export-move.sql. Views cannot call these functions. With
 * r NULL, removes the functions. */
pmapdb_status pm_redact_register(pm_redact *r, sqlite3 *db, pmapdb_error *err);

/* Reads the first argument of redact(); PM_REDACT_COUNT: no such way. */
pm_redact_how pm_redact_way(sqlite3_value *word);

/* ---- in C ---- */

/* Redacts a text as `how`; `beside` as above. *out lasts until the next call. */
pmapdb_status pm_redact_text(pm_redact *r, pm_redact_how how, pm_text text, pm_text beside,
                             pm_text *out, pmapdb_error *err);

/* Makes the last part of a path of the system public: it may be the name of a program. */
pmapdb_status pm_redact_publish(pm_redact *r, pm_text path, pmapdb_error *err);

/* The error of a function, which SQLite cannot carry; PMAPDB_OK: none failed. */
pmapdb_status pm_redact_failed(const pm_redact *r, pmapdb_error *err);

#endif
