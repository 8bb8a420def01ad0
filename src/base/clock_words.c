/* clock_words: the tables of months, weekdays, labels and units, and the search in them. */
#include "base/clock_words.h"

#define WORD_MAX 15

/* Written as fold() leaves them. No word means two months in two languages. */
static const struct {
    pm_word kind;
    const char *list;
} tables[] = {
    {PM_WORD_MONTH, "jan feb mar apr may jun jul aug sep oct nov dec"},
    {PM_WORD_MONTH, "january february march april may june july august september october november "
                    "december"},
    {PM_WORD_MONTH, "jan feb m?r apr mai jun jul aug sep okt nov dez"},          /* German */
    {PM_WORD_MONTH, "j?n feb m?rz apr mai juni juli aug sept okt nov dez"},      /* Austrian */
    {PM_WORD_MONTH, "janv f?vr mars avril mai juin juil ao?t sept oct nov d?c"}, /* French */
    {PM_WORD_MONTH, "ene feb mar abr may jun jul ago sep oct nov dic"},          /* Spanish */
    {PM_WORD_MONTH, "jan fev mar abr mai jun jul ago set out nov dez"},          /* Portuguese */
    {PM_WORD_MONTH, "gen feb mar apr mag giu lug ago set ott nov dic"},          /* Italian */
    {PM_WORD_MONTH, "sty lut mar kwi maj cze lip sie wrz pa? lis gru"},          /* Polish */
    {PM_WORD_WEEKDAY, "sun mon tue wed thu fri sat sunday monday tuesday wednesday thursday friday "
                      "saturday so mo di mi do fr sa dim lun mar mer jeu ven sam dom mi? jue vie "
                      "s?b seg ter qua qui sex gio sab nie pon wto ?ro czw pi? sob niedz wt ?r pt"},
    {PM_WORD_HALF, "am pm"},
    {PM_WORD_LABEL, "date time timestamp datetime ts epoch now at on taken captured capture "
                    "snapshot sample started start begin run iteration"},
    {PM_WORD_UNIT, "k kb kib mb mib gb gib byte bytes page pages ns us ms sec secs second seconds "
                   "times"},
};

/* ASCII lower case without dots; every run of other bytes is one '?', so that UTF-8, Latin-1 and a
 * terminal's own '?' are alike. Returns the length, 0 where it is longer than any word above. */
static size_t fold(pm_text t, char out[WORD_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.data[i];

        if (c == '.' || (c >= 0x80 && n && out[n - 1] == '?'))
            continue;
        if (n == WORD_MAX)
            return 0;
        out[n++] = (char)(c >= 0x80 ? '?' : c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    return n;
}

/* Position in a list of words between blanks. The words are short: a loop beats the library's
 * search. */
static int position(const char *list, const char *word, size_t len)
{
    for (int i = 0;; i++) {
        size_t n = 0;

        while (n < len && list[n] == word[n])
            n++;
        if (n == len && (list[n] == ' ' || list[n] == '\0'))
            return i;
        for (list += n; *list != ' '; list++)
            if (*list == '\0')
                return -1;
        list++;
    }
}

int pm_clock_word(pm_word kind, pm_text t)
{
    char word[WORD_MAX];
    size_t len = fold(t, word);
    int found = -1;

    for (size_t i = 0; len && found < 0 && i < sizeof tables / sizeof *tables; i++)
        if (tables[i].kind == kind)
            found = position(tables[i].list, word, len);
    return found;
}

bool pm_clock_is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80 ||
           c == '?' || c == '.';
}

size_t pm_clock_word_run(const char *p, const char *end)
{
    const char *from = p;

    while (p < end && pm_clock_is_word_byte(*p))
        p++;
    return (size_t)(p - from);
}

bool pm_clock_unit_follows(pm_text t)
{
    while (t.len && *t.data == ' ')
        t = pm_text_from(t, 1);
    t.len = pm_clock_word_run(t.data, t.data + t.len);
    return t.len && pm_clock_word(PM_WORD_UNIT, t) >= 0;
}
