/* pace: how much of a long piece of work one transaction does. Much at a time is quick; a full disk
 * has room for little. */
#ifndef PM_STORE_PACE_H
#define PM_STORE_PACE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pm_pace {
    size_t most, least;
    size_t now;
    bool last_try; /* the least did not fit; once more, with the room that was made since */
} pm_pace;

static inline pm_pace pm_pace_of(size_t most, size_t least)
{
    return (pm_pace){.most = most, .least = least, .now = most};
}

static inline void pm_pace_fitted(pm_pace *p)
{
    p->now = p->now > p->most / 2 ? p->most : 2 * p->now;
    p->last_try = false;
}

/* False: there is no less. */
static inline bool pm_pace_slower(pm_pace *p)
{
    if (p->now > p->least)
        p->now = p->now / 2 > p->least ? p->now / 2 : p->least;
    else if (!p->last_try)
        p->last_try = true;
    else
        return false;
    return true;
}

#endif
