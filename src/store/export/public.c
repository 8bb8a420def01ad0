/* public: names and words that an export may show: the kernel, the C library, runtimes and
 * distributions give them, and they do not reveal the owner of the machine. */
#include "store/export/redact.h"

/* Names that programs give anonymous memory with prctl(PR_SET_VMA). */
#define ANON_NAMES                                                                          \
    " glibc: malloc arena| glibc: malloc| glibc: loader malloc| glibc: pthread stack:|"     \
    " glibc: pthread user stack:| glibc: fdtable|\\.bss|stack_and_tls:|thread stack guard|" \
    "thread signal stack|libc_malloc|scudo:primary|scudo:secondary|scudo:primary_reserve|"  \
    "scudo:secondary_cached|linker_alloc|linker_alloc_small_objects|"                       \
    "bionic_alloc_small_objects|bionic_alloc_lob|arc4random data|atexit handlers|mimalloc|" \
    "mimalloc-meta|tcmalloc_region_NORMAL|tcmalloc_region_METADATA|v8|partition_alloc|"     \
    "Go: heap|Go: heap reservation|Go: heap index|Go: immortal metadata|Go: page alloc|"    \
    "Go: page alloc index|Go: page summary|Go: scavenge index|Go: gc bits|"                 \
    "Go: profiler hash buckets|Go: other|Go: stack|Go: thread stack|Go: memory profiler|"   \
    "Go: trace buffer|Go: signal stack|Go: arena hints|dalvik-main space|"                  \
    "dalvik-main space \\(region space\\)|dalvik-zygote space|dalvik-non moving space|"     \
    "dalvik-free list large object space|dalvik-large object space|dalvik-LinearAlloc|"     \
    "dalvik-zygote-jit-code-cache|dalvik-jit-code-cache|dalvik-data-code-cache|"            \
    "dalvik-zygote-data-code-cache|dalvik-indirect ref table|dalvik-card table|"            \
    "dalvik-thread local mark stack|dalvik-mark stack|/usr/share/dotnet|"

#define BRACKETS                                                                             \
    "heap|stack|stack:|vdso|vvar|vvar_vclock|vsyscall|vectors|sigpage|uprobes|anon| anon | " \
    "stack | heap |aio|kernel\\.kallsyms|kernel|guest\\.kernel\\.kallsyms|unknown|"          \
    "kernel\\.vmlinux|bpf|\\.\\."

#define DEVICES "zero|null|kvm|mem|kfd|fuse|nvidiactl|nvidia-uvm|nvidia|dri/card|dri/renderD"

#define INODES                                                                              \
    "\\[io_uring\\]|\\[io_uring_buf\\]|\\[perf_event\\]|\\[eventfd\\]|\\[eventpoll\\]|"     \
    "\\[timerfd\\]|\\[signalfd\\]|\\[userfaultfd\\]|\\[fanotify\\]|\\[kvm-gmem\\]|inotify|" \
    "bpf-map|bpf-prog|kvm-vm|kvm-vcpu|kvm-vcpu:|\\[vfio-device\\]|dma-buf|sync_file"

#define MEMFDS "java_heap|doublemapper|pulseaudio|xshmfence|wayland-shm|wayland-cursor|JITCode:V8"

#define LIBRARIES                                                                               \
    "ld|ld-linux|ld-linux-x86-64|ld-linux-aarch64|ld-linux-armhf|ld-musl-x86_64|"               \
    "ld-musl-aarch64|libc\\.musl-x86_64|libc|libm|libmvec|libdl|librt|libpthread|libresolv|"    \
    "libutil|libnsl|libnss_files|libnss_dns|libnss_compat|libcrypt|libgcc_s|libstdc\\+\\+|"     \
    "libc\\+\\+|libc\\+\\+abi|libgomp|libatomic|libasan|libtsan|libubsan|libz|libzstd|liblzma|" \
    "libbz2|liblz4|libssl|libcrypto|libpcre|libpcre2-8|libffi|libuuid|libjvm|libjava|libjli|"   \
    "libjimage|libverify|libzip|libnio|libnet|libjemalloc|libmimalloc|libtcmalloc|"             \
    "libtcmalloc_minimal|libcoreclr|libclrjit|libhostfxr|libhostpolicy|libruby|libperl|"        \
    "libnode|libv8|libuv|libsqlite3|libselinux|libsystemd|libcap|libaudit|libpam|libtinfo|"     \
    "libncurses|libreadline|libexpat|libxml2|libicudata|libicuuc|libicui18n|libcurl|"           \
    "libglib-2\\.0"

#define TAILS                                                                                \
    "jar|war|ear|jmod|jsa|class|dll|exe|so|a|o|ko|db|dat|data|bin|log|idx|index|mo|ttf|otf|" \
    "ttc|py|pyc|rb|js|node|wasm|php|pl|lua|conf|cfg|json|xml|txt|csv|gz|xz|zst|bz2|zip|tar|" \
    "tgz|tmp|lock|pid|sock|map|img|rdb|aof|ibd|sst|ldb|pak|art|oat|odex|vdex|apk|dex|smaps|" \
    "pmap|maps|service|slice|scope|swp|cache|archive|sqlite|mmap|shm|wal|pack|gresource|cn|" \
    "script"

#define LABELS                                                                                 \
    "Java Heap|Class|Thread|Thread Stack|Code|GC|GCCardSet|Compiler|JVMCI|Internal|Other|"     \
    "Symbol|Native Memory Tracking|Shared class space|Arena Chunk|Test|Tracing|Logging|"       \
    "Statistics|Arguments|Module|Safepoint|Synchronization|Serviceability|Metaspace|"          \
    "String Deduplication|Object Monitors|Unknown|JAVAHEAP|CLASS|META|CODE|CDS|STACK|CARDTBL|" \
    "INTERN|MALLOC|COMPILER|OTHER|NMT|TEST|ARENA"

/* Words of the texts that the parser writes into snapshot.missing and the capture into
 * live_reading.degraded. */
#define WORDS                                                                             \
    "a|about|add|addresses|anonymous|are|as|at|be|before|below|biggest|broken|busy|by|"   \
    "capture|changed|changes|column|columns|cut|damaged|dialect|digit|dotted|empty|end|"  \
    "ends|extent|fields|first|flags|follow|footer|for|gave|gib|has|have|header|in|is|it|" \
    "its|keep|kernel|key|keys|kib|known|lacks|large|largest|last|left|less|line|list|"    \
    "long|longer|lost|many|map|mappings|may|memory|mib|middle|missing|more|most|ms|must|" \
    "no|not|ns|number|numbers|of|off|one|or|other|others|out|overlaps|page|pages|part|"   \
    "pmap|private_clean|private_dirty|proper|pss|reading|referenced|row|rows|rss|s|said|" \
    "says|shared_clean|shared_dirty|single|size|small|smaps|stall|stalled|stand|stands|"  \
    "such|sum|sums|swap|than|that|the|their|them|there|this|three|time|to|too|took|tool|" \
    "truncated|two|under|unknown|up|us|vmflags|was|were|which|with|would"

#define BETWEEN " ,.;:()'+%/0-9\\-"

#define SENTENCE "(?i:(?>[" BETWEEN "]+|(?:" WORDS ")(?=[" BETWEEN "]|\\z))*)"

const char *const pm_public_patterns[PM_PUBLIC_COUNT] = {
    [PM_PUBLIC_SYSTEM] =
        "(?s)(?!.*/\\.\\.(/|\\z))/(usr/(lib|bin|share|sbin|lib64|lib32|libx32|libexec)|"
        "lib|lib64|lib32|libx32|bin|sbin|system/(lib|lib64|bin|framework))/.*",
    [PM_PUBLIC_NAME] = "\\[(" BRACKETS ")[0-9 ]*\\]|\\[anon(_shmem)?:(" ANON_NAMES ")[0-9 ]*\\]|"
                       "/dev/(" DEVICES ")[0-9]*|/?anon_hugepage|/?\\[aio\\]|/drm mm object|/i915|"
                       "/proc|-|zero|anon_inode:(" INODES ")[0-9]*|/?memfd:(" MEMFDS ")|"
                       "/?SYSV00000000",
    [PM_PUBLIC_BEGIN] = "(?s)(/(?:dev/shm|usr/local|var/lib|var/tmp|var/log|var/cache|run/user)/|"
                        "/(?:home|opt|srv|var|tmp|usr|etc|run|mnt|dev|app|root|data|media|proc|"
                        "sys)/|\\[anon(?:_shmem)?:|\\[|/?memfd:|/?SYSV|/dmabuf:|socket:\\[|"
                        "pipe:\\[|anon_inode:).*",
    [PM_PUBLIC_PART] = "((" LIBRARIES ")[0-9.\\-]*|libpython[0-9.]*)\\.so[0-9.]*|\\.{0,2}|\\?|"
                       "system\\.slice|user\\.slice|machine\\.slice|init\\.scope|"
                       "kubepods(\\.slice)?|docker|user|system",
    [PM_PUBLIC_TAIL] = "(?s).+?(\\.so[0-9.]*|\\.(?:" TAILS "))",
    [PM_PUBLIC_WORD] = "[rwxsp?\\-]{4}|[0-9a-f:]*|([a-z0-9?]{2} )*[a-z0-9?]{0,2}|" LABELS
                       "|STACK-[0-9]*|([A-Za-z_]+: *[0-9]+( kB)?\n)*|" SENTENCE,
};
