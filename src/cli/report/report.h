/* report: shared by the parts of pmapdb report. */
#ifndef PM_CLI_REPORT_H
#define PM_CLI_REPORT_H

#include "cli/plot/plot.h"
#include "cli/run.h"
#include "store/report/report.h"

typedef struct pm_report {
    pm_cli *cli;
    pm_run_args args;
    const char *title, *all; /* --title, --all; NULL: not given */
    int64_t max_kib;         /* --max-size */
    pm_marks marks;
    /* What the query report-scope says: */
    pm_report_scope scope;
    bool alone;    /* a single process is asked for */
    int64_t names; /* how many names there are */
    int64_t limit_kib;
    char series[128]; /* the name, if all processes of the name are meant; or "" */
    /* The verdicts: all as JSON, and by process, the worst first. */
    pm_buf verdicts;
    struct pm_judged *process;
    size_t n, cap;
} pm_report;

/* A judged process. */
typedef struct pm_judged {
    int64_t id, siblings; /* siblings: processes of its name */
    bool judged;          /* by a snapshot at least */
    char *name;
    char *rows, *brief; /* its rows of leaks as JSON: all; the process and what leaks */
} pm_judged;

/* The processes that a page has, and those that have a file of their own, which --all writes. */
typedef struct pm_report_links {
    const int64_t *here, *files;
    size_t n_here, n_files;
} pm_report_links;

/* Appends what the page shows before a process is chosen: verdicts, the memory of each process
 * through time, marks, links. */
void pm_report_index(pm_report *r, const pm_report_links *links, pm_buf *out);

/* Returns the verdicts on a process; NULL if it has none. */
const pm_judged *pm_report_find(const pm_report *r, int64_t process_id);

/* Appends the data of the process with this process_id. */
void pm_report_series(pm_report *r, int64_t process_id, pm_buf *out);

/* Prints the name of the file of a process that --all writes. */
void pm_report_file_name(const pm_report *r, int64_t process_id, char *out, size_t size);

#endif
