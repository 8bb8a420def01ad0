/* config: the configuration files, /etc/pmapdb/config and ~/.config/pmapdb/config (or, instead of
 * both, $PMAPDB_CONFIG).
 *
 *     # a comment
 *     db = ~/captures.db                  an option of every command
 *     capture.on-rss-above = 64M          an option of a command
 *     check = --max-age 1h                options of a command, in their order
 *     as.service = --all --every 1m       options that --as service stands for
 *     label.role = frontend               a label of this machine, see labels.h
 *     [redis-server]                      from here on of processes of this name:
 *     limit = 4G                          what their resident size must not exceed
 *     alias = cache sessions              other words for the name
 *     check = --rate -w 10M -c 100M       options of a command that names the process
 *
 * The command line wins over the environment, the environment over the user's file, the user's file
 * over the file in /etc. */
#ifndef PM_CLI_CONFIG_H
#define PM_CLI_CONFIG_H

#include "base/text.h"
#include <stddef.h>

typedef struct pm_config_line {
    const char *section; /* name of a process; NULL: none */
    const char *key, *value;
    const char *file;
    int number;
} pm_config_line;

typedef struct pm_config {
    pm_config_line *line; /* a later line wins */
    size_t n, cap;
    const char *file[2]; /* the files that were looked for; NULL: no file */
    bool found[2];
    char **text; /* all texts, and those that the functions below return */
    size_t n_texts, cap_texts;
} pm_config;

/* Reads the files; ends the program at a line that is wrong. */
void pm_config_read(pm_config *c);
void pm_config_free(pm_config *c);

/* Ends the program: "FILE:LINE: TEXT". */
void pm_config_refuse(const pm_config_line *line, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* The command that the key is about ("check" of check.max-age), or "" for an option of every
 * command, as.NAME, label.KEY, limit and alias. */
pm_text pm_config_command(const pm_config_line *line);

/* Returns the environment variable that wins over a key; NULL if there is none, or it is not set.
 */
const char *pm_config_environment(const char *key);

/* Replaces an alias: cache/4711 by redis-server/4711. Other words stay as they are. */
const char *pm_config_process(pm_config *c, const char *word);

/* The limits of names in KiB, as a JSON object; NULL if there are none. */
const char *pm_config_limits(pm_config *c);

/* Cuts a value into words, as a shell does with quotes. Returns their number; the caller frees
 * *words, not the texts. */
int pm_config_words(pm_config *c, const pm_config_line *line, char ***words);

#endif
