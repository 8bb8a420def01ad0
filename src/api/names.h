/* names: a file of rules that name processes:
 *
 *     # name      expression, as capture --match takes it
 *     checkout    cmdline GLOB '*checkout.jar*'
 *     pg-main     comm = 'postgres' AND env('PGDATA') = '/srv/main'
 *
 * The first rule that holds gives the name. Lines that are empty or begin with # are left out. */
#ifndef PM_API_NAMES_H
#define PM_API_NAMES_H

#include "base/buf.h"
#include "store/func/expression.h"

#define PM_NAMES_MAX 256

/* Zeroed, there are no rules. */
typedef struct pm_names_file {
    pm_buf text;    /* the names point into it */
    unsigned needs; /* the facts that the rules read */
    size_t n;
    pm_text name[PM_NAMES_MAX];
    pm_expression *holds[PM_NAMES_MAX];
} pm_names_file;

/* Fails with "FILE:LINE: ..." on a wrong rule. path NULL: no rules. */
pmapdb_status pm_names_read(const char *path, pm_names_file *out, pmapdb_error *err);
void pm_names_close(pm_names_file *names);

/* *name is empty if no rule holds. */
pmapdb_status pm_names_find(const pm_names_file *names, const pm_facts *facts, pm_text *name,
                            pmapdb_error *err);

#endif
