/* functions: the SQL functions of this project, for the program's own connections and, compiled a
 * second time, for the loadable extension.
 *
 * kib_text(kib), span_text(ms), vmflags_text(flags), perms_text(perms), call_words(kind, a0, ...,
 * a5), call_error(kind, ret): functions.c. process_value(...): expression.h.
 *
 * page_groups(sets, members)
 *     sets: of table page_scan. members: pairs of a process's number in the sets and the number of
 *     its group, which counts from 1: "1 1 2 1 3 2". Result: a JSON array of
 *         [group, rss, anon, shmem, alone, swap, swap_alone]
 *     in pages. Group 0 is the union of all groups; the last row, one more than the last group, has
 *     the pages that belong to no group alone (pages/groups.h). NULL if an argument is NULL.
 *
 * permute(statistic, of_b, value, judged)
 *     An aggregate over the runs of A, then those of B, each with all statistics in order, counted
 *     from 0 -> a JSON array of {a, b, low, high, p, p_adjusted, deviation}: see
 *     stats/runs/permute.h.
 *
 * leak_verdict(first_ms, last_ms, n, value, life [, limit_kib [, page_kib]])
 *     The runs of one series, in any order -> a JSON object. The n snapshots of a run are
 *     spread evenly over first_ms..last_ms; equal neighbours count as one run, however they
 *     were cut, unless captures are missing between them (3 median steps). page_kib 0: the
 *     values are numbers of mappings, not KiB. NULL without rows.
 * leak_moments(taken_ms, process_id, epoch_id, off, sums, mappings, size_kib, rss_kib, pss_kib,
 *              private_kib, private_dirty_kib, swap_kib)
 *     An aggregate: the snapshots of one process, or of lives that follow each other, with the
 *     numbers of the whole process. sums: NULL if the snapshot shows the keys; otherwise 'VmRSS' if
 *     its rss_kib is VmRSS, or 'total'. The numbers are used if the snapshot does not show the
 *     keys, or if the numbers of the keys are unknown.
 * leak_runs(key, category, epoch_id, first, last, mappings, size_kib, rss_kib, pss_kib,
 *           private_kib, private_dirty_kib, swap_kib)
 *     An aggregate: the numbers of a key, constant from place `first` to place `last` of an epoch.
 * leak_windows(key, category, from_ms, to_ms, was_kib, rss_kib, touched_kib)
 *     An aggregate: a key had was_kib at from_ms and rss_kib at to_ms; touched_kib of rss_kib were
 *     touched between the two times.
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

/* *judged counts the calls of leak_report(); judged may be NULL. Returns SQLite's result code. */
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
