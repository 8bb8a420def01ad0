/* offer: what completion offers, one candidate a line, a tab and what it is behind it. A line that
 * begins with a colon asks the shell for something: ":files", ":dirs". */
#ifndef PM_CLI_OFFER_H
#define PM_CLI_OFFER_H

#include "cli/cli.h"

#define PM_OFFER_MAX 200 /* of one kind, the newest */

typedef struct pm_offer {
    const char *word; /* as far as it is typed; of --from=@1 it is @1 */
    pm_text before;   /* and this is --from= */
} pm_offer;

/* Says it where it goes on as the word does, and where no byte of it could drive a terminal. */
void pm_offer_word(const pm_offer *o, pm_text word, pm_text about);

/* The words of an enumeration: "Only complete, partial or totals" are three. */
void pm_offer_listed(const pm_offer *o, pm_text help);

/* From the store: of the type `unit`, if it has some. process may be NULL: of all. */
void pm_offer_stored(const pm_offer *o, const pm_cli *cli, pm_unit unit, const char *process);

#endif
