/* prometheus: rows as gauges, in a text that OpenMetrics 1.0 and node_exporter's textfile collector
 * (Prometheus' older format) both read. All samples are held, because those of a metric stand
 * together.
 *
 * The type of a column in the query's header decides its role. Text, categories, processes and
 * numbers that only identify are labels; other numbers are gauges in their base unit; a time is a
 * gauge of its age, because the collector refuses samples with times of their own. Snapshots,
 * addresses and sources are left out, because each capture would begin new series.
 *
 * A gauge says how things are now. Two rows with equal labels are refused: the query must choose
 * the newest, or add them up. */
#include "base/clock/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/utf8.h"
#include "render/format.h"
#include "render/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_SAMPLES 10000 /* more cost the server memory, and are a mistake */

typedef enum role { UNDECIDED, OMITTED, LABEL, GAUGE, AGE } role;

/* The role and unit of a column of one type. A value times `up` / `down` is in the base unit. */
typedef struct measure {
    role role;
    int up, down;
    const char *unit;     /* OpenMetrics' base unit, which ends the metric's name; or "" */
    const char *words[2]; /* of the column's name, which say the unit that it had */
} measure;

typedef struct gauge {
    measure is;     /* UNDECIDED: until the first known value of a column without a declared type */
    pm_buf name;    /* of the label or of the metric */
    pm_buf samples; /* lines */
} gauge;

typedef struct gauges {
    gauge *column;
    pm_map by_labels; /* hashes of the labels of all rows */
    size_t n_samples;
    const pm_about *about;
    int64_t now_ms;
} gauges;

static const measure measures[PM_UNIT_COUNT_OF_UNITS] = {
    [PM_UNIT_KIB] = {GAUGE, 1024, 1, "bytes", {"_kib"}},
    [PM_UNIT_RATE] = {GAUGE, 1024, 3600, "bytes_per_second", {"_per_h", "_kib"}},
    [PM_UNIT_DURATION] = {GAUGE, 1, 1000, "seconds", {"_ms", "_h"}},
    [PM_UNIT_RATIO] = {GAUGE, 1, 1, "ratio", {0}},
    [PM_UNIT_TIME] = {AGE, 1, 1, "seconds", {"_at", "_ms"}},
    [PM_UNIT_PROCESS] = {.role = LABEL},
    [PM_UNIT_LINEAGE] = {.role = LABEL},
    [PM_UNIT_CATEGORY] = {.role = LABEL},
    [PM_UNIT_SNAPSHOT] = {.role = OMITTED},
    [PM_UNIT_ADDRESS] = {.role = OMITTED},
};

/* ---- text: lack of memory is noted in the buffer ---- */

/* Adds text as one line. `quote` stands for a double quote, which HELP and labels escape
 * differently. Malformed UTF-8 is repaired, because one bad byte would cost the whole file. */
static void add_escaped(pm_buf *out, pm_text t, const char *quote)
{
    pm_buf good = {0};

    pm_utf8_repair(t, &good, NULL);
    out->failed |= good.failed;
    for (size_t i = 0; i < good.len; i++) {
        char c = good.data[i];
        const char *escape = c == '\n' ? "\\n" : c == '\\' ? "\\\\" : c == '"' ? quote : NULL;

        pm_buf_add(out, escape ? escape : &c, escape ? strlen(escape) : 1, NULL);
    }
    pm_buf_free(&good);
}

/* Adds NAME="VALUE"; nothing for an empty value, which the format defines as no label. */
static void add_label(pm_buf *out, pm_text name, pm_text value)
{
    if (!value.len)
        return;
    pm_buf_addf(out, NULL, "%s%.*s=\"", out->len ? "," : "", (int)name.len, name.data);
    add_escaped(out, value, "\\\"");
    pm_buf_addf(out, NULL, "\"");
}

static bool is_name_char(char c)
{
    return pm_is_digit(c) || pm_is_letter(c);
}

/* Adds the letters and digits of t, and one underscore for all between them; none at the ends,
 * because names that begin with one are reserved. */
static void add_name(pm_buf *out, pm_text t)
{
    size_t begin = out->len;

    for (size_t i = 0; i < t.len; i++) {
        if (!is_name_char(t.data[i]))
            continue;
        if (out->len > begin && !is_name_char(t.data[i - 1]))
            pm_buf_addf(out, NULL, "_");
        pm_buf_add(out, t.data + i, 1, NULL);
    }
    if (out->len == begin)
        pm_buf_addf(out, NULL, "column");
}

/* Takes a word out of the name, where another word or the end follows: rss_kib_delta -> rss_delta.
 */
static void cut_word(pm_buf *name, const char *word)
{
    size_t n = strlen(word);
    char *at = name->data;

    while ((at = strstr(at, word)) && at[n] && at[n] != '_')
        at++;
    if (!at || at == name->data)
        return;
    memmove(at, at + n, strlen(at + n) + 1);
    name->len -= n;
}

/* Names the metric: the query, the column's name without its own unit, and the base unit. The age
 * of the snapshot itself is just `age`. */
static void name_metric(const gauges *all, gauge *g, const pm_column *c)
{
    pm_text query = all->about->name;
    pm_buf stem = {0};
    bool own_age = strcmp(c->name, "taken_at") == 0 && g->is.role == AGE;

    pm_buf_addf(&stem, NULL, "%s", c->name);
    for (size_t i = 0; i < 2 && g->is.words[i] && stem.data; i++)
        cut_word(&stem, g->is.words[i]);
    pm_buf_addf(&g->name, NULL, "pmapdb_");
    if (query.len)
        add_name(&g->name, query);
    pm_buf_addf(&g->name, NULL, query.len ? "_" : "");
    if (!own_age)
        add_name(&g->name, pm_buf_text(&stem));
    if (g->is.role == AGE)
        pm_buf_addf(&g->name, NULL, own_age ? "age" : "_age");
    if (pm_text_ends(pm_buf_text(&stem), PM_TEXT("_per_h")))
        pm_buf_addf(&g->name, NULL, "our");
    if (*g->is.unit && !pm_text_ends(pm_buf_text(&g->name), pm_text_of(g->is.unit)))
        pm_buf_addf(&g->name, NULL, "_%s", g->is.unit);
    g->name.failed |= stem.failed;
    pm_buf_free(&stem);
}

/* Decides the role of a column and names it. The role of a column without a declared type (ad-hoc
 * SQL) follows from its values: is_text. A number that only tells things apart is a label, too. */
static void decide(pm_render *r, gauge *g, const pm_column *c, bool is_text)
{
    pm_text name = pm_text_of(c->name);
    bool is_label = (c->unit == PM_UNIT_TEXT && is_text) || pm_text_ends(name, PM_TEXT("_id")) ||
                    pm_text_ends(name, PM_TEXT("pid")) || pm_text_starts(name, PM_TEXT("pid_")) ||
                    pm_text_equal(name, PM_TEXT("inode"));

    g->is = measures[c->unit].role ? measures[c->unit] : (measure){GAUGE, 1, 1, "", {0}};
    if (g->is.role == GAUGE && c->unit == PM_UNIT_TEXT && pm_text_equal(name, PM_TEXT("source")))
        g->is.role = OMITTED;
    else if (g->is.role == GAUGE && is_label)
        g->is.role = LABEL;
    if (g->is.role >= GAUGE) {
        name_metric(r->state, g, c);
    } else if (g->is.role == LABEL) {
        pm_buf_addf(&g->name, NULL, pm_is_digit(c->name[0]) ? "n" : "");
        add_name(&g->name, name);
    }
    PM_STEP(r->st, pm_buf_status(&g->name, &r->error));
}

/* Returns the first column before `end` that has the name, or `end`. */
static size_t find_name(const gauges *all, pm_text name, size_t end)
{
    size_t i = 0;

    while (i < end && !(name.len && pm_text_equal(pm_buf_text(&all->column[i].name), name)))
        i++;
    return i;
}

static void open_prometheus(pm_render *r)
{
    static const pm_about no_about;
    gauges *all = r->state = pm_render_alloc(r, 1, sizeof *all);

    if (!all)
        return;
    all->about = r->options.about ? r->options.about : &no_about;
    all->now_ms = r->options.now_ms ? r->options.now_ms : pm_clock_now();
    all->column = pm_render_alloc(r, r->n_columns, sizeof *all->column);
    for (size_t i = 0; r->st == PMAPDB_OK && i < r->n_columns; i++)
        if (r->columns[i].unit != PM_UNIT_TEXT)
            decide(r, &all->column[i], &r->columns[i], false);
}

static void close_prometheus(pm_render *r)
{
    gauges *all = r->state;

    if (!all)
        return;
    for (size_t i = 0; all->column && i < r->n_columns; i++) {
        pm_buf_free(&all->column[i].name);
        pm_buf_free(&all->column[i].samples);
    }
    pm_map_free(&all->by_labels);
    free(all->column);
    free(all);
}

/* ---- rows ---- */

/* Writes a value; false: it is unknown. A real has a point or an exponent; infinity has a sign and
 * a capital. */
static bool write_value(const measure *is, const pm_value *v, int64_t now_ms,
                        char out[PM_NUMBER_TEXT])
{
    double real = v->kind == PM_VALUE_INT ? (double)v->i : v->r;
    int64_t i;

    if (is->role == AGE) {
        if (v->kind != PM_VALUE_TEXT || !pm_clock_parse(v->t, &i))
            return false;
        real = (double)(now_ms - i) / 1000;
    } else if (v->kind == PM_VALUE_TEXT || pm_value_unknown(v)) {
        return false;
    } else if (v->kind == PM_VALUE_INT && is->down == 1 &&
               !__builtin_mul_overflow(v->i, is->up, &i)) {
        snprintf(out, PM_NUMBER_TEXT, "%" PRId64, i);
        return true;
    } else {
        real = real * is->up / is->down;
    }
    pm_number_exact(real, out);
    if (isinf(real))
        snprintf(out, PM_NUMBER_TEXT, real > 0 ? "+Inf" : "-Inf");
    else if (!strpbrk(out, ".e"))
        memcpy(out + strlen(out), ".0", sizeof ".0");
    return true;
}

/* A column takes precedence over an argument with the same name. */
static void add_labels(const gauges *all, size_t n_columns, pm_buf *out, const pm_value *values)
{
    const pm_about *about = all->about;

    for (size_t i = 0; values && i < n_columns; i++) {
        const pm_value *v = &values[i];
        char text[PM_NUMBER_TEXT] = "";

        if (all->column[i].is.role != LABEL)
            continue;
        if (v->kind == PM_VALUE_INT)
            snprintf(text, sizeof text, "%" PRId64, v->i);
        else if (!pm_value_unknown(v) && v->kind == PM_VALUE_REAL)
            pm_number_exact(v->r, text);
        add_label(out, pm_buf_text(&all->column[i].name),
                  v->kind == PM_VALUE_TEXT ? v->t : pm_text_of(text));
    }
    for (size_t i = 0; i < about->n_labels; i++)
        if (!values || find_name(all, about->labels[i].name, n_columns) == n_columns)
            add_label(out, about->labels[i].name, about->labels[i].value);
}

static void refuse_equal_labels(pm_render *r, pm_text labels)
{
    gauges *all = r->state;
    uint64_t hash = pm_hash(labels.data, labels.len, 0);
    int64_t before;

    if (pm_map_get(&all->by_labels, hash, &before))
        PM_STEP(r->st,
                pm_fail(&r->error, PMAPDB_USAGE,
                        "two rows have the labels {%.*s}: prometheus shows one moment, and needs a "
                        "column that tells rows apart, or GROUP BY in the query",
                        (int)pm_utf8_head(labels, 200).len, labels.data));
    PM_STEP(r->st, pm_map_put(&all->by_labels, hash, 0, &r->error));
}

static void add_line(gauge *g, pm_text labels, const char *value)
{
    pm_buf_addf(&g->samples, NULL, labels.len ? "%s{%s} %s\n" : "%s%s %s\n",
                pm_buf_text(&g->name).data, labels.data, value);
}

/* Adds NAME{LABELS} VALUE; nothing for an unknown value. */
static void add_sample(pm_render *r, gauge *g, pm_text labels, const pm_value *v)
{
    gauges *all = r->state;
    char value[PM_NUMBER_TEXT];

    if (!write_value(&g->is, v, all->now_ms, value))
        return;
    if (++all->n_samples > MOST_SAMPLES)
        r->st = pm_fail(&r->error, PMAPDB_USAGE,
                        "more than %d samples are too many for prometheus: --top N takes the first "
                        "rows",
                        MOST_SAMPLES);
    add_line(g, labels, value);
    PM_STEP(r->st, pm_buf_status(&g->samples, &r->error));
}

static void row(pm_render *r, const pm_value *values)
{
    gauges *all = r->state;
    pm_buf labels = {0};

    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++)
        if (!all->column[i].is.role && !pm_value_unknown(&values[i]))
            decide(r, &all->column[i], &r->columns[i], values[i].kind == PM_VALUE_TEXT);
    add_labels(all, r->n_columns, &labels, values);
    PM_STEP(r->st, pm_buf_status(&labels, &r->error));
    if (r->st == PMAPDB_OK)
        refuse_equal_labels(r, pm_buf_text(&labels));
    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++)
        if (all->column[i].is.role >= GAUGE)
            add_sample(r, &all->column[i], pm_buf_text(&labels), &values[i]);
    pm_buf_free(&labels);
}

/* A metric without a known value is absent. HELP is one line: the meaning of the column, and the
 * query. */
static void put_metric(pm_render *r, const gauge *g, const char *since, pm_text help)
{
    const char *name = g->name.data;
    pm_text title = ((const gauges *)r->state)->about->title;

    if (!g->samples.len)
        return;
    pm_putf(r, "# TYPE %s gauge\n", name);
    if (*g->is.unit)
        pm_putf(r, "# UNIT %s %s\n", name, g->is.unit);
    pm_putf(r, "# HELP %s %s", name, since);
    add_escaped(&r->line, help, "'");
    pm_putf(r, title.len ? ". " : "");
    add_escaped(&r->line, title, "'");
    pm_putf(r, "\n");
    pm_put(r, g->samples.data, g->samples.len);
}

static void put_column(pm_render *r, size_t i)
{
    const gauges *all = r->state;
    const gauge *g = &all->column[i];
    size_t same = find_name(all, pm_buf_text(&g->name), i);
    pm_text help = all->about->help ? all->about->help[i] : PM_TEXT("");

    if (same < i)
        r->st = pm_fail(&r->error, PMAPDB_USAGE,
                        "the columns '%s' and '%s' are both '%s' in prometheus",
                        r->columns[same].name, r->columns[i].name, g->name.data);
    else
        put_metric(r, g, g->is.role == AGE ? "Seconds since then: " : "",
                   help.len ? help : pm_text_of(r->columns[i].name));
}

/* Without a time column, the age of the snapshot is a gauge with one sample. */
static void put_age(pm_render *r)
{
    const gauges *all = r->state;
    gauge age = {0};
    pm_buf labels = {0};
    char value[PM_NUMBER_TEXT];

    for (size_t i = 0; i < r->n_columns; i++)
        if (pm_text_listed(pm_text_of(r->columns[i].name), " taken_at last_at to_at "))
            return;
    decide(r, &age, &(pm_column){"taken_at", PM_UNIT_TIME}, false);
    add_labels(all, r->n_columns, &labels, NULL);
    snprintf(value, sizeof value, "%.3f", (double)(all->now_ms - all->about->moment_ms) / 1000);
    add_line(&age, pm_buf_text(&labels), value);
    PM_STEP(r->st, pm_buf_status(&labels, &r->error));
    PM_STEP(r->st, pm_buf_status(&age.samples, &r->error));
    if (r->st == PMAPDB_OK)
        put_metric(r, &age, "", PM_TEXT("Seconds since the snapshot"));
    pm_buf_free(&labels);
    pm_buf_free(&age.name);
    pm_buf_free(&age.samples);
}

static void end(pm_render *r)
{
    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++)
        put_column(r, i);
    if (r->st == PMAPDB_OK && r->n_rows && ((const gauges *)r->state)->about->moment_ms)
        put_age(r);
    pm_putf(r, "# EOF\n");
    PM_STEP(r->st, pm_buf_status(&r->line, &r->error));
}

const pm_render_ops pm_render_prometheus = {
    .open = open_prometheus, .close = close_prometheus, .row = row, .end = end};
