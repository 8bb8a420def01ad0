/* open: creates or opens the file of a store, or refuses it and reports the cause. */
#include "store/file/store.h"

#include "base/buf.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MS 60000
#define TURN_MS 100
#define SET_UP "set up the connection"
/* Only one thread at a time uses a handle: SQLite need not lock it for every value. */
#define OPEN_FLAGS (SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX)

/* ---- files of others ---- */

static pmapdb_status check_beside(const char *store, const char *end, bool open_to_all,
                                  pmapdb_error *err)
{
    pm_buf path = {0};
    struct stat info;
    pmapdb_status st = pm_buf_addf(&path, err, "%s%s", store, end);

    if (st == PMAPDB_OK && lstat(path.data, &info) == 0) {
        if (!S_ISREG(info.st_mode))
            st = pm_fail(err, PMAPDB_SCHEMA,
                         "'%s' is not a regular file, so SQLite did not make it: remove it",
                         path.data);
        else if (open_to_all && info.st_uid != geteuid() && info.st_uid != 0)
            st = pm_fail(err, PMAPDB_SCHEMA,
                         "'%s' belongs to another user, in a folder where every user may create "
                         "files: keep the store in a folder of your own",
                         path.data);
    }
    pm_buf_free(&path);
    return st;
}

/* Returns PMAPDB_SCHEMA if STORE-wal, -shm or -journal is not a regular file: SQLite would write to
 * wherever it leads. For a writer also if the store or one of these files belongs to another user
 * and every user may create files in the folder: the owner could read the stored data. A missing
 * file is fine. */
static pmapdb_status check_files(const char *store, bool writes, pmapdb_error *err)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char *real = realpath(store, NULL); /* SQLite keeps its files next to the real path */
    pm_text whole = pm_text_of(real ? real : store), name = pm_text_basename(whole);
    bool open_to_all; /* every user may create files in the folder, as in /tmp */
    pm_buf folder = {0};
    struct stat info;
    pmapdb_status st;

    if (!real && errno == ENOMEM)
        return pm_fail_nomem(err);
    st = pm_buf_addf(&folder, err, "%.*s.", (int)(whole.len - name.len), whole.data);
    open_to_all =
        writes && st == PMAPDB_OK && stat(folder.data, &info) == 0 && (info.st_mode & S_IWOTH);
    for (size_t i = 0; i < sizeof ends / sizeof *ends && st == PMAPDB_OK; i++)
        st = check_beside(whole.data, ends[i], open_to_all, err);
    pm_buf_free(&folder);
    free(real);
    return st;
}

/* ---- the file ---- */

/* Uses getgrnam_r, because all threads share the result of getgrnam. Tries larger buffers until the
 * entry fits. */
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
    mode_t mode = o->file_mode ? (mode_t)o->file_mode & 0666 : 0600; /* never executable */
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

/* Tries again until the timeout: SQLite does not call the busy handler for the change to WAL, which
 * fails while another process makes it. */
static void switch_to_wal(pmapdb_store *s, int busy_ms)
{
    static const int pause_ms = 20;
    int rc = SQLITE_BUSY;

    for (int waited = 0; pm_sql_ok(s->sql) && rc == SQLITE_BUSY; waited += pause_ms) {
        if (waited)
            sqlite3_sleep(pause_ms);
        rc = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (rc != SQLITE_OK && (rc != SQLITE_BUSY || waited >= busy_ms))
            PM_SQL_STEP(s->sql, pm_sql_fail(s->db, SET_UP, &err));
    }
}

/* Trusts the views of a file no more than its data: they may call only functions that compute, and
 * no statement writes to SQLite's own tables. */
static void distrust(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
}

/* Reports the cause from the system, because SQLite only says "unable to open". */
static pmapdb_status check_file(const char *path, int how, pmapdb_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return errno == ENOENT ? pm_fail(err, PMAPDB_NOTFOUND,
                                         "no store at '%s'; import or capture first", path)
                               : pm_fail_io(err, errno, "cannot open the store '%s'", path);
    if (S_ISDIR(info.st_mode))
        return pm_fail(err, PMAPDB_SCHEMA, "'%s' is a directory, not a store", path);
    if (!S_ISREG(info.st_mode)) /* opening a pipe would wait for the process at its other end */
        return pm_fail(err, PMAPDB_SCHEMA, "'%s' is not a regular file, so not a store", path);
    if (access(path, how) != 0)
        return pm_fail_io(err, errno, "cannot %s the store '%s'", how & W_OK ? "write" : "read",
                          path);
    return PMAPDB_OK;
}

/* Opens the path as a file name, whatever its form: SQLite may interpret ":memory:" and "file:..."
 * otherwise. */
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

/* Writes the tables of a new store directly into the file, not through a -wal, because no process
 * reads it yet; a rollback journal would restore the empty file. The change to WAL then writes one
 * page, in which one sector changes: whether or not the sector reaches the disk before a power
 * failure, the tables exist, and the next process that opens the store makes the change again. */
static void make_tables(pmapdb_store *s)
{
    pm_sql_exec(s->sql, "PRAGMA synchronous = NORMAL", SET_UP);
    PM_SQL_STEP(s->sql, pm_migrate(s, &pm_schema_built_in, true, &err));
    pm_sql_exec(s->sql, "PRAGMA synchronous = OFF", SET_UP);
}

static pmapdb_status set_up_writer(pmapdb_store *s, int busy_ms, pmapdb_error *err)
{
    int on = 1;
    pmapdb_status st;

    s->writes = true;
    pm_sql_exec(s->sql,
                "PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY",
                SET_UP);
    if (s->version == 0)
        make_tables(s);
    switch_to_wal(s, busy_ms);
    /* The first read creates the -wal and -shm, also of a store that was not in WAL mode: another
     * program changed its mode, or the program that made its tables was killed. */
    pm_sql_exec(s->sql, "PRAGMA user_version", SET_UP);
    pm_sql_exec(s->sql, "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216",
                SET_UP);
    st = pm_sql_end(s->sql, err);
    if (st != PMAPDB_OK)
        return st;
    /* -wal and -shm stay when the last writer closes: readers of another user need them */
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
    s->wal_pages = PM_WAL_LONG;
    sqlite3_wal_hook(s->db, pm_store_on_commit, s);
    return s->version < PM_SCHEMA_VERSION ? pm_migrate(s, &pm_schema_built_in, true, err)
                                          : PMAPDB_OK;
}

static pmapdb_status open_for_writing(pmapdb_store *s, const pmapdb_open_options *o,
                                      pmapdb_error *err)
{
    int busy_ms = o->busy_ms ? o->busy_ms : BUSY_MS;
    bool create = o->mode == PMAPDB_WRITE;
    pmapdb_status st;

    s->in_memory = create && o->in_memory;
    if (!s->in_memory && ((create && (st = create_file(s->path, o, err)) != PMAPDB_OK) ||
                          (st = check_file(s->path, R_OK | W_OK, err)) != PMAPDB_OK ||
                          (st = check_files(s->path, true, err)) != PMAPDB_OK))
        return st;
    st = open_file(s, SQLITE_OPEN_READWRITE | (s->in_memory ? SQLITE_OPEN_MEMORY : 0), &s->db, err);
    if (st != PMAPDB_OK)
        return st;
    sqlite3_extended_result_codes(s->db, 1);
    pm_store_set_patience(s, busy_ms);
    distrust(s->db);
    st = pm_sql_new(s->db, &s->sql, err);
    if (st == PMAPDB_OK) /* before anything is changed */
        st = pm_check_identity(s, &pm_schema_built_in, err);
    if (st != PMAPDB_OK)
        return st;
    return s->version == 0 && !create
               ? pm_migrate(s, &pm_schema_built_in, false, err) /* reports why not */
               : set_up_writer(s, busy_ms, err);
}

/* Builds the URI; '?', '#' and '%' have a meaning in it and are escaped. */
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

/* Opens the file and reads once. Readers wait, too: the first process that opens a WAL store
 * recovers it under a lock. */
static pmapdb_status try_read(pmapdb_store *s, const char *uri, int busy_ms, int *why,
                              pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!uri)
        st = open_file(s, SQLITE_OPEN_READONLY, &s->db, err);
    else if (sqlite3_open_v2(uri, &s->db, OPEN_FLAGS | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                             NULL) != SQLITE_OK)
        st = pm_sql_fail_open(s->db, s->path, err);
    if (st == PMAPDB_OK)
        pm_store_set_patience(s, busy_ms);
    if (st == PMAPDB_OK &&
        sqlite3_exec(s->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK)
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

/* True if the machine lacks a resource, as opposed to a permission. */
static bool is_lack(int os_errno)
{
    return os_errno == EMFILE || os_errno == ENFILE || os_errno == ENOMEM || os_errno == ENOSPC ||
           os_errno == EFBIG;
}

/* Repairs a store by its journal. A program that is killed while it creates a store, or writes one
 * without a -wal, leaves a journal of the previous state. A reader must not trust the file then and
 * may not repair it. */
static pmapdb_status roll_back(pmapdb_store *s, int busy_ms, pmapdb_error *err)
{
    sqlite3 *db = NULL;
    pmapdb_status st = open_file(s, SQLITE_OPEN_READWRITE, &db, NULL);

    if (st != PMAPDB_OK || sqlite3_busy_timeout(db, busy_ms) != SQLITE_OK ||
        sqlite3_exec(db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK)
        st = pm_fail(err, PMAPDB_DATABASE,
                     "%s: the last program that wrote was killed; to repair the store, run a "
                     "command as a user who may write it and its folder",
                     s->path);
    sqlite3_close(db);
    return st;
}

/* Without permission to create the -shm file, a WAL store can be read only as a file that never
 * changes. Next to a live WAL that would read stale data, so the store is refused. */
static pmapdb_status open_for_reading(pmapdb_store *s, const pmapdb_open_options *o,
                                      pmapdb_error *err)
{
    pmapdb_error own = {0}; /* its db_code decides the next step */
    pmapdb_status st = check_file(s->path, R_OK, err = err ? err : &own);
    int busy_ms = o->busy_ms ? o->busy_ms : BUSY_MS, why = 0;
    char *uri, wal[4096];

    PM_STEP(st, check_files(s->path, false, err));
    if (st != PMAPDB_OK)
        return st;
    st = try_read(s, NULL, busy_ms, &why, err);
    if (st == PMAPDB_DATABASE && err->db_code == SQLITE_READONLY_ROLLBACK) {
        st = roll_back(s, busy_ms, err);
        PM_STEP(st, try_read(s, NULL, busy_ms, &why, err));
    }
    snprintf(wal, sizeof wal, "%s-wal", s->path);
    if (st == PMAPDB_DATABASE && !is_lack(why) && pm_wal_is_empty(wal)) {
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
    pm_sql_exec(s->sql, "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY", SET_UP);
    st = pm_sql_end(s->sql, err);
    return st == PMAPDB_OK ? pm_migrate(s, &pm_schema_built_in, false, err) : st;
}

pmapdb_status pmapdb_open(const char *path, const pmapdb_open_options *options, pmapdb_store **out,
                          pmapdb_error *err)
{
    pmapdb_store *s = calloc(1, sizeof *s);
    pmapdb_status st;

    if (!s)
        return pm_fail_nomem(err);
    s->turn_ms = TURN_MS;
    s->path = strdup(path);
    s->query_dir = options->query_dir ? strdup(options->query_dir) : NULL;
    if (!s->path || (options->query_dir && !s->query_dir))
        st = pm_fail_nomem(err);
    else if (options->mode != PMAPDB_READ)
        st = open_for_writing(s, options, err);
    else
        st = open_for_reading(s, options, err);
    if (st == PMAPDB_OK)
        *out = s;
    else
        pmapdb_close(s);
    return st;
}
