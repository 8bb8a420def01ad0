/* next: what to do about a category of a process. */
#include "cli/next.h"

#include "cli/page.h"
#include <inttypes.h>

/* ---- of which process ---- */

static bool is_plain(pm_text t)
{
    for (size_t i = 0; i < t.len; i++)
        if (!(t.data[i] >= 'a' && t.data[i] <= 'z') && !(t.data[i] >= 'A' && t.data[i] <= 'Z') &&
            !(t.data[i] >= '0' && t.data[i] <= '9') && !pm_char_in(t.data[i], "._+-:"))
            return false;
    return t.len > 0 && t.len <= 64 && t.data[0] != '-';
}

/* What --process takes, in letters that no shell minds. The number is of the newest life alone, so
 * where there were several the name says it. */
static pmapdb_status add_process(pm_buf *out, const pm_next *n, pmapdb_error *err)
{
    pmapdb_status st;

    if (!is_plain(n->name))
        return n->process_id == PMAPDB_UNKNOWN
                   ? PMAPDB_OK
                   : pm_buf_addf(out, err, " --process @%" PRId64, n->process_id);
    st = pm_buf_addf(out, err, " --process %.*s", (int)n->name.len, n->name.data);
    if (st == PMAPDB_OK && !n->lives && n->pid != PMAPDB_UNKNOWN)
        st = pm_buf_addf(out, err, "/%" PRId64, n->pid);
    return st;
}

static pmapdb_status add_option(pm_buf *out, const char *option, pm_text value, pmapdb_error *err)
{
    return value.len ? pm_buf_addf(out, err, " --%s %.*s", option, (int)value.len, value.data)
                     : PMAPDB_OK;
}

static pmapdb_status add_command(pm_buf *out, const pm_next *n, pm_text command, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_addf(out, err, "pmapdb %.*s", (int)command.len, command.data);

    if (st == PMAPDB_OK)
        st = add_process(out, n, err);
    if (st == PMAPDB_OK)
        st = add_option(out, "from", n->from, err);
    if (st == PMAPDB_OK)
        st = add_option(out, "to", n->to, err);
    return st == PMAPDB_OK ? add_option(out, "dialect", n->dialect, err) : st;
}

/* ---- what ---- */

/* The words with the pid in the place of PID, where it is known. */
static pmapdb_status add_words(pm_buf *out, pm_text words, int64_t pid, pmapdb_error *err)
{
    const char *at;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && pid != PMAPDB_UNKNOWN && words.len &&
           (at = memmem(words.data, words.len, "PID", 3))) {
        size_t n = (size_t)(at - words.data);

        st = pm_buf_addf(out, err, "%.*s%" PRId64, (int)n, words.data, pid);
        words = pm_text_from(words, n + 3);
    }
    return st == PMAPDB_OK ? pm_buf_add(out, words.data, words.len, err) : st;
}

/* Of a number that grows the page of the first word speaks where its own does not. */
static bool counts(const pm_page *page, pm_text *out)
{
    pm_page first;

    *out = page->count;
    if (!out->len && pm_page_find(pm_page_first_word(page->category), &first))
        *out = first.count;
    return out->len > 0;
}

/* What else to do is left out where it begins with who: the store knows. */
static pm_text before_who(pm_text then)
{
    static const char who[] = "who allocates it:";
    const char *at = memmem(then.data, then.len, who, sizeof who - 1);

    if (at)
        then.len = (size_t)(at - then.data);
    return then;
}

static pmapdb_status add_who(pm_buf *out, const pm_next *n, pmapdb_error *err)
{
    pm_buf command = {0};
    pmapdb_status st = n->lineage != PMAPDB_UNKNOWN
                           ? pm_buf_addf(&command, err, "who %" PRId64, n->lineage)
                           : pm_buf_addf(&command, err, "who%s%.*s", n->category.len ? " " : "",
                                         (int)n->category.len, n->category.data);

    if (st == PMAPDB_OK)
        st = add_command(out, n, pm_buf_text(&command), err);
    pm_buf_free(&command);
    return st;
}

pmapdb_status pm_next_add(pm_buf *out, const pm_next *n, pmapdb_error *err)
{
    pm_page page;
    pm_text ask, then;
    pm_buf words = {0};
    size_t begun = out->len;
    pmapdb_status st = PMAPDB_OK;

    pm_page_hint(n->category, &page);
    ask = page.ask;
    then = page.next;
    if (n->count && counts(&page, &then))
        ask = PM_TEXT("diff --by lineage");
    if (n->lineage != PMAPDB_UNKNOWN)
        st = pm_buf_addf(out, err, "pmapdb lineage-history --lineage %" PRId64, n->lineage);
    else if (ask.len && !pm_text_equal(ask, n->asked))
        st = add_command(out, n, ask, err);
    if (n->recorded)
        then = before_who(then);
    if (st == PMAPDB_OK)
        st = pm_page_add(&words, then, err);
    if (st == PMAPDB_OK && n->recorded)
        st = pm_buf_addf(&words, err, "%s", words.len ? " " : "");
    if (st == PMAPDB_OK && n->recorded)
        st = add_who(&words, n, err);
    if (st == PMAPDB_OK && words.len && out->len > begun)
        st = pm_buf_addf(out, err, "; ");
    if (st == PMAPDB_OK && words.len)
        st = add_words(out, pm_buf_text(&words), n->pid, err);
    pm_buf_free(&words);
    return st;
}
