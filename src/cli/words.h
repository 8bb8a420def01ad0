/* words: builds a text by printing its pieces into memory. Ends the program if memory runs out.
 *
 *     pm_words w = {0};
 *     fprintf(pm_words_begin(&w), "%s has %d", name, n);
 *     use(pm_words_end(&w));
 *     free(w.data); */
#ifndef PM_CLI_WORDS_H
#define PM_CLI_WORDS_H

#include "base/text.h"
#include <stdio.h>

typedef struct pm_words {
    FILE *out; /* print into this */
    char *data;
    size_t len;
} pm_words;

FILE *pm_words_begin(pm_words *w);
/* Returns the printed text; `data` is NUL-terminated. */
pm_text pm_words_end(pm_words *w);

/* Prints a text as a part of a JSON string, without the quotes. */
void pm_words_json(FILE *out, pm_text text);

#endif
