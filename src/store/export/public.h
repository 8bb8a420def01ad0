/* public: public names and words, which an export may show: names that the kernel, the C library,
 * runtimes and distributions give, and that do not reveal the owner of the machine. */
#ifndef PM_STORE_EXPORT_PUBLIC_H
#define PM_STORE_EXPORT_PUBLIC_H

typedef enum pm_public {
    PM_PUBLIC_NOTHING,
    PM_PUBLIC_SYSTEM,   /* a path below a folder of the system, without ".." in it */
    PM_PUBLIC_NAME,     /* a name in place of a path: [heap], /dev/zero, anon_inode:bpf-map */
    PM_PUBLIC_TOP,      /* the beginning of a path on all systems: /home/, /var/lib/ */
    PM_PUBLIC_LIBRARY,  /* the last part of a path: a library on every system: libc.so.6 */
    PM_PUBLIC_TAIL,     /* the end of a last part: .so.1.2, .jar */
    PM_PUBLIC_CGROUP,   /* a part of the path of a cgroup */
    PM_PUBLIC_LABEL,    /* a JVM's name for a part of its memory */
    PM_PUBLIC_SENTENCE, /* only words from sentences that this program writes into a store */
    PM_PUBLIC_NUMBERS,  /* the text after a key of smaps: ": 12 kB" */
    PM_PUBLIC_PERMS,    /* in the kernel's format */
    PM_PUBLIC_DEVICE,   /* likewise */
    PM_PUBLIC_FLAGS,    /* likewise: two letters each */
    PM_PUBLIC_USER,
    PM_PUBLIC_SELECTION, /* of processes to capture */
    PM_PUBLIC_COUNT
} pm_public;

/* Regular expressions, which must match the whole text. */
extern const char *const pm_public_patterns[PM_PUBLIC_COUNT];

#endif
