/* explain: what reading captures costs in a program that links the library and stays.
 *     explain FILE TIMES
 * pmapdb_explain() on FILE, TIMES times: parses and checks all of it, stores nothing. Prints the
 * median of CPU in ms, and mappings and KiB of the file. */
#include <pmapdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct sums {
    int64_t mappings, size_kib;
} sums;

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool add(void *ctx, const pmapdb_explain_event *event)
{
    sums *s = ctx;

    s->mappings += event->mappings;
    s->size_kib += event->size_kib;
    return true;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    size_t times = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    double *took = calloc(times + 1, sizeof *took);
    sums s = {0};
    const pmapdb_explain_options options = {.ctx = &s, .on_event = add};
    pmapdb_explain_result result;
    pmapdb_error error;
    pmapdb_status status = PMAPDB_OK;

    if (!times || !took) {
        free(took);
        return 2;
    }
    for (size_t i = 0; i < times && status == PMAPDB_OK; i++) {
        double before = cpu_ms();

        s = (sums){0};
        status = pmapdb_explain((const char *const *)&argv[1], 1, &options, &result, &error);
        took[i] = cpu_ms() - before;
    }
    if (status == PMAPDB_OK) {
        qsort(took, times, sizeof *took, compare);
        printf("%.4f %lld %lld\n", took[times / 2], (long long)s.mappings, (long long)s.size_kib);
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    free(took);
    return status != PMAPDB_OK;
}
