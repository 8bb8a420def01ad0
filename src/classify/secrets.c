/* secrets: what of a command line may be stored. */
#include "classify/secrets.h"

#include "classify/rules_regex.h"
#include <stdlib.h>

#define MATCHES_MAX 1000 /* of one regex in one line: what lies behind is a secret then */

struct pm_secrets {
    pm_regex **regex;
    size_t n;
    bool keep;
    pm_regex_space space;
    pm_buf line, work; /* the line at hand, and as the next regex leaves it */
};

pmapdb_status pm_secrets_new(const char *const *patterns, size_t n, bool keep, pm_secrets **out,
                             pmapdb_error *err)
{
    pm_secrets *r = calloc(1, sizeof *r);
    pmapdb_status st = PMAPDB_OK;
    pmapdb_error why;

    if (r)
        r->regex = calloc(n + 1, sizeof(pm_regex *));
    if (!r || !r->regex) {
        pm_secrets_free(r);
        return pm_fail_nomem(err);
    }
    r->keep = keep;
    for (; r->n < n && st == PMAPDB_OK; r->n += st == PMAPDB_OK) {
        if (!*patterns[r->n]) {
            st = pm_fail(err, PMAPDB_USAGE, "--redact-cmdline wants a regex, not ''");
            break;
        }
        st = pm_regex_new(pm_text_of(patterns[r->n]), r->n, &r->regex[r->n], &why);
        if (st == PMAPDB_INPUT)
            st = pm_fail(err, PMAPDB_USAGE, "--redact-cmdline '%.200s': %s", patterns[r->n],
                         why.text);
        else if (st != PMAPDB_OK)
            st = pm_fail_nomem(err);
    }
    if (st != PMAPDB_OK) {
        pm_secrets_free(r);
        return st;
    }
    *out = r;
    return PMAPDB_OK;
}

void pm_secrets_free(pm_secrets *secrets)
{
    if (!secrets)
        return;
    for (size_t i = 0; i < secrets->n; i++)
        pm_regex_free(secrets->regex[i]);
    pm_regex_space_free(&secrets->space);
    pm_buf_free(&secrets->line);
    pm_buf_free(&secrets->work);
    free(secrets->regex);
    free(secrets);
}

/* ---- regexes ---- */

/* What is before *done is written already, the first word from the beginning. */
static pmapdb_status hide(pm_buf *out, pm_text text, size_t *done, size_t from, size_t to,
                          pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    from = from > *done ? from : *done;
    if (from >= to)
        return st;
    st = pm_buf_add(out, text.data + *done, from - *done, err);
    if (st == PMAPDB_OK)
        st = pm_buf_add(out, PM_SECRET_HIDDEN, sizeof PM_SECRET_HIDDEN - 1, err);
    *done = to;
    return st;
}

/* Groups may come in any order, those of a lookahead behind others. */
static void sort_groups(pm_regex_match *m)
{
    for (size_t i = 1; i < m->n; i++)
        for (size_t k = i; k > 0 && m->group[k].from < m->group[k - 1].from; k--) {
            pm_regex_span moved = m->group[k];

            m->group[k] = m->group[k - 1];
            m->group[k - 1] = moved;
        }
}

static pmapdb_status hide_match(pm_regex_match *m, pm_text text, size_t *done, pm_buf *out,
                                pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    sort_groups(m);
    if (m->n == 0)
        return hide(out, text, done, m->from, m->to, err);
    for (size_t i = 0; i < m->n && st == PMAPDB_OK; i++)
        st = hide(out, text, done, m->group[i].from, m->group[i].to, err);
    return st;
}

static size_t next_character(pm_text text, size_t at)
{
    do
        at++;
    while (at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80);
    return at;
}

/* All is searched, and what lies behind the first word replaced. What cannot be searched to its end
 * is a secret from there on. */
static pmapdb_status replace(pm_secrets *r, const pm_regex *regex, pm_text text, pm_buf *out,
                             pmapdb_error *err)
{
    const char *blank = text.len ? memchr(text.data, ' ', text.len) : NULL;
    size_t at = 0, done = blank ? (size_t)(blank - text.data) + 1 : text.len;
    pmapdb_status st = pm_buf_add(out, text.data, done, err);
    pm_regex_match m;

    for (int i = 0; at < text.len && st == PMAPDB_OK; i++) {
        int found = i < MATCHES_MAX ? pm_regex_next(regex, &r->space, text, at, &m) : -1;

        if (found == 0)
            break;
        if (found < 0) {
            st = hide(out, text, &done, at, text.len, err);
            break;
        }
        st = hide_match(&m, text, &done, out, err);
        at = m.to > at ? m.to : next_character(text, at);
    }
    return st == PMAPDB_OK ? pm_buf_add(out, text.data + done, text.len - done, err) : st;
}

/* ---- the whole ---- */

pmapdb_status pm_secrets_hide(pm_secrets *secrets, pm_text arguments, pm_text *out,
                              pmapdb_error *err)
{
    pm_buf *line = &secrets->line;
    pmapdb_status st;

    pm_buf_clear(line);
    st = secrets->keep ? pm_buf_add(line, arguments.data, arguments.len, err)
                       : pm_secrets_hide_named(arguments, line, err);
    for (size_t i = 0; i < line->len; i++)
        if (line->data[i] == '\0')
            line->data[i] = ' ';
    for (size_t i = 0; i < secrets->n && st == PMAPDB_OK; i++) {
        pm_buf before = *line;

        pm_buf_clear(&secrets->work);
        st = replace(secrets, secrets->regex[i], pm_buf_text(line), &secrets->work, err);
        *line = secrets->work;
        secrets->work = before;
    }
    if (st == PMAPDB_OK)
        *out = pm_buf_text(line);
    return st;
}
