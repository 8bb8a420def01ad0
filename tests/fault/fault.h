/* fault: which call of which kind fails and how, for all replacements of malloc, of the kernel's
 * calls and of SQLite's files. */
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
    FAULT_OPEN = 1 << 12, /* calls of the program */
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
    FAULT_SHORT, /* half of the call is done; a write of SQLite then fails */
    FAULT_DIES,  /* the program ends at the call, as by SIGKILL */
    FAULT_LOSES, /* the same, and unsynced bytes are lost, as in a power cut */
    FAULT_TEARS  /* the same, but some unsynced sectors are kept */
} fault_how;

typedef struct fault_kind {
    const char *name;
    unsigned calls;
    int os_errno;
    fault_how how;
    bool once_only; /* never onwards: the program would not end, or the run would be the same */
} fault_kind;

extern const fault_kind fault_kinds[];
extern const size_t fault_n_kinds;

#define FAULT_DIED 99 /* exit code of a program that a fault ended */

/* In memory that a child shares with the test. */
typedef struct fault {
    const fault_kind *kind; /* NULL: nothing fails */
    uint64_t n;             /* the call that fails, from 1; 0: no call */
    bool onwards;           /* all later calls fail, too */
    bool armed;             /* calls count: the program runs, not the test */
    uint64_t seen, hit;     /* calls of the kind; those that failed */
    bool returned;          /* from main */
    int64_t live;           /* allocations that main did not free */
} fault;

extern fault *fault_now;

/* The first calls from each place. The innermost callers identify a place; calls from one place
 * are expected to have the same effect. */
typedef struct fault_places {
    uint64_t stack[1 << 16]; /* hashes, open addressing */
    bool first[1 << 20];     /* by n */
} fault_places;

extern fault_places *fault_places_now; /* in memory that a child shares; NULL: not wanted */

/* Counts a call of this sort before it is made. Returns true if the call is to fail. */
bool fault_due(unsigned call);

/* Before SQLite is initialized: its memory, and that of other libraries, comes from the same
 * counted functions. */
void fault_alloc_start(void);
int64_t fault_alloc_live(void); /* 0 if allocations cannot be counted */

/* Makes the file system with faults the default of SQLite. */
void fault_vfs_start(void);

/* The program under test. */
int fault_program(int argc, char **argv);

#endif
