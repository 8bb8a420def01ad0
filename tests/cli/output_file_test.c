/* output_file_test: output that appears whole or not at all. */
#include "unit.h"

#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int signal_after_mkostemp; /* 0: none */

/* A signal may come as soon as the file is there. */
static int make_and_signal(char *path, int flags)
{
    int fd = mkostemp(path, flags);

    if (signal_after_mkostemp)
        raise(signal_after_mkostemp);
    return fd;
}

/* The library that the tests link has no file of the command line. */
#define mkostemp make_and_signal
#include "../../src/cli/output_file.c" // NOLINT(bugprone-suspicious-include)
#undef mkostemp

typedef struct place {
    char dir[256], file[512], link[512];
} place;

static int make_place(void **state)
{
    const char *tmp = getenv("TMPDIR");
    place *p = calloc(1, sizeof *p);

    if (!p)
        return -1;
    *state = p;
    snprintf(p->dir, sizeof p->dir, "%s/pmapdb-output-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(p->dir))
        return -1;
    snprintf(p->file, sizeof p->file, "%s/out.csv", p->dir);
    snprintf(p->link, sizeof p->link, "%s/link", p->dir);
    return 0;
}

/* How many files there are; removes them where asked to. */
static int files_in(const char *dir, bool remove_them)
{
    DIR *d = opendir(dir);
    int n = 0;

    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        n++;
        if (remove_them)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
    return n;
}

static int remove_place(void **state)
{
    place *p = *state;

    files_in(p->dir, true);
    rmdir(p->dir);
    free(p);
    return 0;
}

static void put_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void assert_file(const char *path, const char *text, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *got = malloc(n + 1);

    assert_true(fd >= 0);
    assert_non_null(got);
    assert_int_equal(read(fd, got, n + 1), n);
    assert_memory_equal(got, text, n);
    free(got);
    close(fd);
}

static unsigned mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void put(pm_output_file *f, const char *text)
{
    fputs(text, f->text);
}

/* cmocka's asserts do not tell the analyzer that they end the test; abort() does. */
static const place *place_of(void **state)
{
    if (!*state)
        abort();
    return *state;
}

static void open_out(pm_output_file *f, const char *path)
{
    *f = (pm_output_file){.fd = -1};
    if (pm_output_file_open(f, path, NULL) != PMAPDB_OK)
        abort();
}

static void commit(pm_output_file *f)
{
    pm_output_file_commit(f);
    assert_int_equal(f->failure.status, PMAPDB_OK);
    pm_output_file_close(f);
}

static pmapdb_status open_status(const char *path, pmapdb_error *err)
{
    pm_output_file f = {.fd = -1};
    pmapdb_status st = pm_output_file_open(&f, path, err);

    if (st == PMAPDB_OK)
        pm_output_file_close(&f);
    return st;
}

TEST_WITH(new_file_appears_by_the_commit, make_place, remove_place)
{
    const place *p = place_of(state);
    mode_t mask = umask(027);
    pm_output_file f;

    open_out(&f, p->file);
    put(&f, "hello\n");
    pm_output_file_flush(&f);
    assert_int_equal(access(p->file, F_OK), -1);
    commit(&f);
    assert_int_equal(umask(mask), 027);
    assert_file(p->file, "hello\n", 6);
    assert_int_equal(mode_of(p->file), 0640);
    assert_int_equal(files_in(p->dir, false), 1);
}

TEST_WITH(old_file_stays_without_a_commit, make_place, remove_place)
{
    const place *p = place_of(state);
    pm_output_file f;

    put_file(p->file, "old", 0604);
    open_out(&f, p->file);
    put(&f, "new");
    pm_output_file_flush(&f);
    assert_int_equal(files_in(p->dir, false), 2);
    pm_output_file_close(&f);
    assert_file(p->file, "old", 3);
    assert_int_equal(files_in(p->dir, false), 1);
}

TEST_WITH(new_file_has_the_old_ones_mode, make_place, remove_place)
{
    const place *p = place_of(state);
    pm_output_file f;

    put_file(p->file, "old and long", 0604);
    open_out(&f, p->file);
    put(&f, "new");
    commit(&f);
    assert_file(p->file, "new", 3);
    assert_int_equal(mode_of(p->file), 0604);
}

TEST_WITH(link_stays_a_link, make_place, remove_place)
{
    const place *p = place_of(state);
    struct stat st;
    pm_output_file f;

    put_file(p->file, "old", 0644);
    assert_int_equal(symlink("out.csv", p->link), 0);
    open_out(&f, p->link);
    put(&f, "new");
    commit(&f);
    assert_file(p->file, "new", 3);
    assert_int_equal(lstat(p->link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

/* exit() flushes whatever is open. */
TEST_WITH(nothing_more_comes_of_a_program_that_ends_early, make_place, remove_place)
{
    const place *p = place_of(state);
    int ends[2], status;
    char got[8];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        pm_output_file f;

        dup2(ends[1], STDOUT_FILENO);
        open_out(&f, NULL);
        put(&f, "half");
        pm_output_file_abandon();
        fclose(f.text);
        open_out(&f, p->file);
        current.file = &f;
        put(&f, "half");
        pm_output_file_abandon();
        fclose(f.text);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(read(ends[0], got, sizeof got), 0);
    assert_int_equal(files_in(p->dir, false), 0);
    close(ends[0]);
}

TEST_WITH(a_terminal_is_not_driven, make_place, remove_place)
{
    static const char text[] = "a\x1b[2Jb\xc2\x9b\tc\xc3\x9b\x7f\n\xc2";
    static const char shown[] = "a\\x1b[2Jb\\xc2\\x9b\tc\xc3\x9b\\x7f\n\xc2";
    const place *p = place_of(state);
    pm_output_file f;

    open_out(&f, p->file);
    f.escape = true;
    for (const char *c = text; *c; c++) { /* in pieces, too */
        fputc(*c, f.text);
        pm_output_file_flush(&f);
    }
    put(&f, text);
    pm_output_file_commit(&f);
    pm_output_file_close(&f);
    assert_int_equal(mode_of(p->file) & 0600, 0600);
    {
        char twice[2 * sizeof shown];

        snprintf(twice, sizeof twice, "%s%s", shown, shown);
        assert_file(p->file, twice, strlen(twice));
    }
}

/* Pieces of every size around the buffer's. */
TEST_WITH(more_than_the_buffer_holds, make_place, remove_place)
{
    static const size_t pieces[] = {1, HELD_BACK - 1, HELD_BACK, HELD_BACK + 1, 3 * HELD_BACK + 7};
    const place *p = place_of(state);
    pm_buf all = {0};
    size_t at = 0;
    pm_output_file f;

    for (unsigned i = 0; all.len < (size_t)7 * HELD_BACK; i++)
        assert_int_equal(pm_buf_addf(&all, NULL, "%u,", i), PMAPDB_OK);
    open_out(&f, p->file);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; at += pieces[i++])
        assert_int_equal(fwrite(all.data + at, 1, pieces[i], f.text), pieces[i]);
    commit(&f);
    assert_file(p->file, all.data, at);
    pm_buf_free(&all);
}

/* A FIFO of our own stands for all that is no regular file: code that went wrong here would, as
 * root, replace a device of the machine. */
TEST_WITH(what_is_no_regular_file_is_written_directly, make_place, remove_place)
{
    const place *p = place_of(state);
    char got[8] = "";
    struct stat st;
    pm_output_file f;
    int reader;

    assert_int_equal(mkfifo(p->file, 0600), 0);
    reader = open(p->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    open_out(&f, p->file);
    put(&f, "x\n");
    pm_output_file_commit(&f);
    assert_int_equal(f.failure.status, PMAPDB_OK);
    assert_int_equal(read(reader, got, sizeof got), 2);
    assert_string_equal(got, "x\n");
    assert_int_equal(stat(p->file, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(files_in(p->dir, false), 1);
    close(reader);
    put(&f, "y");
    pm_output_file_flush(&f);
    assert_int_equal(f.failure.status, PMAPDB_STOPPED);
    pm_output_file_close(&f);
}

TEST_WITH(old_file_stays_where_writing_fails, make_place, remove_place)
{
    const place *p = place_of(state);
    struct rlimit before, small;
    pm_output_file f;

    put_file(p->file, "old", 0600);
    open_out(&f, p->file);
    put(&f, "new and longer");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 4, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    pm_output_file_commit(&f);
    /* cmocka may report to a file. */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(f.failure.status, PMAPDB_IO);
    assert_int_equal(f.failure.os_errno, EFBIG);
    assert_non_null(strstr(f.failure.text, "cannot write '"));
    pm_output_file_close(&f);
    assert_file(p->file, "old", 3);
    assert_int_equal(files_in(p->dir, false), 1);
}

TEST_WITH(places_that_do_not_work_are_named, make_place, remove_place)
{
    const place *p = place_of(state);
    pmapdb_error err = {0};
    char path[600];

    snprintf(path, sizeof path, "%s/missing/out.csv", p->dir);
    assert_int_equal(open_status(path, &err), PMAPDB_IO);
    assert_non_null(strstr(err.text, "/missing/out.csv"));
    assert_int_equal(open_status(p->dir, &err), PMAPDB_IO);
    assert_int_equal(err.os_errno, EISDIR);
    assert_int_equal(files_in(p->dir, false), 0);
}

/* Runs one write with standard output replaced by fd. cmocka reports there too, so that nothing is
 * asserted until it is back. */
static pmapdb_status write_to_stdout(int fd, const char *text, pmapdb_error *err)
{
    int saved = dup(STDOUT_FILENO);
    pm_output_file f;

    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    open_out(&f, NULL);
    put(&f, text);
    pm_output_file_commit(&f);
    *err = f.failure;
    pm_output_file_close(&f);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    return err->status;
}

TEST(standard_output)
{
    int ends[2], full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    pmapdb_error err = {0};
    char got[8] = "";

    assert_true(full >= 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write_to_stdout(ends[1], "hi\n", &err), PMAPDB_OK);
    assert_int_equal(read(ends[0], got, sizeof got), 3);
    assert_string_equal(got, "hi\n");

    assert_int_equal(write_to_stdout(full, "hi\n", &err), PMAPDB_IO);
    assert_non_null(strstr(err.text, "cannot write standard output"));

    close(ends[0]);
    assert_int_equal(write_to_stdout(ends[1], "hi\n", &err), PMAPDB_STOPPED);
    close(ends[1]);
    close(full);
}

/* A full pipe whose other end set O_NONBLOCK: the rest is written once there is room. */
TEST(non_blocking_output_waits)
{
    enum { size = 300000 };
    char *text = malloc(size + 1), *got = malloc(size);
    size_t n = 0;
    pmapdb_error err;
    pid_t child;
    int ends[2], status;

    assert_true(text && got);
    memset(text, 'x', size);
    text[size] = '\0';
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    child = fork();
    if (child == 0)
        _exit(write_to_stdout(ends[1], text, &err) == PMAPDB_OK ? 0 : 1);
    close(ends[1]);
    assert_int_equal(fcntl(ends[0], F_SETFL, 0), 0);
    usleep(20000);
    for (ssize_t r; n < size && (r = read(ends[0], got + n, size - n)) > 0; n += (size_t)r)
        ;
    assert_int_equal(n, size);
    assert_memory_equal(got, text, size);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
    free(text);
    free(got);
}

/* No moment is too early for a signal to leave a file. */
TEST_WITH(nothing_is_left_of_a_program_that_is_killed, make_place, remove_place)
{
    const place *p = place_of(state);
    pid_t child = fork();
    int status;

    if (child == 0) {
        pm_output_file f;

        signal_after_mkostemp = SIGTERM;
        open_out(&f, p->file);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_int_equal(files_in(p->dir, false), 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return unit_run(NULL, NULL);
}
