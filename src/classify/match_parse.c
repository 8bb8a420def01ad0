/* match_parse: an expression into a tree, by one function per rule of its grammar; what is wrong
 * is told with its place and what could stand there. */
#include "classify/match_word.h"

#include "base/buf.h"
#include "base/near.h"
#include "base/num.h"
#include "classify/glob.h"
#include <stdio.h>
#include <stdlib.h>

/* What stands between the parentheses of a test. */
typedef enum takes {
    TAKES_TESTS,
    TAKES_TEST,
    TAKES_NOTHING,
    TAKES_WORD,
    TAKES_NUMBER,
    TAKES_VARIABLE
} takes;

static const struct word_of_language {
    const char *name;
    pm_match_test test;
    takes takes;
    int words;        /* TAKES_VARIABLE: how many, 0 for one or two */
    const char *like; /* how it is written; NULL: another's name in another program */
} language[] = {
    {"and", PM_MATCH_AND, TAKES_TESTS, 0, "and(A,B,...)"},
    {"or", PM_MATCH_OR, TAKES_TESTS, 0, "or(A,B,...)"},
    {"not", PM_MATCH_NOT, TAKES_TEST, 0, "not(A)"},
    {"comm", PM_MATCH_COMM, TAKES_WORD, 0, "comm(GLOB)"},
    {"exe", PM_MATCH_EXE, TAKES_WORD, 0, "exe(GLOB)"},
    {"cmdline", PM_MATCH_CMDLINE, TAKES_WORD, 0, "cmdline(GLOB)"},
    {"cgroup", PM_MATCH_CGROUP, TAKES_WORD, 0, "cgroup(GLOB)"},
    {"user", PM_MATCH_USER, TAKES_WORD, 0, "user(GLOB)"},
    {"uid", PM_MATCH_UID, TAKES_NUMBER, 0, "uid(NUMBER)"},
    {"pid", PM_MATCH_PID, TAKES_NUMBER, 0, "pid(NUMBER)"},
    {"env", PM_MATCH_ENV, TAKES_VARIABLE, 0, "env(NAME) or env(NAME,GLOB)"},
    {"env_k", PM_MATCH_ENV, TAKES_VARIABLE, 1, NULL},
    {"env_kv", PM_MATCH_ENV, TAKES_VARIABLE, 2, NULL},
    {"descendants", PM_MATCH_DESCENDANTS, TAKES_NUMBER, 0, "descendants(PID)"},
    {"true", PM_MATCH_TRUE, TAKES_NOTHING, 0, "true()"},
    {"false", PM_MATCH_FALSE, TAKES_NOTHING, 0, "false()"},
};

#define N_LANGUAGE (sizeof language / sizeof *language)

/* ---- what is wrong ---- */

/* " and, or, not, ..." */
static void list_language(char *out, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < N_LANGUAGE && n < size; i++)
        if (language[i].like)
            n += (size_t)snprintf(out + n, size - n, "%s %s", n ? "," : "", language[i].name);
}

static void no_test(pm_match_parser *p, size_t at, pm_text name)
{
    char list[160];
    pm_near near;

    list_language(list, sizeof list);
    if (name.len == 0) {
        pm_match_wrong(p, at, "a test must stand here, like comm(NAME); there are:%s", list);
        return;
    }
    pm_near_start(&near, name);
    for (size_t i = 0; i < N_LANGUAGE; i++)
        if (language[i].like)
            pm_near_try(&near, pm_text_of(language[i].name));
    pm_match_wrong(p, at, "no test '%.*s'%s there are:%s", pm_match_excerpt(name), name.data,
                   pm_near_hint(&near), list);
}

static pmapdb_status take_number(pm_match_parser *p, const struct word_of_language *w, int64_t *out)
{
    uint64_t number;
    pm_text word;
    size_t at = pm_match_skip(p);
    pmapdb_status st = pm_match_word(p, &word);

    if (st != PMAPDB_OK)
        return st;
    if (!pm_num_all(word, &number) || number > INT64_MAX)
        return pm_match_wrong(p, at, "%s wants a number%s", w->name,
                              w->test == PM_MATCH_UID ? ", user(NAME) takes a name" : "");
    *out = (int64_t)number;
    return PMAPDB_OK;
}

/* The kernel cuts a command's name: of a longer word only the part that it keeps can match. */
static void cut_comm(pm_match_node *node)
{
    char start[PM_COMM_BYTES];

    if (pm_glob_start(node->word, start, sizeof start) < sizeof start)
        return;
    /* The word is in the copy of the expression, and at least as long. */
    memcpy((char *)node->word.data, start, sizeof start);
    node->word.len = sizeof start;
    node->test = PM_MATCH_COMM_CUT;
}

static pmapdb_status read_word(pm_match_parser *p, const struct word_of_language *w,
                               pm_match_node *node)
{
    size_t at = pm_match_skip(p);
    pmapdb_status st = pm_match_word(p, &node->word);

    if (st != PMAPDB_OK)
        return st;
    if (node->word.len == 0)
        return pm_match_wrong(p, at, "a word must stand here, %s", w->like);
    if (w->test == PM_MATCH_COMM)
        cut_comm(node);
    if (w->test == PM_MATCH_EXE && !memchr(node->word.data, '/', node->word.len))
        node->test = PM_MATCH_EXE_BASENAME;
    return PMAPDB_OK;
}

static pmapdb_status read_variable(pm_match_parser *p, const struct word_of_language *w,
                                   pm_match_node *node)
{
    size_t at = pm_match_skip(p);
    pmapdb_status st = pm_match_word(p, &node->word);

    if (st != PMAPDB_OK)
        return st;
    if (node->word.len == 0)
        return pm_match_wrong(p, at, "the name of a variable must stand here, like %s(NAME%s)",
                              w->name, w->words == 2 ? ",VALUE" : "");
    if (memchr(node->word.data, '=', node->word.len))
        return pm_match_wrong(
            p, at, "no variable has a = in its name: put a comma between name and value");
    node->has_value = pm_match_peek(p) == ',';
    if (w->words && node->has_value != (w->words == 2))
        return pm_match_wrong(p, p->at, "%s takes %s", w->name,
                              w->words == 2 ? "a name and a value" : "a name only");
    if (!node->has_value)
        return PMAPDB_OK;
    p->at++;
    return pm_match_word(p, &node->value);
}

/* ---- tests ---- */

static pmapdb_status read_test(pm_match_parser *p, uint32_t *out);

/* A, or A,B,... of `parent`, which may move: node numbers, no pointers. */
static pmapdb_status read_tests(pm_match_parser *p, uint32_t parent, bool several)
{
    uint32_t last = 0, now;
    pmapdb_status st;

    for (;;) {
        st = read_test(p, &now);
        if (st != PMAPDB_OK)
            return st;
        *(last ? &p->m->node[last].next : &p->m->node[parent].child) = now;
        last = now;
        if (pm_match_peek(p) != ',' || !several)
            return PMAPDB_OK;
        p->at++;
    }
}

static pmapdb_status read_inside(pm_match_parser *p, const struct word_of_language *w,
                                 uint32_t node)
{
    switch (w->takes) {
    case TAKES_TESTS:
        return read_tests(p, node, true);
    case TAKES_TEST:
        return read_tests(p, node, false);
    case TAKES_WORD:
        return read_word(p, w, &p->m->node[node]);
    case TAKES_NUMBER:
        return take_number(p, w, &p->m->node[node].number);
    case TAKES_VARIABLE:
        return read_variable(p, w, &p->m->node[node]);
    case TAKES_NOTHING:
        return PMAPDB_OK;
    }
    return PMAPDB_OK;
}

/* What stands where a test's ) must. */
static pmapdb_status not_closed(pm_match_parser *p, const struct word_of_language *w, size_t open)
{
    const char *more = w->takes == TAKES_TESTS ? ", or a comma and another test" : "";

    if (p->at < p->text.len && p->text.data[p->at] == ',')
        return pm_match_wrong(
            p, p->at, "%s is complete before this comma%s", w->like ? w->like : w->name,
            w->takes == TAKES_WORD ? ": a word with a comma in it is put in \"...\"" : "");
    return pm_match_wrong(p, p->at, "the ) of %s( at character %zu must stand here%s", w->name,
                          open + 1, more);
}

static const struct word_of_language *find_word(pm_text name)
{
    for (size_t i = 0; i < N_LANGUAGE; i++)
        if (pm_text_equal(name, pm_text_of(language[i].name)))
            return &language[i];
    return NULL;
}

/* A name and its ( ; NULL, after saying why, where they do not stand here. A name alone is likely a
 * command's. */
static const struct word_of_language *read_head(pm_match_parser *p)
{
    size_t at = pm_match_skip(p);
    pm_text name = pm_match_name(p);
    const struct word_of_language *w = find_word(name);
    bool open = pm_match_peek(p) == '(';

    if (w && open) {
        p->at++;
        return w;
    }
    if (w)
        pm_match_wrong(p, p->at, "a ( must stand here: %s", w->like ? w->like : w->name);
    else if (name.len && !open && p->depth == 0)
        pm_match_wrong(p, at, "that is no test; for a command's name: comm(%.*s)",
                       pm_match_excerpt(name), name.data);
    else
        no_test(p, at, name);
    return NULL;
}

static pmapdb_status read_test(pm_match_parser *p, uint32_t *out)
{
    size_t open = pm_match_skip(p);
    const struct word_of_language *w = read_head(p);
    uint32_t node = (uint32_t)p->m->n;
    pmapdb_status st;

    if (!w)
        return PMAPDB_USAGE;
    if (p->depth == PM_MATCH_DEPTH)
        return pm_match_wrong(p, open, "more than %d tests in one another", PM_MATCH_DEPTH);
    st = pm_grow(&p->m->node, &p->m->cap, p->m->n, sizeof *p->m->node, p->err);
    if (st != PMAPDB_OK)
        return st;
    p->m->node[p->m->n++] = (pm_match_node){.test = w->test};
    p->depth++;
    st = read_inside(p, w, node);
    p->depth--;
    if (st == PMAPDB_OK && pm_match_peek(p) != ')')
        st = not_closed(p, w, open);
    p->at++;
    *out = node;
    return st;
}

static pmapdb_status read_all(pm_match_parser *p)
{
    uint32_t root;
    pmapdb_status st = read_test(p, &root);

    if (st == PMAPDB_OK)
        pm_match_peek(p);
    if (st == PMAPDB_OK && p->at < p->text.len)
        return pm_match_wrong(p, p->at,
                              "the expression is complete before this; and(A,B), or(A,B) join two");
    return st;
}

pmapdb_status pm_match_new(pm_text expression, pm_match **out, pmapdb_error *err)
{
    pm_match *m;
    pm_match_parser p;
    pmapdb_status st;

    if (expression.len > PM_MATCH_BYTES)
        return pm_fail(err, PMAPDB_USAGE, "the expression has %zu bytes, more than %d",
                       expression.len, PM_MATCH_BYTES);
    m = calloc(1, sizeof *m);
    if (!m || !(m->text = malloc(expression.len + 1))) {
        free(m);
        return pm_fail_nomem(err);
    }
    if (expression.len)
        memcpy(m->text, expression.data, expression.len);
    p = (pm_match_parser){.m = m, .text = {m->text, expression.len}, .err = err};
    st = read_all(&p);
    if (st != PMAPDB_OK) {
        pm_match_free(m);
        return st;
    }
    *out = m;
    return PMAPDB_OK;
}
