/* oracle: the content of a store as text without ids, and whether the content is allowed. */
#ifndef TESTS_FAULT_ORACLE_H
#define TESTS_FAULT_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A snapshot is one text: whose it is, its sums, its mappings, its categories. */
typedef struct content {
    char **snapshot; /* sorted */
    size_t n;
    char *rest;    /* all else: lineages, runs, names, labels, calls */
    char *wrong;   /* the broken rule that every store must keep, or "" */
    char *damaged; /* the part of `wrong` that SQLite reports, or "" */
} content;

/* The content is empty if the file is missing or empty. */
void content_read(const char *path, content *out);
void content_free(content *c);

/* What is wrong with `now`, which may hold what `start` and `goal` have; or NULL. Lasts until the
 * next call. goal NULL: what came besides `start` is not known. `tidy`: not on the way
 * of a prune. */
const char *content_between(const content *now, const content *start, const content *goal,
                            bool tidy);
const char *content_same(const content *now, const content *goal);

/* Returns mappings that differ from the file `truth`, or NULL. */
const char *content_untrue(const char *path, const char *truth);

/* Returns an id "snapshot_id":N of the answer that the store lacks, or NULL. */
const char *content_missing(const char *path, const char *answer);

#endif
