/* groups_test: the queries about all processes of a moment, for live captures: the members of each
 * group, and the sums if a part of them is unknown. */
#include "asked.h"

#define BEAT 1800000000000
#define SECOND INT64_C(1000)

/* A process at one beat; 0, NULL: unknown. Rss is twice the pss; a quarter of pss is private. */
typedef struct who {
    int64_t pid, ppid, pss_kib;
    const char *name, *user, *cgroup;
    const char *environment; /* one variable */
    int64_t uid;             /* 0: 1000 */
} who;

typedef struct beat {
    const char *host, *boot, *selection;
    int64_t ms;
    const who *is;
    size_t n;
} beat;

static pm_live live_of(const beat *b, const who *w)
{
    pm_live live = {.boot_id = b->boot,
                    .standing = {.ppid = w->ppid,
                                 .uid = w->uid ? w->uid : 1000,
                                 .user = pm_text_of(w->user),
                                 .comm = pm_text_of(w->name),
                                 .cgroup = pm_text_of(w->cgroup),
                                 .memory_max_kib = PMAPDB_UNKNOWN,
                                 .address_limit_kib = PMAPDB_UNKNOWN,
                                 .stack_limit_kib = PMAPDB_UNKNOWN,
                                 .max_map_count = PMAPDB_UNKNOWN},
                    .utc_ms = b->ms,
                    .rss_kib = 700,
                    .swap_kib = 7,
                    .size_kib = PMAPDB_UNKNOWN,
                    .predicted_us = PMAPDB_UNKNOWN};

    if (w->environment)
        live.standing.environment = (pm_text){w->environment, strlen(w->environment) + 1};
    if (!w->pss_kib)
        live.degraded = "too large";
    return live;
}

/* If the pss is 0, only maps was read. */
static pm_capture *capture_of(const kit *k, const beat *b, const who *w, const pm_live *live)
{
    pm_capture *c = kit_capture(k, w->pss_kib ? PM_DIALECT_SMAPS : PM_DIALECT_MAPS, w->pid, b->ms);
    uint64_t pss = (uint64_t)w->pss_kib;
    pm_mapping m = {.start = 0x10000, .end = 0x10000 + 8000 * 1024, .path = PM_TEXT("")};

    snprintf(m.perms, sizeof m.perms, "rw-p");
    pm_set(&m, PM_SIZE, 8000);
    if (pss) {
        pm_set(&m, PM_RSS, 2 * pss);
        pm_set(&m, PM_PSS, pss);
        pm_set(&m, PM_PRIVATE_CLEAN, 0);
        pm_set(&m, PM_PRIVATE_DIRTY, pss / 4);
        pm_set(&m, PM_SHARED_CLEAN, 2 * pss - pss / 4);
        pm_set(&m, PM_SHARED_DIRTY, 0);
        pm_set(&m, PM_SWAP, 1);
    } else {
        c->block.tool_rss_kib = live->rss_kib;
    }
    kit_add(k, c, &m);
    kit_name(c, w->name, PM_NAME_LIVE);
    c->host = b->host;
    c->start_time = w->pid;
    c->time_source = PM_TIME_LIVE;
    c->live = live;
    return c;
}

static void sweep(const kit *k, const beat *b)
{
    pm_sweep s = {.host = b->host,
                  .boot_id = b->boot,
                  .selection = b->selection,
                  .every_ms = 10 * SECOND,
                  .started_ms = b->ms};
    pm_live live[6];
    pm_capture *c[6];

    for (size_t i = 0; i < b->n; i++) {
        live[i] = live_of(b, &b->is[i]);
        c[i] = capture_of(k, b, &b->is[i], &live[i]);
    }
    kit_store_sweep(k, &s, b->ms, c, b->n);
    for (size_t i = 0; i < b->n; i++)
        pm_capture_free(c[i]);
}

#define SWEEP(k, host, boot, selection, ms, ...)                            \
    sweep(k, &(beat){host, boot, selection, ms, (const who[]){__VA_ARGS__}, \
                     sizeof((const who[]){__VA_ARGS__}) / sizeof(who)})

static void add_pss(const kit *k, pm_capture *c, uint64_t start, const char *path, uint64_t rss,
                    uint64_t pss)
{
    pm_mapping m = {.start = start, .end = start + 400 * 1024, .path = pm_text_of(path)};

    snprintf(m.perms, sizeof m.perms, "rw-s");
    pm_set(&m, PM_SIZE, 400);
    pm_set(&m, PM_RSS, rss);
    pm_set(&m, PM_PSS, pss);
    kit_add(k, c, &m);
}

static void text_at(const kit *k, const char *host, const char *name, int64_t pid, int64_t second)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, pid, BEAT + second * SECOND);

    c->host = host;
    kit_name(c, name, PM_NAME_HEADER);
    kit_map(k, c, 0x10000, 60, "rw-p", "");
    kit_put(k, c);
}

static void groups(const kit *k, const char *const *given, const char *columns, const char *wanted)
{
    rows_are(k, "groups", given, columns, wanted);
}

IN_KIT(sums_and_steps)
{
    SWEEP(k, "h", "b", "--all", BEAT, {1, 0, 100, "init", "root", "/", NULL, 0},
          {10, 1, 400, "web", "www", "/web", NULL, 0}, {11, 1, 40, "job", "www", "/job", NULL, 0});
    SWEEP(k, "h", "b", "--all", BEAT + 10 * SECOND, {1, 0, 100, "init", "root", "/", NULL, 0},
          {10, 1, 480, "web", "www", "/web", NULL, 0}, {12, 1, 200, "web", "www", "/web", NULL, 0});
    groups(
        k, NULL,
        "group processes rss_sum_kib pss_kib private_kib swap_kib processes_from rss_sum_kib_delta "
        "pss_kib_delta private_kib_delta swap_kib_delta pss_unknown taken_at from_at",
        "web 2 1360 680 170 2 1 560 280 70 1 0 2027-01-15T08:00:10Z 2027-01-15T08:00:00Z\n"
        "init 1 200 100 25 1 1 0 0 0 0 0 2027-01-15T08:00:10Z 2027-01-15T08:00:00Z\n"
        "job 0 0 0 0 0 1 -80 -40 -10 -1 0 2027-01-15T08:00:10Z 2027-01-15T08:00:00Z\n");
    groups(k, GIVEN("by", "user"), "group processes processes_from pss_kib_delta",
           "www 2 2 240\nroot 1 1 0\n");
    groups(k, GIVEN("by", "cgroup"), "group processes", "/web 2\n/ 1\n/job 0\n");
    groups(k, GIVEN("by", "user", "at", "first"), "group processes pss_kib pss_kib_delta",
           "www 2 440 0\nroot 1 100 0\n");
    groups(k, GIVEN("process", "web"), "group processes", "web 2\n");
}

IN_KIT(what_is_unknown)
{
    SWEEP(k, "h", "b", "--all", BEAT, {10, 1, 400, "web", "www", "/web", NULL, 0},
          {11, 1, 0, "web", "www", NULL, NULL, 0}, {12, 1, 8, "x", NULL, "/x", NULL, 33});
    text_at(k, "h", "old", 99, 1);
    /* For a process read as maps, VmRSS and VmSwap are known. */
    groups(k, GIVEN("at", "@1"),
           "group processes rss_sum_kib pss_kib private_kib swap_kib pss_unknown",
           "web 2 1500 ? ? 8 1\nold 1 30 ? ? ? 1\nx 1 16 8 2 1 0\n");
    groups(k, GIVEN("by", "user", "at", "@1"), "group processes", "www 2\n? 1\n33 1\n");
    groups(k, GIVEN("by", "cgroup", "at", "@1"), "group processes", "? 2\n/web 1\n/x 1\n");
    groups(k, GIVEN("at", "@1", "by", "CASE comm WHEN 'web' THEN 1 END"), "group processes",
           "1 2\n? 1\nother 1\n");
}

/* A process that ended before the sweep does not count, even if an older sweep is within reach. */
IN_KIT(the_dead_are_gone)
{
    SWEEP(k, "h", "b", "--all", BEAT, {1, 0, 10, "a", "u", "/", NULL, 0},
          {2, 0, 20, "b", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--match comm(c)", BEAT + 7 * SECOND, {3, 0, 30, "c", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--all", BEAT + 10 * SECOND, {1, 0, 10, "a", "u", "/", NULL, 0},
          {3, 0, 40, "c", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--match comm(c)", BEAT + 11 * SECOND, {3, 0, 50, "c", "u", "/", NULL, 0});
    groups(k, GIVEN("at", "-1s", "from", "first"), "group processes pss_kib",
           "c 1 40\na 1 10\nb 0 0\n");
    groups(k, GIVEN("at", "last", "from", "last"), "group processes pss_kib", "c 1 50\na 1 10\n");
    groups(k, GIVEN("at", "-4s", "from", "first", "within", "0s"), "group processes processes_from",
           "c 1 0\na 0 1\nb 0 1\n");
}

IN_KIT(hosts_and_boots)
{
    SWEEP(k, "h1", "old", "--match comm(z)", BEAT - 30 * SECOND, {5, 0, 5, "z", "u", "/", NULL, 0});
    SWEEP(k, "h1", "new", "--all", BEAT, {1, 0, 10, "a", "u", "/", NULL, 0});
    SWEEP(k, "h2", "x", "--all", BEAT + 30 * SECOND, {1, 0, 20, "a", "u", "/", NULL, 0},
          {2, 0, 2, "b", "u", "/", NULL, 0});
    groups(k, GIVEN("from", "last"), "group processes pss_kib", "a 2 30\nb 1 2\n");
    groups(k, GIVEN("host", "h1", "from", "last"), "group processes pss_kib", "a 1 10\n");
    groups(k, GIVEN("host", "h2", "from", "last"), "group processes pss_kib", "a 1 20\nb 1 2\n");
    groups(k, GIVEN("within", "29s", "from", "last"), "group processes pss_kib", "a 1 20\nb 1 2\n");
    groups(k, GIVEN("within", "30s", "from", "last"), "group processes pss_kib", "a 2 30\nb 1 2\n");
}

IN_KIT(variables)
{
    SWEEP(k, "h", "b", "--all", BEAT, {1, 0, 10, "a", "u", "/", "SID=one", 0},
          {2, 0, 20, "b", "u", "/", "SID=two", 0}, {3, 0, 30, "c", "u", "/", NULL, 0},
          {4, 0, 40, "d", "u", "/", "SIDE=one", 0}, {5, 0, 5, "e", "u", "/", "SID=one", 0});
    SWEEP(k, "h", "b", "--match comm(f)", BEAT, {6, 0, 60, "f", "u", "/", "X=1", 0});
    groups(k, GIVEN("by", "env:SID"), "group processes pss_kib",
           "(not set) 2 70\n? 1 60\ntwo 1 20\none 2 15\n");
    groups(k, GIVEN("by", "env:NONE"), "group processes", "? 6\n");
}

IN_KIT(expressions)
{
    SWEEP(k, "h", "b", "--all", BEAT, {1, 0, 10, "init", "root", "/", NULL, 0},
          {20, 1, 20, "sshd", "root", "/", NULL, 0}, {30, 20, 30, "bash", "me", "/", "A=b", 0},
          {40, 30, 40, "make", "me", "/", NULL, 0}, {50, 49, 50, "lost", "me", "/", NULL, 0},
          {60, 60, 60, "loop", "me", "/", NULL, 0});
    groups(k, GIVEN("by", "iif(descendant_of(20), 'below', 'rest')"), "group processes pss_kib",
           "rest 4 140\nbelow 2 70\n");
    groups(k, GIVEN("by", "descendant_of(1)"), "group processes pss_kib", "0 3 120\n1 3 90\n");
    groups(k, GIVEN("by", "ppid = 49 OR NULL"), "group processes pss_kib", "other 5 160\n1 1 50\n");
    groups(k,
           GIVEN("by", "CASE WHEN env('A') = 'b' THEN 'a' WHEN user = 'root' OR comm GLOB 'm*' "
                       "THEN 'x' END"),
           "group processes pss_kib", "other 2 110\nx 3 70\na 1 30\n");
    groups(k, GIVEN("by", "user"), "group processes", "me 4\nroot 2\n");
    groups(k, GIVEN("by", "container"), "group processes", "other 6\n");
}

/* A process in two jobs at once counts once, by its nearest snapshot. */
IN_KIT(in_two_jobs)
{
    for (int i = 0; i < 3; i++) {
        SWEEP(k, "h", "b", "--all", BEAT + i * 60 * SECOND, {1, 0, 10 + i, "a", "u", "/", NULL, 0});
        SWEEP(k, "h", "b", "1", BEAT + i * 60 * SECOND + 5 * SECOND,
              {1, 0, 20 + i, "a", "u", "/", NULL, 0});
    }
    groups(k, GIVEN("at", "@4"), "group processes pss_kib processes_from", "a 1 21 1\n");
    groups(k, GIVEN("at", "@3"), "group processes pss_kib processes_from", "a 1 11 1\n");
    /* The moment is three seconds after one snapshot and two before another. */
    SWEEP(k, "h", "b", "9", BEAT + 3 * SECOND, {9, 0, 1, "z", "u", "/", NULL, 0});
    groups(k, GIVEN("at", "@7"), "group processes pss_kib", "a 1 20\nz 1 1\n");
}

/* The process is read as maps once in between. */
IN_KIT(unknown_on_one_side)
{
    SWEEP(k, "h", "b", "--all", BEAT, {1, 0, 10, "a", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--all", BEAT + SECOND, {1, 0, 0, "a", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--all", BEAT + 2 * SECOND, {1, 0, 12, "a", "u", "/", NULL, 0});
    groups(
        k, GIVEN("at", "@2"),
        "group rss_sum_kib pss_kib private_kib rss_sum_kib_delta pss_kib_delta private_kib_delta",
        "a 700 ? ? 680 ? ?\n");
    groups(
        k, GIVEN("from", "@2"),
        "group rss_sum_kib pss_kib private_kib rss_sum_kib_delta pss_kib_delta private_kib_delta",
        "a 24 12 3 -676 ? ?\n");
}

/* Beats at intervals shorter than the sweep that defines a moment. */
IN_KIT(short_beats)
{
    SWEEP(k, "h", "b", "--all", BEAT, {1, 0, 10, "a", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--all", BEAT + 300, {1, 0, 11, "a", "u", "/", NULL, 0},
          {2, 0, 20, "a", "u", "/", NULL, 0}, {3, 0, 5, "b", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--all", BEAT + 600, {2, 0, 21, "a", "u", "/", NULL, 0});
    groups(k, GIVEN("at", "@1"), "group processes pss_kib", "a 1 10\n");
    groups(k, GIVEN("at", "@3"), "group processes pss_kib processes_from", "a 2 31 1\nb 1 5 0\n");
    groups(k, NULL, "group processes pss_kib processes_from", "a 1 21 1\n");
    SWEEP(k, "h", "b", "--all", BEAT + 900, {4, 0, 40, "a", "u", "/", NULL, 0});
    groups(k, NULL, "group processes pss_kib", "a 1 40\n");
    groups(k, GIVEN("at", "@5"), "group processes pss_kib", "a 1 21\n");
}

/* by-name and similar queries use the same moment. */
IN_KIT(other_queries)
{
    SWEEP(k, "h", "b", "--all", BEAT, {1, 0, 10, "a", "u", "/", NULL, 0},
          {2, 0, 20, "b", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--all", BEAT + 10 * SECOND, {1, 0, 16, "a", "u", "/", NULL, 0},
          {3, 0, 0, "c", "u", "/", NULL, 0});
    text_at(k, NULL, "old", 99, 130);
    rows_are(k, "by-name", GIVEN("snapshot", "@4"), "host name rss_kib pss_kib swap_kib",
             "h c 700 ? 7\nh a 32 16 1\n");
    rows_are(k, "by-process", GIVEN("snapshot", "@4"),
             "snapshot_id name rss_kib private_kib swap_kib", "4 c 700 ? 7\n3 a 32 4 1\n");
    rows_are(k, "by-name", GIVEN("snapshot", "first"), "host name pss_kib", "h b 20\nh a 10\n");
    rows_are(k, "left-out", GIVEN("snapshot", "@4"), "host name taken_at away",
             "? old 2027-01-15T08:02:10Z 120000\n");
    rows_are(k, "left-out", GIVEN("snapshot", "@4", "within", "2m"), "host name", "");
    rows_are(k, "processes", NULL, "process_id name rss_kib boot_id",
             "4 old 30 ?\n1 a 32 b\n2 b 40 b\n3 c 700 b\n");
}

/* Processes that are captured at another pace and have not ended. */
IN_KIT(left_out)
{
    SWEEP(k, "h", "b", "--all", BEAT + 600 * SECOND, {1, 0, 10, "ends", "u", "/", NULL, 0},
          {2, 0, 10, "sooner", "u", "/", NULL, 0});
    SWEEP(k, "h", "b", "--all", BEAT + 720 * SECOND, {1, 0, 10, "ends", "u", "/", NULL, 0});
    text_at(k, NULL, "slow", 50, 300);
    text_at(k, NULL, "slow", 50, 900);
    text_at(k, NULL, "ended", 60, 300);
    text_at(k, NULL, "ended", 60, 360);
    text_at(k, NULL, "begins", 70, 2400);
    text_at(k, NULL, "begins", 70, 2460);
    text_at(k, NULL, "once", 80, 4740);
    text_at(k, NULL, "before", 90, -2460);
    text_at(k, NULL, "here", 100, 1200);
    rows_are(k, "left-out", GIVEN("snapshot", "@12"), "host name away",
             "? slow 300000\n? once 3540000\n");
}

/* Memory that several processes share counts once: pss decides. */
IN_KIT(growers)
{
    for (int i = 0; i < 2; i++) {
        int64_t ms = BEAT + i * 10 * SECOND;

        for (int pid = 1; pid <= 2; pid++) {
            pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, pid, ms);

            kit_name(c, "app", PM_NAME_GIVEN);
            add_pss(k, c, 0x10000, "/shared", 100 + 100 * (uint64_t)i, 10 + 10 * (uint64_t)i);
            add_pss(k, c, 0x900000, "/own", 40 + 30 * (uint64_t)i, 40 + 30 * (uint64_t)i);
            kit_put(k, c);
        }
    }
    rows_are(k, "top-growers", NULL, "category object rss_kib_delta pss_kib_delta",
             "mapped-file /own 60 60\nmapped-file /shared 200 20\n");
    rows_are(k, "top-growers", GIVEN("process", "1"), "category object rss_kib_delta pss_kib_delta",
             "mapped-file /shared 100 10\nmapped-file /own 30 30\n");
}

RUN_TESTS(NULL, NULL)
