/* now: the clocks of the system in nanoseconds. */
#ifndef PM_BASE_NOW_H
#define PM_BASE_NOW_H

#include <stdint.h>
#include <time.h>

#define PM_NOW_LAST_S 9000000000 /* the year 2255: a later clock is wrong, and its ns overflow */

static inline int64_t pm_now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    if (t.tv_sec > PM_NOW_LAST_S)
        t.tv_sec = PM_NOW_LAST_S;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
