/* man_queries: pmapdb-queries(7): the headers of the built-in queries. */
#include "cli/man.h"

#include "cli/examples.h"
#include "store/file/embedded.h"
#include "store/read/catalog.h"
#include <stdio.h>

static void put_params(pm_man *m, const pm_query_info *q)
{
    for (int i = 0; i < q->n_params; i++) {
        const pm_query_param *p = &q->param[i];
        bool must = pm_text_equal(p->fallback, PM_TEXT("-"));
        char name[96], text[512];

        snprintf(name, sizeof name, "--%.*s=%s", (int)p->name.len, p->name.data,
                 pm_unit_name(p->unit));
        snprintf(text, sizeof text, "%.*s%s%.*s%s", (int)p->help.len, p->help.data,
                 must              ? " (must be given"
                 : p->fallback.len ? " ("
                                   : "",
                 must ? 0 : (int)p->fallback.len, p->fallback.len ? p->fallback.data : "",
                 p->fallback.len ? ")" : "");
        pm_man_item(m, pm_text_of(name), (pm_text){NULL, 0}, pm_text_of(text));
    }
}

static void put_columns(pm_man *m, const pm_query_info *q)
{
    pm_man_raw(m, ".PP\nColumns:");
    for (int i = 0; i < q->n_columns; i++)
        pm_man_item(m, q->column[i].name, pm_text_of(pm_unit_name(q->column[i].unit)),
                    q->column[i].help);
}

static void put_query(pm_man *m, const pm_embedded *e)
{
    pm_query_info *q = NULL;
    char title[80];
    const char *examples;

    if (m->st == PMAPDB_OK)
        m->st = pm_catalog_parse(e->name, (pm_text){e->text, e->len}, &q, m->err);
    if (m->st != PMAPDB_OK)
        return;
    pm_man_part(m, q->name);
    pm_man_line(m, q->title);
    put_params(m, q);
    put_columns(m, q);
    pm_man_comment(m, q->about);
    snprintf(title, sizeof title, "pmapdb %s", e->name);
    examples = pm_examples_of(title);
    if (examples)
        pm_man_help(m, pm_text_of(examples));
    pm_catalog_free(q);
}

void pm_man_queries(pm_man *m)
{
    pm_man_begin(m, "pmapdb-queries", "7", "the named queries of pmapdb");
    pm_man_section(m, "SYNOPSIS");
    pm_man_raw(m, "\\fBpmapdb\\fP \\fINAME\\fP [\\fIPARAMETERS\\fP] [\\fIOPTIONS\\fP]");
    pm_man_section(m, "DESCRIPTION");
    pm_man_raw(m,
               "Each query is a command; \\fBpmapdb\\fP(1) has the options that all of them take.\n"
               "Behind a column stands its type; kib is KiB, ratio a part of 1.\n"
               "What is not known is empty, in JSON and SQL NULL; it is never 0.");
    pm_man_section(m, "QUERIES");
    for (const pm_embedded *e = pm_embedded_queries; e->name; e++)
        put_query(m, e);
    pm_man_section(m, "SEE ALSO");
    pm_man_raw(m, "\\fBpmapdb\\fP(1), \\fBpmapdb\\-schema\\fP(7)");
}
