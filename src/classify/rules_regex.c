/* rules_regex: regular expressions and globs on paths, by PCRE2, in bounded time. */
#include "classify/rules_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#define PATTERN_MAX 4096
#define GROUPS 10 /* the whole match, and %1 to %9 */
/* Paths have at most 4 KiB, nearly all less than 200 bytes. On such a path, a regex with three `.*`
 * takes a few thousand steps. A step takes about 20 ns, so a match is given up after a few ms. */
#define STEPS_MAX 200000
#define DEPTH_MAX 10000
/* After so many matches were given up, counted over all regexes of the set, more will follow, and
 * anyone who can name files controls the paths. Later matches are given up after about 40 us. */
#define PATIENCE 100
#define STEPS_IMPATIENT 2000
#define HEAP_KIB_MAX 4096

static pmapdb_status wrong(int code, size_t offset, pmapdb_error *err)
{
    PCRE2_UCHAR why[160] = "";

    if (code == PCRE2_ERROR_HEAP_FAILED)
        return pm_fail_nomem(err);
    pcre2_get_error_message(code, why, sizeof why);
    return pm_fail(err, PMAPDB_INPUT, "regex, at character %zu: %s", offset + 1, (const char *)why);
}

/* Returns NULL without memory. */
static pm_regex *new_regex(pm_text pattern, bool glob)
{
    pm_regex *regex = calloc(1, sizeof *regex);

    if (!regex)
        return NULL;
    regex->glob = glob;
    regex->pattern = pm_text_copy(pattern);
    if (regex->pattern)
        return regex;
    free(regex);
    return NULL;
}

/* JIT is off: it has a different stack and different limits, and a set is used too rarely to
 * benefit. */
pmapdb_status pm_regex_new(pm_text pattern, size_t rule, pm_regex **out, pmapdb_error *err)
{
    const uint32_t how = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    pm_regex *regex;
    int code;
    size_t offset;

    if (pattern.len > PATTERN_MAX)
        return pm_fail(err, PMAPDB_INPUT, "regex of more than %d bytes", PATTERN_MAX);
    regex = new_regex(pattern, false);
    if (!regex)
        return pm_fail_nomem(err);
    regex->rule = rule;
    regex->code = pcre2_compile((PCRE2_SPTR)regex->pattern, pattern.len, how, &code, &offset, NULL);
    if (!regex->code) {
        pm_regex_free(regex);
        return wrong(code, offset, err);
    }
    pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &regex->groups);
    *out = regex;
    return PMAPDB_OK;
}

void pm_regex_free(pm_regex *regex)
{
    if (!regex)
        return;
    pcre2_code_free(regex->code);
    free(regex->pattern);
    free(regex);
}

static bool prepare(pm_regex_space *space)
{
    if (!space->match)
        space->match = pcre2_match_data_create(GROUPS, NULL);
    if (!space->limits) {
        space->limits = pcre2_match_context_create(NULL);
        if (space->limits) {
            pcre2_set_match_limit(space->limits, STEPS_MAX);
            pcre2_set_depth_limit(space->limits, DEPTH_MAX);
            pcre2_set_heap_limit(space->limits, HEAP_KIB_MAX);
        }
    }
    return space->match && space->limits;
}

/* ---- globs ---- */

/* True if the glob contains ? or [, which match whole characters. A glob of plain characters, * and
 * \ matches bytes and characters alike. */
static bool counts_characters(pm_text glob)
{
    return memchr(glob.data, '?', glob.len) || memchr(glob.data, '[', glob.len);
}

static pcre2_code *compile_glob(pm_text glob, int *code)
{
    bool utf = counts_characters(glob);
    uint32_t how = PCRE2_CONVERT_GLOB_NO_WILD_SEPARATOR | PCRE2_CONVERT_GLOB_NO_STARSTAR |
                   (utf ? PCRE2_CONVERT_UTF : 0);
    PCRE2_UCHAR *pattern = NULL;
    pcre2_code *compiled;
    PCRE2_SIZE n = 0, offset;

    *code = pcre2_pattern_convert((PCRE2_SPTR)glob.data, glob.len, how, &pattern, &n, NULL);
    if (*code)
        return NULL;
    compiled = pcre2_compile(pattern, n, utf ? PCRE2_UTF | PCRE2_MATCH_INVALID_UTF : 0, code,
                             &offset, NULL);
    pcre2_converted_pattern_free(pattern);
    return compiled;
}

pmapdb_status pm_glob_new(pm_text glob, pm_regex **out, pmapdb_error *err)
{
    pm_regex *regex = new_regex(glob, true);
    int code = 0;

    if (!regex)
        return pm_fail_nomem(err);
    regex->literal = strcspn(regex->pattern, "*?[\\");
    if (!counts_characters(glob) || (regex->code = compile_glob(glob, &code))) {
        *out = regex;
        return PMAPDB_OK;
    }
    pm_regex_free(regex);
    if (code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED)
        return pm_fail_nomem(err);
    return pm_fail(err, PMAPDB_INPUT, "'%.*s' is not a glob: a [ needs its ]", (int)glob.len,
                   glob.data);
}

/* ---- matching ---- */

/* Decides most globs without PCRE2: by their literal beginning, or because they have no special
 * character. */
static bool decide_glob(const pm_regex *glob, pm_text text, bool *matches)
{
    pm_text begin = {glob->pattern, glob->literal};
    bool starts = begin.len == 0 || pm_text_starts(text, begin);

    *matches = starts && text.len == begin.len;
    return !starts || !glob->pattern[glob->literal];
}

/* Returns the same codes as pm_regex_find. */
static int match(pm_regex *regex, pm_regex_space *space, pm_text text, size_t at)
{
    int found = PCRE2_ERROR_NOMEMORY, code;
    bool matches;

    if (regex->glob && decide_glob(regex, text, &matches))
        return matches;
    if (!regex->code)
        regex->code = compile_glob(pm_text_of(regex->pattern), &code);
    if (regex->code && prepare(space))
        found = pcre2_match(regex->code, (PCRE2_SPTR)(text.data ? text.data : ""), text.len, at, 0,
                            space->match, space->limits);
    space->short_of_memory |= found == PCRE2_ERROR_NOMEMORY;
    if (found >= 0 || found == PCRE2_ERROR_NOMATCH || found == PCRE2_ERROR_NOMEMORY || regex->glob)
        return found >= 0;
    if (space->gave_up++ == 0)
        space->gave_up_rule = regex->rule;
    if (space->gave_up == PATIENCE && space->limits)
        pcre2_set_match_limit(space->limits, STEPS_IMPATIENT);
    return -1;
}

bool pm_regex_matches(pm_regex *regex, pm_regex_space *space, pm_text text)
{
    return match(regex, space, text, 0) > 0;
}

int pm_regex_find(pm_regex *regex, pm_regex_space *space, pm_text text, size_t at, size_t *from,
                  size_t *to)
{
    int found = match(regex, space, text, at);

    if (found > 0) {
        *from = pcre2_get_ovector_pointer(space->match)[0];
        *to = pcre2_get_ovector_pointer(space->match)[1];
    }
    return found;
}

pm_text pm_regex_group(pm_regex *regex, pm_regex_space *space, pm_text text, unsigned n)
{
    const size_t *at; /* start and end of the group */

    if (n >= GROUPS || n > regex->groups || !pm_regex_matches(regex, space, text))
        return (pm_text){"", 0};
    at = pcre2_get_ovector_pointer(space->match) + 2 * (size_t)n;
    /* \K in a lookahead can put a start after its end */
    if (at[0] == PCRE2_UNSET || at[0] > at[1])
        return (pm_text){"", 0};
    return (pm_text){text.data + at[0], at[1] - at[0]};
}

void pm_regex_space_free(pm_regex_space *space)
{
    pcre2_match_data_free(space->match);
    pcre2_match_context_free(space->limits);
    *space = (pm_regex_space){0};
}
