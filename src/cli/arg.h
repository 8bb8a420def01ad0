/* arg: arguments of options that several commands read alike. What is wrong ends the program with
 * the words of argp. `option` is what the user typed: --every. */
#ifndef PM_CLI_ARG_H
#define PM_CLI_ARG_H

#include "cli/cli.h"
#include <stddef.h>
#include <stdint.h>

/* 5m, 1h30m: in ms. */
int64_t pm_cli_span(struct argp_state *state, const char *option, const char *arg);
/* 10M: in KiB. */
int64_t pm_cli_size(struct argp_state *state, const char *option, const char *arg);
/* A number from 1 on. */
int64_t pm_cli_count(struct argp_state *state, const char *option, const char *arg);
/* Anything but nothing: --name "$NAME" of a script that did not set it. */
const char *pm_cli_name(struct argp_state *state, const char *option, const char *arg);
/* `arg`, where the option was not given `before` (NULL): of two the first would be lost. */
const char *pm_cli_once(struct argp_state *state, const char *option, const char *before,
                        const char *arg);
void pm_cli_add(struct argp_state *state, pm_cli_list *list, const char *arg);
/* 0640. */
unsigned pm_cli_mode(struct argp_state *state, const char *option, const char *arg);

#endif
