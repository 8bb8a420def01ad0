/* open: the file of a store, made, opened, or refused with what is in the way. */
#include "store/file/store.h"

#include "base/buf.h"
#include "store/file/foreign_files.h"
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

/* getgrnam's answer is every thread's. How large one is, only trying tells. */
static pmapdb_status give_to_group(int fd, const char *path, const char *name, pmapdb_error *err)
{
    struct group group, *found = NULL;
    char *room = NULL;
    size_t cap = 0;
    int why = ERANGE;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && why == ERANGE) {
        st = pm_grow(&room, &cap, cap, 1024, err);
        if (st == PMAPDB_OK)
            why = getgrnam_r(name, &group, room, cap * 1024, &found);
    }
    if (st == PMAPDB_OK && !found)
        st = pm_fail(err, PMAPDB_USAGE, "no group '%s' on this machine", name);
    else if (st == PMAPDB_OK && fchown(fd, (uid_t)-1, group.gr_gid) != 0)
        st = pm_fail_io(err, errno, "cannot give '%s' to group '%s'", path, name);
    free(room);
    return st;
}

/* Creates the file with its permissions before SQLite sees it: SQLite gives -wal and -shm the mode
 * of the main file. */
static pmapdb_status create_file(const char *path, const pmapdb_open_options *o, pmapdb_error *err)
{
    mode_t mode = o->file_mode ? (mode_t)o->file_mode & 0666 : 0600; /* nothing to run */
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    pmapdb_status st = PMAPDB_OK;

    if (fd < 0)
        return errno == EEXIST ? PMAPDB_OK : pm_fail_io(err, errno, "cannot create '%s'", path);
    if (o->group)
        st = give_to_group(fd, path, o->group, err);
    if (st == PMAPDB_OK && fchmod(fd, mode) != 0)
        st = pm_fail_io(err, errno, "cannot set the mode of '%s'", path);
    close(fd);
    if (st != PMAPDB_OK)
        unlink(path);
    return st;
}

/* A step of the sticky kind, for several statements at once. */
static void exec(pmapdb_store *s, const char *sql)
{
    pmapdb_error err = {0};

    if (pm_sql_ok(s->sql) && sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        pm_sql_keep(s->sql, pm_sql_fail(s->db, "set up the connection", &err), &err);
}

/* SQLite does not call the busy handler for the change to WAL, which fails while another process
 * makes it: so it is tried again until the timeout. */
static void switch_to_wal(pmapdb_store *s, int busy_ms)
{
    static const int pause_ms = 20;
    static const char change[] = "PRAGMA journal_mode = WAL";
    int waited = 0;

    while (waited < busy_ms && pm_sql_ok(s->sql) &&
           sqlite3_exec(s->db, change, NULL, NULL, NULL) == SQLITE_BUSY)
        waited += sqlite3_sleep(pause_ms);
    exec(s, change);
}

/* Readers of another user need -wal and -shm to stay when the last writer leaves. */
static void keep_wal(sqlite3 *db)
{
    int on = 1;

    sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}

/* The views of a file are trusted no more than its data: they may call no function that does more
 * than compute, and no statement writes to SQLite's own tables. */
static void distrust(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
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
    if (!S_ISREG(info.st_mode)) /* opening a pipe waits for the process at its other end */
        return pm_fail(err, PMAPDB_SCHEMA, "'%s' is not a regular file, so not a store", path);
    if (access(path, how) != 0)
        return pm_fail_io(err, errno, "cannot %s the store '%s'", how & W_OK ? "write" : "read",
                          path);
    return PMAPDB_OK;
}

/* The path is a file's name, whatever it looks like: SQLite may take ":memory:" and "file:..." for
 * something else. */
static pmapdb_status open_file(pmapdb_store *s, int flags, sqlite3 **db, pmapdb_error *err)
{
    pm_buf name = {0};
    pmapdb_status st = pm_buf_addf(&name, err, "%s%s", *s->path == '/' ? "" : "./", s->path);

    if (st != PMAPDB_OK)
        return st;
    if (sqlite3_open_v2(name.data, db, OPEN_FLAGS | flags, NULL) != SQLITE_OK)
        st = pm_sql_fail_open(*db, s->path, err);
    pm_buf_free(&name);
    return st;
}

/* The tables of a new store go into the file at once and not through a -wal, for nobody reads it
 * yet; a rollback journal would bring the empty file back. The change to WAL then writes one page,
 * of which one sector changes: whether or not that reaches the disk before a power failure, the
 * tables are there, and the next to open the store makes the change again. */
static void make_tables(pmapdb_store *s, const pm_schema *schema, int busy_ms)
{
    pmapdb_error err = {0};

    exec(s, "PRAGMA synchronous = NORMAL");
    if (pm_sql_ok(s->sql))
        pm_sql_keep(s->sql, pm_migrate(s, schema, true, &err), &err);
    exec(s, "PRAGMA synchronous = OFF");
    switch_to_wal(s, busy_ms);
    exec(s, "PRAGMA user_version"); /* makes the -wal */
}

static pmapdb_status set_up_writer(pmapdb_store *s, const pm_schema *schema, int64_t version,
                                   int busy_ms, pmapdb_error *err)
{
    pmapdb_status st;

    s->writes = true;
    exec(s, "PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
    if (version == 0)
        make_tables(s, schema, busy_ms);
    else
        switch_to_wal(s, busy_ms);
    exec(s, "PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 1073741824");
    st = pm_sql_end(s->sql, err);
    if (st != PMAPDB_OK)
        return st;
    keep_wal(s->db);
    return s->version < schema->version ? pm_migrate(s, schema, true, err) : PMAPDB_OK;
}

static pmapdb_status open_for_writing(pmapdb_store *s, const pmapdb_open_options *o,
                                      const pm_schema *schema, pmapdb_error *err)
{
    int busy_ms = o->busy_ms ? o->busy_ms : BUSY_MS;
    bool create = o->mode == PMAPDB_WRITE;
    int64_t version = 0;
    pmapdb_status st;

    if ((create && (st = create_file(s->path, o, err)) != PMAPDB_OK) ||
        (st = check_file(s->path, R_OK | W_OK, err)) != PMAPDB_OK ||
        (st = pm_foreign_files_check(s->path, true, err)) != PMAPDB_OK ||
        (st = open_file(s, SQLITE_OPEN_READWRITE, &s->db, err)) != PMAPDB_OK)
        return st;
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, busy_ms);
    distrust(s->db);
    st = pm_sql_new(s->db, &s->sql, err);
    if (st == PMAPDB_OK) /* before anything is changed */
        st = pm_check_identity(s, schema, &version, err);
    if (st != PMAPDB_OK)
        return st;
    return version == 0 && !create ? pm_migrate(s, schema, false, err) /* says why not */
                                   : set_up_writer(s, schema, version, busy_ms, err);
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

/* Readers wait, too: the first to open a WAL store recovers it under a lock. */
static pmapdb_status try_read(pmapdb_store *s, const char *uri, int busy_ms, int *why,
                              pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!uri)
        st = open_file(s, SQLITE_OPEN_READONLY, &s->db, err);
    else if (sqlite3_open_v2(uri, &s->db, OPEN_FLAGS | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                             NULL) != SQLITE_OK)
        st = pm_sql_fail_open(s->db, s->path, err);
    if (st == PMAPDB_OK &&
        (sqlite3_busy_timeout(s->db, busy_ms) != SQLITE_OK ||
         sqlite3_exec(s->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK))
        st = pm_sql_fail_open(s->db, s->path, err);
    if (st == PMAPDB_OK) {
        distrust(s->db);
        return st;
    }
    *why = sqlite3_system_errno(s->db);
    sqlite3_close(s->db);
    s->db = NULL;
    return st;
}

/* The machine lacks something; it is not a question of permission. */
static bool is_lack(int os_errno)
{
    return os_errno == EMFILE || os_errno == ENFILE || os_errno == ENOMEM || os_errno == ENOSPC ||
           os_errno == EFBIG;
}

/* A program that is killed while it creates a store, or writes one without a -wal, leaves a journal
 * of how the file was before. A reader must not trust the file then, and may not repair it. */
static pmapdb_status roll_back(pmapdb_store *s, int busy_ms, pmapdb_error *err)
{
    sqlite3 *db = NULL;
    pmapdb_status st = open_file(s, SQLITE_OPEN_READWRITE, &db, NULL);

    if (st != PMAPDB_OK || sqlite3_busy_timeout(db, busy_ms) != SQLITE_OK ||
        sqlite3_exec(db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK)
        st =
            pm_fail(err, PMAPDB_DATABASE,
                    "%s: the last program that wrote was killed; a command of a user who may write "
                    "the store and its folder repairs it",
                    s->path);
    sqlite3_close(db);
    return st;
}

/* Without permission to make the -shm file a WAL store can be read only as a file that nobody
 * changes. Beside a live WAL that would read stale data, so then it is refused. */
static pmapdb_status open_for_reading(pmapdb_store *s, const pmapdb_open_options *o,
                                      const pm_schema *schema, pmapdb_error *err)
{
    pmapdb_error own = {0}; /* its code says what to do next */
    pmapdb_status st = check_file(s->path, R_OK, err = err ? err : &own);
    int busy_ms = o->busy_ms ? o->busy_ms : BUSY_MS, why = 0;
    char *uri;

    if (st == PMAPDB_OK)
        st = pm_foreign_files_check(s->path, false, err);
    if (st != PMAPDB_OK)
        return st;
    st = try_read(s, NULL, busy_ms, &why, err);
    if (st == PMAPDB_DATABASE && err->db_code == SQLITE_READONLY_ROLLBACK) {
        st = roll_back(s, busy_ms, err);
        if (st == PMAPDB_OK)
            st = try_read(s, NULL, busy_ms, &why, err);
    }
    if (st == PMAPDB_DATABASE && !is_lack(why) && wal_is_empty(s->path)) {
        uri = immutable_uri(s->path);
        if (!uri)
            return pm_fail_nomem(err);
        st = try_read(s, uri, busy_ms, &why, err);
        s->immutable = st == PMAPDB_OK;
        free(uri);
    }
    if (st != PMAPDB_OK)
        return st;
    sqlite3_extended_result_codes(s->db, 1);
    st = pm_sql_new(s->db, &s->sql, err);
    if (st != PMAPDB_OK)
        return st;
    exec(s, "PRAGMA query_only = ON; PRAGMA mmap_size = 1073741824;"
            "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
    st = pm_sql_end(s->sql, err);
    return st == PMAPDB_OK ? pm_migrate(s, schema, false, err) : st;
}

pmapdb_status pm_store_open(const char *path, const pmapdb_open_options *options,
                            const pm_schema *schema, pmapdb_store **out, pmapdb_error *err)
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
        st = open_for_writing(s, options, schema, err);
    else
        st = open_for_reading(s, options, schema, err);
    if (st == PMAPDB_OK)
        *out = s;
    else
        pmapdb_close(s);
    return st;
}
