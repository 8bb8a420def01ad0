/* num: strict reading of numbers, sizes and spans. */
#include "base/num.h"

#include "pmapdb.h"

#include <math.h>

#define SURE_DIGITS 19 /* this many digits always fit into 64 bits */

size_t pm_num_dec(const char *p, const char *end, uint64_t *out)
{
    const char *from = p, *sure = end - p > SURE_DIGITS ? p + SURE_DIGITS : end;
    uint64_t v = 0;

    for (; p < sure && (unsigned char)(*p - '0') <= 9; p++)
        v = v * 10 + (unsigned char)(*p - '0');
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');

        if (v > (UINT64_MAX - digit) / 10)
            return 0;
        v = v * 10 + digit;
    }
    if (p == from)
        return 0;
    *out = v;
    return (size_t)(p - from);
}

/* The value of a hex digit plus 1; 0 for every other byte. A row of a map has about 40 hex digits.
 */
static const uint8_t hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

size_t pm_num_hex_run(const char *p, const char *end)
{
    const char *from = p;

    while (p < end && hex_digits[(unsigned char)*p])
        p++;
    return (size_t)(p - from);
}

size_t pm_num_hex(const char *p, const char *end, uint64_t *out)
{
    const char *from = p;
    uint64_t v = 0;

    for (unsigned digit; p < end && (digit = hex_digits[(unsigned char)*p]) != 0; p++)
        v = v << 4 | (digit - 1);
    for (const char *q = from; p - q > 16; q++)
        if (*q != '0')
            return 0;
    if (p == from)
        return 0;
    *out = v;
    return (size_t)(p - from);
}

bool pm_num_all(pm_text t, uint64_t *out)
{
    uint64_t v;

    if (t.len == 0 || pm_num_dec(t.data, t.data + t.len, &v) != t.len)
        return false;
    *out = v;
    return true;
}

int64_t pm_num_signed(pm_text t)
{
    bool negative = t.len && *t.data == '-';
    uint64_t v;

    if (!pm_num_all(pm_text_from(t, negative), &v) || v > INT64_MAX)
        return PMAPDB_UNKNOWN;
    return negative ? -(int64_t)v : (int64_t)v;
}

/* Reads digits with an optional fraction. Returns the number of characters used, or 0. */
static size_t read_decimal(pm_text t, double *out)
{
    const char *p = t.data, *end = t.data + t.len;
    uint64_t whole;
    double scale = 0.1;
    size_t n = pm_num_dec(p, end, &whole);

    if (n == 0)
        return 0;
    *out = (double)whole;
    p += n;
    if (p < end && *p == '.')
        for (p++; p < end && *p >= '0' && *p <= '9'; p++, scale /= 10)
            *out += scale * (*p - '0');
    return (size_t)(p - t.data);
}

typedef struct unit {
    const char *name;
    double factor;
} unit;

/* Cuts a number and its unit off the text; false if the text does not begin with a number and a
 * unit. */
static bool read_amount(pm_text *t, const unit *units, double *out)
{
    size_t n = read_decimal(*t, out), letters = 0;

    *t = pm_text_from(*t, n);
    while (letters < t->len && (t->data[letters] < '0' || t->data[letters] > '9'))
        letters++;
    while (units->name && !pm_text_equal((pm_text){t->data, letters}, pm_text_of(units->name)))
        units++;
    *t = pm_text_from(*t, letters);
    *out *= units->factor;
    return n > 0 && units->name;
}

bool pm_num_size(pm_text t, int64_t *kib)
{
    static const unit units[] = {
        {"", 1},           {"B", 1.0 / 1024},   {"k", 1},      {"K", 1},       {"kB", 1},
        {"KiB", 1},        {"M", 1024},         {"MiB", 1024}, {"G", 1048576}, {"GiB", 1048576},
        {"T", 1073741824}, {"TiB", 1073741824}, {NULL, 0}};
    double value = 0;

    if (!read_amount(&t, units, &value) || t.len || value > 9e15)
        return false;
    *kib = (int64_t)llround(value);
    return true;
}

bool pm_num_span(pm_text t, int64_t *ms)
{
    static const unit units[] = {{"ms", 1},           {"s", 1000},          {"m", 60000},
                                 {"min", 60000},      {"h", 3600000},       {"d", 86400000},
                                 {"w", 604800000},    {"second", 1000},     {"seconds", 1000},
                                 {"minute", 60000},   {"minutes", 60000},   {"hour", 3600000},
                                 {"hours", 3600000},  {"day", 86400000},    {"days", 86400000},
                                 {"week", 604800000}, {"weeks", 604800000}, {NULL, 0}};
    double sum = 0, value = 0;

    do {
        if (!read_amount(&t, units, &value))
            return false;
        sum += value;
    } while (t.len);
    if (sum > 9e15)
        return false;
    *ms = (int64_t)llround(sum);
    return true;
}
