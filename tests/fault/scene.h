/* scene: a command on a small store, and one run of it with a fault. */
#ifndef TESTS_FAULT_SCENE_H
#define TESTS_FAULT_SCENE_H

#include "fault/oracle.h"

#include "fault/fault.h"

#define SCENE_STORE "t.db"
#define SCENE_MADE "e.db" /* the new store of an export */

typedef struct scene {
    const char *name;
    const char *store; /* the store of make.sh at the start; NULL: none */
    const char *other; /* another store beside it, or NULL */
    const char *words; /* the command line, blanks between words; PID: the process to read */
    unsigned traits;
} scene;

enum {
    SCENE_ADDS = 1,  /* a second run stores more */
    SCENE_SHOWS = 2, /* trouble is part of the answer */
    SCENE_STEPS = 4, /* between its transactions the store is readable, but not tidy */
    SCENE_NAMES = 8, /* a later transaction renames rows of an earlier one */
    SCENE_MAKES = 16 /* makes SCENE_MADE and only reads the store */
};

extern const scene scenes[];
extern const size_t n_scenes;

/* The result of a run. */
typedef struct outcome {
    int exit_code; /* minus the signal if a signal killed it */
    char *out, *err;
} outcome;

/* Clears the work folder and copies the stores of the scene to it. */
void scene_set(const scene *s);
/* `f`: in shared memory; its kind NULL: without a fault. The same folder, whatever is in it. */
void scene_run(const scene *s, fault *f, outcome *out);
void outcome_free(outcome *o);
/* Returns a file that no run should leave in the folder, or NULL. Valid until the next call. */
const char *scene_litter(void);
/* Returns a hash of the bytes of the store. */
uint64_t scene_digest(void);
/* Returns true if SCENE_MADE exists. scene_unmake() removes it and map.csv. */
bool scene_made(void);
void scene_unmake(void);

/* In the folder that make.sh made; the process that capture reads is started. */
void scenes_begin(const char *folder);
void scenes_end(void);

#endif
