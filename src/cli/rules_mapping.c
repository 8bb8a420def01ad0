/* rules_mapping: a mapping of one snapshot as rules see it. */
#include "cli/rules_mapping.h"

#include "base/err.h"
#include "cli/side.h"
#include <stdlib.h>

/* ---- reading ---- */

/* A text of the current row, behind the others; *is: it is known. */
static pmapdb_status keep_text(pm_rules_mapping *m, const pmapdb_rows *rows, const char *column,
                               size_t *offset, pm_text *out, bool *is, pmapdb_error *err)
{
    const char *text = NULL;
    size_t n = 0;
    pmapdb_status st;

    for (int i = 0; i < pmapdb_rows_columns(rows); i++)
        if (strcmp(pmapdb_rows_name(rows, i), column) == 0)
            text = pmapdb_rows_text(rows, i, &n);
    *is = text != NULL;
    *offset = m->text.len;
    out->len = text ? n : 0;
    st = pm_buf_add(&m->text, text ? text : "", out->len, err);
    return st == PMAPDB_OK ? pm_buf_add(&m->text, "", 1, err) : st;
}

static pm_category base_of(const pmapdb_rows *rows)
{
    char base[32];
    int i = 0;

    pm_side_text(rows, "base", base, sizeof base);
    while (i < PM_CATEGORY_ANONYMOUS && strcmp(pm_categories[i].slug, base) != 0)
        i++;
    return (pm_category)i;
}

static void take_stored(const pmapdb_rows *rows, pm_rules_mapping *m)
{
    pm_side_text(rows, "category", m->category, sizeof m->category);
    pm_side_text(rows, "rule", m->rule, sizeof m->rule);
    pm_side_text(rows, "first_at", m->first_at, sizeof m->first_at);
    pm_side_text(rows, "name", m->name, sizeof m->name);
    m->lineage = pm_side_int(rows, "lineage_id");
    m->first_id = pm_side_int(rows, "first_id");
    m->snapshot = pm_side_int(rows, "snapshot_id");
    m->pid = pm_side_int(rows, "pid");
}

static pmapdb_status take_row(pm_rules_mapping *m, const pmapdb_rows *rows, uint64_t address,
                              pmapdb_error *err)
{
    pm_rules_seen s = {
        .row = {.start = (uint64_t)pm_side_int(rows, "start"), .base = base_of(rows)}};
    pm_text perms, device;
    bool is, has_device;
    pmapdb_status st = pm_grow(&m->seen, &m->cap, m->n, sizeof *m->seen, err);

    s.row.length = (uint64_t)pm_side_int(rows, "end") - s.row.start;
    if (st == PMAPDB_OK)
        st = keep_text(m, rows, "path", &s.path, &s.row.path, &is, err);
    if (st == PMAPDB_OK)
        st = keep_text(m, rows, "flags", &s.flags, &s.row.flags, &s.row.has_flags, err);
    if (st == PMAPDB_OK)
        st = keep_text(m, rows, "perms", &s.perms, &perms, &is, err);
    if (st == PMAPDB_OK)
        st = keep_text(m, rows, "device", &s.device, &device, &has_device, err);
    if (st != PMAPDB_OK)
        return st;
    s.row.device = has_device ? "" : NULL;
    if (address - s.row.start < s.row.length) {
        m->at = m->n;
        take_stored(rows, m);
    }
    m->seen[m->n++] = s;
    return PMAPDB_OK;
}

/* The texts stay where they are from now on. */
static void place_texts(pm_rules_mapping *m)
{
    for (size_t i = 0; i < m->n; i++) {
        pm_rules_seen *s = &m->seen[i];

        s->row.path.data = m->text.data + s->path;
        s->row.flags.data = m->text.data + s->flags;
        s->row.perms = m->text.data + s->perms;
        if (s->row.device)
            s->row.device = m->text.data + s->device;
    }
}

static pmapdb_status bind_selectors(const pm_rules_cli *r, pmapdb_rows *rows, pmapdb_error *err)
{
    const char *const selector[][2] = {
        {"process", r->process}, {"snapshot", r->snapshot}, {"dialect", r->dialect}};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < sizeof selector / sizeof *selector && st == PMAPDB_OK; i++)
        if (selector[i][1])
            st = pmapdb_bind(rows, selector[i][0], selector[i][1], err);
    return st;
}

/* Neighbours are those of one process. */
static pmapdb_status read_rows(pm_rules_mapping *m, pmapdb_rows *rows, uint64_t address,
                               pmapdb_error *err)
{
    bool has = false;
    pmapdb_status st;

    while ((st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has) {
        int64_t process = pm_side_int(rows, "process_id");

        if (m->process_id && process != m->process_id)
            return pm_fail(err, PMAPDB_USAGE,
                           "several processes were captured then: give --process NAME/PID");
        m->process_id = process;
        st = take_row(m, rows, address, err);
        if (st != PMAPDB_OK)
            return st;
    }
    return st;
}

pmapdb_status pm_rules_mapping_read(const pm_rules_cli *r, uint64_t address, pm_rules_mapping *out,
                                    pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pmapdb_status st = pmapdb_query(r->store, "rulings", &rows, err);

    out->at = SIZE_MAX;
    if (st == PMAPDB_OK)
        st = bind_selectors(r, rows, err);
    if (st == PMAPDB_OK)
        st = read_rows(out, rows, address, err);
    pmapdb_rows_close(rows);
    if (st == PMAPDB_OK && out->at == SIZE_MAX)
        return pm_fail(err, PMAPDB_NOTFOUND,
                       "no mapping at %llx in that snapshot: pmapdb mappings lists them",
                       (unsigned long long)address);
    place_texts(out);
    return st;
}

void pm_rules_mapping_free(pm_rules_mapping *m)
{
    pm_buf_free(&m->text);
    free(m->seen);
}

/* ---- for rules ---- */

void pm_rules_mapping_facts(pm_rules_mapping *m, const pm_rules *rules)
{
    m->facts = 0;
    for (size_t i = 0; i < m->n; i++)
        m->facts |= pm_rules_facts(rules, &m->seen[i].row);
}

const pm_rule_row *pm_rules_mapping_row(const pm_rules_mapping *m)
{
    return &m->seen[m->at].row;
}

const pm_rule_row *pm_rules_mapping_below(const pm_rules_mapping *m)
{
    return m->at > 0 ? &m->seen[m->at - 1].row : NULL;
}

const pm_rule_row *pm_rules_mapping_above(const pm_rules_mapping *m)
{
    return m->at + 1 < m->n ? &m->seen[m->at + 1].row : NULL;
}
