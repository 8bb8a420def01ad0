/* secret_word: whether what goes by a name is a secret: --db-password, apiKey, MYSQL_PWD. */
#ifndef PM_CLASSIFY_SECRET_WORD_H
#define PM_CLASSIFY_SECRET_WORD_H

#include "base/text.h"

/* `value` is what stands there, where that is known: --auth is followed by a file, too. */
bool pm_secret_name(pm_text name, pm_text value);

/* --no-password, --ask-pass: an option that takes no value. */
bool pm_secret_unasked(pm_text name);

/* -p of sshpass, -u of curl. */
typedef struct pm_secret_letter {
    pm_text program; /* its basename begins so */
    const char *letters;
    enum {
        PM_LETTER_EITHER, /* -p X, -pX */
        PM_LETTER_GLUED,  /* -pX alone: -p X is something else */
        PM_LETTER_APART   /* -k X alone: -keyout is an option of its own */
    } how;
    char behind; /* not 0: only what stands behind this: user:PASS */
} pm_secret_letter;

/* Of the program by that first word, or NULL. */
const pm_secret_letter *pm_secret_letters(pm_text first_word);

#endif
