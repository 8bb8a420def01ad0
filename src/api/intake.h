/* intake: files -> captures that wait to be stored, each with its pid, name and time decided.
 *
 * What one file holds is decided at the file's end (a log without times shows itself only there);
 * what lies beside it in an archive may come later, so siblings are joined when all is read.
 */
#ifndef PM_API_INTAKE_H
#define PM_API_INTAKE_H

#include "api/place.h"
#include "base/buf.h"
#include "base/capture.h"
#include "base/map.h"
#include "classify/keep_cmdline.h"
#include "parse/labels.h"
#include "parse/reader.h"
#include "parse/siblings.h"
#include "source/source.h"
#include "store/file/store.h"

/* What was found and cannot be stored. */
typedef struct pm_problem {
    char *path, *text;
    bool trouble;  /* the exit code must say so */
    uint64_t hash; /* 0, or what it is remembered by */
} pm_problem;

typedef struct pm_pending {
    pm_capture *capture;
    size_t file;   /* number of the file it came from */
    char *warning; /* or NULL */
    size_t beside; /* 0, or 1 + the index of what lies beside it in its archive */
} pm_pending;

/* Helper files of one process inside an archive. */
typedef struct pm_beside {
    char *key; /* their path, '*' for what they differ in */
    pm_siblings found;
} pm_beside;

typedef struct pm_intake {
    pmapdb_store *store;
    const pmapdb_import_options *options;
    pm_pool *pool;
    pm_pending *pending;
    size_t n_pending, cap_pending;
    pm_problem *problems;
    size_t n_problems, cap_problems;
    pm_beside *beside;
    size_t n_beside, cap_beside;
    pm_map beside_index;             /* hash of the key -> index in beside */
    struct pm_label_pending *labels; /* stored once all captures are: labels.h */
    size_t n_labels, cap_labels;
    uint64_t files, captures, bytes, empty, skipped;
    /* the file at hand */
    const pm_source_entry *entry;
    size_t first;     /* its first pending capture */
    size_t n_foreign; /* blocks whose rows cannot be read, what the first says, their hash */
    char *foreign_text;
    uint64_t foreign_hash;
    bool wrapped;     /* not read: something is around it; that is reported */
    size_t n_empty;   /* blocks without mappings in it */
    char *empty_text; /* what the first of these says */
    size_t held;      /* bytes that its captures take, and of the pool before it */
    size_t pool_before;
    bool cut;       /* it was not read to its end */
    bool last_bare; /* its last block shows no mappings */
    uint32_t *rows; /* of the block at hand */
    size_t n_rows, cap_rows;
    pm_labels_reader *listener; /* or NULL: nothing in it says that it has names for memory */
    bool heard_labels;
    pm_keep_cmdline *keep_cmdline;
    bool hear;    /* it may be a helper file too: what was read is wanted once more */
    pm_buf heard; /* its first bytes */
} pm_intake;

pmapdb_status pm_intake_init(pm_intake *in, pmapdb_store *store,
                             const pmapdb_import_options *options, pmapdb_error *err);
void pm_intake_free(pm_intake *in);

/* Reads the file at hand of `source` and adds what it holds. A file that cannot be used becomes a
 * problem, not a failure. keep_going is asked now and then; false ends the reading with
 * PMAPDB_STOPPED. */
pmapdb_status pm_intake_file(pm_intake *in, pm_source *source, const pm_source_entry *entry,
                             bool (*keep_going)(void *ctx), void *ctx, pmapdb_error *err);

pmapdb_status pm_intake_problem(pm_intake *in, const char *path, const char *text, bool trouble,
                                uint64_t hash, pmapdb_error *err);

/* Siblings joined, captures in the order in which they are to be stored. */
void pm_intake_settle(pm_intake *in);

/* Forgets captures and problems (stored or reported by now), and the pool. */
pmapdb_status pm_intake_clear(pm_intake *in, pmapdb_error *err);

/* A capture of the block at hand, its rows with it, that may be stored: its command is redacted. */
pmapdb_status pm_intake_capture(pm_intake *in, const pm_block *block, pm_capture **out,
                                pmapdb_error *err);

/* The bounds of one file; implemented in intake_bounds.c. PMAPDB_INPUT: it takes more memory than
 * it may; max 0: it may take all. What stands last in a file of which the end could not be
 * read is cut off. Behind its last block, that one is taken out if more of it may come. */
size_t pm_intake_pooled(const pm_intake *in);
pmapdb_status pm_intake_bound(const pm_intake *in, const pm_reader *reader, pmapdb_error *err);
pmapdb_status pm_intake_finish_cut(pm_intake *in, pm_reader *reader, pmapdb_error *err);
pmapdb_status pm_intake_leave_begun(pm_intake *in, const pm_source *source, pmapdb_error *err);

/* The times and pids of a file's captures; implemented in timing.c. */
pmapdb_status pm_intake_time(pm_intake *in, pmapdb_error *err);
/* The moment of what is in the file at hand. PM_TIME_NONE: --time-from name, and there is none. */
void pm_intake_moment(const pm_intake *in, pm_capture *c);

/* Siblings; implemented in beside.c. Inside an archive they come as they come: heard while they are
 * read, kept, and joined when the captures are settled, which expect them. On disk they are looked
 * for, so that one file and its whole directory give the same. */
pmapdb_status pm_beside_hear(pm_intake *in, const char *bytes, size_t n, pmapdb_error *err);
pmapdb_status pm_beside_keep(pm_intake *in, pm_text kind, const pm_slot *slot, pmapdb_error *err);
pmapdb_status pm_beside_expect(pm_intake *in, pmapdb_error *err);
void pm_beside_join(pm_intake *in, size_t i);
pmapdb_status pm_beside_look(pm_intake *in, pmapdb_error *err);

/* Takes the name if it is better than what the capture has. */
void pm_offer_name(pm_capture *c, pm_text name, pm_name_rank rank);

#endif
