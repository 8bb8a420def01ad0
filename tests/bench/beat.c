/* beat: what one beat of a live capture costs and where: the kernel's reading, recognising its
 * text, merging it into the store inside a transaction, committing that. Needs the library.
 *     beat warm|cold STORE BEATS MAPS-PROGRAM SHAPE [MAPPINGS]
 * Runs MAPS-PROGRAM (maps.c), lets it change before each beat, and prints one line: mappings, rows
 * that changed, then medians of CPU in ms of kernel, parse, open, merge, write, total. warm: one
 * process that keeps everything; cold: a process for each beat that opens the store, asks it for
 * the newest map, stores one capture with its map and closes it (without the start of a program: it
 * is forked). kernel is a reading of its own in the same pieces just before, parse the same with
 * the recognising minus that. */
#include "base/num.h"
#include "parse/live_map.h"
#include "store/file/store.h"
#include "store/write/live_reading.h"
#include "store/write/put.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE 2048
#define LEFT_MAX 8192
#define WARM_UP 3

enum part { KERNEL, PARSE, OPEN, MERGE, WRITE, TOTAL, PARTS };

typedef struct target {
    pid_t pid;
    FILE *to, *from;
} target;

static pmapdb_error error;

static void ok(pmapdb_status st)
{
    if (st == PMAPDB_OK)
        return;
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void answer(target *t)
{
    char line[16];

    if (!fgets(line, sizeof line, t->from))
        ok(pm_fail(&error, PMAPDB_IO, "the target ended"));
}

static target start(char **argv)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    target t = {0};

    if (pipe(in) != 0 || pipe(out) != 0 || (t.pid = fork()) < 0)
        ok(pm_fail(&error, PMAPDB_IO, "cannot start a process"));
    if (t.pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        execv(argv[0], argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    t.to = fdopen(in[1], "w");
    t.from = fdopen(out[0], "r");
    if (!t.to || !t.from)
        ok(pm_fail(&error, PMAPDB_IO, "cannot start a process"));
    answer(&t);
    return t;
}

static void change(target *t)
{
    fputs("\n", t->to);
    fflush(t->to);
    answer(t);
}

/* map NULL: only reads. As src/source/proc_map.c does, so that no text is copied. */
static double reading(const target *t, pm_live_map *map)
{
    char path[64], text[LEFT_MAX + PIECE];
    size_t begin = 0, end = 0;
    double before = cpu_ms();
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/smaps", (int)t->pid);
    fd = open(path, O_RDONLY);
    if (map)
        ok(pm_live_map_begin(map, PM_DIALECT_SMAPS, &error));
    while ((n = read(fd, text + end, PIECE)) > 0) {
        size_t taken = (size_t)n;

        end += (size_t)n;
        if (map)
            ok(pm_live_map_feed(map, text + begin, end - begin, &taken, &error));
        begin += taken;
        if (begin == end || end > LEFT_MAX) {
            memmove(text, text + begin, end - begin);
            end -= begin;
            begin = 0;
        }
    }
    close(fd);
    if (map)
        ok(pm_live_map_feed(map, text + begin, end - begin, NULL, &error));
    return cpu_ms() - before;
}

static void describe(const target *t, int64_t now, pm_live *live, pm_capture *c)
{
    static char name[] = "maps";

    *live = (pm_live){.boot_id = "boot",
                      .standing = {.ppid = 1, .uid = 0, .comm = PM_TEXT("maps")},
                      .mono_ns = now * 1000000,
                      .utc_ms = now,
                      .predicted_us = PMAPDB_UNKNOWN};
    c->host = "bench";
    c->name = name;
    c->name_rank = PM_NAME_EXE;
    c->pid = t->pid;
    c->start_time = 1;
    c->taken_ms = now;
    c->time_source = PM_TIME_LIVE;
    c->live = live;
}

static size_t changed_rows(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
    size_t same = 0, i = 0;

    for (size_t j = 0; j < n_b; j++)
        for (size_t k = i; k < n_a && k < i + 64; k++)
            if (a[k] == b[j]) {
                same++;
                i = k + 1;
                break;
            }
    return n_b - same;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* One beat of one process; `map` and `s` may be fresh. */
typedef struct reader {
    pm_live_map *map;
    pmapdb_store *store;
    const char *path;
} reader;

static void open_reader(reader *r)
{
    const pmapdb_open_options options = {.mode = PMAPDB_WRITE};

    ok(pm_live_map_new(&r->map, &error));
    ok(pmapdb_open(r->path, &options, &r->store, &error));
}

static void close_reader(reader *r)
{
    pmapdb_close(r->store);
    pm_live_map_free(r->map);
}

static void store(reader *r, const target *t, int64_t now, pm_capture *c, double *part)
{
    const pm_sweep sweep = {.host = "bench",
                            .boot_id = "boot",
                            .selection = "pid",
                            .every_ms = 1000,
                            .started_ms = now,
                            .mono_ns = now * 1000000};
    pm_live live;
    pm_stored stored;
    int64_t capture_id = 0;

    describe(t, now, &live, c);
    part[MERGE] = cpu_ms();
    ok(pm_store_begin(r->store, &error));
    ok(pm_sweep_begin(r->store->sql, &sweep, &capture_id, &error));
    ok(pm_store_put_within(r->store, c, 1000, &capture_id, &stored, &error));
    ok(pm_sweep_end(r->store->sql, capture_id, now + 10, &sweep, &error));
    part[WRITE] = cpu_ms();
    part[MERGE] = part[WRITE] - part[MERGE];
    ok(pm_store_commit(r->store, &error));
    part[WRITE] = cpu_ms() - part[WRITE];
    c->live = NULL; /* it ends here */
}

/* Rows stay the reader's. A function of its own, for callgrind. */
__attribute__((noinline)) static void beat(reader *r, const target *t, int64_t now, pm_capture *c,
                                           double *part)
{
    const uint32_t *rows;
    double before;

    part[KERNEL] = reading(t, NULL);
    part[PARSE] = reading(t, r->map) - part[KERNEL];
    before = cpu_ms();
    ok(pm_live_map_finish(r->map, &c->block, &c->pool, &rows, &c->n_rows, &error));
    part[PARSE] += cpu_ms() - before;
    c->rows = (uint32_t *)rows;
    store(r, t, now, c, part);
}

typedef struct outcome {
    double part[PARTS];
    size_t mappings;
} outcome;

/* In a process of its own. */
static outcome cold_beat(const char *path, const target *t, int64_t now)
{
    outcome o = {0};
    int pipes[2];
    pid_t child = -1;

    if (pipe(pipes) != 0 || (child = fork()) < 0)
        ok(pm_fail(&error, PMAPDB_IO, "cannot start a process"));
    if (child == 0) {
        reader r = {.path = path};
        pm_capture c = {0};
        double before = cpu_ms();

        open_reader(&r);
        o.part[OPEN] = cpu_ms() - before;
        beat(&r, t, now, &c, o.part);
        o.mappings = c.n_rows;
        before = cpu_ms();
        close_reader(&r);
        o.part[WRITE] += cpu_ms() - before;
        _exit(write(pipes[1], &o, sizeof o) != sizeof o);
    }
    close(pipes[1]);
    if (read(pipes[0], &o, sizeof o) != sizeof o)
        ok(pm_fail(&error, PMAPDB_IO, "a beat failed"));
    close(pipes[0]);
    waitpid(child, NULL, 0);
    return o;
}

/* The ids of the rows of the beat before. */
static uint32_t *known;
static size_t n_known;

static outcome warm_beat(reader *r, const target *t, int64_t now, size_t *changed)
{
    outcome o = {0};
    pm_capture c = {0};

    beat(r, t, now, &c, o.part);
    *changed = changed_rows(known, n_known, c.rows, c.n_rows);
    o.mappings = n_known = c.n_rows;
    known = realloc(known, (n_known + 1) * sizeof *known);
    if (!known)
        ok(pm_fail_nomem(&error));
    memcpy(known, c.rows, n_known * sizeof *known);
    return o;
}

static void print(double *part[PARTS], size_t n, size_t mappings, size_t changed)
{
    printf("%zu %.1f", mappings, (double)changed / (double)n);
    for (int p = 0; p < PARTS; p++) {
        qsort(part[p], n, sizeof *part[p], compare);
        printf(" %.3f", part[p][n / 2]);
        free(part[p]);
    }
    puts("");
}

static void beats(const char *path, target *t, size_t n, bool cold)
{
    reader r = {.path = path};
    double *part[PARTS];
    size_t sum = 0, changed = 0;
    outcome o = {0};

    for (int p = 0; p < PARTS; p++)
        if (!(part[p] = calloc(n + 1, sizeof *part[p])))
            ok(pm_fail_nomem(&error));
    if (!cold)
        open_reader(&r);
    for (size_t i = 0; i < n + WARM_UP; i++) {
        int64_t now = 1700000000000 + (int64_t)i * 1000;

        change(t);
        o = cold ? cold_beat(path, t, now) : warm_beat(&r, t, now, &changed);
        for (int p = 0; p < TOTAL; p++)
            o.part[TOTAL] += o.part[p];
        for (int p = 0; p < PARTS && i >= WARM_UP; p++)
            part[p][i - WARM_UP] = o.part[p];
        sum += i >= WARM_UP ? changed : 0;
    }
    print(part, n, o.mappings, sum);
    if (!cold)
        close_reader(&r);
    free(known);
}

int main(int argc, char **argv)
{
    bool cold = argc > 1 && strcmp(argv[1], "cold") == 0;
    uint64_t n;
    target t;

    if (argc < 6 || (!cold && strcmp(argv[1], "warm") != 0) ||
        !pm_num_all(pm_text_of(argv[3]), &n) || n == 0)
        return 2;
    pm_store_uncounted(); /* as the program does */
    t = start(argv + 4);
    beats(argv[2], &t, (size_t)n, cold);
    fclose(t.to);
    waitpid(t.pid, NULL, 0);
    return 0;
}
