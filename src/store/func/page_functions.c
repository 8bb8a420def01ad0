/* page_functions: the pages of groups of processes as an SQL function. */
#include "store/func/functions.h"

#include "base/num.h"
#include "pages/groups.h"
#include "store/func/argument.h"
#include <inttypes.h>
#include <stdlib.h>

#define NUMBER_MAX ((uint64_t)1 << 24) /* of a process or a group: no host has more */

typedef struct members {
    uint32_t *group_of;
    size_t n;
    uint32_t n_groups;
} members;

/* Reads the pairs twice: to find the largest numbers, and to store them. */
static pmapdb_status read_members(pm_text text, members *out, pmapdb_error *err)
{
    for (int store = 0; store < 2; store++) {
        pm_text rest = text;

        while (rest.len) {
            uint64_t number, group;

            if (!pm_num_all(pm_text_word(&rest, " "), &number) || number >= NUMBER_MAX ||
                !pm_num_all(pm_text_word(&rest, " "), &group) || group >= NUMBER_MAX || !group)
                return pm_fail(err, PMAPDB_INPUT,
                               "page_groups(): members are pairs of a process and a group");
            if (store)
                out->group_of[number] = (uint32_t)group;
            out->n = number >= out->n ? number + 1 : out->n;
            out->n_groups = group > out->n_groups ? (uint32_t)group : out->n_groups;
        }
        if (!store && !(out->group_of = calloc(out->n + 1, sizeof *out->group_of)))
            return pm_fail_nomem(err);
    }
    return PMAPDB_OK;
}

static pmapdb_status answer(pm_text sets, const members *m, pm_buf *json, pmapdb_error *err)
{
    size_t n = m->n_groups + (size_t)2;
    pm_group_pages *pages = calloc(n, sizeof *pages);
    pmapdb_status st = pages ? PMAPDB_OK : pm_fail_nomem(err);

    PM_STEP(st, pm_group_pages_of(sets, m->group_of, m->n, pages, m->n_groups, err));
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        const pm_group_pages *g = &pages[i];

        st = pm_buf_addf(
            json, err,
            "%s[%zu,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]",
            i ? "," : "[", i, g->rss, g->anon, g->shmem, g->alone, g->swap, g->swap_alone);
    }
    PM_STEP(st, pm_buf_add(json, "]", 1, err));
    free(pages);
    return st;
}

void pm_page_groups(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    pm_text sets = {sqlite3_value_blob(argv[0]), (size_t)sqlite3_value_bytes(argv[0])};
    pm_text text = pm_argument_text(argv[1]);
    members m = {0};
    pm_buf json = {0};
    pmapdb_error err;
    pmapdb_status st;

    (void)argc;
    if (!sets.data || !text.data)
        return;
    st = read_members(text, &m, &err);
    PM_STEP(st, answer(sets, &m, &json, &err));
    pm_argument_give(out, &json, st, &err);
    free(m.group_of);
}
