/* picture: where the picture of a command goes. */
#include "cli/picture.h"

#include <sys/stat.h>
#include <unistd.h>

static bool is_png(const pm_cli *cli)
{
    return pm_text_ends(pm_text_of(cli->output), PM_TEXT(".png"));
}

void pm_cli_picture_check(const pm_cli *cli)
{
    pm_text file = pm_text_of(cli->output);

    if (file.len && !is_png(cli) && !pm_text_ends(file, PM_TEXT(".svg")))
        pm_cli_usage(cli, "-o '%s': the name of a picture ends in .svg or .png", cli->output);
}

void pm_cli_picture_open(pm_picture *p, pm_output *out, const pm_cli_picture *how,
                         pmapdb_error *err)
{
    pm_render_options render = pm_cli_render_options(out->cli);
    pm_picture_terminal terminal = {.columns = render.width >= 40 ? render.width : 80,
                                    .lines = how->lines,
                                    .color = render.color,
                                    .utf8 = pm_cli_is_utf8()};
    pmapdb_status st;

    if (!out->cli->output)
        st = pm_picture_on_terminal(p, &terminal, &out->sink, err);
    else if (is_png(out->cli))
        st = pm_picture_png(p, how->width, how->height, &out->sink, err);
    else
        st = pm_picture_svg(p, how->width, how->height, &how->about, &out->sink, err);
    pm_cli_must(st, err);
}

void pm_cli_picture_hint(const pm_cli *cli)
{
    struct stat info;

    if (!cli->output && fstat(STDOUT_FILENO, &info) == 0 && S_ISREG(info.st_mode))
        pm_cli_note(cli, "this is the picture of a terminal; -o FILE.svg or -o FILE.png draws one");
}
