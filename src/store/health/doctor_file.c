/* doctor_file: whether the file is whole, of which schema it is, how large, on what disk. */
#include "store/health/doctor.h"

#include "render/number.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define HEADER_BYTES 100
#define MANY_FREE 0.25      /* of the file's pages */
#define LARGE_WAL_KIB 65536 /* checkpoints keep it at some MiB */
/* A write goes to the -wal first, which takes some MiB; a large store is one of a large host, whose
 * captures are large. How long the rest lasts is growth's. */
#define LITTLE_DISK_KIB 4096
#define LITTLE_DISK_MOST_KIB 65536
#define LITTLE_DISK_PART 8 /* of the store's size, between the two */

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

/* What the first bytes of the file say, without SQLite. */
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
                       "the file does not begin as a database does: overwritten, or another file");
        return;
    }
    page = page == 1 ? 65536 : page;
    if (big_endian(head + 68) != PM_APPLICATION_ID)
        pm_doctor_word(d, "header", PMAPDB_HEALTH_TROUBLE, "other",
                       "a database of another program, or its first page is damaged");
    else if (pages * page > bytes)
        pm_doctor_word(d, "header", PMAPDB_HEALTH_TROUBLE, "cut",
                       "%lld of %lld pages are there: the file was cut",
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
        return; /* permissions, a writer that holds it, another schema: the bytes are as written */
    tell_header(d);
    pm_doctor_rescue(d);
}

/* Not every sqlite3 is built with .recover (Debian 12 has none); .dump works with all, keeps less,
 * and does not know whose file it is. */
void pm_doctor_rescue(pm_doctor *d)
{
    pm_doctor_word(d, "next", PMAPDB_HEALTH_NOTE, "rescue",
                   "sqlite3 '%s' .recover | sqlite3 new.db; then pmapdb --db new.db doctor --deep",
                   d->path);
    pm_doctor_word(
        d, "else", PMAPDB_HEALTH_NOTE, "rescue",
        "where .recover is an error: (sqlite3 '%s' .dump | sed 's/^ROLLBACK.*/COMMIT;/'; "
        "echo 'PRAGMA application_id = %d; PRAGMA user_version = %d;') | sqlite3 new.db",
        d->path, PM_APPLICATION_ID, PM_SCHEMA_VERSION);
}

/* ---- whole ---- */

typedef struct problems {
    size_t n;
    char first[320];
} problems;

static void add_problem(problems *p, const char *text)
{
    const char *heading = text[0] == '*' ? strchr(text, '\n') : NULL;
    size_t line = strcspn(text = heading ? heading + 1 : text, "\n");

    if (!p->n++)
        snprintf(p->first, sizeof p->first, "%.*s", (int)(line < 300 ? line : 300), text);
}

/* Each row is a problem, but for the single word ok. */
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
        if (text && strcmp(text, "ok") != 0)
            add_problem(&found, text);
    }
    /* For want of memory there are other words, too, as of a file that cannot be opened. */
    if (rc != SQLITE_DONE)
        add_problem(&found, (rc & 0xff) == SQLITE_NOMEM ? sqlite3_errstr(SQLITE_NOMEM)
                                                        : sqlite3_errmsg(d->store->db));
    sqlite3_finalize(stmt);
    return found;
}

static void check_references(pm_doctor *d)
{
    problems found =
        problems_of(d, "SELECT \"table\" || coalesce(' ' || rowid, '') || "
                       "' names what is not in ' || parent FROM pragma_foreign_key_check");

    pm_doctor_tell(d, "references", found.n ? PMAPDB_HEALTH_TROUBLE : PMAPDB_HEALTH_OK,
                   (double)found.n, "problems", "%s",
                   found.n ? found.first : "every row that another one names is there");
    d->damaged |= found.n > 0;
}

void pm_doctor_whole(pm_doctor *d)
{
    bool deep = d->options->deep;
    problems found = problems_of(d, deep ? "PRAGMA integrity_check" : "PRAGMA quick_check");

    d->damaged = found.n > 0;
    pm_doctor_tell(d, "integrity", found.n ? PMAPDB_HEALTH_TROUBLE : PMAPDB_HEALTH_OK,
                   (double)found.n, "problems", "%s",
                   found.n ? found.first
                   : deep  ? "every page, every index"
                           : "every page; --deep also holds indexes and sums against the rows");
    if (deep)
        check_references(d);
}

/* ---- of which schema ---- */

static double pragma(const pm_doctor *d, const char *sql)
{
    int64_t v = PMAPDB_UNKNOWN;
    pmapdb_error err;

    return pm_sql_int(d->store->sql, sql, PM_NO_ARGS, PMAPDB_UNKNOWN, &v, &err) == PMAPDB_OK &&
                   v != PMAPDB_UNKNOWN
               ? (double)v
               : NAN;
}

/* That it is ours and not newer was checked by opening it. */
static void check_schema(pm_doctor *d)
{
    double version = pragma(d, "PRAGMA user_version");

    pm_doctor_tell(d, "schema", PMAPDB_HEALTH_OK, version, "version", "%s",
                   pmapdb_is_immutable(d->store)
                       ? "read as a file that nobody changes (no permission for its -shm)"
                       : "the newest that this pmapdb knows");
}

/* ---- how large ---- */

static void check_size(pm_doctor *d)
{
    double pages = pragma(d, "PRAGMA page_count"), page = pragma(d, "PRAGMA page_size");
    double unused = pragma(d, "PRAGMA freelist_count"),
           wal = (double)size_of(d->path, "-wal") / 1024;
    char wal_text[PM_NUMBER_TEXT] = "?";
    bool many_free = unused > MANY_FREE * pages, large_wal = wal > LARGE_WAL_KIB;
    double kib = (double)size_of(d->path, "") / 1024;

    d->size_kib = (int64_t)(kib + wal);
    pm_number_size(wal, wal_text);
    pm_doctor_tell(d, "size", large_wal ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK, kib, "KiB",
                   "%.0f pages of %.0f bytes; -wal %s%s", pages, page, wal_text,
                   large_wal ? ": a reader that stays open keeps it from being taken in" : "");
    pm_doctor_tell(d, "free", many_free ? PMAPDB_HEALTH_NOTE : PMAPDB_HEALTH_OK,
                   unused * page / 1024, "KiB", "of the file is unused%s",
                   many_free ? ": --compact gives it back" : "");
}

static void check_journal(pm_doctor *d)
{
    sqlite3_stmt *stmt = NULL;
    char mode[16] = "?";

    if (sqlite3_prepare_v2(d->store->db, "PRAGMA journal_mode", -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        snprintf(mode, sizeof mode, "%s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    if (strcmp(mode, "wal") == 0)
        pm_doctor_word(d, "journal", PMAPDB_HEALTH_OK, mode, "readers and a writer do not wait");
    else if (pmapdb_is_immutable(d->store))
        pm_doctor_word(d, "journal", PMAPDB_HEALTH_OK, mode, "not known of an unchanging file");
    else
        pm_doctor_word(d, "journal", PMAPDB_HEALTH_NOTE, mode,
                       "not wal: readers and writers wait for each other; the next import sets it");
}

/* ---- on what disk ---- */

static void check_disk(pm_doctor *d)
{
    struct statvfs disk;
    double unit, floor_kib;
    char all[PM_NUMBER_TEXT];
    bool little;

    if (statvfs(d->path, &disk) != 0) {
        char why[128];

        pm_doctor_word(d, "disk", PMAPDB_HEALTH_NOTE, "?", "%s",
                       strerror_r(errno, why, sizeof why));
        return;
    }
    unit = (double)disk.f_frsize / 1024;
    pm_number_size((double)disk.f_blocks * unit, all);
    d->free_kib = (int64_t)((double)disk.f_bavail * unit);
    floor_kib =
        fmin(fmax((double)d->size_kib / LITTLE_DISK_PART, LITTLE_DISK_KIB), LITTLE_DISK_MOST_KIB);
    little = (double)d->free_kib < floor_kib;
    pm_doctor_tell(d, "disk",
                   little                      ? PMAPDB_HEALTH_TROUBLE
                   : d->free_kib < d->size_kib ? PMAPDB_HEALTH_NOTE
                                               : PMAPDB_HEALTH_OK,
                   (double)d->free_kib, "KiB", "free of %s%s", all,
                   little                      ? ": the next captures may be lost: pmapdb prune"
                   : d->free_kib < d->size_kib ? ": less than the store, which a VACUUM needs"
                                               : "");
}

static void tell_unwritable(pm_doctor *d, const char *what, int os_errno)
{
    char why[128];

    pm_doctor_word(d, "write", PMAPDB_HEALTH_NOTE, "no", "this user may not write the %s: %s", what,
                   strerror_r(os_errno, why, sizeof why));
}

/* Who may write need not be who asks. */
static void check_writable(pm_doctor *d)
{
    char *folder = strdup(d->path), *slash = folder ? strrchr(folder, '/') : NULL;
    const char *in = slash == folder ? "/" : slash ? folder : ".";
    int file = access(d->path, W_OK) == 0 ? 0 : errno, place;

    if (slash)
        *slash = '\0';
    place = access(in, W_OK) == 0 ? 0 : errno;
    if (!file && !place)
        pm_doctor_word(d, "write", PMAPDB_HEALTH_OK, "yes", "this user may");
    else if (file == EROFS || place == EROFS)
        pm_doctor_word(d, "write", PMAPDB_HEALTH_TROUBLE, "no",
                       "the file system is mounted read-only");
    else
        tell_unwritable(d, file ? "file" : "folder", file ? file : place);
    free(folder);
}

void pm_doctor_file(pm_doctor *d)
{
    check_schema(d);
    check_size(d);
    check_journal(d);
    check_disk(d);
    check_writable(d);
}
