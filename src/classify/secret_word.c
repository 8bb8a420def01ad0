/* secret_word: whether what goes by a name is a secret: --db-password, apiKey, MYSQL_PWD. */
#include "classify/secret_word.h"

#include <ctype.h>

#define LAST_MAX 32 /* of a name, no more is looked at: its last letters tell */

/* ---- names ---- */

typedef struct word {
    pm_text word;
    bool alone;  /* a part of its own: pass, but not bypass */
    bool a_file; /* a path behind it is where the secret lies, not the secret */
} word;

/* What a name ends in, without '-', '_', '.', and without digits at its end: its last word is what
 * it is a name of. */
static const word words[] = {
    {{"password", 8}, false, false},
    {{"passwords", 9}, false, false},
    {{"passwd", 6}, false, false},
    {{"passphrase", 10}, false, false},
    {{"passcode", 8}, false, false},
    {{"pwd", 3}, false, false},
    {{"pass", 4}, true, false},
    {{"pw", 2}, true, false},
    {{"psk", 3}, true, false},
    {{"requirepass", 11}, false, false}, /* redis */
    {{"masterauth", 10}, false, false},
    {{"storepass", 9}, false, false}, /* keytool */
    {{"keypass", 7}, false, false},
    {{"passin", 6}, true, false}, /* openssl */
    {{"passout", 7}, true, false},
    {{"setcookie", 9}, false, false}, /* erl */
    {{"secret", 6}, false, false},
    {{"secrets", 7}, true, true},
    {{"secretkeybase", 13}, false, false}, /* rails */
    {{"token", 5}, false, false},
    {{"bearer", 6}, true, false},
    {{"apikey", 6}, false, false},
    {{"accesskey", 9}, false, false},
    {{"secretkey", 9}, false, false},
    {{"privatekey", 10}, false, true},
    {{"authkey", 7}, false, false},
    {{"accountkey", 10}, false, false},
    {{"encryptionkey", 13}, false, true},
    {{"signingkey", 10}, false, true},
    {{"masterkey", 9}, false, true},
    {{"credential", 10}, false, true},
    {{"credentials", 11}, false, true},
    {{"authorization", 13}, false, true},
    {{"auth", 4}, true, true}, /* Xorg -auth FILE */
};

static bool is_letter_of(char c)
{
    return isalnum((unsigned char)c) != 0;
}

/* Its last letters, lower case, and where the last part begins in them: DB_PASS, dbPass, db.pass.
 */
static size_t last_letters(pm_text name, char out[LAST_MAX], size_t *part)
{
    char all[LAST_MAX];
    size_t n = 0, at;

    while (name.len && isdigit((unsigned char)name.data[name.len - 1]))
        name.len--;
    *part = LAST_MAX;
    for (at = name.len; at > 0 && n < LAST_MAX; at--) {
        char c = name.data[at - 1];
        bool hump =
            isupper((unsigned char)c) && at > 1 && islower((unsigned char)name.data[at - 2]);

        if (is_letter_of(c))
            all[LAST_MAX - ++n] = (char)tolower((unsigned char)c);
        if ((hump || !is_letter_of(c)) && n && *part == LAST_MAX)
            *part = n;
    }
    *part = *part == LAST_MAX ? 0 : n - *part;
    memcpy(out, all + LAST_MAX - n, n);
    return n;
}

/* A shell's own, which say where it is. */
static bool is_folder(pm_text name)
{
    return pm_text_equal(name, PM_TEXT("PWD")) || pm_text_equal(name, PM_TEXT("OLDPWD"));
}

bool pm_secret_name(pm_text name, pm_text value)
{
    char last[LAST_MAX];
    size_t part, n = last_letters(name, last, &part);
    pm_text all = {last, n};

    if (is_folder(name))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const word *w = &words[i];

        if (!(w->alone ? pm_text_equal(pm_text_from(all, part), w->word)
                       : pm_text_ends(all, w->word)))
            continue;
        return !w->a_file || !value.len || value.data[0] != '/';
    }
    return false;
}

bool pm_secret_unasked(pm_text name)
{
    static const pm_text parts[] = {{"no-", 3},     {"without-", 8}, {"disable-", 8}, {"ask-", 4},
                                    {"prompt-", 7}, {"skip-", 5},    {"allow-", 6}};

    while (name.len && name.data[0] == '-')
        name = pm_text_from(name, 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (pm_text_starts(name, parts[i]))
            return true;
    return false;
}

/* ---- short options ---- */

const pm_secret_letter *pm_secret_letters(pm_text first_word)
{
    static const pm_secret_letter table[] = {
        {{"mysql", 5}, "p", PM_LETTER_GLUED, 0},
        {{"mariadb", 7}, "p", PM_LETTER_GLUED, 0},
        {{"sshpass", 7}, "p", PM_LETTER_EITHER, 0},
        {{"redis-cli", 9}, "a", PM_LETTER_EITHER, 0},
        {{"ldap", 4}, "w", PM_LETTER_EITHER, 0},
        {{"mongo", 5}, "p", PM_LETTER_EITHER, 0},
        {{"cqlsh", 5}, "p", PM_LETTER_EITHER, 0},
        {{"sqlcmd", 6}, "P", PM_LETTER_EITHER, 0},
        {{"mosquitto_", 10}, "P", PM_LETTER_EITHER, 0},
        {{"ipmitool", 8}, "P", PM_LETTER_EITHER, 0},
        {{"7z", 2}, "p", PM_LETTER_GLUED, 0},
        {{"zip", 3}, "P", PM_LETTER_EITHER, 0},
        {{"unzip", 5}, "P", PM_LETTER_EITHER, 0},
        {{"openssl", 7}, "kK", PM_LETTER_APART, 0},
        {{"curl", 4}, "uU", PM_LETTER_EITHER, ':'},
        {{"smbclient", 9}, "U", PM_LETTER_EITHER, '%'},
    };
    pm_text program = pm_text_basename(first_word);

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (pm_text_starts(program, table[i].program))
            return &table[i];
    return NULL;
}
