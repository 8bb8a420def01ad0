/* oracle: what a store holds, as text without ids, and whether that is what it may be. */
#ifndef TESTS_FAULT_ORACLE_H
#define TESTS_FAULT_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A snapshot is one text: whose it is, its sums, its mappings, its categories. */
typedef struct content {
    char **snapshot; /* sorted */
    size_t n;
    char *rest;    /* all that is told of them together: lineages, runs, names, labels, calls */
    char *wrong;   /* what holds in every store and not in this one; "" */
    char *damaged; /* that part of it that SQLite sees; "" */
} content;

/* Nothing where there is no such file, or an empty one. */
void content_read(const char *path, content *out);
void content_free(content *c);

/* What is wrong with `now`, which may hold what `start` and `goal` have; or NULL. Lasts until the
 * next call. goal NULL: what came besides `start` is not known. `tidy`: not on the way
 * of a prune. */
const char *content_between(const content *now, const content *start, const content *goal,
                            bool tidy);
const char *content_same(const content *now, const content *goal);

/* Mappings that are not as the file `truth` has them; or NULL. */
const char *content_untrue(const char *path, const char *truth);

/* Ids "snapshot_id":N of an answer that the store does not hold; or NULL. */
const char *content_missing(const char *path, const char *answer);

#endif
