/* oracle: the content of a store as text without ids, and whether the content is allowed. */
#include "fault/oracle.h"

#include "store/whole.h"
#include <sqlite3.h>

static char said[2048];

#define WHO "coalesce(p.pid, '?') || ' ' || s.dialect || ' ' || s.taken_ms || ' ' || s.ordinal"

static const char snapshots_sql[] =
    "SELECT " WHO " || ' ' || s.state || ' ' || coalesce(s.mappings, '?') || ' ' || "
    "coalesce(s.size_kib, '?') || ' ' || coalesce(s.rss_kib, '?') || ' ' || "
    "coalesce(s.pss_kib, '?') || ' ' || coalesce(s.private_kib, '?') || char(10) || "
    "coalesce((SELECT group_concat(x, char(10)) FROM (SELECT printf('%x-%x', m.start, m.end) || "
    "' ' || m.perms || ' ' || coalesce(m.size_kib, '?') || ' ' || coalesce(m.rss_kib, '?') || ' ' "
    "|| coalesce(m.pss_kib, '?') || ' ' || coalesce(m.private_dirty_kib, '?') || ' ' || m.category "
    "|| ' ' || m.path AS x FROM mappings m WHERE m.snapshot_id = s.snapshot_id ORDER BY 1)), '') "
    "|| char(10) || coalesce((SELECT group_concat(x, char(10)) FROM (SELECT t.category || ' ' || "
    "coalesce(t.mappings, '?') || ' ' || coalesce(t.size_kib, '?') || ' ' || "
    "coalesce(t.rss_kib, '?') AS x FROM categories t WHERE t.snapshot_id = s.snapshot_id "
    "ORDER BY 1)), '') FROM snapshot s JOIN process p ON p.process_id = s.process_id ORDER BY 1";

/* The result of each statement is compared unchanged. */
static const char *const rest_sql[] = {
    "SELECT h.name, n.name, p.pid, p.identity, p.life, p.command, p.start_time FROM process p "
    "JOIN name n ON n.name_id = p.name_id LEFT JOIN host h ON h.host_id = p.host_id "
    "ORDER BY 1, 2, 3, 5, 7",
    "SELECT " WHO ", s.moment_ms, s.preferred, s.checked, s.missing, s.hash, s.time_source FROM "
    "snapshot s JOIN process p ON p.process_id = s.process_id ORDER BY 1",
    "WITH b AS (SELECT m.lineage_id, min(printf('%020d %x', s.taken_ms, m.start)) AS begun FROM "
    "mappings m JOIN snapshot s ON s.snapshot_id = m.snapshot_id GROUP BY 1) SELECT " WHO ", "
    "printf('%x', m.start), b.begun, l.rule, r.reason FROM mappings m JOIN snapshot s ON "
    "s.snapshot_id = m.snapshot_id JOIN process p ON p.process_id = s.process_id JOIN b ON "
    "b.lineage_id = m.lineage_id JOIN lineage l ON l.lineage_id = m.lineage_id JOIN region r ON "
    "r.region_id = m.region_id ORDER BY 1, 2, 3, 4, 5",
    "SELECT p.pid, c.dialect, c.category, c.first_ms, c.last_ms, c.n, c.mappings, c.size_kib, "
    "c.rss_kib FROM category_runs c JOIN process p ON p.process_id = c.process_id ORDER BY 1, 2, "
    "3, "
    "4",
    "SELECT p.pid, l.taken_ms, l.source, l.start, l.length, l.committed, l.label FROM label l JOIN "
    "process p ON p.process_id = l.process_id ORDER BY 1, 2, 3, 4",
    "SELECT name, hash, text FROM rule_set",
    "SELECT hash, reason FROM refused ORDER BY 1",
    "SELECT hash, taken_ms, n, dialect, pid FROM forgotten ORDER BY 1, 2, 3",
    "SELECT hash, calls, failed, unended, unbegun, bad FROM recording ORDER BY 1",
    "SELECT t.pid, t.pid_source, p.pid, t.offset_ns, t.offset_source FROM traced_process t LEFT "
    "JOIN "
    "process p ON p.process_id = t.process_id ORDER BY 1",
    "SELECT c.kind, c.begin_ns, c.end_ns, c.a0, c.ret, f.symbol, (SELECT count(*) FROM extent e "
    "WHERE e.call_id = c.call_id) FROM call c JOIN stack s ON s.stack_id = c.stack_id LEFT JOIN "
    "frame f ON f.frame_id = s.frame_id ORDER BY 2, 3",
};

static void add_rows(sqlite3 *db, const char *sql, pm_buf *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *text = (const char *)sqlite3_column_text(stmt, i);

            pm_buf_addf(out, NULL, "%s%s", i ? "|" : "", text ? text : "?");
        }
        pm_buf_add(out, "\n", 1, NULL);
        rc = SQLITE_OK;
    }
    if (rc != SQLITE_DONE)
        pm_buf_addf(out, NULL, "%s: %.60s\n", sqlite3_errmsg(db), sql);
    sqlite3_finalize(stmt);
}

static char *text_of(pm_buf *b)
{
    char *text = strdup(pm_buf_text(b).data);

    pm_buf_free(b);
    if (!text)
        abort();
    return text;
}

static sqlite3 *open_db(const char *path)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        sqlite3_close(db);
        return NULL;
    }
    return db;
}

static void read_snapshots(sqlite3 *db, content *out, pm_buf *wrong)
{
    sqlite3_stmt *stmt = NULL;
    size_t cap = 0;
    int rc = sqlite3_prepare_v2(db, snapshots_sql, -1, &stmt, NULL);

    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        kit_ok(pm_grow(&out->snapshot, &cap, out->n, sizeof *out->snapshot, NULL), NULL);
        out->snapshot[out->n++] = strdup((const char *)sqlite3_column_text(stmt, 0));
        rc = SQLITE_OK;
    }
    if (rc != SQLITE_DONE)
        pm_buf_addf(wrong, NULL, "snapshots: %s\n", sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
}

static bool is_empty(sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    bool empty = sqlite3_prepare_v2(db, "SELECT count(*) FROM sqlite_master", -1, &stmt, NULL) ==
                     SQLITE_OK &&
                 sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0) == 0;

    sqlite3_finalize(stmt);
    return empty;
}

void content_read(const char *path, content *out)
{
    sqlite3 *db = open_db(path);
    pm_buf rest = {0}, wrong = {0}, damaged = {0};

    *out = (content){0};
    if (db && !is_empty(db)) {
        for (size_t i = 0; i < sizeof whole_broken / sizeof *whole_broken; i++)
            /* Of other rules than these; of captures that are no live ones. */
            if (!strstr(whole_broken[i], "neighbours") &&
                !strstr(whole_broken[i], "orphan capture"))
                add_rows(db, whole_broken[i], &wrong);
        add_rows(db,
                 "SELECT 'orphan capture', capture_id FROM capture WHERE capture_id NOT IN (SELECT "
                 "capture_id FROM snapshot UNION SELECT capture_id FROM beat)",
                 &wrong);
        add_rows(db, "SELECT * FROM pragma_foreign_key_check", &damaged);
        add_rows(db, "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
                 &damaged);
        read_snapshots(db, out, &wrong);
        for (size_t i = 0; i < sizeof rest_sql / sizeof *rest_sql; i++)
            add_rows(db, rest_sql[i], &rest);
    }
    sqlite3_close(db);
    out->rest = text_of(&rest);
    out->wrong = text_of(&wrong);
    out->damaged = text_of(&damaged);
}

void content_free(content *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->snapshot[i]);
    free(c->snapshot);
    free(c->rest);
    free(c->wrong);
    free(c->damaged);
    *c = (content){0};
}

static bool has(const content *c, const char *snapshot)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->snapshot[i], snapshot) == 0)
            return true;
    return false;
}

const char *content_between(const content *now, const content *start, const content *goal,
                            bool tidy)
{
    for (size_t i = 0; goal && i < now->n; i++)
        if (!has(start, now->snapshot[i]) && !has(goal, now->snapshot[i])) {
            snprintf(said, sizeof said, "holds what nobody stored: %s", now->snapshot[i]);
            return said;
        }
    for (size_t i = 0; i < start->n; i++)
        if ((!goal || has(goal, start->snapshot[i])) && !has(now, start->snapshot[i])) {
            snprintf(said, sizeof said, "lost %s", start->snapshot[i]);
            return said;
        }
    snprintf(said, sizeof said, "%s", tidy ? now->wrong : now->damaged);
    return said[0] ? said : NULL;
}

/* The first lines that differ. */
static const char *difference(const char *what, const char *a, const char *b)
{
    size_t at = 0, begin = 0;

    for (; a[at] && a[at] == b[at]; at++)
        if (a[at] == '\n')
            begin = at + 1;
    snprintf(said, sizeof said, "%s: %.200s /// instead of %.200s", what, a + begin, b + begin);
    return said;
}

const char *content_same(const content *now, const content *goal)
{
    if (now->n != goal->n) {
        snprintf(said, sizeof said, "%zu snapshots instead of %zu", now->n, goal->n);
        return said;
    }
    for (size_t i = 0; i < now->n; i++)
        if (strcmp(now->snapshot[i], goal->snapshot[i]) != 0)
            return difference("snapshot", now->snapshot[i], goal->snapshot[i]);
    if (strcmp(now->rest, goal->rest) != 0)
        return difference("what is told", now->rest, goal->rest);
    return now->wrong[0] ? now->wrong : NULL;
}

const char *content_untrue(const char *path, const char *truth)
{
    FILE *file = fopen(truth, "r");
    sqlite3 *db = open_db(path);
    pm_buf raw = {0}, stored = {0}, lines = {0};
    char line[256];

    while (file && fgets(line, sizeof line, file))
        pm_buf_add(&raw, line, strlen(line), NULL);
    if (file)
        fclose(file);
    add_rows(db,
             "SELECT s.taken_ms || ' ' || p.pid || ' ' || printf('%x', m.start) || ' ' || "
             "m.size_kib || ' ' || m.rss_kib FROM mappings m JOIN snapshot s ON s.snapshot_id = "
             "m.snapshot_id JOIN process p ON p.process_id = s.process_id",
             &stored);
    sqlite3_close(db);
    said[0] = '\0';
    for (char *at = stored.len ? stored.data : NULL, *end; at && *at; at = end + 1) {
        end = strchr(at, '\n');
        pm_buf_clear(&lines);
        pm_buf_add(&lines, at, (size_t)(end - at) + 1, NULL);
        if (!raw.len || !strstr(raw.data, lines.data))
            snprintf(said, sizeof said, "no capture says %s", lines.data);
    }
    pm_buf_free(&raw);
    pm_buf_free(&stored);
    pm_buf_free(&lines);
    return said[0] ? said : NULL;
}

const char *content_missing(const char *path, const char *answer)
{
    static const char key[] = "\"snapshot_id\":";
    sqlite3 *db = open_db(path);
    static char gone[96];
    const char *missing = NULL;

    for (const char *at = answer; db && (at = strstr(at, key)); at += sizeof key) {
        long long id = strtoll(at + sizeof key - 1, NULL, 10);
        pm_buf rows = {0};
        char sql[96];

        snprintf(sql, sizeof sql, "SELECT 1 FROM snapshot WHERE snapshot_id = %lld", id);
        add_rows(db, sql, &rows);
        if (id && !rows.len) {
            snprintf(gone, sizeof gone, "snapshot %lld was reported and is not stored", id);
            missing = gone;
        }
        pm_buf_free(&rows);
    }
    sqlite3_close(db);
    return missing;
}
