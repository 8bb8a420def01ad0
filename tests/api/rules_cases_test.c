/* rules_cases_test: the default set finds the categories of the mappings in rules/test.csv.
 *
 * The rows of one case are one capture. An empty device, inode or flags is unknown. */
#include "unit.h"

#include "api/categorize.h"
#include "api/one_file.h"
#include "base/num.h"
#include "parse/files/csv_table.h"
#include "store/rules/rules_file.h"

#define ROWS_MAX 1000

enum column { CASE, START, SIZE, PERMS, DEVICE, INODE, PATH, FLAGS, CATEGORY, COLUMNS };

static const pm_csv_column columns[COLUMNS] = {
    {"case", true},  {"start", true}, {"size_kib", true}, {"perms", true},   {"device", true},
    {"inode", true}, {"path", true},  {"flags", true},    {"category", true}};

typedef struct row {
    uint64_t line;
    uint32_t name, category; /* texts of the pool */
    uint32_t mapping;
} row;

typedef struct cases {
    pm_pool *pool;
    row row[ROWS_MAX];
    size_t n;
} cases;

/* ---- reading ---- */

static size_t read_hex(pm_text t, uint64_t *out)
{
    return pm_num_hex(t.data, t.data + t.len, out);
}

static void read_device(pm_text t, pm_mapping *m)
{
    uint64_t major, minor;
    size_t n = read_hex(t, &major);

    assert_true(n < t.len && t.data[n] == ':');
    assert_int_equal(read_hex(pm_text_from(t, n + 1), &minor), t.len - n - 1);
    m->dev_major = (uint32_t)major;
    m->dev_minor = (uint32_t)minor;
    m->present |= PM_HAS_DEVICE;
}

static pm_mapping read_mapping(const pm_text *field)
{
    pm_mapping m = {.path = field[PATH], .flags = field[FLAGS]};
    uint64_t kib;

    assert_int_equal(read_hex(field[START], &m.start), field[START].len);
    assert_true(pm_num_all(field[SIZE], &kib));
    m.end = m.start + kib * 1024;
    assert_int_equal(field[PERMS].len, 4);
    memcpy(m.perms, field[PERMS].data, 4);
    if (field[DEVICE].len)
        read_device(field[DEVICE], &m);
    if (field[INODE].len) {
        assert_true(pm_num_all(field[INODE], &m.inode));
        m.present |= PM_HAS_INODE;
    }
    if (field[FLAGS].len)
        m.present |= PM_HAS_FLAGS;
    return m;
}

static pmapdb_status on_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    cases *c = ctx;
    row *r = &c->row[c->n++];
    pm_mapping m = read_mapping(field);

    assert_true(c->n < ROWS_MAX);
    r->line = line;
    assert_int_equal(pm_pool_text(c->pool, field[CASE], &r->name, err), PMAPDB_OK);
    assert_int_equal(pm_pool_text(c->pool, field[CATEGORY], &r->category, err), PMAPDB_OK);
    return pm_pool_mapping(c->pool, &m, &r->mapping, err);
}

static pmapdb_status on_bad(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    (void)ctx;
    (void)err;
    fail_msg("rules/test.csv:%d: %s", (int)line, what);
    return PMAPDB_INPUT;
}

static void read_cases(cases *c)
{
    const pm_csv_options options = {.path = "rules/test.csv",
                                    .columns = columns,
                                    .n_columns = COLUMNS,
                                    .ctx = c,
                                    .row = on_row,
                                    .bad = on_bad};
    pm_buf text = {0};

    assert_int_equal(pm_pool_new(&c->pool, NULL), PMAPDB_OK);
    assert_int_equal(pm_one_file_read(options.path, PM_RULES_FILE_MAX, &text, NULL), PMAPDB_OK);
    assert_int_equal(pm_csv_read(pm_buf_text(&text), &options, NULL), PMAPDB_OK);
    pm_buf_free(&text);
}

/* ---- checking ---- */

/* Returns how many mappings of the case got a wrong category. */
static size_t check_case(const cases *c, uint32_t name, const pm_rules *set, size_t *won)
{
    uint32_t mappings[ROWS_MAX];
    pm_capture capture = {
        .block = {.dialect = PM_DIALECT_SMAPS}, .pool = c->pool, .rows = mappings};
    pm_categorize rows = {0};
    pm_buf got = {0};
    size_t wrong = 0;

    for (size_t i = 0; i < c->n; i++)
        if (c->row[i].name == name)
            mappings[capture.n_rows++] = c->row[i].mapping;
    assert_int_equal(pm_categorize_begin(&rows, set, &capture, NULL), PMAPDB_OK);
    for (size_t i = 0; i < c->n; i++) {
        const row *r = &c->row[i];
        pm_text expected = c->pool->texts[r->category];
        size_t rule;

        if (r->name != name)
            continue;
        pm_buf_clear(&got);
        assert_int_equal(
            pm_categorize_row(&rows, &c->pool->mappings[r->mapping]->m, &rule, &got, NULL),
            PMAPDB_OK);
        if (rule != PM_NO_RULE)
            won[rule]++;
        if (pm_text_equal(pm_buf_text(&got), expected))
            continue;
        wrong++;
        print_error("rules/test.csv:%d: expected %s, got %s (%s)\n", (int)r->line, expected.data,
                    pm_buf_text(&got).data,
                    rule == PM_NO_RULE ? "no rule" : pm_rules_texts(set, rule)->name);
    }
    pm_buf_free(&got);
    pm_categorize_end(&rows);
    return wrong;
}

static bool is_first_of_case(const cases *c, size_t i)
{
    for (size_t earlier = 0; earlier < i; earlier++)
        if (c->row[earlier].name == c->row[i].name)
            return false;
    return true;
}

/* Every rule wins somewhere in rules/test.csv: no rule is hidden by the rules before it. */
TEST(test_default)
{
    static cases c;
    pm_rules *set = NULL;
    size_t *won, wrong = 0;

    assert_int_equal(pm_rules_read(pm_rules_builtin(PM_TEXT("default")), "default", &set, NULL),
                     PMAPDB_OK);
    won = calloc(pm_rules_count(set), sizeof *won);
    assert_non_null(won);
    read_cases(&c);
    assert_true(c.n > 0);
    for (size_t i = 0; i < c.n; i++)
        if (is_first_of_case(&c, i))
            wrong += check_case(&c, c.row[i].name, set, won);
    for (size_t i = 0; i < pm_rules_count(set); i++)
        if (!won[i]) {
            wrong++;
            print_error("rule %s wins nowhere in rules/test.csv\n", pm_rules_texts(set, i)->name);
        }
    assert_int_equal(wrong, 0);
    pm_rules_free(set);
    pm_pool_free(c.pool);
    free(won);
}

RUN_TESTS(NULL, NULL)
