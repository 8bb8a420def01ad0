/* pages: shared by the commands that read pages: groups --exact, map, pages, shm. */
#ifndef PM_CLI_PAGES_H
#define PM_CLI_PAGES_H

#include "cli/options/options.h"
#include "cli/picture.h"
#include "render/picture/memory.h"
#include "source/pages/pagemap.h"

/* ---- the /proc that a command reads: this machine's, or a copy of another one ---- */

/* The option --proc, of the field at this offset. */
#define PM_OPTION_PROC(at)                                                       \
    {                                                                            \
        "proc", 0, PM_OPT_WORD, at, "PATH",                                      \
            "Not this machine, but a copy of its /proc: a folder, or an archive" \
    }

/* Returns a handle on this /proc, which stays open until the program ends. path NULL: /proc. Ends
 * the program if the path cannot be read; reports what an archive lacks. */
int pm_cli_open_proc(const char *path);
/* True if the archive of --proc is damaged; the command then returns PM_EXIT_TROUBLE. */
bool pm_cli_proc_is_damaged(void);

/* Ends the program if the pages of the process could not be read. */
void pm_cli_must_be_read(int64_t pid, pm_proc_fate fate);

/* ---- groups --exact ---- */

/* What groups --exact reads. */
typedef struct pm_exact_ask {
    pm_cli *cli;
    pm_cli_list by;
    const char *match, *pages_by, *proc;
    bool trouble; /* out: the archive is damaged */
} pm_exact_ask;

/* Reads the pages of the processes into a store in memory, which the query groups-exact answers
 * from. */
pmapdb_store *pm_cli_exact_machine(pm_exact_ask *ask);

/* ---- map ---- */

typedef struct pm_map_ask {
    pm_cli *cli;
    bool physical;
    const char *by, *proc;
    int64_t pid;
} pm_map_ask;

/* Opens the output and a picture of this size for it. The picture keeps `err`. */
void pm_map_picture(const pm_map_ask *ask, int width, int height, int lines, const char *title,
                    pm_output *out, pm_picture *p, pmapdb_error *err);

/* Draws the address space of a process. */
void pm_map_process(const pm_map_ask *ask, pm_output *out);

#endif
