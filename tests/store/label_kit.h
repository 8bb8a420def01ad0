/* label_kit: captures of a JVM made by hand, and names for them. */
#ifndef TESTS_STORE_LABEL_KIT_H
#define TESTS_STORE_LABEL_KIT_H

#include "kit.h"

#include "store/rules/apply.h"
#include "store/rules/label.h"

#define T0 INT64_C(1700000000000)
#define GC "10000000 64 GC\n"
#define CATEGORIES                                                                          \
    "SELECT m.start, m.category, l.rule FROM mappings m JOIN lineage l USING (lineage_id) " \
    "ORDER BY m.start"
#define NAMED                                                                                   \
    "SELECT DISTINCT c.category, r.start FROM lineage l JOIN region r USING (lineage_id) JOIN " \
    "category c ON c.category_id = l.category_id WHERE l.rule = 'label' ORDER BY 2"

/* Returns a capture with three rows without a path; the first row has `kib`. */
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

/* Stores a capture with a fourth row. */
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

/* Reads lines of the form "START KIB TEXT". */
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

typedef struct report {
    int64_t pid, ms;
    const char *lines, *host;
    int64_t since;      /* 0: all snapshots were stored before */
    int64_t second_pid; /* 0: none */
    pm_labels_source source;
    size_t damaged;
} report;

static inline pmapdb_status try_report(const kit *k, const report *r, pm_label_stored *out,
                                       pmapdb_error *err)
{
    pm_labels labels;
    const pm_label_put put = {
        .labels = &labels,
        .pid = {r->pid, PMAPDB_UNKNOWN, r->second_pid ? r->second_pid : PMAPDB_UNKNOWN},
        .host = r->host,
        .taken_ms = r->ms,
        .since = r->since ? r->since : INT64_MAX};
    pmapdb_status st;

    make_labels(r->lines, &labels);
    labels.source = r->source;
    labels.damaged = r->damaged;
    st = pm_label_store(k->store, &put, out, err);
    pm_labels_free(&labels);
    return st;
}

static inline pm_label_stored store_report(const kit *k, const report *r)
{
    pm_label_stored stored;
    pmapdb_error err = {0};

    kit_ok(try_report(k, r, &stored, &err), &err);
    return stored;
}

static inline pm_label_stored name(const kit *k, int64_t pid, int64_t ms, const char *lines)
{
    return store_report(k, &(report){.pid = pid, .ms = ms, .lines = lines});
}

/* Stores a report of process 7 that was cut off. */
static inline pm_label_stored name_torn(const kit *k, int64_t ms, const char *lines)
{
    return store_report(k, &(report){7, ms, lines, .damaged = 1});
}

static inline pm_label_stored name_first(const kit *k, int64_t first, int64_t second)
{
    return store_report(k, &(report){first, T0, GC, .second_pid = second});
}

static inline void refused(const kit *k, int64_t first, int64_t second, int64_t ms, const char *why)
{
    pm_label_stored stored;
    pmapdb_error err = {0};

    kit_fails(try_report(k, &(report){first, ms, GC, .second_pid = second}, &stored, &err),
              PMAPDB_INPUT, &err, why);
}

static inline pmapdb_status try_name(const kit *k, int64_t pid, const char *host)
{
    pm_label_stored stored;
    pmapdb_error err = {0};

    return try_report(k, &(report){pid, T0, GC, .host = host}, &stored, &err);
}

#endif
