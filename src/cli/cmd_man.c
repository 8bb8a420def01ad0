/* cmd_man: pmapdb __man PAGE: a man page, for the build. */
#include "cli/cli.h"
#include "cli/man.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *page;
    void (*write)(pm_man *m);
} pages[] = {
    {"pmapdb.1", pm_man_program},
    {"pmapdb-queries.7", pm_man_queries},
    {"pmapdb-categories.7", pm_man_categories},
    {"pmapdb-schema.7", pm_man_schema},
    {"pmapdb-perf.7", pm_man_perf},
};

static pmapdb_status write_out(const pm_cli *cli, const pm_buf *text, pmapdb_error *err)
{
    pm_cli_out *out = NULL;
    pmapdb_status st = pm_cli_out_open(cli->output, &out, err);

    if (st == PMAPDB_OK) {
        pm_sink sink = pm_cli_out_sink(out);

        st = sink.write(sink.ctx, text->data, text->len, err);
    }
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(out, err);
    pm_cli_out_close(out);
    return st;
}

int pm_cli_man(pm_cli *cli, int argc, char **argv)
{
    pmapdb_error err;
    pm_man man = {.err = &err};
    bool known = false;

    /* Queries of whoever builds are no part of the pages. */
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    for (size_t i = 0; argc == 2 && i < sizeof pages / sizeof *pages; i++)
        if (strcmp(argv[1], pages[i].page) == 0) {
            known = true;
            pages[i].write(&man);
        }
    if (!known) {
        pm_cli_say(
            "which page? pmapdb.1, pmapdb-queries.7, pmapdb-categories.7, pmapdb-schema.7 or "
            "pmapdb-perf.7");
        return PM_EXIT_TROUBLE;
    }
    if (man.st == PMAPDB_OK)
        man.st = write_out(cli, &man.out, &err);
    pm_buf_free(&man.out);
    return man.st == PMAPDB_OK ? PM_EXIT_OK : pm_cli_fail(man.st, &err);
}
