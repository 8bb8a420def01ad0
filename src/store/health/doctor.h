/* doctor: what the parts of pmapdb_doctor() share; private to this folder.
 *
 * doctor.c        opens the store, goes through the findings
 * doctor-*.sql    a finding each, in SQL over the store and temporary tables
 * doctor_file.c   what SQL cannot say of the file
 * doctor_proof.c  every snapshot read, its sums proved
 *
 * A check that cannot be made is a finding, too: a damaged store must not end the run.
 */
#ifndef PM_STORE_DOCTOR_H
#define PM_STORE_DOCTOR_H

#include "store/read/query.h"
#include <math.h>

typedef struct pm_doctor {
    const char *path;
    const pmapdb_doctor_options *options;
    pmapdb_doctor_result *result;
    pmapdb_store *store;
    int64_t file_bytes, wal_bytes;
    int64_t disk_kib, free_kib; /* for this user; 0: not known */
    bool damaged;               /* SQLite says so */
    bool nomem;                 /* a check ended so: what it missed is not told as damage */
} pm_doctor;

/* A finding. value: a word; NULL: the number in words, by its unit (KiB, ms, else none). */
void pm_doctor_tell(pm_doctor *d, const char *check, pmapdb_health state, const char *value,
                    double number, const char *unit, const char *format, ...)
    __attribute__((format(printf, 7, 8)));
#define pm_doctor_word(d, check, state, value, ...) \
    pm_doctor_tell(d, check, state, value, NAN, "", __VA_ARGS__)
/* How much of the message to show: the rest sends the user to the doctor. */
int pm_doctor_reason(const pmapdb_error *err);
/* The check could not be made. */
void pm_doctor_lost(pm_doctor *d, const char *check, const pmapdb_error *err);

/* The findings of doctor-CHECK.sql. */
void pm_doctor_find(pm_doctor *d, const char *check);

/* The store does not open, for that reason. */
void pm_doctor_closed(pm_doctor *d, const pmapdb_error *why);
void pm_doctor_whole(pm_doctor *d);
/* Size and disk, for the facts. */
void pm_doctor_measure(pm_doctor *d);
void pm_doctor_writable(pm_doctor *d);
/* What to do with a damaged one. */
void pm_doctor_rescue(pm_doctor *d);
void pm_doctor_proof(pm_doctor *d);

#endif
