/* proc_environ: of an environment, the variables that were asked for. */
#include "source/proc.h"

#include "source/proc_text.h"
#include <stdlib.h>

static int by_bytes(const void *a, const void *b)
{
    const pm_text *x = a, *y = b;
    int order = memcmp(x->data, y->data, x->len < y->len ? x->len : y->len);

    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* The first of its name, as getenv takes it; empty where there is none. */
static pm_text find_variable(pm_text environment, pm_text name)
{
    while (environment.len) {
        pm_text variable = pm_proc_cut(&environment, '\0');

        if (variable.len > name.len && variable.data[name.len] == '=' &&
            pm_text_starts(variable, name))
            return variable;
    }
    return (pm_text){0};
}

/* "NAME=VALUE" and a NUL. */
static pmapdb_status add_variable(pm_buf *memory, pm_text variable, pmapdb_error *err)
{
    size_t name = (size_t)((const char *)memchr(variable.data, '=', variable.len) - variable.data);
    size_t n = name + 1 + pm_proc_kept(pm_text_from(variable, name + 1));
    pmapdb_status st = pm_buf_add(memory, variable.data, n, err);

    if (st == PMAPDB_OK && n < variable.len)
        st = pm_buf_add(memory, "...", 3, err);
    return st == PMAPDB_OK ? pm_buf_add(memory, "", 1, err) : st;
}

pmapdb_status pm_proc_keep_environment(pm_text environment, const char *const *names, size_t n,
                                       pm_buf *memory, pm_text *out, pmapdb_error *err)
{
    pm_text *found = calloc(n + 1, sizeof *found);
    size_t count = 0;
    pmapdb_status st = PMAPDB_OK;

    if (!found)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < n; i++) {
        found[count] = find_variable(environment, pm_text_of(names[i]));
        count += found[count].len > 0;
    }
    qsort(found, count, sizeof *found, by_bytes);
    pm_buf_clear(memory);
    for (size_t i = 0; i < count && st == PMAPDB_OK; i++) {
        if (i && pm_text_equal(found[i], found[i - 1]))
            continue; /* asked for twice */
        st = add_variable(memory, found[i], err);
    }
    free(found);
    if (st == PMAPDB_OK)
        *out = pm_buf_text(memory);
    return st;
}
