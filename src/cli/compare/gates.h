/* gates: what --fail-on asks, and the file of --junit. */
#ifndef PM_CLI_COMPARE_GATES_H
#define PM_CLI_COMPARE_GATES_H

#include "cli/compare/findings.h"

typedef struct pm_gate {
    const char *text; /* as given: "rss:+5%" */
    pm_finding finding;
} pm_gate;

typedef struct pm_gates {
    pm_gate *item;
    size_t n;
} pm_gates;

/* Reads the gates, and judges the finding of each by the amount that it allows, with p corrected
 * for the gates alone. Without gates, level and peak of total, and everything that is worse, are
 * the gates. */
void pm_gates_make(pm_gates *out, const pm_cli *cli, const pm_cli_list *asked,
                   const pm_findings *findings, double alpha);
void pm_gates_free(pm_gates *gates);

/* 1 if a gate is worse, else 3 if one cannot be told, else 0. */
int pm_gates_exit(const pm_gates *gates);

/* One line: what a finding says, in words. */
void pm_finding_put(FILE *out, const pm_finding *f, const pm_findings *all);

/* Writes a test case of JUnit for each gate. Ends the program if the file cannot be written. */
void pm_gates_junit(const pm_gates *gates, const pm_findings *all, const char *path);

#endif
