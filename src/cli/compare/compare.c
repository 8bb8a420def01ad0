/* compare: pmapdb compare A... --with B... : did this build make it worse? */
#include "cli/compare/compare.h"
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/words.h"

#include "parse/files/csv_table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 0.01
#define SHARE 0.01

/* Stands for --with among the operands; no file or process has this name. */
static char with_mark[] = "\001with";

typedef struct compare {
    pm_cli *cli;
    pm_runs_options from;
    pm_cli_list with, fail_on;
    double share;
    const char *junit;
    bool all;
    pm_findings findings;
    pm_gates gates;
} compare;

static const char *read_share(const char *arg, void *value)
{
    size_t n = strlen(arg);
    double percent;

    if (n < 2 || arg[n - 1] != '%' || !pm_csv_number((pm_text){arg, n - 1}, &percent) ||
        percent > 100)
        return "a share like 1%";
    *(double *)value = percent / 100;
    return NULL;
}

#define AT(field) offsetof(compare, field)

static const pm_option options[] = {
    {"with", 0, PM_OPT_LIST, AT(with), "B...", "The runs to be judged"},
    {"fail-on", 0, PM_OPT_LIST, AT(fail_on), "WHAT:AMOUNT",
     "Exit 1 only for this: rss:+5%, peak:10M, growth:1M/h, per_work:100B, mappings:20, "
     "CATEGORY:+10M"},
    {"tolerance", 0, PM_OPT_CUSTOM, AT(share), "SHARE",
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

/* ---- output ---- */

enum {
    KEY,
    METRIC,
    A,
    B,
    DIFFERENCE,
    LOW,
    HIGH,
    P_ADJUSTED,
    OUTCOME,
    FOR_PEOPLE, /* the number of columns that people see */
    P = FOR_PEOPLE,
    TOLERANCE,
    RUNS,
    COLUMNS
};

static const pm_column columns[COLUMNS] = {
    [KEY] = {"key", PM_UNIT_CATEGORY},
    [METRIC] = {"metric", PM_UNIT_TEXT},
    [A] = {"a", PM_UNIT_AMOUNT},
    [B] = {"b", PM_UNIT_AMOUNT},
    [DIFFERENCE] = {"difference", PM_UNIT_AMOUNT},
    [LOW] = {"low", PM_UNIT_AMOUNT},
    [HIGH] = {"high", PM_UNIT_AMOUNT},
    [P_ADJUSTED] = {"p_adjusted", PM_UNIT_RATIO},
    [OUTCOME] = {"outcome", PM_UNIT_TEXT},
    [P] = {"p", PM_UNIT_RATIO},
    [TOLERANCE] = {"tolerance", PM_UNIT_AMOUNT},
    [RUNS] = {"runs_needed", PM_UNIT_COUNT},
};

static pm_value amount(const pm_finding *f, double v)
{
    if (f->measure == PM_PIECES || f->measure == PM_PER_WORK || isnan(v))
        return pm_value_real(v);
    return (pm_value){.kind = PM_VALUE_INT, .i = (int64_t)llround(v)};
}

static void write_row(pm_output *out, const pm_finding *f)
{
    const pm_contrast *c = &f->contrast;
    const pm_value values[COLUMNS] = {[KEY] = {.kind = PM_VALUE_TEXT, .t = f->key},
                                      [METRIC] = pm_value_text(pm_measure_names[f->measure]),
                                      [A] = amount(f, c->a),
                                      [B] = amount(f, c->b),
                                      [DIFFERENCE] = amount(f, c->b - c->a),
                                      [LOW] = amount(f, c->low),
                                      [HIGH] = amount(f, c->high),
                                      [P] = pm_value_real(c->p),
                                      [P_ADJUSTED] = pm_value_real(c->p_adjusted),
                                      [TOLERANCE] = amount(f, f->tolerance),
                                      [OUTCOME] = pm_value_text(pm_outcome_names[f->outcome]),
                                      [RUNS] = pm_value_int(f->runs_needed)};

    pm_output_row(out, values);
}

/* Below the table: the worst outcome, and the gates that decide the exit status. */
static void put_conclusion(const compare *c, pm_output *out)
{
    static const char *const words[] = {"not worse", "worse", "", "cannot tell"};

    pm_output_line(out, "%s: %zu run%s of A, %zu of B", words[pm_gates_exit(&c->gates)],
                   c->findings.n_a, c->findings.n_a == 1 ? "" : "s", c->findings.n_b);
    for (size_t i = 0; i < c->gates.n; i++) {
        pm_words line = {0};
        FILE *words_of = pm_words_begin(&line);

        if (c->gates.item[i].text)
            fprintf(words_of, "%s: ", c->gates.item[i].text);
        pm_finding_put(words_of, &c->gates.item[i].finding, &c->findings);
        pm_words_end(&line);
        pm_output_line(out, "  %s", line.data);
        free(line.data);
    }
}

static void write(const compare *c)
{
    static const pm_about about = {.name = {"compare", 7},
                                   .title = {"Runs of B against runs of A", 27},
                                   .narrow = {"key metric a b difference p_adjusted outcome", 44}};
    bool all = !pm_cli_is_for_people(c->cli) || c->cli->wide;
    pm_output out;

    pm_output_open(&out, c->cli);
    pm_output_rows(&out, columns, all ? COLUMNS : FOR_PEOPLE, &about);
    for (size_t i = 0; i < c->findings.n; i++) {
        const pm_finding *f = &c->findings.item[i];

        /* For people: total, and the categories that differ. */
        if (c->all || !pm_cli_is_for_people(c->cli) || pm_text_equal(f->key, PM_TEXT("total")) ||
            f->outcome == PM_WORSE || f->outcome == PM_BETTER)
            write_row(&out, f);
    }
    pm_output_end_rows(&out);
    if (pm_cli_is_for_people(c->cli)) {
        pm_output_text(&out, "\n");
        put_conclusion(c, &out);
    }
    pm_output_end(&out);
}

/* ---- the command ---- */

static void say_limits(const compare *c)
{
    const pm_findings *f = &c->findings;

    if (f->blocks)
        pm_cli_note(c->cli,
                    "one run each: only growth is judged, by the parts of the run; how much the "
                    "rest differs from run to run of one build is unknown");
    else if (f->least > ALPHA)
        pm_cli_note(c->cli,
                    "%zu against %zu runs never have p below %.2g: 5 against 5 can tell, 3 against "
                    "10, too",
                    f->n_a, f->n_b, f->least);
}

int pm_cli_compare(pm_cli *cli, int argc, char **argv)
{
    compare c = {.cli = cli, .share = SHARE};
    pm_buf sources = {0};
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
            pm_sources_add(&sources, cli, argv[i], of_b, &c.from);
    for (size_t i = 0; i < c.with.n; i++)
        pm_sources_add(&sources, cli, c.with.item[i], true, &c.from);
    if (!n || argv[1] == with_mark || (!c.with.n && (!of_b || argv[n] == with_mark)))
        pm_cli_usage(cli, "compare what? Runs of A, then --with, then runs of B");
    pm_findings_make(&c.findings, &sources, cli, c.share, ALPHA);
    say_limits(&c);
    pm_gates_make(&c.gates, cli, &c.fail_on, &c.findings, ALPHA);
    if (c.junit)
        pm_gates_junit(&c.gates, &c.findings, c.junit);
    write(&c);
    exit_code = pm_gates_exit(&c.gates);
    free(c.gates.item);
    pm_findings_free(&c.findings);
    pm_buf_free(&sources);
    free(c.with.item);
    free(c.fail_on.item);
    return exit_code;
}
