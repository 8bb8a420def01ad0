/* live: captures of processes that the test starts, and their events as text. */
#ifndef TESTS_API_LIVE_H
#define TESTS_API_LIVE_H

#include "source/box.h"

#include "pmapdb.h"
#include "store/file/store.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define CHILDREN 8
#define MIB ((size_t)1 << 20)

typedef struct live {
    pmapdb_store *store;
    pmapdb_capture_options options;
    pmapdb_capture_result result;
    pmapdb_error err;
    pm_buf news; /* a line per event, without pids and times */
    int64_t pids[CHILDREN];
    int talk[CHILDREN]; /* each byte is a request to the child */
    size_t n;
    /* set by on_beat */
    uint64_t beats, lost;
    pmapdb_capture_beat last;
    void (*at_beat)(struct live *l);
    uint64_t stop_after; /* beats; 0: never */
} live;

/* ---- children ---- */

static inline void become_cat(int talk)
{
    dup2(talk, STDIN_FILENO);
    dup2(talk, STDOUT_FILENO);
    execl("/bin/cat", "cat", (char *)NULL);
    _exit(1);
}

/* 'g' takes a MiB, 's' frees the last MiB; each is answered. 'e' becomes cat, which echoes the next
 * byte. The child ends when the socket is closed. */
static inline void child_life(int talk)
{
    char *last = NULL, word;

    while (read(talk, &word, 1) == 1) {
        if (word == 'g') {
            last = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memset(last, 1, MIB);
        }
        if (word == 's')
            munmap(last, MIB);
        if (word == 'e')
            become_cat(talk);
        if (write(talk, "k", 1) != 1)
            break;
    }
    _exit(0);
}

/* Waits for the answer of a child, and until the child sleeps: its memory may change until then. */
static inline void wait_for_answer(const live *l, size_t i)
{
    char path[64], answer, text[256] = "";

    assert_int_equal(read(l->talk[i], &answer, 1), 1);
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)l->pids[i]);
    while (!strstr(text, ") S ")) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = read(fd, text, sizeof text - 1);

        assert_true(n > 0);
        text[n] = '\0';
        close(fd);
    }
}

/* Starts a child with this comm and adds its pid to the options. Returns its index. */
static inline size_t child(live *l, const char *name)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    l->pids[l->n] = fork();
    assert_true(l->pids[l->n] >= 0);
    if (l->pids[l->n] == 0) {
        close(ends[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, name);
        setenv("COLOUR", "red", 1);
        if (write(ends[1], "k", 1) == 1)
            child_life(ends[1]);
        _exit(1);
    }
    close(ends[1]);
    l->talk[l->n] = ends[0];
    wait_for_answer(l, l->n);
    l->options.n_pids++;
    return l->n++;
}

static inline void ask(const live *l, size_t i, char word)
{
    assert_int_equal(write(l->talk[i], &word, 1), 1);
    if (word == 'e')
        assert_int_equal(write(l->talk[i], &word, 1), 1);
    wait_for_answer(l, i);
}

static inline void end_child(live *l, size_t i)
{
    if (l->pids[i] <= 0)
        return;
    kill((pid_t)l->pids[i], SIGKILL);
    waitpid((pid_t)l->pids[i], NULL, 0);
    close(l->talk[i]);
    l->pids[i] = 0;
}

/* ---- runs ---- */

static inline void on_event(void *ctx, const pmapdb_capture_event *e)
{
    live *l = ctx;
    const pmapdb_import_event *n = &e->news;

    if (n->error)
        pm_buf_addf(&l->news, NULL, "%s%s\n", n->trouble ? "" : "(note) ", n->error);
    else
        pm_buf_addf(&l->news, NULL, "%s %s %s %s%s%s\n", n->name, n->dialect, n->state, n->checked,
                    n->duplicate ? " again" : "", e->degraded ? " degraded" : "");
}

static inline void on_beat(void *ctx, const pmapdb_capture_beat *beat)
{
    live *l = ctx;

    l->beats++;
    l->last = *beat;
    l->lost += beat->lost != NULL;
    l->last.lost = NULL;
    if (l->at_beat)
        l->at_beat(l);
}

static inline bool on_progress(void *ctx, const pmapdb_progress *progress)
{
    const live *l = ctx;

    (void)progress;
    return !l->stop_after || l->beats < l->stop_after;
}

static inline void begin(live *l)
{
    pmapdb_open_options options = {.mode = PMAPDB_WRITE, .busy_ms = 50};

    *l = (live){0};
    pmapdb_capture_defaults(&l->options);
    l->options.host = "here";
    l->options.max_stall_us = 10000000;
    l->options.on_event = on_event;
    l->options.on_beat = on_beat;
    l->options.on_progress = on_progress;
    l->options.ctx = l;
    l->options.pids = l->pids;
    assert_int_equal(pmapdb_open("t.db", &options, &l->store, &l->err), PMAPDB_OK);
}

static inline void end(live *l)
{
    for (size_t i = 0; i < l->n; i++)
        end_child(l, i);
    pmapdb_close(l->store);
    pm_buf_free(&l->news);
}

static inline pmapdb_status try_run(live *l)
{
    pm_buf_clear(&l->news);
    l->beats = l->lost = 0;
    return pmapdb_capture(l->store, &l->options, &l->result, &l->err);
}

static inline void run(live *l)
{
    if (try_run(l) != PMAPDB_OK)
        fail_msg("%s", l->err.text);
}

static inline void expect(const live *l, const char *wanted)
{
    assert_string_equal(pm_buf_text(&l->news).data, wanted);
}

static inline int64_t number(const live *l, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t n;

    assert_int_equal(sqlite3_prepare_v2(l->store->db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    n = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return n;
}

static inline void word(const live *l, const char *sql, const char *wanted)
{
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(sqlite3_prepare_v2(l->store->db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 0), wanted);
    sqlite3_finalize(stmt);
}

/* Each test gets a live capture into t.db, in a folder of its own. */
static inline int live_setup(void **state)
{
    static live l;

    *state = &l;
    if (box_enter(NULL) != 0)
        return -1;
    begin(&l);
    return 0;
}

static inline int live_teardown(void **state)
{
    end(*state);
    return box_leave(NULL);
}

#define WITH_RUN(function) TEST_OF(live *l, function, live_setup, live_teardown)

#endif
