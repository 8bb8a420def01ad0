/* scene: a command on a small store, and one run of it with a fault. */
#include "fault/scene.h"

#include "base/buf.h"
#include "base/hash.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 60 /* a run that takes longer hangs */

const scene scenes[] = {
    {"import-new", NULL, NULL, "import --name app -f ndjson ../new", 0},
    {"import-packed", NULL, NULL, "import -q --name app ../new.tar.gz", 0},
    {"import-late", "history.db", NULL, "import --name app -f ndjson ../late", 0},
    {"import-label", "history.db", NULL, "import --name app -f ndjson ../java/1795220240-nmt.txt",
     0},
    {"import-java", "history.db", NULL, "import --name app -f ndjson ../java", SCENE_NAMES},
    {"capture", "history.db", NULL, "capture -f ndjson --host here PID", SCENE_ADDS},
    {"prune", "history.db", NULL, "prune --keep-last 1", SCENE_STEPS},
    {"compact", "history.db", NULL, "prune --compact", SCENE_STEPS},
    {"vacuum", "history.db", NULL, "prune --compact --vacuum", SCENE_STEPS},
    {"merge", "history.db", "there.db", "merge o.db", 0},
    {"merge-new", NULL, "there.db", "merge -q o.db", 0},
    {"rules-apply", "history.db", NULL, "rules --apply ../rules.csv", 0},
    {"forget-labels", "labelled.db", NULL, "rules --apply default --forget-labels", 0},
    {"import-perf", "history.db", NULL, "import-perf --clock-offset 1795219990 ../perf.txt", 0},
    {"perf-packed", NULL, NULL, "import-perf -q ../perf.txt.gz", 0},
    {"pin", "history.db", NULL, "prune --pin last --process app --reason kept", 0},
    {"diff", "history.db", NULL, "diff app/71", 0},
    {"diff-json", "history.db", NULL, "diff app/71 --by lineage -f json", 0},
    {"leaks", "long.db", NULL, "leaks -f csv", 0},
    {"categories", "history.db", NULL, "categories app/71 -f csv -o out.csv", 0},
    {"mappings", "history.db", NULL, "mappings app/71", 0},
    {"growth", "history.db", NULL, "growth app/71", 0},
    {"groups", "history.db", NULL, "groups --by name -f md", 0},
    {"who", "traced.db", NULL, "who --process app/71 --by function", 0},
    {"sql", "history.db", NULL,
     "sql SELECT\tpath,\tsum(rss_kib)\tFROM\tmappings\tGROUP\tBY\t1 -f csv", 0},
    {"check", "long.db", NULL, "check --rss -w 1G -c 2G --max-age 10000d", SCENE_SHOWS},
    {"doctor", "history.db", NULL, "doctor --deep", SCENE_SHOWS},
    {"export", "traced.db", NULL, "export -q e.db", SCENE_MAKES},
    {"export-part", "history.db", NULL, "export -q --process app/71 --from 2026-11-21T00:14 e.db",
     SCENE_MAKES},
    {"export-redact", "traced.db", NULL, "export -q --redact e.db", SCENE_MAKES},
    {"push", "history.db", NULL, "push -q --to spool", 0},
};
const size_t n_scenes = sizeof scenes / sizeof *scenes;

static pid_t sleeper;

/* ---- files ---- */

static void copy(const char *from, const char *to)
{
    char bytes[65536], path[128];
    ssize_t n;
    int in, out;

    snprintf(path, sizeof path, "../%s", from);
    in = open(path, O_RDONLY | O_CLOEXEC);
    out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while ((n = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)n) != n)
            abort();
    if (in < 0 || out < 0 || n < 0)
        abort();
    close(in);
    close(out);
}

static void empty_folder(void)
{
    DIR *dir = opendir(".");
    const struct dirent *e;

    while (dir && (e = readdir(dir)))
        unlink(e->d_name);
    if (dir)
        closedir(dir);
}

void scene_set(const scene *s)
{
    empty_folder();
    if (s->store)
        copy(s->store, SCENE_STORE);
    if (s->other)
        copy(s->other, "o.db");
}

const char *scene_litter(void)
{
    static const char *const known[] = {
        "t.db",     "t.db-wal", "t.db-shm", "t.db-capture", "t.db-journal", "o.db",    "o.db-wal",
        "o.db-shm", "out",      "err",      "out.csv",      SCENE_MADE,     "map.csv", "spool"};
    static char name[256];
    DIR *dir = opendir(".");
    const struct dirent *e;
    bool found = false;

    while (dir && !found && (e = readdir(dir))) {
        found = e->d_name[0] != '.';
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found &= strcmp(known[i], e->d_name) != 0;
        snprintf(name, sizeof name, "%s", e->d_name);
    }
    if (dir)
        closedir(dir);
    return found ? name : NULL;
}

static char *read_file(const char *path, size_t *n)
{
    pm_buf b = {0};
    char bytes[65536];
    ssize_t got;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    pm_buf_add(&b, "", 0, NULL);
    while (fd >= 0 && (got = read(fd, bytes, sizeof bytes)) > 0)
        pm_buf_add(&b, bytes, (size_t)got, NULL);
    if (fd >= 0)
        close(fd);
    *n = b.len;
    return b.data;
}

uint64_t scene_digest(void)
{
    static const char *const names[] = {"t.db", "t.db-wal", "t.db-journal"};
    uint64_t digest = 0;

    for (size_t i = 0; i < 3; i++) {
        size_t n;
        char *bytes = read_file(names[i], &n);

        digest = pm_hash(bytes, n, digest);
        free(bytes);
    }
    return digest;
}

bool scene_made(void)
{
    return access(SCENE_MADE, F_OK) == 0;
}

void scene_unmake(void)
{
    unlink(SCENE_MADE);
    unlink("map.csv");
}

/* ---- a run ---- */

static int arguments(const scene *s, char **argv)
{
    static char program[] = "pmapdb", pid[16];
    int argc = 0;

    snprintf(pid, sizeof pid, "%d", (int)sleeper);
    argv[argc++] = program;
    for (char *rest = strdup(s->words), *word; (word = strsep(&rest, " "));)
        argv[argc++] = strcmp(word, "PID") == 0 ? pid : word;
    argv[argc] = NULL;
    return argc;
}

static void redirect(const char *path, int fd)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (file < 0 || dup2(file, fd) < 0)
        _exit(98);
    close(file);
}

static void child(const scene *s)
{
    static char *kept[16]; /* main changes argv */
    char *argv[sizeof kept / sizeof *kept];
    int argc = arguments(s, kept), code;
    const fault_kind *kind = fault_now->kind;

    memcpy(argv, kept, sizeof argv);
    redirect("out", STDOUT_FILENO);
    redirect("err", STDERR_FILENO);
    alarm(LIMIT_S);
    if (kind && kind->calls & FAULT_ALLOC)
        fault_alloc_start();
    if (kind && kind->calls & FAULT_DB_ALL)
        fault_vfs_start();
    fault_now->armed = true;
    fault_now->live = fault_alloc_live();
    code = fault_program(argc, argv);
    fault_now->armed = false;
    fault_now->live = fault_alloc_live() - fault_now->live;
    fault_now->returned = true;
    exit(code);
}

void scene_run(const scene *s, fault *f, outcome *out)
{
    int status = 0;
    size_t n;
    pid_t pid;

    f->seen = f->hit = 0;
    f->returned = false;
    f->live = 0;
    fault_now = f;
    fflush(NULL);
    sqlite3_shutdown(); /* it begins as in a program that was just started */
    pid = fork();
    if (pid < 0)
        abort();
    if (pid == 0)
        child(s);
    waitpid(pid, &status, 0);
    f->armed = false;
    out->exit_code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    out->out = read_file("out", &n);
    out->err = read_file("err", &n);
}

void outcome_free(outcome *o)
{
    free(o->out);
    free(o->err);
    *o = (outcome){0};
}

void scenes_begin(const char *folder)
{
    static const char *const unset[] = {"PMAPDB",   "XDG_DATA_HOME", "XDG_CONFIG_HOME", "COLUMNS",
                                        "NO_COLOR", "ARGP_HELP_FMT", "TMPDIR"};

    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        unsetenv(unset[i]);
    setenv("PMAPDB", SCENE_STORE, 1);
    setenv("HOME", folder, 1);
    setenv("PMAPDB_CONFIG", "", 1); /* no configuration */
    setenv("TZ", "UTC", 1);
    setenv("LC_ALL", "C", 1);
    if (chdir(folder) != 0 || (mkdir("work", 0700) != 0 && errno != EEXIST) || chdir("work") != 0) {
        fprintf(stderr, "%s: no folder of make.sh\n", folder);
        exit(2);
    }
    sleeper = fork();
    if (sleeper == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl("/bin/sleep", "sleep", "100000", (char *)NULL);
        _exit(1);
    }
}

void scenes_end(void)
{
    kill(sleeper, SIGKILL);
    waitpid(sleeper, NULL, 0);
}
