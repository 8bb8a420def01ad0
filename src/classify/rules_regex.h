/* rules_regex: regular expressions and globs on paths, by PCRE2, in bounded time.
 *
 * A path is bytes. In a regex, and in a glob with ? or [, bytes that are not UTF-8 match nothing.
 */
#ifndef PM_CLASSIFY_RULES_REGEX_H
#define PM_CLASSIFY_RULES_REGEX_H

#include "base/err.h"
#include "base/text.h"
#include <stdint.h>

typedef struct pm_regex pm_regex; /* a regex or a glob */

/* The memory that matching needs besides the regex, and a count of the matches that gave up. */
typedef struct pm_regex_space {
    void *match; /* made when it is first needed */
    void *limits;
    uint64_t gave_up;
    size_t gave_up_rule; /* of the first one */
} pm_regex_space;

/* PMAPDB_INPUT: PCRE2's own message and the place. `rule` is what gave_up_rule names. */
pmapdb_status pm_regex_new(pm_text pattern, size_t rule, pm_regex **out, pmapdb_error *err);

/* A glob: * is any characters, / among them, ? is one, [a-z] one of a set, [!a-z] one outside it,
 * [[:alpha:]] one of a class, \ takes the next as it is. It must match the whole text. It is
 * compiled when it is first asked, because a run asks few of a set's globs. PMAPDB_INPUT: a set
 * without its ]. */
pmapdb_status pm_glob_new(pm_text glob, pm_regex **out, pmapdb_error *err);

void pm_regex_free(pm_regex *regex);

unsigned pm_regex_groups(const pm_regex *regex);
const char *pm_regex_pattern(const pm_regex *regex);

bool pm_regex_matches(pm_regex *regex, pm_regex_space *space, pm_text text);
/* What group `n` of it holds; empty where it took no part. Points into text. */
pm_text pm_regex_group(pm_regex *regex, pm_regex_space *space, pm_text text, unsigned n);

typedef struct pm_regex_span {
    size_t from, to;
} pm_regex_span;

/* Where it matches, and what its groups hold there that took part; offsets into the text. */
typedef struct pm_regex_match {
    size_t from, to;
    size_t n;
    pm_regex_span group[9];
} pm_regex_match;

/* The first match from `at` on: 1; 0: none; -1: it gave up. */
int pm_regex_next(pm_regex *regex, pm_regex_space *space, pm_text text, size_t at,
                  pm_regex_match *out);

void pm_regex_space_free(pm_regex_space *space);

#endif
