/* set_clock: clocks that the test sets. Every test program is linked with --wrap=clock_gettime, so
 * pmapdb reads clocks here; a clock that no test has set is the clock of the machine. */
#ifndef TESTS_SET_CLOCK_H
#define TESTS_SET_CLOCK_H

#include <stdint.h>
#include <time.h>

/* From now on the clock moves by STEP_NS at each reading, and not between readings. */
void set_clock_step(clockid_t clock, int64_t step_ns);

/* Moves a clock that set_clock_step() stopped. */
void set_clock_advance(clockid_t clock, int64_t ns);

/* Makes all clocks those of the machine again. */
void set_clock_free(void);

#endif
