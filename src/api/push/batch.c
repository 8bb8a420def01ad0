/* batch: rows -> TSV as ClickHouse reads it, CSV, NDJSON. */
#include "api/push/send.h"

#include <stdlib.h>

/* ---- TSV ---- */

static void add_escaped(pm_buf *out, pm_text t)
{
    static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
    size_t from = 0;

    for (size_t i = 0; i < t.len; i++) {
        const char *at = t.data[i] ? strchr(special, t.data[i]) : NULL;

        if (t.data[i] && !at)
            continue;
        pm_buf_add(out, t.data + from, i - from, NULL);
        pm_buf_addf(out, NULL, "\\%c", at ? letters[at - special] : '0');
        from = i + 1;
    }
    pm_buf_add(out, t.data + from, t.len - from, NULL);
}

static void add_value(pm_buf *out, const pm_value *v, bool is_array)
{
    switch (v->kind) {
    case PM_VALUE_NULL:
        pm_buf_add(out, "\\N", 2, NULL);
        break;
    case PM_VALUE_INT:
        pm_buf_addf(out, NULL, "%lld", (long long)v->i);
        break;
    case PM_VALUE_REAL:
        pm_buf_addf(out, NULL, "%.17g", v->r);
        break;
    default:
        if (is_array)
            pm_buf_add(out, v->t.data, v->t.len, NULL);
        else
            add_escaped(out, v->t);
    }
}

/* ---- the sink ---- */

static void end_table(pm_batch *b)
{
    if (b->render)
        pm_render_free(b->render);
    b->render = NULL;
}

static pmapdb_status begin_table(void *ctx, const char *name, const pm_column *columns, int n,
                                 pmapdb_error *err)
{
    pm_batch *b = ctx;
    pmapdb_status st = pm_batch_end(b, err);
    pm_batch_table *t = &b->table[b->n++];
    const pm_sink sink = {&t->text, pm_sink_add};
    const pm_render_options o = {.format =
                                     b->format == PM_PUSH_CSV ? PM_FORMAT_CSV : PM_FORMAT_NDJSON};

    t->name = name;
    b->columns = n;
    b->arrays = 0;
    for (int i = 0; i < n; i++) {
        pm_buf_addf(&t->columns, NULL, "%s%s", i ? "," : "", columns[i].name);
        b->arrays |= (unsigned)(strncmp(columns[i].name, "label_", 6) == 0) << i;
    }
    PM_STEP(st, pm_buf_status(&t->columns, err));
    if (b->format != PM_PUSH_TSV)
        PM_STEP(st, pm_render_new(&o, &sink, columns, n, &b->render, err));
    return st;
}

/* Notes the host's name, with _ for each character that a file system may refuse. */
static void note_host(pm_batch *b, pm_text host)
{
    size_t n = 0;

    for (; n < host.len && n < sizeof b->host - 1; n++) {
        char c = host.data[n];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     (n && pm_char_in(c, "-._"));

        b->host[n] = plain ? c : '_';
    }
    b->host[n] = '\0';
}

static pmapdb_status add_row(void *ctx, const pm_value *values, pmapdb_error *err)
{
    pm_batch *b = ctx;
    pm_batch_table *t = &b->table[b->n - 1];

    t->rows++;
    if (strcmp(t->name, "marks") == 0)
        note_host(b, values[1].t);
    if (b->render)
        return pm_render_row(b->render, values, err);
    for (int i = 0; i < b->columns; i++) {
        if (i)
            pm_buf_add(&t->text, "\t", 1, NULL);
        add_value(&t->text, &values[i], b->arrays >> i & 1);
    }
    return pm_buf_add(&t->text, "\n", 1, err);
}

pm_push_sink pm_batch_begin(pm_batch *b)
{
    end_table(b);
    for (int i = 0; i < b->n; i++) {
        pm_buf_clear(&b->table[i].columns);
        pm_buf_clear(&b->table[i].text);
        b->table[i].rows = 0;
    }
    b->n = 0;
    return (pm_push_sink){b, begin_table, add_row};
}

pmapdb_status pm_batch_end(pm_batch *b, pmapdb_error *err)
{
    pmapdb_status st = b->render ? pm_render_end(b->render, err) : PMAPDB_OK;

    end_table(b);
    return st;
}

void pm_batch_free(pm_batch *b)
{
    end_table(b);
    for (int i = 0; i < PM_BATCH_TABLES; i++) {
        pm_buf_free(&b->table[i].columns);
        pm_buf_free(&b->table[i].text);
    }
}
