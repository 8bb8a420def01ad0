/* process: which life of which pid a capture belongs to. */
#include "store/write/process.h"

#include "base/buf.h"
#include "base/hash.h"
#include "store/dict/captures.h"
#include <stdio.h>
#include <stdlib.h>

/* From the strongest link of a capture to its process to the weakest. */
enum { BY_START_TIME, BY_ADDRESSES, BY_COMMAND, ASSUMED, NO_LINK };
static const char *const identities[] = {
    [BY_START_TIME] = "start-time",
    [BY_ADDRESSES] = "addresses",
    [BY_COMMAND] = "command",
    [ASSUMED] = "assumed",
};

/* ---- what a capture says about its process ---- */

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

static void lowest(int64_t *address, uint64_t start)
{
    if (*address == PMAPDB_UNKNOWN || start < (uint64_t)*address)
        *address = (int64_t)start;
}

static void find_addresses(const pm_capture *c, pm_text program, pm_process_facts *f)
{
    for (size_t i = 0; i < c->n_rows; i++) {
        const pm_mapping *m = pm_capture_row(c, i);
        pm_text name = pm_text_basename(m->path);

        if (i + 8 < c->n_rows) /* fetches a later mapping while this one is examined */
            __builtin_prefetch(pm_capture_row(c, i + 8));
        if (m->path.len == 0)
            continue;
        /* pmap can also call the mapping below the stack a stack: the highest end counts. */
        if (pm_text_equal(m->path, PM_TEXT("[stack]")) &&
            (f->stack_end == PMAPDB_UNKNOWN || m->end > (uint64_t)f->stack_end))
            f->stack_end = (int64_t)m->end;
        else if (pm_text_equal(m->path, PM_TEXT("[vdso]")))
            lowest(&f->vdso_start, m->start);
        else if (is_libc(name))
            lowest(&f->libc_start, m->start);
        else if (is_ld(name))
            lowest(&f->ld_start, m->start);
        if (program.len && pm_text_equal(pm_undeleted(m->path), program))
            lowest(&f->exe_start, m->start);
    }
}

/* Returns the link of a single capture to its life: the strongest that it shows. */
static int link_alone(const pm_process_facts *f)
{
    if (f->start_time != PMAPDB_UNKNOWN)
        return BY_START_TIME;
    if (f->stack_end != PMAPDB_UNKNOWN || f->vdso_start != PMAPDB_UNKNOWN ||
        f->libc_start != PMAPDB_UNKNOWN || f->ld_start != PMAPDB_UNKNOWN)
        return BY_ADDRESSES;
    return f->exe_start != PMAPDB_UNKNOWN || f->command.len ? BY_COMMAND : ASSUMED;
}

/* ---- the lives of its pid ---- */

/* Without a pid, the source file identifies the process. The lives of each file have numbers of
 * their own, at most this many. */
#define LIVES_OF_FILE 1024

static void number_lives(const pm_capture *c, int64_t *from, int64_t *to)
{
    uint64_t h;

    *from = 0;
    *to = INT64_MAX;
    if (c->pid != PMAPDB_UNKNOWN)
        return;
    h = pm_hash(c->source_dir, strlen(c->source_dir), 0);
    h = pm_hash(c->source_name, strlen(c->source_name), h);
    *from = (int64_t)(h >> 1) / LIVES_OF_FILE * LIVES_OF_FILE;
    *to = *from + LIVES_OF_FILE - 1;
}

/* A life of the pid of a capture. */
typedef struct life {
    int64_t process_id, name_id;
    int link;    /* of the capture to the life */
    int rank;    /* 0: the link is boot and start time; 1: strong; 2: weak, or no link */
    bool taught; /* the capture has nothing new for the row of the life */
    int64_t last_ms, first_ms; /* the latest snapshot at or before the capture, and the first */
} life;

/* The columns of a life. */
enum { PROCESS, NAME, BETTER_NAME, IDENTITY, BOOT, COMMAND, FACTS };
/* Condition: a name of rank ?2 that a capture of time ?3 gives is better. */
#define HAS_BETTER_NAME "name_rank > ?2 OR (name_rank = ?2 AND name_ms > ?3)"

/* Compares the facts that both sides have, the strongest kind first: facts of the first kind must
 * all be equal, and later kinds do not matter. A life keeps the lowest value of the last three
 * facts. */
static life life_of(sqlite3_stmt *row, const pm_process_facts *f)
{
    static const int links[] = {BY_START_TIME, BY_ADDRESSES, BY_ADDRESSES, BY_ADDRESSES,
                                BY_ADDRESSES,  BY_COMMAND,   NO_LINK,      NO_LINK};
    const int64_t shown[] = {f->start_time, f->stack_end, f->vdso_start, f->libc_start,
                             f->ld_start,   f->exe_start, f->command_ms, f->mono_ns};
    pm_text boot = pm_col_text(row, BOOT), command = pm_col_text(row, COMMAND);
    pm_text rest = f->command, word = pm_text_cut(&rest, ' ');
    bool boots = f->boot_id.data && boot.data, taught = boot.data || !f->boot_id.data;
    life out = {pm_col_int(row, PROCESS), pm_col_int(row, NAME), NO_LINK, 2, false, 0, 0};
    int link = ASSUMED;

    if (boots && !pm_text_equal(f->boot_id, boot))
        return out;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        int64_t known = pm_col_int(row, FACTS + (int)i);

        if (shown[i] == PMAPDB_UNKNOWN)
            continue;
        taught &= known != PMAPDB_UNKNOWN && (links[i] < BY_COMMAND || known <= shown[i]);
        if (known == PMAPDB_UNKNOWN || links[i] > link)
            continue;
        if (known != shown[i])
            return out;
        link = links[i];
    }
    if (link >= BY_COMMAND && word.len && command.data) {
        if (!pm_text_equal(pm_text_cut(&command, ' '), word))
            return out;
        link = BY_COMMAND;
    }
    out.link = link;
    out.rank = link > BY_ADDRESSES ? 2 : link > BY_START_TIME || !boots;
    out.taught = taught && !pm_col_int(row, BETTER_NAME) &&
                 pm_text_index(pm_col_text(row, IDENTITY), identities, NO_LINK) >= link;
    return out;
}

/* Returns the life that a capture continues; its link is NO_LINK if the capture begins a life. The
 * life of the capture's boot and start time comes first, then the nearest life with a strong link;
 * a weak link ties the capture to the nearest life only. The nearest life has the latest snapshot
 * at or before the capture; lives that begin later come last. */
static life find_life(pm_sql *sql, const pm_capture *c, const pm_process_facts *f, int64_t host_id,
                      int64_t from, int64_t to)
{
    sqlite3_stmt *row = pm_sql_ask(
        sql,
        "SELECT process_id, name_id, " HAS_BETTER_NAME ", identity, boot_id, command, start_time, "
        "stack_end, vdso_start, libc_start, ld_start, exe_start, command_ms, clock_mono_ns "
        "FROM process WHERE coalesce(pid, -1) = coalesce(?1, -1) "
        "AND coalesce(host_id, 0) = coalesce(?4, 0) AND life BETWEEN ?5 AND ?6",
        PM_ARGS(PM_I(c->pid), PM_I(f->rank), PM_I(f->name_ms), PM_I(host_id), PM_I(from),
                PM_I(to)));
    life best = {.link = NO_LINK, .rank = 3}, *rival = NULL; /* the lives of the best rank */
    size_t n = 0, cap = 0;
    bool linked = false;

    while (pm_sql_next(sql, row)) {
        life next = life_of(row, f);

        if (next.rank > best.rank)
            continue;
        linked |= next.link != NO_LINK;
        n = next.rank < best.rank ? 0 : n;
        PM_SQL_STEP(sql, pm_grow(&rival, &cap, n, sizeof *rival, &err));
        if (pm_sql_ok(sql))
            best = rival[n++] = next;
    }
    /* several lives: the nearest one; without a link the capture begins a life anyway */
    for (life *r = rival; linked && n > 1 && r < rival + n; r++) {
        const pm_arg args[] = {PM_I(r->process_id), PM_I(c->taken_ms)};

        r->last_ms = pm_sql_value(
            sql, "SELECT max(taken_ms) FROM snapshot WHERE process_id = ?1 AND taken_ms <= ?2",
            args, 2, PMAPDB_UNKNOWN);
        r->first_ms = pm_sql_value(sql, "SELECT min(taken_ms) FROM snapshot WHERE process_id = ?1",
                                   args, 1, PMAPDB_UNKNOWN);
        if (r == rival || r->last_ms > best.last_ms ||
            (r->last_ms == best.last_ms && r->first_ms < best.first_ms))
            best = *r;
    }
    free(rival);
    return best;
}

/* ---- names ---- */

/* Returns the name of a capture; the context knows its program. */
static pm_text name_of(const pm_capture *c, const pm_classify_context *context, pm_name_rank *rank)
{
    pm_text name;

    if (c->name) {
        *rank = c->name_rank;
        return pm_text_of(c->name);
    }
    name = pm_text_basename(context->program);
    *rank = name.len ? PM_NAME_PROGRAM : PM_NAME_UNKNOWN;
    return name.len ? name : PM_TEXT("?");
}

static int64_t name_row(pm_sql *sql, int64_t host_id, pm_text name)
{
    return pm_sql_id(sql,
                     "SELECT name_id FROM name WHERE name = ?1 "
                     "AND coalesce(host_id, 0) = coalesce(?2, 0)",
                     "INSERT INTO name (name, host_id) VALUES (?1, ?2)",
                     PM_ARGS(PM_T(name), PM_I(host_id)));
}

int64_t pm_host_of(pm_sql *sql, const char *host)
{
    int64_t id = pm_host_find(sql, host);

    if (id >= 0)
        return id ? id : PMAPDB_UNKNOWN;
    return pm_sql_do(sql, "INSERT INTO host (name) VALUES (?1)", PM_ARGS(PM_S(host)));
}

/* ---- the process ---- */

static void learn(pm_sql *sql, int64_t process_id, const pm_process_facts *f)
{
    pm_sql_do(sql, pm_sql_script_text("process-learn"),
              PM_ARGS(PM_I(process_id), PM_I(f->start_time), PM_T(f->boot_id), PM_I(f->stack_end),
                      PM_I(f->vdso_start), PM_I(f->libc_start), PM_I(f->ld_start),
                      PM_I(f->exe_start), PM_I(f->mono_ns), PM_I(f->utc_ms), PM_WORD(f->command),
                      PM_I(f->command_ms), PM_S(f->identity)));
}

/* A better name replaces the name: data that was pruned from the process is then missing under the
 * new name, too. */
void pm_process_teach(pm_sql *sql, int64_t process_id, const pm_process_facts *f,
                      pm_process_found *out)
{
    sqlite3_stmt *row = pm_sql_ask(
        sql, "SELECT name_id, host_id, " HAS_BETTER_NAME " FROM process WHERE process_id = ?1",
        PM_ARGS(PM_I(process_id), PM_I(f->rank), PM_I(f->name_ms)));
    int64_t host_id, better;

    out->process_id = process_id;
    out->name_id = out->old_name_id = 0;
    if (!pm_sql_next(sql, row))
        return;
    out->name_id = out->old_name_id = pm_col_int(row, 0);
    host_id = pm_col_int(row, 1);
    better = pm_col_int(row, 2);
    pm_sql_done(row);
    learn(sql, process_id, f);
    if (!better)
        return;
    out->name_id = name_row(sql, host_id, f->name);
    pm_sql_do(sql,
              "UPDATE name SET pruned_ms = max(o.pruned_ms, coalesce(name.pruned_ms, o.pruned_ms)) "
              "FROM name o WHERE name.name_id = ?2 AND o.name_id = ?1 AND o.pruned_ms IS NOT NULL",
              PM_ARGS(PM_I(out->old_name_id), PM_I(out->name_id)));
    pm_sql_do(sql,
              "UPDATE process SET name_id = ?2, name_rank = ?3, name_ms = ?4 WHERE process_id = ?1",
              PM_ARGS(PM_I(process_id), PM_I(out->name_id), PM_I(f->rank), PM_I(f->name_ms)));
}

static void insert_process(pm_sql *sql, const pm_capture *c, const pm_process_facts *f,
                           int64_t host_id, int64_t from, int64_t to, pm_process_found *out)
{
    out->name_id = out->old_name_id = name_row(sql, host_id, f->name);
    out->process_id = pm_sql_do(
        sql, pm_sql_script_text("process-insert"),
        PM_ARGS(PM_I(host_id), PM_I(out->name_id), PM_I(f->rank), PM_I(f->name_ms), PM_I(c->pid),
                PM_T(f->boot_id), PM_I(f->start_time), PM_WORD(f->command), PM_I(f->command_ms),
                PM_S(f->identity), PM_I(f->stack_end), PM_I(f->vdso_start), PM_I(f->libc_start),
                PM_I(f->ld_start), PM_I(f->exe_start), PM_I(f->mono_ns), PM_I(f->utc_ms),
                PM_I(from), PM_I(to)));
}

void pm_process_of(pm_sql *sql, const pm_capture *c, const pm_classify_context *context,
                   pm_process_found *out)
{
    pm_process_facts f = PM_PROCESS_FACTS_NONE;
    int64_t host_id = pm_host_of(sql, c->host), from, to;
    sqlite3_stmt *name;
    life l;

    f.start_time = c->start_time;
    f.boot_id = pm_text_of(c->live ? c->live->boot_id : NULL);
    f.command = c->block.command;
    f.name_ms = c->taken_ms;
    f.command_ms = f.command.len ? c->taken_ms : PMAPDB_UNKNOWN;
    f.mono_ns = c->live ? c->live->mono_ns : PMAPDB_UNKNOWN;
    f.utc_ms = c->live ? c->live->utc_ms : PMAPDB_UNKNOWN;
    f.name = name_of(c, context, &f.rank);
    number_lives(c, &from, &to);
    find_addresses(c, context->program, &f);
    l = find_life(sql, c, &f, host_id, from, to);
    f.identity = identities[l.link == NO_LINK ? link_alone(&f) : l.link];
    *out = (pm_process_found){l.process_id, l.name_id, l.name_id, l.link == ASSUMED, {0}};
    if (l.link == NO_LINK)
        insert_process(sql, c, &f, host_id, from, to, out);
    else if (!l.taught)
        pm_process_teach(sql, l.process_id, &f, out);
    name = pm_sql_ask(sql, "SELECT name FROM name WHERE name_id = ?1", PM_ARGS(PM_I(out->name_id)));
    if (pm_sql_next(sql, name)) {
        snprintf(out->name, sizeof out->name, "%s", pm_col_text(name, 0).data);
        pm_sql_done(name);
    }
}
