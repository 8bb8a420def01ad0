/* cell: one value for people, in a table or in Markdown. */
#include "render/format.h"
#include "render/number.h"
#include "render/terminal.h"

#include <inttypes.h>
#include <stdio.h>

void pm_render_kib(int64_t kib, char out[PM_NUMBER_TEXT])
{
    if (kib == PMAPDB_UNKNOWN)
        snprintf(out, PM_NUMBER_TEXT, "?");
    else
        pm_number_size((double)kib, out);
}

static void write_number(pm_unit unit, const pm_value *v, bool human, char *out)
{
    bool whole = v->kind == PM_VALUE_INT;
    double real = whole ? (double)v->i : v->r;

    if (human && (unit == PM_UNIT_KIB || unit == PM_UNIT_RATE))
        pm_number_size(real, out);
    else if (unit == PM_UNIT_DURATION)
        pm_number_span(real, out);
    else if (unit == PM_UNIT_RATIO)
        pm_number_percent(real, out);
    else if (!whole)
        pm_number_brief(real, out);
    else if (unit == PM_UNIT_BOOL)
        snprintf(out, PM_NUMBER_TEXT, "%s", v->i ? "yes" : "no");
    else
        snprintf(out, PM_NUMBER_TEXT, unit == PM_UNIT_ADDRESS ? "%" PRIx64 : "%" PRId64, v->i);
}

static void escape(pm_render *r, pm_text t)
{
    PM_STEP(r->st, pm_terminal_escape(t, &r->scratch, &r->error));
}

pm_text pm_cell_name(pm_render *r, size_t column)
{
    const pm_column *c = &r->columns[column];
    const char *unit = r->options.human && c->unit == PM_UNIT_KIB ? strstr(c->name, "_kib") : NULL;
    size_t before = unit ? (size_t)(unit - c->name) : strlen(c->name);

    pm_buf_clear(&r->scratch);
    escape(r, (pm_text){c->name, before});
    if (unit)
        escape(r, pm_text_of(unit + 4));
    return pm_buf_text(&r->scratch);
}

pm_text pm_cell(pm_render *r, size_t column, const pm_value *v)
{
    pm_unit given = r->columns[column].unit;
    pm_unit unit = given != PM_UNIT_AMOUNT ? given : r->pieces ? PM_UNIT_REAL : PM_UNIT_KIB;
    bool human = r->options.human;
    char text[PM_NUMBER_TEXT];

    pm_buf_clear(&r->scratch);
    if (pm_value_unknown(v))
        return PM_TEXT("?");
    if (v->kind == PM_VALUE_TEXT) {
        escape(r, v->t);
        return pm_buf_text(&r->scratch);
    }
    write_number(unit, v, human, text);
    PM_STEP(r->st, pm_buf_addf(&r->scratch, &r->error, "%s%s", text,
                               human && unit == PM_UNIT_RATE ? "/h" : ""));
    return pm_buf_text(&r->scratch);
}

bool pm_is_right_aligned(const pm_render *r, size_t column)
{
    return pm_unit_is_number(r->columns[column].unit) ||
           (r->kinds[column].number && !r->kinds[column].text);
}
