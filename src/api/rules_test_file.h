/* rules_test_file: mappings and the categories that a set of rules must give them, as CSV:
 *
 *     case,start,size_kib,perms,device,inode,path,flags,category
 *
 * The rows of one case are one capture. An empty device, inode or flags is not shown; flags "-" are
 * shown, and none. */
#ifndef PM_API_RULES_TEST_FILE_H
#define PM_API_RULES_TEST_FILE_H

#include "classify/rules.h"
#include "store/rules/rules_csv.h"

/* A mapping whose category is not the expected one. Texts last for the call. */
typedef struct pm_rules_difference {
    uint64_t line, start;
    const char *name; /* of the case */
    const char *expected, *got;
    size_t rule; /* that won, or PM_NO_RULE */
} pm_rules_difference;

typedef struct pm_rules_test {
    const char *label; /* the FILE of messages */
    pm_text text;
    const pm_rules *set;
    void *ctx;
    /* In the order of cases, and of addresses within one. */
    void (*on_difference)(void *ctx, const pm_rules_difference *difference);
    /* Or NULL: pm_rules_count(set) numbers, to each of which is added how many mappings that rule
     * decided. */
    size_t *won;
} pm_rules_test;

typedef struct pm_rules_test_result {
    size_t mappings, differ;
} pm_rules_test_result;

/* PMAPDB_INPUT where the file has a mistake: nothing is tested then. */
pmapdb_status pm_rules_test_run(const pm_rules_test *test, pm_rules_report *report,
                                pm_rules_test_result *result, pmapdb_error *err);

#endif
