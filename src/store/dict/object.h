/* object: the dictionary of the properties that mappings share. Objects are found by contents and
 * by id, stay in memory once used, and never change. */
#ifndef PM_STORE_OBJECT_H
#define PM_STORE_OBJECT_H

#include "base/map.h"
#include "base/record/mapping.h"
#include "classify/classify.h"
#include "store/file/sql.h"

typedef struct pm_object {
    int64_t id;
    uint64_t hash; /* of all fields below: equal objects have equal hashes, others do not */
    uint64_t who;  /* hash of perms, device, inode and path, which never change in a lineage */
    int64_t category_id;
    bool inferred, name_cut;
    char perms[5];
    bool has_device, has_inode, has_flags; /* dialects with inodes print pseudo names, too */
    char device[24];                       /* major:minor in hex, as the kernel prints it */
    uint64_t inode;
    pm_text path, flags;
    int64_t kernel_page, mmu_page, thp_eligible, protection_key; /* or PMAPDB_UNKNOWN */
} pm_object;

/* The objects in memory. A zeroed dictionary is empty. */
typedef struct pm_objects {
    pm_object **item;
    size_t n, cap;
    pm_map by_id;   /* object_id -> index in item */
    pm_map by_hash; /* hash -> index in item */
} pm_objects;

void pm_objects_free(pm_objects *objects);

/* Finds or inserts the object of `m` in this category. NULL after a failure. */
const pm_object *pm_objects_of(pm_sql *sql, pm_objects *objects, const pm_mapping *m,
                               pm_category category, bool inferred);
/* Reads the objects with these ids, and no others: one statement for each range of ids. A missing
 * object is not reported. */
void pm_objects_load(pm_sql *sql, pm_objects *objects, const int64_t *ids, size_t n);
/* Returns the object with this id; reads it from the store at its first use. NULL after a failure;
 * a missing object is damage. */
const pm_object *pm_objects_get(pm_sql *sql, pm_objects *objects, int64_t id);

/* True if both can be the same thing. Captures of one dialect: perms, device, inode and path are
 * equal. Captures of two dialects: the fields that both show are equal; a name without directories
 * equals the last part of a path, and "[ anon ]" (no path, no pseudo names) equals every pseudo
 * name. */
bool pm_object_alike(const pm_object *a, const pm_object *b);

#endif
