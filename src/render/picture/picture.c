/* picture: what all papers share: text that fits, and rectangles as paths. */
#include "render/picture/picture.h"

#include "render/terminal.h"

void pm_picture_path(pm_picture *p, const pm_point *at, size_t n, const pm_ink *ink,
                     const char *name)
{
    if (p->st == PMAPDB_OK && n > 1)
        p->ops->path(p, at, n, ink, name);
}

void pm_picture_rect(pm_picture *p, double x, double y, double width, double height,
                     const pm_ink *ink)
{
    pm_point corner[] = {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};

    pm_picture_path(p, corner, 4, ink, NULL);
}

void pm_picture_line(pm_picture *p, double x, double y, double x2, double y2, const pm_ink *ink)
{
    pm_point end[] = {{x, y}, {x2, y2}};

    pm_picture_path(p, end, 2, ink, NULL);
}

void pm_picture_raster(pm_picture *p, const pm_raster *field)
{
    if (p->st == PMAPDB_OK)
        p->ops->field(p, field);
}

void pm_picture_text(pm_picture *p, pm_point at, pm_align align, double width, const pm_ink *ink,
                     pm_text text)
{
    size_t columns = width > 0 ? (size_t)(width / p->em + .01) : 0;
    pm_buf shown = {0};

    if (p->st != PMAPDB_OK || !columns)
        return;
    p->st = pm_terminal_escape(text, &shown, p->err);
    if (p->st == PMAPDB_OK && pm_terminal_width(pm_buf_text(&shown)) > columns) {
        shown.len = pm_terminal_head(pm_buf_text(&shown), columns > 3 ? columns - 3 : 1).len;
        p->st = pm_buf_add(&shown, "...", 3, p->err);
    }
    if (p->st == PMAPDB_OK)
        p->ops->text(p, at, align, ink, pm_buf_text(&shown));
    pm_buf_free(&shown);
}

double pm_picture_words(pm_picture *p, pm_point at, double width, const pm_ink *ink, pm_text text)
{
    size_t columns = (size_t)(width / p->em + .01);
    double y = at.y;

    for (pm_text line; text.len && columns; y += p->line) {
        line = pm_terminal_line(text, columns);
        pm_picture_text(p, (pm_point){at.x, y}, PM_ALIGN_LEFT, width, ink, line);
        text = pm_text_skip(pm_text_from(text, line.len), " ");
    }
    return y - at.y;
}

void pm_picture_begin(pm_picture *out, const pm_picture_ops *ops, int width, int height,
                      void *state, const pm_sink *sink, pmapdb_error *err)
{
    *out = (pm_picture){.ops = ops,
                        .sink = sink,
                        .width = width,
                        .height = height,
                        .em = PM_PICTURE_FONT * .6,
                        .line = PM_PICTURE_FONT * 1.4,
                        .cell = 2,
                        .state = state,
                        .err = err};
}

/* ---- cells ---- */

/* The number of cells of this value from here down. */
static int run_at(const pm_raster *f, int x, int y, int value)
{
    int n = 0;

    while (y + n < f->rows && f->cell[(y + n) * f->columns + x] == value)
        n++;
    return n;
}

/* True if a run of exactly this length begins here. */
static bool is_run(const pm_raster *f, int x, int y, int value, int length)
{
    return x >= 0 && x < f->columns && (y == 0 || f->cell[(y - 1) * f->columns + x] != value) &&
           run_at(f, x, y, value) == length;
}

/* Equal cells below each other are a run, equal runs beside each other one rectangle. */
void pm_picture_rectangles(pm_picture *p, const pm_raster *f, int value,
                           void (*put)(pm_picture *p, double x, double y, double width,
                                       double height))
{
    for (int x = 0; x < f->columns; x++)
        for (int y = 0, down; y < f->rows; y += down ? down : 1) {
            int across = 1;

            down = run_at(f, x, y, value);
            if (!down || is_run(f, x - 1, y, value, down))
                continue;
            while (is_run(f, x + across, y, value, down))
                across++;
            put(p, f->at.x + x * f->width, f->at.y + y * f->height, across * f->width,
                down * f->height);
        }
}

pmapdb_status pm_picture_end(pm_picture *p)
{
    if (p->st == PMAPDB_OK)
        p->ops->end(p);
    p->ops->close(p);
    return p->st;
}
