/* gates: decides the exit status of compare. */
#include "cli/compare/compare.h"

#include "base/num.h"
#include "cli/words.h"
#include "parse/files/csv_table.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Reads "100B", "0.5K" and "2" (KiB): memory for a unit of work, of which pages are large parts. */
static bool read_fine_size(char *size, double *kib)
{
    static const struct {
        char letter;
        double kib;
    } units[] = {{'B', 1.0 / 1024}, {'K', 1}, {'M', 1024}};
    size_t n = strlen(size);
    double unit = 1;

    for (size_t i = 0; i < sizeof units / sizeof *units && n; i++)
        if (size[n - 1] == units[i].letter) {
            unit = units[i].kib;
            size[--n] = '\0';
        }
    if (!pm_csv_number(pm_text_of(size), kib))
        return false;
    *kib *= unit;
    return true;
}

/* Reads "5%", "10M", "1M/h", "20" (mappings): a share of `of`, or an amount. */
static bool read_amount(const char *text, pm_measure measure, double of, double *out)
{
    size_t n = strlen(text);
    double number;
    int64_t kib;
    char size[32];

    if (n == 0 || n >= sizeof size)
        return false;
    snprintf(size, sizeof size, "%s", text);
    if (measure == PM_GROWTH && n > 2 && strcmp(size + n - 2, "/h") == 0)
        size[n - 2] = '\0';
    if (size[n - 1] == '%') {
        size[n - 1] = '\0';
        if (!pm_csv_number(pm_text_of(size), &number))
            return false;
        *out = fabs(of) * number / 100;
        return true;
    }
    if (measure == PM_PIECES)
        return pm_csv_number(pm_text_of(size), out);
    if (measure == PM_PER_WORK)
        return read_fine_size(size, out);
    if (!pm_num_size(pm_text_of(size), &kib))
        return false;
    *out = (double)kib;
    return true;
}

static const pm_finding *find(const pm_findings *all, pm_text key, pm_measure measure)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].measure == measure && pm_text_equal(all->item[i].key, key))
            return &all->item[i];
    return NULL;
}

/* Reads "rss:+5%", "peak:10M", "growth:1M/h", "per_work:100B", "mappings:20", "CATEGORY:+10M". */
static void read_gate(pm_gate *gate, const pm_cli *cli, const char *text, const pm_findings *all)
{
    static const char *const words[PM_MEASURES] = {"rss", "peak", "growth", "per_work", "mappings"};
    const char *colon = strrchr(text, ':'), *amount;
    pm_text what = {text, colon ? (size_t)(colon - text) : 0};
    int measure = pm_text_index(what, words, PM_MEASURES);
    const pm_finding *f = measure == PM_MEASURES ? find(all, what, PM_LEVEL)
                                                 : find(all, PM_TEXT("total"), (pm_measure)measure);

    if (!colon)
        pm_cli_usage(cli, "--fail-on wants WHAT:AMOUNT like rss:+5%% or growth:1M/h, not '%s'",
                     text);
    if (!f && measure == PM_PER_WORK)
        pm_cli_die("--fail-on '%s': the work of the runs is unknown: --work FILE", text);
    if (!f)
        pm_cli_die("--fail-on '%s': no category '%.*s' is compared; the others are rss, peak, "
                   "growth, per_work, mappings",
                   text, (int)what.len, what.data);
    amount = colon + 1 + (colon[1] == '+');
    *gate = (pm_gate){.text = text, .finding = *f};
    if (!read_amount(amount, f->measure, f->contrast.a, &gate->finding.tolerance))
        pm_cli_usage(cli, "--fail-on '%s': '%s' is not an amount like 5%%, 10M, 1M/h", text,
                     amount);
}

/* Of many numbers, some differ by chance: p is corrected for those that the user asks for. */
static void judge(pm_gates *gates, const pm_findings *all, double alpha)
{
    pm_finding **chosen = calloc(gates->n + 1, sizeof *chosen);

    if (!chosen)
        pm_cli_no_memory();
    for (size_t i = 0; i < gates->n; i++)
        chosen[i] = &gates->item[i].finding;
    pm_findings_correct(all, chosen, gates->n);
    for (size_t i = 0; i < gates->n; i++)
        pm_finding_judge(chosen[i], all, chosen[i]->tolerance, alpha);
    free(chosen);
}

void pm_gates_make(pm_gates *out, const pm_cli *cli, const pm_cli_list *asked,
                   const pm_findings *findings, double alpha)
{
    *out = (pm_gates){.item = calloc(asked->n + findings->n + 1, sizeof *out->item)};
    if (!out->item)
        pm_cli_no_memory();
    for (size_t i = 0; i < asked->n; i++)
        read_gate(&out->item[out->n++], cli, asked->item[i], findings);
    if (asked->n)
        judge(out, findings, alpha);
    for (size_t i = 0; i < findings->n && !asked->n; i++)
        if (i <= PM_PEAK || findings->item[i].outcome == PM_WORSE)
            out->item[out->n++] = (pm_gate){.finding = findings->item[i]};
}

int pm_gates_exit(const pm_gates *gates)
{
    bool unknown = false;

    for (size_t i = 0; i < gates->n; i++) {
        if (gates->item[i].finding.outcome == PM_WORSE)
            return PM_EXIT_FOUND;
        unknown |= gates->item[i].finding.outcome == PM_CANNOT_TELL;
    }
    return unknown ? PM_EXIT_TOO_FEW : PM_EXIT_OK;
}

/* ---- words ---- */

static void put_amount(FILE *out, const pm_finding *f, double value, bool sign)
{
    char size[32];

    if (f->measure == PM_PIECES || f->measure == PM_PER_WORK) {
        fprintf(out, sign ? "%+.4g" : "%.4g", value);
        fputs(f->measure == PM_PER_WORK ? " KiB" : "", out);
        return;
    }
    pm_render_kib(isnan(value) ? PMAPDB_UNKNOWN : (int64_t)llround(value), true, size);
    fprintf(out, "%s%s%s", sign && value > 0 ? "+" : "", size, f->measure == PM_GROWTH ? "/h" : "");
}

void pm_finding_put(FILE *out, const pm_finding *f, const pm_findings *all)
{
    const pm_contrast *c = &f->contrast;

    fprintf(out, "%s: %.*s %s ", pm_outcome_names[f->outcome], (int)f->key.len, f->key.data,
            pm_measure_names[f->measure]);
    put_amount(out, f, c->a, false);
    fputs(" -> ", out);
    put_amount(out, f, c->b, false);
    if (isnan(c->p)) {
        fputs(", cannot be compared", out);
        return;
    }
    fputs(", ", out);
    put_amount(out, f, c->b - c->a, true);
    if (!isnan(c->low)) {
        fputs(" [", out);
        put_amount(out, f, c->low, true);
        fputs(", ", out);
        put_amount(out, f, c->high, true);
        fputc(']', out);
    }
    if (!isnan(c->p_adjusted))
        fprintf(out, ", p %.2g", c->p_adjusted);
    if (f->outcome == PM_SAME) {
        fputs(", within ", out);
        put_amount(out, f, f->tolerance, false);
    }
    if (f->outcome == PM_CANNOT_TELL && all->blocks)
        fputs("; several runs of each would tell", out);
    else if (f->runs_needed != PMAPDB_UNKNOWN)
        fprintf(out, "; about %lld runs of each would tell", (long long)f->runs_needed);
}

/* ---- JUnit ---- */

static void put_xml(FILE *out, pm_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
            fprintf(out, "&#%d;", c);
        else
            fputc(c >= ' ' && c < 0x7f ? c : '?', out);
    }
}

static void put_case(FILE *out, const pm_gate *gate, const pm_findings *all)
{
    const pm_finding *f = &gate->finding;
    pm_words words = {0};
    FILE *line = pm_words_begin(&words);

    pm_finding_put(line, f, all);
    pm_words_end(&words);
    fputs("  <testcase classname=\"pmapdb.compare\" name=\"", out);
    put_xml(out, f->key);
    fprintf(out, " %s", pm_measure_names[f->measure]);
    if (gate->text) {
        fputs(", fail on ", out);
        put_xml(out, pm_text_of(gate->text));
    }
    fputs("\">", out);
    if (f->outcome == PM_WORSE || f->outcome == PM_CANNOT_TELL) {
        const char *tag = f->outcome == PM_WORSE ? "failure" : "skipped";

        fprintf(out, "<%s message=\"", tag);
        put_xml(out, pm_text_of(words.data));
        fputs("\"/>", out);
    }
    fputs("</testcase>\n", out);
    free(words.data);
}

void pm_gates_junit(const pm_gates *gates, const pm_findings *all, const char *path)
{
    size_t worse = 0, unknown = 0;
    FILE *out = fopen(path, "w");

    if (!out)
        pm_cli_die("'%s' cannot be written: %s", path, strerror(errno));
    for (size_t i = 0; i < gates->n; i++) {
        worse += gates->item[i].finding.outcome == PM_WORSE;
        unknown += gates->item[i].finding.outcome == PM_CANNOT_TELL;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out,
            "<testsuite name=\"pmapdb compare\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
            gates->n, worse, unknown);
    for (size_t i = 0; i < gates->n; i++)
        put_case(out, &gates->item[i], all);
    fputs("</testsuite>\n", out);
    if (fclose(out) != 0)
        pm_cli_die("'%s' cannot be written: %s", path, strerror(errno));
}
