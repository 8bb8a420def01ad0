/* leaky: a process to practise on. Its heap leaks, an anonymous mapping leaks, a cache in shared
 * memory fills and then stays, two threads wait. Same growth on every run; ends by itself.
 *
 *     cc -O1 -pthread -o leaky leaky.c && ./leaky [BEATS [SECONDS]]     (default: 13 beats of 2 s)
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    KIB = 1024,
    CHUNK = 1000,                /* below malloc's mmap threshold: the brk heap */
    CHUNKS_PER_BEAT = 256,       /* heap: 252 KiB a beat, malloc adds 8 bytes to each */
    MAPPED_PER_BEAT = 512 * KIB, /* one mapping to smaps: the kernel merges neighbours */
    CACHE = 2048 * KIB,
    CACHE_PER_BEAT = 512 * KIB /* full after four beats */
};

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *map_and_touch(size_t size, int sharing)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        exit(1);
    if (sharing == MAP_PRIVATE)
        memset(p, 1, size);
    return p;
}

static void leak_heap(void)
{
    for (int i = 0; i < CHUNKS_PER_BEAT; i++) {
        char *volatile chunk = malloc(CHUNK);

        if (!chunk)
            exit(1);
        memset(chunk, 1, CHUNK);
    }
}

static long argument(int argc, char **argv, int i, long fallback)
{
    long value = i < argc ? strtol(argv[i], NULL, 10) : fallback;

    return value > 0 ? value : fallback;
}

int main(int argc, char **argv)
{
    long beats = argument(argc, argv, 1, 13), seconds = argument(argc, argv, 2, 2);
    char *cache = map_and_touch(CACHE, MAP_SHARED);

    for (int i = 0; i < 2; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
            return 1;
    }
    for (long beat = 0; beat < beats; beat++) {
        leak_heap();
        map_and_touch(MAPPED_PER_BEAT, MAP_PRIVATE);
        memset(cache + beat * CACHE_PER_BEAT % CACHE, 1, CACHE_PER_BEAT);
        sleep((unsigned)seconds);
    }
    return 0;
}
