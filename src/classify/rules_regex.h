/* rules_regex: regular expressions and globs on paths, by PCRE2, in bounded time.
 *
 * A path consists of bytes. In a regex, and in a glob with ? or [, nothing matches bytes that are
 * not UTF-8.
 */
#ifndef PM_CLASSIFY_RULES_REGEX_H
#define PM_CLASSIFY_RULES_REGEX_H

#include "base/err.h"
#include "base/text.h"
#include <stdint.h>

/* A regex or a glob. */
typedef struct pm_regex {
    struct pcre2_real_code_8 *code; /* for a glob, NULL until the first match */
    char *pattern;
    bool glob;
    size_t literal; /* of a glob: the bytes before its first special character */
    uint32_t groups;
    size_t rule;
} pm_regex;

/* The memory that matching needs besides the regex, and a count of the matches that gave up. */
typedef struct pm_regex_space {
    void *match; /* created when first needed */
    void *limits;
    uint64_t gave_up;
    size_t gave_up_rule;  /* the first rule that gave up */
    bool short_of_memory; /* a match failed for this reason: its answer means nothing */
} pm_regex_space;

/* Fails with PMAPDB_INPUT, the message of PCRE2 and the position. `rule` is the value for
 * gave_up_rule. */
pmapdb_status pm_regex_new(pm_text pattern, size_t rule, pm_regex **out, pmapdb_error *err);

/* Creates a glob: * is any characters, including /; ? is one character, [a-z] one of a set, [!a-z]
 * one outside a set, [[:alpha:]] one of a class; \ makes the next character literal. A glob must
 * match the whole text. It is compiled at its first use, because a run uses few of the globs of a
 * set. Fails with PMAPDB_INPUT on a set without its ]. */
pmapdb_status pm_glob_new(pm_text glob, pm_regex **out, pmapdb_error *err);

void pm_regex_free(pm_regex *regex);

bool pm_regex_matches(pm_regex *regex, pm_regex_space *space, pm_text text);
/* Returns the text of group `n`, empty if the group did not take part in the match. Points into
 * text. */
pm_text pm_regex_group(pm_regex *regex, pm_regex_space *space, pm_text text, unsigned n);

/* Finds the first match from `at` on: text from *from to *to. Returns 1 for a match, 0 without a
 * match, -1 if the regex gave up. */
int pm_regex_find(pm_regex *regex, pm_regex_space *space, pm_text text, size_t at, size_t *from,
                  size_t *to);

void pm_regex_space_free(pm_regex_space *space);

#endif
