/* permute_function: the permutation test of src/stats/runs as an SQL aggregate. */
#include "store/func/functions.h"

#include "render/number.h"
#include "stats/runs/permute.h"
#include "store/func/argument.h"
#include <math.h>
#include <stdlib.h>

typedef struct samples {
    double *value; /* of each row */
    bool *judged;
    size_t n, cap, cap_judged, n_a; /* rows; n_a: of runs of A */
    size_t statistics;              /* of a run */
} samples;

static void step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    samples *s = sqlite3_aggregate_context(out, sizeof *s);
    size_t statistic = (size_t)sqlite3_value_int(argv[0]);

    (void)argc;
    if (!s || pm_grow(&s->value, &s->cap, s->n, sizeof *s->value, NULL) != PMAPDB_OK ||
        pm_grow(&s->judged, &s->cap_judged, s->n, sizeof *s->judged, NULL) != PMAPDB_OK) {
        sqlite3_result_error_nomem(out);
        return;
    }
    s->statistics = statistic >= s->statistics ? statistic + 1 : s->statistics;
    s->n_a += sqlite3_value_int(argv[1]) == 0;
    s->value[s->n] =
        sqlite3_value_type(argv[2]) == SQLITE_NULL ? NAN : sqlite3_value_double(argv[2]);
    s->judged[s->n++] = sqlite3_value_int(argv[3]);
}

static void put_contrast(pm_buf *json, const pm_contrast *c)
{
    const struct {
        const char *name;
        double value;
    } members[] = {{"a", c->a},
                   {"b", c->b},
                   {"low", c->low},
                   {"high", c->high},
                   {"p", c->p},
                   {"p_adjusted", c->p_adjusted},
                   {"deviation", c->deviation}};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char number[PM_NUMBER_TEXT] = "null";

        if (isfinite(members[i].value))
            pm_number_exact(members[i].value, number);
        pm_buf_addf(json, NULL, "%s\"%s\":%s", i ? "," : "{", members[i].name, number);
    }
    pm_buf_addf(json, NULL, "}");
}

static void final(sqlite3_context *out)
{
    samples *s = sqlite3_aggregate_context(out, 0);
    pm_contrast *of = NULL;
    pm_buf json = {0};
    pmapdb_error err;
    pmapdb_status st;
    size_t k, a, b;

    if (!s || !s->n)
        return;
    /* a wrong statistic number: the rows do not form whole runs */
    k = s->statistics && s->statistics <= s->n ? s->statistics : s->n + 1;
    a = s->n_a / k;
    b = (s->n - s->n_a) / k;
    if (a && b && (a + b) * k == s->n) {
        of = calloc(k, sizeof *of);
        st = of ? pm_permute(s->value, a, b, k, s->judged, of, &err) : pm_fail_nomem(&err);
    } else {
        st = pm_fail(&err, PMAPDB_USAGE,
                     "permute: needs at least one run of A and one of B, each with all statistics");
    }
    for (size_t i = 0; st == PMAPDB_OK && i < k; i++) {
        pm_buf_addf(&json, NULL, i ? "," : "[");
        put_contrast(&json, &of[i]);
    }
    pm_buf_addf(&json, NULL, "]");
    PM_STEP(st, pm_buf_status(&json, &err));
    pm_argument_give(out, &json, st, &err);
    free(of);
    free(s->value);
    free(s->judged);
}

int pm_permute_function_add(struct sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "permute", 4,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                                      NULL, step, final, NULL);
}
