/* marks: what happened when, to draw beside the growth: deploys, restarts of others. */
#ifndef PM_CLI_MARKS_H
#define PM_CLI_MARKS_H

#include "cli/cli.h"
#include "render/picture/plot.h"

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
     "'TIME TEXT'", "What happened then; may be repeated",                       \
     NULL},                                                                      \
    {                                                                            \
        "marks", 0, PM_OPT_WORD, (marks) + offsetof(pm_marks, file), "FILE.csv", \
            "The same, with the columns time and text", NULL                     \
    }

/* Reads the marks. Ends the program if one of the command line has no time; says which rows of the
 * file have none. */
void pm_marks_read(pm_marks *marks, const pm_cli *cli);
void pm_marks_free(pm_marks *marks);

#endif
