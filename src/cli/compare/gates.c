/* gates: reads --fail-on of compare. */
#include "cli/compare/compare.h"

#include "base/num.h"
#include "parse/files/csv_table.h"
#include <string.h>

/* Reads "100B", "0.5K" and "2" (KiB): the memory per unit of work, which may be much less than a
 * page. */
static bool read_fine_size(pm_text size, double *kib)
{
    static const struct {
        pm_text unit;
        double kib;
    } units[] = {{PM_TEXT("B"), 1.0 / 1024}, {PM_TEXT("K"), 1}, {PM_TEXT("M"), 1024}};
    double unit = 1;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pm_text_ends(size, units[i].unit)) {
            unit = units[i].kib;
            size.len--;
            break;
        }
    if (!pm_csv_number(size, kib))
        return false;
    *kib *= unit;
    return true;
}

/* Reads "10M", "1M/h", "20" (mappings). */
static bool read_amount(pm_text text, const char *metric, double *out)
{
    int64_t kib;

    if (strcmp(metric, "mappings") == 0)
        return pm_csv_number(text, out);
    if (strcmp(metric, "per_work") == 0)
        return read_fine_size(text, out);
    if (strcmp(metric, "growth") == 0 && pm_text_ends(text, PM_TEXT("/h")))
        text.len -= 2;
    if (!pm_num_size(text, &kib))
        return false;
    *out = (double)kib;
    return true;
}

/* Reads "rss:+5%", "peak:10M", "growth:1M/h", "per_work:100B", "mappings:20", "CATEGORY:+10M". */
static void read_gate(const pm_cli *cli, const char *text, pm_buf *json)
{
    static const char *const words[] = {"rss", "peak", "growth", "per_work", "mappings"};
    const char *colon = strrchr(text, ':');
    pm_text what = {text, colon ? (size_t)(colon - text) : 0}, amount;
    int n = sizeof words / sizeof *words, i = pm_text_index(what, words, n);
    const char *metric = i == 0 || i == n ? "level" : words[i];
    const pm_sink sink = {json, pm_sink_add};
    double number;
    bool is_share;

    if (!colon)
        pm_cli_usage(cli, "--fail-on wants WHAT:AMOUNT like rss:+5%% or growth:1M/h, not '%s'",
                     text);
    amount = pm_text_of(colon + 1 + (colon[1] == '+'));
    is_share = pm_text_ends(amount, PM_TEXT("%"));
    if (!(is_share ? pm_csv_number((pm_text){amount.data, amount.len - 1}, &number)
                   : read_amount(amount, metric, &number)))
        pm_cli_usage(cli, "--fail-on '%s': '%s' is not an amount like 5%%, 10M, 1M/h", text,
                     amount.data);
    if (pm_render_object(
            &sink,
            (pm_pair[]){{.key = "text", .value = pm_value_text(text)},
                        {.key = "what", .value = {.kind = PM_VALUE_TEXT, .t = what}},
                        {.key = "key",
                         .value = {.kind = PM_VALUE_TEXT, .t = i == n ? what : PM_TEXT("total")}},
                        {.key = "metric", .value = pm_value_text(metric)},
                        {.key = is_share ? "share" : "amount",
                         .value = pm_value_real(is_share ? number / 100 : number)}},
            5, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
}

void pm_gates_read(const pm_cli *cli, const pm_cli_list *given, pm_buf *json)
{
    for (size_t i = 0; i < given->n; i++) {
        pm_buf_addf(json, NULL, i ? "," : "[");
        read_gate(cli, given->item[i], json);
    }
    if (given->n)
        pm_buf_addf(json, NULL, "]");
    pm_cli_text(json);
}
