/* match: does an expression hold for a process? */
#include "classify/match_tree.h"

#include "classify/glob.h"
#include <stdlib.h>

void pm_match_free(pm_match *m)
{
    if (!m)
        return;
    free(m->node);
    free(m->text);
    free(m);
}

unsigned pm_match_needs(const pm_match *m)
{
    static const unsigned need[] = {
        [PM_MATCH_COMM] = PM_NEED_COMM,       [PM_MATCH_COMM_CUT] = PM_NEED_COMM,
        [PM_MATCH_EXE] = PM_NEED_EXE,         [PM_MATCH_EXE_BASENAME] = PM_NEED_EXE,
        [PM_MATCH_CMDLINE] = PM_NEED_CMDLINE, [PM_MATCH_CGROUP] = PM_NEED_CGROUP,
        [PM_MATCH_USER] = PM_NEED_USER,       [PM_MATCH_UID] = PM_NEED_UID,
        [PM_MATCH_ENV] = PM_NEED_ENVIRONMENT, [PM_MATCH_DESCENDANTS] = PM_NEED_ANCESTORS};
    unsigned all = 0;

    for (size_t i = 0; i < m->n; i++)
        all |= need[m->node[i].test];
    return all;
}

/* What is unknown matches nothing, not even *. */
static bool known_glob(pm_text pattern, pm_text fact)
{
    return fact.len && pm_glob(pattern, fact);
}

static bool in_environment(const pm_match_node *node, pm_text rest)
{
    while (rest.len) {
        size_t n = strnlen(rest.data, rest.len);
        const char *equals = memchr(rest.data, '=', n);
        size_t name = equals ? (size_t)(equals - rest.data) : n;

        if (equals && pm_glob(node->word, (pm_text){rest.data, name}) &&
            (!node->has_value || pm_glob(node->value, (pm_text){equals + 1, n - name - 1})))
            return true;
        rest = pm_text_from(rest, n < rest.len ? n + 1 : n);
    }
    return false;
}

static bool is_ancestor(int64_t pid, const pm_facts *f)
{
    for (size_t i = 0; i < f->n_ancestors; i++)
        if (f->ancestors[i] == pid)
            return true;
    return false;
}

static bool test(const pm_match_node *node, const pm_facts *f)
{
    switch (node->test) {
    case PM_MATCH_COMM:
        return known_glob(node->word, f->comm);
    case PM_MATCH_COMM_CUT:
        return pm_text_equal(node->word, f->comm);
    case PM_MATCH_EXE:
        return known_glob(node->word, f->exe);
    case PM_MATCH_EXE_BASENAME:
        return known_glob(node->word, pm_text_basename(f->exe));
    case PM_MATCH_CMDLINE:
        return known_glob(node->word, f->cmdline);
    case PM_MATCH_CGROUP:
        return known_glob(node->word, f->cgroup);
    case PM_MATCH_USER:
        return known_glob(node->word, f->user);
    case PM_MATCH_UID:
        return node->number == f->uid;
    case PM_MATCH_PID:
        return node->number == f->pid;
    case PM_MATCH_ENV:
        return in_environment(node, f->environment);
    case PM_MATCH_DESCENDANTS:
        return is_ancestor(node->number, f);
    default:
        return node->test == PM_MATCH_TRUE;
    }
}

static bool holds(const pm_match *m, const pm_match_node *node, const pm_facts *f)
{
    bool all = node->test == PM_MATCH_AND;

    if (node->test == PM_MATCH_NOT)
        return !holds(m, &m->node[node->child], f);
    if (node->test != PM_MATCH_AND && node->test != PM_MATCH_OR)
        return test(node, f);
    for (uint32_t i = node->child; i; i = m->node[i].next)
        if (holds(m, &m->node[i], f) != all)
            return !all;
    return all;
}

bool pm_match_holds(const pm_match *m, const pm_facts *facts)
{
    return holds(m, &m->node[0], facts);
}
