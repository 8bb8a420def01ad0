/* label_kit: captures of a JVM made by hand, and names for them. */
#ifndef TESTS_STORE_LABEL_KIT_H
#define TESTS_STORE_LABEL_KIT_H

#include "kit.h"

#include "store/rules/apply.h"
#include "store/rules/label.h"

#define T0 INT64_C(1700000000000)
#define CATEGORIES                                                                          \
    "SELECT m.start, m.category, l.rule FROM mappings m JOIN lineage l USING (lineage_id) " \
    "ORDER BY m.start"
#define NAMED                                                                                   \
    "SELECT DISTINCT c.category, r.start FROM lineage l JOIN region r USING (lineage_id) JOIN " \
    "category c ON c.category_id = l.category_id WHERE l.rule = 'label' ORDER BY 2"

/* Three rows without a path; the first one grows. */
static inline pm_capture *java(const kit *k, int64_t pid, int64_t ms, uint64_t kib)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, pid, ms);

    kit_name(c, "java", PM_NAME_HEADER);
    kit_map(k, c, 0x10000000, kib, "rw-p", "");
    kit_map(k, c, 0x20000000, 64, "rw-p", "");
    kit_map(k, c, 0x30000000, 64, "rw-p", "");
    return c;
}

static inline void put_java(const kit *k, int64_t pid, int64_t ms, uint64_t kib)
{
    kit_put(k, java(k, pid, ms, kib));
}

/* With a fourth one. */
static inline void put_more(const kit *k, int64_t pid, int64_t ms)
{
    pm_capture *c = java(k, pid, ms, 64);

    kit_map(k, c, 0x40000000, 64, "rw-p", "");
    kit_put(k, c);
}

static inline void put_on(const kit *k, int64_t pid, const char *host)
{
    pm_capture *c = java(k, pid, T0, 64);

    c->host = host;
    kit_put(k, c);
}

/* Lines "START KIB TEXT". */
static inline void make_labels(const char *lines, pm_labels *l)
{
    char *text;

    *l = (pm_labels){.source = PM_LABELS_NMT, .pid = PMAPDB_UNKNOWN};
    for (const char *end; *lines; lines = end + 1) {
        uint64_t start = strtoull(lines, &text, 16), kib = strtoull(text, &text, 10);
        pm_label one = {.start = start, .end = start + kib * 1024};

        end = strchr(text, '\n');
        snprintf(one.text, sizeof one.text, "%.*s", (int)(end - text - 1), text + 1);
        kit_ok(pm_grow(&l->label, &l->cap, l->n, sizeof one, NULL), NULL);
        l->label[l->n++] = one;
    }
}

static inline pmapdb_status put_some(const kit *k, pm_label_put put, const pm_labels *how,
                                     const char *lines, pm_label_stored *out, pmapdb_error *err)
{
    pm_labels labels;
    pmapdb_status st;

    make_labels(lines, &labels);
    labels.source = how->source;
    labels.damaged = how->damaged;
    put.labels = &labels;
    st = pm_label_store(k->store, &put, out, err);
    pm_labels_free(&labels);
    return st;
}

static inline pmapdb_status put_labels(const kit *k, int64_t pid, const char *host, int64_t ms,
                                       const char *lines, int64_t since, pm_label_stored *out,
                                       pmapdb_error *err)
{
    return put_some(k,
                    (pm_label_put){.pid = {pid, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN},
                                   .host = host,
                                   .taken_ms = ms,
                                   .since = since},
                    &(pm_labels){.source = PM_LABELS_NMT}, lines, out, err);
}

static inline pm_label_stored name_since(const kit *k, int64_t pid, int64_t ms, const char *lines,
                                         int64_t since)
{
    pm_label_stored stored;
    pmapdb_error err = {0};

    kit_ok(put_labels(k, pid, NULL, ms, lines, since, &stored, &err), &err);
    return stored;
}

/* Of process 7. */
static inline pm_label_stored name_as(const kit *k, int64_t ms, pm_labels how, const char *lines)
{
    pm_label_put put = {
        .pid = {7, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN}, .taken_ms = ms, .since = INT64_MAX};
    pm_label_stored stored;
    pmapdb_error err = {0};

    kit_ok(put_some(k, put, &how, lines, &stored, &err), &err);
    return stored;
}

static inline void name_by(const kit *k, pm_labels_source source, const char *lines)
{
    name_as(k, T0, (pm_labels){.source = source}, lines);
}

static inline pm_label_stored name_torn(const kit *k, int64_t ms, const char *lines)
{
    return name_as(k, ms, (pm_labels){.source = PM_LABELS_NMT, .damaged = 1}, lines);
}

static inline pmapdb_status try_pids(const kit *k, int64_t first, int64_t second, int64_t ms,
                                     pm_label_stored *out, pmapdb_error *err)
{
    pm_label_put put = {.pid = {first, PMAPDB_UNKNOWN, second}, .taken_ms = ms, .since = INT64_MAX};

    return put_some(k, put, &(pm_labels){.source = PM_LABELS_NMT}, "10000000 64 GC\n", out, err);
}

static inline pm_label_stored name_first(const kit *k, int64_t first, int64_t second, int64_t ms)
{
    pm_label_stored stored;
    pmapdb_error err = {0};

    kit_ok(try_pids(k, first, second, ms, &stored, &err), &err);
    return stored;
}

static inline void refused(const kit *k, int64_t first, int64_t second, int64_t ms, const char *why)
{
    pm_label_stored stored;
    pmapdb_error err = {0};

    assert_int_equal(try_pids(k, first, second, ms, &stored, &err), PMAPDB_INPUT);
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
}

static inline pm_label_stored name(const kit *k, int64_t pid, int64_t ms, const char *lines)
{
    return name_since(k, pid, ms, lines, INT64_MAX);
}

static inline pmapdb_status try_name(const kit *k, int64_t pid, const char *host, const char *lines)
{
    pm_label_stored stored;
    pmapdb_error err = {0};

    return put_labels(k, pid, host, T0, lines, INT64_MAX, &stored, &err);
}

#endif
