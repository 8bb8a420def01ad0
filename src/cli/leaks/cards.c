/* cards: shows the verdicts of pmapdb leaks to people: the pieces that the query leaks-cards gives.
 */
#include "cli/leaks/leaks.h"

#include "cli/advice/page.h"
#include <stdlib.h>

typedef struct cards {
    pm_flow flow;
    pmapdb_store *store;
    pmapdb_rows *pieces, *pages;
    bool known; /* a recording says who allocated what grows in the current card */
    bool begun; /* a line is begun */
} cards;

pmapdb_rows *pm_leak_words(pmapdb_store *store, const char *leaks, bool human)
{
    return pm_answer_ask(
        store, "leaks-words",
        (pm_answer_arg[]){{"leaks", leaks}, {"suited", human ? "1" : "0"}, {NULL, NULL}});
}

pmapdb_rows *pm_leak_pieces(pmapdb_store *store, const char *leaks, bool human, const char *by,
                            size_t top)
{
    char most[24];

    snprintf(most, sizeof most, "%zu", top);
    return pm_answer_ask(
        store, "leaks-cards",
        (pm_answer_arg[]){
            {"words", .of = pm_leak_words(store, leaks, human)}, {"by", by}, {"top", most}, {0}});
}

/* Begins a line if the current piece is the first of one. */
static void begin_line(cards *c)
{
    int64_t first = pm_answer_int(c->pieces, "first");

    if (first == PMAPDB_UNKNOWN)
        return;
    if (c->begun)
        pm_flow_end(&c->flow);
    pm_flow_begin(&c->flow, (size_t)first, (size_t)pm_answer_int(c->pieces, "hang"));
    c->begun = true;
}

static void put_piece(cards *c)
{
    static const char *const tones[] = {[PM_FLOW_PLAIN] = "plain",
                                        [PM_FLOW_BOLD] = "bold",
                                        [PM_FLOW_GOOD] = "good",
                                        [PM_FLOW_WARN] = "warn",
                                        [PM_FLOW_BAD] = "bad"};
    enum { TONES = sizeof tones / sizeof *tones };
    pm_text words = pm_answer_bytes(c->pieces, "words");
    int tone = pm_text_index(pm_answer_bytes(c->pieces, "tone"), tones, TONES);
    size_t gap = (size_t)pm_answer_int(c->pieces, "gap");

    begin_line(c);
    if (tone < TONES)
        pm_flow_put(&c->flow, gap, (pm_flow_color)tone, words);
    else
        pm_flow_words(&c->flow, gap, words);
}

/* Writes who allocated the growth, if perf recorded it. */
static void put_who(cards *c)
{
    char *who = pm_page_who(c->store, c->pieces);

    c->known = who != NULL;
    if (who) {
        put_piece(c);
        pm_flow_words(&c->flow, 1, pm_text_of(who));
    }
    free(who);
}

static void put_next(cards *c)
{
    put_piece(c);
    pm_page_next(c->pages, c->pieces, c->known);
    pm_flow_words(&c->flow, 1, pm_answer_bytes(c->pages, "next"));
    c->known = false;
}

void pm_leak_cards(pm_output *out, const char *leaks, pmapdb_store *store, const char *by)
{
    pm_render_options how = pm_cli_render_options(out->cli);
    cards c = {.flow = pm_output_flow(out), .store = store, .pages = pm_page_ask(store)};

    c.pieces = pm_leak_pieces(store, leaks, how.human, by, how.top);
    while (pm_run_next(c.pieces)) {
        pm_text part = pm_answer_bytes(c.pieces, "part");

        if (pm_text_equal(part, PM_TEXT("who")))
            put_who(&c);
        else if (part.len)
            put_next(&c);
        else
            put_piece(&c);
    }
    if (c.begun)
        pm_flow_end(&c.flow);
    pmapdb_rows_close(c.pieces);
    pmapdb_rows_close(c.pages);
    pm_flow_free(&c.flow);
}
