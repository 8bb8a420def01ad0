/* status: pmapdb status: the query of this name, and below it the verdicts on the processes that
 * grew most. */
#include "cli/run.h"
#include "render/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JUDGED 12  /* a few are judged in some ms each; leaks judges all */
#define SUSPECTS 3 /* young processes make many */
#define MATTERS_KIB 1024
#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

/* One row of the part leaks; its members have the names of the columns. */
typedef struct leak {
    char name[256], detail[512], next[512], host[256];
    int64_t pid, kib;
    int64_t judged; /* snapshots */
    bool sure;      /* leak, not suspect */
} leak;

static pm_value cell(const leak *l, pm_text column)
{
    static const struct {
        const char *name;
        size_t at;
    } texts[] = {{"name", offsetof(leak, name)},
                 {"detail", offsetof(leak, detail)},
                 {"next", offsetof(leak, next)},
                 {"host", offsetof(leak, host)}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (pm_text_equal(column, pm_text_of(texts[i].name))) {
            const char *text = (const char *)l + texts[i].at;

            return pm_value_text(*text ? text : NULL);
        }
    return pm_text_equal(column, PM_TEXT("part"))                    ? pm_value_text("leaks")
           : pm_text_equal(column, PM_TEXT("pid"))                   ? pm_value_int(l->pid)
           : pm_text_equal(column, PM_TEXT("kib"))                   ? pm_value_int(l->kib)
           : pm_text_equal(column, PM_TEXT("processes")) && *l->name ? pm_value_int(1)
                                                                     : pm_value_int(PMAPDB_UNKNOWN);
}

static void put(pm_output *out, const pm_answer_view *view, const leak *l)
{
    pm_value values[PM_QUERY_ITEMS];

    for (int i = 0; i < view->n; i++)
        values[i] = cell(l, pm_text_of(view->column[i].name));
    pm_output_row(out, values);
}

/* Reads a row of leaks; false unless it is about a whole process of this host that leaks. */
static bool read_leak(const pm_run_args *args, const pmapdb_rows *row, leak *l)
{
    const char *host = pm_run_given(args, "host");
    char key[16], verdict[16], since[64], eta[64], ask[160], rate[PM_NUMBER_TEXT];
    int64_t process_id = pm_answer_int(row, "process_id");

    pm_answer_text(row, "key", key, sizeof key);
    pm_answer_text(row, "verdict", verdict, sizeof verdict);
    if (strcmp(key, "total") != 0 ||
        (strcmp(verdict, "leak") != 0 && strcmp(verdict, "suspect") != 0))
        return false;
    *l = (leak){.pid = pm_answer_int(row, "pid"),
                .kib = pm_answer_int(row, "rate_per_h"),
                .judged = pm_answer_int(row, "snapshots"),
                .sure = strcmp(verdict, "leak") == 0};
    snprintf(ask, sizeof ask,
             "SELECT h.name FROM process p JOIN host h ON h.host_id = p.host_id "
             "WHERE process_id = %lld",
             (long long)process_id);
    pm_run_ask(args->store, ask, l->host, sizeof l->host);
    pm_answer_text(row, "name", l->name, sizeof l->name);
    pm_answer_text(row, "since", since, sizeof since);
    pm_answer_text(row, "eta_h", eta, sizeof eta);
    pm_number_size((double)l->kib, rate);
    snprintf(l->detail, sizeof l->detail, "%s %s/h%s%s%s%.6s%s", l->sure ? "leaks" : "may leak",
             rate, *since ? " since " : "", since,
             !*eta                   ? ""
             : strtod(eta, NULL) > 0 ? ", reaches its limit in "
                                     : ", beyond its limit",
             strtod(eta, NULL) > 0 ? eta : "", strtod(eta, NULL) > 0 ? " h" : "");
    snprintf(l->next, sizeof l->next, "pmapdb leaks @%lld", (long long)process_id);
    return (!host || strcmp(host, l->host) == 0) &&
           (l->sure || pm_answer_int(row, "last") - pm_answer_int(row, "first") >= MATTERS_KIB);
}

/* Leaks come before suspects. Of leaks, the fastest is first; of suspects, the one with the most
 * snapshots, because young processes grow fastest. */
static int compare_leaks(const void *a, const void *b)
{
    const leak *x = a, *y = b;

    return x->sure != y->sure                   ? y->sure - x->sure
           : !x->sure && x->judged != y->judged ? (y->judged > x->judged) - (y->judged < x->judged)
                                                : (y->kib > x->kib) - (y->kib < x->kib);
}

static void put_leaks(const pm_run_args *args, pm_output *out, const pm_answer_view *view)
{
    leak *leaks = calloc(JUDGED, sizeof *leaks);
    pmapdb_rows *rows;
    size_t n = 0;
    int suspects = 0;

    if (!leaks)
        pm_cli_no_memory();
    rows = pm_answer_ask(args->store, "leaks",
                         (pm_answer_arg[]){{"grown", TEXT_OF(JUDGED)},
                                           {"limits", pm_run_given(args, "limits")},
                                           {NULL, NULL}});
    while (n < JUDGED && pm_run_next(rows))
        n += read_leak(args, rows, &leaks[n]);
    pmapdb_rows_close(rows);
    qsort(leaks, n, sizeof *leaks, compare_leaks);
    for (size_t i = 0; i < n && (leaks[i].sure || suspects++ < SUSPECTS); i++)
        put(out, view, &leaks[i]);
    if (!n)
        put(out, view,
            &(leak){.pid = PMAPDB_UNKNOWN,
                    .kib = PMAPDB_UNKNOWN,
                    .detail =
                        "no leak among the " TEXT_OF(JUDGED) " that grew most in the last day",
                    .next = "pmapdb leaks"});
    free(leaks);
}

int pm_cli_status(pm_cli *cli, int argc, char **argv)
{
    pm_run_args args = {.cli = cli, .query = "status"};
    pmapdb_rows *rows;
    pm_answer_view view;
    pm_output out;
    bool any;

    pm_run_parse(&args, argc, argv);
    pm_run_open(&args);
    rows = pm_run_query(&args, "status");
    pm_output_open(&out, cli);
    pm_answer_rows(&out, rows, &view, NULL, NULL);
    any = pm_run_ask(args.store, "SELECT 1 FROM process LIMIT 1", NULL, 0);
    if (any && !pm_output_failed(&out))
        put_leaks(&args, &out, &view);
    pmapdb_end_read(args.store);
    pm_output_end(&out);
    pmapdb_rows_close(rows);
    pm_run_end(&args);
    return PM_EXIT_OK;
}
