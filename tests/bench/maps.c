/* maps: a process whose memory map is known, for benchmarks.
 *     maps many|giant|node [MAPPINGS]
 *     maps like FILE
 * many: MAPPINGS (4,000) small ones of mixed kinds, little of them resident; giant: 4 GiB touched
 * in one mapping; node: 280 as a small server has them, some of it resident; like: a mapping for
 * each line of FILE, which says its pages, how many of them are resident, and its kind (as below).
 * Prints "ready"; then, for each line on stdin, changes about one in a hundred of its mappings and
 * prints "done". */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define PAGES_MAX 16
/* Behind each mapping: the kernel does not join two. */
#define GAP ((size_t)4)

typedef struct area {
    char *at;
    size_t pages, touched;
    int kind;
} area;

enum kind { ANON, FILE_READ, GUARD, FILE_PRIVATE, KINDS };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static char *map(char *at, size_t pages, int kind, int fd)
{
    static const int prot[KINDS] = {PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE,
                                    PROT_READ | PROT_WRITE};
    int file = kind == FILE_READ || kind == FILE_PRIVATE;
    int flags = MAP_PRIVATE | (file ? 0 : MAP_ANONYMOUS | MAP_NORESERVE) | (at ? MAP_FIXED : 0);
    char *p = mmap(at, pages * PAGE, prot[kind], flags, file ? fd : -1, 0);

    if (p == MAP_FAILED)
        die("mmap");
    return p;
}

static void touch(area *a, size_t pages)
{
    volatile char *at = a->at;

    for (; a->touched < a->pages && pages; pages--) {
        size_t byte = a->touched++ * PAGE;

        if (a->kind == FILE_READ)
            (void)at[byte];
        else
            at[byte] = 1;
    }
}

/* A file with some pages, whose name is gone again. */
static int file_of(size_t pages)
{
    char name[] = "/tmp/pmapdb-bench-maps-XXXXXX";
    int fd = mkstemp(name);

    if (fd < 0 || ftruncate(fd, (off_t)(pages * PAGE)) != 0)
        die("file");
    unlink(name);
    return fd;
}

/* Small areas may become as long as any of them. */
static size_t slot(const area *a)
{
    return ((a->pages > PAGES_MAX ? a->pages : PAGES_MAX) + GAP) * PAGE;
}

/* Maps each area and touches the pages that its `touched` asks for. */
static void lay_out(area *areas, size_t n)
{
    size_t span = 0, longest = 64;
    char *next;
    int fd;

    for (size_t i = 0; i < n; i++) {
        span += slot(&areas[i]);
        longest = areas[i].pages > longest ? areas[i].pages : longest;
    }
    next = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (next == MAP_FAILED)
        die("memory");
    munmap(next, span);
    fd = file_of(longest);
    for (size_t i = 0; i < n; i++) {
        area *a = &areas[i];
        size_t resident = a->touched;

        a->at = map(next, a->pages, a->kind, fd);
        /* A huge page would make what is resident, and what that costs the kernel, a matter of
         * luck.
         */
        if (a->pages > PAGES_MAX)
            madvise(a->at, a->pages * PAGE, MADV_NOHUGEPAGE);
        next += slot(a);
        a->touched = 0;
        if (a->kind != GUARD)
            touch(a, resident);
    }
}

static area *mixed(size_t n, size_t resident)
{
    area *areas = calloc(n, sizeof *areas);

    if (!areas)
        die("memory");
    for (size_t i = 0; i < n; i++) {
        area *a = &areas[i];

        a->kind = i % 8 == 3 ? GUARD : i % 8 == 5 ? FILE_READ : i % 8 == 7 ? FILE_PRIVATE : ANON;
        a->pages = 4 + i % 12; /* below PAGES_MAX */
        a->touched = a->kind == ANON || a->kind == FILE_PRIVATE ? resident : 0;
    }
    return areas;
}

static area *listed(const char *path, size_t *n)
{
    FILE *in = fopen(path, "r");
    area *areas = NULL;
    char line[96];

    if (!in)
        die(path);
    while (fgets(line, sizeof line, in)) {
        char *rest;
        area a = {.pages = strtoul(line, &rest, 10)};

        a.touched = strtoul(rest, &rest, 10);
        a.kind = (int)strtoul(rest, NULL, 10);
        areas = realloc(areas, (*n + 1) * sizeof *areas);
        if (!areas || a.kind < 0 || a.kind >= KINDS || !a.pages)
            die("list");
        areas[(*n)++] = a;
    }
    fclose(in);
    if (!*n)
        die("empty list");
    return areas;
}

/* Small ones lose all their pages, large ones two: how much is resident stays about the same. */
static void drop(area *a)
{
    a->touched = a->pages > PAGES_MAX ? a->pages - 2 : 0;
    madvise(a->at + a->touched * PAGE, (a->pages - a->touched) * PAGE, MADV_DONTNEED);
}

/* One in a hundred: half are touched once more, half become shorter or longer. */
static void change(area *areas, size_t n)
{
    static size_t at, beat;

    for (size_t left = n / 100 + 1; left; at = (at + 97) % n) {
        area *a = &areas[at];

        if (a->kind != ANON)
            continue;
        if (left-- % 2 || a->pages > PAGES_MAX) {
            if (a->touched == a->pages)
                drop(a);
        } else {
            munmap(a->at, PAGES_MAX * PAGE);
            a->pages = 4 + (a->pages + 1 + beat) % 12;
            a->touched = 0;
            map(a->at, a->pages, ANON, -1);
        }
        touch(a, 1);
    }
    beat++;
}

int main(int argc, char **argv)
{
    const char *shape = argc > 1 ? argv[1] : "many";
    int node = strcmp(shape, "node") == 0;
    size_t n = 0;
    char line[16];
    area giant = {NULL, (size_t)1 << 20, 0, ANON};
    area *areas;

    if (strcmp(shape, "like") == 0 && argc > 2) {
        areas = listed(argv[2], &n);
    } else if (strcmp(shape, "giant") == 0) {
        areas = mixed(n = 40, 1);
        giant.at = map(NULL, giant.pages, ANON, -1);
        madvise(giant.at, giant.pages * PAGE, MADV_NOHUGEPAGE);
        touch(&giant, giant.pages);
    } else {
        n = argc > 2 ? strtoul(argv[2], NULL, 10) : node ? 250 : 4000;
        areas = mixed(n, node ? 12 : 1);
    }
    lay_out(areas, n);
    for (puts("ready"), fflush(stdout); fgets(line, sizeof line, stdin); fflush(stdout)) {
        change(areas, n);
        puts("done");
    }
    free(areas);
    return 0;
}
