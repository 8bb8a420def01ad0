/* compare: pmapdb compare A... --with B... : did this build make it worse? The queries
 * compare-samples, compare-rows and compare-gates answer. */
#include "cli/compare/compare.h"
#include "cli/run.h"

#include "base/utf8.h"
#include "parse/files/csv_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Stands for --with among the operands; no file or process has this name. */
static char with_mark[] = "\001with";

typedef struct compare {
    pm_cli *cli;
    pm_runs_options from;
    pm_cli_list with, fail_on;
    char tolerance[32]; /* a share of 1 */
    const char *junit;
    bool all;
    pmapdb_store *store;
    pm_buf sources, samples, gates; /* as JSON */
    pm_buf found, cases;            /* what decides, as lines below the table and as test cases */
    int n_cases, n_worse, n_unknown;
} compare;

static const char *read_share(const char *arg, void *value)
{
    size_t n = strlen(arg);
    double percent;

    if (n < 2 || arg[n - 1] != '%' || !pm_csv_number((pm_text){arg, n - 1}, &percent) ||
        percent > 100)
        return "a share like 1%";
    snprintf(value, sizeof((compare *)NULL)->tolerance, "%.17g", percent / 100);
    return NULL;
}

#define AT(field) offsetof(compare, field)

static const pm_option options[] = {
    {"with", 0, PM_OPT_LIST, AT(with), "B...", "The runs to be judged"},
    {"fail-on", 0, PM_OPT_LIST, AT(fail_on), "WHAT:AMOUNT",
     "Exit 1 only for this: rss:+5%, peak:10M, growth:1M/h, per_work:100B, mappings:20, "
     "CATEGORY:+10M"},
    {"tolerance", 0, PM_OPT_CUSTOM, AT(tolerance), "SHARE",
     "Smaller differences, as shares of the process, do not matter (1%)", read_share},
    {"warm-up", 0, PM_OPT_TEXT, AT(from.warm_up), "SPAN",
     "Time after the start of each run that only the peak covers (a tenth)"},
    {"work", 0, PM_OPT_WORD, AT(from.work), "FILE",
     "A counter of work, CSV with time,count: aligns the runs of stores by requests"},
    {"process", 0, PM_OPT_TEXT, AT(from.process), "NAME", "Of stores that have several names"},
    {"dialect", 0, PM_OPT_TEXT, AT(from.dialect), "NAME", "Only captures of this dialect"},
    {"junit", 0, PM_OPT_WORD, AT(junit), "FILE", "Also write test cases in JUnit's XML"},
    {"all", 0, PM_OPT_FLAG, AT(all), NULL, "Also the categories that do not differ"},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "A... --with B..."};

/* ---- what decides ---- */

static void add_xml(pm_buf *out, pm_text text)
{
    bool valid = pm_utf8_valid(text);

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (pm_char_in((char)c, "<>&\"'"))
            pm_buf_addf(out, NULL, "&#%d;", c);
        else
            pm_buf_addf(out, NULL, "%c", (c >= ' ' && c < 0x7f) || (c > 0x7f && valid) ? c : '?');
    }
}

/* Adds a test case of JUnit. `tag`: the XML element for a case that did not succeed, or NULL. */
static void add_case(pm_buf *out, const pmapdb_rows *gate, const char *tag)
{
    pm_text text = pm_answer_bytes(gate, "gate");

    pm_buf_addf(out, NULL, "  <testcase classname=\"pmapdb.compare\" name=\"");
    add_xml(out, pm_answer_bytes(gate, "key"));
    pm_buf_addf(out, NULL, " ");
    add_xml(out, pm_answer_bytes(gate, "metric"));
    pm_buf_addf(out, NULL, text.data ? ", fail on " : "");
    add_xml(out, text);
    pm_buf_addf(out, NULL, tag ? "\"><%s message=\"" : "\">", tag);
    if (tag)
        add_xml(out, pm_answer_bytes(gate, "said"));
    pm_buf_addf(out, NULL, tag ? "\"/></testcase>\n" : "</testcase>\n");
}

/* The first row is the worst outcome, the others are the gates. */
static void take_gate(compare *c, const pmapdb_rows *row)
{
    pm_text outcome = pm_answer_bytes(row, "outcome"), gate = pm_answer_bytes(row, "gate");
    const char *said = pm_answer_bytes(row, "said").data, *tag = NULL;

    if (pm_text_equal(outcome, PM_TEXT("trouble")))
        pm_cli_die("--fail-on '%s': %s", gate.data, said);
    if (!pm_answer_bytes(row, "key").data) {
        pm_buf_addf(&c->found, NULL, "%s\n", said);
        return;
    }
    if (pm_text_equal(outcome, PM_TEXT("worse"))) {
        tag = "failure";
        c->n_worse++;
    } else if (pm_text_equal(outcome, PM_TEXT("cannot tell"))) {
        tag = "skipped";
        c->n_unknown++;
    }
    c->n_cases++;
    pm_buf_addf(&c->found, NULL, "  %s%s%s\n", gate.data ? gate.data : "", gate.data ? ": " : "",
                said);
    add_case(&c->cases, row, tag);
}

static void write_junit(const compare *c)
{
    FILE *out = fopen(c->junit, "w");

    if (out)
        fprintf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"pmapdb compare\" "
                "tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n%s</testsuite>\n",
                c->n_cases, c->n_worse, c->n_unknown, pm_buf_text(&c->cases).data);
    if (!out || fclose(out) != 0)
        pm_cli_die("'%s' cannot be written: %s", c->junit, strerror(errno));
}

/* ---- the answer ---- */

/* Asks the query compare-rows: about all numbers, or those of the gates. */
static pmapdb_rows *ask(const compare *c, const char *gates, bool all)
{
    return pm_answer_ask(c->store, "compare-rows",
                         (pm_answer_arg[]){{"samples", c->samples.data},
                                           {"tolerance", *c->tolerance ? c->tolerance : NULL},
                                           {"gates", gates},
                                           {"all", all ? "1" : "0"},
                                           {0}});
}

/* Reads the samples, and says which of them cannot be compared. */
static void read_samples(compare *c)
{
    pmapdb_rows *rows = pm_answer_ask(c->store, "compare-samples",
                                      (pm_answer_arg[]){{"sources", c->sources.data}, {0}});

    pm_answer_json(rows, &c->samples);
    rows = pm_answer_ask(c->store, "notes", (pm_answer_arg[]){{"samples", c->samples.data}, {0}});
    pm_moment_say_notes(c->cli, rows);
}

static void read_gates(compare *c)
{
    pmapdb_rows *rows;

    pm_gates_read(c->cli, &c->fail_on, &c->gates);
    rows = pm_answer_ask(c->store, "compare-gates",
                         (pm_answer_arg[]){{"findings", .of = ask(c, c->gates.data, true)},
                                           {"gates", c->gates.data},
                                           {"samples", c->samples.data},
                                           {0}});
    while (pm_run_next(rows))
        take_gate(c, rows);
    pmapdb_rows_close(rows);
}

static int answer(compare *c)
{
    bool people = pm_cli_is_for_people(c->cli);
    pmapdb_rows *rows;
    pm_answer_view view;
    pm_output out;

    read_samples(c);
    read_gates(c);
    if (!c->n_cases) /* the notes said why */
        return PM_EXIT_TROUBLE;
    if (c->junit)
        write_junit(c);
    rows = ask(c, NULL, c->all || !people);
    pm_output_open(&out, c->cli);
    pm_answer_rows(&out, rows, &view, NULL, NULL);
    pm_output_end_rows(&out);
    if (people)
        fputc('\n', out.text);
    for (pm_text rest = pm_text_of(pm_cli_text(&c->found)), line; people && rest.len;) {
        line = pm_text_cut(&rest, '\n');
        pm_output_line(&out, "%.*s", (int)line.len, line.data);
    }
    pm_output_end(&out);
    pmapdb_rows_close(rows);
    return c->n_worse ? PM_EXIT_FOUND : c->n_unknown ? PM_EXIT_TOO_FEW : PM_EXIT_OK;
}

int pm_cli_compare(pm_cli *cli, int argc, char **argv)
{
    compare c = {.cli = cli};
    bool of_b = false;
    int n, exit_code;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--with") == 0)
            argv[i] = with_mark;
    n = pm_options_parse(cli, &syntax, &c, argc, argv);
    for (int i = 1; i <= n; i++)
        if (argv[i] == with_mark)
            of_b = true;
        else
            pm_sources_add(&c.sources, cli, argv[i], of_b, &c.from);
    for (size_t i = 0; i < c.with.n; i++)
        pm_sources_add(&c.sources, cli, c.with.item[i], true, &c.from);
    if (!n || argv[1] == with_mark || (!c.with.n && (!of_b || argv[n] == with_mark)))
        pm_cli_usage(cli, "compare what? Runs of A, then --with, then runs of B");
    c.store = pm_sources_end(&c.sources, cli);
    exit_code = answer(&c);
    pmapdb_close(c.store);
    pm_buf_free(&c.found);
    pm_buf_free(&c.cases);
    pm_buf_free(&c.sources);
    pm_buf_free(&c.samples);
    pm_buf_free(&c.gates);
    free(c.with.item);
    free(c.fail_on.item);
    return exit_code;
}
