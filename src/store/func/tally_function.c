/* tally_function: tally(...). */
#include "store/func/tally_function.h"

#include "base/buf.h"
#include "store/dict/pairs.h"
#include <inttypes.h>
#include <sqlite3ext.h>
#include <stdlib.h>

SQLITE_EXTENSION_INIT3

typedef struct tally {
    pm_pairs by_key; /* key + 1 -> index in sum + 1 */
    struct sum {
        int64_t key, a, b;
    } * sum;
    size_t n, cap;
} tally;

/* NULL: out of memory. */
static struct sum *sum_of(tally *t, int64_t key)
{
    int64_t at = pm_pairs_get(&t->by_key, key + 1);

    if (at)
        return &t->sum[at - 1];
    if (pm_grow(&t->sum, &t->cap, t->n, sizeof *t->sum, NULL) != PMAPDB_OK ||
        pm_pairs_put(&t->by_key, key + 1, (int64_t)t->n + 1, NULL) != PMAPDB_OK)
        return NULL;
    t->sum[t->n] = (struct sum){key, 0, 0};
    return &t->sum[t->n++];
}

static void tally_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    tally *t = sqlite3_aggregate_context(out, sizeof *t);
    int64_t key = sqlite3_value_int64(argv[0]);
    struct sum *s;

    (void)argc;
    if (t && (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || key < 0 || key == INT64_MAX))
        return;
    s = t ? sum_of(t, key) : NULL;
    if (!s) {
        sqlite3_result_error_nomem(out);
        return;
    }
    if (__builtin_add_overflow(s->a, sqlite3_value_int64(argv[1]), &s->a) ||
        __builtin_add_overflow(s->b, sqlite3_value_int64(argv[2]), &s->b))
        sqlite3_result_error(out, "tally: integer overflow", -1);
}

static void tally_final(sqlite3_context *out)
{
    tally *t = sqlite3_aggregate_context(out, 0);
    pm_buf json = {0};
    pmapdb_status st = PMAPDB_OK;

    if (!t)
        return;
    for (size_t i = 0; i < t->n && st == PMAPDB_OK; i++)
        st = pm_buf_addf(&json, NULL, "%s[%" PRId64 ",%" PRId64 ",%" PRId64 "]", i ? "," : "[",
                         t->sum[i].key, t->sum[i].a, t->sum[i].b);
    if (st == PMAPDB_OK && json.len)
        st = pm_buf_add(&json, "]", 1, NULL);
    if (st != PMAPDB_OK)
        sqlite3_result_error_nomem(out);
    else if (json.len)
        sqlite3_result_text64(out, json.data, json.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    pm_buf_free(&json);
    pm_pairs_free(&t->by_key);
    free(t->sum);
}

int pm_tally_function_add(struct sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "tally", 3,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                                      NULL, tally_step, tally_final, NULL);
}
