/* rules_random_test: sets of random rules on random captures, compared with a slow matcher that
 * parses the cells again for every row, with another glob (fnmatch) and different arithmetic. */
#include "classify/ruling.h"

#include <ctype.h>
#include <fnmatch.h>

#define ROWS 60
#define RULES 12
#define ROUNDS 400

static uint64_t draws;

static unsigned below_n(unsigned n)
{
    draws = draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(draws >> 33) % n;
}

/* ---- random cells and rows ---- */

typedef struct choice {
    pm_rule_column column;
    const char *cell[8];
} choice;

static const choice own[] = {
    {PM_RULE_BASE, {"anonymous", "reserve", "heap|anonymous", "mapped-file|reserve|anonymous"}},
    {PM_RULE_PATH, {"-", "a*", "/x/*", "*.so|b", "*(deleted)", "?", "/x/[ab]*"}},
    {PM_RULE_BRACKET, {"a*", "heap|anon:x", "*"}},
    {PM_RULE_PERMS, {"rw-p", "r???", "---p", "??xp", "???s"}},
    {PM_RULE_FLAGS, {"nr", "!nr", "nr !dc", "?", "ac,nr"}},
    {PM_RULE_SIZE, {"4", "..16", "8..", "%8K", "4 16..64", "8.. %16K", "..8 32.."}},
    {PM_RULE_START, {"%64K", "%16K+4K", "1M..2M", "0x100000", "..0x120000 %8K"}},
    {PM_RULE_END, {"%64K", "%8K", "1M..", "..0x110000"}},
};

static const choice others[] = {
    {PM_RULE_BELOW,
     {"-", "base=reserve", "base=reserve size=..16", "flags=nr,!dc", "perms=rw?p", "end=%16K",
      "path=a*"}},
    {PM_RULE_ABOVE,
     {"-", "base=reserve covers=64K", "fills=64K", "covers=16K perms=r???",
      "base=anonymous start=%8K", "name=heap|anon:x", "flags=?"}},
    {PM_RULE_WITH,
     {"path=a*", "!path=b", "start=0x100000 base=anonymous", "flags=?;!flags=nr", "!name=heap",
      "size=64..;path=*.so", "path=a*;!path=*.so"}},
};

static const char *pick(const choice *c)
{
    unsigned n = 1;

    while (n < 8 && c->cell[n])
        n++;
    return c->cell[below_n(n)];
}

static cells random_rule(char name[8], unsigned i)
{
    cells c = {{[PM_RULE_CATEGORY] = "x"}};
    unsigned conditions = 1 + below_n(3);

    snprintf(name, 8, "r%u", i);
    c.cell[PM_RULE_NAME] = name;
    for (unsigned k = 0; k < conditions; k++) {
        const choice *which = &own[below_n(COUNT(own))];

        c.cell[which->column] = pick(which);
    }
    if (below_n(2)) {
        const choice *which = &others[below_n(3)];

        c.cell[which->column] = pick(which);
    }
    return c;
}

static void random_rows(pm_rule_row rows[ROWS], bool shows_flags)
{
    static const char *const perms[] = {"rw-p", "r--p", "---p", "r-xp", "rw-s", "rw--", "rwxp"};
    static const char *const names[] = {"", "[heap]", "[anon:x]", "[abc]"};
    static const char *const paths[] = {"/x/a", "/x/b (deleted)", "a", "/y/lib.so", "b", "[heap]"};
    static const char *const flags[] = {"", "nr", "rd nr dc", "ac", "rd wr ac nr"};
    uint64_t at = 0xf0000;

    for (unsigned i = 0; i < ROWS; i++) {
        static const pm_category named[] = {PM_CATEGORY_ANONYMOUS, PM_CATEGORY_HEAP};
        bool file = below_n(3) == 0;
        unsigned reserve = below_n(3);

        rows[i] = (pm_rule_row){
            .length = 4 * KIB << below_n(6), .perms = perms[below_n(7)], .has_flags = shows_flags};
        at = below_n(4) ? at : (at + 64 * KIB) & ~(64 * KIB - 1);
        rows[i].start = at;
        at += rows[i].length;
        rows[i].base = file           ? PM_CATEGORY_MAPPED_FILE
                       : reserve == 0 ? PM_CATEGORY_RESERVE
                                      : named[below_n(2)];
        rows[i].path = pm_text_of(file ? paths[below_n(6)] : reserve == 0 ? "" : names[below_n(4)]);
        rows[i].flags = pm_text_of(shows_flags ? flags[below_n(5)] : "");
    }
}

/* ---- the slow matcher ---- */

static double slow_number(const char **p)
{
    char *end;
    double value = (double)strtoull(*p, &end, (*p)[0] == '0' && (*p)[1] == 'x' ? 16 : 10);
    bool hex = end - *p > 1 && (*p)[1] == 'x';

    *p = end;
    if (hex)
        return value / 1024;
    if (**p && strchr("KMGT", **p))
        for (long n = strchr("KMGT", *(*p)++) - "KMGT"; n > 0; n--)
            value *= 1024;
    return value;
}

/* KiB, also of addresses; `all`: every range must hold, and its end is outside. */
static bool slow_range(const char *p, double value, bool all)
{
    bool any = false, ranges = false;

    while (*p) {
        double from = 0, to = 1e30, step;
        bool open = false;

        if (*p == ' ' || *p == ',') {
            p++;
            continue;
        }
        if (*p == '%') {
            p++;
            step = slow_number(&p);
            if (*p == '+') {
                p++;
                from = slow_number(&p);
            }
            value -= from;
            if (value < 0 || value / step != (double)(uint64_t)(value / step))
                return false;
            value += from;
            continue;
        }
        if (*p != '.')
            to = from = slow_number(&p);
        if (*p == '.') {
            p += 2;
            to = 1e30;
            if (isdigit((unsigned char)*p)) {
                to = slow_number(&p);
                open = all;
            }
        }
        ranges = true;
        if (value >= from && (open ? value < to : value <= to))
            any = true;
        else if (all)
            return false;
    }
    return any || !ranges;
}

static bool slow_globs(const char *cell, const char *text)
{
    char one_glob[64];

    for (;;) {
        size_t n = strcspn(cell, "|");

        snprintf(one_glob, sizeof one_glob, "%.*s", (int)n, cell);
        if (fnmatch(one_glob, text, 0) == 0)
            return true;
        if (!cell[n])
            return false;
        cell += n + 1;
    }
}

static bool slow_path(const char *cell, const pm_rule_row *row)
{
    char path[64], last[64], one_glob[64];

    if (strcmp(cell, "-") == 0)
        return row->path.len == 0;
    if (row->path.len == 0 || row->base != PM_CATEGORY_MAPPED_FILE)
        return false;
    while (*cell) {
        size_t n = strcspn(cell, "|");
        const char *slash;

        snprintf(one_glob, sizeof one_glob, "%.*s", (int)n, cell);
        snprintf(path, sizeof path, "%s", row->path.data);
        if (!strstr(one_glob, "(deleted)") && strstr(path, " (deleted)"))
            *strstr(path, " (deleted)") = '\0';
        slash = strrchr(path, '/');
        snprintf(last, sizeof last, "%s", slash ? slash + 1 : path);
        if (fnmatch(one_glob, strchr(one_glob, '/') ? path : last, 0) == 0)
            return true;
        cell += n + (cell[n] == '|');
    }
    return false;
}

static bool slow_name(const char *cell, const pm_rule_row *row)
{
    char inside[64];

    if (row->path.data[0] != '[' || row->base == PM_CATEGORY_MAPPED_FILE)
        return false;
    snprintf(inside, sizeof inside, "%.*s", (int)row->path.len - 2, row->path.data + 1);
    return slow_globs(cell, inside);
}

static bool slow_flags(const char *cell, const pm_rule_row *row)
{
    char padded[64], word[8];

    if (strcmp(cell, "?") == 0)
        return !row->has_flags;
    snprintf(padded, sizeof padded, " %s ", row->flags.data);
    for (const char *p = cell; row->has_flags && *p; p += strspn(p, " ,")) {
        bool lacks = *p == '!';

        p += lacks;
        snprintf(word, sizeof word, " %.2s ", p);
        if ((strstr(padded, word) != NULL) == lacks)
            return false;
        p += 2;
    }
    return row->has_flags;
}

static bool slow_perms(const char *cell, const pm_rule_row *row)
{
    char perms[5] = {row->perms[0], row->perms[1], row->perms[2], row->perms[3], '\0'};

    if (perms[3] == '-')
        perms[3] = 'p';
    for (int i = 0; i < 4; i++)
        if (cell[i] != '?' && cell[i] != perms[i])
            return false;
    return true;
}

static bool slow_holds(const char *key, const char *cell, const pm_rule_row *of,
                       const pm_rule_row *row)
{
    uint64_t end = of->start + of->length, reach = row->start + row->length;
    const char *p = cell;

    if (strcmp(key, "base") == 0)
        return slow_globs(cell, pm_categories[of->base].slug);
    if (strcmp(key, "path") == 0)
        return slow_path(cell, of);
    if (strcmp(key, "name") == 0)
        return slow_name(cell, of);
    if (strcmp(key, "perms") == 0)
        return slow_perms(cell, of);
    if (strcmp(key, "flags") == 0)
        return slow_flags(cell, of);
    if (strcmp(key, "size") == 0)
        return slow_range(cell, (double)of->length / 1024, false);
    if (strcmp(key, "start") == 0)
        return slow_range(cell, (double)of->start / 1024, true);
    if (strcmp(key, "end") == 0)
        return slow_range(cell, (double)end / 1024, true);
    for (uint64_t step = (uint64_t)slow_number(&p) * KIB; reach % step;)
        reach++;
    return strcmp(key, "fills") == 0 ? end == reach : end >= reach;
}

static bool slow_pairs(const char *cell, size_t n, const pm_rule_row *of, const pm_rule_row *row)
{
    char text[128], *rest = text, *pair;

    snprintf(text, sizeof text, "%.*s", (int)n, cell);
    while ((pair = strsep(&rest, " "))) {
        char *equals = strchr(pair, '=');

        *equals = '\0';
        if (!slow_holds(pair, equals + 1, of, row))
            return false;
    }
    return true;
}

static bool slow_neighbour(const char *cell, const pm_rule_row *other, const pm_rule_row *row)
{
    if (strcmp(cell, "-") == 0)
        return !other;
    return other && slow_pairs(cell, strlen(cell), other, row);
}

static bool slow_with(const char *cell, const pm_rule_row *rows)
{
    while (*cell) {
        bool not = *cell == '!', found = false;
        size_t n = strcspn(cell, ";");

        for (int i = 0; i < ROWS && !found; i++)
            found = slow_pairs(cell + not, n - not, &rows[i], &rows[i]);
        if (found == not )
            return false;
        cell += n + (cell[n] == ';');
    }
    return true;
}

static bool slow_rule(const cells *c, const pm_rule_row *rows, int i)
{
    const pm_rule_row *row = &rows[i], *below = NULL, *above = NULL;

    if (i > 0 && rows[i - 1].start + rows[i - 1].length == row->start)
        below = row - 1;
    if (i + 1 < ROWS && row->start + row->length == rows[i + 1].start)
        above = row + 1;
    for (int column = PM_RULE_BASE; column <= PM_RULE_END; column++)
        if (c->cell[column] && !slow_holds(pm_rule_columns[column], c->cell[column], row, row))
            return false;
    if (c->cell[PM_RULE_BELOW] && !slow_neighbour(c->cell[PM_RULE_BELOW], below, row))
        return false;
    if (c->cell[PM_RULE_ABOVE] && !slow_neighbour(c->cell[PM_RULE_ABOVE], above, row))
        return false;
    return !c->cell[PM_RULE_WITH] || slow_with(c->cell[PM_RULE_WITH], rows);
}

/* ---- comparing ---- */

static unsigned compare_capture(const pm_rules *set, const cells *rules, unsigned n, bool flags)
{
    pm_rule_row rows[ROWS];
    uint64_t facts = 0;
    unsigned matched = 0;

    random_rows(rows, flags);
    for (int i = 0; i < ROWS; i++)
        facts |= facts_of(set, &rows[i]);
    for (int i = 0; i < ROWS; i++) {
        const pm_rule_row *below = i ? &rows[i - 1] : NULL;
        const pm_rule_row *above = i + 1 < ROWS ? &rows[i + 1] : NULL;
        size_t got = pm_rules_match(set, facts, below, &rows[i], above), want = 0;

        while (want < n && !slow_rule(&rules[want], rows, i))
            want++;
        if (got != (want == n ? PM_NO_RULE : want))
            fail_msg("row %d: rule %zd, slowly %zd", i, (ssize_t)got, (ssize_t)want);
        for (size_t k = 0; k < n; k++) { /* why has a text for each rule that does not match */
            pm_buf why = {0};

            assert_int_equal(pm_rules_why(set, k, facts, below, &rows[i], above, &why, NULL),
                             PMAPDB_OK);
            assert_int_equal(why.len == 0, slow_rule(&rules[k], rows, i));
            pm_buf_free(&why);
        }
        matched += got != PM_NO_RULE;
    }
    return matched;
}

TEST(test_random)
{
    unsigned matched = 0;

    draws = 20;
    for (int round = 0; round < ROUNDS; round++) {
        char names[RULES][8];
        cells rules[RULES];
        pm_rules *set;
        unsigned n = 0;

        assert_int_equal(pm_rules_new(&set, NULL), PMAPDB_OK);
        for (unsigned i = 0; i < RULES; i++) {
            rules[n] = random_rule(names[n], i);
            n += add(set, rules[n], NULL) == PMAPDB_OK; /* otherwise the set has the rule already */
        }
        assert_int_equal(pm_rules_finish(set, NULL), PMAPDB_OK);
        matched += compare_capture(set, rules, n, below_n(4) > 0);
        pm_rules_free(set);
    }
    assert_in_range(matched, ROUNDS * ROWS / 5, ROUNDS * ROWS * 9 / 10);
}

RUN_TESTS(NULL, NULL)
