/* near: finds the nearest of several words by optimal string alignment. */
#include "base/near.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>

static int letter(pm_text t, size_t at)
{
    return tolower((unsigned char)t.data[at]);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns how many bytes must be inserted, removed, changed, or swapped with their neighbour to
 * turn one word into the other, ignoring case; SIZE_MAX if a word is too long. */
static size_t distance_of(pm_text a, pm_text b)
{
    size_t row[3][PM_NEAR_WORD]; /* the last three rows of the table of distances */

    if (a.len >= PM_NEAR_WORD || b.len >= PM_NEAR_WORD)
        return SIZE_MAX;
    for (size_t k = 0; k <= b.len; k++)
        row[0][k] = k;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *older = row[(i + 1) % 3];

        now[0] = i;
        for (size_t k = 1; k <= b.len; k++) {
            size_t same = letter(a, i - 1) == letter(b, k - 1) ? 0 : 1;

            now[k] = least(least(last[k], now[k - 1]) + 1, last[k - 1] + same);
            if (i > 1 && k > 1 && letter(a, i - 1) == letter(b, k - 2) &&
                letter(a, i - 2) == letter(b, k - 1))
                now[k] = least(now[k], older[k - 2] + 1);
        }
    }
    return row[a.len % 3][b.len];
}

/* Returns the greatest distance that counts as near. Short words are near each other by chance. */
static size_t tolerance(size_t len)
{
    return len < 3 ? 0 : len < 5 ? 1 : len < 9 ? 2 : 3;
}

void pm_near_start(pm_near *near, pm_text wanted)
{
    *near = (pm_near){.wanted = wanted, .distance = tolerance(wanted.len) + 1};
}

void pm_near_try(pm_near *near, pm_text word)
{
    size_t distance = distance_of(near->wanted, word);

    if (pm_text_equal(near->wanted, word))
        return; /* then the word is not misspelt */
    if (near->wanted.len >= 3 && near->wanted.len < word.len &&
        strncasecmp(near->wanted.data, word.data, near->wanted.len) == 0)
        distance = least(distance, tolerance(near->wanted.len));
    if (distance >= near->distance || word.len >= PM_NEAR_WORD)
        return;
    near->distance = distance;
    memcpy(near->best, word.data, word.len);
    near->best[word.len] = '\0';
}

const char *pm_near_hint(pm_near *near)
{
    if (!near->best[0])
        return ";";
    snprintf(near->hint, sizeof near->hint, ", did you mean '%s'?", near->best);
    return near->hint;
}
