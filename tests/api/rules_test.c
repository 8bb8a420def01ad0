/* rules_test: pmapdb_rules_apply, the choice of a set, and the events. store/apply_test.c tests the
 * categories. */
#include "api/rules.h"
#include "api/run.h"

typedef struct heard {
    pm_buf notes, changes;
    uint64_t progress, stop_at; /* stops at this call of on_progress; 0: never */
} heard;

static void on_note(void *ctx, const char *note)
{
    heard *h = ctx;

    pm_buf_addf(&h->notes, NULL, "%s\n", note);
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
                                  .on_change = on_change,
                                  .on_progress = on_progress};
}

static void forget(heard *h)
{
    pm_buf_free(&h->notes);
    pm_buf_free(&h->changes);
    *h = (heard){0};
}

/* Returns "NAME COUNT" of the chosen set, and whether the store has and has applied the set. */
static const char *chosen(pmapdb_store *store, const char *name)
{
    static char text[96];
    pm_rules_choice c = {0};
    pmapdb_error err;

    assert_int_equal(pm_rules_choose(store, name, &c, &err), PMAPDB_OK);
    assert_int_equal(pm_rules_choice_read(&c, &err), PMAPDB_OK);
    snprintf(text, sizeof text, "%s %zu%s%s", c.text.name.data, pm_rules_count(c.rules),
             c.stored ? " stored" : "", c.text.applied_ms == PMAPDB_UNKNOWN ? "" : " applied");
    pm_rules_choice_free(&c);
    return text;
}

static const char *said(const pm_buf *b)
{
    return pm_buf_text(b).data;
}

#define SET                                \
    "rule,category,base,path,below,note\n" \
    "large,heap/large,heap,,-,\n"          \
    "data,mapped-file/application,mapped-file,/srv/*,,its own\n"

/* Two processes with a heap, a file and a library; the first process has two captures. */
static void make_store(importing *in)
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
    run(in, ".");
    count(in, 3, 0, 0);
}

IN_BOX(test_without_store)
{
    pm_rules_choice c = {0};
    pmapdb_error err;

    assert_int_equal(strncmp(chosen(NULL, NULL), "default ", 8), 0);
    box_text("s.csv", SET);
    assert_string_equal(chosen(NULL, "s.csv"), "s.csv 2");
    assert_int_equal(pm_rules_choose(NULL, "defualt", &c, &err), PMAPDB_NOTFOUND);
    assert_string_equal(err.text, "no rules 'defualt', did you mean 'default'? the built-in rules "
                                  "are default and pmap-dotnet, and no file has this name");
    pm_rules_choice_free(&c);
}

WITH_IMPORT(test_mistakes)
{
    heard h = {0};
    pmapdb_rules_options options = options_of(&h, "s.csv");
    pmapdb_rules_result result = {0};
    pmapdb_error err;
    int64_t before;

    make_store(in);
    before = number(in, "SELECT total_changes()");
    box_text("s.csv", "rule,category,base,perms\na,b,c,d\na,heap/x,heap,rw-p\nb,~,,~\n");
    assert_int_equal(pmapdb_rules_apply(in->store, &options, &result, &err), PMAPDB_INPUT);
    assert_non_null(strstr(err.text, "s.csv:2: "));
    assert_int_equal(number(in, "SELECT total_changes()"), before);
    forget(&h);
}

WITH_IMPORT(test_apply)
{
    heard h = {0};
    pmapdb_rules_options options = options_of(&h, "s.csv");
    pmapdb_rules_result result = {0};
    pmapdb_error err;

    make_store(in);
    box_text("s.csv", SET);
    options.dry_run = true;
    assert_int_equal(pmapdb_rules_apply(in->store, &options, &result, &err), PMAPDB_OK);
    assert_non_null(strstr(said(&h.changes), "heap>heap/large large 2 2 2048 2\n"));
    assert_non_null(
        strstr(said(&h.changes), "mapped-file>mapped-file/application data 2 2 128 4\n"));
    assert_true(h.progress >= 2);
    assert_false(result.same);
    assert_int_equal(result.processes, 2);
    assert_int_equal(result.lineages, 6);
    assert_int_equal(result.changed_lineages, 4);
    assert_int_equal(result.snapshots, 3);
    assert_int_equal(result.changed_snapshots, 3);
    assert_int_equal(number(in, "SELECT count(*) FROM lineage WHERE rule = 'large'"), 0);
    forget(&h);

    options.dry_run = false;
    assert_int_equal(pmapdb_rules_apply(in->store, &options, &result, &err), PMAPDB_OK);
    assert_int_equal(result.changed_lineages, 4);
    assert_int_equal(number(in, "SELECT count(*) FROM lineage WHERE rule = 'large'"), 2);
    forget(&h);

    assert_string_equal(chosen(in->store, NULL), "s.csv 2 stored applied");
    options.rules = NULL;
    assert_int_equal(pmapdb_rules_apply(in->store, &options, &result, &err), PMAPDB_OK);
    assert_true(result.same);
    assert_string_equal(said(&h.changes), "");
    forget(&h);
}

/* A set that is chosen by its name is the store's set if the bytes are the same. */
WITH_IMPORT(test_same_bytes)
{
    make_store(in);
    assert_non_null(strstr(chosen(in->store, NULL), " stored"));
    assert_non_null(strstr(chosen(in->store, "default"), " stored"));
    assert_string_equal(chosen(in->store, "pmap-dotnet"), "pmap-dotnet 18");
}

WITH_IMPORT(test_stopped_and_readers)
{
    heard h = {.stop_at = 1};
    pmapdb_rules_options options = options_of(&h, "s.csv");
    pmapdb_open_options reading = {.mode = PMAPDB_READ};
    pmapdb_rules_result result = {.lineages = 77};
    pmapdb_store *reader;
    pmapdb_error err;

    make_store(in);
    box_text("s.csv", SET);
    assert_int_equal(pmapdb_rules_apply(in->store, &options, &result, &err), PMAPDB_STOPPED);
    assert_int_equal(number(in, "SELECT count(*) FROM lineage WHERE rule IS NOT NULL AND rule IN "
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
}

RUN_TESTS(NULL, NULL)
