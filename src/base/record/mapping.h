/* mapping: one row of a memory map, with the set of fields that the source provides.
 *
 * `present` says which fields are known; the slot of an unknown field is 0 and has no meaning.
 * Texts point into the memory of the function that provides the record and are valid during the
 * call unless stated otherwise.
 */
#ifndef PM_BASE_MAPPING_H
#define PM_BASE_MAPPING_H

#include "base/text.h"
#include "pmapdb.h"
#include <stdint.h>

enum pm_field {
#define PM_FIELD(id, key, column) PM_##id,
#include "base/record/fields.def"
#undef PM_FIELD
    PM_FIELD_COUNT
};

#define PM_BIT(field) ((uint64_t)1 << (field))

/* Presence of the other fields. Part of the file format like fields.def. */
#define PM_HAS_OFFSET PM_BIT(32)
#define PM_HAS_DEVICE PM_BIT(33)
#define PM_HAS_INODE PM_BIT(34)
#define PM_HAS_FLAGS PM_BIT(35)
/* The source prints pseudo mappings with the names of the kernel ([heap], [vdso]) and not as
 * "[ anon ]". So a mapping without a name really has no name. */
#define PM_HAS_PSEUDO PM_BIT(36)

#define PM_NUMBERS (PM_BIT(PM_FIELD_COUNT) - 1)
/* The fields that are not in KiB. */
#define PM_WITHOUT_UNIT (PM_BIT(PM_THP_ELIGIBLE) | PM_BIT(PM_PROTECTION_KEY))

typedef struct pm_mapping {
    pm_text path;        /* as printed; empty: anonymous memory; first, because read most often */
    uint64_t start, end; /* bytes; [start, end) */
    uint64_t offset;     /* bytes */
    uint64_t inode;
    uint32_t dev_major, dev_minor;
    uint64_t present;
    uint64_t value[PM_FIELD_COUNT]; /* KiB, except PM_WITHOUT_UNIT */
    char perms[5];                  /* in the form of the kernel: rw-p, r-xs; NUL-terminated */
    bool name_cut;                  /* the tool cut the name at 127 bytes */
    pm_text flags; /* VmFlags, two letters each, separated by single blanks, or empty */
    pm_text extra; /* unknown keys as "Key: N kB" lines separated by '\n', or empty */
} pm_mapping;

typedef struct pm_field_info {
    const char *key, *column;
} pm_field_info;

extern const pm_field_info pm_fields[PM_FIELD_COUNT];

/* Returns the field of a smaps key, or PM_FIELD_COUNT. */
enum pm_field pm_field_find(pm_text key);

static inline bool pm_has(const pm_mapping *m, uint64_t bits)
{
    return (m->present & bits) == bits;
}

/* Returns the value of a field, or PMAPDB_UNKNOWN. */
static inline int64_t pm_mapping_value(const pm_mapping *m, enum pm_field field)
{
    return pm_has(m, PM_BIT(field)) ? (int64_t)m->value[field] : PMAPDB_UNKNOWN;
}

static inline void pm_set(pm_mapping *m, enum pm_field field, uint64_t value)
{
    m->value[field] = value;
    m->present |= PM_BIT(field);
}

/* The sums of one capture. A sum is PMAPDB_UNKNOWN if any mapping lacks the field. */
enum pm_total {
    PM_TOTAL_MAPPINGS,
    PM_TOTAL_SIZE,
    PM_TOTAL_RSS,
    PM_TOTAL_PSS,
    PM_TOTAL_PRIVATE,
    PM_TOTAL_PRIVATE_DIRTY,
    PM_TOTAL_SWAP,
    PM_TOTAL_COUNT
};

typedef struct pm_totals {
    int64_t v[PM_TOTAL_COUNT];
} pm_totals;

/* Returns the value of one total in one mapping, or PMAPDB_UNKNOWN. Private is Private_Clean +
 * Private_Dirty. */
int64_t pm_total_of(const pm_mapping *m, enum pm_total total);

void pm_totals_add(pm_totals *t, const pm_mapping *m);

#endif
