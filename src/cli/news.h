/* news: what an import or a live capture prints: a line, row or object per capture, progress on a
 * terminal, trouble on standard error, a summary. What was made good is said once a run, for the
 * first capture that it is true of, a warning three times, so that a mail of cron stays short;
 * NDJSON has them with every capture. */
#ifndef PM_CLI_NEWS_H
#define PM_CLI_NEWS_H

#include "base/buf.h"
#include "cli/cli.h"

typedef struct pm_news {
    const pm_cli *cli;
    pm_cli_out *out;
    pm_sink sink;
    pm_render *render; /* csv and json */
    bool live;         /* of a live capture: what reading it took, too */
    bool progress;     /* a line on the terminal that is written over */
    int64_t shown_ms;  /* when it was last */
    pm_buf said;       /* notes and warnings so far, without their numbers, a line each */
    pmapdb_status st;  /* of the output; once it failed, nothing more is written */
    pmapdb_error err;
} pm_news;

/* Opens the output; from now on SIGINT and SIGTERM end the run after the capture at hand. */
pmapdb_status pm_news_open(pm_news *news, const pm_cli *cli, bool live, pmapdb_error *err);
/* Completes the output; news->st says whether it is whole. */
void pm_news_close(pm_news *news);

/* For pmapdb_import_options; ctx is the pm_news. */
void pm_news_event(void *ctx, const pmapdb_import_event *event);
bool pm_news_progress(void *ctx, const pmapdb_import_progress *progress);

/* For pmapdb_capture_options; ctx is the pm_news. */
void pm_news_live(void *ctx, const pmapdb_capture_event *event);
bool pm_news_go_on(void *ctx);
/* What was printed so far, for those who follow it. */
void pm_news_flush(pm_news *news);

void pm_news_summary(const pm_cli *cli, const pmapdb_import_result *result);

#endif
