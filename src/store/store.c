/* store: opening and closing the SQLite file; transactions. */
#include "store/store.h"

#include "store/functions.h"
#include "store/space.h"
#include "store/write.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MS 60000
/* A handle is one thread's at a time: SQLite need not lock it at every value that is read. */
#define OPEN_FLAGS (SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX)

/* Creates the file with its permissions before SQLite sees it: SQLite gives -wal and -shm the mode
 * of the main file. */
static pmapdb_status create_file(const char *path, const pmapdb_open_options *o, pmapdb_error *err)
{
    mode_t mode = o->file_mode ? (mode_t)o->file_mode : 0600;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    pmapdb_status st = PMAPDB_OK;

    if (fd < 0)
        return errno == EEXIST ? PMAPDB_OK : pm_fail_io(err, errno, "cannot create '%s'", path);
    if (o->group) {
        const struct group *group = getgrnam(o->group);

        if (!group)
            st = pm_fail(err, PMAPDB_USAGE, "no group '%s' on this machine", o->group);
        else if (fchown(fd, (uid_t)-1, group->gr_gid) != 0)
            st = pm_fail_io(err, errno, "cannot give '%s' to group '%s'", path, o->group);
    }
    if (st == PMAPDB_OK && fchmod(fd, mode) != 0)
        st = pm_fail_io(err, errno, "cannot set the mode of '%s'", path);
    close(fd);
    if (st != PMAPDB_OK)
        unlink(path);
    return st;
}

static pmapdb_status exec(pmapdb_store *s, const char *sql, pmapdb_error *err)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return pm_sql_fail(s->db, "set up the connection", err);
    return PMAPDB_OK;
}

/* SQLite does not call the busy handler for the change to WAL, which fails while another process
 * makes it: so it is asked again until the timeout. */
static pmapdb_status switch_to_wal(pmapdb_store *s, int busy_ms, pmapdb_error *err)
{
    static const int pause_ms = 20;
    pmapdb_status st;

    for (int waited = 0;; waited += pause_ms) {
        st = exec(s, "PRAGMA journal_mode = WAL", err);
        if (st != PMAPDB_BUSY || waited >= busy_ms)
            return st;
        sqlite3_sleep(pause_ms);
    }
}

/* Readers of another user need -wal and -shm to stay when the last writer leaves. */
static void keep_wal(sqlite3 *db)
{
    int on = 1;

    sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}

/* SQLite only says "unable to open"; the system knows why. */
static pmapdb_status check_file(const char *path, int how, pmapdb_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return errno == ENOENT ? pm_fail(err, PMAPDB_NOTFOUND,
                                         "no store at '%s'; import or capture first", path)
                               : pm_fail_io(err, errno, "cannot open the store '%s'", path);
    if (S_ISDIR(info.st_mode))
        return pm_fail(err, PMAPDB_SCHEMA, "'%s' is a directory, not a store", path);
    if (!S_ISREG(info.st_mode)) /* to open a pipe is to wait for whoever opens its other end */
        return pm_fail(err, PMAPDB_SCHEMA, "'%s' is no regular file, so no store", path);
    if (access(path, how) != 0)
        return pm_fail_io(err, errno, "cannot %s the store '%s'", how & W_OK ? "write" : "read",
                          path);
    return PMAPDB_OK;
}

static pmapdb_status open_for_writing(pmapdb_store *s, const pmapdb_open_options *o,
                                      pmapdb_error *err)
{
    int busy_ms = o->busy_ms ? o->busy_ms : BUSY_MS;
    bool create = o->mode == PMAPDB_WRITE;
    int64_t version;
    pmapdb_status st = create ? create_file(s->path, o, err) : PMAPDB_OK;

    if (st == PMAPDB_OK)
        st = check_file(s->path, R_OK | W_OK, err);
    if (st != PMAPDB_OK)
        return st;
    if (sqlite3_open_v2(s->path, &s->db, OPEN_FLAGS | SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return pm_sql_fail(s->db, "open the store", err);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, busy_ms);
    st = pm_sql_new(s->db, &s->sql, err);
    if (st == PMAPDB_OK)
        st = pm_check_identity(s, &version, err); /* before anything is changed */
    if (st == PMAPDB_OK && version == 0 && !create)
        return pm_migrate(s, false, err); /* says why not */
    /* Before the first page is written: behind that it is of no use, but writes a page each time,
     * which a full disk has no room for. */
    if (st == PMAPDB_OK && version == 0)
        st = exec(s, "PRAGMA auto_vacuum = INCREMENTAL", err);
    if (st == PMAPDB_OK)
        st = switch_to_wal(s, busy_ms, err);
    if (st == PMAPDB_OK)
        st = exec(s,
                  "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                  "PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824;"
                  "PRAGMA temp_store = MEMORY",
                  err);
    if (st == PMAPDB_OK)
        keep_wal(s->db);
    s->writes = st == PMAPDB_OK;
    return st == PMAPDB_OK ? pm_migrate(s, true, err) : st;
}

static bool wal_is_empty(const char *path)
{
    char wal[4096];
    struct stat info;

    snprintf(wal, sizeof wal, "%s-wal", path);
    return stat(wal, &info) != 0 || info.st_size == 0;
}

/* '?', '#' and '%' mean something in a URI. */
static char *immutable_uri(const char *path)
{
    size_t n = strlen(path);
    char *uri = malloc(3 * n + 32), *p = uri;

    if (!uri)
        return NULL;
    p += sprintf(p, "file:");
    for (; *path; path++)
        p += sprintf(p, strchr("?#%", *path) ? "%%%02x" : "%c", (unsigned char)*path);
    sprintf(p, "?immutable=1");
    return uri;
}

/* Readers wait, too: whoever opens a WAL store that nobody had open recovers it under a lock. */
static pmapdb_status try_read(pmapdb_store *s, const char *name, int flags, int busy_ms,
                              pmapdb_error *err)
{
    if (sqlite3_open_v2(name, &s->db, OPEN_FLAGS | SQLITE_OPEN_READONLY | flags, NULL) !=
            SQLITE_OK ||
        sqlite3_busy_timeout(s->db, busy_ms) != SQLITE_OK ||
        sqlite3_exec(s->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK) {
        pmapdb_status st = pm_sql_fail(s->db, "open the store", err);

        sqlite3_close(s->db);
        s->db = NULL;
        return st;
    }
    return PMAPDB_OK;
}

/* Without permission to make the -shm file a WAL store cannot be read, unless as a file that
 * nobody changes. Beside a live WAL that would read stale data, so then it is refused. */
static pmapdb_status open_for_reading(pmapdb_store *s, const pmapdb_open_options *o,
                                      pmapdb_error *err)
{
    pmapdb_status st = check_file(s->path, R_OK, err);
    int busy_ms = o->busy_ms ? o->busy_ms : BUSY_MS;
    char *uri;

    if (st != PMAPDB_OK)
        return st;
    st = try_read(s, s->path, 0, busy_ms, err);
    if (st == PMAPDB_DATABASE && wal_is_empty(s->path)) {
        uri = immutable_uri(s->path);
        if (!uri)
            return pm_fail_nomem(err);
        st = try_read(s, uri, SQLITE_OPEN_URI, busy_ms, err);
        s->immutable = st == PMAPDB_OK;
        free(uri);
    }
    if (st != PMAPDB_OK)
        return st;
    sqlite3_extended_result_codes(s->db, 1);
    st = pm_sql_new(s->db, &s->sql, err);
    if (st == PMAPDB_OK)
        st = exec(s,
                  "PRAGMA query_only = ON; PRAGMA mmap_size = 1073741824;"
                  "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY",
                  err);
    return st == PMAPDB_OK ? pm_migrate(s, false, err) : st;
}

pmapdb_status pmapdb_open(const char *path, const pmapdb_open_options *options, pmapdb_store **out,
                          pmapdb_error *err)
{
    pmapdb_store *s = calloc(1, sizeof *s);
    pmapdb_status st;

    if (!s)
        return pm_fail_nomem(err);
    s->path = strdup(path);
    s->query_dir = options->query_dir ? strdup(options->query_dir) : NULL;
    if (!s->path || (options->query_dir && !s->query_dir))
        st = pm_fail_nomem(err);
    else if (options->mode != PMAPDB_READ)
        st = open_for_writing(s, options, err);
    else
        st = open_for_reading(s, options, err);
    if (st == PMAPDB_OK && pm_functions_add(s->db) != SQLITE_OK)
        st = pm_sql_fail(s->db, "add the functions", err);
    if (st != PMAPDB_OK) {
        pmapdb_close(s);
        return st;
    }
    *out = s;
    return PMAPDB_OK;
}

/* The last to leave empties the -wal: whoever comes next would read all that is in it, not knowing
 * that it is in the store by now, and with one capture after another it would grow for ever. */
static void close_writer(pmapdb_store *s)
{
    const char *wal = sqlite3_filename_wal(sqlite3_db_filename(s->db, "main"));
    char *path = wal ? strdup(wal) : NULL;

    sqlite3_exec(s->db, "PRAGMA journal_size_limit = 0", NULL, NULL, NULL);
    sqlite3_close(s->db);
    if (path)
        pm_space_reserve(path);
    free(path);
}

void pmapdb_close(pmapdb_store *s)
{
    if (!s)
        return;
    pm_writer_free(s->writer);
    pm_sql_free(s->sql);
    if (s->writes)
        close_writer(s);
    else
        sqlite3_close(s->db);
    free(s->path);
    free(s->query_dir);
    free(s);
}

void pm_store_uncounted(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

bool pmapdb_is_immutable(const pmapdb_store *s)
{
    return s->immutable;
}

pmapdb_status pm_store_begin(pmapdb_store *s, pmapdb_error *err)
{
    return pm_sql_run(s->sql, "BEGIN IMMEDIATE", PM_NO_ARGS, err);
}

pmapdb_status pm_store_begin_adding(pmapdb_store *s, pmapdb_error *err)
{
    bool scarce = false;
    pmapdb_status st = pm_space_check(s, &scarce, err);

    if (st == PMAPDB_OK)
        st = pm_store_begin(s, err);
    s->scarce = st == PMAPDB_OK && scarce;
    return st;
}

pmapdb_status pm_store_commit(pmapdb_store *s, pmapdb_error *err)
{
    bool scarce = s->scarce;
    pmapdb_status st = scarce ? pm_space_check_written(s, err) : PMAPDB_OK;

    if (st == PMAPDB_OK)
        st = pm_sql_run(s->sql, "COMMIT", PM_NO_ARGS, err);
    if (st != PMAPDB_OK)
        return st; /* the caller rolls it back */
    s->scarce = false;
    if (scarce)
        pm_space_settle(s);
    return PMAPDB_OK;
}

pmapdb_status pm_store_version(pmapdb_store *s, int64_t *version, pmapdb_error *err)
{
    return pm_sql_int(s->sql, "PRAGMA data_version", PM_NO_ARGS, 0, version, err);
}

pmapdb_status pm_store_begin_tidying(pmapdb_store *s, pmapdb_error *err)
{
    pm_writer_free(s->writer);
    s->writer = NULL;
    /* What the -wal holds is copied if that is possible at once: then it is written over from its
     * start, and a full disk has that much room. */
    pm_space_copy_wal(s);
    return exec(s, "PRAGMA foreign_keys = OFF", err);
}

void pm_store_end_tidying(pmapdb_store *s)
{
    sqlite3_exec(s->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
}

void pm_store_rollback(pmapdb_store *s)
{
    s->scarce = false;
    if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}
