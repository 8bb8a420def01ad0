/* check: pmapdb check: a plugin for Nagios, Icinga and their kind. One line with performance
 * data on standard output, whatever happens; exit status 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
#include "cli/check.h"

#include "base/buf.h"
#include "base/num.h"
#include "render/number.h"
#include "render/terminal.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_UNKNOWN = 3 };

static const char *const metric_names[] = {"rate", "eta", "rss", "mappings"};

/* ---- the line ---- */

/* In Nagios' order of numbers. */
static int code_of(pm_check_state state)
{
    return state == PM_CHECK_CRITICAL  ? 2
           : state == PM_CHECK_WARNING ? 1
           : state == PM_CHECK_UNKNOWN ? EXIT_UNKNOWN
                                       : 0;
}

/* What follows a | is performance data: none may come from a name. Returns the exit code. */
static int print_line(int code, const char *text, const char *performance)
{
    static const char *const words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
    pm_buf shown = {0};
    pmapdb_error err;

    if (pm_terminal_escape(pm_text_of(text), &shown, NULL) == PMAPDB_OK && shown.data)
        for (char *p = shown.data; *p; p++)
            if (*p == '|')
                *p = '!';
    printf("PMAPDB %s - %s%s%s\n", words[code], shown.data ? shown.data : "out of memory",
           *performance ? " | " : "", performance);
    pm_buf_free(&shown);
    if (fflush(stdout) == 0)
        return code;
    pm_fail_io(&err, errno, "cannot write standard output");
    pm_cli_say("%s", err.text);
    return EXIT_UNKNOWN;
}

/* A monitor reads a line on standard output, whatever happens. */
static void say_unknown(const char *why)
{
    print_line(EXIT_UNKNOWN, why, "");
}

static void add_threshold(char *out, size_t size, pm_check_metric m, double v)
{
    char number[PM_NUMBER_TEXT];

    out[0] = '\0';
    if (isnan(v))
        return;
    pm_number_exact(m == PM_CHECK_ETA ? v * 3600 : v, number);
    snprintf(out, size, "%s%s", number, m == PM_CHECK_ETA ? ":" : "");
}

/* 'rss'=82227KB;2097152;3145728;0; */
static void add_performance(const pm_check *c, pm_check_metric m, char *out, size_t size)
{
    static const char *const units[] = {"KB", "s", "KB", ""};
    size_t used = strlen(out);
    char value[PM_NUMBER_TEXT] = "U", warning[40], critical[40];

    if (!isnan(c->value[m]))
        pm_number_exact(m == PM_CHECK_ETA    ? round(c->value[m] * 3600)
                        : m == PM_CHECK_RATE ? round(c->value[m] * 10) / 10
                                             : c->value[m],
                        value);
    add_threshold(warning, sizeof warning, m, c->warning[m]);
    add_threshold(critical, sizeof critical, m, c->critical[m]);
    snprintf(out + used, size - used, "%s'%s'=%s%s;%s;%s;0;", used ? " " : "",
             m == PM_CHECK_RATE ? "rate_per_h" : metric_names[m], value,
             isnan(c->value[m]) ? "" : units[m], warning, critical);
}

/* What there is to say where all is well: "redis/4711, no leak, rss 80 MiB" */
static void describe(const pm_check *c, char *out, size_t size)
{
    char number[PM_NUMBER_TEXT];
    size_t used;

    if (c->n_processes == 1)
        snprintf(out, size, "%s", c->quiet);
    else
        snprintf(out, size, "%zu processes", c->n_processes);
    used = strlen(out);
    if (c->asked[PM_CHECK_RATE] || c->asked[PM_CHECK_ETA]) {
        pm_number_size(c->value[PM_CHECK_RATE], number);
        if (!c->n_leaks)
            snprintf(out + used, size - used, ", no leak");
        else
            snprintf(out + used, size - used, ", leaks %s/h%s", number,
                     c->n_leaks == 1 ? "" : " at most");
    }
    for (int m = PM_CHECK_RSS; m <= PM_CHECK_MAPPINGS; m++) {
        used = strlen(out);
        if (!c->asked[m])
            continue;
        if (m == PM_CHECK_RSS)
            pm_number_size(c->value[m], number);
        else
            pm_number_brief(c->value[m], number);
        snprintf(out + used, size - used, ", %s %s", metric_names[m], number);
    }
}

static int print_found(const pm_check *c)
{
    char performance[512] = "", text[1024];
    size_t used;

    for (int m = 0; m < PM_CHECK_METRICS; m++)
        if (c->asked[m])
            add_performance(c, m, performance, sizeof performance);
    if (c->state == PM_CHECK_OK)
        describe(c, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", c->text);
    used = strlen(text);
    if (c->n_findings > 1)
        snprintf(text + used, sizeof text - used, "; %zu more", c->n_findings - 1);
    return print_line(code_of(c->state), text, performance);
}

/* ---- what is found ---- */

static double ratio_beyond(pm_check_metric m, double value, double threshold)
{
    if (isnan(threshold))
        return -1;
    if (m == PM_CHECK_ETA)
        return value <= threshold ? threshold / (value > 0.001 ? value : 0.001) : -1;
    return value >= threshold ? value / (threshold > 0 ? threshold : 1) : -1;
}

void pm_check_judge(pm_check *c, pm_check_metric m, double value, const char *what)
{
    double critical = ratio_beyond(m, value, c->critical[m]);
    double beyond = critical >= 0 ? critical : ratio_beyond(m, value, c->warning[m]);
    pm_check_state state = critical >= 0 ? PM_CHECK_CRITICAL : PM_CHECK_WARNING;

    if (isnan(c->value[m]) || (m == PM_CHECK_ETA ? value < c->value[m] : value > c->value[m]))
        c->value[m] = value;
    if (!c->asked[m] || beyond < 0)
        return;
    c->n_findings++;
    if (c->state > state || (c->state == state && c->worst >= beyond))
        return;
    c->state = state;
    c->worst = beyond;
    snprintf(c->text, sizeof c->text, "%s", what);
}

void pm_check_unknown(pm_check *c, const char *format, ...)
{
    va_list args;

    if (c->state >= PM_CHECK_UNKNOWN)
        return;
    c->state = PM_CHECK_UNKNOWN;
    va_start(args, format);
    vsnprintf(c->text, sizeof c->text, format, args);
    va_end(args);
}

/* ---- options ---- */

static bool read_threshold(int metric, pm_text t, double *out)
{
    uint64_t count;
    int64_t v;

    switch (metric) {
    case PM_CHECK_MAPPINGS:
        if (!pm_num_all(t, &count))
            return false;
        *out = (double)count;
        return true;
    case PM_CHECK_ETA:
        if (!pm_num_span(t, &v))
            return false;
        *out = (double)v / 3600000;
        return true;
    default:
        if (metric == PM_CHECK_RATE && pm_text_ends(t, PM_TEXT("/h")))
            t.len -= 2;
        if (!pm_num_size(t, &v))
            return false;
        *out = (double)v;
        return true;
    }
}

static const char *read_into(pm_check *c, double *thresholds, const char *arg)
{
    if (c->metric < 0)
        return "a metric before it, as in --rss -w 2G -c 3G";
    if (read_threshold(c->metric, pm_text_of(arg), &thresholds[c->metric]))
        return NULL;
    return c->metric == PM_CHECK_ETA        ? "a time like 6h"
           : c->metric == PM_CHECK_MAPPINGS ? "a number"
                                            : "a size like 10M";
}

static const char *read_warning(const char *arg, void *value)
{
    pm_check *c = value;

    return read_into(c, c->warning, arg);
}

static const char *read_critical(const char *arg, void *value)
{
    pm_check *c = value;

    return read_into(c, c->critical, arg);
}

static const char *ask_for(pm_check *c, pm_check_metric metric)
{
    c->metric = (int)metric;
    c->asked[metric] = true;
    return NULL;
}

static const char *ask_rate(const char *arg, void *value)
{
    (void)arg;
    return ask_for(value, PM_CHECK_RATE);
}

static const char *ask_eta(const char *arg, void *value)
{
    (void)arg;
    return ask_for(value, PM_CHECK_ETA);
}

static const char *ask_rss(const char *arg, void *value)
{
    (void)arg;
    return ask_for(value, PM_CHECK_RSS);
}

static const char *ask_mappings(const char *arg, void *value)
{
    (void)arg;
    return ask_for(value, PM_CHECK_MAPPINGS);
}

static const pm_option options[] = {
    {"rate", 0, PM_OPT_CUSTOM, 0, NULL, "Growth per hour of what is called a leak: -w 10M -c 100M",
     ask_rate},
    {"eta", 0, PM_OPT_CUSTOM, 0, NULL,
     "Time until a leak reaches the limit, as --limit gives it: -w 48h -c 6h", ask_eta},
    {"rss", 0, PM_OPT_CUSTOM, 0, NULL, "Resident memory in the newest snapshot: -w 2G -c 3G",
     ask_rss},
    {"mappings", 0, PM_OPT_CUSTOM, 0, NULL, "Mappings in the newest snapshot: -w 30000 -c 60000",
     ask_mappings},
    {"warning", 'w', PM_OPT_CUSTOM, 0, "VALUE", "WARNING from there on, for the metric before it",
     read_warning},
    {"critical", 'c', PM_OPT_CUSTOM, 0, "VALUE", "CRITICAL from there on, for the metric before it",
     read_critical},
    {"max-age", 0, PM_OPT_SPAN, offsetof(pm_check, max_age_ms), "DURATION",
     "UNKNOWN if the newest snapshot is older: 1h", NULL},
    {0}};

static void check_thresholds(const pm_check *c)
{
    bool any = false;

    for (int m = 0; m < PM_CHECK_METRICS; m++) {
        double sign = m == PM_CHECK_ETA ? -1 : 1;

        any |= c->asked[m];
        if (sign * c->critical[m] < sign * c->warning[m])
            pm_cli_usage(c->cli, "--%s: -c would come before -w", metric_names[m]);
    }
    if (!any)
        pm_cli_usage(c->cli, "what is to be checked? --rate, --eta, --rss, --mappings");
}

/* A monitor reads the line, and reads it from standard output. */
static void refuse_rows(const pm_cli *cli)
{
    const char *option = cli->output                      ? "--output"
                         : cli->format != PM_FORMAT_TABLE ? "--format"
                         : cli->top                       ? "--top"
                                                          : NULL;

    if (option)
        pm_cli_usage(cli,
                     "%s is for rows, this prints one line for a monitor: pmapdb leaks has rows",
                     option);
}

/* ---- the run ---- */

static const char about[] =
    "A plugin for Nagios, Icinga and their kind: one line with performance data, exit status 0 OK, "
    "1 WARNING, 2 CRITICAL, 3 UNKNOWN for all else. Each -w and -c is for the metric before it.";

static const char after[] =
    "Judged are the processes of the newest moment; of several the worst is named, and how many "
    "more are beyond a threshold. --rate and --eta count what pmapdb leaks calls a leak; a suspect "
    "is none. Sizes are KiB, 10M, 1.5G; in the performance data KB is 1024 bytes. Too few "
    "snapshots, a partial one, one older than --max-age, resident memory that nothing tells, "
    "a leak without a known limit for --eta, wrong usage and a store that cannot be read are "
    "UNKNOWN.";

void pm_cli_check_begin(void)
{
    pm_cli_die_as(EXIT_UNKNOWN, say_unknown);
}

int pm_cli_check(pm_cli *cli, int argc, char **argv)
{
    pm_check c = {.cli = cli, .metric = -1, .max_age_ms = PMAPDB_UNKNOWN};
    pm_query_info *info = NULL;
    pmapdb_store *store;
    pmapdb_error err;

    for (int m = 0; m < PM_CHECK_METRICS; m++)
        c.value[m] = c.warning[m] = c.critical[m] = NAN;
    pm_run_find_query_dir(cli, argc, argv);
    pm_cli_must(pm_catalog_find(cli->query_dir, "leaks", &info, &err), &err);
    c.args = (pm_run_args){
        .cli = cli, .info = info, .own = options, .own_values = &c, .doc = about, .more = after};
    pm_run_parse(&c.args, argc, argv);
    refuse_rows(cli);
    check_thresholds(&c);
    store = pm_cli_store(cli, PMAPDB_READ);
    pm_cli_must(pm_check_ask(&c, store, &err), &err);
    pmapdb_close(store);
    pm_catalog_free(info);
    free(c.alive);
    return print_found(&c);
}
