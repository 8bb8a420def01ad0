/* kernel: how long the kernel takes to print a memory map: reads the map and does nothing else.
 *     kernel PID FILE PIECE TIMES PAUSE
 * reads /proc/PID/FILE in pieces of PIECE bytes, TIMES times, with pauses of PAUSE ms; prints the
 * median of CPU ms. Without pauses the map stays in the caches, and reading takes less time. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double reading(const char *path, char *piece, size_t size)
{
    double before = cpu_ms();
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        perror(path);
        exit(1);
    }
    while (read(fd, piece, size) > 0)
        continue;
    close(fd);
    return cpu_ms() - before;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    char path[64];
    size_t size = argc == 6 ? strtoul(argv[3], NULL, 10) : 0;
    size_t times = argc == 6 ? strtoul(argv[4], NULL, 10) : 0;
    long ms = argc == 6 ? strtol(argv[5], NULL, 10) : 0;
    char *piece = malloc(size + 1);
    double *took = calloc(times + 1, sizeof *took);

    if (!size || !times || !piece || !took) {
        free(took);
        free(piece);
        return 2;
    }
    snprintf(path, sizeof path, "/proc/%s/%s", argv[1], argv[2]);
    reading(path, piece, size); /* the first reading has cold caches, and does not count */
    for (size_t i = 0; i < times; i++) {
        nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
        took[i] = reading(path, piece, size);
    }
    qsort(took, times, sizeof *took, compare);
    printf("%.4f\n", took[times / 2]);
    free(took);
    free(piece);
    return 0;
}
