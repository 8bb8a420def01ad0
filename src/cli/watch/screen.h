/* screen: a whole terminal for one program: raw keys, the alternate screen, its size. The terminal
 * is restored whichever way the program ends. Only one screen is open at a time. */
#ifndef PM_CLI_SCREEN_H
#define PM_CLI_SCREEN_H

#include "base/buf.h"
#include "cli/cli.h"
#include "render/picture/picture.h"

enum {
    PM_KEY_NONE = 0, /* the time is over, or a signal came */
    PM_KEY_ESCAPE = 27,
    PM_KEY_ERASE = 127,
    PM_KEY_UP = 256,
    PM_KEY_DOWN,
    PM_KEY_RIGHT,
    PM_KEY_LEFT,
    PM_KEY_GONE /* the terminal has gone */
};

typedef struct pm_screen {
    int columns, lines;
    char typed[64]; /* keys that are not taken yet */
    size_t n_typed;
    bool color;
    pm_buf frame;
} pm_screen;

/* Takes the terminal over; ends the program if there is no terminal. From now on, an error gives
 * the terminal back before its text is printed. */
void pm_screen_open(pm_screen *s, const pm_cli *cli);
/* Gives the terminal back. */
void pm_screen_close(pm_screen *s);

int pm_screen_key(pm_screen *s, int timeout_ms);

/* Begins a picture in the current size of the terminal; pm_screen_show() shows the picture. */
void pm_screen_begin(pm_screen *s, pm_picture *p, pm_sink *sink, pmapdb_error *err);
void pm_screen_show(pm_screen *s, pm_picture *p);

#endif
