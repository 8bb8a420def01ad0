/* doctor: the parts of pmapdb_doctor(); private to this folder.
 *
 *     doctor.c        opens the store, makes the findings, proves the sums of every snapshot
 *     doctor-*.sql    some findings each, in SQL over the store and temporary tables; doctor-proof
 *                     fills temp.proof
 *     doctor_file.c   findings about the file: its first bytes, damage, size, disk, permissions
 *
 * A check that fails is a finding, too: a damaged store must not end the run. */
#ifndef PM_STORE_DOCTOR_H
#define PM_STORE_DOCTOR_H

#include "base/clock/clock.h"
#include "store/read/query.h"
#include <math.h>

typedef struct pm_doctor {
    const char *path;
    const pmapdb_doctor_options *options;
    pmapdb_doctor_result *result;
    pmapdb_store *store;
    int64_t file_bytes, wal_bytes;
    int64_t disk_kib, free_kib; /* for this user; 0: unknown */
    /* parameters of named queries; "": their default */
    char since[PM_CLOCK_TEXT], week[PM_CLOCK_TEXT], limit[32];
    bool damaged; /* SQLite reports damage */
    bool nomem;   /* a check ran out of memory: pmapdb_doctor() fails */
} pm_doctor;

/* Reports a finding. value: a word; NULL: the number in words, by its unit (KiB, ms, else none). */
void pm_doctor_tell(pm_doctor *d, const char *check, pmapdb_health state, const char *value,
                    double number, const char *unit, const char *format, ...)
    __attribute__((format(printf, 7, 8)));
#define pm_doctor_word(d, check, state, value, ...) \
    pm_doctor_tell(d, check, state, value, NAN, "", __VA_ARGS__)
/* The length of the message without its end, which sends the user to the doctor. */
int pm_doctor_reason(const pmapdb_error *err);
/* Reports that the check failed. */
void pm_doctor_lost(pm_doctor *d, const char *check, const pmapdb_error *err);

/* Reports that the store does not open, and why. */
void pm_doctor_closed(pm_doctor *d, const pmapdb_error *why);
/* Runs SQLite's own checks of the file, and sets d->damaged. */
void pm_doctor_whole(pm_doctor *d);
/* Measures the size and the disk, for the facts. */
void pm_doctor_measure(pm_doctor *d);
/* Reports whether this user may write to the store. */
void pm_doctor_writable(pm_doctor *d);
/* Advises what to do with a damaged store. */
void pm_doctor_rescue(pm_doctor *d);

#endif
