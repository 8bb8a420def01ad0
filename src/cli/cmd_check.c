/* cmd_check: pmapdb check: a plugin for Nagios, Icinga and their kind. One line with performance
 * data on standard output, whatever happens; exit status 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
#include "cli/check.h"

#include "base/buf.h"
#include "base/num.h"
#include "render/number.h"
#include "render/terminal.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_METRIC = 0x4000, KEY_MAX_AGE = KEY_METRIC + PM_CHECK_METRICS };

enum { EXIT_UNKNOWN = 3 };

static const struct argp_option options[] = {
    {"rate", KEY_METRIC + PM_CHECK_RATE, NULL, 0,
     "Growth per hour of what is called a leak: -w 10M -c 100M", 0},
    {"eta", KEY_METRIC + PM_CHECK_ETA, NULL, 0,
     "Time until a leak reaches the limit, as --limit gives it: -w 48h -c 6h", 0},
    {"rss", KEY_METRIC + PM_CHECK_RSS, NULL, 0,
     "Resident memory in the newest snapshot: -w 2G -c 3G", 0},
    {"mappings", KEY_METRIC + PM_CHECK_MAPPINGS, NULL, 0,
     "Mappings in the newest snapshot: -w 30000 -c 60000", 0},
    {"warning", 'w', "VALUE", 0, "WARNING from there on, for the metric before it", 0},
    {"critical", 'c', "VALUE", 0, "CRITICAL from there on, for the metric before it", 0},
    {"max-age", KEY_MAX_AGE, "DURATION", 0, "UNKNOWN where the newest snapshot is older: 1h", 0},
    {0}};

static const char *const metric_names[] = {"rate", "eta", "rss", "mappings"};

/* ---- the line ---- */

static bool said;

/* In Nagios' order of numbers. */
static int code_of(pm_check_state state)
{
    return state == PM_CHECK_CRITICAL  ? 2
           : state == PM_CHECK_WARNING ? 1
           : state == PM_CHECK_UNKNOWN ? EXIT_UNKNOWN
                                       : 0;
}

/* What stands behind a | is performance data: none may come from a name. */
static void print_line(int code, const char *text, const char *performance)
{
    static const char *const words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
    pm_buf shown = {0};

    if (pm_terminal_escape(pm_text_of(text), &shown, NULL) == PMAPDB_OK && shown.data)
        for (char *p = shown.data; *p; p++)
            if (*p == '|')
                *p = '!';
    printf("PMAPDB %s - %s%s%s\n", words[code], shown.data ? shown.data : "out of memory",
           *performance ? " | " : "", performance);
    pm_buf_free(&shown);
    said = true;
}

/* argp ends the program itself where the command line is wrong. */
static void say_usage(int status, void *ctx)
{
    (void)ctx;
    if (status == EXIT_UNKNOWN && !said)
        print_line(EXIT_UNKNOWN, "wrong usage, standard error says more", "");
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
    print_line(code_of(c->state), text, performance);
    return code_of(c->state);
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

static void parse_threshold(const pm_check *c, const char *arg, double *thresholds,
                            struct argp_state *state)
{
    if (c->metric < 0)
        argp_error(state, "-w and -c stand behind the metric they are for: --rss -w 2G -c 3G");
    else if (!read_threshold(c->metric, pm_text_of(arg), &thresholds[c->metric]))
        argp_error(state, "--%s wants %s, not '%s'", metric_names[c->metric],
                   c->metric == PM_CHECK_ETA        ? "a time like 6h"
                   : c->metric == PM_CHECK_MAPPINGS ? "a number"
                                                    : "a size like 10M",
                   arg);
}

static void check_thresholds(const pm_check *c, struct argp_state *state)
{
    bool any = false;

    for (int m = 0; m < PM_CHECK_METRICS; m++) {
        double sign = m == PM_CHECK_ETA ? -1 : 1;

        any |= c->asked[m];
        if (sign * c->critical[m] < sign * c->warning[m])
            argp_error(state, "--%s: -c would come before -w", metric_names[m]);
    }
    if (!any)
        argp_error(state, "what is to be checked? --rate, --eta, --rss, --mappings");
}

/* A monitor reads the line, and reads it from standard output. */
static void refuse_rows(const pm_cli *cli, struct argp_state *state)
{
    const char *option = cli->output                      ? "--output"
                         : cli->format != PM_FORMAT_TABLE ? "--format"
                         : cli->top                       ? "--top"
                                                          : NULL;

    if (option)
        argp_error(state,
                   "%s is for rows, this prints one line for a monitor: pmapdb leaks has rows",
                   option);
}

static error_t parse_extra(int key, char *arg, void *ctx, struct argp_state *state)
{
    pm_check *c = ctx;

    if (key >= KEY_METRIC && key < KEY_METRIC + PM_CHECK_METRICS) {
        c->metric = key - KEY_METRIC;
        c->asked[c->metric] = true;
        return 0;
    }
    switch (key) {
    case 'w':
        parse_threshold(c, arg, c->warning, state);
        return 0;
    case 'c':
        parse_threshold(c, arg, c->critical, state);
        return 0;
    case KEY_MAX_AGE:
        if (!pm_num_span(pm_text_of(arg), &c->max_age_ms))
            argp_error(state, "--max-age wants a time like 1h, not '%s'", arg);
        return 0;
    case ARGP_KEY_END:
        refuse_rows(c->cli, state);
        check_thresholds(c, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the run ---- */

static pmapdb_status ask(pm_check *c, pmapdb_error *err)
{
    pmapdb_open_options open_options = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    pmapdb_status st = pm_cli_try_open(c->cli, &open_options, &store, err);

    if (st == PMAPDB_OK)
        st = pm_check_ask(c, store, err);
    pmapdb_close(store);
    return st;
}

static const char doc[] =
    "A plugin for Nagios, Icinga and their kind: one line with performance data, exit status 0 OK, "
    "1 WARNING, 2 CRITICAL, 3 UNKNOWN for all else. Each -w and -c is for the metric before it.\v"
    "Judged are the processes of the newest moment; of several the worst is named, and how many "
    "more are beyond a threshold. --rate and --eta count what pmapdb leaks calls a leak; a suspect "
    "is none. Sizes are KiB, 10M, 1.5G; in the performance data KB is 1024 bytes. Too few "
    "snapshots, a partial one, one older than --max-age, resident memory that nothing tells, "
    "a leak without a known limit for --eta, wrong usage and a store that cannot be read are "
    "UNKNOWN.";

void pm_cli_check_begin(void)
{
    argp_err_exit_status = EXIT_UNKNOWN;
    on_exit(say_usage, NULL);
}

int pm_cli_check(pm_cli *cli, int argc, char **argv)
{
    pm_check c = {.cli = cli, .metric = -1, .max_age_ms = PMAPDB_UNKNOWN};
    pm_query_info *info = NULL;
    pmapdb_error err;
    pmapdb_status st;

    for (int m = 0; m < PM_CHECK_METRICS; m++)
        c.value[m] = c.warning[m] = c.critical[m] = NAN;
    pm_run_find_query_dir(cli, argc, argv);
    st = pm_catalog_find(cli->query_dir, "leaks-category", &info, &err);
    if (st == PMAPDB_OK) {
        c.args = (pm_run_args){.cli = cli,
                               .info = info,
                               .extra = options,
                               .parse_extra = parse_extra,
                               .ctx = &c,
                               .doc = doc};
        pm_run_parse(&c.args, argc, argv);
        st = ask(&c, &err);
        pm_catalog_free(info);
    }
    free(c.alive);
    if (st != PMAPDB_OK)
        print_line(EXIT_UNKNOWN, err.text, "");
    return st == PMAPDB_OK ? print_found(&c) : EXIT_UNKNOWN;
}
