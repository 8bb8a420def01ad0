/* memory: pictures of memory page by page, on a terminal without UTF-8. */
#include "collect.h"
#include "unit.h"

#include "render/picture/memory.h"

#define SQUARES ((size_t)64)

static const pm_memory_legend legend = {.title = "memory",
                                        .classes = {[1] = {"alpha", 0xff0000, 'a', 1024},
                                                    [2] = {"beta", 0x00ff00, 'b', 512},
                                                    [3] = {"gamma", 0x0000ff, 'c', 0}},
                                        .n = 4,
                                        .page_kib = 4};

static pm_picture open_terminal(collected *c, pm_sink *sink, int columns, int lines, bool color)
{
    const pm_picture_terminal how = {.columns = columns, .lines = lines, .color = color};
    pm_picture p;

    *sink = (pm_sink){c, collect};
    assert_int_equal(pm_picture_on_terminal(&p, &how, sink, NULL), PMAPDB_OK);
    return p;
}

static size_t count(const pm_buf *text, char letter)
{
    size_t n = 0;

    for (size_t i = 0; i < text->len; i++)
        n += text->data[i] == letter;
    return n;
}

/* Each class gets its share of the dots, also in a mixed square. */
TEST(areas_are_true)
{
    uint8_t *class = calloc(SQUARES, PM_SQUARE_PAGES);
    uint64_t square[SQUARES];
    pm_memory m = {class, square, SQUARES};
    collected c = {{0}, 0, 0};
    pm_sink sink;
    pm_picture p = open_terminal(&c, &sink, 46, 40, false);
    size_t a, b;

    assert_non_null(class);
    for (size_t i = 0; i < SQUARES; i++) {
        square[i] = i;
        for (size_t k = 0; k < PM_SQUARE_PAGES; k++)
            class[i * PM_SQUARE_PAGES + k] = i < SQUARES / 2 ? 1 : k % 4 == 0 ? 2 : 3;
    }
    pm_memory_draw(&p, &m, &legend, 1 << 16);
    assert_int_equal(pm_picture_end(&p), PMAPDB_OK);
    assert_non_null(strstr(c.text.data, "memory"));
    assert_non_null(strstr(c.text.data, "alpha  4.0 MiB"));
    assert_non_null(strstr(c.text.data, "beta  2.0 MiB"));
    assert_null(strstr(c.text.data, "gamma")); /* no pages */
    assert_non_null(strstr(c.text.data, "0.0 GiB"));
    c.text.data[strstr(c.text.data, "alpha") - c.text.data] = '\0';
    c.text.len = strlen(c.text.data);
    a = count(&c.text, 'a');
    b = count(&c.text, 'b') + count(&c.text, 'c');
    assert_true(a > 50);
    assert_true(b * 10 > a * 8 && a * 10 > b * 8);
    pm_buf_free(&c.text);
    free(class);
}

/* Squares in rows; a larger machine has larger dots, never more. */
TEST(sizes_are_bounded)
{
    uint64_t square = 0;
    int width, height;

    for (size_t n = 1; n < (size_t)1 << 24; n = n * 3 + 1) {
        pm_memory m = {NULL, &square, n};

        pm_memory_size(&m, 1 << 20, &width, &height);
        assert_true(width > 400 && width < 2600);
        assert_true(height >= 420 && height < 2100);
    }
}

TEST(bands)
{
    static uint32_t dots[2][PM_BAND_DOTS][PM_MEMORY_CLASSES];
    pm_memory_band b[2] = {{"first band", dots[0]}, {"second band", dots[1]}};
    collected c = {{0}, 0, 0};
    pm_sink sink;
    pm_picture p = open_terminal(&c, &sink, 80, 20, false);
    size_t second;

    for (int i = 0; i < PM_BAND_DOTS; i++) {
        dots[0][i][1] = 100;
        dots[1][i][i < PM_BAND_DOTS / 2 ? 2 : 3] = 1;
    }
    pm_memory_bands_draw(&p, b, 2, &legend);
    assert_int_equal(pm_picture_end(&p), PMAPDB_OK);
    second = (size_t)(strstr(c.text.data, "second band") - c.text.data);
    assert_true(strspn(c.text.data + second - 40, "a") >= 30 ||
                strstr(c.text.data, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") != NULL);
    assert_non_null(strstr(c.text.data + second, "bbbbbbbbbbbbbbbbcccccccc"));
    pm_buf_free(&c.text);
}

/* Colours alone do not say that a terminal shows half blocks. */
TEST(colors_without_utf8)
{
    uint8_t *class = malloc(PM_SQUARE_PAGES);
    uint64_t square = 0;
    pm_memory m = {class, &square, 1};
    collected c = {{0}, 0, 0};
    pm_sink sink;
    pm_picture p = open_terminal(&c, &sink, 46, 40, true);

    assert_non_null(class);
    memset(class, 1, PM_SQUARE_PAGES);
    pm_memory_draw(&p, &m, &legend, 1 << 16);
    assert_int_equal(pm_picture_end(&p), PMAPDB_OK);
    assert_non_null(strstr(c.text.data, ";38;5;"));
    assert_non_null(strstr(c.text.data, "aaaa"));
    for (size_t i = 0; i < c.text.len; i++)
        assert_true((unsigned char)c.text.data[i] < 128);
    pm_buf_free(&c.text);
    free(class);
}

RUN_TESTS(NULL, NULL)
