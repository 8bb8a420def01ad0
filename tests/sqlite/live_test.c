/* live_test: smaps(pid) and maps(pid) of children of this program, against the text that the kernel
 * prints for the same stopped process, read here line by line. */
#include "sqlite/kit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static void *map(size_t bytes, int prot, int flags, int fd)
{
    void *p = mmap(NULL, bytes, prot, flags, fd, 0);

    return p == MAP_FAILED ? NULL : p;
}

/* What the parent asks for: 5 MiB touched, 3 MiB reserved, 2 MiB of a memfd. */
static void be_looked_at(void)
{
    int fd = memfd_create("kept", 0);
    char *p = map(5 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    if (p)
        memset(p, 1, 5 * MIB);
    map(3 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (ftruncate(fd, 2 * MIB) == 0)
        map(2 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    raise(SIGSTOP);
    _exit(0);
}

static pid_t stopped_child(void)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        be_looked_at();
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The kernel's own text, as rows of "start|end|perms|path" or as the sum of one key. */
static void read_text(pid_t pid, const char *file, const char *key, pm_buf *rows, long long *sum)
{
    char path[64], line[8192], perms[8];
    unsigned long long from, to;
    long long kib;
    FILE *in;
    int at;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %n", &from, &to, perms, &at) == 3) {
            if (rows)
                pm_buf_addf(rows, NULL, "%lld|%lld|%s|%s\n", from, to, perms, line + at);
        } else if (sum && strncmp(line, key, strlen(key)) == 0 &&
                   sscanf(line + strlen(key), ": %lld kB", &kib) == 1) {
            *sum += kib;
        }
    }
    fclose(in);
}

CONNECTED(rows_and_sums)
{
    /* What is shared, and with it Pss, changes with every page that this program writes to. */
    static const char *const keys[][3] = {
        {"Size", "", "size_kib"},
        {"Rss", "", "rss_kib"},
        {"Shared_Clean", "Private_Clean", "shared_clean_kib + private_clean_kib"},
        {"Shared_Dirty", "Private_Dirty", "dirty_kib"},
        {"Anonymous", "", "anonymous_kib"},
        {"KernelPageSize", "", "kernel_page_kib"},
    };
    pid_t pid = stopped_child();
    pm_buf rows = {0};

    for (size_t i = 0; i < COUNT(keys); i++) {
        long long sum = 0;

        for (int key = 0; key < 2 && keys[i][key][0]; key++)
            read_text(pid, "smaps", keys[i][key], NULL, &sum);
        kit_same(db, kit_sql("SELECT sum(%s) FROM smaps(%d)", keys[i][2], (int)pid),
                 kit_sql("%lld\n", sum));
    }
    read_text(pid, "maps", "", &rows, NULL);
    for (int i = 0; i < 2; i++)
        kit_same(
            db,
            kit_sql("SELECT start, end, perms, path FROM %s('%d')", i ? "maps" : "smaps", (int)pid),
            pm_buf_text(&rows).data);
    pm_buf_free(&rows);
    end(pid);
}

CONNECTED(what_the_child_did)
{
    pid_t pid = stopped_child();

    kit_same(db,
             kit_sql("SELECT size_kib, perms, path, device IS NOT NULL, inode > 0, offset FROM "
                     "smaps(%d) WHERE category = 'memfd'",
                     (int)pid),
             "2048|rw-s|/memfd:kept (deleted)|1|1|0\n");
    kit_same(db,
             kit_sql("SELECT count(*) > 0 FROM smaps(%d) WHERE category = 'reserve' AND "
                     "size_kib >= 3072 AND rss_kib = 0 AND perms = '---p'",
                     (int)pid),
             "1\n");
    kit_same(db,
             kit_sql("SELECT count(*) > 0 FROM smaps(%d) WHERE category = 'anonymous' AND "
                     "private_dirty_kib >= 5120",
                     (int)pid),
             "1\n");
    kit_same(db, kit_sql("SELECT count(*) FROM smaps(%d) WHERE category = 'stack'", (int)pid),
             "1\n");
    end(pid);
}

static long long reads_so_far(void)
{
    long long n = -1;
    char line[128];
    FILE *in = fopen("/proc/self/io", "r");

    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "syscr: %lld", &n) == 1)
            break;
    if (in)
        fclose(in);
    return n;
}

/* At most 2 KiB at a time: with more, the kernel walks the page tables of some mappings twice. */
CONNECTED(small_pieces)
{
    pid_t pid = stopped_child();
    char path[64], block[4096];
    long long before, after, bytes = 0;
    FILE *in;
    size_t n;

    snprintf(path, sizeof path, "/proc/%d/smaps", (int)pid);
    in = fopen(path, "r");
    assert_non_null(in);
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        bytes += (long long)n;
    fclose(in);
    before = reads_so_far();
    kit_int(db, kit_sql("SELECT count(*) FROM smaps(%d)", (int)pid));
    after = reads_so_far();
    end(pid);
    if (before < 0)
        skip();
    assert_true(after - before >= bytes / 2048);
}

/* maps has no resident sizes; a NULL pid has no rows. */
CONNECTED(unknown)
{
    kit_same(db,
             "SELECT count(rss_kib), count(pss_kib), count(flags), count(swap_kib), "
             "count(size_kib) = count(*), count(*) > 0 FROM maps('self')",
             "0|0|0|0|1|1\n");
    kit_same(db, "SELECT count(*) FROM smaps(NULL)", "0\n");
    kit_same(db,
             "WITH p(pid) AS (VALUES (NULL)) SELECT count(*), count(start) FROM p LEFT JOIN "
             "maps ON maps.pid = p.pid",
             "1|0\n");
}

/* A join with a table of processes: each row of that table begins a new reading. */
CONNECTED(joins)
{
    pid_t pid = stopped_child(), other = stopped_child();
    const char *n =
        kit_sql("%lld", kit_int(db, kit_sql("SELECT count(*) FROM maps(%d)", (int)pid)));

    kit_same(db,
             kit_sql("WITH p(pid) AS (VALUES (%d), (NULL), ('%d'), (%d)) SELECT count(*) / %s, "
                     "count(DISTINCT start) = %s FROM maps(p.pid), p",
                     (int)pid, (int)pid, (int)pid, n, n),
             "3|1\n");
    kit_same(db,
             kit_sql("SELECT pid, count(*) = %s FROM maps WHERE pid IN (%d, NULL) GROUP BY 1", n,
                     (int)pid),
             kit_sql("%d|1\n", (int)pid));
    /* two calls in one WHERE: SQLite must not take their rows for duplicates */
    kit_same(db,
             kit_sql("SELECT count(*) = %s + (SELECT count(*) FROM maps(%d)) FROM maps WHERE "
                     "(pid = %d AND size_kib > 0) OR (pid = %d AND size_kib >= 0)",
                     n, (int)other, (int)pid, (int)other),
             "1\n");
    /* a cursor that is closed early, then a pid without a process */
    kit_same(db,
             kit_sql("WITH p(pid) AS (VALUES (%d), (NULL)) SELECT (SELECT perms FROM maps(p.pid) "
                     "LIMIT 1) IS NULL FROM p",
                     (int)pid),
             "0\n1\n");
    kit_same(db, kit_sql("SELECT count(*) FROM maps(%d) WHERE pid = %d", (int)pid, (int)other),
             "0\n");
    end(pid);
    end(other);
}

CONNECTED(gone)
{
    pid_t pid = fork();
    siginfo_t info;

    if (pid == 0)
        _exit(0);
    /* a zombie has no memory left: nothing, and no error */
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    kit_same(db, kit_sql("SELECT count(*) FROM smaps(%d)", (int)pid), "0\n");
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    kit_fails(db, kit_sql("SELECT count(*) FROM smaps(%d)", (int)pid), "smaps: no process ");
}

/* A process of another user, whose maps this user may not read. */
CONNECTED(denied)
{
    pid_t target, self;
    int status;

    if (geteuid() != 0)
        skip();
    target = stopped_child();
    self = fork();
    if (self == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(2);
        _exit(sqlite3_exec(db, kit_sql("SELECT * FROM smaps(%d)", (int)target), NULL, NULL, NULL) ==
                          SQLITE_ERROR &&
                      strstr(sqlite3_errmsg(db), "/smaps: Permission denied")
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(self, &status, 0), self);
    assert_int_equal(status, 0);
    end(target);
}

/* A process that ends or executes another program at any moment has all rows, no rows, or an error,
 * but never only its first rows. The stack lies at the end of every map. */
CONNECTED(ends_meanwhile)
{
    pm_buf out = {0};
    int whole = 0;

    for (int i = 0; i < 200; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            usleep((useconds_t)(i * 37 % 4000));
            if (i % 2)
                execl("/bin/sleep", "sleep", "1", (char *)NULL);
            _exit(0);
        }
        if (kit_rows(db,
                     kit_sql("SELECT count(*) > 0, sum(path = '[stack]') FROM %s(%d)",
                             i % 4 < 2 ? "maps" : "smaps", (int)pid),
                     &out) == SQLITE_OK &&
            strcmp(pm_buf_text(&out).data, "0|NULL\n") != 0) {
            assert_string_equal(pm_buf_text(&out).data, "1|1\n");
            whole++;
        }
        end(pid);
    }
    pm_buf_free(&out);
    assert_true(whole > 0);
}

RUN_TESTS(NULL, NULL)
