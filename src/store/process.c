/* process: which life of which pid a capture belongs to. */
#include "store/process.h"

#include <stdlib.h>
#include <xxhash.h>

enum anchor { STACK_END, VDSO_START, LIBC_START, LD_START, N_ANCHORS };

/* Stored in process.identity; the weakest link of a process's captures. */
typedef enum link { LINK_NONE, LINK_START_TIME, LINK_ADDRESSES, LINK_COMMAND, LINK_ASSUMED } link;

static const char *const link_names[] = {NULL, "start-time", "addresses", "command", "assumed"};

typedef struct evidence {
    int64_t anchor[N_ANCHORS]; /* or PMAPDB_UNKNOWN */
    int64_t exe;
    int64_t start_time;
    pm_text command; /* whole */
} evidence;

/* ---- what a capture shows ---- */

static bool is_libc(pm_text name)
{
    return pm_text_starts(name, PM_TEXT("libc.so.")) || pm_text_starts(name, PM_TEXT("libc-2.")) ||
           pm_text_starts(name, PM_TEXT("libc.musl-")) || pm_text_equal(name, PM_TEXT("libc.so"));
}

static bool is_ld(pm_text name)
{
    return pm_text_starts(name, PM_TEXT("ld-linux")) || pm_text_starts(name, PM_TEXT("ld-2.")) ||
           pm_text_starts(name, PM_TEXT("ld-musl-")) || pm_text_starts(name, PM_TEXT("ld64.so")) ||
           pm_text_starts(name, PM_TEXT("ld.so"));
}

static void lowest(int64_t *anchor, uint64_t start)
{
    if (*anchor == PMAPDB_UNKNOWN || start < (uint64_t)*anchor)
        *anchor = (int64_t)start;
}

static evidence evidence_of(const pm_capture *c, const pm_classify_context *context)
{
    evidence e = {.exe = PMAPDB_UNKNOWN, .start_time = c->start_time, .command = c->block.command};

    for (int i = 0; i < N_ANCHORS; i++)
        e.anchor[i] = PMAPDB_UNKNOWN;
    for (size_t i = 0; i < c->n_rows; i++) {
        const pm_mapping *m = pm_capture_row(c, i);
        pm_text name = pm_text_basename(m->path);

        /* pmap can call the mapping below the stack a stack as well: the highest end counts. */
        if (pm_text_equal(m->path, PM_TEXT("[stack]")) &&
            (e.anchor[STACK_END] == PMAPDB_UNKNOWN || m->end > (uint64_t)e.anchor[STACK_END]))
            e.anchor[STACK_END] = (int64_t)m->end;
        else if (pm_text_equal(m->path, PM_TEXT("[vdso]")))
            lowest(&e.anchor[VDSO_START], m->start);
        else if (is_libc(name))
            lowest(&e.anchor[LIBC_START], m->start);
        else if (is_ld(name))
            lowest(&e.anchor[LD_START], m->start);
        if (context->program.len && pm_text_equal(m->path, context->program))
            lowest(&e.exe, m->start);
    }
    return e;
}

static pm_text first_word(pm_text t)
{
    const char *blank = t.len ? memchr(t.data, ' ', t.len) : NULL;

    return blank ? (pm_text){t.data, (size_t)(blank - t.data)} : t;
}

/* ---- comparing ---- */

/* LINK_NONE: they are different lives. */
static link compare(const evidence *a, const evidence *b)
{
    bool shared = false;
    link by = LINK_ASSUMED;

    if (a->start_time != PMAPDB_UNKNOWN && b->start_time != PMAPDB_UNKNOWN)
        return a->start_time == b->start_time ? LINK_START_TIME : LINK_NONE;
    for (int i = 0; i < N_ANCHORS; i++) {
        if (a->anchor[i] == PMAPDB_UNKNOWN || b->anchor[i] == PMAPDB_UNKNOWN)
            continue;
        if (a->anchor[i] != b->anchor[i])
            return LINK_NONE;
        shared = true;
    }
    if (shared)
        return LINK_ADDRESSES;
    if (a->exe != PMAPDB_UNKNOWN && b->exe != PMAPDB_UNKNOWN) {
        if (a->exe != b->exe)
            return LINK_NONE;
        by = LINK_COMMAND;
    }
    if (a->command.len && b->command.len) {
        if (!pm_text_equal(first_word(a->command), first_word(b->command)))
            return LINK_NONE;
        by = LINK_COMMAND;
    }
    return by;
}

/* How well a lone capture is tied to its life: by the best that it shows. */
static link link_of_first(const evidence *e)
{
    if (e->start_time != PMAPDB_UNKNOWN)
        return LINK_START_TIME;
    for (int i = 0; i < N_ANCHORS; i++)
        if (e->anchor[i] != PMAPDB_UNKNOWN)
            return LINK_ADDRESSES;
    return e->exe != PMAPDB_UNKNOWN || e->command.len ? LINK_COMMAND : LINK_ASSUMED;
}

/* ---- lives of one pid in the store ---- */

typedef struct life {
    int64_t process_id, name_id, name_rank, name_ms;
    int64_t nearest; /* taken_ms of its last snapshot at or before the capture, else its first */
    link by;
} life;

/* The better candidate: a strong tie before a weak one, then the nearer in time, past before
 * future. A weak tie counts only for the life that was the pid's latest. */
static bool is_better(const life *a, const life *b, int64_t at)
{
    bool a_past = a->nearest <= at, b_past = b->nearest <= at;

    if ((a->by >= LINK_COMMAND) != (b->by >= LINK_COMMAND))
        return a->by < b->by;
    if (a_past != b_past)
        return a_past;
    return a_past ? a->nearest > b->nearest : a->nearest < b->nearest;
}

/* For a pid-less capture, the file it came from is the identity; its lives are numbered from here.
 */
#define LIVES_OF_FILE 1024
static int64_t life_of_file(const pm_capture *c)
{
    uint64_t h = XXH3_64bits(c->source_dir, strlen(c->source_dir));

    return (int64_t)(XXH3_64bits_withSeed(c->source_name, strlen(c->source_name), h) >> 1) /
           LIVES_OF_FILE * LIVES_OF_FILE;
}

static void read_evidence(sqlite3_stmt *stmt, evidence *e)
{
    e->start_time = pm_col_int(stmt, 5);
    for (int i = 0; i < N_ANCHORS; i++)
        e->anchor[i] = pm_col_int(stmt, 6 + i);
    e->exe = pm_col_int(stmt, 10);
    e->command = pm_col_text(stmt, 11);
}

static pmapdb_status find_life(pm_sql *sql, const pm_capture *c, const evidence *e, int64_t host_id,
                               life *best, int64_t *n_lives, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has, weak_open = true;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT process_id, name_id, name_rank, name_ms, coalesce((SELECT max(taken_ms) FROM "
        "snapshots s WHERE s.process_id = p.process_id AND taken_ms <= ?3), (SELECT min(taken_ms) "
        "FROM snapshots s WHERE s.process_id = p.process_id)) AS nearest, start_time, stack_end, "
        "vdso_start, libc_start, ld_start, exe_start, command FROM process p "
        "WHERE coalesce(pid, -1) = ?1 AND coalesce(host_id, 0) = ?2 AND (?1 >= 0 OR life BETWEEN "
        "?4 AND ?5) "
        "ORDER BY nearest <= ?3 DESC, abs(nearest - ?3)",
        PM_ARGS(PM_I(c->pid == PMAPDB_UNKNOWN ? -1 : c->pid),
                PM_I(host_id == PMAPDB_UNKNOWN ? 0 : host_id), PM_I(c->taken_ms),
                PM_I(life_of_file(c)), PM_I(life_of_file(c) + LIVES_OF_FILE - 1)),
        &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    *best = (life){0};
    *n_lives = 0;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        life l = {pm_col_int(stmt, 0), pm_col_int(stmt, 1), pm_col_int(stmt, 2),
                  pm_col_int(stmt, 3), pm_col_int(stmt, 4), LINK_NONE};
        evidence other;

        ++*n_lives;
        read_evidence(stmt, &other);
        l.by = compare(e, &other);
        if (l.by == LINK_NONE || (l.by >= LINK_COMMAND && !weak_open)) {
            weak_open = false;
            continue;
        }
        weak_open = false;
        if (!best->process_id || is_better(&l, best, c->taken_ms))
            *best = l;
    }
    return st;
}

/* ---- names ---- */

/* The name of a capture, given the program it shows. */
static pm_text name_of(const pm_capture *c, const pm_classify_context *context, pm_name_rank *rank)
{
    static const pm_text deleted = {" (deleted)", 10};
    pm_text name;

    if (c->name) {
        *rank = c->name_rank;
        return pm_text_of(c->name);
    }
    name = context->program;
    if (pm_text_ends(name, deleted))
        name.len -= deleted.len;
    name = pm_text_basename(name);
    *rank = name.len ? PM_NAME_PROGRAM : PM_NAME_UNKNOWN;
    return name.len ? name : PM_TEXT("?");
}

static pmapdb_status name_row(pm_sql *sql, int64_t host_id, pm_text name, int64_t *name_id,
                              pmapdb_error *err)
{
    pmapdb_status st = pm_sql_int(
        sql, "SELECT name_id FROM name WHERE name = ?1 AND coalesce(host_id, 0) = ?2",
        PM_ARGS(PM_T(name), PM_I(host_id == PMAPDB_UNKNOWN ? 0 : host_id)), 0, name_id, err);

    if (st != PMAPDB_OK || *name_id)
        return st;
    st = pm_sql_run(sql, "INSERT INTO name (host_id, name) VALUES (?1, ?2)",
                    PM_ARGS(PM_I(host_id), PM_T(name)), err);
    *name_id = pm_sql_last_id(sql);
    return st;
}

pmapdb_status pm_host_of(pm_sql *sql, const char *host, int64_t *host_id, pmapdb_error *err)
{
    pmapdb_status st;

    *host_id = PMAPDB_UNKNOWN;
    if (!host)
        return PMAPDB_OK;
    st = pm_sql_run(sql, "INSERT OR IGNORE INTO host (name) VALUES (?1)", PM_ARGS(PM_S(host)), err);
    if (st == PMAPDB_OK)
        st = pm_sql_int(sql, "SELECT host_id FROM host WHERE name = ?1", PM_ARGS(PM_S(host)),
                        PMAPDB_UNKNOWN, host_id, err);
    return st;
}

/* ---- writing ---- */

static pmapdb_status insert_process(pm_sql *sql, const pm_capture *c, const evidence *e,
                                    int64_t host_id, int64_t name_id, pm_name_rank rank,
                                    int64_t n_lives, int64_t *id, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(
        sql,
        "INSERT INTO process (host_id, name_id, name_rank, name_ms, pid, start_time, life, "
        "command, "
        "command_ms, identity, stack_end, vdso_start, libc_start, ld_start, exe_start) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        PM_ARGS(
            PM_I(host_id), PM_I(name_id), PM_I(rank), PM_I(c->taken_ms), PM_I(c->pid),
            PM_I(c->start_time), PM_I(n_lives + (c->pid == PMAPDB_UNKNOWN ? life_of_file(c) : 0)),
            PM_T((e->command.len ? e->command : (pm_text){NULL, 0})),
            PM_I(e->command.len ? c->taken_ms : PMAPDB_UNKNOWN), PM_S(link_names[link_of_first(e)]),
            PM_I(e->anchor[STACK_END]), PM_I(e->anchor[VDSO_START]), PM_I(e->anchor[LIBC_START]),
            PM_I(e->anchor[LD_START]), PM_I(e->exe)),
        err);

    *id = pm_sql_last_id(sql);
    return st;
}

/* Adds what the process did not know; the earliest command; the weakest link. */
static pmapdb_status learn(pm_sql *sql, const pm_capture *c, const evidence *e, const life *l,
                           pmapdb_error *err)
{
    return pm_sql_run(
        sql,
        "UPDATE process SET start_time = coalesce(start_time, ?2), "
        "stack_end = coalesce(stack_end, ?3), vdso_start = coalesce(vdso_start, ?4), "
        "libc_start = coalesce(libc_start, ?5), ld_start = coalesce(ld_start, ?6), "
        "exe_start = min(coalesce(exe_start, ?7), coalesce(?7, exe_start)), "
        "command = CASE WHEN ?8 IS NOT NULL AND ?9 < coalesce(command_ms, ?9 + 1) THEN ?8 "
        "ELSE command END, "
        "command_ms = CASE WHEN ?8 IS NOT NULL AND ?9 < coalesce(command_ms, ?9 + 1) THEN ?9 "
        "ELSE command_ms END, "
        "identity = CASE WHEN ?10 = 'assumed' OR identity = 'assumed' THEN 'assumed' "
        "WHEN ?10 = 'command' OR identity = 'command' THEN 'command' "
        "WHEN ?10 = 'addresses' OR identity = 'addresses' THEN 'addresses' ELSE 'start-time' END "
        "WHERE process_id = ?1",
        PM_ARGS(PM_I(l->process_id), PM_I(e->start_time), PM_I(e->anchor[STACK_END]),
                PM_I(e->anchor[VDSO_START]), PM_I(e->anchor[LIBC_START]), PM_I(e->anchor[LD_START]),
                PM_I(e->exe), PM_T((e->command.len ? e->command : (pm_text){NULL, 0})),
                PM_I(c->taken_ms), PM_S(link_names[l->by])),
        err);
}

static pmapdb_status rename_process(pm_sql *sql, int64_t process_id, int64_t name_id,
                                    pm_name_rank rank, int64_t taken_ms, pmapdb_error *err)
{
    return pm_sql_run(sql,
                      "UPDATE process SET name_id = ?2, name_rank = ?3, name_ms = ?4 "
                      "WHERE process_id = ?1",
                      PM_ARGS(PM_I(process_id), PM_I(name_id), PM_I(rank), PM_I(taken_ms)), err);
}

pmapdb_status pm_process_of(pm_sql *sql, const pm_capture *c, const pm_classify_context *context,
                            pm_process_found *out, pmapdb_error *err)
{
    evidence e = evidence_of(c, context);
    pm_name_rank rank;
    pm_text name = name_of(c, context, &rank);
    int64_t host_id, name_id, n_lives;
    life l;
    pmapdb_status st = pm_host_of(sql, c->host, &host_id, err);

    if (st == PMAPDB_OK)
        st = find_life(sql, c, &e, host_id, &l, &n_lives, err);
    if (st != PMAPDB_OK)
        return st;
    *out = (pm_process_found){.process_id = l.process_id,
                              .name_id = l.name_id,
                              .old_name_id = l.name_id,
                              .is_new = l.process_id == 0,
                              .ambiguous = l.process_id && l.by == LINK_ASSUMED};
    if (!out->is_new &&
        ((int64_t)rank > l.name_rank || ((int64_t)rank == l.name_rank && c->taken_ms >= l.name_ms)))
        return learn(sql, c, &e, &l, err);
    st = name_row(sql, host_id, name, &name_id, err);
    if (st != PMAPDB_OK)
        return st;
    out->name_id = name_id;
    if (out->is_new)
        return insert_process(sql, c, &e, host_id, name_id, rank, n_lives, &out->process_id, err);
    st = learn(sql, c, &e, &l, err);
    return st == PMAPDB_OK ? rename_process(sql, l.process_id, name_id, rank, c->taken_ms, err)
                           : st;
}

/* An mtime is compared in whole seconds: archives and copies drop the rest. */
pmapdb_status pm_process_known(pm_sql *sql, const pm_capture *c, int64_t *snapshot_id,
                               pmapdb_error *err)
{
    bool seconds = c->time_source == PM_TIME_MTIME;
    int64_t from = seconds ? c->taken_ms - c->taken_ms % 1000 : c->taken_ms;
    int64_t host_id;
    pmapdb_status st = PMAPDB_OK;

    *snapshot_id = 0;
    if (c->time_source == PM_TIME_NOW || c->time_source == PM_TIME_LIVE)
        return PMAPDB_OK;
    st = pm_host_of(sql, c->host, &host_id, err);
    if (st != PMAPDB_OK)
        return st;
    return pm_sql_int(
        sql,
        "SELECT s.snapshot_id FROM process p CROSS JOIN snapshots s ON s.process_id = p.process_id "
        "AND s.taken_ms BETWEEN ?3 AND ?4 WHERE coalesce(p.pid, -1) = ?1 "
        "AND coalesce(p.host_id, 0) = ?2 AND s.hash = ?5 AND s.dialect = ?6 LIMIT 1",
        PM_ARGS(PM_I(c->pid == PMAPDB_UNKNOWN ? -1 : c->pid),
                PM_I(host_id == PMAPDB_UNKNOWN ? 0 : host_id), PM_I(from),
                PM_I(seconds ? from + 999 : from), PM_I((int64_t)c->block.hash),
                PM_S(pm_dialect_name(c->block.dialect))),
        0, snapshot_id, err);
}
