/* watch: the state of pmapdb watch, which its screens show and its keys change. */
#ifndef PM_CLI_WATCH_H
#define PM_CLI_WATCH_H

#include "cli/plot/plot.h"
#include "cli/watch/screen.h"

/* A line of the list: a process, or all processes of a name: a row of leaks-processes. */
typedef struct pm_watch_row {
    int64_t process_id, n, siblings;
    bool ended;
    pm_plot_state state;
    double last, grown; /* NaN: not known */
    char name[160], who[192], said[160];
    char *leaks; /* its verdicts as JSON */
} pm_watch_row;

typedef struct pm_watch {
    pm_cli *cli;
    pmapdb_store *store; /* in memory */
    pmapdb_capture_options capture;
    const char *limit;
    int64_t every_ms, next_ms, read_ms;
    bool paused, typing; /* typing: a filter */
    bool by_name, each;  /* the list has a line per name; a process shows each mapping */
    char filter[64], message[600];
    pm_screen screen;
    /* All processes, judged; judged again only after 10 times the time that judging took. */
    pm_watch_row *row;
    size_t n_rows, cap_rows, chosen, top;
    int64_t judged_ms, judging_ms;
    int order;
    /* The process that is looked into; 0: the list. A and B are snapshots; 0: the first, the last.
     */
    int64_t process_id, a, b;
    int metric;
    /* Of the picture that is shown: the snapshots before and after B. */
    int64_t before, after, shown;
} pm_watch;

/* Judges all processes, and lists those that the filter lets through in their order. */
void pm_watch_judge(pm_watch *w);
void pm_watch_forget(pm_watch *w);
/* Draws the list, or the process. */
void pm_watch_show(pm_watch *w);

extern const char *const pm_watch_metrics[], *const pm_watch_orders[];
#define PM_WATCH_METRICS 5
#define PM_WATCH_ORDERS 3

#endif
