/* classify_fuzz: the categories of the mappings of any capture, by the table and by the built-in
 * rules. */
#include "rows.h"

#include "base/utf8.h"
#include "classify/rules.h"
#include "store/rules/rules_file.h"

typedef struct capture {
    pm_pool *pool;
    pm_capture is;
    size_t cap;
} capture;

static const pm_rules *built_in(void)
{
    static pm_rules *set;

    if (!set)
        FUZZ_CHECK(pm_rules_read(pm_rules_builtin(PM_TEXT("default")), "default", &set, NULL) ==
                       PMAPDB_OK,
                   "the built-in rules");
    return set;
}

static void on_row(void *ctx, const pm_mapping *m)
{
    capture *c = ctx;

    FUZZ_CHECK(pm_grow(&c->is.rows, &c->cap, c->is.n_rows, sizeof *c->is.rows, NULL) == PMAPDB_OK &&
                   pm_pool_mapping(c->pool, m, &c->is.rows[c->is.n_rows], NULL) == PMAPDB_OK,
               "memory");
    c->is.n_rows++;
}

static pm_rule_row rule_row(const pm_mapping *m, const pm_classify_context *context)
{
    pm_rule_row row = {.start = m->start,
                       .length = m->end - m->start,
                       .base = pm_classify_mapping(context, m),
                       .perms = m->perms,
                       .has_flags = pm_has(m, PM_HAS_FLAGS),
                       .path = m->path,
                       .flags = m->flags};

    FUZZ_CHECK(row.base <= PM_CATEGORY_ANONYMOUS, "category %d", (int)row.base);
    return row;
}

/* As a capture's rows are asked: each with its neighbours. */
static void ask(const pm_rule_row *below, const pm_rule_row *row, uint64_t facts)
{
    static pm_buf category;
    size_t rule = pm_rules_match(built_in(), facts, below, row, NULL);

    pm_buf_clear(&category);
    FUZZ_CHECK(pm_rules_category(built_in(), rule, row, &category, NULL) == PMAPDB_OK, "memory");
    FUZZ_CHECK(category.len && category.len <= PM_RULES_CATEGORY_MAX &&
                   (pm_utf8_valid(pm_buf_text(&category)) || !pm_utf8_valid(row->path)),
               "a category of %zu bytes", category.len);
}

static void on_block(void *ctx, const pm_block *b)
{
    capture *c = ctx;
    pm_classify_context context;
    pm_rule_row rows[2];
    uint64_t facts = 0;

    c->is.block.dialect = b->dialect;
    c->is.block.fields = b->fields;
    pm_classify_prepare(&c->is, &context);
    for (size_t i = 0; i < c->is.n_rows; i++) {
        pm_rule_row *row = &rows[i % 2];

        *row = rule_row(pm_capture_row(&c->is, i), &context);
        facts |= pm_rules_facts(built_in(), PM_RULES_ALL_TERMS, row);
        ask(i ? &rows[(i + 1) % 2] : NULL, row, facts);
    }
    c->is.n_rows = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_rows rows;
    capture c = {0};

    FUZZ_CHECK(pm_pool_new(&c.pool, NULL) == PMAPDB_OK, "memory");
    c.is.pool = c.pool;
    rows.ctx = &c;
    rows.on_row = on_row;
    rows.on_block = on_block;
    fuzz_read(&rows, PM_DIALECT_COUNT, (pm_text){(const char *)data, size}, 0);
    free(c.is.rows);
    pm_pool_free(c.pool);
    return 0;
}
