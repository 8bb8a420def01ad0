/* rules_of: prints the result of a set of rules for every mapping in captures:
 *     rules_of NAME|FILE CAPTURE...
 * For each capture, prints "= " and its path, then a line per mapping, ordered by address:
 *     START KIB RSS RULE BASE CATEGORY          RSS "?" if unknown, RULE "-" for none */
#include "classify/rules_of.h"

#include "api/rules.h"
#include "store/rules/rules_file.h"

static void print_row(void *ctx, const pm_mapping *m, pm_category base, size_t rule,
                      pm_text category)
{
    const pm_rules *set = ctx;

    printf("%lx %lu ", (unsigned long)m->start, (unsigned long)(m->end - m->start) / 1024);
    if (pm_has(m, PM_BIT(PM_RSS)))
        printf("%lu", (unsigned long)m->value[PM_RSS]);
    else
        printf("?");
    printf(" %s %s %.*s\n", rule == PM_NO_RULE ? "-" : pm_rules_texts(set, rule)->name,
           pm_categories[base].slug, (int)category.len, category.data);
}

int main(int argc, char **argv)
{
    pm_rules *set = NULL;
    pm_buf text = {0};
    pmapdb_error err = {0};
    pmapdb_status st = pm_rules_find(argc > 1 ? argv[1] : "default", &text, &err);

    if (st == PMAPDB_OK)
        st = pm_rules_read(pm_buf_text(&text), argc > 1 ? argv[1] : "default", &set, &err);
    for (int i = 2; i < argc && st == PMAPDB_OK; i++) {
        judging j = {.set = set, .on_row = print_row, .ctx = set};

        printf("= %s\n", argv[i]);
        st = judge_file(&j, argv[i]);
        if (st != PMAPDB_OK)
            snprintf(err.text, sizeof err.text, "cannot read '%s'", argv[i]);
    }
    if (st != PMAPDB_OK)
        fprintf(stderr, "%s\n", err.text);
    pm_rules_free(set);
    pm_buf_free(&text);
    return st == PMAPDB_OK ? 0 : 2;
}
