/* fault: the kinds of faults, and whose turn it is. */
#include "fault/fault.h"
#include "base/hash.h"

#include <errno.h>
#include <execinfo.h>

#define FRAMES 16
#define SLOTS (sizeof fault_places_now->stack / sizeof *fault_places_now->stack)
#define PROBES 64

#define FULL                                                                                \
    (FAULT_DB_WRITE | FAULT_DB_SHM | FAULT_WRITE | FAULT_STREAM | FAULT_SYNC | FAULT_ROOM | \
     FAULT_TEMP)

const fault_kind fault_kinds[] = {
    {"alloc", FAULT_ALLOC, ENOMEM, FAULT_FAILS, false},
    {"db-write", FAULT_DB_WRITE, EIO, FAULT_FAILS, false},
    {"db-full", FAULT_DB_WRITE, ENOSPC, FAULT_FAILS, false},
    {"db-short", FAULT_DB_WRITE, ENOSPC, FAULT_SHORT, false},
    {"db-sync", FAULT_DB_SYNC, EIO, FAULT_FAILS, false},
    {"db-truncate", FAULT_DB_TRUNCATE, EIO, FAULT_FAILS, false},
    {"db-open", FAULT_DB_OPEN, EMFILE, FAULT_FAILS, false},
    {"db-read", FAULT_DB_READ, EIO, FAULT_FAILS, false},
    {"db-shm", FAULT_DB_SHM, EIO, FAULT_FAILS, false},
    {"db-shm-lock", FAULT_DB_SHM_LOCK, EIO, FAULT_FAILS, false},
    {"db-lock", FAULT_DB_LOCK, EIO, FAULT_FAILS, false},
    {"db-delete", FAULT_DB_DELETE, EIO, FAULT_FAILS, false},
    {"db-size", FAULT_DB_SIZE, EIO, FAULT_FAILS, false},
    {"db-access", FAULT_DB_ACCESS, EIO, FAULT_FAILS, false},
    {"disk-full", FULL, ENOSPC, FAULT_FAILS, false},
    {"killed", FAULT_DB_CHANGE, 0, FAULT_DIES, true},
    {"power-cut", FAULT_DB_CHANGE, 0, FAULT_LOSES, true},
    {"torn", FAULT_DB_CHANGE, 0, FAULT_TEARS, true},
    {"open", FAULT_OPEN, EIO, FAULT_FAILS, false},
    {"open-many", FAULT_OPEN, EMFILE, FAULT_FAILS, false},
    {"open-intr", FAULT_OPEN, EINTR, FAULT_FAILS, true},
    {"read", FAULT_READ, EIO, FAULT_FAILS, false},
    {"read-intr", FAULT_READ, EINTR, FAULT_FAILS, true},
    {"read-short", FAULT_READ, 0, FAULT_SHORT, false},
    {"write", FAULT_WRITE, EIO, FAULT_FAILS, false},
    {"write-full", FAULT_WRITE, ENOSPC, FAULT_FAILS, false},
    {"write-intr", FAULT_WRITE, EINTR, FAULT_FAILS, true},
    {"write-short", FAULT_WRITE, 0, FAULT_SHORT, false},
    {"fsync", FAULT_SYNC, EIO, FAULT_FAILS, true},
    {"rename", FAULT_RENAME, EIO, FAULT_FAILS, true},
    {"rename-plain", FAULT_RENAME, EINVAL, FAULT_FAILS, true}, /* renameat2 without flags */
    {"stat", FAULT_STAT, EIO, FAULT_FAILS, false},
    {"folder", FAULT_FOLDER, EIO, FAULT_FAILS, false},
    {"stream", FAULT_STREAM, EIO, FAULT_FAILS, false},
    {"lock", FAULT_LOCK, ENOLCK, FAULT_FAILS, false},
    {"room", FAULT_ROOM, EIO, FAULT_FAILS, false},
    {"temp", FAULT_TEMP, EACCES, FAULT_FAILS, false},
};
const size_t fault_n_kinds = sizeof fault_kinds / sizeof *fault_kinds;

fault *fault_now;
fault_places *fault_places_now;

static bool is_new(uint64_t *stack, uint64_t hash)
{
    for (uint64_t i = 0; i < PROBES; i++) {
        uint64_t *slot = &stack[(hash + i) % SLOTS];

        if (*slot == hash)
            return false;
        if (!*slot) {
            *slot = hash;
            return true;
        }
    }
    return true;
}

/* backtrace() may allocate; its allocations do not count. */
static void note_place(fault_places *places, uint64_t n)
{
    void *frame[FRAMES];
    int depth;

    if (n >= sizeof places->first)
        return;
    fault_now->armed = false;
    depth = backtrace(frame, FRAMES);
    fault_now->armed = true;
    places->first[n] = is_new(places->stack, pm_hash(frame, (size_t)depth * sizeof *frame, 0) | 1);
}

bool fault_due(unsigned call)
{
    fault *f = fault_now;

    if (!f || !f->armed || !f->kind || !(f->kind->calls & call))
        return false;
    f->seen++;
    if (fault_places_now)
        note_place(fault_places_now, f->seen);
    if (!f->n || (f->onwards ? f->seen < f->n : f->seen != f->n))
        return false;
    f->hit++;
    return true;
}
