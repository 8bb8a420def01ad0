/* flow: lines of words for people, wrapped at the width of the terminal. Control characters in
 * names are escaped. The first failure stays in `st`, and nothing is written after it. */
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

/* The caller sets sink, err, width (0: lines are not wrapped) and color. */
typedef struct pm_flow {
    const pm_sink *sink;
    pmapdb_error *err;
    int width;
    bool color;
    pmapdb_status st;
    pm_buf line, piece;
    size_t at, indent;
    bool fresh; /* the line is empty after its indent */
} pm_flow;

/* Begins a line with `first` blanks; wrapped lines begin with `indent` blanks. */
void pm_flow_begin(pm_flow *f, size_t first, size_t indent);

/* Adds a piece that is never wrapped, `gap` blanks after the piece before; without a gap the two
 * pieces stay together. */
void pm_flow_put(pm_flow *f, size_t gap, pm_flow_color color, pm_text text);

/* Adds words, the first one `gap` blanks after the piece before. */
void pm_flow_words(pm_flow *f, size_t gap, pm_text text);

/* Writes a line "    label:  text", the text at column 4 + `width`. */
void pm_flow_labelled(pm_flow *f, size_t width, const char *label, pm_text text);

void pm_flow_end(pm_flow *f);
void pm_flow_free(pm_flow *f);

#endif
