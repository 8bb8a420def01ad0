/* keep_cmdline: which part of a command line is stored. */
#include "classify/keep_cmdline.h"

#include "classify/rules_regex.h"
#include <stdlib.h>

#define MATCHES_MAX 1000 /* of one regex in one line */

/* Options as lists of words with blanks around each. */
typedef struct interpreter {
    const char *name;  /* versions may follow: python3.11 */
    const char *names; /* the next word is kept, with the option: -jar, -m */
    const char *takes; /* the next word is the option's value: skipped */
    const char *code;  /* the program is in the arguments: nothing more is kept */
} interpreter;

static const interpreter interpreters[] = {
    {"java", " -jar -m --module ",
     " -cp -classpath --class-path -p --module-path --upgrade-module-path --add-modules "
     "--limit-modules --add-opens --add-exports --add-reads --patch-module ",
     ""},
    {"node", "",
     " -r --require --import --loader --experimental-loader --env-file -C --conditions --title ",
     " -e --eval -p --print -pe "},
    {"python", " -m ", " -W -X --check-hash-based-pycs ", " -c "},
    {"ruby", "", " -I -r -E -C ", " -e "},
    {"perl", "", " -I -M ", " -e -E "},
    {"php", " -f ", " -c -d -z ", " -r -R -B -E "},
    {"dotnet", " exec ",
     " --runtimeconfig --depsfile --fx-version --roll-forward --additionalprobingpath "
     "--additional-deps ",
     ""},
    {"sh", "", " -o -O +O --rcfile --init-file ", " -c "},
    {"bash", "", " -o -O +O --rcfile --init-file ", " -c "},
    {"dash", "", " -o ", " -c "},
    {"zsh", "", " -o ", " -c "},
};

struct pm_keep_cmdline {
    pm_regex **regex;
    size_t n;
    pm_regex_space space;
    pm_buf line,
        kept; /* the arguments with blanks between; a mark per byte of it, then the result */
};

pmapdb_status pm_keep_cmdline_new(const char *const *regexes, size_t n, pm_keep_cmdline **out,
                                  pmapdb_error *err)
{
    pm_keep_cmdline *keep = calloc(1, sizeof *keep);
    pmapdb_status st = PMAPDB_OK;
    pmapdb_error why;

    if (keep)
        keep->regex = calloc(n + 1, sizeof(pm_regex *));
    if (!keep || !keep->regex)
        st = pm_fail_nomem(err);
    for (; st == PMAPDB_OK && keep->n < n; keep->n += st == PMAPDB_OK) {
        st = pm_regex_new(pm_text_of(regexes[keep->n]), keep->n, &keep->regex[keep->n], &why);
        if (st == PMAPDB_INPUT)
            st = pm_fail(err, PMAPDB_USAGE, "--keep-cmdline '%.200s': %s", regexes[keep->n],
                         why.text);
        else if (st != PMAPDB_OK)
            st = pm_fail_nomem(err);
    }
    if (st == PMAPDB_OK)
        *out = keep;
    else
        pm_keep_cmdline_free(keep);
    return st;
}

void pm_keep_cmdline_free(pm_keep_cmdline *keep)
{
    if (!keep)
        return;
    for (size_t i = 0; i < keep->n; i++)
        pm_regex_free(keep->regex[i]);
    pm_regex_space_free(&keep->space);
    pm_buf_free(&keep->line);
    pm_buf_free(&keep->kept);
    free(keep->regex);
    free(keep);
}

/* ---- the program ---- */

/* Cuts the next argument off. */
static pm_text next_argument(pm_text *rest, char between)
{
    const char *end = rest->len ? memchr(rest->data, between, rest->len) : NULL;
    pm_text argument = {rest->data, end ? (size_t)(end - rest->data) : rest->len};

    *rest = pm_text_from(*rest, argument.len + (end != NULL));
    return argument;
}

static bool is_listed(const char *list, pm_text word)
{
    for (const char *at = list; word.len && (at = memmem(at, strlen(at), word.data, word.len));
         at++)
        if (at > list && at[-1] == ' ' && at[word.len] == ' ')
            return true;
    return false;
}

/* "-Ic": short options in one word; the last may name the module or hold code. */
static pm_text last_option(pm_text word, char two[2])
{
    bool letters = word.len > 2 && word.data[0] == '-' && word.data[1] != '-';

    for (size_t i = 1; i < word.len; i++)
        letters &= (word.data[i] | 0x20) >= 'a' && (word.data[i] | 0x20) <= 'z';
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
        if (pm_text_equal(name, pm_text_of(interpreters[i].name)))
            return &interpreters[i];
    return NULL;
}

static void mark(const pm_keep_cmdline *keep, size_t from, size_t to)
{
    memset(keep->kept.data + from, 1, to - from);
}

static void mark_word(const pm_keep_cmdline *keep, pm_text arguments, pm_text word)
{
    size_t at = (size_t)(word.data - arguments.data);

    mark(keep, at, at + word.len);
}

/* False for options, and for KEY=VALUE, URLs and addresses, which may hold secrets. */
static bool is_name(pm_text word)
{
    for (size_t i = 0; i < word.len; i++)
        if (pm_char_in(word.data[i], "=@?&:"))
            return false;
    return word.len > 0 && word.data[0] != '-';
}

/* Marks the script, module, jar or main class. */
static void mark_script(const pm_keep_cmdline *keep, const interpreter *in, pm_text arguments,
                        pm_text rest, char between)
{
    while (rest.len) {
        pm_text word = next_argument(&rest, between);
        char two[2];
        pm_text option = is_listed(in->names, word) || is_listed(in->takes, word)
                             ? word
                             : last_option(word, two);

        if (is_listed(in->code, option))
            return;
        if (is_listed(in->names, option)) {
            pm_text named = next_argument(&rest, between);

            mark_word(keep, arguments, word);
            if (is_name(named))
                mark_word(keep, arguments, named);
            return;
        }
        if (is_listed(in->takes, word)) {
            next_argument(&rest, between);
        } else if (word.len && word.data[0] != '-') {
            if (is_name(word))
                mark_word(keep, arguments, word);
            return;
        }
    }
}

static void mark_program(const pm_keep_cmdline *keep, pm_text arguments)
{
    char between = memchr(arguments.data, '\0', arguments.len) ? '\0' : ' ';
    pm_text rest = arguments, first = next_argument(&rest, between), program = first;
    const interpreter *in;

    program = next_argument(&first, ' '); /* a title has blanks in it */
    mark_word(keep, arguments, program);
    in = first.len ? NULL : interpreter_of(program);
    if (in)
        mark_script(keep, in, arguments, rest, between);
}

/* ---- regexes ---- */

/* If a regex gives up, the rest is not kept. */
static void mark_matches(pm_keep_cmdline *keep, const pm_regex *regex)
{
    pm_text line = pm_buf_text(&keep->line);
    pm_regex_match m;
    size_t at = 0;

    for (int i = 0; i < MATCHES_MAX && at <= line.len; i++) {
        m = (pm_regex_match){0};
        if (pm_regex_next(regex, &keep->space, line, at, &m) <= 0)
            return;
        if (m.n == 0 && m.to > m.from)
            mark(keep, m.from, m.to);
        for (size_t k = 0; k < m.n; k++)
            mark(keep, m.group[k].from, m.group[k].to);
        at = m.to > at ? m.to : at + 1;
    }
}

/* ---- all ---- */

/* Moves the marked bytes together: a blank stands for each gap. */
static size_t gather(pm_keep_cmdline *keep)
{
    char *line = keep->line.data;
    size_t n = 0;

    for (size_t i = 0; i < keep->line.len; i++) {
        bool starts = keep->kept.data[i] && n && !keep->kept.data[i - 1];

        if (starts && line[n - 1] != ' ' && line[i] != ' ')
            line[n++] = ' ';
        if (keep->kept.data[i])
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

    pm_buf_clear(&keep->line);
    pm_buf_clear(&keep->kept);
    st = pm_buf_add(&keep->line, arguments.data, arguments.len, err);
    if (st == PMAPDB_OK)
        st = pm_buf_add(&keep->kept, arguments.data, arguments.len, err);
    if (st != PMAPDB_OK)
        return st;
    memset(keep->kept.data, 0, arguments.len);
    if (arguments.len)
        mark_program(keep, arguments);
    for (size_t i = 0; i < keep->line.len; i++)
        if (keep->line.data[i] == '\0')
            keep->line.data[i] = ' ';
    for (size_t i = 0; i < keep->n; i++)
        mark_matches(keep, keep->regex[i]);
    *out = (pm_text){keep->line.data, gather(keep)};
    return PMAPDB_OK;
}
