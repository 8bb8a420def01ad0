/* formats_test: every example of `pmapdb dialects` is read as its dialect and has the fields that
 * the table lists; output of refused tools is refused. */
#include "parse/formats.h"

#include "parse/kit.h"

/* Lines above and below an example that is not recognised alone. */
static const struct context {
    const char *tool, *above, *below;
} contexts[] = {
    {"Linux: /proc/PID/smaps",
     "39b3b000-39b5d000 rw-p 00000000 00:00 0                                  [heap]\n"
     "Size:                136 kB\n"
     "Rss:                   8 kB\n"
     "Pss:                   8 kB\n"
     "Private_Clean:         0 kB\n",
     "Swap:                  0 kB\n"
     "VmFlags: rd wr mr mw me ac \n"},
    {"procps 3.3.7 or later: pmap -XX",
     "16098:   /srv/awk/awk ward\n"
     "         Address Perm    Offset Device    Inode     Size KernelPageSize MMUPageSize  Rss  "
     "Pss "
     "Pss_Dirty Shared_Clean Shared_Dirty Private_Clean Private_Dirty Referenced Anonymous KSM "
     "LazyFree AnonHugePages ShmemPmdMapped FilePmdMapped Shared_Hugetlb Private_Hugetlb Swap "
     "SwapPss Locked THPeligible              VmFlags Mapping\n",
     ""},
    {"procps 3.3.7 or later: pmap -c, -C FILE",
     "16098:   /srv/awk/awk ward\n"
     "         Address Perm    Offset    Inode     Size  Rss  Pss Swap              VmFlags "
     "Mapping\n",
     ""},
    {"procps 3.3.7 or later: pmap -X",
     "16098:   /srv/awk/awk ward\n"
     "         Address Perm    Offset Device    Inode     Size  Rss  Pss Pss_Dirty Referenced "
     "Anonymous KSM LazyFree ShmemPmdMapped FilePmdMapped Shared_Hugetlb Private_Hugetlb Swap "
     "SwapPss Locked THPeligible Mapping\n",
     ""},
    {"Linux 4.14 or later: /proc/PID/smaps_rollup", "",
     "Rss:                3488 kB\n"
     "Pss:                2256 kB\n"
     "Private_Clean:       884 kB\n"
     "Private_Dirty:       144 kB\n"
     "Swap:                 16 kB\n"},
    {"Java: Dynamic libraries in hs_err_pidN.log", "Dynamic libraries:\n", "\nVM Arguments:\n"},
};

static const struct word {
    const char *name;
    uint64_t bits;
} words[] = {
    {"size", PM_BIT(PM_SIZE)},
    {"rss", PM_BIT(PM_RSS)},
    {"pss", PM_BIT(PM_PSS)},
    {"dirty", PM_BIT(PM_DIRTY)},
    {"private", PM_BIT(PM_PRIVATE_CLEAN) | PM_BIT(PM_PRIVATE_DIRTY)},
    {"private dirty", PM_BIT(PM_PRIVATE_DIRTY)},
    {"swap", PM_BIT(PM_SWAP)},
    {"flags", PM_HAS_FLAGS},
    {"offset", PM_HAS_OFFSET},
};

#define N_WORDS (COUNT(words))

static const struct context *context_of(const pm_form *k)
{
    static const struct context none = {"", "", ""};

    for (size_t i = 0; i < COUNT(contexts); i++)
        if (strcmp(contexts[i].tool, k->tool) == 0)
            return &contexts[i];
    return &none;
}

static pm_seen *read_example(const pm_form *k)
{
    const struct context *c = context_of(k);
    pm_buf text = {0};
    pm_seen *s;

    pm_buf_addf(&text, NULL, "%s%s\n%s", c->above, k->example, c->below);
    s = kit_read(pm_buf_text(&text));
    pm_buf_free(&text);
    return s;
}

/* Compares "size, rss, names" with the fields that were read: both must be the same. */
static void check_gives(const pm_form *k, const pm_seen *s)
{
    uint64_t said = 0, may = 0;
    bool names = false;
    char gives[128], *at = gives;

    snprintf(gives, sizeof gives, "%s", k->gives);
    for (char *word; (word = at);) {
        const uint64_t before = said;

        at = strstr(at, ", ");
        if (at)
            *at = '\0', at += 2;
        for (size_t i = 0; i < N_WORDS; i++)
            said |= strcmp(word, words[i].name) == 0 ? words[i].bits : 0;
        names |= strcmp(word, "names") == 0;
        if (said == before && strcmp(word, "names") != 0)
            fail_msg("%s: what is '%s'?", k->tool, word);
    }
    for (size_t i = 0; i < N_WORDS; i++)
        may |= words[i].bits;
    if ((s->blocks[0].fields & may) != said)
        fail_msg("%s gives %" PRIx64 ", said are %" PRIx64, k->tool, s->blocks[0].fields & may,
                 said);
    assert_int_equal(names, s->n_rows > 0);
}

TEST(examples)
{
    const pm_form *k;
    pm_dialect last = PM_DIALECT_SMAPS;

    for (size_t i = 0; (k = pm_form_at(i)); i++) {
        pm_seen *s = read_example(k);

        if (s->n_blocks != 1 || s->blocks[0].empty.len || s->blocks[0].dialect != k->dialect)
            fail_msg("%s: %zu blocks, the first is %s and %s", k->tool, s->n_blocks,
                     pm_dialect_names[s->n_blocks ? s->blocks[0].dialect : PM_DIALECT_COUNT],
                     s->n_blocks ? s->blocks[0].empty.data : "");
        if (strcmp(k->gives, "the columns asked for") != 0)
            check_gives(k, s);
        if (s->n_rows && s->rows[0].start == 0x39b3b000)
            assert_int_equal(s->rows[0].end, 0x39b5d000);
        last += last + 1 == PM_DIALECT_PAGEMAP && k->dialect > last; /* has no text */
        if (k->dialect < last || k->dialect > last + 1)
            fail_msg("%s: not in the order of the dialects", k->tool);
        last = k->dialect;
        kit_free(s);
    }
    assert_int_equal(last, PM_DIALECT_COUNT - 1);
}

TEST(refused_by_name)
{
    const pm_refused *k;

    for (size_t i = 0; (k = pm_form_refused(i)); i++) {
        pm_seen *s = kit_read(pm_text_of(k->example));

        if (s->n_blocks != 1 || s->n_rows != 0 ||
            !pm_text_starts(s->blocks[0].empty, pm_text_of(k->tool)))
            fail_msg("%s: %zu blocks, '%s'", k->tool, s->n_blocks,
                     s->n_blocks ? s->blocks[0].empty.data : "");
        kit_free(s);
    }
}

TEST(names)
{
    pm_dialect found = PM_DIALECT_COUNT;
    pmapdb_error err;

    for (int i = 0; i < PM_DIALECT_COUNT; i++) {
        if (i == PM_DIALECT_PAGEMAP) /* has no text */
            continue;
        assert_int_equal(pm_form_find(pm_dialect_names[i], &found, &err), PMAPDB_OK);
        assert_int_equal(found, i);
    }
    assert_int_equal(pm_form_find(NULL, &found, &err), PMAPDB_OK);
    assert_int_equal(found, PM_DIALECT_COUNT);
    assert_int_equal(pm_form_find("pmap-Q", &found, &err), PMAPDB_USAGE);
    for (int i = 0; i < PM_DIALECT_COUNT; i++)
        assert_int_equal(strstr(err.text, pm_dialect_names[i]) != NULL, i != PM_DIALECT_PAGEMAP);
}

RUN_TESTS(NULL, NULL)
