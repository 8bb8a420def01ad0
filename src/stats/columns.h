/* columns: every column that a shape can be made of, whitened for one kind of noise.
 *
 * They depend on when the points are, not on what was measured: the series of one process share
 * them, and a curve then costs a few multiplications.
 */
#ifndef PM_STATS_COLUMNS_H
#define PM_STATS_COLUMNS_H

#include "stats/points.h"
#include "stats/shapes.h"

/* Lines, steps, and the members of the other shapes and of the two time constants. */
enum { PM_CUTS_MAX = 40, PM_COLUMNS_MAX = 1 + PM_CUTS_MAX + 140 };

typedef struct pm_column {
    double at;
    const double *v;          /* rows */
    double square, with_line; /* scalar products with itself and with the line */
    double spread;            /* largest minus smallest value, before whitening */
} pm_column;

typedef struct pm_columns {
    double phi;
    int n, lives; /* the points they were made for: their number, lives ... */
    double *x;    /* ... and places */
    int *life;
    int cuts;
    pm_column *line;
    pm_column *of_shape[PM_SHAPES]; /* first columns of the members; NULL: none */
    pm_column *steps;               /* one per cut */
    pm_column *fast, *slow;         /* of two time constants */
    double *cross;                  /* cuts x cuts: products of the steps */
    double *memory;
    double *raw; /* of every column, before whitening: the same for every phi */
    pm_column *column;
    int count;
} pm_columns;

/* Makes `columns` those of the points and of phi, unless they are already. A zeroed one is empty.
 * `like` are those of the same points and another phi, or NULL. Fails only for want of memory, and
 * is then empty. */
pmapdb_status pm_columns_fit(pm_columns *columns, const pm_points *points, double phi,
                             const pm_columns *like, pmapdb_error *err);
void pm_columns_free(pm_columns *columns);

/* raw -> out: as an AR(1) process that began long before leaves it when its correlation is taken
 * out, inside lives, less what an intercept of each life explains. n values each. */
void pm_whiten(const int *life, int n, double phi, const double *raw, double *out);

/* Products of all columns with y, which is whitened: out[i] is column[i]'s, to the last bit what
 * pm_dot gives. */
void pm_columns_with(const pm_columns *columns, const double *y, double *out);

double pm_dot(const double *a, const double *b, int n);

#endif
