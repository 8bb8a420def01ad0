/* main: the fault series: commands on small stores with the n-th allocation, or the n-th call of
 * the kernel or of SQLite's files, failing.
 *
 *     faults FOLDER [--most N] [--places] [--part N] [--scene NAME] [--kind NAME]
 *            [--show once|onwards N]
 *
 * FOLDER is what make.sh made. --most: so many runs of each scene, whatever fails; else every n of
 * every series, with --places one of those that come from the same place. Prints what it found, and
 * a line for each series: how many calls there are without a fault; runs with one; of them those
 * that told of it, that went on without it, that ended there; how many different stores were left,
 * and findings. run.sh runs it.
 */
#include "fault/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct wanted {
    const char *folder, *scene, *kind, *show;
    uint64_t most, n, part; /* part: 1 to 4; 0: all */
    fault_places *places;   /* or NULL */
} wanted;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's: main of the program, and in its place */
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

int fault_program(int argc, char **argv)
{
    return __real_main(argc, argv);
}

#ifndef FAULT_INTERPOSE
#pragma GCC visibility push(default) /* the sanitizer finds them */
const char *__asan_default_options(void);
const char *__lsan_default_options(void);

const char *__asan_default_options(void)
{
    return "exitcode=97:allocator_may_return_null=1:detect_stack_use_after_return=0:"
           "quarantine_size_mb=4" /* each run is a fork, which copies the tables of all of it */;
}

const char *__lsan_default_options(void)
{
    return "exitcode=23:print_suppressions=0";
}
#pragma GCC visibility pop
#endif

static bool matches(const char *one, const char *name)
{
    return !one || strcmp(one, name) == 0;
}

static void print_tally(const scene *s, const char *kind, const char *mode, const tally *t)
{
    if (t->runs)
        printf("%-14s %-12s %-8s %7llu %7llu %8llu %8llu %6llu %6llu %6llu\n", s->name, kind, mode,
               (unsigned long long)t->calls, (unsigned long long)t->runs,
               (unsigned long long)t->reported, (unsigned long long)t->absorbed,
               (unsigned long long)t->died, (unsigned long long)t->states,
               (unsigned long long)t->found);
    fflush(stdout);
}

static uint64_t run_kinds(const wanted *w, const scene *s, const undisturbed *u, fault *f)
{
    uint64_t found = 0;
    tally t;

    if (w->most) {
        series_sample(s, u, w->kind, w->most, f, &t);
        print_tally(s, w->kind ? w->kind : "some", "", &t);
        return t.found;
    }
    for (size_t k = 0; k < fault_n_kinds; k++)
        for (int onwards = 0; onwards < (fault_kinds[k].once_only ? 1 : 2); onwards++)
            if (matches(w->kind, fault_kinds[k].name)) {
                series_run(s, u, &fault_kinds[k], onwards, w->places, f, &t);
                print_tally(s, fault_kinds[k].name, onwards ? "onwards" : "once", &t);
                found += t.found;
            }
    return found;
}

static uint64_t run_scene(const wanted *w, const scene *s, fault *f)
{
    undisturbed u;
    uint64_t found = 0;

    if (!series_measure(s, f, &u)) {
        found = 1;
    } else if (w->show) {
        for (size_t k = 0; k < fault_n_kinds; k++)
            if (matches(w->kind, fault_kinds[k].name))
                series_show(s, &u, &fault_kinds[k], strcmp(w->show, "onwards") == 0, w->n, f);
    } else {
        found = run_kinds(w, s, &u, f);
    }
    series_free(&u);
    return found;
}

/* Returns memory that a child shares with the test. */
static void *shared_memory(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        abort();
    return p;
}

static wanted arguments(int argc, char **argv)
{
    wanted w = {.folder = argc > 1 ? argv[1] : "."};

    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--places") == 0) {
            w.places = shared_memory(sizeof *w.places);
            memmove(&argv[i], &argv[i + 1], (size_t)(argc-- - i) * sizeof *argv);
        }
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--most") == 0)
            w.most = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--part") == 0)
            w.part = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--scene") == 0)
            w.scene = argv[i + 1];
        if (strcmp(argv[i], "--kind") == 0)
            w.kind = argv[i + 1];
        if (strcmp(argv[i], "--show") == 0 && i + 2 < argc) {
            w.show = argv[i + 1];
            w.n = strtoull(argv[++i + 1], NULL, 10);
        }
    }
    return w;
}

int __wrap_main(int argc, char **argv)
{
    wanted w = arguments(argc, argv);
    fault *f = shared_memory(sizeof *f);
    uint64_t found = 0;

    scenes_begin(w.folder);
    printf("%-14s %-12s %-8s %7s %7s %8s %8s %6s %6s %6s\n", "scene", "fails", "", "calls", "runs",
           "reported", "absorbed", "died", "states", "found");
    for (size_t i = 0; i < n_scenes; i++)
        if (matches(w.scene, scenes[i].name) && (!w.part || i % 4 + 1 == w.part))
            found += run_scene(&w, &scenes[i], f);
    scenes_end();
    munmap(f, sizeof *f);
    if (w.places)
        munmap(w.places, sizeof *w.places);
    return found ? 1 : 0;
}
/* NOLINTEND(bugprone-reserved-identifier) */
