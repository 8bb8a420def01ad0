/* data: the texts that a page unpacks: JSON that queries make, and the verdicts. */
#include "cli/report/report.h"

#include "base/clock/clock.h"
#include "cli/advice/page.h"
#include "cli/leaks/leaks.h"
#include <inttypes.h>

static void put(pm_buf *out, const char *text)
{
    pm_buf_add(out, text, strlen(text), NULL);
}

/* Appends an object, which ends a line. */
static void put_object(pm_buf *out, const pm_pair *pairs, size_t n)
{
    const pm_sink sink = {out, pm_sink_add};
    pmapdb_error err;

    pm_cli_must(pm_render_object(&sink, pairs, n, &err), &err);
}

static pm_pair text_pair(const char *key, const char *text)
{
    return (pm_pair){.key = key, .value = pm_value_text(text)};
}

static pm_pair int_pair(const char *key, int64_t value)
{
    return (pm_pair){.key = key, .value = pm_value_int(value)};
}

/* ---- before a process is chosen ---- */

/* Appends the verdicts: all rows of the processes that the page shows; of each other process the
 * row of the whole process, and what leaks. */
static void put_verdicts(pm_report *r, const pm_report_links *links, pm_buf *out)
{
    const char *comma = "";

    put(out, "\"leak\":[");
    for (const pm_judged *p = r->process; p < r->process + r->n; p++) {
        const char *rows = p->brief;

        for (size_t i = 0; i < links->n_here; i++)
            rows = links->here[i] == p->id ? p->rows : rows;
        if (strlen(rows) == strlen("[]"))
            continue;
        put(out, comma);
        pm_buf_add(out, rows + 1, strlen(rows) - strlen("[]"), NULL);
        comma = ",";
    }
    put(out, "],\n");
}

static void put_marks(const pm_report *r, pm_buf *out)
{
    put(out, "\"marks\":[");
    for (const pm_plot_mark *m = r->marks.item; m < r->marks.item + r->marks.n; m++) {
        put(out, m > r->marks.item ? "," : "");
        put_object(out, (pm_pair[]){int_pair("ms", m->ms), text_pair("text", m->text)}, 2);
    }
    put(out, "],\n");
}

void pm_report_file_name(const pm_report *r, int64_t process_id, char *out, size_t size)
{
    const pm_judged *p = pm_report_find(r, process_id);
    char name[64] = "";
    size_t n = 0;

    snprintf(name, sizeof name, "%s", p ? p->name : "");
    for (char *c = name; *c; c++)
        if (pm_is_letter(*c) || pm_is_digit(*c))
            name[n++] = *c;
    name[n] = '\0';
    snprintf(out, size, "%s%s%" PRId64 ".html", name, n ? "-" : "", process_id);
}

/* Appends where each process is: the number of its data in this page, or its file. */
static void put_links(const pm_report *r, const pm_report_links *links, pm_buf *out)
{
    char file[96];

    put(out, "\"shown\":[");
    for (size_t i = 0; i < links->n_here + links->n_files; i++) {
        bool here = i < links->n_here;
        int64_t id = here ? links->here[i] : links->files[i - links->n_here];

        pm_report_file_name(r, id, file, sizeof file);
        put(out, i ? "," : "");
        put_object(out,
                   (pm_pair[]){int_pair("id", id),
                               int_pair("data", here ? (int64_t)i + 1 : PMAPDB_UNKNOWN),
                               text_pair("file", here ? NULL : file)},
                   3);
    }
    put(out, "],\n");
}

void pm_report_index(pm_report *r, const pm_report_links *links, pm_buf *out)
{
    pm_report_scope scope = r->scope;
    pmapdb_error err;

    put(out, "{\"v\":1,\n\"about\":");
    put_object(out,
               (pm_pair[]){text_pair("tool", "pmapdb " PMAPDB_VERSION),
                           int_pair("made_ms", pm_clock_now()), text_pair("title", r->title),
                           text_pair("back", links->n_here && links->n_files ? "index.html" : NULL),
                           int_pair("limit_kib", r->limit_kib)},
               5);
    put(out, ",\n");
    put_links(r, links, out);
    put_marks(r, out);
    put_verdicts(r, links, out);
    put(out, "\"fleet\":");
    if (links->n_here && (links->n_files || r->names == 1))
        scope.process_id = links->here[0];
    else if (r->names > 1)
        scope.process_id = PMAPDB_UNKNOWN;
    pm_cli_must(pm_report_fleet(r->args.store, &scope, out, &err), &err);
    put(out, "}\n");
    pm_cli_must(pm_buf_status(out, &err), &err);
}

/* ---- one process ---- */

/* Appends the next steps about the worst finding: commands that can be copied, and advice. */
static void put_next(const pm_report *r, int64_t process_id, pm_buf *out)
{
    static const char *const parts[] = {"ask", "advice", "who"};
    const pm_judged *p = pm_report_find(r, process_id);
    pmapdb_rows *pieces = pm_leak_pieces(r->args.store, p ? p->rows : "[]", true, "category", 0);
    pmapdb_rows *pages = pm_page_ask(r->args.store);
    const char *comma = "";

    put(out, "[");
    while (pm_run_next(pieces))
        if (pm_text_equal(pm_answer_bytes(pieces, "part"), PM_TEXT("next"))) {
            pm_page_next(pages, pieces, pm_page_recorded(r->args.store));
            for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
                const char *words = pm_answer_bytes(pages, parts[i]).data;

                put(out, words ? comma : "");
                if (words)
                    put_object(out, (pm_pair[]){text_pair(i == 1 ? "text" : "command", words)}, 1);
                comma = words ? "," : comma;
            }
            break;
        }
    pmapdb_rows_close(pages);
    pmapdb_rows_close(pieces);
    put(out, "]");
}

/* Appends the stacks that allocated what grew, the largest first. */
static void put_who(const pm_report *r, int64_t process_id, pm_buf *out)
{
    char process[24];
    pmapdb_rows *rows;

    if (!pm_page_recorded(r->args.store)) {
        put(out, "[]");
        return;
    }
    snprintf(process, sizeof process, "@%" PRId64, process_id);
    rows = pm_answer_ask(r->args.store, "who",
                         (pm_answer_arg[]){{"process", process}, {"form", "folded"}, {NULL, NULL}});
    pm_answer_wrap(rows,
                   "SELECT json_group_array(json_object('stack', stack, 'kind', kind, "
                   "'kib', growth_kib)) FROM (SELECT * FROM (",
                   ") LIMIT 5000)");
    pm_run_next(rows);
    put(out, pmapdb_rows_text(rows, 0, NULL));
    pmapdb_rows_close(rows);
}

void pm_report_series(pm_report *r, int64_t process_id, pm_buf *out)
{
    pm_report_scope scope = r->scope;
    pmapdb_error err;

    scope.process_id = process_id;
    put(out, "{\"next\":");
    put_next(r, process_id, out);
    put(out, ",\n\"who\":");
    put_who(r, process_id, out);
    put(out, ",\n\"series\":");
    pm_cli_must(pm_report_process(r->args.store, &scope, out, &err), &err);
    put(out, "}\n");
    pm_cli_must(pm_buf_status(out, &err), &err);
}
