/* clock_words: the words that stand in and around dates, in the languages that `date` speaks. */
#ifndef PM_BASE_CLOCK_WORDS_H
#define PM_BASE_CLOCK_WORDS_H

#include "base/text.h"

typedef enum pm_word {
    PM_WORD_MONTH,   /* January is 0 in every language */
    PM_WORD_WEEKDAY, /* several languages in one list: the position tells nothing */
    PM_WORD_HALF,    /* 0 before noon, 1 after it */
    PM_WORD_LABEL,   /* what loops print before a moment: "date", "timestamp", "snapshot" */
    PM_WORD_UNIT     /* what makes the number before it a quantity: "kB", "bytes", "ms" */
} pm_word;

/* The position of a word in the first list of this kind that has it, from 0; -1 where none has.
 * Case, dots and the encoding of accented letters make no difference. */
int pm_clock_word(pm_word kind, pm_text t);

/* A byte that words are made of: letters, whatever is no ASCII, and the '?' that a terminal puts
 * for it; dots, which end abbreviations. */
bool pm_clock_is_word_byte(char c);

/* How many bytes of this kind stand at p. */
size_t pm_clock_word_run(const char *p, const char *end);

/* The first word behind the blanks makes the number before it a quantity. */
bool pm_clock_unit_follows(pm_text t);

#endif
