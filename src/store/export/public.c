/* public: what is public knowledge. */
#include "store/export/public.h"

bool pm_public_is_in(const char *list, pm_text text)
{
    if (text.len && (memchr(text.data, '|', text.len) || memchr(text.data, '\0', text.len)))
        return false;
    for (const char *at = strchr(list, '|') + 1; *at; at = strchr(at, '|') + 1)
        if (strncmp(at, text.data, text.len) == 0 && at[text.len] == '|')
            return true;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Without the numbers, dots and blanks at its end. */
static pm_text unnumbered(pm_text t, const char *and)
{
    while (t.len && (is_digit(t.data[t.len - 1]) || pm_char_in(t.data[t.len - 1], and)))
        t.len--;
    return t;
}

/* ---- paths ---- */

static bool goes_up(pm_text path)
{
    for (const char *p = path.data, *end = p + path.len; p < end; p++)
        if (p[0] == '/' && end - p >= 3 && p[1] == '.' && p[2] == '.' &&
            (end - p == 3 || p[3] == '/'))
            return true;
    return false;
}

bool pm_public_path(pm_text path)
{
    static const char *const folders[] = {"/usr/lib/",      "/usr/bin/",     "/usr/share/",
                                          "/usr/sbin/",     "/usr/lib64/",   "/usr/lib32/",
                                          "/usr/libx32/",   "/usr/libexec/", "/lib/",
                                          "/lib64/",        "/lib32/",       "/libx32/",
                                          "/bin/",          "/sbin/",        "/system/lib/",
                                          "/system/lib64/", "/system/bin/",  "/system/framework/"};

    if (goes_up(path))
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (pm_text_starts(path, pm_text_of(folders[i])))
            return true;
    return false;
}

bool pm_public_kernel_file(pm_text path)
{
    static const char names[] =
        "|/dev/zero|/dev/null|/dev/kvm|/dev/mem|/dev/kfd|/dev/fuse|/dev/nvidiactl|"
        "/dev/nvidia-uvm|/dev/nvidia|/dev/dri/card|/dev/dri/renderD|/anon_hugepage|/[aio]|"
        "/drm mm object|/i915|/proc|-|zero|[aio]|anon_hugepage|";
    static const char inodes[] =
        "|[io_uring]|[io_uring_buf]|[perf_event]|[eventfd]|[eventpoll]|[timerfd]|[signalfd]|"
        "[userfaultfd]|[fanotify]|[kvm-gmem]|inotify|bpf-map|bpf-prog|kvm-vm|kvm-vcpu|kvm-vcpu:|"
        "[vfio-device]|dma-buf|sync_file|";

    if (pm_text_starts(path, PM_TEXT("anon_inode:")))
        return pm_public_is_in(inodes, unnumbered(pm_text_from(path, 11), ""));
    return pm_public_is_in(names, path) ||
           (pm_text_starts(path, PM_TEXT("/dev/")) && pm_public_is_in(names, unnumbered(path, "")));
}

bool pm_public_top(pm_text part)
{
    static const char tops[] =
        "|home|opt|srv|var|tmp|usr|etc|run|mnt|dev|app|root|data|media|proc|sys|";

    return pm_public_is_in(tops, part);
}

/* ---- the last part of one ---- */

/* ".so", ".so.1.2" at its end; empty where it is none. */
static pm_text so_tail(pm_text name)
{
    pm_text so = PM_TEXT(".so"), tail = unnumbered(name, ".");

    if (!pm_text_ends(tail, so))
        return (pm_text){"", 0};
    return pm_text_from(name, tail.len - so.len);
}

bool pm_public_library(pm_text name)
{
    static const char stems[] =
        "|ld|ld-linux|ld-linux-x86-64|ld-linux-aarch64|ld-linux-armhf|ld-musl-x86_64|"
        "ld-musl-aarch64|libc.musl-x86_64|libc|libm|libmvec|libdl|librt|libpthread|libresolv|"
        "libutil|libnsl|libnss_files|libnss_dns|libnss_compat|libcrypt|libgcc_s|libstdc++|libc++|"
        "libc++abi|libgomp|libatomic|libasan|libtsan|libubsan|libz|libzstd|liblzma|libbz2|liblz4|"
        "libssl|libcrypto|libpcre|libpcre2-8|libffi|libuuid|libjvm|libjava|libjli|libjimage|"
        "libverify|libzip|libnio|libnet|libjemalloc|libmimalloc|libtcmalloc|libtcmalloc_minimal|"
        "libcoreclr|libclrjit|libhostfxr|libhostpolicy|libruby|libperl|libnode|libv8|libuv|"
        "libsqlite3|libselinux|libsystemd|libcap|libaudit|libpam|libtinfo|libncurses|libreadline|"
        "libexpat|libxml2|libicudata|libicuuc|libicui18n|libcurl|libglib-2.0|";
    pm_text tail = so_tail(name), stem = {name.data, name.len - tail.len};

    if (!tail.len)
        return false;
    /* libc-2.31.so, libpython3.11.so.1.0, libruby-3.1.so */
    return pm_public_is_in(stems, stem) || pm_public_is_in(stems, unnumbered(stem, ".-")) ||
           pm_text_equal(unnumbered(stem, "."), PM_TEXT("libpython"));
}

pm_text pm_public_tail(pm_text name)
{
    static const char tails[] =
        "|jar|war|ear|jmod|jsa|class|dll|exe|so|a|o|ko|db|dat|data|bin|log|idx|index|mo|ttf|otf|"
        "ttc|py|pyc|rb|js|node|wasm|php|pl|lua|conf|cfg|json|xml|txt|csv|gz|xz|zst|bz2|zip|tar|"
        "tgz|tmp|lock|pid|sock|map|img|rdb|aof|ibd|sst|ldb|pak|art|oat|odex|vdex|apk|dex|smaps|"
        "pmap|maps|service|slice|scope|swp|cache|archive|sqlite|mmap|shm|wal|pack|gresource|cn|"
        "script|";
    pm_text so = so_tail(name), tail;
    const char *dot = name.len ? memrchr(name.data, '.', name.len) : NULL;

    if (so.len)
        return so;
    if (!dot || dot == name.data)
        return (pm_text){"", 0};
    tail = pm_text_from(name, (size_t)(dot - name.data));
    return pm_public_is_in(tails, pm_text_from(tail, 1)) ? tail : (pm_text){"", 0};
}
