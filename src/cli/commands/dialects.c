/* dialects: pmapdb dialects: what import reads, with an example line of each dialect, and what it
 * refuses. */
#include "cli/options/options.h"
#include "cli/output.h"

#include "parse/formats.h" /* pmapdb.h has no list of dialects */

static const pm_column columns[] = {{"dialect", PM_UNIT_TEXT},
                                    {"tool", PM_UNIT_TEXT},
                                    {"gives", PM_UNIT_TEXT},
                                    {"example", PM_UNIT_TEXT}};

int pm_cli_dialects(pm_cli *cli, int argc, char **argv)
{
    const pm_refused *refused;
    const pm_form *k;
    pm_buf names = {0};
    pm_output out;

    pm_options_parse(cli, &(pm_syntax){0}, NULL, argc, argv);
    pm_output_open(&out, cli);
    pm_output_rows(&out, columns, sizeof columns / sizeof *columns, NULL);
    for (size_t i = 0; (k = pm_form_at(i)); i++)
        pm_output_row(&out, (pm_value[]){pm_value_text(pm_dialect_names[k->dialect]),
                                         pm_value_text(k->tool), pm_value_text(k->gives),
                                         pm_value_text(k->example)});
    pm_output_end_rows(&out);
    for (size_t i = 0; (refused = pm_form_refused(i)); i++)
        pm_buf_addf(&names, NULL, "%s%s", i ? ", " : "", refused->tool);
    if (cli->format == PM_FORMAT_TABLE)
        pm_output_words(&out, "Refused by name: %s", pm_cli_text(&names));
    pm_buf_free(&names);
    pm_output_end(&out);
    return PM_EXIT_OK;
}
