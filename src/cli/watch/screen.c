/* screen: takes a terminal over, and gives it back. */
#include "cli/watch/screen.h"

#include "cli/cli.h"
#include "cli/progress.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* What has to be undone, whichever way the program ends. */
static struct {
    bool taken;
    struct termios before;
} kept;

static void say(const char *text)
{
    size_t n = strlen(text);

    while (n) {
        ssize_t done = write(STDOUT_FILENO, text, n);

        if (done < 0 && errno != EINTR)
            return;
        text += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
}

static void give_back(void)
{
    if (kept.taken) {
        say("\033[?25h\033[?1049l");
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &kept.before);
    }
    kept.taken = false;
}

static void say_why(const char *why)
{
    give_back();
    pm_cli_say("%s", why);
}

static void on_resize(int signal_number)
{
    (void)signal_number; /* the signal ends a wait for keys */
}

void pm_screen_open(pm_screen *s, const pm_cli *cli)
{
    struct sigaction resize = {.sa_handler = on_resize}, ignore = {.sa_handler = SIG_IGN};
    struct termios raw;

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &kept.before) != 0)
        pm_cli_usage(cli,
                     "watch needs a terminal; capture --every 2s stores what a script can ask");
    *s = (pm_screen){.color = pm_cli_render_options(cli).color};
    pm_stop_catch();
    pm_cli_die_as(PM_EXIT_TROUBLE, say_why);
    atexit(give_back);
    sigaction(SIGWINCH, &resize, NULL);
    sigaction(SIGTSTP, &ignore, NULL);
    raw = kept.before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    kept.taken = tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0;
    say("\033[?1049h\033[?25l");
}

void pm_screen_close(pm_screen *s)
{
    pm_buf_free(&s->frame);
    give_back();
}

/* Takes n bytes off what was typed. */
static int take(pm_screen *s, size_t n, int key)
{
    s->n_typed -= n;
    memmove(s->typed, s->typed + n, s->n_typed);
    return key;
}

int pm_screen_key(pm_screen *s, int timeout_ms)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t n;

    if (!s->n_typed) {
        if (poll(&in, 1, timeout_ms) <= 0)
            return PM_KEY_NONE;
        n = read(STDIN_FILENO, s->typed, sizeof s->typed);
        if (n <= 0)
            return n < 0 && errno == EINTR ? PM_KEY_NONE : PM_KEY_GONE;
        s->n_typed = (size_t)n;
    }
    if (s->n_typed >= 3 && s->typed[0] == '\033' && pm_char_in(s->typed[1], "[O") &&
        s->typed[2] >= 'A' && s->typed[2] <= 'D')
        return take(s, 3, PM_KEY_UP + (s->typed[2] - 'A'));
    return take(s, 1, (unsigned char)s->typed[0]);
}

/* ---- one frame ---- */

/* Clears the rest of each line. Puts newlines only between lines, because one after the last line
 * would scroll the screen. */
static pmapdb_status add(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    pm_screen *s = ctx;
    pm_text rest = {bytes, n};
    pmapdb_status st = PMAPDB_OK;

    for (bool first = true; rest.len && st == PMAPDB_OK; first = false) {
        pm_text line = pm_text_cut(&rest, '\n');

        st = pm_buf_addf(&s->frame, err, "%s%.*s\033[K", first ? "" : "\r\n", (int)line.len,
                         line.data);
    }
    return st;
}

void pm_screen_begin(pm_screen *s, pm_picture *p, pm_sink *sink, pmapdb_error *err)
{
    struct winsize size = {0};
    pm_picture_terminal how = {.color = s->color, .utf8 = pm_cli_is_utf8()};

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    how.columns = s->columns = size.ws_col >= 40 ? size.ws_col : 80;
    how.lines = s->lines = size.ws_row >= 10 ? size.ws_row : 24;
    pm_buf_clear(&s->frame);
    *sink = (pm_sink){s, add};
    pm_cli_must(pm_buf_addf(&s->frame, err, "\033[?2026h\033[H"), err);
    pm_cli_must(pm_picture_on_terminal(p, &how, sink, err), err);
}

void pm_screen_show(pm_screen *s, pm_picture *p)
{
    pmapdb_error *err = p->err;

    pm_cli_must(pm_picture_end(p), err);
    pm_cli_must(pm_buf_addf(&s->frame, err, "\033[J\033[?2026l"), err);
    say(s->frame.data);
}
