/* next_steps: prints what to do about a category of a process. */
#include "cli/advice/next_steps.h"

#include "cli/advice/page.h"
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
static pm_text count_advice(const pm_page *page)
{
    pm_page first;

    if (page->count.len || !pm_page_find(pm_page_first_word(page->category), &first))
        return page->count;
    return first.count;
}

/* Cuts the advice off where it begins with "who allocates it": the store already knows that. */
static pm_text before_who(pm_text advice)
{
    static const char who[] = "who allocates it:";
    const char *at = memmem(advice.data, advice.len, who, sizeof who - 1);

    if (at)
        advice.len = (size_t)(at - advice.data);
    while (advice.len && pm_char_in(advice.data[advice.len - 1], "; \n"))
        advice.len--;
    return advice;
}

static bool print_ask(FILE *out, const char *lead, const pm_next_steps *n, const pm_page *page)
{
    bool single = n->lineage != PMAPDB_UNKNOWN;
    pm_text ask = n->count && count_advice(page).len ? PM_TEXT("diff --by lineage") : page->ask;

    if (single) {
        fprintf(out, "%spmapdb lineage-history --lineage %" PRId64, lead, n->lineage);
        return true;
    }
    if (!ask.len || pm_text_equal(ask, n->asked))
        return false;
    fprintf(out, "%spmapdb %.*s", lead, (int)ask.len, ask.data);
    print_options(out, n);
    return true;
}

static bool print_advice(FILE *out, const char *lead, const pm_next_steps *n, const pm_page *page)
{
    pm_text advice = n->count ? count_advice(page) : page->next;

    if (!advice.len)
        advice = page->next;
    if (n->recorded)
        advice = before_who(advice);
    if (!advice.len)
        return false;
    fputs(lead, out);
    pm_page_print(out, advice, n->pid);
    return true;
}

static bool print_who(FILE *out, const char *lead, const pm_next_steps *n)
{
    if (!n->recorded)
        return false;
    if (n->lineage != PMAPDB_UNKNOWN)
        fprintf(out, "%spmapdb who --lineage %" PRId64, lead, n->lineage);
    else
        fprintf(out, "%spmapdb who --category %.*s", lead, (int)n->category.len, n->category.data);
    print_options(out, n);
    return true;
}

bool pm_next_steps_part(FILE *out, const char *lead, const pm_next_steps *n, pm_next_part part)
{
    pm_page page;

    if (!n->category.len) {
        if (part != PM_NEXT_ASK)
            return false;
        fprintf(out, "%spmapdb diff", lead);
        print_options(out, n);
        return true;
    }
    pm_page_hint(n->category, &page);
    return part == PM_NEXT_ASK      ? print_ask(out, lead, n, &page)
           : part == PM_NEXT_ADVICE ? print_advice(out, lead, n, &page)
                                    : print_who(out, lead, n);
}

void pm_next_steps_print(FILE *out, const pm_next_steps *n)
{
    const char *lead = "";

    for (pm_next_part part = 0; part < PM_NEXT_PARTS; part++)
        if (pm_next_steps_part(out, lead, n, part))
            lead = "; ";
}
