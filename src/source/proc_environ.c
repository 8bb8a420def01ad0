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
        st = pm_buf_add(memory, found[i].data, found[i].len, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(memory, "", 1, err);
    }
    free(found);
    if (st == PMAPDB_OK)
        *out = pm_buf_text(memory);
    return st;
}
