/* secrets_args: the secrets that a command line shows by the names of its arguments. */
#include "classify/secrets.h"

#include "classify/secret_word.h"
#include <ctype.h>

#define BLANKS " \t\r\n"

typedef struct scan {
    pm_text t;
    size_t at, done; /* looked at so far; copied so far */
    bool exact;      /* NULs tell where arguments end */
    const pm_secret_letter *letters;
    pm_buf *out;
    pmapdb_error *err;
} scan;

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || pm_char_in(c, "_-.");
}

/* '\0' at the end, as between arguments. */
static char char_at(const scan *s, size_t at)
{
    return (char)(at < s->t.len ? s->t.data[at] : '\0');
}

static bool is_end(char c)
{
    return c == '\0' || pm_char_in(c, BLANKS);
}

static size_t skip_blanks(const scan *s, size_t at)
{
    while (pm_char_in(char_at(s, at), BLANKS))
        at++;
    return at;
}

static size_t argument_end(const scan *s, size_t at)
{
    while (char_at(s, at) != '\0')
        at++;
    return at;
}

/* Of a word, or before it the character `stop`. */
static size_t word_end(const scan *s, size_t at, char stop)
{
    while (!is_end(char_at(s, at)) && char_at(s, at) != stop)
        at++;
    return at;
}

static pmapdb_status hide(scan *s, size_t from, size_t to)
{
    pmapdb_status st = PMAPDB_OK;

    if (from >= to)
        return st;
    st = pm_buf_add(s->out, s->t.data + s->done, from - s->done, s->err);
    if (st == PMAPDB_OK)
        st = pm_buf_add(s->out, PM_SECRET_HIDDEN, sizeof PM_SECRET_HIDDEN - 1, s->err);
    s->done = s->at = to;
    return st;
}

/* ---- where a value ends ---- */

static size_t part_end(const scan *s, size_t from, char before)
{
    static const char opens[] = "?&;,([{/", closes[] = "&&;,)]}/";
    const char *open = before ? strchr(opens, before) : NULL;
    char stop = (char)(open ? closes[open - opens] : before);
    size_t end = from;

    /* "Pwd=my pass;", 'password=x y' */
    if (s->exact && pm_char_in(stop, ";\"'"))
        while (char_at(s, end) != '\0' && char_at(s, end) != stop)
            end++;
    else
        end = word_end(s, from, stop);
    return end;
}

/* Authorization: Bearer X */
static size_t scheme_end(const scan *s, size_t from)
{
    static const pm_text schemes[] = {{"bearer", 6}, {"basic", 5},  {"token", 5},
                                      {"digest", 6}, {"apikey", 6}, {"negotiate", 9}};
    size_t end = word_end(s, from, 0);

    if (!pm_char_in(char_at(s, end), BLANKS))
        return 0;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (end - from == schemes[i].len &&
            strncasecmp(s->t.data + from, schemes[i].data, schemes[i].len) == 0)
            return word_end(s, skip_blanks(s, end), 0);
    return 0;
}

/* before: what stands before its name; '\0' where that begins the argument. */
static pmapdb_status hide_from(scan *s, size_t from, char before)
{
    char quote = char_at(s, from);
    size_t end, scheme;

    if (pm_char_in(quote, "\"'")) {
        for (end = from + 1; char_at(s, end) != '\0' && char_at(s, end) != quote; end++)
            if (char_at(s, end) == '\\' && char_at(s, end + 1) == quote)
                end++;
        if (char_at(s, end) == quote)
            return hide(s, from + 1, end);
    }
    if (s->exact && before == '\0')
        return hide(s, from, argument_end(s, from));
    end = part_end(s, from, before);
    scheme = scheme_end(s, from);
    return hide(s, from, scheme > end ? scheme : end);
}

/* ---- URLs ---- */

static bool is_port(pm_text t)
{
    for (size_t i = 0; i < t.len; i++)
        if (!isdigit((unsigned char)t.data[i]))
            return false;
    return true;
}

/* Behind "://": where userinfo ends, at its @; 0: there is none. */
static size_t userinfo_end(const scan *s, size_t from, size_t *colon)
{
    size_t authority = from, word = from, at = 0;

    *colon = 0;
    for (; !is_end(char_at(s, word)) && !pm_char_in(char_at(s, word), "\"'<>"); word++)
        ;
    while (authority < word && !pm_char_in(s->t.data[authority], "/?#"))
        authority++;
    for (size_t i = from; i < authority; i++) {
        if (s->t.data[i] == ':' && !*colon)
            *colon = i;
        if (s->t.data[i] == '@')
            at = i;
    }
    /* A slash in a password: what stands before it is no port then. */
    if (!at && *colon && !is_port((pm_text){s->t.data + *colon + 1, authority - *colon - 1}))
        for (size_t i = authority; i < word; i++)
            if (s->t.data[i] == '@')
                at = i;
    if (*colon > at)
        *colon = 0;
    return at;
}

static pmapdb_status url(scan *s, pm_text scheme, size_t from)
{
    size_t colon, at = userinfo_end(s, from, &colon);

    s->at = from;
    if (at && colon)
        return hide(s, colon + 1, at);
    if (at && scheme.len >= 4 && strncasecmp(scheme.data, "http", 4) == 0)
        return hide(s, from, at);
    return PMAPDB_OK;
}

/* ---- names ---- */

/* The next word, be it an argument of its own; false: there is none. */
static bool next_word(scan *s, size_t at, size_t *from, size_t *to)
{
    if (at >= s->t.len)
        return false;
    *from = char_at(s, at) == '\0' ? at + 1 : skip_blanks(s, at);
    *to = char_at(s, at) == '\0' ? argument_end(s, *from) : word_end(s, *from, 0);
    return *from < *to;
}

static pmapdb_status hide_next(scan *s, pm_text name, size_t at)
{
    size_t from, to;

    if (!next_word(s, at, &from, &to) || pm_secret_unasked(name))
        return PMAPDB_OK;
    if (to - from > 2 && memcmp(s->t.data + from, "--", 2) == 0)
        return PMAPDB_OK;
    if (s->t.data[at - 1] == '=' && s->t.data[from] == '-') /* it is empty, as it says */
        return PMAPDB_OK;
    if (!pm_secret_name(name, (pm_text){s->t.data + from, to - from}))
        return PMAPDB_OK;
    return char_at(s, at) == '\0' ? hide(s, from, to) : hide_from(s, from, ' ');
}

/* -LLLxw X: the last of letters that stand together takes the next word. */
static bool takes_next(const scan *s, pm_text name)
{
    const pm_secret_letter *l = s->letters;

    return l->how != PM_LETTER_GLUED && name.data[1] != '-' &&
           (l->how != PM_LETTER_APART || name.len == 2) &&
           pm_char_in(name.data[name.len - 1], l->letters) && is_end(char_at(s, s->at));
}

/* -pX, -p X. */
static bool letter(scan *s, pm_text name, size_t begin, pmapdb_status *st)
{
    const pm_secret_letter *l = s->letters;
    size_t from = begin + 2, to;
    const char *mark;

    if (!l || name.len < 2 || name.data[0] != '-')
        return false;
    if (l->how != PM_LETTER_APART && name.len > 2 && pm_char_in(name.data[1], l->letters))
        to = s->exact ? argument_end(s, from) : word_end(s, from, 0);
    else if (!takes_next(s, name) || !next_word(s, s->at, &from, &to))
        return false;
    mark = l->behind ? memchr(s->t.data + from, l->behind, to - from) : NULL;
    if (l->behind && !mark)
        return false;
    *st = hide(s, mark ? (size_t)(mark - s->t.data) + 1 : from, to);
    return true;
}

/* Where the value of a name that ends at `end` begins; 0: it has none here. */
static size_t value_of(const scan *s, size_t end, char before)
{
    bool quoted = before && pm_char_in(before, "\"'") && char_at(s, end) == before;
    size_t at = quoted ? skip_blanks(s, end + 1) : end;
    size_t equals = skip_blanks(s, at);

    if (char_at(s, at) == '=')
        return quoted ? skip_blanks(s, at + 1) : at + 1;
    if (equals > at && char_at(s, equals) == '=') /* password = X */
        return skip_blanks(s, equals + 1);
    if (char_at(s, at) == ':' && (is_end(before) || pm_char_in(before, "\"'{,(;&?")))
        return skip_blanks(s, at + 1);
    if (char_at(s, at) == ',' && before == '(') /* env(API_KEY,X) */
        return at + 1;
    return 0;
}

static pmapdb_status name(scan *s)
{
    size_t begin = s->at, end = begin, value;
    char before = s->t.data[begin - 1]; /* the first word is behind us */
    pmapdb_status st = PMAPDB_OK;
    pm_text word;

    while (in_name(char_at(s, end)))
        end++;
    word = (pm_text){s->t.data + begin, end - begin};
    s->at = end;
    if (pm_text_starts(pm_text_from(s->t, end), PM_TEXT("://")))
        return url(s, word, end + 3);
    if (is_end(before) && letter(s, word, begin, &st))
        return st;
    value = value_of(s, end, before);
    /* --password= X: of an option only; behind PASSWORD= stands the program. */
    if (value == end + 1 && word.data[0] == '-' && is_end(char_at(s, value)))
        return hide_next(s, word, value);
    if (value && pm_secret_name(word, pm_text_from(s->t, value < s->t.len ? value : s->t.len)))
        return hide_from(s, value, before);
    if (!value && word.data[0] == '-' && is_end(char_at(s, end)))
        return hide_next(s, word, end);
    return PMAPDB_OK;
}

/* ---- the whole ---- */

pmapdb_status pm_secrets_hide_named(pm_text arguments, pm_buf *out, pmapdb_error *err)
{
    scan s = {.t = arguments, .out = out, .err = err};
    pmapdb_status st = PMAPDB_OK;

    s.exact = arguments.len && memchr(arguments.data, '\0', arguments.len);
    s.at = word_end(&s, 0, 0);
    s.letters = pm_secret_letters((pm_text){arguments.data, s.at});
    while (st == PMAPDB_OK && s.at < arguments.len) {
        if (in_name(arguments.data[s.at]))
            st = name(&s);
        else
            s.at++;
    }
    if (st == PMAPDB_OK)
        st = pm_buf_add(out, arguments.data + s.done, arguments.len - s.done, err);
    return st;
}
