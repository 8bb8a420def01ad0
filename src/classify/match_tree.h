/* match_tree: what match_parse makes of an expression and match walks. */
#ifndef PM_CLASSIFY_MATCH_TREE_H
#define PM_CLASSIFY_MATCH_TREE_H

#include "classify/match.h"

#define PM_MATCH_BYTES 65536 /* longest expression */
#define PM_MATCH_DEPTH 64    /* parentheses in parentheses: both walks call themselves */

#define PM_COMM_BYTES 15 /* what the kernel keeps of a command's name */

typedef enum pm_match_test {
    PM_MATCH_AND,
    PM_MATCH_OR,
    PM_MATCH_NOT,
    PM_MATCH_TRUE,
    PM_MATCH_FALSE,
    PM_MATCH_COMM,
    PM_MATCH_COMM_CUT, /* `word` is no glob: the bytes that the kernel keeps */
    PM_MATCH_EXE,
    PM_MATCH_EXE_BASENAME,
    PM_MATCH_CMDLINE,
    PM_MATCH_CGROUP,
    PM_MATCH_USER,
    PM_MATCH_UID,
    PM_MATCH_PID,
    PM_MATCH_ENV,
    PM_MATCH_DESCENDANTS
} pm_match_test;

typedef struct pm_match_node {
    pm_match_test test;
    uint32_t child, next; /* first of its own, next of its parent's; 0 is the root: none */
    int64_t number;
    pm_text word, value;
    bool has_value;
} pm_match_node;

struct pm_match {
    char *text; /* a copy of the expression, which the words point into */
    pm_match_node *node;
    size_t n, cap;
};

#endif
