/* man_schema: pmapdb-schema(7): the tables and views with the comments that schema/ gives them. */
#include "cli/man.h"

#include "cli/help.h"
#include "pmapdb.h"
#include "store/file/embedded.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct reader {
    pm_man *m;
    pmapdb_store *store; /* an empty one, which knows the columns of the views */
    char folder[1024];   /* it is alone there */
    pm_text comment;     /* that stands above the line at hand */
    bool in_table, item; /* item: the last column has no text yet */
    bool described;      /* the text above everything is written */
} reader;

static pm_text word_of(pm_text *t)
{
    size_t n = 0;
    pm_text word;

    while (t->len && *t->data == ' ')
        *t = pm_text_from(*t, 1);
    while (n < t->len && t->data[n] != ' ' && t->data[n] != ',' && t->data[n] != '(')
        n++;
    word = (pm_text){t->data, n};
    *t = pm_text_from(*t, n);
    return word;
}

/* What stands behind "--" in a line. */
static pm_text remark(pm_text line)
{
    const char *dashes = line.len ? memmem(line.data, line.len, "-- ", 3) : NULL;

    return dashes ? pm_text_from(line, (size_t)(dashes - line.data) + 3) : (pm_text){NULL, 0};
}

/* roff wants a body behind each item. */
static void end_item(reader *r)
{
    if (r->item)
        pm_man_raw(r->m, "\\&");
    r->item = false;
}

static void put_remark(reader *r, pm_text line)
{
    pm_text text = remark(line);

    if (!text.len)
        return;
    pm_man_line(r->m, text);
    r->item = false;
}

/* A line of CREATE TABLE: a column, more of one, a constraint, or the end. */
static void take_column(reader *r, pm_text line)
{
    bool column = line.len > 2 && line.data[2] >= 'a' && line.data[2] <= 'z';
    pm_text rest = line, name;

    if (column) {
        end_item(r);
        name = word_of(&rest);
        pm_man_item(r->m, name, word_of(&rest), (pm_text){NULL, 0});
        r->item = true;
    }
    put_remark(r, line);
    if (*line.data == ')') {
        end_item(r);
        r->in_table = false;
    }
}

static void put_view_columns(reader *r, pm_text view)
{
    char sql[128];
    pmapdb_rows *rows = NULL;

    snprintf(sql, sizeof sql, "SELECT * FROM %.*s LIMIT 0", (int)view.len, view.data);
    if (r->m->st == PMAPDB_OK)
        r->m->st = pmapdb_sql(r->store, sql, NULL, &rows, r->m->err);
    if (r->m->st != PMAPDB_OK)
        return;
    pm_man_raw(r->m, ".PP\nColumns:");
    for (int i = 0; i < pmapdb_rows_columns(rows); i++)
        pm_man_raw(r->m, "\\fB%s\\fP%s", pmapdb_rows_name(rows, i),
                   i + 1 < pmapdb_rows_columns(rows) ? "," : ".");
    pmapdb_rows_close(rows);
}

static bool begins(pm_text line, const char *what, pm_text *name)
{
    if (!pm_text_starts(line, pm_text_of(what)))
        return false;
    line = pm_text_from(line, strlen(what));
    *name = word_of(&line);
    return true;
}

static void take_line(reader *r, pm_text line)
{
    pm_text name;

    if (pm_text_starts(line, PM_TEXT("--"))) {
        const char *from = r->comment.len ? r->comment.data : line.data;

        r->comment = (pm_text){from, (size_t)(line.data + line.len - from)};
        return;
    }
    if (r->in_table && line.len) {
        take_column(r, line);
    } else if (begins(line, "CREATE TABLE ", &name) || begins(line, "CREATE VIEW ", &name)) {
        r->in_table = line.data[7] == 'T';
        pm_man_part(r->m, name);
        pm_man_comment(r->m, r->comment);
        if (!r->in_table)
            put_view_columns(r, name);
    } else if (!r->described && r->comment.len) {
        pm_man_comment(r->m, r->comment);
        pm_man_section(r->m, "TABLES AND VIEWS");
        r->described = true;
    }
    r->comment = (pm_text){NULL, 0};
}

static void store_path(const reader *r, const char *end, char *out, size_t size)
{
    snprintf(out, size, "%s/empty.db%s", r->folder, end);
}

static pmapdb_status make_store(reader *r, pmapdb_error *err)
{
    const char *tmp = getenv("TMPDIR");
    pmapdb_open_options how = {.mode = PMAPDB_WRITE};
    char path[1100];

    snprintf(r->folder, sizeof r->folder, "%s/pmapdb-man-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(r->folder)) {
        *r->folder = '\0';
        return pm_fail_io(err, errno, "cannot make a folder");
    }
    store_path(r, "", path, sizeof path);
    return pmapdb_open(path, &how, &r->store, err);
}

static void remove_store(reader *r)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[1100];

    pmapdb_close(r->store);
    for (size_t i = 0; *r->folder && i < sizeof ends / sizeof *ends; i++) {
        store_path(r, ends[i], path, sizeof path);
        unlink(path);
    }
    if (*r->folder)
        rmdir(r->folder);
}

void pm_man_schema(pm_man *m)
{
    reader r = {.m = m};
    pm_text rest, line;

    if (m->st == PMAPDB_OK)
        m->st = make_store(&r, m->err);
    pm_man_begin(m, "pmapdb-schema", "7", "the tables and views of a pmapdb store");
    pm_man_section(m, "DESCRIPTION");
    for (const pm_embedded *e = pm_embedded_schema; e->name; e++)
        for (rest = (pm_text){e->text, e->len}; pm_help_line(&rest, &line);)
            take_line(&r, line);
    pm_man_section(m, "SEE ALSO");
    pm_man_raw(m, "\\fBpmapdb\\fP(1), \\fBpmapdb\\-queries\\fP(7)");
    remove_store(&r);
}
