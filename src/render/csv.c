/* csv: rows as comma-separated values. Numbers and times are bare, libcsv quotes text. The
 * unknown is an empty field and empty text is "", so the two differ. */
#include "render/format.h"
#include "render/number.h"

#include <csv.h>
#include <inttypes.h>

/* True if spreadsheets would take t for a formula. Some spreadsheets skip blanks and quotes before
 * it, and Japanese ones accept the wide forms of the characters. */
static bool is_formula(pm_text t)
{
    t = pm_text_skip(t, " \"");
    return t.len && (pm_char_in(t.data[0], "=+-@\t\r\n") ||
                     (t.len > 2 && pm_text_starts(t, PM_TEXT("\xef\xbc")) &&
                      pm_char_in(t.data[2], "\x9d\x8b\x8d\xa0")));
}

static void put_quoted(pm_render *r, pm_text t)
{
    const char *data = t.len ? t.data : "";
    size_t n;

    pm_buf_clear(&r->scratch); /* csv_write needs room for every byte twice, and the quotes */
    for (int i = 0; i < 2; i++)
        PM_STEP(r->st, pm_buf_add(&r->scratch, data, t.len, &r->error));
    PM_STEP(r->st, pm_buf_add(&r->scratch, "\"\"", 2, &r->error));
    if (r->st != PMAPDB_OK)
        return;
    n = csv_write(r->scratch.data, r->scratch.cap, data, t.len);
    pm_put(r, "\"", 1);
    if (r->options.safe && is_formula(t))
        pm_put(r, "'", 1);
    pm_put(r, r->scratch.data + 1, n - 1);
}

/* Column names and times are bare if they cannot be misread: the author of an ad-hoc SELECT
 * chooses any names. */
static void put_bare(pm_render *r, pm_text t)
{
    bool plain = t.len > 0 && t.data[0] != ' ' && t.data[t.len - 1] != ' ';

    if (r->options.safe && is_formula(t))
        plain = false;
    for (size_t i = 0; i < t.len && plain; i++)
        plain = t.data[i] != ',' && t.data[i] != '"' && (unsigned char)t.data[i] >= ' ';
    if (plain)
        pm_put(r, t.data, t.len);
    else
        put_quoted(r, t);
}

static void put_value(pm_render *r, pm_unit unit, const pm_value *v)
{
    char text[PM_NUMBER_TEXT];

    if (pm_value_unknown(v)) {
        if (r->n_columns == 1) /* most readers skip an empty line */
            pm_put(r, "\"\"", 2);
    } else if (v->kind == PM_VALUE_TEXT) {
        (unit == PM_UNIT_TIME ? put_bare : put_quoted)(r, v->t);
    } else if (v->kind == PM_VALUE_INT) {
        if (unit == PM_UNIT_ADDRESS)
            pm_putf(r, "%" PRIx64, (uint64_t)v->i);
        else
            pm_putf(r, "%" PRId64, v->i);
    } else {
        pm_number_exact(v->r, text);
        pm_put(r, text, strlen(text));
    }
}

static void end_line(pm_render *r)
{
    pm_putf(r, r->options.crlf ? "\r\n" : "\n");
}

static void begin(pm_render *r)
{
    for (size_t i = 0; i < r->n_columns; i++) {
        pm_put(r, ",", i > 0);
        put_bare(r, pm_text_of(r->columns[i].name));
    }
    end_line(r);
}

static void row(pm_render *r, const pm_value *values)
{
    for (size_t i = 0; i < r->n_columns; i++) {
        pm_put(r, ",", i > 0);
        put_value(r, r->columns[i].unit, &values[i]);
    }
    end_line(r);
}

const pm_render_ops pm_render_csv = {.begin = begin, .row = row};
