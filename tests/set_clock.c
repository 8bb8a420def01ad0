/* set_clock: clocks that the test sets. */
#include "set_clock.h"

#include <stdbool.h>

#define CLOCKS 16 /* more than Linux has */
#define SECOND INT64_C(1000000000)

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

static struct {
    bool set;
    int64_t now_ns, step_ns;
} clocks[CLOCKS];

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    if (clock < 0 || clock >= CLOCKS || !clocks[clock].set)
        return __real_clock_gettime(clock, t);
    clocks[clock].now_ns += clocks[clock].step_ns;
    *t = (struct timespec){clocks[clock].now_ns / SECOND, clocks[clock].now_ns % SECOND};
    return 0;
}

void set_clock_step(clockid_t clock, int64_t step_ns)
{
    struct timespec t;

    __wrap_clock_gettime(clock, &t);
    clocks[clock].now_ns = t.tv_sec * SECOND + t.tv_nsec;
    clocks[clock].step_ns = step_ns;
    clocks[clock].set = true;
}

void set_clock_advance(clockid_t clock, int64_t ns)
{
    clocks[clock].now_ns += ns;
}

void set_clock_free(void)
{
    for (int i = 0; i < CLOCKS; i++)
        clocks[i].set = false;
}
