/* fault_vfs: SQLite's files. The n-th call fails, or the program ends there and the bytes
 * written since the last sync are kept, lost or torn. */
#include "fault/fault.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR 512

/* The bytes of a sector before its first write since the last sync. */
typedef struct undo {
    struct undo *next;
    sqlite3_int64 at;
    char was[SECTOR];
    int n; /* bytes of the sector in the file then */
} undo;

typedef struct file {
    sqlite3_file base;
    struct file *next;
    undo *undos;
    sqlite3_int64 was_size;
    bool changed; /* since the last sync: was_size is set */
    sqlite3_file *real;
} file;

static sqlite3_vfs *real_vfs, shim;
static file *files; /* that are open */
static int last_errno;

#define REAL(f) (((file *)(f))->real)

/* ---- the end ---- */

static void undo_file(const file *f, bool torn)
{
    const sqlite3_io_methods *m = f->real->pMethods;
    uint64_t chance = fault_now->n;

    for (const undo *u = f->undos; u; u = u->next) {
        chance = chance * 6364136223846793005U + 1442695040888963407U;
        if (u->n && (!torn || chance >> 63))
            m->xWrite(f->real, u->was, u->n, u->at);
    }
    if (f->changed && !torn)
        m->xTruncate(f->real, f->was_size);
}

static void die(void)
{
    fault_how how = fault_now->kind->how;

    for (const file *f = files; f; f = f->next)
        if (f->undos || f->changed)
            if (how != FAULT_DIES)
                undo_file(f, how == FAULT_TEARS);
    _exit(FAULT_DIED);
}

/* True if the call is to fail; does not return if the program is to end. */
static bool fails(unsigned call)
{
    if (!fault_due(call))
        return false;
    if (fault_now->kind->how > FAULT_SHORT)
        die();
    last_errno = errno = fault_now->kind->os_errno;
    return true;
}

static int code(int of_io)
{
    return fault_now->kind->os_errno == ENOSPC ? SQLITE_FULL : of_io;
}

/* ---- what a power cut takes back ---- */

static bool loses(void)
{
    return fault_now->armed && fault_now->kind && fault_now->kind->how > FAULT_DIES;
}

static void forget(file *f)
{
    for (undo *u = f->undos, *next; u; u = next) {
        next = u->next;
        free(u);
    }
    f->undos = NULL;
    f->changed = false;
}

static void note_size(file *f)
{
    if (!f->changed)
        f->real->pMethods->xFileSize(f->real, &f->was_size);
    f->changed = true;
}

static void note_sector(file *f, sqlite3_int64 at)
{
    undo *u;
    sqlite3_int64 left = f->was_size - at;

    for (u = f->undos; u && u->at != at; u = u->next)
        ;
    if (u || left <= 0)
        return;
    u = calloc(1, sizeof *u);
    if (!u)
        abort();
    u->at = at;
    u->n = left < SECTOR ? (int)left : SECTOR;
    f->real->pMethods->xRead(f->real, u->was, u->n, at);
    u->next = f->undos;
    f->undos = u;
}

static void note(file *f, sqlite3_int64 at, sqlite3_int64 n)
{
    note_size(f);
    for (sqlite3_int64 sector = at / SECTOR * SECTOR; sector < at + n; sector += SECTOR)
        note_sector(f, sector);
}

/* ---- a file ---- */

static int vfs_close(sqlite3_file *base)
{
    file *f = (file *)base, **at = &files;
    int rc = f->real->pMethods->xClose(f->real);

    while (*at && *at != f)
        at = &(*at)->next;
    if (*at)
        *at = f->next;
    forget(f);
    free(f->real);
    return rc;
}

static int vfs_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    if (fails(FAULT_DB_READ))
        return SQLITE_IOERR_READ;
    return REAL(f)->pMethods->xRead(REAL(f), p, n, at);
}

static int vfs_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    if (fails(FAULT_DB_WRITE)) {
        if (fault_now->kind->how == FAULT_SHORT)
            REAL(f)->pMethods->xWrite(REAL(f), p, n / 2, at);
        return code(SQLITE_IOERR_WRITE);
    }
    if (loses())
        note((file *)f, at, n);
    return REAL(f)->pMethods->xWrite(REAL(f), p, n, at);
}

static int vfs_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    file *f = (file *)base;

    if (fails(FAULT_DB_TRUNCATE))
        return SQLITE_IOERR_TRUNCATE;
    if (loses()) {
        note_size(f);
        note(f, size, f->was_size > size ? f->was_size - size : 0);
    }
    return f->real->pMethods->xTruncate(f->real, size);
}

static int vfs_sync(sqlite3_file *f, int how)
{
    if (fails(FAULT_DB_SYNC))
        return SQLITE_IOERR_FSYNC;
    forget((file *)f);
    return REAL(f)->pMethods->xSync(REAL(f), how);
}

static int vfs_size(sqlite3_file *f, sqlite3_int64 *size)
{
    if (fails(FAULT_DB_SIZE))
        return SQLITE_IOERR_FSTAT;
    return REAL(f)->pMethods->xFileSize(REAL(f), size);
}

static int vfs_lock(sqlite3_file *f, int how)
{
    return fails(FAULT_DB_LOCK) ? SQLITE_IOERR_LOCK : REAL(f)->pMethods->xLock(REAL(f), how);
}

static int vfs_unlock(sqlite3_file *f, int how)
{
    return REAL(f)->pMethods->xUnlock(REAL(f), how);
}

static int vfs_reserved(sqlite3_file *f, int *out)
{
    return REAL(f)->pMethods->xCheckReservedLock(REAL(f), out);
}

static int vfs_control(sqlite3_file *f, int what, void *p)
{
    return REAL(f)->pMethods->xFileControl(REAL(f), what, p);
}

static int vfs_sector(sqlite3_file *f)
{
    return REAL(f)->pMethods->xSectorSize(REAL(f));
}

/* A sector may be torn: nothing is atomic. */
static int vfs_traits(sqlite3_file *f)
{
    (void)f;
    return 0;
}

static int vfs_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    if (fails(FAULT_DB_SHM))
        return code(SQLITE_IOERR_SHMMAP) == SQLITE_FULL ? SQLITE_IOERR_SHMSIZE
                                                        : SQLITE_IOERR_SHMMAP;
    return REAL(f)->pMethods->xShmMap(REAL(f), page, size, extend, out);
}

static int vfs_shm_lock(sqlite3_file *f, int at, int n, int how)
{
    if (how & SQLITE_SHM_LOCK && fails(FAULT_DB_SHM_LOCK))
        return SQLITE_IOERR_SHMLOCK;
    return REAL(f)->pMethods->xShmLock(REAL(f), at, n, how);
}

static void vfs_barrier(sqlite3_file *f)
{
    REAL(f)->pMethods->xShmBarrier(REAL(f));
}

static int vfs_unmap(sqlite3_file *f, int remove)
{
    return REAL(f)->pMethods->xShmUnmap(REAL(f), remove);
}

/* Maps nothing if reads are to fail, so that every access is a read. */
static int vfs_fetch(sqlite3_file *f, sqlite3_int64 at, int n, void **out)
{
    *out = NULL;
    if (fault_now->kind && fault_now->kind->calls & FAULT_DB_READ)
        return SQLITE_OK;
    return REAL(f)->pMethods->xFetch(REAL(f), at, n, out);
}

static int vfs_unfetch(sqlite3_file *f, sqlite3_int64 at, void *p)
{
    return REAL(f)->pMethods->xUnfetch(REAL(f), at, p);
}

static const sqlite3_io_methods methods = {
    3,           vfs_close,  vfs_read,   vfs_write,   vfs_truncate,
    vfs_sync,    vfs_size,   vfs_lock,   vfs_unlock,  vfs_reserved,
    vfs_control, vfs_sector, vfs_traits, vfs_shm_map, vfs_shm_lock,
    vfs_barrier, vfs_unmap,  vfs_fetch,  vfs_unfetch};

/* ---- the file system ---- */

static int vfs_open(sqlite3_vfs *v, const char *path, sqlite3_file *base, int flags, int *got)
{
    file *f = (file *)base;
    int rc;

    (void)v;
    *f = (file){.next = files};
    if (fails(FAULT_DB_OPEN))
        return SQLITE_CANTOPEN;
    f->real = calloc(1, (size_t)real_vfs->szOsFile);
    if (!f->real)
        return SQLITE_NOMEM;
    rc = real_vfs->xOpen(real_vfs, path, f->real, flags, got);
    if (rc != SQLITE_OK) {
        free(f->real);
        return rc;
    }
    f->base.pMethods = &methods;
    files = f;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *v, const char *path, int sync)
{
    (void)v;
    return fails(FAULT_DB_DELETE) ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, path, sync);
}

static int vfs_access(sqlite3_vfs *v, const char *path, int how, int *out)
{
    (void)v;
    return fails(FAULT_DB_ACCESS) ? SQLITE_IOERR_ACCESS
                                  : real_vfs->xAccess(real_vfs, path, how, out);
}

static int vfs_last_error(sqlite3_vfs *v, int n, char *out)
{
    (void)v;
    return last_errno ? last_errno : real_vfs->xGetLastError(real_vfs, n, out);
}

void fault_vfs_start(void)
{
    real_vfs = sqlite3_vfs_find(NULL);
    shim = *real_vfs;
    shim.zName = "fault";
    shim.pNext = NULL;
    shim.szOsFile = sizeof(file);
    shim.xOpen = vfs_open;
    shim.xDelete = vfs_delete;
    shim.xAccess = vfs_access;
    shim.xGetLastError = vfs_last_error;
    sqlite3_vfs_register(&shim, 1);
}
