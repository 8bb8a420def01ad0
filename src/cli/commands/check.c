/* check: pmapdb check: a plugin for Nagios, Icinga and similar monitors. Always prints one line
 * with performance data on standard output; exit status 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
#include "cli/run.h"

#include "base/num.h"
#include "render/terminal.h"
#include <errno.h>
#include <math.h>

#define HOUR_MS 3600000

enum metric {
    RATE, /* of processes that leak */
    ETA,  /* the only metric where less is worse */
    RSS,
    GROWTH, /* of resident memory over a time, whatever the verdict */
    MAPPINGS,
    METRICS
};

/* The unit is KiB, KiB per hour, hours or mappings. NaN: not given. */
typedef struct threshold {
    bool asked;
    double warning, critical;
    struct threshold **last; /* the metric that the next -w and -c apply to */
} threshold;

typedef struct check {
    pm_cli *cli;
    pm_run_args args;
    threshold of[METRICS], *last;
    const char *max_age;
    int64_t growth_ms;
} check;

static const struct {
    const char *name, *wants;
} metrics[METRICS] = {
    [RATE] = {"rate", "a size like 10M"},
    [ETA] = {"eta", "a time like 6h"},
    [RSS] = {"rss", "a size like 10M"},
    [GROWTH] = {"growth", "a size for a time, one for -w and -c, like 50M/h or 200M/1d"},
    [MAPPINGS] = {"mappings", "a number"}};

/* ---- options ---- */

/* Cuts "/h" or "/1d" off the text. False if that is not a time, or if -w and -c have different
 * times. */
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

    if (metric == RATE && pm_text_ends(t, PM_TEXT("/h")))
        t.len -= 2;
    if (metric == GROWTH && !read_growth_span(&t, growth_ms))
        return metrics[metric].wants;
    if (metric == MAPPINGS)
        read = pm_num_all(t, &count);
    else
        read = metric == ETA ? pm_num_span(t, &v) : pm_num_size(t, &v);
    *out = metric == MAPPINGS ? (double)count : metric == ETA ? (double)v / HOUR_MS : (double)v;
    return read ? NULL : metrics[metric].wants;
}

static const char *ask_for(const char *arg, void *value)
{
    threshold *t = value;

    (void)arg;
    t->asked = true;
    *t->last = t;
    return NULL;
}

static const char *read_limit(check *c, const char *arg, bool critical)
{
    if (!c->last) /* no metric is before it: 2G is resident memory, 50M/h its growth */
        ask_for(NULL, &c->of[strchr(arg, '/') ? GROWTH : RSS]);
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

static const char *read_age(const char *arg, void *value)
{
    int64_t ms;

    *(const char **)value = arg;
    return pm_num_span(pm_text_of(arg), &ms) ? NULL : "a span like 5m";
}

#define AT(field) offsetof(check, field)

static const pm_option options[] = {
    {"rate", 0, PM_OPT_CUSTOM, AT(of[RATE]), NULL, "Growth per hour of leaks: -w 10M -c 100M",
     ask_for},
    {"eta", 0, PM_OPT_CUSTOM, AT(of[ETA]), NULL,
     "Time until a leak reaches the limit, as --limit gives it: -w 48h -c 6h", ask_for},
    {"rss", 0, PM_OPT_CUSTOM, AT(of[RSS]), NULL, "Resident memory in the newest: -w 2G -c 3G",
     ask_for},
    {"growth", 0, PM_OPT_CUSTOM, AT(of[GROWTH]), NULL,
     "Growth of resident memory, whether it leaks or not: -w 50M/h -c 1G/1d", ask_for},
    {"mappings", 0, PM_OPT_CUSTOM, AT(of[MAPPINGS]), NULL,
     "Mappings in the newest snapshot: -w 30000 -c 60000", ask_for},
    {"warning", 'w', PM_OPT_CUSTOM, 0, "VALUE",
     "WARNING from this value on, for the metric before it (default: rss; growth for a value like "
     "50M/h)",
     read_warning},
    {"critical", 'c', PM_OPT_CUSTOM, 0, "VALUE",
     "CRITICAL from this value on, for the metric before it (default: rss; growth for a value like "
     "50M/h)",
     read_critical},
    {"max-age", 0, PM_OPT_CUSTOM, AT(max_age), "DURATION",
     "UNKNOWN if the newest snapshot is older (3 steps of the captures, at least 1m)", read_age},
    {0}};

/* Ends the program if an option can have no effect: only --rate and --eta ask the query leaks. The
 * limits may be those of the configuration. */
static void check_parameters(const check *c)
{
    for (int i = 0; i < c->args.info->n_params; i++) {
        pm_text name = c->args.info->param[i].name;

        if (c->args.value[i] && !pm_text_has(PM_TEXT("process dialect limits"), " ", name))
            pm_cli_usage(c->cli, "--%.*s is for --rate and --eta", (int)name.len, name.data);
    }
}

/* Without any metric, every leak is a warning. */
static void check_thresholds(check *c)
{
    bool any = false;

    for (int m = 0; m < METRICS; m++) {
        const threshold *t = &c->of[m];

        any |= t->asked;
        if (m == ETA ? t->critical > t->warning : t->critical < t->warning)
            pm_cli_usage(c->cli, "--%s: -c would come before -w", metrics[m].name);
    }
    if (!any)
        c->of[RATE] = (threshold){.asked = true, .warning = 0, .critical = NAN, .last = &c->last};
    if (!c->growth_ms)
        c->growth_ms = HOUR_MS;
    if (!c->of[RATE].asked && !c->of[ETA].asked)
        check_parameters(c);
}

/* ---- the line ---- */

/* The exit status of UNKNOWN; 0 to 2 are OK, WARNING and CRITICAL. */
#define UNKNOWN 3

/* Prints the line and returns the exit code. Performance data follows a |, so a name must not
 * contain one. */
static int print_line(int state, const char *text, const char *performance)
{
    static const char *const words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
    pm_buf shown = {0};
    pmapdb_error err;

    if (pm_terminal_escape(pm_text_of(text), &shown, NULL) == PMAPDB_OK && shown.data)
        for (char *p = shown.data; *p; p++)
            if (*p == '|')
                *p = '!';
    printf("PMAPDB %s - %s%s%s\n", words[state], shown.data ? shown.data : "out of memory",
           *performance ? " | " : "", performance);
    pm_buf_free(&shown);
    if (fflush(stdout) == 0)
        return state;
    pm_fail_io(&err, errno, "cannot write standard output");
    pm_cli_say("%s", err.text);
    return UNKNOWN;
}

/* Prints a line even if the program fails, because a monitor reads only standard output. */
static void print_unknown(const char *why)
{
    print_line(UNKNOWN, why, "");
}

/* ---- the run ---- */

static void add_limit(pm_buf *json, const char *before, double v)
{
    pm_buf_addf(json, NULL, isnan(v) ? "%snull" : "%s%.17g", before, v);
}

/* Asks for the findings, a row for each metric. */
static pmapdb_rows *find(const check *c)
{
    bool judge = c->of[RATE].asked || c->of[ETA].asked;
    pm_buf newest = {0};
    pm_buf limits = {0};
    char growth[32];
    pmapdb_rows *rows;

    for (int m = 0; m < METRICS; m++)
        if (c->of[m].asked) {
            pm_buf_addf(&limits, NULL, "%s\"%s\":", limits.len ? "," : "{", metrics[m].name);
            add_limit(&limits, "[", c->of[m].warning);
            add_limit(&limits, ",", c->of[m].critical);
            pm_buf_addf(&limits, NULL, "]");
        }
    pm_buf_addf(&limits, NULL, "}");
    pm_answer_json(pm_run_query(&c->args, "by-process"), &newest);
    if (strcmp(newest.data, "[]") == 0)
        pm_cli_die("no snapshots in the store");
    snprintf(growth, sizeof growth, "%lldms", (long long)c->growth_ms);
    rows = pm_answer_ask(
        c->args.store, "check-findings",
        (pm_answer_arg[]){{"newest", newest.data},
                          {"leaks", .of = judge ? pm_run_query(&c->args, "leaks") : NULL},
                          {"metric", pm_run_given(&c->args, "metric")},
                          {"thresholds", pm_cli_text(&limits)},
                          {"growth-span", growth},
                          {"max-age", c->max_age},
                          {NULL, NULL}});
    pm_buf_free(&newest);
    pm_buf_free(&limits);
    return rows;
}

static int print_found(const check *c)
{
    pmapdb_rows *rows = find(c);
    pm_buf performance = {0};
    char said[1024] = "";
    int state = UNKNOWN;

    while (pm_run_next(rows)) {
        pm_buf_addf(&performance, NULL, "%s%s", performance.len ? " " : "",
                    pm_answer_bytes(rows, "performance").data);
        pm_answer_text(rows, "said", said, sizeof said);
        state = (int)pm_answer_int(rows, "state");
    }
    pmapdb_rows_close(rows);
    state = print_line(state, said, pm_cli_text(&performance));
    pm_buf_free(&performance);
    return state;
}

void pm_cli_check_begin(void)
{
    pm_cli_die_as(UNKNOWN, print_unknown);
}

int pm_cli_check(pm_cli *cli, int argc, char **argv)
{
    check c = {.cli = cli};
    int state;

    for (int m = 0; m < METRICS; m++)
        c.of[m] = (threshold){.warning = NAN, .critical = NAN, .last = &c.last};
    c.args = (pm_run_args){
        .cli = cli, .query = "leaks", .own = options, .own_values = &c, .own_help = true};
    pm_run_parse(&c.args, argc, argv);
    if (cli->output || cli->format != PM_FORMAT_TABLE || pm_run_given(&c.args, "top"))
        pm_cli_usage(cli, "--output, --format and --top are for rows, this prints one line for a "
                          "monitor: pmapdb leaks has rows");
    check_thresholds(&c);
    pm_run_open(&c.args);
    state = print_found(&c);
    pm_run_end(&c.args);
    return state;
}
