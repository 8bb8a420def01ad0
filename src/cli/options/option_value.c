/* option_value: reads the value of an option by its type. */
#include "cli/options/options.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/num.h"
#include <string.h>

static bool read_mode(const char *arg, unsigned *mode)
{
    *mode = 0;
    for (const char *p = arg; *p >= '0' && *p <= '7' && *mode <= 0777; p++)
        *mode = *mode * 8 + (unsigned)(*p - '0');
    return !arg[strspn(arg, "01234567")] && *mode > 0 && *mode <= 0777;
}

static bool read_number(const char *arg, uint64_t least, uint64_t most, int64_t *value)
{
    uint64_t n;

    if (!pm_num_all(pm_text_of(arg), &n) || n < least || n > most)
        return false;
    *value = (int64_t)n;
    return true;
}

static const char *read_text(const pm_option *o, const char *arg, const char **value)
{
    *value = arg;
    if (o->type == PM_OPT_CHOICE)
        return pm_text_has(pm_text_of(o->arg), "|", pm_text_of(arg)) ? NULL : o->arg;
    if (*arg || o->type == PM_OPT_TEXT)
        return NULL;
    return o->type == PM_OPT_NAME ? "a name" : "a value";
}

void pm_cli_list_add(pm_cli_list *list, const char *item)
{
    if (pm_grow(&list->item, &list->cap, list->n, sizeof *list->item, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
    list->item[list->n++] = item;
}

const char *pm_option_read_every(const char *arg, void *value)
{
    char span[32];

    snprintf(span, sizeof span, "%s%s", arg, arg[strspn(arg, "0123456789.")] ? "" : "s");
    return pm_num_span(pm_text_of(span), value) ? NULL : "a span like 60s or 5m";
}

const char *pm_option_read(const pm_option *o, const char *arg, void *value)
{
    switch (o->type) {
    case PM_OPT_FLAG:
        *(bool *)value = true;
        return NULL;
    case PM_OPT_COUNT:
        return read_number(arg, 1, INT64_MAX, value) ? NULL : "a number of 1 or more";
    case PM_OPT_PID:
        return read_number(arg, 0, INT32_MAX, value) ? NULL : "a number";
    case PM_OPT_SIZE:
        return pm_num_size(pm_text_of(arg), value) ? NULL : "a size like 10M";
    case PM_OPT_SPAN:
        return pm_num_span(pm_text_of(arg), value) ? NULL : "a span like 5m";
    case PM_OPT_TIME:
        return pm_clock_parse_words(pm_text_of(arg), pm_clock_now(), value)
                   ? NULL
                   : "a time like 2026-11-21T02:05:32Z";
    case PM_OPT_MODE:
        return read_mode(arg, value) ? NULL : "permissions like 0640";
    case PM_OPT_LIST:
        if (*arg)
            pm_cli_list_add(value, arg);
        return *arg ? NULL : "a value";
    case PM_OPT_CUSTOM:
        return o->read(arg, value);
    default:
        return read_text(o, arg, value);
    }
}
