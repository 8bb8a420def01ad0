/* rules_test: pmapdb_rules and pmapdb_rules_apply: which set, what is said of it, what becomes of a
 * store. That the categories are right is store/apply_test.c's. */
#include "api/run.h"

typedef struct heard {
    pm_buf notes, sets, rules, changes;
    uint64_t progress, stop_at; /* at that call of on_progress; 0: never */
} heard;

static void on_note(void *ctx, bool mistake, const char *note)
{
    heard *h = ctx;

    pm_buf_addf(&h->notes, NULL, "%s%s\n", mistake ? "! " : "", note);
}

static void on_set(void *ctx, const pmapdb_rule_set *s)
{
    heard *h = ctx;

    pm_buf_addf(&h->sets, NULL, "%s %lld%s%s%s%s\n", s->name, (long long)s->rules,
                s->stored ? " stored" : "", s->applied_ms == PMAPDB_UNKNOWN ? "" : " applied",
                s->named_built_in ? " named" : "", s->built_in ? " built in" : "");
    assert_true(strlen(s->text) > 10);
}

static void on_rule(void *ctx, const pmapdb_rule *r)
{
    heard *h = ctx;

    pm_buf_addf(&h->rules, NULL, "%lld %s %s [%s] %s ", (long long)r->position, r->name,
                r->category, r->conditions, r->note);
    if (r->lineages != PMAPDB_UNKNOWN)
        pm_buf_addf(&h->rules, NULL, "%lld", (long long)r->lineages);
    pm_buf_addf(&h->rules, NULL, "\n");
}

static void on_change(void *ctx, const pmapdb_rules_change *c)
{
    heard *h = ctx;

    pm_buf_addf(&h->changes, NULL, "%s>%s %s %lld %lld %lld %lld\n", c->from, c->to,
                c->rule ? c->rule : "-", (long long)c->lineages, (long long)c->mappings,
                (long long)c->size_kib, (long long)c->rss_kib);
}

static bool on_progress(void *ctx, const pmapdb_progress *progress)
{
    heard *h = ctx;

    assert_true(progress->done <= progress->of);
    return ++h->progress != h->stop_at;
}

static pmapdb_rules_options options_of(heard *h, const char *rules)
{
    return (pmapdb_rules_options){.rules = rules,
                                  .ctx = h,
                                  .on_note = on_note,
                                  .on_set = on_set,
                                  .on_rule = on_rule,
                                  .on_change = on_change,
                                  .on_progress = on_progress};
}

static void forget(heard *h)
{
    pm_buf_free(&h->notes);
    pm_buf_free(&h->sets);
    pm_buf_free(&h->rules);
    pm_buf_free(&h->changes);
    *h = (heard){0};
}

static const char *said(const pm_buf *b)
{
    return pm_buf_text(b).data;
}

#define SET                                \
    "rule,category,base,path,below,note\n" \
    "large,heap/large,heap,,-,\n"          \
    "data,mapped-file/application,mapped-file,/srv/*,,its own\n"

/* Two processes of a heap, a file and a library; the first has two captures. */
static void make_store(import *in)
{
    static const char *const row[] = {
        "560001000000-560001100000 rw-p 00000000 00:00 0 [heap]",
        "7f0000000000-7f0000010000 r--p 00000000 08:01 5 /srv/data",
        "7f1000000000-7f1000010000 r-xp 00000000 08:01 6 /lib/libc.so.6"};

    for (int i = 0; i < 3; i++) {
        char path[64];
        pm_buf text = {0};

        snprintf(path, sizeof path, "%d-%d.smaps", 1795229318 + 60 * i, i == 2 ? 8 : 7);
        for (size_t r = 0; r < COUNT(row); r++)
            pm_buf_addf(&text, NULL, "%s\nSize: %8d kB\nRss: %8zu kB\n", row[r], r ? 64 : 1024,
                        r + 1);
        box_write(path, text.data, text.len);
        pm_buf_free(&text);
    }
    begin(in);
    run(in, ".");
    count(in, 3, 0, 0);
}

static void test_without_store(void **state)
{
    heard h = {0};
    pmapdb_rules_options options = options_of(&h, NULL);
    pmapdb_error err;

    options.on_rule = NULL;
    assert_int_equal(pmapdb_rules(NULL, &options, &err), PMAPDB_OK);
    assert_non_null(strstr(said(&h.sets), "default "));
    assert_non_null(strstr(said(&h.sets), " named built in\n"));
    forget(&h);

    box_text("s.csv", SET);
    options = options_of(&h, "s.csv");
    assert_int_equal(pmapdb_rules(NULL, &options, &err), PMAPDB_OK);
    assert_string_equal(said(&h.sets), "s.csv 2\n");
    assert_string_equal(said(&h.rules),
                        "1 large heap/large [base=heap; below=-]  \n"
                        "2 data mapped-file/application [base=mapped-file; path=/srv/*] "
                        "its own \n");
    assert_string_equal(said(&h.notes), "");
    forget(&h);

    options = options_of(&h, "defualt");
    assert_int_equal(pmapdb_rules(NULL, &options, &err), PMAPDB_NOTFOUND);
    assert_string_equal(err.text, "no rules 'defualt', did you mean 'default'? the built-in rules "
                                  "are default and pmap-dotnet, and no file has this name");
    forget(&h);
}

static void test_mistakes(void **state)
{
    heard h = {0};
    pmapdb_rules_options options = options_of(&h, "s.csv");
    pmapdb_rules_result result = {0};
    pmapdb_error err;
import in;
    int64_t before;

    make_store(&in);
    before = number(&in, "SELECT total_changes()");
    box_text("s.csv", "rule,category,base,perms\na,b,c,d\na,heap/x,heap,rw-p\nb,~,,~\n");
    assert_int_equal(pmapdb_rules(in.store, &options, &err), PMAPDB_INPUT);
    assert_non_null(strstr(err.text, "s.csv:2: "));
    assert_int_equal(pmapdb_rules_apply(in.store, &options, &result, &err), PMAPDB_INPUT);
    assert_non_null(strstr(said(&h.notes), "! s.csv:2: "));
    assert_non_null(strstr(said(&h.notes), "! s.csv:4: "));
    assert_string_equal(said(&h.sets), "");
    assert_int_equal(number(&in, "SELECT total_changes()"), before);
    options.on_note = NULL; /* nobody has to hear it */
    assert_int_equal(pmapdb_rules(in.store, &options, &err), PMAPDB_INPUT);
    forget(&h);
    end(&in);
}

static void test_apply(void **state)
{
    heard h = {0};
    pmapdb_rules_options options = options_of(&h, "s.csv");
    pmapdb_rules_result result = {0};
    pmapdb_error err;
import in;

    box_text("s.csv", SET);
    make_store(&in);
    options.dry_run = true;
    assert_int_equal(pmapdb_rules_apply(in.store, &options, &result, &err), PMAPDB_OK);
    assert_non_null(strstr(said(&h.changes), "heap>heap/large large 2 2 2048 2\n"));
    assert_non_null(
        strstr(said(&h.changes), "mapped-file>mapped-file/application data 2 2 128 4\n"));
    assert_string_equal(said(&h.sets), "s.csv 2\n");
    assert_string_equal(said(&h.rules), "");
    assert_true(h.progress >= 2);
    assert_false(result.same);
    assert_int_equal(result.processes, 2);
    assert_int_equal(result.lineages, 6);
    assert_int_equal(result.changed_lineages, 4);
    assert_int_equal(result.snapshots, 3);
    assert_int_equal(result.changed_snapshots, 3);
    assert_int_equal(number(&in, "SELECT count(*) FROM lineage WHERE rule = 'large'"), 0);
    forget(&h);

    options.dry_run = false;
    assert_int_equal(pmapdb_rules_apply(in.store, &options, &result, &err), PMAPDB_OK);
    assert_int_equal(result.changed_lineages, 4);
    assert_int_equal(number(&in, "SELECT count(*) FROM lineage WHERE rule = 'large'"), 2);
    forget(&h);

    /* the store's now */
    options = options_of(&h, NULL);
    assert_int_equal(pmapdb_rules(in.store, &options, &err), PMAPDB_OK);
    assert_string_equal(said(&h.sets), "s.csv 2 stored applied\n");
    assert_string_equal(
        said(&h.rules),
        "1 large heap/large [base=heap; below=-]  2\n"
        "2 data mapped-file/application [base=mapped-file; path=/srv/*] its own 2\n");
    forget(&h);
    assert_int_equal(pmapdb_rules_apply(in.store, &options, &result, &err), PMAPDB_OK);
    assert_true(result.same);
    assert_string_equal(said(&h.changes), "");
    forget(&h);
    end(&in);
}

/* What was chosen by its name is the store's where the bytes are. */
static void test_same_bytes(void **state)
{
    heard h = {0};
    pmapdb_rules_options options = options_of(&h, "default");
    pmapdb_error err;
import in;

    make_store(&in);
    options.on_rule = NULL;
    assert_int_equal(pmapdb_rules(in.store, &options, &err), PMAPDB_OK);
    options.rules = NULL;
    assert_int_equal(pmapdb_rules(in.store, &options, &err), PMAPDB_OK);
    options.rules = "pmap-dotnet";
    assert_int_equal(pmapdb_rules(in.store, &options, &err), PMAPDB_OK);
    assert_non_null(strstr(said(&h.sets), " stored named built in\ndefault "));
    assert_non_null(strstr(said(&h.sets), "pmap-dotnet 18 named built in\n"));
    forget(&h);

    /* of another version: its name is one that is built in, its bytes are not */
    assert_int_equal(sqlite3_exec(in.store->db,
                                  "UPDATE rule_set SET text = 'rule,category' || char(10) || 'a,b'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    options.rules = NULL;
    assert_int_equal(pmapdb_rules(in.store, &options, &err), PMAPDB_OK);
    assert_string_equal(said(&h.sets), "default 1 stored named\n");
    forget(&h);
    end(&in);
}

static void test_stopped_and_readers(void **state)
{
    heard h = {.stop_at = 1};
    pmapdb_rules_options options = options_of(&h, "s.csv");
    pmapdb_open_options reading = {.mode = PMAPDB_READ};
    pmapdb_rules_result result = {.lineages = 77};
    pmapdb_store *reader;
    pmapdb_error err;
import in;

    box_text("s.csv", SET);
    make_store(&in);
    assert_int_equal(pmapdb_rules_apply(in.store, &options, &result, &err), PMAPDB_STOPPED);
    assert_int_equal(number(&in, "SELECT count(*) FROM lineage WHERE rule IS NOT NULL AND rule IN "
                                 "('large', 'data')"),
                     0);
    assert_int_equal(result.lineages, 77);
    h.stop_at = 0;
    assert_int_equal(pmapdb_open("t.db", &reading, &reader, &err), PMAPDB_OK);
    options.dry_run = true;
    assert_int_equal(pmapdb_rules_apply(reader, &options, &result, &err), PMAPDB_USAGE);
    assert_string_equal(err.text, "rules are applied to a store that is open for writing");
    pmapdb_close(reader);
    forget(&h);
    end(&in);
}

RUN_TESTS(TEST_WITH(test_without_store, box_enter, box_leave),
          TEST_WITH(test_mistakes, box_enter, box_leave),
          TEST_WITH(test_apply, box_enter, box_leave),
          TEST_WITH(test_same_bytes, box_enter, box_leave),
          TEST_WITH(test_stopped_and_readers, box_enter, box_leave))
