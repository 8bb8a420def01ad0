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
 * leak_moments(taken_ms, process_id, epoch_id, off, sums, mappings, size_kib, rss_kib, pss_kib,
 *              private_kib, private_dirty_kib, swap_kib)
 *     An aggregate: the snapshots of one process, or of lives that follow each other, with the
 *     numbers of the whole process. sums: NULL; of a snapshot that does not show the keys VmRSS if
 *     that is its rss_kib, else total. The numbers of the others count where the keys do not know
 *     them.
 * leak_runs(key, category, epoch_id, first, last, mappings, size_kib, rss_kib, pss_kib,
 *           private_kib, private_dirty_kib, swap_kib)
 *     An aggregate: what keys held from one place of an epoch to another one.
 * leak_windows(key, category, from_ms, to_ms, was_kib, rss_kib, touched_kib)
 *     An aggregate: between from_ms, when the key had was_kib, and to_ms, when it had rss_kib,
 *     touched_kib of that were touched.
 * leak_report(moments, runs, windows, metric, limit_kib, sensitivity, memory_max_kib,
 *             address_limit_kib, stack_limit_kib, max_map_count, process_ms)
 *     The results of the three -> a JSON array, the whole process first, then the worst keys. The
 *     last five are limits as in table live_process, -1 for no limit, and when the process
 *     started; limit_kib takes precedence over memory_max_kib.
 *
 * An unknown value is NULL, and absent in JSON. life: changes when the process restarts. */
#ifndef PM_STORE_FUNCTIONS_H
#define PM_STORE_FUNCTIONS_H

#include "base/buf.h"
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

/* ---- vmflags.c: permissions and the VmFlags of smaps as words; unknown letters stay ---- */

#define PM_PERMS_TEXT 64

/* "rd" -> "readable"; an unknown flag -> {NULL, 0}. */
pm_text pm_vmflags_word(pm_text letters);
/* Adds the words of all flags, separated by commas: "rd ex zz" is "readable, executable, zz". */
pmapdb_status pm_vmflags_text(pm_text flags, pm_buf *out, pmapdb_error *err);
/* From four letters of the kernel: "rw-p" is "read, write, private". */
void pm_perms_text(const char perms[4], char out[PM_PERMS_TEXT]);

#endif
