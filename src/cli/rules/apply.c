/* apply: pmapdb rules --apply, --diff: what other rules change in everything that is stored. */
#include "cli/rules/rules.h"

#include "cli/progress.h"
#include <inttypes.h>

#define AT(field) offsetof(pmapdb_rules_change, field)

static const pm_member columns[] = {
    {{"from", PM_UNIT_TEXT}, AT(from)},          {{"to", PM_UNIT_TEXT}, AT(to)},
    {{"rule", PM_UNIT_TEXT}, AT(rule)},          {{"lineages", PM_UNIT_COUNT}, AT(lineages)},
    {{"mappings", PM_UNIT_COUNT}, AT(mappings)}, {{"size_kib", PM_UNIT_KIB}, AT(size_kib)},
    {{"rss_kib", PM_UNIT_KIB}, AT(rss_kib)}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct applying {
    pm_progress progress;
    pm_rules_cmd *r;
    pm_output out;
    pmapdb_rules_result result;
} applying;

static void on_note(void *ctx, const char *note)
{
    const applying *a = ctx;

    if (!a->r->cli->quiet)
        pm_cli_say("%s", note);
}

static void on_change(void *ctx, const pmapdb_rules_change *change)
{
    applying *a = ctx;
    pmapdb_rules_change row = *change;

    row.rule = row.rule ? row.rule : "";
    pm_output_struct(&a->out, columns, N_COLUMNS, &row);
}

static void say_result(const applying *a)
{
    const pmapdb_rules_result *n = &a->result;
    const pm_rules_cmd *r = a->r;
    const char *es = n->processes == 1 ? "" : "es";

    if (n->same)
        pm_cli_note(r->cli, "the store has these rules: nothing to change");
    else if (!n->changed_lineages)
        pm_cli_note(r->cli,
                    "%s changes no category of %" PRId64 " lineages in %" PRId64 " process%s",
                    r->rules, n->lineages, n->processes, es);
    else
        pm_cli_note(r->cli,
                    "%s %s %" PRId64 " of %" PRId64 " lineages in %" PRId64
                    " process%s, and the sums of %" PRId64 " of %" PRId64 " snapshots",
                    r->rules, r->diff ? "would change" : "changed", n->changed_lineages,
                    n->lineages, n->processes, es, n->changed_snapshots, n->snapshots);
    if (r->forget_labels)
        pm_cli_note(r->cli, "%" PRId64 " %s of a JVM's own names %s", n->reports,
                    n->reports == 1 ? "list" : "lists",
                    r->diff ? "would be forgotten" : "forgotten");
}

void pm_rules_cli_apply(pm_rules_cmd *r)
{
    applying a = {.r = r};
    const pmapdb_rules_options options = {.rules = r->rules,
                                          .dry_run = r->diff != NULL,
                                          .forget_labels = r->forget_labels,
                                          .ctx = &a,
                                          .on_note = on_note,
                                          .on_change = on_change,
                                          .on_progress = pm_progress_step};
    pmapdb_error err;
    pmapdb_status st;

    pm_output_open(&a.out, r->cli);
    a.progress = pm_progress_begin(r->cli, NULL);
    pm_output_fields(&a.out, columns, N_COLUMNS);
    st = pmapdb_rules_apply(r->store, &options, &a.result, &err);
    pm_progress_clear(&a.progress);
    if (st == PMAPDB_STOPPED)
        pm_cli_die("stopped by a signal; nothing has changed");
    pm_cli_must(st, &err);
    /* The store has changed, even if the output fails. */
    pm_output_end_rows(&a.out);
    pm_output_flush(&a.out);
    say_result(&a);
    pm_output_end(&a.out);
}
