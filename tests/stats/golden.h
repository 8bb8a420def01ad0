/* golden: reads files of tests/tools/leak_golden.py, whose head describes the lines. */
#ifndef TEST_STATS_GOLDEN_H
#define TEST_STATS_GOLDEN_H

#include "unit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "source/source.h"
#include "stats/leaks/leaks.h"

enum { GOLDEN_MAX = 4096, GOLDEN_CATEGORIES = 16, GOLDEN_METRICS = 6, GOLDEN_WORDS = 12 };

/* The metrics by their names in real.py. */
static const struct {
    const char *name;
    pm_metric metric;
} golden_metrics[GOLDEN_METRICS] = {
    {"rss", PM_METRIC_RSS},     {"pss", PM_METRIC_PSS},   {"pd", PM_METRIC_PRIVATE_DIRTY},
    {"uss", PM_METRIC_PRIVATE}, {"size", PM_METRIC_SIZE}, {"count", PM_METRIC_MAPPINGS},
};

typedef struct golden_category {
    char slug[40], name[16]; /* our name and the reference's */
    double value[PM_METRIC_COUNT][GOLDEN_MAX];
} golden_category;

typedef struct golden {
    pm_buf text;
    char *at;
    char *word[GOLDEN_WORDS]; /* of the current line */
    int words;
    char name[64]; /* of the current series or process */
    size_t n;
    int64_t ms[GOLDEN_MAX];
    double value[GOLDEN_MAX];
    int32_t life[GOLDEN_MAX];
    size_t n_categories;
    golden_category category[GOLDEN_CATEGORIES];
} golden;

static inline golden *golden_open(const char *path)
{
    golden *g = calloc(1, sizeof *g);
    const pm_source_entry *entry;
    const char *bytes;
    pm_source *s;
    size_t n;

    assert_non_null(g);
    assert_int_equal(pm_source_new(&path, 1, 0, &s, NULL), PMAPDB_OK);
    assert_int_equal(pm_source_next(s, &entry, NULL), PMAPDB_OK);
    assert_non_null(entry);
    do {
        assert_int_equal(pm_source_read(s, &bytes, &n, NULL), PMAPDB_OK);
        assert_int_equal(pm_buf_add(&g->text, bytes, n, NULL), PMAPDB_OK);
    } while (n > 0);
    pm_source_free(s);
    g->at = g->text.data;
    return g;
}

static inline void golden_close(golden *g)
{
    pm_buf_free(&g->text);
    free(g);
}

/* Reads a list of steps, DIFFERENCE or DIFFERENCE*TIMES, as values. Returns their number. */
static inline size_t golden_steps(char *text, double *out)
{
    double value = 0;
    size_t n = 0;

    while (*text) {
        char *end;
        double step = strtod(text, &end);
        long times = *end == '*' ? strtol(end + 1, &end, 10) : 1;

        for (; times > 0; times--) {
            assert_true(n < GOLDEN_MAX);
            out[n++] = value += step;
        }
        assert_true(end > text);
        text = *end == ' ' ? end + 1 : end;
    }
    return n;
}

static inline double golden_number(const golden *g, int word)
{
    assert_true(word < g->words);
    return strtod(g->word[word], NULL);
}

/* Reads a line `c`, which begins a category, or a line `v METRIC ...` with values of a category. */
static inline void golden_category_line(golden *g, char *rest)
{
    golden_category *c;

    if (g->word[0][0] == 'c') {
        assert_true(g->n_categories < GOLDEN_CATEGORIES);
        c = &g->category[g->n_categories++];
        snprintf(c->slug, sizeof c->slug, "%s", g->word[1]);
        snprintf(c->name, sizeof c->name, "%s", rest);
        for (size_t i = 0; i < GOLDEN_MAX; i++)
            c->value[PM_METRIC_SWAP][i] = NAN;
        return;
    }
    c = &g->category[g->n_categories - 1];
    for (int m = 0; m < GOLDEN_METRICS; m++)
        if (strcmp(golden_metrics[m].name, g->word[1]) == 0)
            assert_int_equal(golden_steps(rest, c->value[golden_metrics[m].metric]), g->n);
}

static inline void golden_times(golden *g, char *text)
{
    g->n = golden_steps(text, g->value);
    for (size_t i = 0; i < g->n; i++) {
        g->ms[i] = (int64_t)g->value[i] * 1000;
        g->life[i] = 0;
    }
}

static inline void golden_lives(golden *g, char *text)
{
    static double life[GOLDEN_MAX];

    assert_int_equal(golden_steps(text, life), g->n);
    for (size_t i = 0; i < g->n; i++)
        g->life[i] = (int32_t)life[i];
}

static inline void golden_split(golden *g, char *line)
{
    g->words = 0;
    for (char *w = line; w && g->words < GOLDEN_WORDS;) {
        g->word[g->words++] = w;
        w = strchr(w, ' ');
        if (w)
            *w++ = '\0';
    }
}

/* Reads data lines up to the next line of kind x, s or k, and returns the kind; 0 at the end. */
static inline char golden_next(golden *g)
{
    for (char *line; *(line = g->at) != '\0';) {
        char *end = strchr(line, '\n'), kind = '-';
        char *rest = strchr(line, ' ') + 1;

        if (line[1] == ' ')
            kind = line[0];
        *end = '\0';
        g->at = end + 1;
        if (kind == '-') { /* series, process */
            snprintf(g->name, sizeof g->name, "%s", rest);
            g->n_categories = 0;
            golden_split(g, line);
        } else if (kind == 't') {
            golden_times(g, rest);
        } else if (kind == 'p') {
            golden_lives(g, rest);
        } else if (kind == 'c' || (kind == 'v' && g->n_categories > 0)) {
            char *values = strchr(rest, ' ') + 1;

            values[-1] = '\0';
            g->word[0] = line;
            g->word[1] = rest;
            golden_category_line(g, values);
        } else if (kind == 'v') {
            assert_int_equal(golden_steps(rest, g->value), g->n);
        } else {
            golden_split(g, line);
            return kind;
        }
    }
    return 0;
}

#endif
