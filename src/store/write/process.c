/* process: which life of which pid a capture belongs to. */
#include "store/write/process.h"

#include "base/hash.h"
#include "store/dict/captures.h"
#include <stdlib.h>

static int64_t or_else(int64_t value, int64_t unknown)
{
    return value == PMAPDB_UNKNOWN ? unknown : value;
}

/* ---- the stored lives of one pid ---- */

typedef struct life {
    int64_t process_id, name_id, name_rank, name_ms;
    pm_link by;
    bool taught; /* the capture adds nothing to this life */
} life;

/* Without a pid, the source file identifies the process. Its lives are numbered from the value of
 * life_of_file on, the lives of a pid from 0. */
#define LIVES_OF_FILE 1024
static int64_t life_of_file(const pm_capture *c)
{
    uint64_t h;

    if (c->pid != PMAPDB_UNKNOWN)
        return 0;
    h = pm_hash(c->source_dir, strlen(c->source_dir));
    return (int64_t)(pm_hash_seeded(c->source_name, strlen(c->source_name), h) >> 1) /
           LIVES_OF_FILE * LIVES_OF_FILE;
}

static bool no_news(int64_t own, int64_t other)
{
    return own == PMAPDB_UNKNOWN || other != PMAPDB_UNKNOWN;
}

/* True if learn() would change nothing: this saves its statement for each capture from text. */
static bool is_taught(const pm_capture *c, const pm_evidence *own, const pm_evidence *other,
                      pm_link by, sqlite3_stmt *stmt)
{
    int64_t command_ms = pm_col_int(stmt, 13);
    pm_text weakest = pm_col_text(stmt, 14);
    bool same =
        no_news(own->start_time, other->start_time) &&
        (own->exe == PMAPDB_UNKNOWN || (other->exe != PMAPDB_UNKNOWN && other->exe <= own->exe)) &&
        (!own->command.len || (command_ms != PMAPDB_UNKNOWN && command_ms <= c->taken_ms));

    for (int i = 0; i < PM_ANCHOR_COUNT; i++)
        same &= no_news(own->anchor[i], other->anchor[i]);
    while (by <= PM_LINK_ASSUMED && !pm_text_equal(weakest, pm_text_of(pm_link_name(by))))
        by++;
    return same && !c->live && by <= PM_LINK_ASSUMED;
}

/* Finds the life that a live capture names; process_id is 0 if the life has not been captured live
 * yet. */
static life find_live(pm_sql *sql, const pm_capture *c, const pm_evidence *e, int64_t host_id)
{
    life l = {0};
    sqlite3_stmt *stmt;

    if (!e->boot_id.len || e->start_time == PMAPDB_UNKNOWN)
        return l;
    stmt = pm_sql_ask(
        sql,
        "SELECT process_id, name_id, name_rank, name_ms FROM process "
        "WHERE coalesce(pid, -1) = ?1 AND coalesce(host_id, 0) = ?2 "
        "AND coalesce(boot_id, '') = ?3 AND coalesce(start_time, -1) = ?4",
        PM_ARGS(PM_I(c->pid), PM_I(or_else(host_id, 0)), PM_T(e->boot_id), PM_I(e->start_time)));
    if (!pm_sql_next(sql, stmt))
        return l;
    l = (life){.process_id = pm_col_int(stmt, 0),
               .name_id = pm_col_int(stmt, 1),
               .name_rank = pm_col_int(stmt, 2),
               .name_ms = pm_col_ms(stmt, 3),
               .by = PM_LINK_START_TIME};
    pm_sql_done(stmt);
    return l;
}

/* Finds the best life for the capture: the nearest one with a strong link, else the nearest one, if
 * a weak link ties the capture to it. *next_life: a number that no life of this pid has. */
static life find_life(pm_sql *sql, const pm_capture *c, const pm_evidence *e, int64_t host_id,
                      int64_t *next_life)
{
    life best = {0};
    bool nearest = true;
    sqlite3_stmt *stmt =
        pm_sql_ask(sql, pm_sql_script_text("process-lives"),
                   PM_ARGS(PM_I(or_else(c->pid, -1)), PM_I(or_else(host_id, 0)), PM_I(c->taken_ms),
                           PM_I(life_of_file(c)), PM_I(life_of_file(c) + LIVES_OF_FILE - 1)));

    *next_life = life_of_file(c);
    for (; pm_sql_next(sql, stmt); nearest = false) {
        pm_evidence other = {.start_time = pm_col_int(stmt, 4),
                             .exe = pm_col_int(stmt, 9),
                             .command = pm_col_text(stmt, 10),
                             .boot_id = pm_col_text(stmt, 11)};
        pm_link by;

        for (int i = 0; i < PM_ANCHOR_COUNT; i++)
            other.anchor[i] = pm_col_int(stmt, 5 + i);
        if (pm_col_int(stmt, 12) >= *next_life)
            *next_life = pm_col_int(stmt, 12) + 1;
        by = pm_evidence_compare(e, &other);
        if (by != PM_LINK_NONE &&
            (nearest || (by < PM_LINK_COMMAND && (!best.process_id || best.by >= PM_LINK_COMMAND))))
            best = (life){.process_id = pm_col_int(stmt, 0),
                          .name_id = pm_col_int(stmt, 1),
                          .name_rank = pm_col_int(stmt, 2),
                          .name_ms = pm_col_int(stmt, 3),
                          .by = by,
                          .taught = is_taught(c, e, &other, by, stmt)};
    }
    return best;
}

/* ---- names ---- */

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
    pm_sql_do(sql, "INSERT INTO name (host_id, name) VALUES (?1, ?2)",
              PM_ARGS(PM_I(host_id), PM_T(name)));
    return pm_sql_last_id(sql);
}

int64_t pm_host_of(pm_sql *sql, const char *host)
{
    int64_t id = pm_host_find(sql, host);

    if (id >= 0)
        return id ? id : PMAPDB_UNKNOWN;
    pm_sql_do(sql, "INSERT INTO host (name) VALUES (?1)", PM_ARGS(PM_S(host)));
    return pm_sql_last_id(sql);
}

/* ---- writing ---- */

static int64_t insert_process(pm_sql *sql, const pm_capture *c, const pm_process_facts *f,
                              int64_t host_id, int64_t name_id, int64_t number)
{
    const pm_evidence *e = &f->evidence;

    pm_sql_do(sql, pm_sql_script_text("process-insert"),
              PM_ARGS(PM_I(host_id), PM_I(name_id), PM_I(f->rank), PM_I(f->name_ms), PM_I(c->pid),
                      PM_I(c->start_time), PM_I(number), PM_WORD(e->command), PM_I(f->command_ms),
                      PM_S(pm_link_name(f->by)), PM_I(e->anchor[PM_ANCHOR_STACK_END]),
                      PM_I(e->anchor[PM_ANCHOR_VDSO_START]), PM_I(e->anchor[PM_ANCHOR_LIBC_START]),
                      PM_I(e->anchor[PM_ANCHOR_LD_START]), PM_I(e->exe), PM_T(e->boot_id),
                      PM_I(f->mono_ns), PM_I(f->utc_ms)));
    return pm_sql_last_id(sql);
}

static void learn(pm_sql *sql, int64_t process_id, const pm_process_facts *f)
{
    const pm_evidence *e = &f->evidence;

    pm_sql_do(sql, pm_sql_script_text("process-learn"),
              PM_ARGS(PM_I(process_id), PM_I(e->start_time), PM_T(e->boot_id),
                      PM_I(e->anchor[PM_ANCHOR_STACK_END]), PM_I(e->anchor[PM_ANCHOR_VDSO_START]),
                      PM_I(e->anchor[PM_ANCHOR_LIBC_START]), PM_I(e->anchor[PM_ANCHOR_LD_START]),
                      PM_I(e->exe), PM_I(f->mono_ns), PM_I(f->utc_ms), PM_WORD(e->command),
                      PM_I(f->command_ms), PM_S(pm_link_name(f->by))));
}

/* Adds the facts to a life that the store has. A better name replaces its name: data that was
 * pruned from the process is then missing under the new name, too. */
static void teach(pm_sql *sql, const life *l, int64_t host_id, const pm_process_facts *f,
                  pm_process_found *out)
{
    int64_t rank = f->rank;

    *out = (pm_process_found){.process_id = l->process_id,
                              .name_id = l->name_id,
                              .old_name_id = l->name_id,
                              .ambiguous = l->by == PM_LINK_ASSUMED};
    if (!l->taught)
        learn(sql, l->process_id, f);
    if (rank > l->name_rank || (rank == l->name_rank && f->name_ms >= l->name_ms))
        return;
    out->name_id = name_row(sql, host_id, f->name);
    pm_sql_do(sql,
              "UPDATE name SET pruned_ms = max(o.pruned_ms, coalesce(name.pruned_ms, o.pruned_ms)) "
              "FROM name o WHERE name.name_id = ?2 AND o.name_id = ?1 AND o.pruned_ms IS NOT NULL",
              PM_ARGS(PM_I(l->name_id), PM_I(out->name_id)));
    pm_sql_do(sql,
              "UPDATE process SET name_id = ?2, name_rank = ?3, name_ms = ?4 WHERE process_id = ?1",
              PM_ARGS(PM_I(l->process_id), PM_I(out->name_id), PM_I(f->rank), PM_I(f->name_ms)));
}

void pm_process_teach(pm_sql *sql, int64_t process_id, const pm_process_facts *f,
                      pm_process_found *out)
{
    life l = {.process_id = process_id};
    int64_t host_id = PMAPDB_UNKNOWN;
    sqlite3_stmt *stmt = pm_sql_ask(
        sql, "SELECT name_id, name_rank, name_ms, host_id FROM process WHERE process_id = ?1",
        PM_ARGS(PM_I(process_id)));

    if (pm_sql_next(sql, stmt)) {
        l.name_id = pm_col_int(stmt, 0);
        l.name_rank = pm_col_int(stmt, 1);
        l.name_ms = pm_col_ms(stmt, 2);
        host_id = pm_col_int(stmt, 3);
        pm_sql_done(stmt);
    }
    teach(sql, &l, host_id, f, out);
}

void pm_process_of(pm_sql *sql, const pm_capture *c, const pm_classify_context *context,
                   pm_process_found *out)
{
    pm_process_facts f = {.evidence = pm_evidence_of(c, context),
                          .command_ms = c->taken_ms,
                          .mono_ns = c->live ? c->live->mono_ns : PMAPDB_UNKNOWN,
                          .utc_ms = c->live ? c->live->utc_ms : PMAPDB_UNKNOWN,
                          .name_ms = c->taken_ms};
    int64_t host_id = pm_host_of(sql, c->host), next_life = 0;
    life l = find_live(sql, c, &f.evidence, host_id);

    f.name = name_of(c, context, &f.rank);
    if (!l.process_id)
        l = find_life(sql, c, &f.evidence, host_id, &next_life);
    f.by = l.process_id ? l.by : pm_evidence_alone(&f.evidence);
    if (l.process_id) {
        teach(sql, &l, host_id, &f, out);
        return;
    }
    *out = (pm_process_found){.name_id = name_row(sql, host_id, f.name), .is_new = true};
    out->process_id = insert_process(sql, c, &f, host_id, out->name_id, next_life);
}
