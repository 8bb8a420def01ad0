/* health_tell: a finding of pmapdb_doctor(), and the queries that findings come from. */
#include "store/health/health.h"

#include "base/clock.h"
#include "render/number.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- words ---- */

pm_health_text pm_health_at(int64_t ms)
{
    pm_health_text t = {"?"};

    if (ms != PMAPDB_UNKNOWN)
        pm_clock_format(ms, t.text);
    return t;
}

pm_health_text pm_health_span(double ms)
{
    pm_health_text t = {"?"};

    if (!isnan(ms))
        pm_number_span(ms, t.text);
    return t;
}

pm_health_text pm_health_size(double kib)
{
    pm_health_text t = {"?"};

    if (!isnan(kib))
        pm_number_size(kib, t.text);
    return t;
}

/* ---- findings ---- */

static void tell(pm_health *h, const pmapdb_doctor_event *event)
{
    h->result->notes += event->state == PMAPDB_HEALTH_NOTE;
    h->result->troubles += event->state == PMAPDB_HEALTH_TROUBLE;
    if (h->options->on_event)
        h->options->on_event(h->options->ctx, event);
}

void pm_health_tell(pm_health *h, const char *check, pmapdb_health state, double number,
                    const char *unit, const char *format, ...)
{
    va_list args;
    pm_health_text value = {"?"};
    char detail[1024];

    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    if (strcmp(unit, "KiB") == 0)
        value = pm_health_size(number);
    else if (strcmp(unit, "ms") == 0)
        value = pm_health_span(number);
    else if (!isnan(number))
        pm_number_brief(number, value.text);
    tell(h, &(pmapdb_doctor_event){check, state, value.text, detail, number, unit});
}

void pm_health_word(pm_health *h, const char *check, pmapdb_health state, const char *value,
                    const char *format, ...)
{
    va_list args;
    char detail[1024];

    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    tell(h, &(pmapdb_doctor_event){check, state, value, detail, NAN, ""});
}

int pm_health_reason(const pmapdb_error *err)
{
    const char *hint = strstr(err->text, "; pmapdb doctor");

    return hint ? (int)(hint - err->text) : (int)strlen(err->text);
}

void pm_health_lost(pm_health *h, const char *check, const pmapdb_error *err)
{
    h->nomem |= err->status == PMAPDB_NOMEM;
    pm_health_word(h, check, PMAPDB_HEALTH_TROUBLE, "?", "%.*s", pm_health_reason(err), err->text);
}

/* ---- queries ---- */

static int column_of(const pmapdb_rows *rows, const char *name)
{
    for (int i = 0; i < pmapdb_rows_columns(rows); i++)
        if (strcmp(pmapdb_rows_name(rows, i), name) == 0)
            return i;
    return -1;
}

double pm_health_number(const pmapdb_rows *rows, const char *column)
{
    int i = column_of(rows, column);

    return i < 0 ? NAN : pmapdb_rows_real(rows, i);
}

pm_text pm_health_column(const pmapdb_rows *rows, const char *column)
{
    int i = column_of(rows, column);
    pm_text t = {"", 0};

    if (i >= 0 && pmapdb_rows_type(rows, i) == PMAPDB_TEXT)
        t.data = pmapdb_rows_text(rows, i, &t.len);
    return t;
}

/* What a user put in the place of a built-in query may say something else. */
static pmapdb_status bind(pmapdb_rows *rows, int64_t since_ms, int64_t max_size_kib,
                          pmapdb_error *err)
{
    char kib[32];
    pmapdb_status st = PMAPDB_OK;

    if (since_ms != PMAPDB_UNKNOWN)
        st = pmapdb_bind(rows, "since", pm_health_at(since_ms).text, err);
    snprintf(kib, sizeof kib, "%lldK", (long long)max_size_kib);
    if (st == PMAPDB_OK && max_size_kib != PMAPDB_UNKNOWN)
        st = pmapdb_bind(rows, "max-size", kib, err);
    return st;
}

pmapdb_status pm_health_ask(const pm_health *h, const char *query, int64_t since_ms,
                            int64_t max_size_kib, pm_health_row row, void *ctx, pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    bool has;
    pmapdb_status st = pmapdb_query(h->store, query, &rows, err);

    if (st == PMAPDB_OK)
        st = bind(rows, since_ms, max_size_kib, err);
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has)
        row(ctx, rows);
    pmapdb_rows_close(rows);
    return st;
}
