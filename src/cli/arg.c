/* arg: arguments of options that several commands read alike. */
#include "cli/arg.h"

#include "base/buf.h"
#include "base/num.h"
#include "cli/cli.h"

int64_t pm_cli_span(struct argp_state *state, const char *option, const char *arg)
{
    int64_t ms = 0;

    if (!pm_num_span(pm_text_of(arg), &ms))
        argp_error(state, "%s wants a span like 5m, not '%s'", option, arg);
    return ms;
}

int64_t pm_cli_size(struct argp_state *state, const char *option, const char *arg)
{
    int64_t kib = 0;

    if (!pm_num_size(pm_text_of(arg), &kib))
        argp_error(state, "%s wants a size like 10M, not '%s'", option, arg);
    return kib;
}

int64_t pm_cli_count(struct argp_state *state, const char *option, const char *arg)
{
    uint64_t n = 0;

    if (!pm_num_all(pm_text_of(arg), &n) || n < 1 || n > INT64_MAX)
        argp_error(state, "%s wants a number from 1 on, not '%s'", option, arg);
    return (int64_t)n;
}

const char *pm_cli_name(struct argp_state *state, const char *option, const char *arg)
{
    if (!*arg)
        argp_error(state, "%s wants a name, not ''", option);
    return arg;
}

const char *pm_cli_once(struct argp_state *state, const char *option, const char *before,
                        const char *arg)
{
    if (before)
        argp_error(state, "%s is given twice: '%s' and '%s'", option, before, arg);
    return arg;
}

void pm_cli_add(struct argp_state *state, pm_cli_list *list, const char *arg)
{
    if (pm_grow(&list->item, &list->cap, list->n, sizeof *list->item, NULL) != PMAPDB_OK)
        argp_failure(state, PM_EXIT_TROUBLE, 0, "out of memory");
    else
        list->item[list->n++] = arg;
}

unsigned pm_cli_mode(struct argp_state *state, const char *option, const char *arg)
{
    unsigned mode = 0;

    for (const char *p = arg; *p >= '0' && *p <= '7' && mode <= 0777; p++)
        mode = mode * 8 + (unsigned)(*p - '0');
    if (arg[strspn(arg, "01234567")] || mode == 0 || mode > 0777)
        argp_error(state, "%s wants permissions like 0640, not '%s'", option, arg);
    return mode;
}
