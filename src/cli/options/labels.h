/* labels: the labels of a host, from --label KEY=VALUE and the configuration files:
 *
 *     label.role = frontend
 *     label.build = < /etc/payments/build          the first line of a file
 *     label.version = ! payments --version         the first line that a program prints
 */
#ifndef PM_CLI_LABELS_H
#define PM_CLI_LABELS_H

#include "cli/options/options.h"

/* A row of a command's option table; `at` is the offset of the pm_cli_list for the labels. */
#define PM_LABEL_OPTION(at)                                                                       \
    {                                                                                             \
        "label", 0, PM_OPT_CUSTOM, at, "KEY=VALUE", "Label of the host from now on: build, role", \
            pm_cli_read_label                                                                     \
    }

const char *pm_cli_read_label(const char *arg, void *value);

/* Stores the labels of a host from at_ms on. `own`: the host is this machine, so the labels of the
 * configuration are stored, too, except for keys in `given`. host NULL: this machine. A file or a
 * program that gives no label is reported, and the label stays as it was. */
void pm_cli_store_labels(const pm_cli *cli, pmapdb_store *store, const char *host, bool own,
                         int64_t at_ms, const pm_cli_list *given);

#endif
