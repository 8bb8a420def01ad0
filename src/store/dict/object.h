/* object: the dictionary of what mappings show. Objects are found by their contents and by their
 * id, kept in memory once seen, and never change. */
#ifndef PM_STORE_OBJECT_H
#define PM_STORE_OBJECT_H

#include "base/mapping.h"
#include "classify/classify.h"
#include "store/file/sql.h"

typedef struct pm_object {
    int64_t id;
    uint32_t hash; /* of everything below */
    uint64_t who;  /* of perms, device, inode and path: what a lineage never changes */
    int64_t category_id;
    bool inferred, name_cut;
    char perms[5];
    bool has_device, has_inode, has_flags, has_pseudo;
    char device[24]; /* major:minor in hex, as the kernel prints it */
    uint64_t inode;
    pm_text path, flags;
    int64_t kernel_page, mmu_page, thp_eligible, protection_key; /* or PMAPDB_UNKNOWN */
} pm_object;

typedef struct pm_objects pm_objects;

pmapdb_status pm_objects_new(pm_sql *sql, pm_objects **out, pmapdb_error *err);
void pm_objects_free(pm_objects *objects);
/* In memory. */
size_t pm_objects_count(const pm_objects *objects);

/* The object that `m` shows in this category; written to the store when it is new. */
pmapdb_status pm_objects_of(pm_objects *objects, const pm_mapping *m, pm_category category,
                            bool inferred, const pm_object **out, pmapdb_error *err);
pmapdb_status pm_objects_get(pm_objects *objects, int64_t id, const pm_object **out,
                             pmapdb_error *err);
/* Column hash of all rows, for whoever wrote them without knowing it (store/export/export.h). */
pmapdb_status pm_objects_rehash(pm_sql *sql, pmapdb_error *err);

/* True where both can be the same thing. Between captures of one dialect: equal perms, device,
 * inode and path. Between dialects: as far as both show it; a name without directories equals the
 * last part of a path, and "[ anon ]" (no path, no pseudo names) equals every pseudo name. */
bool pm_object_alike(const pm_object *a, const pm_object *b);

#endif
