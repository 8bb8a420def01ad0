/* gauge: names and labels of Prometheus' samples. */
#include "render/gauge.h"

#include "base/utf8.h"

static const pm_measure measures[PM_UNIT_COUNT_OF_UNITS] = {
    [PM_UNIT_KIB] = {PM_ROLE_GAUGE, 1024, 1, "bytes", {"_kib"}},
    [PM_UNIT_RATE] = {PM_ROLE_GAUGE, 1024, 3600, "bytes_per_second", {"_per_h", "_kib"}},
    [PM_UNIT_DURATION] = {PM_ROLE_GAUGE, 1, 1000, "seconds", {"_ms", "_h"}},
    [PM_UNIT_RATIO] = {PM_ROLE_GAUGE, 1, 1, "ratio", {0}},
    [PM_UNIT_TIME] = {PM_ROLE_AGE, 1, 1, "seconds", {"_at", "_ms"}},
    [PM_UNIT_PROCESS] = {.role = PM_ROLE_LABEL},
    [PM_UNIT_LINEAGE] = {.role = PM_ROLE_LABEL},
    [PM_UNIT_CATEGORY] = {.role = PM_ROLE_LABEL},
    [PM_UNIT_SNAPSHOT] = {.role = PM_ROLE_OMITTED},
    [PM_UNIT_ADDRESS] = {.role = PM_ROLE_OMITTED},
};

const pm_about *pm_gauge_about(const pm_render *r)
{
    static const pm_about no_about;

    return r->options.about ? r->options.about : &no_about;
}

/* ---- text: lack of memory is noted in the buffer ---- */

static void add_word(pm_buf *out, const char *word)
{
    pm_buf_add(out, word, strlen(word), NULL);
}

void pm_gauge_escape(pm_buf *out, pm_text t, const char *quote)
{
    pm_buf good = {0};

    pm_utf8_repair(t, &good, NULL);
    out->failed |= good.failed;
    for (size_t i = 0; i < good.len; i++) {
        char c = good.data[i];

        if (c == '\n' || c == '\\' || c == '"')
            add_word(out, c == '\n' ? "\\n" : c == '\\' ? "\\\\" : quote);
        else
            pm_buf_add(out, &c, 1, NULL);
    }
    pm_buf_free(&good);
}

void pm_gauge_label(pm_buf *out, pm_text name, pm_text value)
{
    if (!value.len)
        return;
    pm_buf_addf(out, NULL, "%s%.*s=\"", out->len ? "," : "", (int)name.len, name.data);
    pm_gauge_escape(out, value, "\\\"");
    add_word(out, "\"");
}

static bool is_name_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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
            add_word(out, "_");
        pm_buf_add(out, t.data + i, 1, NULL);
    }
    if (out->len == begin)
        add_word(out, "column");
}

/* ---- columns ---- */

/* The role of a column without a declared type (ad-hoc SQL) follows from its values. */
static pm_measure measure_of(const pm_column *c, bool is_text)
{
    pm_text name = pm_text_of(c->name);
    pm_measure is =
        measures[c->unit].role ? measures[c->unit] : (pm_measure){PM_ROLE_GAUGE, 1, 1, "", {0}};

    if (is.role != PM_ROLE_GAUGE)
        return is;
    if (c->unit == PM_UNIT_TEXT && pm_text_equal(name, PM_TEXT("source")))
        is.role = PM_ROLE_OMITTED;
    else if ((c->unit == PM_UNIT_TEXT && is_text) || pm_text_ends(name, PM_TEXT("_id")) ||
             pm_text_ends(name, PM_TEXT("pid")) || pm_text_starts(name, PM_TEXT("pid_")) ||
             pm_text_equal(name, PM_TEXT("inode")))
        is.role = PM_ROLE_LABEL; /* also a number that only tells things apart */
    return is;
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

/* The column's name without its own unit, in whose place the base unit ends the metric's name. The
 * age of the snapshot itself is just `age`. */
static void name_metric(const pm_render *r, pm_gauge *g, const pm_column *c)
{
    pm_text query = pm_gauge_about(r)->name;
    pm_buf stem = {0};
    bool own_age = strcmp(c->name, "taken_at") == 0 && g->is.role == PM_ROLE_AGE;

    add_word(&stem, c->name);
    for (size_t i = 0; i < 2 && g->is.words[i] && stem.data; i++)
        cut_word(&stem, g->is.words[i]);
    add_word(&g->name, "pmapdb_");
    if (query.len) {
        add_name(&g->name, query);
        add_word(&g->name, "_");
    }
    if (!own_age)
        add_name(&g->name, pm_buf_text(&stem));
    if (g->is.role == PM_ROLE_AGE)
        add_word(&g->name, own_age ? "age" : "_age");
    if (pm_text_ends(pm_buf_text(&stem), PM_TEXT("_per_h")))
        add_word(&g->name, "our");
    if (*g->is.unit && !pm_text_ends(pm_buf_text(&g->name), pm_text_of(g->is.unit)))
        pm_buf_addf(&g->name, NULL, "_%s", g->is.unit);
    g->name.failed |= stem.failed;
    pm_buf_free(&stem);
}

void pm_gauge_decide(pm_render *r, pm_gauge *g, const pm_column *c, bool is_text)
{
    g->is = measure_of(c, is_text);
    if (g->is.role == PM_ROLE_LABEL) {
        if (c->name[0] >= '0' && c->name[0] <= '9')
            add_word(&g->name, "n");
        add_name(&g->name, pm_text_of(c->name));
    } else if (g->is.role != PM_ROLE_OMITTED) {
        name_metric(r, g, c);
    }
    PM_STEP(r->st, pm_buf_status(&g->name, &r->error));
}
