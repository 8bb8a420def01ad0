/* plot: what pmapdb plot and pmapdb watch draw of one process: its series, its verdicts and the
 * words about them. */
#ifndef PM_CLI_PLOT_H
#define PM_CLI_PLOT_H

#include "cli/leaks/rows.h"
#include "cli/words.h"
#include "render/picture/plot.h"

/* The arguments of the queries, as the user wrote them; NULL: their defaults. */
typedef struct pm_plot_ask {
    const char *process, *metric, *since, *limit, *dialect;
    int64_t process_id; /* draws this process; 0: the one with the worst verdict */
} pm_plot_ask;

typedef struct pm_plot_data {
    pm_pool *texts;           /* of the verdicts */
    pm_leak_group group;      /* the process */
    const pm_leak_row *worst; /* its worst finding; NULL: nothing leaks */
    size_t siblings;          /* processes of its name, with itself */
    char process[32];         /* @ID */
    pm_plot plot;
    bool asked;                 /* for its metric */
    int64_t snapshots, partial; /* stored of it; partial ones are not drawn */
    const char *badge;          /* LEAK, SUSPECT, NO LEAK, UNKNOWN, TOO FEW */
    pm_words title, about, verdict, facts;
    pm_plot_state state;
} pm_plot_data;

/* Judges all processes that are asked for. */
void pm_plot_judge(pm_leak_rows *out, pmapdb_store *store, const pm_plot_ask *ask);
/* Reads one of the judged processes, about `points` snapshots of it. Ends the
 * program if there is none. Keeps a part of `judged`. */
void pm_plot_read(pm_plot_data *out, pmapdb_store *store, const pm_plot_ask *ask,
                  const pm_leak_rows *judged, int points);
/* Reads the mappings of the newest life; none where its captures have sums only. */
void pm_plot_read_map(const pm_plot_data *data, pmapdb_store *store, pm_plot_map *out);
void pm_plot_data_free(pm_plot_data *data);

pm_plot_state pm_plot_state_of(pm_verdict verdict);

/* Draws title, verdict and facts; returns where they end. */
double pm_plot_head(pm_picture *p, const pm_plot_data *data);

/* Draws all processes asked for, the worst first. */
void pm_plot_fleet(pm_picture *p, pmapdb_store *store, const pm_plot_ask *ask);

#endif
