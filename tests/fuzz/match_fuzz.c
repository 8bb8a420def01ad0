/* match_fuzz: an expression of which processes are meant, asked of some. */
#include "kit.h"

#include "classify/match.h"

static const int64_t above[] = {4711, 7, 1};

static const pm_facts processes[] = {
    {.pid = PMAPDB_UNKNOWN, .uid = PMAPDB_UNKNOWN},
    {.pid = 4712,
     .uid = 0,
     .user = {"root", 4},
     .comm = {"redis-server-12", 15},
     .exe = {"/usr/bin/redis-server-123", 25},
     .cmdline = {"redis-server *:6379 \xff\"(),", 25},
     .cgroup = {"/system.slice/x.service", 23},
     .environment = {"HOME=/root\0PG=\0X=a,b\0", 21},
     .ancestors = above,
     .n_ancestors = 3},
};

/* Not of it holds where it does not. */
static void check_not(pm_text t, const bool holds[2])
{
    static pm_buf text;
    pm_match *m = NULL;

    pm_buf_clear(&text);
    fuzz_put(&text, "not(", 4);
    fuzz_put(&text, t.data, t.len);
    fuzz_put(&text, ")", 1);
    if (pm_match_new(pm_buf_text(&text), &m, NULL) != PMAPDB_OK) /* one level too deep */
        return;
    for (size_t i = 0; i < 2; i++)
        FUZZ_CHECK(pm_match_holds(m, &processes[i]) == !holds[i], "process %zu", i);
    pm_match_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_alone(data, size);
    pm_match *m = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = pm_match_new((pm_text){bytes, size}, &m, &err);

    FUZZ_CHECK(st == PMAPDB_OK || st == PMAPDB_USAGE, "status %d: %s", (int)st, err.text);
    if (st == PMAPDB_OK) {
        bool holds[2];

        for (size_t i = 0; i < 2; i++)
            holds[i] = pm_match_holds(m, &processes[i]);
        check_not((pm_text){bytes, size}, holds);
        FUZZ_CHECK(pm_match_needs(m) < 256, "needs %x", pm_match_needs(m));
    } else {
        fuzz_message(&err);
    }
    pm_match_free(m);
    free(bytes);
    return 0;
}
