/* watch: the state of pmapdb watch, which its screens show and its keys change. */
#ifndef PM_CLI_WATCH_H
#define PM_CLI_WATCH_H

#include "cli/plot/plot.h"
#include "cli/watch/screen.h"

typedef enum pm_watch_order {
    PM_WATCH_RSS,
    PM_WATCH_RATE,
    PM_WATCH_NAME,
    PM_WATCH_ORDERS
} pm_watch_order;

/* A line of the list: a process, or all processes of a name. */
typedef struct pm_watch_row {
    pm_leak_group group;      /* of several processes the worst */
    const pm_leak_row *worst; /* its worst part */
    double last, grown, rate; /* their sums; NaN: not known */
    size_t n;
    bool ended;
    char who[192];
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
    /* All processes, judged; judged anew when that takes little of the time. */
    pm_leak_rows rows;
    pm_text newest; /* when the last capture was */
    pm_watch_row *row;
    size_t n_rows, chosen, top;
    int64_t judged_ms, judging_ms;
    pm_watch_order order;
    /* The process that is looked into; 0: the list. A and B are snapshots; 0: the first, the last.
     */
    int64_t process_id, a, b;
    int metric;
    /* Of the picture that is shown: the snapshots before and after B. */
    int64_t before, after, shown;
} pm_watch;

/* Judges all processes, and keeps those that the filter lets through in their order. */
void pm_watch_judge(pm_watch *w);
/* Draws the list, or the process. */
void pm_watch_show(pm_watch *w);

extern const char *const pm_watch_metrics[];
#define PM_WATCH_METRICS 5

#endif
