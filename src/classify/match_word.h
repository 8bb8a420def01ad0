/* match_word: reading an expression, one word at a time. Between match_word.c and match_parse.c. */
#ifndef PM_CLASSIFY_MATCH_WORD_H
#define PM_CLASSIFY_MATCH_WORD_H

#include "classify/match_tree.h"

typedef struct pm_match_parser {
    pm_match *m;
    pm_text text; /* m->text */
    size_t at;
    int depth;
    pmapdb_error *err;
} pm_match_parser;

/* PMAPDB_USAGE, with the place `at` and what stands there. */
pmapdb_status pm_match_wrong(pm_match_parser *p, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How many bytes of `t` a message shows: at most 20, no character cut. */
int pm_match_excerpt(pm_text t);

/* Takes blanks off and returns the place behind them. */
size_t pm_match_skip(pm_match_parser *p);

/* What stands behind blanks, as a character of C; 0 at the end. */
int pm_match_peek(pm_match_parser *p);

/* The name of a test; empty where none stands here. */
pm_text pm_match_name(pm_match_parser *p);

/* A word: up to , or ) without the blanks before it; or what stands in "...". In both a \ keeps the
 * next character, for the glob to take it as it is. */
pmapdb_status pm_match_word(pm_match_parser *p, pm_text *out);

#endif
