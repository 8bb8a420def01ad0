/* expression: an SQL expression over the facts of one process, for capture --match and groups --by.
 *
 *     comm GLOB 'redis*' AND uid = 1001
 *     container IS NOT NULL OR descendant_of(4711)
 *     env('PGDATA') = '/srv'
 *
 * Columns: comm (at most 15 bytes, the kernel's limit), exe (the full path), cmdline, cgroup, user,
 * uid, pid, ppid, container (docker/0123456789ab), unit (of systemd), name (the
 * script that an interpreter runs, else comm). An unknown fact is NULL. SQLite evaluates the
 * expression in a separate empty database, where it can read only these columns and write nothing.
 * Compiled twice, like functions.c. */
#ifndef PM_STORE_FUNC_EXPRESSION_H
#define PM_STORE_FUNC_EXPRESSION_H

#include "base/buf.h"
#include "base/record/live.h"

struct sqlite3_context;
struct sqlite3_value;

/* An unknown fact is PMAPDB_UNKNOWN or an empty text. */
typedef struct pm_facts {
    int64_t pid, ppid, uid;
    pm_text user, comm, exe, cmdline, cgroup, name;
    pm_text environment; /* NAME=VALUE, each ended by a NUL */
    pm_text ancestors;   /* "PARENT ITS_PARENT ..." */
} pm_facts;

typedef struct pm_expression {
    struct sqlite3 *db;
    struct sqlite3_stmt *value;
    unsigned needs; /* the facts that it reads, of enum pm_need; pid and ppid are always known */
    const pm_facts *facts; /* of the current evaluation */
} pm_expression;

/* A wrong expression is PMAPDB_USAGE: one line with the columns and functions. */
pmapdb_status pm_expression_new(pm_text sql, pm_expression **out, pmapdb_error *err);
void pm_expression_free(pm_expression *e);

/* An unknown result is false. */
pmapdb_status pm_expression_holds(pm_expression *e, const pm_facts *facts, bool *holds,
                                  pmapdb_error *err);

/* process_value(expression, pid, ppid, uid, user, comm, exe, cmdline, cgroup, environment,
 * ancestors[, name]): the value of the expression for such a process; NULL if the expression is
 * NULL. Environment: NAME=VALUE, each ended by char(0). Ancestors: pids separated by blanks. A
 * wrong expression is an error. */
void pm_process_value(struct sqlite3_context *out, int argc, struct sqlite3_value **argv);

/* ---- container.c: what the path of a cgroup says about a process ---- */

/* Adds the name of the innermost container: RUNTIME/ID with the 12 digits that the runtime's own
 * lists show (docker, containerd, crio, podman, kubepods where the path does not name the runtime),
 * or lxc/NAME, machine/NAME. Adds nothing if there is no container, or if the path does not show
 * it, as in the container's own cgroup namespace. */
void pm_container_of(pm_text cgroup, pm_buf *out);
/* The innermost service or scope of systemd; empty if there is none. */
pm_text pm_unit_of(pm_text cgroup);

#endif
