/* Tests of match: which of some processes each expression holds for, and what is said of those
 * that are wrong. */
#include "classify/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka.h wants the five above. */
#include <cmocka.h>

/* A redis of root's; a worker, below it, of a user, with a long name; one of which nothing is
 * known but its pid. */
static const int64_t above_redis[] = {1}, above_worker[] = {100, 1};
static const pm_facts processes[] = {
    {.pid = 100,
     .uid = 0,
     .user = {"root", 4},
     .comm = {"redis-server", 12},
     .exe = {"/usr/bin/redis-server", 21},
     .cmdline = {"redis-server *:6379 (a, b)", 26},
     .cgroup = {"/system.slice/redis.service", 27},
     .environment = {"EMPTY=\0HOME=/root\0ODD\0PGDATA=/data/a=b", 38},
     .ancestors = above_redis,
     .n_ancestors = 1},
    {.pid = 200,
     .uid = 1001,
     .user = {"www-data", 8},
     .comm = {"very-long-name-", 15},
     .exe = {"/srv/very-long-name-of-a-worker", 31},
     .cmdline = {"worker --of \"100\"", 17},
     .cgroup = {"/user.slice", 11},
     .environment = {"HOME=/srv\0", 10},
     .ancestors = above_worker,
     .n_ancestors = 2},
    {.pid = 300, .uid = PMAPDB_UNKNOWN},
};

#define N_PROCESSES (sizeof processes / sizeof *processes)

/* One character for each process: 1 where it holds. */
static const struct truth {
    const char *expression, *holds;
} truths[] = {
    {"true()", "111"},
    {"false()", "000"},
    {"not(true())", "000"},
    {"not(false())", "111"},
    {"and(true(),true())", "111"},
    {"and(true(),false())", "000"},
    {"and(false(),true())", "000"},
    {"or(true(),false())", "111"},
    {"or(false(),true())", "111"},
    {"or(false(),false())", "000"},
    {"and(true())", "111"},
    {"or(false())", "000"},
    {"and(true(),true(),false())", "000"},
    {"and(true(),false(),true())", "000"},
    {"or(false(),false(),true())", "111"},
    {"or(false(),true(),false())", "111"},
    {"not(not(uid(0)))", "100"},
    {"and(or(uid(0),uid(1001)),not(uid(0)))", "010"},
    {"or(and(uid(0),uid(1001)),pid(300))", "001"},

    {"uid(0)", "100"},
    {"uid(1001)", "010"},
    {"uid(01001)", "010"},
    {"not(uid(0))", "011"},
    {"pid(100)", "100"},
    {"pid(300)", "001"},
    {"descendants(1)", "110"},
    {"descendants(100)", "010"},
    {"descendants(200)", "000"},
    {"user(root)", "100"},
    {"user(www-*)", "010"},
    {"not(user(root))", "011"},

    {"comm(redis-server)", "100"},
    {"comm(redis)", "000"},
    {"comm(redis*)", "100"},
    {"comm(redis?server)", "100"},
    {"comm([rs]edis-*)", "100"},
    {"comm(*)", "110"},
    {"not(comm(*))", "001"},
    {"comm(very-long-name-)", "010"},
    {"comm(very-long-name-of-a-worker)", "010"},
    {"comm(very-long-name-of*)", "010"},
    {"comm(very-long-name-*)", "010"},
    {"comm(very-long-name*)", "010"},
    {"comm(very-long-nam?-of)", "000"},
    {"comm(very-long-namex)", "000"},
    {"comm(very-long-namE-of-a-worker)", "000"},
    {"comm(\"very\\-long-name-of\")", "010"},
    {"exe(redis-server)", "100"},
    {"exe(/usr/bin/redis-server)", "100"},
    {"exe(/usr/*)", "100"},
    {"exe(redis*)", "100"},
    {"exe(*redis*)", "100"},
    {"exe(usr)", "000"},
    {"exe(bin/redis-server)", "000"},
    {"exe(*/redis-server)", "100"},
    {"exe(*)", "110"},
    {"exe(very-long-name-of-a-worker)", "010"},
    {"cmdline(*6379*)", "100"},
    {"cmdline(redis-server)", "000"},
    {"cmdline(*)", "110"},
    {"cmdline(\"*(a, b)\")", "100"},
    {"cmdline(*\\(a\\, b\\))", "100"},
    {"cmdline(\"*\\\"100\\\"\")", "010"},
    {"cmdline(redis-server \\**)", "100"},
    {"cgroup(/system.slice/*)", "100"},
    {"cgroup(/*)", "110"},
    {"cgroup(*redis*)", "100"},
    {"cgroup(/user.slice)", "010"},

    {"env(HOME)", "110"},
    {"env(HOME,/root)", "100"},
    {"env(HOME,/*)", "110"},
    {"env(HOME,root)", "000"},
    {"env(EMPTY)", "100"},
    {"env(EMPTY,)", "100"},
    {"env(EMPTY,\"\")", "100"},
    {"env(HOME,)", "000"},
    {"env(ODD)", "000"},
    {"env(PGDATA,/data/a=b)", "100"},
    {"env(PG*)", "100"},
    {"env(PG)", "000"},
    {"not(env(HOME))", "001"},
    {"env_k(HOME)", "110"},
    {"env_kv(HOME,/srv)", "010"},

    {" \t\n and ( uid( 0 ) , comm( redis-server ) ) ", "100"},
    {"comm( \"redis-server\" )", "100"},
    {"comm(\" redis-server\")", "000"},
    {"env( HOME , /root )", "100"},
};

static pm_match *made(const char *expression)
{
    pmapdb_error err;
    pm_match *m = NULL;

    if (pm_match_new(pm_text_of(expression), &m, &err) != PMAPDB_OK)
        fail_msg("%s: %s", expression, err.text);
    return m;
}

static void test_truth(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        pm_match *m = made(truths[i].expression);

        for (size_t k = 0; k < N_PROCESSES; k++)
            if (pm_match_holds(m, &processes[k]) != (truths[i].holds[k] == '1'))
                fail_msg("%s of process %zu", truths[i].expression, k);
        pm_match_free(m);
    }
}

static void needs(const char *expression, unsigned expected)
{
    pm_match *m = made(expression);

    assert_int_equal(pm_match_needs(m), expected);
    pm_match_free(m);
}

static void test_needs(void **state)
{
    (void)state;
    needs("true()", 0);
    needs("pid(1)", 0);
    needs("comm(a)", PM_NEED_COMM);
    needs("comm(longer-than-fifteen)", PM_NEED_COMM);
    needs("exe(a)", PM_NEED_EXE);
    needs("exe(/a)", PM_NEED_EXE);
    needs("cmdline(a)", PM_NEED_CMDLINE);
    needs("cgroup(a)", PM_NEED_CGROUP);
    needs("user(a)", PM_NEED_USER);
    needs("uid(1)", PM_NEED_UID);
    needs("env(A)", PM_NEED_ENVIRONMENT);
    needs("descendants(1)", PM_NEED_ANCESTORS);
    needs("or(not(uid(0)),and(env(A),comm(x)))", PM_NEED_UID | PM_NEED_ENVIRONMENT | PM_NEED_COMM);
}

#define TESTS \
    "and, or, not, comm, exe, cmdline, cgroup, user, uid, pid, env, descendants, true, false"

static const struct mistake {
    const char *expression, *said;
} mistakes[] = {
    {"",
     "at the end of the expression: a test must stand here, like comm(NAME); there are: " TESTS},
    {"redis", "at character 1 of the expression, 'redis': that is no test; for a command's name: "
              "comm(redis)"},
    {"com(x)", "at character 1 of the expression, 'com(x)': no test 'com', did you mean 'comm'? "
               "there are: " TESTS},
    {"and(uid(0),zzz(1))", "at character 12 of the expression, 'zzz(1))': no test 'zzz'; there "
                           "are: " TESTS},
    {"and()", "at character 5 of the expression, ')': a test must stand here, like comm(NAME); "
              "there are: " TESTS},
    {"and(uid(0),)", "at character 12 of the expression, ')': a test must stand here, like "
                     "comm(NAME); there are: " TESTS},
    {"comm", "at the end of the expression: a ( must stand here: comm(GLOB)"},
    {"comm x", "at character 6 of the expression, 'x': a ( must stand here: comm(GLOB)"},
    {"comm(x", "at the end of the expression: the ) of comm( at character 1 must stand here"},
    {"and(uid(0)", "at the end of the expression: the ) of and( at character 1 must stand here, or "
                   "a comma and another test"},
    {"and(uid(0)uid(1))", "at character 11 of the expression, 'uid(1))': the ) of and( at "
                          "character 1 must stand here, or a comma and another test"},
    {"uid(0))", "at character 7 of the expression, ')': the expression is complete before this; "
                "and(A,B), or(A,B) join two"},
    {"comm(sshd),uid(1)", "at character 11 of the expression, ',uid(1)': the expression is "
                          "complete before this; and(A,B), or(A,B) join two"},
    {"not(uid(0),uid(1))", "at character 11 of the expression, ',uid(1))': not(A) is complete "
                           "before this comma"},
    {"comm(a,b)", "at character 7 of the expression, ',b)': comm(GLOB) is complete before this "
                  "comma: a word with a comma in it is put in \"...\""},
    {"comm()", "at character 6 of the expression, ')': a word must stand here, comm(GLOB)"},
    {"comm(a(b))", "at character 7 of the expression, '(b))': a word with ( in it is put in "
                   "\"...\""},
    {"comm(a\"b)", "at character 7 of the expression, '\"b)': a word with \" in it is put in "
                   "\"...\""},
    {"comm(\"a)", "at character 6 of the expression, '\"a)': this \" is never closed"},
    {"comm(\"a\\\")", "at character 6 of the expression, '\"a\\\")': this \" is never closed"},
    {"comm(\"a\"b)", "at character 9 of the expression, 'b)': the ) of comm( at character 1 must "
                     "stand here"},
    {"comm(a\\)", "at the end of the expression: the ) of comm( at character 1 must stand here"},
    {"comm(a\\", "at the end of the expression: the ) of comm( at character 1 must stand here"},
    {"uid(root)", "at character 5 of the expression, 'root)': uid wants a number, user(NAME) takes "
                  "a name"},
    {"pid(-1)", "at character 5 of the expression, '-1)': pid wants a number"},
    {"pid(9223372036854775808)", "at character 5 of the expression, '9223372036854775808)': pid "
                                 "wants a number"},
    {"descendants()", "at character 13 of the expression, ')': descendants wants a number"},
    {"env()", "at character 5 of the expression, ')': the name of a variable must stand here, like "
              "env(NAME)"},
    {"env(A=b)", "at character 5 of the expression, 'A=b)': no variable has a = in its name: put a "
                 "comma between name and value"},
    {"env(A,b,c)", "at character 8 of the expression, ',c)': env(NAME) or env(NAME,GLOB) is "
                   "complete before this comma"},
    {"env_k(A,b)", "at character 8 of the expression, ',b)': env_k takes a name only"},
    {"env_kv(A)", "at character 9 of the expression, ')': env_kv takes a name and a value"},
    {"true(1)", "at character 6 of the expression, '1)': the ) of true( at character 1 must stand "
                "here"},
    {"uid(123456789012345678 é)", "at character 5 of the expression, '123456789012345678 ...': uid "
                                  "wants a number, user(NAME) takes a name"},
    {"and(comm(a),a-very-long-line-that-goes-on)",
     "at character 13 of the expression, 'a-very-long-line-tha...': no test "
     "'a-very-long-line-tha'; there are: " TESTS},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        pmapdb_error err = {.text = ""};
        pm_match *m = NULL;

        assert_int_equal(pm_match_new(pm_text_of(mistakes[i].expression), &m, &err), PMAPDB_USAGE);
        assert_null(m);
        assert_string_equal(err.text, mistakes[i].said);
    }
}

/* `n` times "not(", true(), and the parentheses that close them. */
static pmapdb_status nested(size_t n, pmapdb_error *err)
{
    char *text = malloc(n * 5 + 7), *end = text;
    pm_match *m = NULL;
    pmapdb_status st;

    assert_non_null(text);
    for (size_t i = 0; i < n; i++, end += 4)
        memcpy(end, "not(", 4);
    memcpy(end, "true()", 6);
    memset(end + 6, ')', n);
    st = pm_match_new((pm_text){text, n * 5 + 6}, &m, err);
    if (st == PMAPDB_OK)
        assert_int_equal(pm_match_holds(m, &processes[0]), n % 2 == 0);
    pm_match_free(m);
    free(text);
    return st;
}

static void test_depth(void **state)
{
    pmapdb_error err;

    (void)state;
    assert_int_equal(nested(62, &err), PMAPDB_OK);
    assert_int_equal(nested(63, &err), PMAPDB_OK);
    assert_int_equal(nested(64, &err), PMAPDB_USAGE);
    assert_string_equal(err.text, "at character 257 of the expression, 'true()))))))))))))))...': "
                                  "more than 64 tests in one another");
    assert_int_equal(nested(10000, &err), PMAPDB_USAGE);
    assert_int_equal(nested(250000, &err), PMAPDB_USAGE);
    assert_string_equal(err.text, "the expression has 1250006 bytes, more than 65536");
}

/* As many tests side by side as go into an expression. */
static void test_width(void **state)
{
    enum { N = 9000 };
    char *text = malloc(N * 7 + 20), *end = text;
    pm_match *m = NULL;

    (void)state;
    assert_non_null(text);
    end += sprintf(end, "or(");
    for (int i = 0; i < N; i++)
        end += sprintf(end, "uid(7),");
    sprintf(end, "uid(0))");
    m = made(text);
    assert_true(pm_match_holds(m, &processes[0]));
    assert_false(pm_match_holds(m, &processes[1]));
    pm_match_free(m);
    free(text);
}

/* Pieces of the language in any order: it answers, and reads nothing that is not its own. */
static void test_anything(void **state)
{
    static const char *const pieces[] = {
        "and(", "or(", "not(", "comm(", "exe(", "env(", "uid(",   "true()", ")", ")", ")",    ",",
        "a",    "0",   "\"",   "\\",    "*",    "[",    "[!a-z]", " ",      "=", "é", "\xff", "\n"};
    uint32_t seed = 1;
    int good = 0;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[128] = "";
        pm_match *m = NULL;
        char *exact;

        for (int k = 0; k < 1 + i % 12; k++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(text, pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)]);
        }
        exact = malloc(strlen(text)); /* no NUL behind it: sanitizers see one byte too far */
        assert_non_null(exact);
        memcpy(exact, text, strlen(text));
        if (pm_match_new((pm_text){exact, strlen(text)}, &m, NULL) == PMAPDB_OK) {
            good++;
            for (size_t k = 0; k < N_PROCESSES; k++)
                pm_match_holds(m, &processes[k]);
            pm_match_free(m);
        }
        free(exact);
    }
    assert_true(good > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),    cmocka_unit_test(test_needs),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_width),    cmocka_unit_test(test_anything)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
