/* plot: what pmapdb plot, report and watch draw of one process: its series, its verdicts and the
 * words about them. */
#ifndef PM_CLI_PLOT_H
#define PM_CLI_PLOT_H

#include "base/pool.h"
#include "cli/answer.h"
#include "render/picture/plot.h"

/* The arguments of the queries, as the user wrote them; NULL: their defaults. */
typedef struct pm_plot_ask {
    const char *process, *metric, *since, *limit, *dialect;
} pm_plot_ask;

typedef struct pm_plot_data {
    pmapdb_rows *judged; /* the row of leaks-processes about the process */
    pmapdb_rows *said;   /* the row of plot-verdict */
    pm_pool *texts;      /* of the plot */
    char process[32];    /* @ID */
    pm_plot plot;
    int64_t snapshots, partial; /* stored of the process; partial ones are not drawn */
    pm_buf about;               /* words: the time span and the number of snapshots */
} pm_plot_data;

/* Judges all processes that are asked for: returns the query leaks. */
pmapdb_rows *pm_plot_judge(pmapdb_store *store, const pm_plot_ask *ask);
/* Reads the judged process with the worst verdict, about `points` snapshots of it. Ends the program
 * if no process was judged. `siblings`: how many processes have its name; 0: as many as `leaks`
 * has. */
void pm_plot_read(pm_plot_data *out, pmapdb_store *store, const pm_plot_ask *ask, const char *leaks,
                  int64_t siblings, int points);
/* Reads the mappings of the newest life; none where its captures have sums only. */
void pm_plot_read_map(const pm_plot_data *data, pmapdb_store *store, pm_plot_map *out);
void pm_plot_data_free(pm_plot_data *data);

/* Draws title, verdict and facts; returns where they end. */
double pm_plot_head(pm_picture *p, const pm_plot_data *data);

/* Draws all processes asked for, the worst first. */
void pm_plot_fleet(pm_picture *p, pmapdb_store *store, const pm_plot_ask *ask);

/* ---- marks.c: what happened when, to draw beside the growth: deploys, restarts of others ---- */

/* The values of --mark and --marks, and what they say. */
typedef struct pm_marks {
    pm_cli_list given;
    const char *file;
    pm_plot_mark *item;
    size_t n, cap, bad; /* bad: rows of the file that are left out */
} pm_marks;

#define PM_MARKS_OPTIONS(marks)                                                  \
    {"mark",        0,                                                           \
     PM_OPT_LIST,   (marks) + offsetof(pm_marks, given),                         \
     "'TIME TEXT'", "What happened then; may be repeated"},                      \
    {                                                                            \
        "marks", 0, PM_OPT_WORD, (marks) + offsetof(pm_marks, file), "FILE.csv", \
            "The same, with the columns time and text"                           \
    }

/* Reads the marks. Ends the program if one of the command line has no time; says which rows of the
 * file have none. */
void pm_marks_read(pm_marks *marks, const pm_cli *cli);
void pm_marks_free(pm_marks *marks);

#endif
