/* flow: lines of words for people, broken where the terminal ends. What a name holds cannot drive
 * the terminal. The first failure stays in `st`, and nothing is written after it. */
#ifndef PM_RENDER_FLOW_H
#define PM_RENDER_FLOW_H

#include "base/buf.h"
#include "render/render.h"

typedef enum pm_flow_color {
    PM_FLOW_PLAIN,
    PM_FLOW_BOLD,
    PM_FLOW_GOOD,
    PM_FLOW_WARN,
    PM_FLOW_BAD
} pm_flow_color;

/* sink, err, width (0: lines are not broken) and color are the caller's to set. */
typedef struct pm_flow {
    const pm_sink *sink;
    pmapdb_error *err;
    int width;
    bool color;
    pmapdb_status st;
    pm_buf line, piece;
    size_t at, indent;
    bool fresh; /* nothing stands in the line but its indent */
} pm_flow;

/* Begins a line with `first` blanks; what it is broken into begins with `indent` blanks. */
void pm_flow_begin(pm_flow *f, size_t first, size_t indent);

/* Adds a piece that stays in one line, `gap` blanks behind the one before; with no gap it stays
 * with that one. */
void pm_flow_put(pm_flow *f, size_t gap, pm_flow_color color, pm_text text);

/* Adds words, the first of them `gap` blanks behind what is before it. */
void pm_flow_words(pm_flow *f, size_t gap, pm_text text);
void pm_flow_say(pm_flow *f, size_t gap, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void pm_flow_end(pm_flow *f);
void pm_flow_free(pm_flow *f);

#endif
