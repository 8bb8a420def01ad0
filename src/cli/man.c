/* man: text as roff. */
#include "cli/man.h"

#include "base/num.h"
#include "cli/help.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void pm_man_raw(pm_man *m, const char *format, ...)
{
    va_list args;
    char line[512];
    int n;

    va_start(args, format);
    n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (m->st == PMAPDB_OK && (n < 0 || (size_t)n >= sizeof line))
        m->st = pm_fail(m->err, PMAPDB_USAGE, "too long for a line of roff: %.40s", line);
    if (m->st == PMAPDB_OK)
        m->st = pm_buf_addf(&m->out, m->err, "%s\n", line);
    m->fresh = false;
}

static void add(pm_man *m, const char *bytes, size_t n)
{
    if (m->st == PMAPDB_OK)
        m->st = pm_buf_add(&m->out, bytes, n, m->err);
}

static bool at_line_start(const pm_man *m)
{
    return m->out.len == 0 || m->out.data[m->out.len - 1] == '\n';
}

void pm_man_words(pm_man *m, pm_text t)
{
    static const char *const special[] = {
        ['\\'] = "\\e",  ['-'] = "\\-",   ['\''] = "\\(aq", ['`'] = "\\(ga",
        ['^'] = "\\(ha", ['~'] = "\\(ti", ['"'] = "\\(dq"};

    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.data[i];
        const char *as = c < sizeof special / sizeof *special ? special[c] : NULL;

        if (c == '.' && at_line_start(m))
            add(m, "\\&", 2);
        if (as)
            add(m, as, strlen(as));
        else
            add(m, t.data + i, 1);
    }
}

void pm_man_line(pm_man *m, pm_text t)
{
    pm_man_words(m, t);
    add(m, "\n", 1);
    m->fresh = false;
}

/* SOURCE_DATE_EPOCH makes builds alike: reproducible-builds.org. */
static void add_date(char *out, size_t size)
{
    const char *given = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds;
    time_t now = time(NULL);
    struct tm day;

    if (given && pm_num_all(pm_text_of(given), &seconds) && seconds < INT64_MAX)
        now = (time_t)seconds;
    if (!gmtime_r(&now, &day) || strftime(out, size, "%Y-%m-%d", &day) == 0)
        *out = '\0';
}

void pm_man_begin(pm_man *m, const char *page, const char *section, const char *what)
{
    char date[32], upper[64];
    size_t n = 0;

    add_date(date, sizeof date);
    for (; page[n] && n + 1 < sizeof upper; n++)
        upper[n] = (char)toupper((unsigned char)page[n]);
    upper[n] = '\0';
    pm_man_raw(m, ".TH %s %s %s \"pmapdb %s\" \"pmapdb\"", upper, section, date, PMAPDB_VERSION);
    pm_man_section(m, "NAME");
    pm_man_words(m, pm_text_of(page));
    add(m, " \\- ", 4);
    pm_man_line(m, pm_text_of(what));
}

void pm_man_section(pm_man *m, const char *title)
{
    pm_man_raw(m, ".SH %s", title);
    m->fresh = true;
}

void pm_man_part(pm_man *m, pm_text title)
{
    add(m, ".SS ", 4);
    pm_man_line(m, title);
    m->fresh = true;
}

void pm_man_item(pm_man *m, pm_text name, pm_text arg, pm_text text)
{
    pm_man_raw(m, ".TP");
    add(m, "\\fB", 3);
    pm_man_words(m, name);
    add(m, "\\fP", 3);
    if (arg.len) {
        add(m, " \\fI", 4);
        pm_man_words(m, arg);
        add(m, "\\fP", 3);
    }
    add(m, "\n", 1);
    if (text.len)
        pm_man_line(m, text);
}

void pm_man_help(pm_man *m, pm_text text)
{
    pm_text line;
    bool fixed = false, apart = true;

    while (pm_help_line(&text, &line)) {
        bool blank = line.len && *line.data == ' ';

        if (line.len == 0) {
            apart = true;
            continue;
        }
        if (fixed && !blank)
            pm_man_raw(m, ".fi");
        if (!m->fresh && (apart || blank != fixed))
            pm_man_raw(m, ".PP");
        if (blank && !fixed)
            pm_man_raw(m, ".nf");
        fixed = blank;
        apart = false;
        pm_man_line(m, line);
    }
    if (fixed)
        pm_man_raw(m, ".fi");
}

void pm_man_comment(pm_man *m, pm_text comment)
{
    pm_text line;
    bool between = true;

    while (pm_help_line(&comment, &line)) {
        while (line.len && (*line.data == '-' || *line.data == ' '))
            line = pm_text_from(line, 1);
        if (line.len && between && !m->fresh)
            pm_man_raw(m, ".PP");
        between = line.len == 0;
        if (line.len)
            pm_man_line(m, line);
    }
}
