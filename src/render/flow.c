/* flow: lines of words for people, wrapped at the width of the terminal. */
#include "render/flow.h"

#include "render/terminal.h"

#define PLAIN "\x1b[0m"

static const char *const colors[] = {[PM_FLOW_PLAIN] = "",
                                     [PM_FLOW_BOLD] = "\x1b[1m",
                                     [PM_FLOW_GOOD] = "\x1b[32m",
                                     [PM_FLOW_WARN] = "\x1b[1;33m",
                                     [PM_FLOW_BAD] = "\x1b[1;31m"};

void pm_flow_begin(pm_flow *f, size_t first, size_t indent)
{
    f->indent = indent;
    f->at = first;
    f->fresh = true;
    PM_STEP(f->st, pm_buf_addf(&f->line, f->err, "%*s", (int)first, ""));
}

void pm_flow_end(pm_flow *f)
{
    PM_STEP(f->st, pm_buf_add(&f->line, "\n", 1, f->err));
    PM_STEP(f->st, f->sink->write(f->sink->ctx, f->line.data, f->line.len, f->err));
    pm_buf_clear(&f->line);
}

void pm_flow_put(pm_flow *f, size_t gap, pm_flow_color color, pm_text text)
{
    bool colored = f->color && color != PM_FLOW_PLAIN;
    size_t width;

    if (!text.len || f->st != PMAPDB_OK)
        return;
    pm_buf_clear(&f->piece);
    f->st = pm_terminal_escape(text, &f->piece, f->err);
    if (f->st != PMAPDB_OK)
        return;
    width = pm_terminal_width(pm_buf_text(&f->piece));
    if (!f->fresh && gap && f->width > 0 && f->at + gap + width > (size_t)f->width) {
        pm_flow_end(f);
        pm_flow_begin(f, f->indent, f->indent);
    }
    gap = f->fresh ? 0 : gap;
    PM_STEP(f->st, pm_buf_addf(&f->line, f->err, "%*s%s%s%s", (int)gap, "",
                               colored ? colors[color] : "", f->piece.data, colored ? PLAIN : ""));
    f->at += gap + width;
    f->fresh = false;
}

void pm_flow_words(pm_flow *f, size_t gap, pm_text text)
{
    for (pm_text word; (word = pm_text_word(&text, " ")).len; gap = 1)
        pm_flow_put(f, gap, PM_FLOW_PLAIN, word);
}

void pm_flow_labelled(pm_flow *f, size_t width, const char *label, pm_text text)
{
    pm_flow_begin(f, 4, 4 + width);
    pm_flow_words(f, 0, pm_text_of(label));
    pm_flow_put(f, 0, PM_FLOW_PLAIN, PM_TEXT(":"));
    pm_flow_words(f, width - strlen(label) - 1, text);
    pm_flow_end(f);
}

void pm_flow_free(pm_flow *f)
{
    pm_buf_free(&f->line);
    pm_buf_free(&f->piece);
}
