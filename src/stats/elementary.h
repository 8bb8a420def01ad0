/* elementary: exp and log whose every bit is the same on every machine.
 *
 * Those of libm differ in the last place between versions and processors; a verdict must not. Only
 * sums, products, quotients and the bits of numbers are used here, all of them fixed by IEEE 754.
 * Errors stay below 2 units in the last place.
 */
#ifndef PM_STATS_ELEMENTARY_H
#define PM_STATS_ELEMENTARY_H

double pm_exp(double x); /* |x| <= 700 */
double pm_log(double x); /* x > 0 and finite */

/* The same for n values in place, equal to the last bit; faster than one by one. */
void pm_exp_all(double *v, int n);
void pm_log_all(double *v, int n);

#endif
