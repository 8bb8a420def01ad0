/* man: text as roff, for the man pages. */
#ifndef PM_CLI_MAN_H
#define PM_CLI_MAN_H

#include "base/buf.h"

/* What is written collects in `out`; the first failure stays in `st`. */
typedef struct pm_man {
    pm_buf out;
    bool fresh; /* behind a heading, where no paragraph begins */
    pmapdb_status st;
    pmapdb_error *err;
} pm_man;

/* The line that begins a page, and its NAME. */
void pm_man_begin(pm_man *m, const char *page, const char *section, const char *what);

/* A request or words with fonts, as they are; ends the line. */
void pm_man_raw(pm_man *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Words that mean nothing to roff; the second form ends the line. */
void pm_man_words(pm_man *m, pm_text t);
void pm_man_line(pm_man *m, pm_text t);

void pm_man_section(pm_man *m, const char *title);
void pm_man_part(pm_man *m, pm_text title);

/* An item: a name in bold, what it takes in italics, then a line of text. */
void pm_man_item(pm_man *m, pm_text name, pm_text arg, pm_text text);

/* Text of a help: paragraphs, and lines that begin with a blank as they are. */
void pm_man_help(pm_man *m, pm_text text);

/* SQL comments: "--" and a blank before each line, "--" alone between paragraphs. */
void pm_man_comment(pm_man *m, pm_text comment);

/* ---- the pages ---- */

void pm_man_program(pm_man *m);
void pm_man_queries(pm_man *m);
void pm_man_categories(pm_man *m);
void pm_man_schema(pm_man *m);
void pm_man_perf(pm_man *m);

#endif
