/* stall: a process whose map is read, and a reader.
 *
 *     stall target MIB MAPPINGS   touches MIB in MAPPINGS mappings, without huge pages; a thread
 * maps, touches and unmaps 64 KiB in a loop and counts how long each round was blocked. Prints
 * "ready". "begin" on standard input clears the counts, "end" prints them: the longest in us, then
 * 24 counts, the n-th for rounds below 2^n us. The end of input ends the program.
 *
 *     stall still MIB MAPPINGS    the same without the thread
 *     stall read PID FILE PIECE   reads /proc/PID/FILE in pieces, with read(2) alone, and prints
 * the longest read(2) in us of CPU time */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define AREA ((size_t)65536)
#define BUCKETS 24

static atomic_ullong counts[BUCKETS], longest_ns;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void count(uint64_t ns)
{
    int bucket = 0;

    while (bucket < BUCKETS - 1 && ns / 1000 >= UINT64_C(1) << bucket)
        bucket++;
    atomic_fetch_add(&counts[bucket], 1);
    if (ns > atomic_load(&longest_ns))
        atomic_store(&longest_ns, ns);
}

/* Returns the time on a processor and in the queue for one, which are no stall; 0 on kernels
 * without schedstat. */
static uint64_t busy_ns(int schedstat)
{
    char text[64];
    ssize_t n = pread(schedstat, text, sizeof text - 1, 0);
    char *end;
    uint64_t ran;

    if (n <= 0)
        return 0;
    text[n] = '\0';
    ran = strtoull(text, &end, 10);
    return ran + strtoull(end, NULL, 10);
}

static void *work(void *unused)
{
    int schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

    (void)unused;
    for (;;) {
        uint64_t busy = busy_ns(schedstat), began = clock_ns(CLOCK_MONOTONIC), took;
        char *p = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (p == MAP_FAILED)
            return NULL;
        memset(p, 1, AREA);
        munmap(p, AREA);
        took = clock_ns(CLOCK_MONOTONIC) - began;
        busy = busy_ns(schedstat) - busy;
        count(took > busy ? took - busy : 0);
    }
}

/* The kernel would join neighbours with the same permissions. */
static int fill(size_t mib, size_t mappings)
{
    size_t each = mib * 1024 * 1024 / mappings;

    for (size_t i = 0; i < mappings; i++) {
        char *p = mmap(NULL, each, PROT_READ | PROT_WRITE | (i % 2 ? PROT_EXEC : 0),
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (p == MAP_FAILED)
            return 1;
        memset(p, 1, each);
    }
    return 0;
}

static void forget(void)
{
    for (int i = 0; i < BUCKETS; i++)
        atomic_store(&counts[i], 0);
    atomic_store(&longest_ns, 0);
}

static void tell(void)
{
    printf("%llu", (unsigned long long)(atomic_load(&longest_ns) / 1000));
    for (int i = 0; i < BUCKETS; i++)
        printf(" %llu", (unsigned long long)atomic_load(&counts[i]));
    printf("\n");
    fflush(stdout);
}

static int target(size_t mib, size_t mappings, int works)
{
    pthread_t thread;
    char line[16];

    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (mappings == 0 || fill(mib, mappings) != 0 ||
        (works && pthread_create(&thread, NULL, work, NULL) != 0))
        return 1;
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "begin\n") == 0)
            forget();
        else
            tell();
    }
    return 0;
}

static int read_file(const char *pid, const char *file, size_t piece)
{
    char path[64], *block = malloc(piece);
    uint64_t began, took, longest = 0;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%s/%s", pid, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !block)
        return 1;
    do {
        began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        n = read(fd, block, piece);
        took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
        longest = took > longest ? took : longest;
    } while (n > 0);
    printf("%llu\n", (unsigned long long)(longest / 1000));
    close(fd);
    free(block);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && (strcmp(argv[1], "target") == 0 || strcmp(argv[1], "still") == 0))
        return target(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), argv[1][0] == 't');
    if (argc == 5 && strcmp(argv[1], "read") == 0)
        return read_file(argv[2], argv[3], strtoul(argv[4], NULL, 10));
    fprintf(stderr, "usage: stall target|still MIB MAPPINGS | stall read PID FILE PIECE\n");
    return 2;
}
