/* expression: the language of src/classify/match.h as --help tells it. */
#ifndef PM_CLI_EXPRESSION_H
#define PM_CLI_EXPRESSION_H

#define PM_CLI_EXPRESSION_HELP                                                  \
    "Expressions:\n"                                                            \
    "  comm(redis-server)        the command's name, its first 15 bytes\n"      \
    "  exe(nginx)                the program; with a slash its whole path\n"    \
    "  cmdline(*--daemon*)       the arguments, blanks between them\n"          \
    "  user(www-data) uid(33)    the effective user\n"                          \
    "  cgroup(/system.slice/*)   the path of the cgroup\n"                      \
    "  env(PGDATA)               it has that variable\n"                        \
    "  env(PGDATA,/srv/*)        and that is its value\n"                       \
    "  pid(4711)                 one process\n"                                 \
    "  descendants(4711)         its children, theirs, and so on\n"             \
    "  and(A,B,...) or(A,B,...) not(A) true() false()\n"                        \
    "Words may have * ? [a-z] in them; one with , ( ) stands in \"...\". What " \
    "is not known of a process matches nothing."

#endif
