/* maps: a process whose memory map is known, for benchmarks.
 *     maps many|giant|node [MAPPINGS]
 * many: MAPPINGS (4,000) small ones of mixed kinds, little of them resident; giant: 4 GiB touched
 * in one mapping; node: 280 as a small server has them, some of it resident. Prints "ready"; then,
 * for each line on stdin, changes about one in a hundred of its mappings and prints "done". */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define PAGES_MAX 16
/* For one mapping, and a gap behind it: the kernel does not join two. */
#define SLOT ((PAGES_MAX + 4) * PAGE)

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
    for (; a->touched < a->pages && pages; pages--)
        a->at[a->touched++ * PAGE] = 1;
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

static area *lay_out(size_t n, size_t resident)
{
    area *areas = calloc(n, sizeof *areas);
    char *next =
        mmap(NULL, n * SLOT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int fd = file_of(64);

    if (!areas || next == MAP_FAILED)
        die("memory");
    munmap(next, n * SLOT);
    for (size_t i = 0; i < n; i++) {
        area *a = &areas[i];

        a->kind = i % 8 == 3 ? GUARD : i % 8 == 5 ? FILE_READ : i % 8 == 7 ? FILE_PRIVATE : ANON;
        a->pages = 4 + i % 12; /* below PAGES_MAX */
        a->at = map(next, a->pages, a->kind, fd);
        next += SLOT;
        if (a->kind == ANON || a->kind == FILE_PRIVATE)
            touch(a, resident);
    }
    return areas;
}

/* One in a hundred: half are touched once more, half become shorter or longer. */
static void change(area *areas, size_t n)
{
    static size_t at, beat;

    for (size_t left = n / 100 + 1; left; at = (at + 97) % n) {
        area *a = &areas[at];

        if (a->kind != ANON)
            continue;
        if (left-- % 2) {
            if (a->touched == a->pages) {
                madvise(a->at, a->pages * PAGE, MADV_DONTNEED);
                a->touched = 0;
            }
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
    size_t n = argc > 2 ? (size_t)atoi(argv[2]) : strcmp(shape, "node") == 0 ? 250 : 4000;
    char line[16];
    area giant = {NULL, (size_t)1 << 20, 0, ANON};
    area *areas;

    if (strcmp(shape, "giant") == 0) {
        n = 40;
        giant.at = map(NULL, giant.pages, ANON, -1);
        madvise(giant.at, giant.pages * PAGE, MADV_NOHUGEPAGE);
        touch(&giant, giant.pages);
    }
    areas = lay_out(n, strcmp(shape, "node") == 0 ? 12 : 1);
    for (puts("ready"), fflush(stdout); fgets(line, sizeof line, stdin); fflush(stdout)) {
        change(areas, n);
        puts("done");
    }
    return 0;
}
