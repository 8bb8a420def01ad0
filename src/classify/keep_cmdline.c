/* keep_cmdline: selects the part of a command line that is stored. */
#include "classify/keep_cmdline.h"

#include "base/num.h"
#include <stdlib.h>

#define MATCHES_MAX 1000 /* matches of one regex in one line */

typedef struct interpreter {
    const char *programs, *names, *takes, *code;
} interpreter;

static const interpreter interpreters[] = {
#define PM_INTERPRETER(...) {__VA_ARGS__},
#include "classify/interpreters.def"
#undef PM_INTERPRETER
};

pmapdb_status pm_keep_cmdline_init(const char *const *regexes, size_t n, pm_keep_cmdline *keep,
                                   pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    pmapdb_error why;

    *keep = (pm_keep_cmdline){.regex = calloc(n + 1, sizeof(pm_regex *))};
    if (!keep->regex)
        return pm_fail_nomem(err);
    for (; st == PMAPDB_OK && keep->n < n; keep->n += st == PMAPDB_OK) {
        st = pm_regex_new(pm_text_of(regexes[keep->n]), keep->n, &keep->regex[keep->n], &why);
        if (st == PMAPDB_INPUT)
            st = pm_fail(err, PMAPDB_USAGE, "--keep-cmdline '%.200s': %s", regexes[keep->n],
                         why.text);
        else if (st != PMAPDB_OK)
            st = pm_fail_nomem(err);
    }
    return st;
}

void pm_keep_cmdline_free(pm_keep_cmdline *keep)
{
    for (size_t i = 0; i < keep->n; i++)
        pm_regex_free(keep->regex[i]);
    pm_regex_space_free(&keep->space);
    pm_buf_free(&keep->line);
    pm_buf_free(&keep->marks);
    free(keep->regex);
}

/* Marks a part of the line. */
static void mark(const pm_keep_cmdline *keep, pm_text part)
{
    memset(keep->marks.data + (part.data - keep->line.data), 1, part.len);
}

/* ---- the program ---- */

/* Returns the last of several short options in one word ("-Ic"), which may be followed by a module
 * or by code. */
static pm_text last_option(pm_text word, char two[2])
{
    bool letters = word.len > 2 && word.data[0] == '-' && word.data[1] != '-';

    for (size_t i = 1; i < word.len; i++)
        letters &= pm_is_letter(word.data[i]);
    if (!letters)
        return word;
    two[0] = '-';
    two[1] = word.data[word.len - 1];
    return (pm_text){two, 2};
}

static const interpreter *interpreter_of(pm_text program)
{
    pm_text name = pm_text_basename(program);

    while (name.len && pm_char_in(name.data[name.len - 1], "0123456789."))
        name.len--;
    for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++)
        if (pm_text_listed(name, interpreters[i].programs))
            return &interpreters[i];
    return NULL;
}

/* True for a word that is a name; not for options, KEY=VALUE, URLs and addresses, which may contain
 * secrets. */
static bool is_name(pm_text word)
{
    bool good = word.len > 0 && word.data[0] != '-';

    for (size_t i = 0; i < word.len; i++)
        good &= !pm_char_in(word.data[i], "=@?&:");
    return good;
}

/* The words of a command line that name a program; data NULL: there is no such word. */
typedef struct program {
    pm_text name;
    bool interprets;
    pm_text option, script; /* -jar app.jar */
} program;

static void find_script(const interpreter *in, pm_text rest, char between, program *out)
{
    while (rest.len && !out->script.data) {
        char two[2];
        pm_text word = pm_text_cut(&rest, between);
        pm_text option = pm_text_listed(word, in->names) ? word : last_option(word, two);

        if (pm_text_listed(option, in->code))
            return;
        if (pm_text_listed(option, in->names)) {
            out->option = word;
            out->script = pm_text_cut(&rest, between);
        } else if (pm_text_listed(word, in->takes)) {
            pm_text_cut(&rest, between);
        } else if (word.len && word.data[0] != '-') {
            out->script = word;
        }
    }
}

static program find_program(pm_text line)
{
    char between = memchr(line.data, '\0', line.len) ? '\0' : ' ';
    pm_text title = pm_text_cut(&line, between);
    program out = {.name = pm_text_cut(&title, ' ')};
    const interpreter *in = title.len ? NULL : interpreter_of(out.name);

    out.interprets = in != NULL;
    if (in)
        find_script(in, line, between, &out);
    if (!is_name(out.script))
        out.script = (pm_text){NULL, 0};
    return out;
}

pm_text pm_interpreted_name(pm_text arguments)
{
    program found = find_program(arguments);
    pm_text script = pm_text_basename(found.script);
    uint64_t descriptor; /* "bash /dev/fd/63" */

    if (!found.interprets)
        return PM_TEXT("");
    return script.len && !pm_num_all(script, &descriptor) ? script : pm_text_basename(found.name);
}

/* ---- regexes ---- */

/* Marks the matches of a regex. If the regex gives up, the rest of the line is not kept. */
static void mark_matches(pm_keep_cmdline *keep, pm_regex *regex)
{
    pm_text line = pm_buf_text(&keep->line);
    size_t at = 0, from, to;

    for (int i = 0; i < MATCHES_MAX && at <= line.len; i++, at = to > at ? to : at + 1) {
        if (pm_regex_find(regex, &keep->space, line, at, &from, &to) <= 0)
            return;
        if (to > from) /* \K in a lookahead can put a start after its end */
            mark(keep, (pm_text){line.data + from, to - from});
    }
}

/* ---- all ---- */

/* Moves the marked bytes together and puts a blank in each gap. Returns their number. */
static size_t gather(const pm_keep_cmdline *keep)
{
    char *line = keep->line.data;
    const char *marks = keep->marks.data;
    size_t n = 0;

    for (size_t i = 0; i < keep->line.len; i++) {
        if (marks[i] && n && !marks[i - 1] && line[n - 1] != ' ' && line[i] != ' ')
            line[n++] = ' ';
        if (marks[i])
            line[n++] = line[i];
    }
    while (n && line[n - 1] == ' ')
        n--;
    return n;
}

pmapdb_status pm_keep_cmdline_of(pm_keep_cmdline *keep, pm_text arguments, pm_text *out,
                                 pmapdb_error *err)
{
    pmapdb_status st;
    program found;

    pm_buf_clear(&keep->line);
    pm_buf_clear(&keep->marks);
    st = pm_buf_add(&keep->line, arguments.data, arguments.len, err);
    PM_STEP(st, pm_buf_add(&keep->marks, arguments.data, arguments.len, err));
    if (st != PMAPDB_OK)
        return st;
    memset(keep->marks.data, 0, arguments.len);
    found = find_program(pm_buf_text(&keep->line));
    mark(keep, found.name);
    if (found.option.data)
        mark(keep, found.option);
    if (found.script.data)
        mark(keep, found.script);
    for (size_t i = 0; i < keep->line.len; i++)
        if (keep->line.data[i] == '\0')
            keep->line.data[i] = ' ';
    for (size_t i = 0; i < keep->n; i++)
        mark_matches(keep, keep->regex[i]);
    *out = (pm_text){keep->line.data, gather(keep)};
    return PMAPDB_OK;
}
