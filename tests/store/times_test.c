/* times_test: moments before 1970 are printed like those after it. */
#include "beats.h"
#include "world.h"

#include "base/clock/clock.h"
#include "store/file/embedded.h"
#include "store/read/catalog.h"

IN_KIT(moments_of_snapshots)
{
    static const int64_t moments[] = {
        -62135596799999, -86400001, -86400000, -1500, -1001, -1000, -999, -1, 0, 1, 999, 1000,
        253402300799999};

    for (size_t i = 0; i < COUNT(moments); i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, (int64_t)i + 1, moments[i]);
        char sql[96], text[PM_CLOCK_TEXT], wanted[PM_CLOCK_TEXT + 1];

        kit_map(k, c, 0x1000, 64, "rw-p", "");
        kit_put(k, c);
        snprintf(sql, sizeof sql, "SELECT taken_at FROM snapshot WHERE taken_ms = %lld",
                 (long long)moments[i]);
        pm_clock_format(moments[i], text);
        snprintf(wanted, sizeof wanted, "%s\n", text);
        kit_expect(k, sql, wanted);
    }
}

/* ---- all queries ---- */

/* Moves November 2023 to 1969, and full seconds to a quarter after a second. */
#define BACK INT64_C(1701000000750)

static void move_back(const kit *k)
{
    static const char *const columns[] = {
        "snapshot SET taken_ms = taken_ms",       "snapshot SET moment_ms = moment_ms",
        "beat SET started_ms = started_ms",       "beat SET ended_ms = ended_ms",
        "refused SET first_ms = first_ms",        "pin SET pinned_ms = pinned_ms",
        "process SET name_ms = name_ms",          "process SET command_ms = command_ms",
        "process SET clock_utc_ms = clock_utc_ms"};

    for (size_t i = 0; i < COUNT(columns); i++)
        beats_exec(k, "UPDATE %s - %lld", columns[i], (long long)BACK);
}

/* Stores one life of a name and, an hour later, two parallel ones; with gaps. */
static void fill(const kit *k)
{
    static const struct {
        int pid, minute;
    } captures[] = {{1, -70}, {1, -69}, {1, -68}, {2, 0}, {3, 0}, {2, 1}, {3, 1},
                    {2, 2},   {3, 2},   {2, 3},   {3, 3}, {2, 9}, {3, 9}};
    uint64_t seed = 6;
    world w = {.n = 2,
               .map = {{.page = 1, .n = 2, .kind = WORLD_KINDS - 1, .rss = 4},
                       {.page = 4, .n = 2, .kind = WORLD_KINDS - 2, .rss = 4}}};

    for (size_t i = 0; i < COUNT(captures); i++)
        kit_put(k, world_capture(k, &w, PM_DIALECT_SMAPS, captures[i].pid,
                                 BEATS_MS + captures[i].minute * INT64_C(60000), &seed));
    beats_beside(k);
    kit_exec(k, "UPDATE live_reading SET degraded = 'large' WHERE snapshot_id % 2");
}

/* Appends all times that a query returns, one per line. */
static void times_of(const kit *k, const char *query, pm_buf *out)
{
    pmapdb_rows *rows = kit_ask(k, query);

    if (strcmp(query, "lineage-history") == 0)
        kit_bind(rows, "lineage", "1");
    if (strcmp(query, "mappings-regions") == 0)
        kit_bind(rows, "regions", "[[0,4095]]");
    if (strcmp(query, "groups") == 0)
        kit_bind(rows, "by", "comm");
    while (kit_next(rows)) {
        for (int i = 0; i < pmapdb_rows_columns(rows); i++) {
            const char *text = pmapdb_rows_text(rows, i, NULL);

            if (text && strcmp(pmapdb_rows_unit(rows, i), "time") == 0)
                pm_buf_addf(out, NULL, "%s\n", text);
        }
    }
    pmapdb_rows_close(rows);
}

/* Some queries show no milliseconds. */
static void assert_moved(const char *query, const char *then, const char *now)
{
    int64_t ms;
    char exact[PM_CLOCK_TEXT], second[PM_CLOCK_TEXT];

    assert_true(pm_clock_parse(pm_text_of(then), &ms));
    ms -= BACK;
    pm_clock_format(ms, exact);
    pm_clock_format(ms - (ms % 1000 + 1000) % 1000, second);
    if (strcmp(now, exact) != 0 && strcmp(now, second) != 0)
        fail_msg("%s: '%s', not '%s'", query, now, exact);
}

/* Returns the number of queries that return times. only: a query; NULL: all queries. */
static size_t compare(const kit *k, const char *only)
{
    pm_buf then[128] = {0}, now = {0};
    const char *query;
    size_t seen = 0;

    for (size_t n = 0; (query = pm_embedded_queries[n].name); n++)
        if (!only || strcmp(query, only) == 0)
            times_of(k, query, &then[n]);
    move_back(k);
    for (size_t n = 0; (query = pm_embedded_queries[n].name); n++) {
        char *a, *b, *left, *right;

        pm_buf_clear(&now);
        if (!only || strcmp(query, only) == 0)
            times_of(k, query, &now);
        left = (char *)pm_buf_text(&then[n]).data;
        right = (char *)pm_buf_text(&now).data;
        seen += *left != '\0';
        while ((a = strsep(&left, "\n")) && (b = strsep(&right, "\n")) && *a)
            assert_moved(query, a, b);
        assert_true(!left && !right);
        pm_buf_free(&then[n]);
    }
    pm_buf_free(&now);
    return seen;
}

IN_KIT(moments_of_queries)
{
    fill(k);
    assert_true(compare(k, NULL) >= 21);
}

/* left-out needs a second name; most other queries need a single one. */
IN_KIT(moments_of_what_is_left_out)
{
    pm_capture *other = kit_capture(k, PM_DIALECT_SMAPS, 4, BEATS_MS - INT64_C(1200000));

    fill(k);
    kit_map(k, other, 0x1000, 64, "rw-p", "");
    kit_name(other, "rare", PM_NAME_GIVEN);
    kit_put(k, other);
    assert_int_equal(compare(k, "left-out"), 1);
}

RUN_TESTS(NULL, NULL)
