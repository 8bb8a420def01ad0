/* doctor_file: findings about the file: its first bytes, damage, size, disk, permissions. */
#include "store/health/doctor.h"

#include "base/num.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define HEADER_BYTES 100

static int64_t size_of(const char *path, const char *end)
{
    char file[4200];
    struct stat info;

    snprintf(file, sizeof file, "%s%s", path, end);
    return stat(file, &info) == 0 ? (int64_t)info.st_size : 0;
}

/* ---- a store that does not open ---- */

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Examines the first bytes of the file, without SQLite. */
static void tell_header(pm_doctor *d)
{
    unsigned char head[HEADER_BYTES] = {0};
    int64_t bytes = size_of(d->path, "");
    int fd = open(d->path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : pread(fd, head, sizeof head, 0);
    int64_t page = (int64_t)head[16] << 8 | head[17], pages = big_endian(head + 28);

    if (fd >= 0)
        close(fd);
    if (n < (ssize_t)sizeof head || memcmp(head, "SQLite format 3", 16) != 0) {
        pm_doctor_word(d, "header", PMAPDB_HEALTH_TROUBLE, "none",
                       "the file does not begin like a SQLite database: it was overwritten, or is "
                       "another file");
        return;
    }
    page = page == 1 ? 65536 : page;
    if (big_endian(head + 68) != PM_APPLICATION_ID)
        pm_doctor_word(d, "header", PMAPDB_HEALTH_TROUBLE, "other",
                       "a database of another program, or its first page is damaged");
    else if (pages * page > bytes)
        pm_doctor_word(d, "header", PMAPDB_HEALTH_TROUBLE, "cut",
                       "%lld of %lld pages exist: the end of the file is missing",
                       (long long)(bytes / (page ? page : 1)), (long long)pages);
    else
        pm_doctor_word(d, "header", PMAPDB_HEALTH_OK, "pmapdb", "schema %u, %lld pages of %lld",
                       big_endian(head + 60), (long long)pages, (long long)page);
}

void pm_doctor_closed(pm_doctor *d, const pmapdb_error *why)
{
    int code = why->db_code & 0xff;

    pm_doctor_word(d, "open", PMAPDB_HEALTH_TROUBLE, "no", "%.*s", pm_doctor_reason(why),
                   why->text);
    if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB)
        return; /* permissions, another writer, another schema: the bytes are intact */
    tell_header(d);
    pm_doctor_rescue(d);
}

/* Some builds of sqlite3 lack .recover (Debian 12); .dump works with all, but keeps less, and
 * neither application_id nor user_version. */
void pm_doctor_rescue(pm_doctor *d)
{
    pm_doctor_word(d, "next", PMAPDB_HEALTH_NOTE, "rescue",
                   "sqlite3 '%s' .recover | sqlite3 new.db; then pmapdb --db new.db doctor --deep",
                   d->path);
    pm_doctor_word(d, "else", PMAPDB_HEALTH_NOTE, "rescue",
                   "if .recover fails: (sqlite3 '%s' .dump | sed 's/^ROLLBACK.*/COMMIT;/'; "
                   "echo 'PRAGMA application_id = %d; PRAGMA user_version = %d;') | sqlite3 new.db",
                   d->path, PM_APPLICATION_ID, PM_SCHEMA_VERSION);
}

/* ---- damage ---- */

typedef struct problems {
    size_t n;
    char first[320];
} problems;

static void add_problem(problems *p, const char *text)
{
    const char *heading = text[0] == '*' ? strchr(text, '\n') : NULL;
    size_t line = strcspn(text = heading ? heading + 1 : text, "\n");

    if (!p->n++)
        snprintf(p->first, sizeof p->first, "%.*s%s", (int)(line < 240 ? line : 240), text,
                 strstr(text, "failed to get page")
                     ? ": out of memory, or the disk cannot read that page"
                     : "");
}

/* True for a row like "Page 79: unable to get the page. error code=7". */
static bool lacks_memory(const char *text)
{
    static const char key[] = "error code=";
    const char *at = strstr(text, key);
    uint64_t code;

    return at && pm_num_dec(at + strlen(key), strchr(at, '\0'), &code) && code == SQLITE_NOMEM;
}

/* Each row is a problem, except the single word ok. */
static problems problems_of(const pm_doctor *d, const char *pragma)
{
    problems found = {0};
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(d->store->db, pragma, -1, &stmt, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        const char *text;

        rc = sqlite3_step(stmt);
        if (rc != SQLITE_ROW)
            break;
        text = (const char *)sqlite3_column_text(stmt, 0);
        if (text && lacks_memory(text))
            rc = SQLITE_NOMEM;
        else if (text && strcmp(text, "ok") != 0)
            add_problem(&found, text);
    }
    /* Without memory SQLite has other messages, too, such as that a file cannot be opened. */
    if (rc != SQLITE_DONE)
        add_problem(&found, (rc & 0xff) == SQLITE_NOMEM ? sqlite3_errstr(SQLITE_NOMEM)
                                                        : sqlite3_errmsg(d->store->db));
    sqlite3_finalize(stmt);
    return found;
}

void pm_doctor_whole(pm_doctor *d)
{
    bool deep = d->options->deep;
    problems found = problems_of(d, deep ? "PRAGMA integrity_check" : "PRAGMA quick_check");

    d->damaged = found.n > 0;
    pm_doctor_tell(d, "integrity", found.n ? PMAPDB_HEALTH_TROUBLE : PMAPDB_HEALTH_OK, NULL,
                   (double)found.n, "problems", "%s",
                   found.n ? found.first
                   : deep  ? "every page, every index"
                           : "every page; --deep also checks indexes and sums");
    if (!deep)
        return;
    found = problems_of(
        d, "SELECT \"table\" || coalesce(' ' || rowid, '') || "
           "' refers to a row that is missing in ' || parent FROM pragma_foreign_key_check");
    pm_doctor_tell(d, "references", found.n ? PMAPDB_HEALTH_TROUBLE : PMAPDB_HEALTH_OK, NULL,
                   (double)found.n, "problems", "%s",
                   found.n ? found.first : "every row that another row refers to exists");
    d->damaged |= found.n > 0;
}

/* ---- size and disk ---- */

void pm_doctor_measure(pm_doctor *d)
{
    struct statvfs disk;

    d->file_bytes = size_of(d->path, "");
    d->wal_bytes = size_of(d->path, "-wal");
    if (statvfs(d->path, &disk) != 0) {
        char why[128];

        pm_doctor_word(d, "disk", PMAPDB_HEALTH_NOTE, "?", "%s",
                       strerror_r(errno, why, sizeof why));
        return;
    }
    d->disk_kib = (int64_t)((double)disk.f_blocks * (double)disk.f_frsize / 1024);
    d->free_kib = (int64_t)((double)disk.f_bavail * (double)disk.f_frsize / 1024);
}

/* ---- permission to write ---- */

/* The user of the doctor need not be the one who writes. */
void pm_doctor_writable(pm_doctor *d)
{
    char *folder = strdup(d->path), *slash = folder ? strrchr(folder, '/') : NULL;
    const char *in = slash == folder ? "/" : slash ? folder : ".";
    int file = access(d->path, W_OK) == 0 ? 0 : errno, place;
    char why[128];

    if (slash)
        *slash = '\0';
    place = access(in, W_OK) == 0 ? 0 : errno;
    if (!file && !place)
        pm_doctor_word(d, "write", PMAPDB_HEALTH_OK, "yes", "this user may write to the store");
    else if (file == EROFS || place == EROFS)
        pm_doctor_word(d, "write", PMAPDB_HEALTH_TROUBLE, "no",
                       "the file system is mounted read-only");
    else
        pm_doctor_word(d, "write", PMAPDB_HEALTH_NOTE, "no", "this user may not write the %s: %s",
                       file ? "file" : "folder", strerror_r(file ? file : place, why, sizeof why));
    free(folder);
}
