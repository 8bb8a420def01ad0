/* unpack_magic: what the first bytes of a file say: compressed, a tar, or neither. */
#include "source/unpack.h"

#include "base/text.h"

#define TAR_HEADER 512

/* Behind "BZh" and a digit stands the first block's magic, or where there is none the end's. */
static bool is_bzip2(pm_text t)
{
    pm_text behind = t.len >= 10 ? pm_text_from(t, 4) : PM_TEXT("");

    return pm_text_starts(t, PM_TEXT("BZh")) &&
           (pm_text_starts(behind, PM_TEXT("1AY&SY")) ||
            pm_text_starts(behind, PM_TEXT("\x17\x72\x45\x38\x50\x90")));
}

bool pm_unpack_is_packed(const char *head, size_t n)
{
    pm_text t = {head, n};

    return pm_text_starts(t, PM_TEXT("\x1f\x8b")) || pm_text_starts(t, PM_TEXT("\xfd\x37zXZ\0")) ||
           pm_text_starts(t, PM_TEXT("\x28\xb5\x2f\xfd")) || is_bzip2(t);
}

/* The sum of the header's bytes, its own eight counted as blanks, in octal at 148. */
static bool has_checksum(const unsigned char *head)
{
    unsigned sum = 0, claimed = 0;
    int i = 148;

    for (int k = 0; k < TAR_HEADER; k++)
        sum += k >= 148 && k < 156 ? ' ' : head[k];
    while (i < 156 && head[i] == ' ')
        i++;
    for (; i < 156 && head[i] >= '0' && head[i] <= '7'; i++)
        claimed = claimed * 8 + head[i] - '0';
    return head[0] && sum == claimed;
}

static bool is_empty_tar(const char *head, const char *path)
{
    for (int i = 0; i < TAR_HEADER; i++)
        if (head[i])
            return false;
    return pm_text_ends(pm_text_of(path), PM_TEXT(".tar"));
}

bool pm_unpack_wants(const char *head, size_t n, const char *path)
{
    if (pm_unpack_is_packed(head, n))
        return true;
    return n >= TAR_HEADER &&
           (memcmp(head + 257, "ustar", 5) == 0 || has_checksum((const unsigned char *)head) ||
            is_empty_tar(head, path));
}
