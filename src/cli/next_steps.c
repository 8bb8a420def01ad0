/* next_steps: prints what to do about a category of a process. */
#include "cli/next_steps.h"

#include "cli/page.h"
#include <inttypes.h>

/* ---- options ---- */

static bool is_plain(pm_text t)
{
    for (size_t i = 0; i < t.len; i++)
        if (!(t.data[i] >= 'a' && t.data[i] <= 'z') && !(t.data[i] >= 'A' && t.data[i] <= 'Z') &&
            !(t.data[i] >= '0' && t.data[i] <= '9') && !pm_char_in(t.data[i], "._+-:"))
            return false;
    return t.len > 0 && t.len <= 64 && t.data[0] != '-';
}

/* Prints --process with characters that need no quoting in a shell. The pid is that of the newest
 * life, so for several lives only the name is printed. */
static void print_process(FILE *out, const pm_next_steps *n)
{
    if (!is_plain(n->name)) {
        if (n->process_id != PMAPDB_UNKNOWN)
            fprintf(out, " --process @%" PRId64, n->process_id);
        return;
    }
    fprintf(out, " --process %.*s", (int)n->name.len, n->name.data);
    if (!n->lives && n->pid != PMAPDB_UNKNOWN)
        fprintf(out, "/%" PRId64, n->pid);
}

/* Prints the options after a command of pmapdb. */
static void print_options(FILE *out, const pm_next_steps *n)
{
    const struct {
        const char *name;
        pm_text value;
    } options[] = {{"from", n->from}, {"to", n->to}, {"dialect", n->dialect}};

    print_process(out, n);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].value.len)
            fprintf(out, " --%s %.*s", options[i].name, (int)options[i].value.len,
                    options[i].value.data);
}

/* ---- commands ---- */

/* Finds the advice for a growing number of mappings: on the category's own page, else on the page
 * of its first word. */
static bool counts(const pm_page *page, pm_text *out)
{
    pm_page first;

    *out = page->count;
    if (!out->len && pm_page_find(pm_page_first_word(page->category), &first))
        *out = first.count;
    return out->len > 0;
}

/* Cuts the advice off where it begins with "who allocates it": the store already knows that. */
static pm_text before_who(pm_text then)
{
    static const char who[] = "who allocates it:";
    const char *at = memmem(then.data, then.len, who, sizeof who - 1);

    if (at)
        then.len = (size_t)(at - then.data);
    return then;
}

void pm_next_steps_print(FILE *out, const pm_next_steps *n)
{
    bool single = n->lineage != PMAPDB_UNKNOWN, asks = false;
    pm_page page;
    pm_text ask, then;

    if (!n->category.len) {
        fputs("pmapdb diff", out);
        print_options(out, n);
        return;
    }
    pm_page_hint(n->category, &page);
    ask = page.ask;
    then = page.next;
    if (n->count && counts(&page, &then))
        ask = PM_TEXT("diff --by lineage");
    if (n->recorded)
        then = before_who(then);
    if (single) {
        fprintf(out, "pmapdb lineage-history --lineage %" PRId64, n->lineage);
    } else if (ask.len && !pm_text_equal(ask, n->asked)) {
        fprintf(out, "pmapdb %.*s", (int)ask.len, ask.data);
        print_options(out, n);
        asks = true;
    }
    if ((single || asks) && (then.len || n->recorded))
        fputs("; ", out);
    pm_page_print(out, then, n->pid);
    if (!n->recorded)
        return;
    fputs(then.len ? " pmapdb who" : "pmapdb who", out);
    if (single)
        fprintf(out, " --lineage %" PRId64, n->lineage);
    else
        fprintf(out, " --category %.*s", (int)n->category.len, n->category.data);
    print_options(out, n);
}
