/* picture: where the picture of a command goes: the file of -o, or the terminal. */
#ifndef PM_CLI_PICTURE_H
#define PM_CLI_PICTURE_H

#include "cli/output.h"
#include "render/picture/picture.h"

typedef struct pm_cli_picture {
    int width, height; /* in a file, in pixels */
    int lines;         /* on a terminal, at most */
    pm_picture_about about;
} pm_cli_picture;

/* Refuses a file whose name does not end in .svg or .png. */
void pm_cli_picture_check(const pm_cli *cli);
/* Opens a picture for an open output, or ends the program. */
void pm_cli_picture_open(pm_picture *p, pm_output *out, const pm_cli_picture *how,
                         pmapdb_error *err);
/* Call it after the output was closed. If standard output is a file, says how to get an SVG or PNG
 * instead of the picture of a terminal. */
void pm_cli_picture_hint(const pm_cli *cli);

#endif
