/* rules_cases_test: mappings in a file, and the categories that a set must give them; the set
 * that is used unless another is wanted gives those of rules/test.csv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/one_file.h"
#include "api/rules_test_file.h"
#include "store/rules/rules_file.h"

#include <stdlib.h>

static pm_rules *set_of(pm_text text)
{
    pm_rules_report report = {0};
    pm_rules *set = NULL;
    pmapdb_error err = {0};

    assert_non_null(text.data);
    if (pm_rules_read(text, "F", NULL, &report, &set, &err) != PMAPDB_OK)
        fail_msg("%s", err.text);
    return set;
}

typedef struct outcome {
    pm_buf differences;
    pm_rules_test_result result;
} outcome;

static void on_difference(void *ctx, const pm_rules_difference *d)
{
    outcome *o = ctx;

    pm_buf_addf(&o->differences, NULL, "%d %s %lx: %s, got %s by %d\n", (int)d->line, d->name,
                (unsigned long)d->start, d->expected, d->got,
                d->rule == PM_NO_RULE ? -1 : (int)d->rule);
}

static pmapdb_status run_cases(const pm_rules *set, pm_text text, outcome *o, size_t *won,
                               pm_rules_report *report, pmapdb_error *err)
{
    const pm_rules_test test = {.label = "T",
                                .text = text,
                                .set = set,
                                .ctx = o,
                                .on_difference = on_difference,
                                .won = won};

    *o = (outcome){0};
    *report = (pm_rules_report){0};
    return pm_rules_test_run(&test, report, &o->result, err);
}

/* Every rule wins somewhere in rules/test.csv: none is hidden by those before it. */
static void test_default(void **state)
{
    pm_rules *set = set_of(pm_rules_builtin(PM_TEXT("default")));
    size_t *won = calloc(pm_rules_count(set), sizeof *won), never = 0;
    pm_rules_report report;
    pm_buf text = {0};
    outcome o;

    (void)state;
    assert_non_null(won);
    assert_int_equal(pm_one_file_read("rules/test.csv", PM_RULES_FILE_MAX, &text, NULL), PMAPDB_OK);
    assert_int_equal(run_cases(set, pm_buf_text(&text), &o, won, &report, NULL), PMAPDB_OK);
    assert_string_equal(pm_buf_text(&o.differences).data, "");
    assert_int_equal(o.result.differ, 0);
    for (size_t i = 0; i < pm_rules_count(set); i++) {
        never += won[i] == 0;
        if (!won[i])
            print_message("never: %s\n", pm_rules_name(set, i));
    }
    assert_int_equal(never, 0);
    free(won);
    pm_buf_free(&text);
    pm_rules_free(set);
}

#define HEAD "case,start,size_kib,perms,device,inode,path,flags,category\n"

static pm_rules *small_set(void)
{
    return set_of(PM_TEXT("rule,category,base,perms,flags,device,below,with\n"
                          "stack,anonymous/stack,anonymous,rw?p,,,base=reserve,path=libx.so\n"
                          "none,anonymous/none,anonymous,,!nr,,,\n"
                          "dev,mapped-file/dev,mapped-file,,,08:01,,\n"
                          "heap,heap/x,heap,,,,,\n"));
}

static void test_cases(void **state)
{
    pm_rules *set = small_set();
    pm_rules_report report;
    size_t won[4] = {0};
    outcome o;

    (void)state;
    /* rows of a case need not stand together, nor in order; cases do not see each other */
    assert_int_equal(run_cases(set,
                               PM_TEXT(HEAD "a,2000,8,rw-p,,,,,anonymous/stack\n"
                                            "b,2000,8,rw-p,,,,,anonymous\n"
                                            "b,1000,4,---p,,,,,reserve\n"
                                            "a,0x1000,4,---p,,,,,reserve\n"
                                            "a,9000,4,r-xp,,,/x/libx.so,,program\n"
                                            "a,f000,4,rw-p,,,,nr,anonymous/none\n"
                                            "a,11000,4,rw-p,,,,-,anonymous/none\n"
                                            "a,13000,4,rw-p,,,,,anonymous/none\n"
                                            "c,1000,4,r--p,8:1,5,/y,,mapped-file/dev\n"
                                            "c,3000,4,r--p,08:02,5,/y,,mapped-file\n"
                                            "c,5000,4,r--p,,,/y,,mapped-file/dev\n"
                                            "c,7000,4,rw-p,00:00,0,[heap],,heap/x\n"),
                               &o, won, &report, NULL),
                     PMAPDB_OK);
    assert_string_equal(pm_buf_text(&o.differences).data,
                        "6 a 9000: program, got shared-library by -1\n"
                        "7 a f000: anonymous/none, got anonymous by -1\n"
                        "9 a 13000: anonymous/none, got anonymous by -1\n"
                        "12 c 5000: mapped-file/dev, got mapped-file by -1\n");
    assert_int_equal(o.result.mappings, 12);
    assert_int_equal(o.result.differ, 4);
    assert_int_equal(won[0], 1);
    assert_int_equal(won[1], 1);
    assert_int_equal(won[2], 1);
    assert_int_equal(won[3], 1);
    pm_buf_free(&o.differences);
    pm_rules_free(set);
}

static void test_bad_cases(void **state)
{
    static const struct {
        const char *row, *why;
    } bad[] = {
        {"a,xyz,4,rw-p,,,,,anonymous\n", "T:2: start in hex and size_kib are no place in memory\n"},
        {"a,1000,0,rw-p,,,,,anonymous\n",
         "T:2: start in hex and size_kib are no place in memory\n"},
        {"a,fffffffffffff000,8,rw-p,,,,,anonymous\n",
         "T:2: start in hex and size_kib are no place in memory\n"},
        {"a,1000,4,rw-,,,,,anonymous\n", "T:2: perms: not of four places, as rw-p\n"},
        {"a,1000,4,rw-p,0801,,,,anonymous\n", "T:2: device: not of the form 08:01\n"},
        {"a,1000,4,rw-p,,x,,,anonymous\n", "T:2: inode: no number\n"},
        {"a,1000,4,rw-p,,,,,\n", "T:2: category: there is none\n"},
        {"a,1000,4,rw-p\n", "T:2: 4 fields, and the first line names 9\n"},
    };
    pm_rules *set = small_set();

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pm_rules_report report;
        pm_buf text = {0};
        outcome o;

        assert_int_equal(pm_buf_addf(&text, NULL, HEAD "%s", bad[i].row), PMAPDB_OK);
        assert_int_equal(run_cases(set, pm_buf_text(&text), &o, NULL, &report, NULL), PMAPDB_INPUT);
        assert_string_equal(pm_buf_text(&report.mistakes).data, bad[i].why);
        assert_int_equal(o.result.mappings, 0);
        pm_rules_report_free(&report);
        pm_buf_free(&text);
    }
    pm_rules_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_default), cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_bad_cases)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
