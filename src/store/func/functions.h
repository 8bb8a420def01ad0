/* functions: the SQL functions of this project, for the program's own connections and, compiled a
 * second time, for the loadable extension.
 *
 * kib_text(kib), span_text(ms), vmflags_text(flags), perms_text(perms), call_words(kind, a0, ...,
 * a5), call_error(kind, ret): functions.c. process_value(...): expression.h.
 *
 * page_groups(sets, members)
 *     Sets of table page_scan, and the numbers of processes with those of their groups, which count
 *     from 1: "1 1 2 1 3 2" -> a JSON array in pages: for each group, and for number 0, their
 *     union, and the last number, what is no group's alone,
 *         [group, rss, anon, shmem, alone, swap, swap_alone]
 *     NULL if an argument is NULL.
 *
 * permute(statistic, of_b, value, judged)
 *     An aggregate over the runs of A, then those of B, each with all statistics in order, counted
 *     from 0 -> a JSON array of {a, b, low, high, p, p_adjusted, deviation}: see
 *     stats/runs/permute.h.
 *
 * leak_verdict(first_ms, last_ms, n, value, life [, limit_kib [, page_kib]])
 *     The runs of one series, in any order -> a JSON object. The n snapshots of a run are
 *     spread evenly over first_ms..last_ms; equal neighbours count as one run, however they
 *     were cut, unless captures are missing between them (3 median steps). A page of 0 KiB: the
 *     values are pieces. NULL without rows.
 * leak_report(key, category, first_ms, last_ms, life, mappings, size_kib, rss_kib, pss_kib,
 *             private_kib, private_dirty_kib, swap_kib, metric, limit_kib, sensitivity
 *             [, memory_max_kib, address_limit_kib, stack_limit_kib, max_map_count, process_ms
 *             [, was_kib, touched_kib]])
 *     All rows of one process, including lives that follow each other. Rows without key are its
 *     snapshots, at first_ms, with the numbers of the whole process; the others are runs of a key
 *     -> a JSON array, the whole process first, then the worst keys. The category of a snapshot
 *     that does not show the keys is VmRSS if that is its rss_kib, else total. The numbers of the
 *     other snapshots count where the keys do not know them. The last five are limits as in table
 *     live_process, -1 for no limit, and when the process started; limit_kib takes precedence
 *     over memory_max_kib. A row with was_kib is a window of key: between first_ms, when it had
 *     was_kib, and last_ms, when it had rss_kib, touched_kib of that were touched.
 *
 * An unknown value is NULL, and absent in JSON. life: changes when the process restarts. */
#ifndef PM_STORE_FUNCTIONS_H
#define PM_STORE_FUNCTIONS_H

#include <stdint.h>

struct sqlite3;

/* *judged, or NULL, counts the reports. Returns SQLite's result code. */
int pm_functions_add(struct sqlite3 *db, int64_t *judged);

/* ---- parts, in the files of these names ---- */

struct sqlite3_context;
struct sqlite3_value;

void pm_page_groups(struct sqlite3_context *out, int argc, struct sqlite3_value **argv);
int pm_permute_function_add(struct sqlite3 *db);
int pm_leak_functions_add(struct sqlite3 *db, int64_t *judged);

#endif
