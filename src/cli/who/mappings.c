/* mappings: finds the lineages for the lineages, categories and addresses that the user typed. */
#include "cli/who/who.h"

#include "base/buf.h"
#include "base/near.h"
#include "base/num.h"
#include "base/pool.h"
#include <inttypes.h>
#include <stdlib.h>

/* A number with this many digits is an address even if all are decimal: no lineage has so many. */
#define LEAST_DIGITS 6

/* A mapping of one of the two moments. */
typedef struct place {
    int64_t lineage, size, rss;
    uint64_t start, end; /* end 0: after the highest address */
    uint32_t category;   /* id in `categories` */
    bool newer, taken;
} place;

typedef struct places {
    place *place;
    size_t n, cap;
    pm_pool *categories;
} places;

/* ---- the mappings of both moments ---- */

static void read_moment(places *p, const pm_who *w, bool newer)
{
    const pm_moment *wanted = newer ? &w->newer : &w->older;
    pmapdb_rows *rows = pm_run_query(&w->args, "mappings");
    char moment[32], category[128];
    pmapdb_error err;

    pm_moment_selector(wanted, moment, sizeof moment);
    pm_cli_must(pmapdb_bind(rows, "snapshot", moment, &err), &err);
    while (pm_run_next(rows)) {
        place one = {.lineage = pm_answer_int(rows, "lineage_id"),
                     .size = pm_answer_int(rows, "size_kib"),
                     .rss = pm_answer_int(rows, "rss_kib"),
                     .start = (uint64_t)pm_answer_int(rows, "start"),
                     .end = (uint64_t)pm_answer_int(rows, "end"),
                     .newer = newer};

        pm_answer_text(rows, "category", category, sizeof category);
        pm_cli_must(pm_pool_text(p->categories, pm_text_of(category), &one.category, &err), &err);
        pm_cli_must(pm_grow(&p->place, &p->cap, p->n, sizeof *p->place, &err), &err);
        p->place[p->n++] = one;
    }
    pmapdb_rows_close(rows);
}

/* ---- one word ---- */

static bool take_lineage(places *p, int64_t lineage)
{
    bool any = false;

    for (place *one = p->place; one < p->place + p->n; one++)
        if (one->lineage == lineage)
            any = one->taken = true;
    return any;
}

static bool take_category(places *p, pm_text word)
{
    bool any = false;

    for (place *one = p->place; one < p->place + p->n; one++) {
        pm_text category = pm_pool_text_get(p->categories, one->category);

        if (pm_text_starts(category, word) &&
            (category.len == word.len || category.data[word.len] == '/'))
            any = one->taken = true;
    }
    return any;
}

/* Takes the mapping at the address in the newer moment, or else in the older one. */
static bool take_address(places *p, uint64_t address)
{
    for (int newer = 1; newer >= 0; newer--)
        for (size_t i = 0; i < p->n; i++)
            if (p->place[i].newer == newer && p->place[i].start <= address &&
                address <= p->place[i].end - 1)
                return take_lineage(p, p->place[i].lineage);
    return false;
}

/* True for "0x7f00", "7f00", "7fffffff0000"; not for "12", which is a lineage. */
static bool is_address(pm_text word, uint64_t *address)
{
    bool marked = pm_text_starts(word, PM_TEXT("0x")) || pm_text_starts(word, PM_TEXT("0X"));
    pm_text digits = marked ? pm_text_from(word, 2) : word;
    uint64_t decimal;

    return digits.len && pm_num_hex(digits.data, digits.data + digits.len, address) == digits.len &&
           (marked || digits.len >= LEAST_DIGITS || !pm_num_all(digits, &decimal));
}

/* Ends the program and lists the existing categories, each once. */
static void refuse_category(const places *p, pm_text word) __attribute__((noreturn));
static void refuse_category(const places *p, pm_text word)
{
    pm_words all = {0};
    FILE *out = pm_words_begin(&all);
    uint32_t next = 0; /* ids are numbered in the order of first appearance */
    pm_near near;

    pm_near_start(&near, word);
    for (const place *one = p->place; one < p->place + p->n; one++) {
        pm_text category = pm_pool_text_get(p->categories, one->category);

        if (one->category < next)
            continue;
        next = one->category + 1;
        pm_near_try(&near, category);
        fprintf(out, " %.*s", (int)category.len, category.data);
    }
    pm_words_end(&all);
    pm_cli_die(
        "'%.*s' is not a lineage, category or address of the process%s its categories are:%s; "
        "--process names another process",
        (int)word.len, word.data, pm_near_hint(&near), all.len ? all.data : " none");
}

static void take_word(places *p, pm_text word)
{
    bool letter = word.len > 1 && (word.data[0] == 'L' || word.data[0] == 'l');
    uint64_t number, address;
    bool numbered = pm_num_all(letter ? pm_text_from(word, 1) : word, &number);
    bool placed = is_address(word, &address);

    if (numbered && number <= INT64_MAX && take_lineage(p, (int64_t)number))
        return;
    if (numbered && !placed)
        pm_cli_die("no lineage %.*s in either snapshot; pmapdb top-lineages shows them",
                   (int)word.len, word.data);
    if (take_category(p, word))
        return;
    if (!placed)
        refuse_category(p, word);
    if (!take_address(p, address))
        pm_cli_die("nothing is mapped at %" PRIx64
                   " in either snapshot; pmapdb mappings shows what is mapped",
                   address);
}

/* ---- all words ---- */

static void add(int64_t *sum, int64_t v)
{
    *sum = *sum == PMAPDB_UNKNOWN || v == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : *sum + v;
}

void pm_who_find_mappings(pm_who *w)
{
    places p = {0};
    pm_words lineages = {0};
    FILE *out = pm_words_begin(&lineages);
    const char *comma = "[";
    pmapdb_error err;

    pm_cli_must(pm_pool_new(&p.categories, &err), &err);
    read_moment(&p, w, false);
    read_moment(&p, w, true);
    for (size_t i = 0; i < w->n_words; i++)
        take_word(&p, pm_text_of(w->word[i]));
    for (const place *one = p.place; one < p.place + p.n; one++) {
        if (!one->taken && w->n_words)
            continue;
        add(&w->size[one->newer], one->size);
        add(&w->rss[one->newer], one->rss);
        fprintf(out, "%s%" PRId64, comma, one->lineage);
        comma = ",";
    }
    fputs("]", out);
    pm_words_end(&lineages);
    if (w->n_words)
        w->lineages = lineages.data;
    else
        free(lineages.data);
    free(p.place);
    pm_pool_free(p.categories);
}
