/* set_clock: clocks that the test sets. Every test program is linked with --wrap=clock_gettime, so
 * what pmapdb asks of a clock comes here; until a test sets it, a clock is the machine's. */
#ifndef TESTS_SET_CLOCK_H
#define TESTS_SET_CLOCK_H

#include <stdint.h>
#include <time.h>

/* From now on the clock moves by STEP_NS each time that it is read, and not by itself. */
void set_clock_step(clockid_t clock, int64_t step_ns);

/* Moves a clock that set_clock_step() stopped. */
void set_clock_advance(clockid_t clock, int64_t ns);

/* All clocks are the machine's again. */
void set_clock_free(void);

#endif
