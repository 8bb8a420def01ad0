/* process: which life of which pid a capture belongs to. */
#include "store/write/process.h"

#include "base/hash.h"
#include "store/dict/captures.h"
#include <stdio.h>

/* From the strongest link of a capture to its process to the weakest. */
enum { BY_START_TIME = 1, BY_ADDRESSES, BY_COMMAND, ASSUMED };
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
        if (program.len && pm_text_equal(m->path, program))
            lowest(&f->exe_start, m->start);
    }
}

static pm_text first_word(pm_text t)
{
    const char *blank = t.len ? memchr(t.data, ' ', t.len) : NULL;

    return blank ? (pm_text){t.data, (size_t)(blank - t.data)} : t;
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

/* True if a life already has every fact that a capture shows. The row has the facts from `column`
 * on. A life keeps the lowest value of the last three facts. */
static bool knows(sqlite3_stmt *row, int column, const pm_process_facts *f)
{
    const int64_t command_ms = f->command.len ? f->command_ms : PMAPDB_UNKNOWN;
    const int64_t shown[] = {f->start_time, f->stack_end, f->vdso_start, f->libc_start,
                             f->ld_start,   f->exe_start, command_ms,    f->mono_ns};
    bool all = !f->boot_id.data || pm_col_text(row, column).data;

    for (int i = 0; i < 8 && all; i++) {
        int64_t known = pm_col_int(row, column + 1 + i);

        if (shown[i] != PMAPDB_UNKNOWN)
            all = known != PMAPDB_UNKNOWN && (i < 5 || known <= shown[i]);
    }
    return all;
}

/* True if the link of a process to its captures is as weak as this one, or weaker. */
static bool is_no_stronger(pm_text identity, int64_t link)
{
    while (link <= ASSUMED && !pm_text_equal(identity, pm_text_of(identities[link])))
        link++;
    return link <= ASSUMED;
}

/* ---- names ---- */

static int64_t or_else(int64_t value, int64_t unknown)
{
    return value == PMAPDB_UNKNOWN ? unknown : value;
}

/* Returns the name of a capture; the context knows its program. */
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

static int64_t name_row(pm_sql *sql, int64_t host_id, pm_text name)
{
    int64_t id =
        pm_sql_value(sql, "SELECT name_id FROM name WHERE name = ?1 AND coalesce(host_id, 0) = ?2",
                     PM_ARGS(PM_T(name), PM_I(or_else(host_id, 0))), 0);

    if (id)
        return id;
    return pm_sql_do(sql, "INSERT INTO name (host_id, name) VALUES (?1, ?2)",
                     PM_ARGS(PM_I(host_id), PM_T(name)));
}

int64_t pm_host_of(pm_sql *sql, const char *host)
{
    int64_t id = pm_host_find(sql, host);

    if (id >= 0)
        return id ? id : PMAPDB_UNKNOWN;
    return pm_sql_do(sql, "INSERT INTO host (name) VALUES (?1)", PM_ARGS(PM_S(host)));
}

/* ---- the process ---- */

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

static void learn(pm_sql *sql, int64_t process_id, const pm_process_facts *f)
{
    pm_sql_do(sql, pm_sql_script_text("process-learn"),
              PM_ARGS(PM_I(process_id), PM_I(f->start_time), PM_T(f->boot_id), PM_I(f->stack_end),
                      PM_I(f->vdso_start), PM_I(f->libc_start), PM_I(f->ld_start),
                      PM_I(f->exe_start), PM_I(f->mono_ns), PM_I(f->utc_ms), PM_WORD(f->command),
                      PM_I(f->command_ms), PM_S(f->identity)));
}

/* Reads the name from `column` on: id, rank, moment. A better name replaces it: data that was
 * pruned from the process is then missing under the new name, too. */
static void improve_name(pm_sql *sql, sqlite3_stmt *stmt, int column, int64_t host_id,
                         const pm_process_facts *f, pm_process_found *out)
{
    int64_t rank = pm_col_int(stmt, column + 1), name_ms = pm_col_ms(stmt, column + 2);

    out->name_id = out->old_name_id = pm_col_int(stmt, column);
    pm_sql_done(stmt);
    if ((int64_t)f->rank > rank || ((int64_t)f->rank == rank && f->name_ms >= name_ms))
        return;
    out->name_id = name_row(sql, host_id, f->name);
    pm_sql_do(sql,
              "UPDATE name SET pruned_ms = max(o.pruned_ms, coalesce(name.pruned_ms, o.pruned_ms)) "
              "FROM name o WHERE name.name_id = ?2 AND o.name_id = ?1 AND o.pruned_ms IS NOT NULL",
              PM_ARGS(PM_I(out->old_name_id), PM_I(out->name_id)));
    pm_sql_do(sql,
              "UPDATE process SET name_id = ?2, name_rank = ?3, name_ms = ?4 WHERE process_id = ?1",
              PM_ARGS(PM_I(out->process_id), PM_I(out->name_id), PM_I(f->rank), PM_I(f->name_ms)));
}

void pm_process_teach(pm_sql *sql, int64_t process_id, const pm_process_facts *f,
                      pm_process_found *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        sql, "SELECT name_id, name_rank, name_ms, host_id FROM process WHERE process_id = ?1",
        PM_ARGS(PM_I(process_id)));

    *out = (pm_process_found){.process_id = process_id};
    if (pm_sql_next(sql, stmt))
        improve_name(sql, stmt, 0, pm_col_int(stmt, 3), f, out);
    learn(sql, process_id, f);
}

static void insert_process(pm_sql *sql, const pm_capture *c, const pm_process_facts *f,
                           int64_t host_id, int64_t from, int64_t to, pm_process_found *out)
{
    out->name_id = out->old_name_id = name_row(sql, host_id, f->name);
    out->process_id = pm_sql_do(sql, pm_sql_script_text("process-insert"),
                                PM_ARGS(PM_I(host_id), PM_I(out->name_id), PM_I(f->rank),
                                        PM_I(f->name_ms), PM_I(c->pid), PM_I(f->start_time),
                                        PM_T(f->boot_id), PM_WORD(f->command), PM_I(f->command_ms),
                                        PM_S(f->identity), PM_I(f->stack_end), PM_I(f->vdso_start),
                                        PM_I(f->libc_start), PM_I(f->ld_start), PM_I(f->exe_start),
                                        PM_I(f->mono_ns), PM_I(f->utc_ms), PM_I(from), PM_I(to)));
}

static void set_name(pm_process_found *out, pm_text name)
{
    snprintf(out->name, sizeof out->name, "%.*s", (int)name.len, name.data);
}

void pm_process_of(pm_sql *sql, const pm_capture *c, const pm_classify_context *context,
                   pm_process_found *out)
{
    pm_process_facts f = PM_PROCESS_FACTS_NONE;
    int64_t host_id = pm_host_of(sql, c->host), link = PMAPDB_UNKNOWN, from, to;
    bool taught;
    sqlite3_stmt *stmt;

    f.start_time = c->start_time;
    f.boot_id = pm_text_of(c->live ? c->live->boot_id : NULL);
    f.command = c->block.command;
    f.command_ms = f.name_ms = c->taken_ms;
    f.mono_ns = c->live ? c->live->mono_ns : PMAPDB_UNKNOWN;
    f.utc_ms = c->live ? c->live->utc_ms : PMAPDB_UNKNOWN;
    f.name = name_of(c, context, &f.rank);
    find_addresses(c, context->program, &f);
    number_lives(c, &from, &to);
    stmt =
        pm_sql_ask(sql, pm_sql_script_text("process-life"),
                   PM_ARGS(PM_I(or_else(c->pid, -1)), PM_I(or_else(host_id, 0)), PM_I(c->taken_ms),
                           PM_I(from), PM_I(to), PM_T(f.boot_id), PM_I(f.start_time),
                           PM_I(f.stack_end), PM_I(f.vdso_start), PM_I(f.libc_start),
                           PM_I(f.ld_start), PM_I(f.exe_start), PM_WORD(first_word(f.command))));
    *out = (pm_process_found){0};
    if (!pm_sql_next(sql, stmt) || (link = pm_col_int(stmt, 1)) == PMAPDB_UNKNOWN) {
        if (stmt)
            pm_sql_done(stmt);
        f.identity = identities[link_alone(&f)];
        insert_process(sql, c, &f, host_id, from, to, out);
        set_name(out, f.name);
        return;
    }
    out->process_id = pm_col_int(stmt, 0);
    out->ambiguous = link == ASSUMED;
    f.identity = identities[link];
    taught = knows(stmt, 7, &f) && is_no_stronger(pm_col_text(stmt, 2), link);
    set_name(out, pm_col_text(stmt, 6));
    improve_name(sql, stmt, 3, host_id, &f, out);
    if (out->name_id != out->old_name_id)
        set_name(out, f.name);
    if (!taught)
        learn(sql, out->process_id, &f);
}
