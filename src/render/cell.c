/* cell: one value as a table shows it. */
#include "render/cell.h"
#include "render/format.h"
#include "render/number.h"
#include "render/utf8.h"

#include <inttypes.h>
#include <stdio.h>

void pm_render_kib(int64_t kib, bool human, char out[PM_NUMBER_TEXT])
{
    if (kib == PMAPDB_UNKNOWN)
        snprintf(out, PM_NUMBER_TEXT, "?");
    else if (human)
        pm_number_size((double)kib, out);
    else
        snprintf(out, PM_NUMBER_TEXT, "%" PRId64, kib);
}

static void write_int(pm_unit unit, int64_t v, bool human, char *out)
{
    switch (unit) {
    case PM_UNIT_KIB:
    case PM_UNIT_RATE:
        pm_render_kib(v, human, out);
        break;
    case PM_UNIT_DURATION:
        pm_number_span((double)v, out);
        break;
    case PM_UNIT_RATIO:
        pm_number_percent((double)v, out);
        break;
    case PM_UNIT_BOOL:
        snprintf(out, PM_NUMBER_TEXT, "%s", v ? "yes" : "no");
        break;
    case PM_UNIT_ADDRESS:
        snprintf(out, PM_NUMBER_TEXT, "%" PRIx64, (uint64_t)v);
        break;
    default:
        snprintf(out, PM_NUMBER_TEXT, "%" PRId64, v);
    }
}

static void write_real(pm_unit unit, double v, bool human, char *out)
{
    if ((unit == PM_UNIT_KIB || unit == PM_UNIT_RATE) && human)
        pm_number_size(v, out);
    else if (unit == PM_UNIT_DURATION)
        pm_number_span(v, out);
    else if (unit == PM_UNIT_RATIO)
        pm_number_percent(v, out);
    else
        pm_number_brief(v, out);
}

pmapdb_status pm_cell_add_name(pm_buf *out, const pm_column *c, bool human, pmapdb_error *err)
{
    const char *unit = human && c->unit == PM_UNIT_KIB ? strstr(c->name, "_kib") : NULL;
    pmapdb_status st;

    if (!unit)
        return pm_utf8_escape(pm_text_of(c->name), out, err);
    st = pm_utf8_escape((pm_text){c->name, (size_t)(unit - c->name)}, out, err);
    return st == PMAPDB_OK ? pm_utf8_escape(pm_text_of(unit + 4), out, err) : st;
}

pmapdb_status pm_cell_add(pm_buf *out, pm_unit unit, const pm_value *v, bool human,
                          pmapdb_error *err)
{
    char text[PM_NUMBER_TEXT];

    if (pm_value_unknown(v))
        return pm_buf_add(out, "?", 1, err);
    if (v->kind == PM_VALUE_TEXT)
        return pm_utf8_escape(v->t, out, err);
    if (v->kind == PM_VALUE_INT)
        write_int(unit, v->i, human, text);
    else
        write_real(unit, v->r, human, text);
    return pm_buf_addf(out, err, "%s%s", text, human && unit == PM_UNIT_RATE ? "/h" : "");
}
