/* csv_fuzz: a CSV file whose first line names the columns, with numbers and times. Byte 0: whether
 * it is read strictly. */
#include "kit.h"

#include "base/clock/clock.h"
#include "parse/files/csv_table.h"
#include <math.h>

static const pm_csv_column columns[] = {
    {"series_id", true}, {"ts", false}, {"kb", false}, {"pid", false}};

#define COLUMNS (sizeof columns / sizeof *columns)

typedef struct seen {
    pm_buf tape;
    uint64_t last; /* line */
} seen;

static void put_values(pm_buf *tape, pm_text t)
{
    double number = 0;
    int64_t ms = 0;

    if (pm_csv_number(t, &number)) {
        FUZZ_CHECK(number >= 0 && number <= 9007199254740992.0, "%g", number);
        fuzz_put(tape, &number, sizeof number);
    }
    if (pm_csv_moment(t, &ms))
        fuzz_put_int(tape, (uint64_t)ms);
}

static pmapdb_status on_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    seen *s = ctx;

    (void)err;
    FUZZ_CHECK(line >= s->last, "line %" PRIu64 " behind %" PRIu64, line, s->last);
    FUZZ_CHECK(field[0].data, "a needed column");
    s->last = line;
    fuzz_put(&s->tape, "row", 3);
    fuzz_put_int(&s->tape, line);
    for (size_t i = 0; i < COLUMNS; i++) {
        fuzz_put_int(&s->tape, field[i].data != NULL);
        if (!field[i].data)
            continue;
        fuzz_put_text(&s->tape, field[i]);
        put_values(&s->tape, field[i]);
    }
    return PMAPDB_OK;
}

static pmapdb_status on_bad(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    seen *s = ctx;

    (void)err;
    FUZZ_CHECK(line >= s->last, "line %" PRIu64 " behind %" PRIu64, line, s->last);
    s->last = line;
    fuzz_put(&s->tape, "bad", 3);
    fuzz_put_int(&s->tape, line);
    fuzz_put_text(&s->tape, pm_text_of(what));
    return PMAPDB_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static seen s;
    fuzz_input in = fuzz_open(data, size);
    pm_csv_options options = {.path = "x.csv",
                              .columns = columns,
                              .n_columns = COLUMNS,
                              .strict = fuzz_byte(&in) & 1,
                              .ctx = &s,
                              .row = on_row,
                              .bad = on_bad};
    pmapdb_error err = {0};
    pmapdb_status st;

    pm_buf_clear(&s.tape);
    s.last = 0;
    st = pm_csv_read(fuzz_rest(&in), &options, &err);
    FUZZ_CHECK(st == PMAPDB_OK || st == PMAPDB_INPUT, "status %d: %s", (int)st, err.text);
    if (st != PMAPDB_OK)
        fuzz_message(&err);
    return 0;
}
