/* num: strict reading of numbers, sizes and spans. */
#include "base/num.h"

#include <math.h>

size_t pm_num_dec(const char *p, const char *end, uint64_t *out)
{
    const char *from = p;
    uint64_t v = 0;

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

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

size_t pm_num_hex(const char *p, const char *end, uint64_t *out)
{
    const char *from = p;
    uint64_t v = 0;

    for (int digit; p < end && (digit = hex_digit(*p)) >= 0; p++) {
        if (v >> 60)
            return 0;
        v = v << 4 | (uint64_t)digit;
    }
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

/* Digits with an optional fraction; returns the characters used, 0 for none. */
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

static double unit_factor(const unit *units, pm_text name)
{
    for (; units->name; units++)
        if (pm_text_equal(name, pm_text_of(units->name)))
            return units->factor;
    return 0;
}

bool pm_num_size(pm_text t, int64_t *kib)
{
    static const unit units[] = {
        {"", 1},           {"B", 1.0 / 1024},   {"k", 1},      {"K", 1},       {"kB", 1},
        {"KiB", 1},        {"M", 1024},         {"MiB", 1024}, {"G", 1048576}, {"GiB", 1048576},
        {"T", 1073741824}, {"TiB", 1073741824}, {NULL, 0}};
    double value, factor;
    size_t n = read_decimal(t, &value);

    if (n == 0)
        return false;
    factor = unit_factor(units, pm_text_from(t, n));
    if (factor <= 0 || value * factor > 9e15)
        return false;
    *kib = (int64_t)llround(value * factor);
    return true;
}

bool pm_num_span(pm_text t, int64_t *ms)
{
    static const unit units[] = {{"ms", 1},      {"s", 1000},     {"m", 60000},     {"min", 60000},
                                 {"h", 3600000}, {"d", 86400000}, {"w", 604800000}, {NULL, 0}};
    double sum = 0;

    if (t.len == 0)
        return false;
    while (t.len) {
        double value, factor;
        size_t n = read_decimal(t, &value), letters = 0;

        if (n == 0)
            return false;
        t = pm_text_from(t, n);
        while (letters < t.len && (t.data[letters] < '0' || t.data[letters] > '9'))
            letters++;
        factor = unit_factor(units, (pm_text){t.data, letters});
        if (factor <= 0)
            return false;
        sum += value * factor;
        t = pm_text_from(t, letters);
    }
    if (sum > 9e15)
        return false;
    *ms = (int64_t)llround(sum);
    return true;
}
