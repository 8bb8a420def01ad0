/* offer: what completion offers. */
#include "cli/offer.h"

#include "base/buf.h"
#include "render/terminal.h"
#include <ctype.h>
#include <stdio.h>

/* Nothing in it, line ends neither, that a terminal could take for more than letters. */
static bool is_plain(pm_text t)
{
    pm_buf shown = {0};
    bool plain =
        pm_terminal_escape(t, &shown, NULL) == PMAPDB_OK && pm_text_equal(pm_buf_text(&shown), t);

    pm_buf_free(&shown);
    return plain;
}

void pm_offer_word(const pm_offer *o, pm_text word, pm_text about)
{
    pm_buf shown = {0};
    size_t typed = strlen(o->word);

    if (word.len < typed || memcmp(word.data, o->word, typed) != 0 || !is_plain(word))
        return;
    printf("%.*s%.*s", (int)o->before.len, o->before.data, (int)word.len, word.data);
    if (about.len && pm_terminal_escape(about, &shown, NULL) == PMAPDB_OK)
        printf("\t%.*s", (int)shown.len, shown.data);
    putchar('\n');
    pm_buf_free(&shown);
}

/* ---- enumerations ---- */

static bool skip(pm_text *t, pm_text what)
{
    if (!pm_text_starts(*t, what))
        return false;
    *t = pm_text_from(*t, what.len);
    return true;
}

void pm_offer_listed(const pm_offer *o, pm_text help)
{
    pm_text word[32];
    size_t n = 0;
    bool more = true;

    if (!skip(&help, PM_TEXT("Only ")))
        skip(&help, PM_TEXT("One of "));
    while (more && n < sizeof word / sizeof *word) {
        size_t len = 0;

        while (len < help.len && (islower((unsigned char)help.data[len]) ||
                                  isdigit((unsigned char)help.data[len]) || help.data[len] == '_'))
            len++;
        if (len == 0)
            return;
        word[n++] = (pm_text){help.data, len};
        help = pm_text_from(help, len);
        more =
            skip(&help, PM_TEXT(", ")) || skip(&help, PM_TEXT(" or ")) || skip(&help, PM_TEXT("|"));
    }
    if (n < 2 || (help.len && !pm_text_starts(help, PM_TEXT(" (")) && help.data[0] != ':'))
        return; /* a sentence */
    for (size_t i = 0; i < n; i++)
        pm_offer_word(o, word[i], (pm_text){NULL, 0});
}

/* ---- the store ---- */

/* :word is what is typed, :process a process or NULL. One word and what it is per row. */
static const char processes[] =
    "SELECT word, about FROM ("
    "SELECT n.name AS word, count(*) || CASE count(*) WHEN 1 THEN ' process' ELSE ' processes' END "
    "AS about, max(p.process_id) AS newest, 0 AS rank FROM process p JOIN name n USING (name_id) "
    "GROUP BY n.name UNION ALL "
    "SELECT n.name || '/' || p.pid, p.command, max(p.process_id), 1 "
    "FROM process p JOIN name n USING (name_id) WHERE p.pid IS NOT NULL GROUP BY n.name, p.pid) "
    "WHERE substr(word, 1, length(:word)) = :word AND :process IS NULL "
    "ORDER BY rank, newest DESC LIMIT :max";

static const char snapshots[] =
    "SELECT '@' || s.snapshot_id, s.taken_at || ' ' || n.name || coalesce('/' || p.pid, '') "
    "FROM snapshot s CROSS JOIN process p USING (process_id) CROSS JOIN name n USING (name_id) "
    "WHERE substr('@' || s.snapshot_id, 1, length(:word)) = :word AND (:process IS NULL OR "
    ":process IN (n.name, n.name || '/' || p.pid, '@' || p.process_id, '' || p.pid)) "
    "ORDER BY s.snapshot_id DESC LIMIT :max";

static const char categories[] =
    "SELECT category, description FROM category WHERE :process IS NULL "
    "AND substr(category, 1, length(:word)) = :word ORDER BY category LIMIT :max";

/* A number too is text here. */
static pmapdb_status bind_text(pmapdb_rows *rows, const char *name, const char *value)
{
    pm_buf quoted = {0};
    pmapdb_status st = PMAPDB_OK;

    if (value)
        st = pm_buf_addf(&quoted, NULL, "'%s'", value);
    if (st == PMAPDB_OK)
        st = pmapdb_bind(rows, name, value ? quoted.data : "", NULL);
    pm_buf_free(&quoted);
    return st;
}

static pmapdb_status offer_rows(const pm_offer *o, pmapdb_rows *rows, const char *process)
{
    char max[16];
    bool has;
    pmapdb_status st = bind_text(rows, "word", o->word);

    snprintf(max, sizeof max, "%d", PM_OFFER_MAX);
    if (st == PMAPDB_OK)
        st = bind_text(rows, "process", process);
    if (st == PMAPDB_OK)
        st = pmapdb_bind(rows, "max", max, NULL);
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, NULL)) == PMAPDB_OK && has) {
        pm_text word, about;

        word.data = pmapdb_rows_text(rows, 0, &word.len);
        about.data = pmapdb_rows_text(rows, 1, &about.len);
        if (word.data)
            pm_offer_word(o, word, about.data ? about : (pm_text){NULL, 0});
    }
    return st;
}

void pm_offer_stored(const pm_offer *o, const pm_cli *cli, pm_unit unit, const char *process)
{
    const char *sql = unit == PM_UNIT_PROCESS    ? processes
                      : unit == PM_UNIT_SNAPSHOT ? snapshots
                      : unit == PM_UNIT_CATEGORY ? categories
                                                 : NULL;
    pmapdb_open_options how = {.mode = PMAPDB_READ, .busy_ms = 100};
    pmapdb_store *store = NULL;
    pmapdb_rows *rows = NULL;

    if (!sql || pm_cli_open(cli, &how, &store) != PMAPDB_OK)
        return;
    if (unit == PM_UNIT_SNAPSHOT) {
        pm_offer_word(o, PM_TEXT("first"), PM_TEXT("the oldest"));
        pm_offer_word(o, PM_TEXT("last"), PM_TEXT("the newest"));
        pm_offer_word(o, PM_TEXT("prev"), PM_TEXT("the one before the newest"));
    }
    if (pmapdb_sql(store, sql, NULL, &rows, NULL) == PMAPDB_OK)
        offer_rows(o, rows, unit == PM_UNIT_SNAPSHOT ? process : NULL);
    pmapdb_rows_close(rows);
    pmapdb_close(store);
}
