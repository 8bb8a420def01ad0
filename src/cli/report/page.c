/* page: puts a report together: one HTML file that needs nothing else. */
#include "cli/report/report.h"

#include "base/err.h"
#include "render/pack.h"
#include "store/file/embedded.h"

extern const pm_embedded pm_embedded_report[]; /* page.js, page.css, policy.txt */

static void put_embedded(FILE *out, const char *name)
{
    for (const pm_embedded *e = pm_embedded_report; e->name; e++)
        if (strcmp(e->name, name) == 0)
            fwrite(e->text, 1, e->len, out);
}

/* Writes text into HTML, controls as U+FFFD: a name of a process cannot become markup. */
static void put_escaped(FILE *out, pm_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if ((c < ' ' && c != '\n') || c == 0x7f)
            fputs("&#65533;", out);
        else
            fprintf(out, pm_char_in((char)c, "&<>\"'") ? "&#%d;" : "%c", c);
    }
}

static void put_data(FILE *out, size_t nth, const pm_buf *data)
{
    pm_buf packed = {0};
    pmapdb_error err;

    pm_cli_must(pm_pack(pm_buf_text(data), &packed, &err), &err);
    fprintf(out, "<script id=\"data%zu\" type=\"application/octet-stream\">%s</script>\n", nth,
            packed.data);
    pm_buf_free(&packed);
}

void pm_report_write(FILE *out, const pm_report_page *page)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"",
          out);
    put_embedded(out, "policy");
    fputs("\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    put_escaped(out, page->title);
    fputs("</title>\n<style>", out);
    put_embedded(out, "page_css");
    fputs("</style>\n</head>\n<body>\n<div id=\"static\">\n<h1>", out);
    put_escaped(out, page->title);
    fputs("</h1>\n", out);
    fwrite(page->picture.data, 1, page->picture.len, out);
    fputs("<pre id=\"said\">", out);
    put_escaped(out, page->text);
    fputs("</pre>\n</div>\n<main id=\"main\" hidden></main>\n", out);
    for (size_t i = 0; i < page->n_data; i++)
        put_data(out, i, &page->data[i]);
    fputs("<script>", out);
    put_embedded(out, "page_js");
    fputs("</script>\n</body>\n</html>\n", out);
}
