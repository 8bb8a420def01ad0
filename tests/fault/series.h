/* series: a scene with the n-th call of a kind failing, for every n. */
#ifndef TESTS_FAULT_SERIES_H
#define TESTS_FAULT_SERIES_H

#include "fault/scene.h"

/* The results of the scene without a fault. */
typedef struct undisturbed {
    content start, goal, made;
    uint64_t digest; /* at the start */
    outcome outcome;
    int64_t live;
} undisturbed;

typedef struct tally {
    uint64_t calls, runs; /* calls without a fault; runs with a fault */
    uint64_t reported, absorbed, died;
    uint64_t states, found; /* different stores that were left; findings */
} tally;

/* Returns false if the scene is wrong even without a fault. */
bool series_measure(const scene *s, fault *f, undisturbed *out);
void series_free(undisturbed *u);

/* Every n, or one n for each place that calls come from. Findings are printed. */
void series_run(const scene *s, const undisturbed *u, const fault_kind *kind, bool onwards,
                fault_places *places, fault *f, tally *out);
/* So many runs, each of some n of some series (NULL: of any kind): the same every time. */
void series_sample(const scene *s, const undisturbed *u, const char *only, uint64_t runs, fault *f,
                   tally *out);
/* The n-th alone, with what it printed. */
void series_show(const scene *s, const undisturbed *u, const fault_kind *kind, bool onwards,
                 uint64_t n, fault *f);

#endif
