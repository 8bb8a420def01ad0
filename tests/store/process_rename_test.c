/* process_rename_test: the data that moves with a process to its new name. */
#include "asked.h"

#define MS INT64_C(1700000000000)
#define MINUTE INT64_C(60000)

static void named(const kit *k, int64_t ms, const char *name, pm_name_rank rank)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 42, ms);

    kit_map(k, c, 0x10000, 8, "rw-p", "");
    kit_name(c, name, rank);
    kit_put(k, c);
}

#define PRUNED "SELECT name, pruned_ms - 1700000000000 FROM name ORDER BY name_id"

/* A later prune of the new name stays. */
IN_KIT(what_was_pruned)
{
    named(k, MS, "header", PM_NAME_HEADER);
    kit_exec(k, "UPDATE name SET pruned_ms = 1700000000500");
    named(k, MS + 1000, "header", PM_NAME_HEADER);
    kit_expect(k, PRUNED, "header|500\n");
    named(k, MS + 2000, "comm", PM_NAME_COMM);
    kit_expect(k, PRUNED, "header|500\ncomm|500\n");
    kit_exec(k, "INSERT INTO name (name, pruned_ms) VALUES ('given', 1700000000900)");
    named(k, MS + 3000, "given", PM_NAME_GIVEN);
    kit_expect(k, PRUNED, "header|500\ncomm|500\ngiven|900\n");
}

IN_KIT(nothing_was_pruned)
{
    named(k, MS, "header", PM_NAME_HEADER);
    kit_exec(k, "INSERT INTO name (name, pruned_ms) VALUES ('comm', 1700000000900)");
    named(k, MS + 2000, "comm", PM_NAME_COMM);
    kit_expect(k, PRUNED, "header|?\ncomm|900\n");
}

/* Pruned captures are not a gap, also under the new name of the process. */
IN_KIT(gaps_stay_silent)
{
    static const int64_t minutes[] = {0, 30, 60, 61, 62, 63, 70};

    for (size_t i = 0; i < 7; i++)
        named(k, MS + minutes[i] * MINUTE, "header", PM_NAME_HEADER);
    kit_exec(k, "UPDATE name SET pruned_ms = 1700000000000 + 59 * 60000");
    rows_are(k, "gaps", NULL, "name gap", "header 420000\n");
    named(k, MS + 71 * MINUTE, "comm", PM_NAME_COMM);
    rows_are(k, "gaps", NULL, "name gap", "comm 420000\n");
}

RUN_TESTS(NULL, NULL)
