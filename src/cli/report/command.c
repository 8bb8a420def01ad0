/* command: pmapdb report: writes what happened to a process, or to the processes of a host, as one
 * HTML file. */
#include "cli/report/report.h"

#include "cli/leaks/leaks.h"
#include "cli/plot/plot.h"
#include "render/pack.h"
#include "store/file/embedded.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN_MOST 6 /* processes of a host in one page */
#define ALL_MOST 400 /* files of --all */
#define KEPT 1200    /* snapshots in the page */
#define MAPPED 360   /* of these, with their mappings */
#define STRETCHES 60000
#define SVG_POINTS 140

#define AT(field) offsetof(pm_report, field)

static const pm_option options[] = {
    {"all", 0, PM_OPT_WORD, AT(all), "DIR", "A page for each process, and an index.html, in DIR"},
    PM_MARKS_OPTIONS(AT(marks)),
    {"title", 0, PM_OPT_TEXT, AT(title), "TEXT", "Title of the page"},
    {"max-size", 0, PM_OPT_SIZE, AT(max_kib), "SIZE",
     "Show fewer snapshots and mappings in a page that would be larger (8M)"},
    {0}};

/* ---- what the page is about ---- */

static void read_scope(pm_report *r)
{
    pmapdb_rows *rows = pm_run_query(&r->args, "report-scope");
    const char *dialect = pm_run_given(&r->args, "dialect");

    if (!pm_run_next(rows))
        pm_cli_die("there are no snapshots in this span: a report needs one");
    r->scope = (pm_report_scope){.process_id = pm_answer_int(rows, "process_id"),
                                 .from_ms = pm_answer_int(rows, "from_ms"),
                                 .to_ms = pm_answer_int(rows, "to_ms"),
                                 .dialect = pm_text_of(dialect && *dialect ? dialect : NULL),
                                 .snapshots = KEPT,
                                 .with_mappings = MAPPED,
                                 .stretches = STRETCHES};
    r->alone = pm_answer_int(rows, "alone") == 1;
    r->names = pm_answer_int(rows, "names");
    r->limit_kib = pm_answer_int(rows, "limit_kib");
    pm_answer_text(rows, "series", r->series, sizeof r->series);
    pmapdb_rows_close(rows);
}

static void forget_verdicts(pm_report *r)
{
    pm_buf_clear(&r->verdicts);
    while (r->n) {
        r->n--;
        free(r->process[r->n].name);
        free(r->process[r->n].rows);
        free(r->process[r->n].brief);
    }
}

static char *copy_of(const pmapdb_rows *rows, const char *column)
{
    return pm_cli_memory(pm_text_copy(pm_answer_bytes(rows, column)));
}

static void add_processes(pm_report *r)
{
    pmapdb_rows *rows = pm_answer_ask(r->args.store, "leaks-processes",
                                      (pm_answer_arg[]){{"leaks", r->verdicts.data}, {0}});
    pmapdb_error err;

    while (pm_run_next(rows)) {
        pm_cli_must(pm_grow(&r->process, &r->cap, r->n, sizeof *r->process, &err), &err);
        r->process[r->n++] = (pm_judged){.id = pm_answer_int(rows, "process_id"),
                                         .siblings = pm_answer_int(rows, "siblings"),
                                         .judged = pm_answer_int(rows, "snapshots") > 0,
                                         .name = copy_of(rows, "name"),
                                         .rows = copy_of(rows, "rows"),
                                         .brief = copy_of(rows, "brief")};
    }
    pmapdb_rows_close(rows);
}

/* Reads the verdicts on these processes; NULL: those of the command line. */
static void judge(pm_report *r, const char *process)
{
    pmapdb_rows *rows = pm_run_query(&r->args, "leaks");
    char since[PM_CLOCK_TEXT];

    pm_clock_format(r->scope.from_ms, since);
    pm_answer_bind(rows, "since", since);
    pm_answer_bind(rows, "process", process);
    forget_verdicts(r);
    pm_answer_json(rows, &r->verdicts);
    add_processes(r);
}

const pm_judged *pm_report_find(const pm_report *r, int64_t process_id)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->process[i].id == process_id)
            return &r->process[i];
    return NULL;
}

/* Judges all processes of the name, although one of them was asked for: the others are its
 * neighbours in the page. A life that was followed by another has its own verdict only if it is
 * judged alone. */
static void judge_all(pm_report *r)
{
    judge(r, r->alone && r->series[0] ? r->series : NULL);
    if (r->alone && !pm_report_find(r, r->scope.process_id))
        judge(r, NULL);
}

/* ---- which processes ---- */

/* Lists the processes, the worst first; if one was asked for, only this one. */
static size_t choose(const pm_report *r, int64_t *ids, size_t most)
{
    size_t n = r->n < most ? r->n : most;

    for (size_t i = 0; i < n; i++)
        ids[i] = r->process[i].id;
    if (n && !r->alone)
        return n;
    ids[0] = r->scope.process_id;
    return 1;
}

/* ---- the page ---- */

/* Prints the text of `leaks`: what a reader without JavaScript sees. */
static void print_verdicts(pm_report *r, const char *leaks, pm_buf *words)
{
    pm_cli plain = {.output = "", .human = true, .color = "never", .quiet = true};
    pm_output out;

    pm_output_into(&out, &plain, words);
    pm_leak_cards(&out, leaks, r->args.store, "category");
}

/* Prints the picture of `plot` as an SVG. */
static void print_picture(pm_report *r, const pm_judged *of, pm_buf *svg)
{
    char since[PM_CLOCK_TEXT];
    const pm_plot_ask ask = {.since = since, .dialect = pm_run_given(&r->args, "dialect")};
    const pm_sink sink = {svg, pm_sink_add};
    pm_plot_data data;
    pm_picture picture;
    pm_plot_frame frame;
    double top;
    pmapdb_error err;

    pm_clock_format(r->scope.from_ms, since);
    pm_plot_read(&data, r->args.store, &ask, of->rows, of->siblings, SVG_POINTS);
    data.plot.mark = r->marks.item;
    data.plot.n_marks = r->marks.n;
    pm_cli_must(pm_picture_svg(&picture, 1200, 600,
                               &(pm_picture_about){pm_answer_bytes(data.judged, "called"),
                                                   pm_answer_bytes(data.said, "said")},
                               &sink, &err),
                &err);
    top = pm_plot_head(&picture, &data) + .5 * picture.line;
    frame = pm_plot_place(&picture, &data.plot, top, picture.height - 1.5 * picture.line);
    pm_plot_growth(&picture, &data.plot, &frame);
    pm_cli_must(pm_picture_end(&picture), &err);
    pm_plot_data_free(&data);
}

extern const pm_embedded pm_embedded_report[]; /* page.js, page.css, policy.txt */

static void put_embedded(FILE *out, const char *name)
{
    for (const pm_embedded *e = pm_embedded_report; e->name; e++)
        if (strcmp(e->name, name) == 0)
            fwrite(e->text, 1, e->len, out);
}

/* Writes text into HTML, controls as U+FFFD: a name of a process cannot become markup. */
static void put_escaped(FILE *out, pm_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if ((c < ' ' && c != '\n') || c == 0x7f)
            fputs("&#65533;", out);
        else
            fprintf(out, pm_char_in((char)c, "&<>\"'") ? "&#%d;" : "%c", c);
    }
}

static void put_data(FILE *out, size_t nth, const pm_buf *data)
{
    pm_buf packed = {0};
    pmapdb_error err;

    pm_cli_must(pm_pack(pm_buf_text(data), PM_PACK_BASE64, &packed, &err), &err);
    fprintf(out, "<script id=\"data%zu\" type=\"application/octet-stream\">%s</script>\n", nth,
            packed.data);
    pm_buf_free(&packed);
}

/* Writes one page. `data`: the index, then each process. The static part is for readers without
 * JavaScript: the verdicts and an SVG, which may be empty. */
static void write_html(FILE *out, pm_text title, const pm_buf *verdicts, const pm_buf *picture,
                       const pm_buf *data, size_t n_data)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"",
          out);
    put_embedded(out, "policy");
    fputs("\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    put_escaped(out, title);
    fputs("</title>\n<style>", out);
    put_embedded(out, "page_css");
    fputs("</style>\n</head>\n<body>\n<div id=\"static\">\n<h1>", out);
    put_escaped(out, title);
    fputs("</h1>\n", out);
    fputs(pm_buf_text(picture).data, out);
    fputs("<pre id=\"said\">", out);
    put_escaped(out, pm_buf_text(verdicts));
    fputs("</pre>\n</div>\n<main id=\"main\" hidden></main>\n", out);
    for (size_t i = 0; i < n_data; i++)
        put_data(out, i, &data[i]);
    fputs("<script>", out);
    put_embedded(out, "page_js");
    fputs("</script>\n</body>\n</html>\n", out);
}

static size_t size_of(const pm_buf *data, size_t n)
{
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        size += data[i].len;
    return size;
}

/* Writes a page. Shows less of each process while the packed data, about a quarter of the text,
 * would be too large. */
static void write_page(pm_report *r, const pm_report_links *links, const char *path)
{
    size_t n = links->n_here;
    int64_t first = n ? links->here[0] : links->files[0];
    const pm_judged *judged = pm_report_find(r, first);
    const pm_report_scope asked = r->scope;
    pm_cli to = *r->cli;
    pm_buf data[1 + SHOWN_MOST] = {{0}};
    pm_buf words = {0};
    pm_buf picture = {0};
    pm_output out;

    pm_report_index(r, links, &data[0]);
    for (size_t i = 0; i < n; i++)
        pm_report_series(r, links->here[i], &data[1 + i]);
    while (size_of(data, 1 + n) / 4 > (size_t)r->max_kib * 1024 && r->scope.snapshots > 100) {
        r->scope.with_mappings /= 2;
        r->scope.stretches /= 2;
        r->scope.snapshots /= 2;
        for (size_t i = 0; i < n; i++) {
            pm_buf_clear(&data[1 + i]);
            pm_report_series(r, links->here[i], &data[1 + i]);
        }
    }
    print_verdicts(r, n > 1 || !n ? r->verdicts.data : judged ? judged->rows : "[]", &words);
    if (judged && judged->judged)
        print_picture(r, judged, &picture);
    to.output = path;
    pm_output_open(&out, &to);
    write_html(out.text, pm_text_of(r->title ? r->title : "pmapdb report"), &words, &picture, data,
               1 + n);
    pm_output_end(&out);
    r->scope = asked;
    pm_buf_free(&words);
    pm_buf_free(&picture);
    for (size_t i = 0; i < 1 + n; i++)
        pm_buf_free(&data[i]);
}

/* Writes index.html, which has no process, and a page for each process. */
static void write_all(pm_report *r)
{
    int64_t ids[ALL_MOST];
    size_t n = choose(r, ids, ALL_MOST);
    char file[96], *path;

    if (mkdir(r->all, 0700) != 0 && errno != EEXIST)
        pm_cli_die("cannot make the folder '%s': %s", r->all, strerror(errno));
    for (size_t i = 0; i <= n; i++) {
        if (i < n)
            pm_report_file_name(r, ids[i], file, sizeof file);
        if (asprintf(&path, "%s/%s", r->all, i < n ? file : "index.html") < 0)
            pm_cli_no_memory();
        write_page(r,
                   &(pm_report_links){.here = &ids[i], .n_here = i < n, .files = ids, .n_files = n},
                   path);
        free(path);
    }
}

int pm_cli_report(pm_cli *cli, int argc, char **argv)
{
    pm_report r = {.cli = cli, .max_kib = 8 << 10};
    int64_t ids[SHOWN_MOST];
    size_t n;

    r.args = (pm_run_args){
        .cli = cli, .query = "report-scope", .own = options, .own_values = &r, .own_help = true};
    pm_run_parse(&r.args, argc, argv);
    if (!cli->output && !r.all && isatty(STDOUT_FILENO))
        pm_cli_usage(cli, "report where to? -o FILE.html");
    pm_marks_read(&r.marks, cli);
    umask(077); /* the page tells what the store does, which is private */
    pm_run_open(&r.args);
    read_scope(&r);
    judge_all(&r);
    if (r.all) {
        write_all(&r);
    } else {
        n = choose(&r, ids, r.names > 1 ? SHOWN_MOST : 1);
        write_page(&r, &(pm_report_links){.here = ids, .n_here = n}, cli->output);
    }
    forget_verdicts(&r);
    pm_buf_free(&r.verdicts);
    free(r.process);
    pm_marks_free(&r.marks);
    pm_run_end(&r.args);
    return r.marks.bad ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
