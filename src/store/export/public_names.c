/* public_names: of what is public knowledge, names without a file, and sentences. */
#include "store/export/public.h"

#include <ctype.h>

/* Without the numbers and blanks at its end. */
static pm_text unnumbered(pm_text t)
{
    while (t.len && pm_char_in(t.data[t.len - 1], "0123456789 "))
        t.len--;
    return t;
}

/* ---- names without a file ---- */

static bool is_common_anon(pm_text name)
{
    static const char names[] =
        "|| glibc: malloc arena| glibc: malloc| glibc: loader malloc| glibc: pthread stack:|"
        " glibc: pthread user stack:| glibc: fdtable|.bss|stack_and_tls:|thread stack guard|"
        "thread signal stack|libc_malloc|scudo:primary|scudo:secondary|scudo:primary_reserve|"
        "scudo:secondary_cached|linker_alloc|linker_alloc_small_objects|"
        "bionic_alloc_small_objects|bionic_alloc_lob|arc4random data|atexit handlers|mimalloc|"
        "mimalloc-meta|tcmalloc_region_NORMAL|tcmalloc_region_METADATA|v8|partition_alloc|"
        "Go: heap|Go: heap reservation|Go: heap index|Go: immortal metadata|Go: page alloc|"
        "Go: page alloc index|Go: page summary|Go: scavenge index|Go: gc bits|"
        "Go: profiler hash buckets|Go: other|Go: stack|Go: thread stack|Go: memory profiler|"
        "Go: trace buffer|Go: signal stack|Go: arena hints|dalvik-main space|"
        "dalvik-main space (region space)|dalvik-zygote space|dalvik-non moving space|"
        "dalvik-free list large object space|dalvik-large object space|dalvik-LinearAlloc|"
        "dalvik-zygote-jit-code-cache|dalvik-jit-code-cache|dalvik-data-code-cache|"
        "dalvik-zygote-data-code-cache|dalvik-indirect ref table|dalvik-card table|"
        "dalvik-thread local mark stack|dalvik-mark stack|/usr/share/dotnet|";

    return pm_public_is_in(names, name) || pm_public_is_in(names, unnumbered(name));
}

bool pm_public_bracket(pm_text inside)
{
    static const char names[] =
        "|heap|stack|stack:|vdso|vvar|vvar_vclock|vsyscall|vectors|sigpage|uprobes|anon| anon |"
        " stack | heap |aio|kernel.kallsyms|kernel|guest.kernel.kallsyms|unknown|kernel.vmlinux|"
        "bpf|..|";
    static const pm_text anon = PM_TEXT("anon:"), shmem = PM_TEXT("anon_shmem:");

    if (pm_text_starts(inside, anon))
        return is_common_anon(pm_text_from(inside, anon.len));
    if (pm_text_starts(inside, shmem))
        return is_common_anon(pm_text_from(inside, shmem.len));
    return pm_public_is_in(names, inside) || pm_public_is_in(names, unnumbered(inside));
}

bool pm_public_memfd(pm_text name)
{
    static const char names[] =
        "|java_heap|doublemapper|pulseaudio|xshmfence|wayland-shm|wayland-cursor|JITCode:V8|";

    return pm_public_is_in(names, name);
}

bool pm_public_cgroup(pm_text part)
{
    static const char names[] =
        "|system.slice|user.slice|machine.slice|init.scope|kubepods|kubepods.slice|docker|user|"
        "system|";

    return pm_public_is_in(names, part);
}

bool pm_public_label(pm_text label)
{
    static const char names[] =
        "|Java Heap|Class|Thread|Thread Stack|Code|GC|GCCardSet|Compiler|JVMCI|Internal|Other|"
        "Symbol|Native Memory Tracking|Shared class space|Arena Chunk|Test|Tracing|Logging|"
        "Statistics|Arguments|Module|Safepoint|Synchronization|Serviceability|Metaspace|"
        "String Deduplication|Object Monitors|Unknown|JAVAHEAP|CLASS|META|CODE|CDS|STACK|CARDTBL|"
        "INTERN|MALLOC|COMPILER|OTHER|NMT|TEST|ARENA|";

    return pm_public_is_in(names, label);
}

/* ---- sentences ---- */

/* Of what the parser writes into snapshots.missing and the capture into sight.degraded. */
static const char words[] =
    " a about add addresses anonymous are as at be before below biggest broken busy by "
    "capture changed changes column columns cut damaged dialect digit dotted empty end ends "
    "extent fields first flags follow footer for gave gib has have header in is it its keep "
    "kernel key keys kib known lacks large largest last left less line list long longer lost "
    "many map mappings may memory mib middle missing more most ms must no not ns number "
    "numbers of off one or other others out overlaps page pages part pmap private_clean "
    "private_dirty proper pss reading referenced row rows rss s said says shared_clean "
    "shared_dirty single size small smaps stall stalled stand stands such sum sums swap than "
    "that the their them there this three time to too took tool truncated two under unknown "
    "up us vmflags was were which with would ";

static bool is_ours(pm_text word)
{
    char low[24];
    const char *at = words;

    if (word.len >= sizeof low)
        return false;
    for (size_t i = 0; i < word.len; i++)
        low[i] = (char)tolower((unsigned char)word.data[i]);
    while ((at = memmem(at, (size_t)(words + sizeof words - at), low, word.len)) != NULL) {
        if (at[-1] == ' ' && at[word.len] == ' ')
            return true;
        at++;
    }
    return false;
}

bool pm_public_sentence(pm_text text)
{
    static const char between[] = " ,.;:()'-+%/0123456789";

    for (size_t i = 0, n; i < text.len; i += n) {
        n = 0;
        while (i + n < text.len && !pm_char_in(text.data[i + n], between))
            n++;
        if (n && !is_ours((pm_text){text.data + i, n}))
            return false;
        n += i + n < text.len;
    }
    return true;
}
