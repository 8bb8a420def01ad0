/* main: pmapdb plot: a process as a picture, in a file or on a terminal. */
#include "cli/picture.h"
#include "cli/plot/plot.h"

#include "base/num.h"
#include "cli/options/options.h"
#include <stdlib.h>

#define CHART_LINES 12 /* on a terminal */
#define MAP_LINES 14
#define HEAD_LINES 10 /* at most */

typedef struct plot_cmd {
    pm_plot_ask ask;
    pm_marks marks;
    const char *what;
    int width, height;
} plot_cmd;

static const char *read_size(const char *arg, void *value)
{
    plot_cmd *c = value;
    pm_text rest = pm_text_of(arg), width = pm_text_cut(&rest, 'x');
    uint64_t w, h;

    if (!pm_num_all(width, &w) || !pm_num_all(rest, &h) || w < 320 || h < 200 || w > 8000 ||
        h > 8000)
        return "a size like 1200x600, from 320x200 to 8000x8000";
    c->width = (int)w;
    c->height = (int)h;
    return NULL;
}

#define AT(field) offsetof(plot_cmd, field)

static const pm_option options[] = {
    {"what", 0, PM_OPT_CHOICE, AT(what), "growth|map|both|fleet",
     "Categories through time, addresses through time, one above the other (both, if the "
     "captures have mappings), or all processes, the worst first"},
    {"metric", 0, PM_OPT_CHOICE, AT(ask.metric), "rss|pss|private|private_dirty|size|swap|mappings",
     "The number to draw and to judge (rss; size where that is unknown)"},
    {"since", 0, PM_OPT_TEXT, AT(ask.since), "TIME",
     "Only snapshots from then on: a time, -7d before the newest, now-7d"},
    {"limit", 0, PM_OPT_TEXT, AT(ask.limit), "SIZE", "What the rss of the process cannot exceed"},
    {"dialect", 0, PM_OPT_TEXT, AT(ask.dialect), "NAME", "Only captures of this dialect"},
    PM_MARKS_OPTIONS(AT(marks)),
    {"size", 0, PM_OPT_CUSTOM, 0, "WIDTHxHEIGHT", "Of a picture in a file, in pixels (1200x600)",
     read_size},
    {0}};

/* ---- what it shows ---- */

static void open_picture(const plot_cmd *c, pm_text title, pm_text about, pm_output *out,
                         pm_picture *p, pmapdb_error *err)
{
    pm_cli_picture_open(p, out,
                        &(pm_cli_picture){.width = c->width,
                                          .height = c->height,
                                          .lines = HEAD_LINES + CHART_LINES + MAP_LINES,
                                          .about = {title, about}},
                        err);
}

/* Draws one panel or two with a common axis of time. */
static void draw(const plot_cmd *c, const pm_plot_data *d, const pm_plot_map *map, pm_picture *p)
{
    bool growth = !c->what || strcmp(c->what, "map") != 0;
    double top = pm_plot_head(p, d) + .5 * p->line, axis = 2.5 * p->line;
    double rest = p->height - top - axis / 2, chart = p->terminal ? CHART_LINES * p->line : rest;
    pm_plot_frame f;

    if (!p->terminal && growth && map->n)
        chart = .5 * rest;
    if (growth) {
        f = pm_plot_place(p, &d->plot, top, top + chart);
        pm_plot_growth(p, &d->plot, &f);
        top += chart + axis;
    }
    if (map->n) {
        f = pm_plot_place(p, &d->plot, top,
                          p->terminal ? top + MAP_LINES * p->line : p->height - axis / 2);
        pm_plot_map_draw(p, &d->plot, &f, map);
    }
}

static void plot_process(const plot_cmd *c, pmapdb_store *store, pm_output *out)
{
    pm_buf judged = {0};
    pm_plot_data d;
    pm_plot_map map = {0};
    pm_picture p;
    pm_text called;
    pmapdb_error err;

    pm_answer_json(pm_plot_judge(store, &c->ask), &judged);
    pm_plot_read(&d, store, &c->ask, judged.data, 0, 280);
    pm_buf_free(&judged);
    called = pm_answer_bytes(d.judged, "called");
    d.plot.mark = c->marks.item;
    d.plot.n_marks = c->marks.n;
    if (!c->what || strcmp(c->what, "growth") != 0)
        pm_plot_read_map(&d, store, &map);
    if (c->what && strcmp(c->what, "growth") != 0 && !map.n)
        pm_cli_die("the captures of %s have no mappings: --what growth draws their sums",
                   called.data);
    open_picture(c, called, pm_answer_bytes(d.said, "said"), out, &p, &err);
    draw(c, &d, &map, &p);
    pm_output_check(out, pm_picture_end(&p), &err);
    free(map.stretch);
    pm_plot_data_free(&d);
}

int pm_cli_plot(pm_cli *cli, int argc, char **argv)
{
    static const pm_syntax syntax = {.options = options, .operands = "[PROCESS]", .most = 1};
    plot_cmd c = {.width = 1200, .height = 600};
    int n = pm_options_parse(cli, &syntax, &c, argc, argv);
    pmapdb_store *store;
    pm_picture p;
    pm_output out;
    pmapdb_error err;

    c.ask.process = n ? argv[1] : NULL;
    pm_cli_picture_check(cli);
    pm_marks_read(&c.marks, cli);
    store = pm_cli_store(cli, PMAPDB_READ);
    pm_cli_must(pmapdb_begin_read(store, &err), &err);
    pm_output_open(&out, cli);
    if (c.what && strcmp(c.what, "fleet") == 0) {
        open_picture(&c, PM_TEXT("processes"), pm_text_of(c.ask.process ? c.ask.process : "all"),
                     &out, &p, &err);
        pm_plot_fleet(&p, store, &c.ask);
        pm_output_check(&out, pm_picture_end(&p), &err);
    } else {
        plot_process(&c, store, &out);
    }
    pmapdb_close(store);
    pm_output_end(&out);
    pm_cli_picture_hint(cli);
    pm_marks_free(&c.marks);
    return c.marks.bad ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
