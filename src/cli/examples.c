/* examples: a few lines that can be typed, for the end of every --help. tests/cli/examples.sh runs
 * all of them on the captures of samples/. */
#include "cli/examples.h"

#include <stddef.h>
#include <string.h>

#define E(line) "  pmapdb " line "\n"

/* query and sql bring theirs with their own text. */
static const struct {
    const char *command, *lines;
} table[] = {
    {"check", E("check leaky --rss -w 1G -c 2G")
                  E("check --rate -w 100G --mappings -w 30000 -c 60000 --max-age 10000d")},
    {"leaks", E("leaks") E("leaks leaky --limit 64M --wide")
                  E("leaks --by lineage -f csv -o leaks.csv") E("leaks --check || echo it leaks")
                      E("sql \"SELECT 1 AS series_id, taken_at AS ts, rss_kib AS kb\n"
                        "      FROM snapshots\" -f csv | pmapdb leaks --series -")},

    {"by-name", E("by-name") E("by-name --snapshot last --top 10")},
    {"by-process", E("by-process") E("by-process --snapshot first -f json")},
    {"categories", E("categories") E("categories leaky --snapshot first") E("categories -f md")},
    {"clock-jumps", E("clock-jumps") E("clock-jumps --least 100ms --since -7d -f csv")},
    {"deleted", E("deleted") E("deleted --snapshot first -f csv")},
    {"diff", E("diff") E("diff leaky --from first --to -1m --by object")
                 E("diff --threshold rss:10M && echo all is well")},
    {"diff-category", E("diff-category") E("diff-category --from first --to last -f csv")},
    {"diff-lineage", E("diff-lineage") E("diff-lineage --from first --to last -f csv")},
    {"diff-object", E("diff-object") E("diff-object --from first --to last --top 5")},
    {"diff-total", E("diff-total") E("diff-total --from prev --to last -f json")},
    {"files", E("files") E("files leaky --snapshot first --top 10")},
    {"fragments", E("fragments") E("fragments --snapshot last -f csv")},
    {"gaps", E("gaps") E("gaps leaky -f csv")},
    {"groups", E("groups --from first --at last") E("groups --by user --at -1m -f csv")
                   E("groups --by \"iif(comm GLOB '*sh', 'shells', user)\"")},
    {"growth", E("growth --category heap") E("growth leaky --from -2m -f csv -o growth.csv")},
    {"huge-pages", E("huge-pages") E("huge-pages --snapshot first -f csv")},
    {"labels", E("labels leaky") E("labels --snapshot first -f csv")},
    {"largest", E("largest") E("largest leaky --snapshot last --top 5")},
    {"left-out", E("left-out") E("left-out --snapshot first --within 10s -f csv")},
    {"lineage-history", E("lineage-history --lineage 1") E("lineage-history --lineage 1 -f csv")},
    {"map-count", E("map-count") E("map-count --limit 262144 -f prometheus")},
    {"mappings", E("mappings --category heap") E("mappings --words --min-size 1M")
                     E("mappings --snapshot first --category heap -f csv |\n"
                       "      pmapdb mappings --regions - --skip-flag dd")},
    {"mappings-regions", E("mappings-regions --regions '[[0,140737488355327]]' --min-size 1M")
                             E("mappings-regions --regions '[[0,-1]]' --category kernel -f csv")},
    {"mappings-total", E("mappings-total") E("mappings-total --snapshot first -f csv")},
    {"mappings-words",
     E("mappings-words --min-size 1M") E("mappings-words --snapshot first -f csv")},
    {"new-and-gone", E("new-and-gone") E("new-and-gone --from first --to last -f csv")},
    {"peak", E("peak") E("peak leaky --from -2m")},
    {"pins", E("pins") E("pins leaky -f csv")},
    {"processes", E("processes") E("processes -f csv")},
    {"read-cost", E("read-cost") E("read-cost --by name --since -1d -f csv")},
    {"refusals", E("refusals") E("refusals --since now-7d -f csv")},
    {"restarts", E("restarts") E("restarts leaky -f csv")},
    {"rss-check", E("rss-check") E("rss-check leaky --least 1M -f csv")},
    {"rulings", E("rulings leaky") E("rulings leaky --snapshot first -f csv")},
    {"series", E("series --metric pss") E("series leaky --category heap -f csv -o series.csv")},
    {"shared", E("shared") E("shared --snapshot first -f csv")},
    {"sights", E("sights") E("sights leaky --since -1d -f csv")},
    {"snapshots", E("snapshots") E("snapshots leaky --dialect smaps") E("snapshots -f csv")},
    {"store-growth", E("store-growth") E("store-growth --max-size 2G -f csv")},
    {"swapped", E("swapped") E("swapped --snapshot first -f csv")},
    {"sweeps", E("sweeps") E("sweeps --since -7d -f csv")},
    {"threads", E("threads") E("threads --snapshot first --stack-size 8M -f csv")},
    {"top-growers", E("top-growers") E("top-growers leaky --from first --to last --top 5")},
    {"top-lineages", E("top-lineages") E("top-lineages leaky --from -2m --top 5")},
    {"who", E("who") E("who heap --by function") E("who anonymous --folded -o grown.folded")
                E("who --events --process leaky heap -f csv")},
    {"who-events", E("who-events --top 5") E("who-events leaky --since -1h -f csv")},
    {"who-recordings", E("who-recordings") E("who-recordings leaky -f csv")},
    {"unknown-fields", E("unknown-fields") E("unknown-fields leaky -f csv")},
};

const char *pm_examples_of(const char *title)
{
    const char *name = strchr(title, ' ');

    name = name ? name + 1 : "";
    if (strncmp(name, "query ", 6) == 0)
        name += 6;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].command, name) == 0)
            return table[i].lines;
    return NULL;
}
