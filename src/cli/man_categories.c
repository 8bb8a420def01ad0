/* man_categories: pmapdb-categories(7): the page of each category. */
#include "cli/man.h"

#include "cli/next.h"
#include "cli/page.h"

/* A paragraph that begins with a word in italics. */
static void put_part(pm_man *m, const char *label, const pm_buf *text)
{
    if (!text->len)
        return;
    pm_man_raw(m, ".PP\n\\fI%s:\\fP", label);
    pm_man_line(m, pm_buf_text(text));
}

static void put_text(pm_man *m, const char *label, pm_text text)
{
    pm_buf line = {0};

    if (m->st == PMAPDB_OK)
        m->st = pm_page_add(&line, text, m->err);
    put_part(m, label, &line);
    pm_buf_free(&line);
}

static void put_next(pm_man *m, const pm_page *page)
{
    pm_next next = {.category = page->category,
                    .pid = PMAPDB_UNKNOWN,
                    .process_id = PMAPDB_UNKNOWN,
                    .lineage = PMAPDB_UNKNOWN};
    pm_buf line = {0};

    if (m->st == PMAPDB_OK)
        m->st = pm_next_add(&line, &next, m->err);
    put_part(m, "Next", &line);
    pm_buf_free(&line);
}

static void put_page(pm_man *m, const pm_page *page)
{
    pm_buf line = {0};

    if (m->st == PMAPDB_OK)
        m->st = pm_page_add_name(&line, page, m->err);
    pm_man_part(m, pm_buf_text(&line));
    pm_buf_clear(&line);
    if (m->st == PMAPDB_OK)
        m->st = pm_page_add(&line, page->what, m->err);
    pm_man_line(m, pm_buf_text(&line));
    pm_buf_free(&line);
    put_text(m, "Known by", page->known);
    put_text(m, "Growth", page->growth);
    put_next(m, page);
    put_text(m, "More", page->more);
}

void pm_man_categories(pm_man *m)
{
    pm_page_walk walk = {0};
    pm_page page;

    pm_man_begin(m, "pmapdb-categories", "7", "the categories of mappings in pmapdb");
    pm_man_section(m, "SYNOPSIS");
    pm_man_raw(m, "\\fBpmapdb\\fP \\fBexplain\\fP [\\fICATEGORY\\fP]");
    pm_man_section(m, "DESCRIPTION");
    pm_man_raw(
        m, "What a mapping is for, how that is known, what growth in it usually means, and "
           "what to do then.\nA part of a category has its name behind a slash: rules tell it from "
           "the rest, see\n\\fBpmapdb\\fP \\fBrules\\fP.\n"
           "PID stands for the process; commands of pmapdb take \\-\\-process, \\-\\-from "
           "and \\-\\-to.");
    pm_man_section(m, "CATEGORIES");
    while (pm_page_next(&walk, &page))
        put_page(m, &page);
    pm_man_section(m, "SEE ALSO");
    pm_man_raw(m, "\\fBpmapdb\\fP(1), \\fBpmapdb\\-queries\\fP(7), \\fBproc\\fP(5)");
}
