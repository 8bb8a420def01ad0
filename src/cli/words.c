/* words: builds a text by printing its pieces into memory. */
#include "cli/words.h"

#include "cli/die.h"

FILE *pm_words_begin(pm_words *w)
{
    w->out = open_memstream(&w->data, &w->len);
    if (!w->out)
        pm_cli_no_memory();
    return w->out;
}

pm_text pm_words_end(pm_words *w)
{
    if (ferror(w->out) | fclose(w->out))
        pm_cli_no_memory();
    return (pm_text){w->data, w->len};
}

void pm_words_json(FILE *out, pm_text text)
{
    for (size_t i = 0; i < text.len; i++)
        fprintf(out,
                pm_char_in(text.data[i], "\"\\")    ? "\\%c"
                : (unsigned char)text.data[i] < ' ' ? "\\u%04x"
                                                    : "%c",
                text.data[i]);
}
