/* maps: a process whose memory map is known, for benchmarks.
 *     maps many MAPPINGS
 * makes this many small mappings of mixed kinds, each with a resident page. Prints "ready"; then,
 * for each line on standard input, changes about one mapping in a hundred and prints "done". */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define PAGES_MAX ((size_t)16)
#define SLOT ((PAGES_MAX + 4) * PAGE) /* a gap after each mapping: the kernel does not join two */

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

static void map(const area *a, int fd)
{
    static const int prot[KINDS] = {PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE,
                                    PROT_READ | PROT_WRITE};
    int file = a->kind == FILE_READ || a->kind == FILE_PRIVATE;
    int flags = MAP_PRIVATE | MAP_FIXED | (file ? 0 : MAP_ANONYMOUS | MAP_NORESERVE);

    if (mmap(a->at, a->pages * PAGE, prot[a->kind], flags, file ? fd : -1, 0) == MAP_FAILED)
        die("mmap");
}

static void touch(area *a)
{
    if (a->touched < a->pages)
        *(volatile char *)(a->at + a->touched++ * PAGE) = 1;
}

/* Opens a file of some pages without a name. */
static int some_file(void)
{
    char name[] = "/tmp/pmapdb-bench-maps-XXXXXX";
    int fd = mkstemp(name);

    if (fd < 0 || ftruncate(fd, (off_t)(PAGES_MAX * PAGE)) != 0)
        die("file");
    unlink(name);
    return fd;
}

static area *lay_out(size_t n)
{
    static const int kinds[] = {ANON, ANON, ANON, GUARD, ANON, FILE_READ, ANON, FILE_PRIVATE};
    area *areas = calloc(n, sizeof *areas);
    char *next =
        mmap(NULL, n * SLOT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int fd = some_file();

    if (!areas || next == MAP_FAILED)
        die("memory");
    munmap(next, n * SLOT);
    for (size_t i = 0; i < n; i++, next += SLOT) {
        area *a = &areas[i];

        *a = (area){next, 4 + i % 12, 0, kinds[i % 8]};
        map(a, fd);
        if (a->kind == ANON || a->kind == FILE_PRIVATE)
            touch(a);
    }
    return areas;
}

/* Changes one mapping in a hundred: half are touched once more, half become shorter or longer. */
static void change(area *areas, size_t n)
{
    static size_t at, beat;

    for (size_t left = n / 100 + 1; left; at = (at + 97) % n) {
        area *a = &areas[at];

        if (a->kind != ANON)
            continue;
        if (left-- % 2 == 0) {
            munmap(a->at, PAGES_MAX * PAGE);
            a->pages = 4 + (a->pages + 1 + beat) % 12;
            a->touched = 0;
            map(a, -1);
        } else if (a->touched == a->pages) { /* keeps the resident memory about the same */
            madvise(a->at, a->pages * PAGE, MADV_DONTNEED);
            a->touched = 0;
        }
        touch(a);
    }
    beat++;
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 4000;
    area *areas = lay_out(n);
    char line[16];

    for (puts("ready"), fflush(stdout); fgets(line, sizeof line, stdin); fflush(stdout)) {
        change(areas, n);
        puts("done");
    }
    free(areas);
    return 0;
}
