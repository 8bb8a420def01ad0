/* fault: which call of which kind fails and how, for all that stands in for malloc, for the
 * kernel's calls and for SQLite's files. */
#ifndef TESTS_FAULT_FAULT_H
#define TESTS_FAULT_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What can fail; a kind counts the calls of one or more of them. */
enum {
    FAULT_ALLOC = 1 << 0,
    FAULT_DB_WRITE = 1 << 1, /* SQLite's own calls */
    FAULT_DB_SYNC = 1 << 2,
    FAULT_DB_TRUNCATE = 1 << 3,
    FAULT_DB_OPEN = 1 << 4,
    FAULT_DB_READ = 1 << 5,
    FAULT_DB_SHM = 1 << 6,
    FAULT_DB_SHM_LOCK = 1 << 7,
    FAULT_DB_LOCK = 1 << 8,
    FAULT_DB_DELETE = 1 << 9,
    FAULT_DB_SIZE = 1 << 10,
    FAULT_DB_ACCESS = 1 << 11,
    FAULT_OPEN = 1 << 12, /* the program's */
    FAULT_READ = 1 << 13,
    FAULT_WRITE = 1 << 14,
    FAULT_SYNC = 1 << 15,
    FAULT_RENAME = 1 << 16,
    FAULT_STAT = 1 << 17,
    FAULT_FOLDER = 1 << 18,
    FAULT_STREAM = 1 << 19, /* stdio of temporary files */
    FAULT_LOCK = 1 << 20,
    FAULT_ROOM = 1 << 21, /* fallocate, ftruncate */
    FAULT_TEMP = 1 << 22
};
#define FAULT_DB_ALL (FAULT_DB_ACCESS * 2 - FAULT_DB_WRITE)
#define FAULT_DB_CHANGE (FAULT_DB_WRITE | FAULT_DB_SYNC | FAULT_DB_TRUNCATE | FAULT_DB_DELETE)

typedef enum fault_how {
    FAULT_FAILS,
    FAULT_SHORT, /* half of it is done; what SQLite writes fails then */
    FAULT_DIES,  /* the program ends there: as by SIGKILL */
    FAULT_LOSES, /* ... and nothing that was not synced is kept: as by a power cut */
    FAULT_TEARS  /* ... and some sectors of that are kept */
} fault_how;

typedef struct fault_kind {
    const char *name;
    unsigned calls;
    int os_errno;
    fault_how how;
    bool once_only; /* from then on it could not end, or would be the same */
} fault_kind;

extern const fault_kind fault_kinds[];
extern const size_t fault_n_kinds;

#define FAULT_DIED 99 /* exit code where the program ended by a fault */

/* In memory that a child shares with the test. */
typedef struct fault {
    const fault_kind *kind; /* NULL: nothing fails */
    uint64_t n;             /* which call, from 1; 0: none */
    bool onwards;           /* and all behind it */
    bool armed;             /* calls count: the program at work, not the test */
    uint64_t seen, hit;     /* calls of the kind; those that failed */
    bool returned;          /* from main */
    int64_t live;           /* allocations that main left behind */
} fault;

extern fault *fault_now;

/* Calls that come from where none came from before, by the innermost of their callers: what one of
 * many meets that come the same way, the others meet. */
typedef struct fault_places {
    uint64_t stack[1 << 16]; /* hashes, open addressing */
    bool first[1 << 20];     /* by n */
} fault_places;

extern fault_places *fault_places_now; /* in memory that a child shares; NULL: nobody asks */

/* A call of this sort is about to be made: true where it fails. */
bool fault_due(unsigned call);

/* Before SQLite is initialized: its memory, and that of other libraries, comes from the same
 * counted functions. */
void fault_alloc_start(void);
int64_t fault_alloc_live(void); /* where they can be counted, else 0 */

/* The default of SQLite's file systems from then on. */
void fault_vfs_start(void);

/* The program under test. */
int fault_program(int argc, char **argv);

#endif
