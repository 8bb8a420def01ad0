/* check: pmapdb check: a plugin for Nagios, Icinga and similar monitors. Always prints one line
 * with performance data on standard output; exit status 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
#include "cli/commands/check.h"
#include "cli/words.h"

#include "base/num.h"
#include "render/number.h"
#include "render/terminal.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define HOUR_MS 3600000

static const struct {
    const char *name, *performance, *unit, *wants;
} metrics[PM_CHECK_METRICS] = {
    [PM_CHECK_RATE] = {"rate", "rate_per_h", "KB", "a size like 10M"},
    [PM_CHECK_ETA] = {"eta", "eta", "s", "a time like 6h"},
    [PM_CHECK_RSS] = {"rss", "rss", "KB", "a size like 10M"},
    [PM_CHECK_GROWTH] = {"growth", "growth", "KB",
                         "a size for a time, one for -w and -c, like 50M/h or 200M/1d"},
    [PM_CHECK_MAPPINGS] = {"mappings", "mappings", "", "a number"}};

/* ---- options ---- */

/* Cuts "/h", "/1d" off the text. -w and -c have one time. */
static bool read_growth_span(pm_text *t, int64_t *growth_ms)
{
    const char *slash = memchr(t->data, '/', t->len);
    int64_t earlier = *growth_ms;
    char span[32];

    if (!slash)
        return true;
    snprintf(span, sizeof span, "%s%s", slash[1] >= '0' && slash[1] <= '9' ? "" : "1", slash + 1);
    t->len = (size_t)(slash - t->data);
    return pm_num_span(pm_text_of(span), growth_ms) && *growth_ms > 0 &&
           (!earlier || earlier == *growth_ms);
}

static const char *read_threshold(int metric, const char *arg, double *out, int64_t *growth_ms)
{
    pm_text t = pm_text_of(arg);
    uint64_t count = 0;
    int64_t v = 0;
    bool read;

    if (metric == PM_CHECK_RATE && pm_text_ends(t, PM_TEXT("/h")))
        t.len -= 2;
    if (metric == PM_CHECK_GROWTH && !read_growth_span(&t, growth_ms))
        return metrics[metric].wants;
    if (metric == PM_CHECK_MAPPINGS)
        read = pm_num_all(t, &count);
    else
        read = metric == PM_CHECK_ETA ? pm_num_span(t, &v) : pm_num_size(t, &v);
    *out = metric == PM_CHECK_MAPPINGS ? (double)count
           : metric == PM_CHECK_ETA    ? (double)v / HOUR_MS
                                       : (double)v;
    return read ? NULL : metrics[metric].wants;
}

static const char *ask_for(const char *arg, void *value)
{
    pm_check_threshold *t = value;

    (void)arg;
    t->asked = true;
    *t->last = t;
    return NULL;
}

static const char *read_limit(pm_check *c, const char *arg, bool critical)
{
    if (!c->last) /* no metric is before it: 2G is resident memory, 50M/h its growth */
        ask_for(NULL, &c->of[strchr(arg, '/') ? PM_CHECK_GROWTH : PM_CHECK_RSS]);
    return read_threshold((int)(c->last - c->of), arg,
                          critical ? &c->last->critical : &c->last->warning, &c->growth_ms);
}

static const char *read_warning(const char *arg, void *value)
{
    return read_limit(value, arg, false);
}

static const char *read_critical(const char *arg, void *value)
{
    return read_limit(value, arg, true);
}

#define AT(field) offsetof(pm_check, field)

static const pm_option options[] = {
    {"rate", 0, PM_OPT_CUSTOM, AT(of[PM_CHECK_RATE]), NULL,
     "Growth per hour of leaks: -w 10M -c 100M", ask_for},
    {"eta", 0, PM_OPT_CUSTOM, AT(of[PM_CHECK_ETA]), NULL,
     "Time until a leak reaches the limit, as --limit gives it: -w 48h -c 6h", ask_for},
    {"rss", 0, PM_OPT_CUSTOM, AT(of[PM_CHECK_RSS]), NULL,
     "Resident memory in the newest: -w 2G -c 3G", ask_for},
    {"growth", 0, PM_OPT_CUSTOM, AT(of[PM_CHECK_GROWTH]), NULL,
     "Growth of resident memory, whether it leaks or not: -w 50M/h -c 1G/1d", ask_for},
    {"mappings", 0, PM_OPT_CUSTOM, AT(of[PM_CHECK_MAPPINGS]), NULL,
     "Mappings in the newest snapshot: -w 30000 -c 60000", ask_for},
    {"warning", 'w', PM_OPT_CUSTOM, 0, "VALUE",
     "WARNING from there on, for the metric before it (rss; for 50M/h growth)", read_warning},
    {"critical", 'c', PM_OPT_CUSTOM, 0, "VALUE",
     "CRITICAL from there on, for the metric before it (rss; growth for 50M/h)", read_critical},
    {"max-age", 0, PM_OPT_SPAN, AT(max_age_ms), "DURATION",
     "UNKNOWN if the newest snapshot is older (3 steps of the captures, at least 1m)", NULL},
    {0}};

/* Ends the program if an option can have no effect: only verdicts ask the query leaks. The limits
 * may be those of the configuration. */
static void check_parameters(const pm_check *c)
{
    for (int i = 0; i < c->args.info->n_params; i++) {
        pm_text name = c->args.info->param[i].name;

        if (c->args.value[i] && !pm_answer_lists(PM_TEXT("process dialect limits"), name))
            pm_cli_usage(c->cli, "--%.*s is for --rate and --eta", (int)name.len, name.data);
    }
}

/* Without any metric, every leak is a warning. */
static void check_thresholds(pm_check *c)
{
    bool any = false;

    for (int m = 0; m < PM_CHECK_METRICS; m++) {
        const pm_check_threshold *t = &c->of[m];

        any |= t->asked;
        if (m == PM_CHECK_ETA ? t->critical > t->warning : t->critical < t->warning)
            pm_cli_usage(c->cli, "--%s: -c would come before -w", metrics[m].name);
    }
    if (!any)
        c->of[PM_CHECK_RATE] = (pm_check_threshold){
            .asked = true, .warning = 0, .critical = NAN, .value = NAN, .last = &c->last};
    if (!c->growth_ms)
        c->growth_ms = HOUR_MS;
    if (!c->of[PM_CHECK_RATE].asked && !c->of[PM_CHECK_ETA].asked)
        check_parameters(c);
}

/* ---- the line ---- */

/* Prints the line and returns the exit code. Performance data follows a |, so a name must not
 * contain one. */
static int print_line(pm_check_state s, const char *text, const char *performance)
{
    static const char *const words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
    pm_buf shown = {0};
    pmapdb_error err;

    if (pm_terminal_escape(pm_text_of(text), &shown, NULL) == PMAPDB_OK && shown.data)
        for (char *p = shown.data; *p; p++)
            if (*p == '|')
                *p = '!';
    printf("PMAPDB %s - %s%s%s\n", words[s], shown.data ? shown.data : "out of memory",
           *performance ? " | " : "", performance);
    pm_buf_free(&shown);
    if (fflush(stdout) == 0)
        return (int)s;
    pm_fail_io(&err, errno, "cannot write standard output");
    pm_cli_say("%s", err.text);
    return PM_CHECK_UNKNOWN;
}

/* Prints a line even if the program fails, because a monitor reads only standard output. */
static void print_unknown(const char *why)
{
    print_line(PM_CHECK_UNKNOWN, why, "");
}

/* Prints a threshold: "2097152", or for times "3600:", where less is worse. Prints nothing if the
 * threshold was not given. */
static void put_threshold(FILE *out, int metric, double v)
{
    char number[PM_NUMBER_TEXT];

    pm_number_exact(metric == PM_CHECK_ETA ? v * 3600 : v, number);
    if (!isnan(v))
        fprintf(out, "%s%s", number, metric == PM_CHECK_ETA ? ":" : "");
}

/* Prints 'rss'=82227KB;2097152;3145728;0; */
static void put_performance(FILE *out, const pm_check *c, int m)
{
    double v = c->of[m].value;
    char value[PM_NUMBER_TEXT];

    pm_number_exact(m == PM_CHECK_ETA    ? round(v * 3600)
                    : m == PM_CHECK_RATE ? round(v * 10) / 10
                                         : v,
                    value);
    fprintf(out, "'%s'=%s%s;", metrics[m].performance, isnan(v) ? "U" : value,
            isnan(v) ? "" : metrics[m].unit);
    put_threshold(out, m, c->of[m].warning);
    fputc(';', out);
    put_threshold(out, m, c->of[m].critical);
    fputs(m == PM_CHECK_GROWTH ? ";;" : ";0;", out); /* growth can be below 0 */
}

/* Prints the text for state OK: "redis/4711, no leak, rss 80 MiB" */
static void put_all_well(FILE *out, const pm_check *c)
{
    static const int sizes[] = {PM_CHECK_RSS, PM_CHECK_GROWTH};
    char number[PM_NUMBER_TEXT];

    if (c->n_processes == 1)
        fputs(c->who, out);
    else
        fprintf(out, "%zu processes", c->n_processes);
    if (c->of[PM_CHECK_RATE].asked || c->of[PM_CHECK_ETA].asked) {
        pm_number_size(c->of[PM_CHECK_RATE].value, number);
        if (c->n_leaks)
            fprintf(out, ", leaks %s/h%s", number, c->n_leaks == 1 ? "" : " at most");
        else
            fputs(", no leak", out);
        pm_number_size(c->suspected, number);
        if (c->n_suspects)
            fprintf(out, ", %zu suspect%s%s%s (pmapdb leaks)", c->n_suspects,
                    isnan(c->suspected)  ? ""
                    : c->n_suspects == 1 ? " of "
                                         : " of at most ",
                    isnan(c->suspected) ? "" : number, isnan(c->suspected) ? "" : "/h");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pm_number_size(c->of[sizes[i]].value, number);
        if (c->of[sizes[i]].asked)
            fprintf(out, ", %s %s", metrics[sizes[i]].name, number);
    }
    pm_number_brief(c->of[PM_CHECK_MAPPINGS].value, number);
    if (c->of[PM_CHECK_MAPPINGS].asked)
        fprintf(out, ", mappings %s", number);
}

static int print_found(const pm_check *c)
{
    pm_words text = {0}, performance = {0};
    int exit_code;

    pm_words_begin(&performance);
    for (int m = 0; m < PM_CHECK_METRICS; m++)
        if (c->of[m].asked) {
            fputs(ftell(performance.out) ? " " : "", performance.out);
            put_performance(performance.out, c, m);
        }
    pm_words_end(&performance);
    pm_words_begin(&text);
    if (c->state == PM_CHECK_OK)
        put_all_well(text.out, c);
    else
        fprintf(text.out, "%s%s%s", c->text, *c->part ? ", most of it " : "", c->part);
    if (c->n_findings > 1)
        fprintf(text.out, "; %zu more", c->n_findings - 1);
    if (c->state != PM_CHECK_UNKNOWN && *c->as_of)
        fprintf(text.out, ", as of %s", c->as_of);
    pm_words_end(&text);
    exit_code = print_line(c->state, text.data, performance.data);
    free(text.data);
    free(performance.data);
    return exit_code;
}

/* ---- the run ---- */

void pm_cli_check_begin(void)
{
    pm_cli_die_as(PM_CHECK_UNKNOWN, print_unknown);
}

int pm_cli_check(pm_cli *cli, int argc, char **argv)
{
    pm_check c = {.cli = cli, .max_age_ms = PMAPDB_UNKNOWN, .suspected = NAN};

    for (int m = 0; m < PM_CHECK_METRICS; m++)
        c.of[m] =
            (pm_check_threshold){.warning = NAN, .critical = NAN, .value = NAN, .last = &c.last};
    c.args = (pm_run_args){
        .cli = cli, .query = "leaks", .own = options, .own_values = &c, .own_help = true};
    pm_run_parse(&c.args, argc, argv);
    if (cli->output || cli->format != PM_FORMAT_TABLE || pm_run_given(&c.args, "top"))
        pm_cli_usage(cli, "--output, --format and --top are for rows, this prints one line for a "
                          "monitor: pmapdb leaks has rows");
    check_thresholds(&c);
    pm_run_open(&c.args);
    pm_check_ask(&c);
    pm_run_end(&c.args);
    free(c.alive);
    return print_found(&c);
}
