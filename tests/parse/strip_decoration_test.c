/* strip_decoration: decoration from mail, web pages, terminals and editors is removed from the
 * lines of a capture and reported; parts of file names stay. */
#include "parse/kit.h"

#define ROW "0000000000400000      12       8       4 r-x-- demo\n"
#define ROW_READ "400000-403000 r-xp Size=12 Rss=8 Dirty=4 [demo]\n"

/* The rows of a text and the notes of its only block. */
static void expect(const char *text, const char *rows, const char *notes)
{
    pm_seen *s = kit_read(pm_text_of(text));

    assert_int_equal(s->n_blocks, 1);
    assert_string_equal(s->blocks[0].notes.data, notes);
    assert_string_equal(s->blocks[0].missing.data, "");
    kit_free(s);
    kit_expect_rows(pm_text_of(text), rows);
}

static void carriage_returns(void **state)
{
    expect("4711:   a\r\n00400000-00401000 r--p 00000000 fe:00 17 /a\r\nRss:       4 kB\r\n"
           "VmFlags: rd mr \r\n",
           "400000-401000 r--p +0 fe:0 i17 Size=4 Rss=4 {rd mr} pseudo [/a]\n", "");
    expect(" Address Perm Size Rss Mapping\r\n00401000 r--p    4   4 x y\r\n"
           "              ==== === \r\n                 4   4 KB \r\n",
           "401000-402000 r--p Size=4 Rss=4 pseudo [x y]\n", "");
}

static void byte_order_mark(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("\xef\xbb\xbf"
                                  "4711:   a\n" ROW));

    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->blocks[0].pid, 4711);
    assert_int_equal(s->foreign, 0);
    kit_free(s);
    /* Only the first line of a file has one. */
    s = kit_read(PM_TEXT("\n\xef\xbb\xbf"
                         "4711:   a\n" ROW));
    assert_int_equal(s->blocks[0].pid, PMAPDB_UNKNOWN);
    kit_free(s);
}

/* grep --color=always. */
static void colours(void **state)
{
    static const char note[] = "colour codes were taken off";

    expect("0000000000400000      12       8       4 r-x-- de\033[01;31m\033[Kmo\033[m\033[K\n",
           ROW_READ, note);
    expect("\033[1m0000000000400000\033[0m      12       8       4 r-x-- demo\n", ROW_READ, note);
    expect("\033[31m00400000-00401000\033[m r--p 00000000 fe:00 17 /a\nRs\033[31ms:       4\033[0m"
           " kB\n",
           "400000-401000 r--p +0 fe:0 i17 Size=4 Rss=4 pseudo [/a]\n", note);
}

/* An escape that nothing ends, or that sets no colour, is what the file is called. */
static void a_lone_escape_is_of_the_name(void **state)
{
    static const char *const names[] = {"a\033b", "a\033[1mb", "\033[31", "a\033[2Jb\033[0x",
                                        "a\033[1;mb"};
    char text[256], row[256];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(text, sizeof text, "0000000000400000      12       8       4 r-x-- %s\n",
                 names[i]);
        snprintf(row, sizeof row, "400000-403000 r-xp Size=12 Rss=8 Dirty=4 [%s]\n", names[i]);
        expect(text, row, "");
    }
}

static void quotes_of_mail(void **state)
{
    static const char *const quotes[] = {"> ", "> > ", ">", ">> ", ">  "};
    char text[256];

    for (size_t i = 0; i < COUNT(quotes); i++) {
        pm_seen *s;

        snprintf(text, sizeof text,
                 "%s4711:   a\n%s" ROW "%stotal kB              12       8      "
                 " 4\n",
                 quotes[i], quotes[i], quotes[i]);
        s = kit_read(pm_text_of(text));
        assert_int_equal(s->n_blocks, 1);
        /* One blank of a quote goes; ">  4711:" is then indented. */
        assert_int_equal(s->blocks[0].pid, 4711);
        assert_int_equal(s->blocks[0].checked, PM_CHECKED_FOOTER);
        kit_free(s);
        expect(text, ROW_READ, "\"> \" was taken off");
    }
    expect("0000000000400000      12       8       4 r-x-- > a\n",
           "400000-403000 r-xp Size=12 Rss=8 Dirty=4 [> a]\n", "");
}

/* What a word processor made of dashes and blanks is not put right: such a row is damaged. In names
 * these characters are as good as others. */
static void of_word_processors(void **state)
{
    static const char *const names[] = {"Artist – Title.ogg", "a — b", "x–y", "–", "a\xc2\xa0z"};
    char text[256], row[256];

    kit_expect_block(PM_TEXT(ROW "0000000000500000      12       8       4 r-x– demo\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "line 2 is damaged: it begins like a row and is not one");
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(text, sizeof text, "0000000000400000      12       8       4 r-x-- %s\n",
                 names[i]);
        snprintf(row, sizeof row, "400000-403000 r-xp Size=12 Rss=8 Dirty=4 [%s]\n", names[i]);
        expect(text, row, "");
    }
}

static void callouts(void **state)
{
    static const struct {
        const char *name, *read;
    } cases[] = {{"demo <1>", "demo"},         {"demo <12>", "demo"},  {"demo <123>", "demo <123>"},
                 {"demo <a>", "demo <a>"},     {"demo<1>", "demo<1>"}, {"demo <>", "demo <>"},
                 {"demo <1> x", "demo <1> x"}, {"demo 1>", "demo 1>"}};
    char text[256], row[256];

    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(text, sizeof text, "0000000000400000      12       8       4 r-x-- %s\n",
                 cases[i].name);
        snprintf(row, sizeof row, "400000-403000 r-xp Size=12 Rss=8 Dirty=4 [%s]\n", cases[i].read);
        expect(text, row,
               strcmp(cases[i].name, cases[i].read) == 0
                   ? ""
                   : "marks like <1> were taken off the names");
    }
    expect("0000000000400000      12K r-x--   [ anon ] <3>\n", "400000-403000 r-xp Size=12 []\n",
           "marks like <1> were taken off the names");
}

static void indentation(void **state)
{
    static const char *const by[] = {" ", "    ", "\t", " \t ", "\t\t"};
    char text[512];

    for (size_t i = 0; i < COUNT(by); i++) {
        snprintf(text, sizeof text, "%s" ROW, by[i]);
        expect(text, ROW_READ, "");
        snprintf(text, sizeof text,
                 "%s00400000-00401000 r--p 00000000 fe:00 17 /a\n%sRss:       4 kB\n"
                 "%sVmFlags: rd mr \n",
                 by[i], by[i], by[i]);
        expect(text, "400000-401000 r--p +0 fe:0 i17 Size=4 Rss=4 {rd mr} pseudo [/a]\n", "");
    }
}

/* The columns of -X and -XX are told by their places: the header is indented as its rows are. */
static void indented_columns(void **state)
{
    expect("    1:   a\n"
           "         Address Perm Size Rss        VmFlags Mapping\n"
           "        00401000 r--p    4   4    rd mr mw me ab\n"
           "        00402000 rw-p    4   4 rd wr mr mw me\n"
           "        00403000 rw-p    4   4 rd wr mr mw me /a\n"
           "                      ==== === \n                        12  12 KB \n",
           "401000-402000 r--p Size=4 Rss=4 {rd mr mw me} pseudo [ab]\n"
           "402000-403000 rw-p Size=4 Rss=4 {rd wr mr mw me} pseudo []\n"
           "403000-404000 rw-p Size=4 Rss=4 {rd wr mr mw me} pseudo [/a]\n",
           "");
}

RUN_TESTS(TEST(carriage_returns), TEST(byte_order_mark), TEST(colours),
          TEST(a_lone_escape_is_of_the_name), TEST(quotes_of_mail), TEST(of_word_processors),
          TEST(callouts), TEST(indentation), TEST(indented_columns))
