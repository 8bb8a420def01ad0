/* page_functions: the pages of groups of processes as an SQL function. Compiled twice, like
 * functions.c. */
#ifndef PM_STORE_FUNC_PAGE_FUNCTIONS_H
#define PM_STORE_FUNC_PAGE_FUNCTIONS_H

struct sqlite3;

/* Adds page_groups(sets, members): sets of table page_scan, and the numbers of processes with those
 * of their groups, which count from 1: "1 1 2 1 3 2". The answer is JSON, in pages: for each group,
 * and for number 0, their union, and the last number, what is no group's alone,
 *
 *     [group, rss, anon, shmem, alone, swap, swap_alone]
 *
 * NULL if an argument is NULL. Returns SQLite's result code. */
int pm_page_functions_add(struct sqlite3 *db);

#endif
