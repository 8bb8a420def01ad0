/* intake: takes the blocks of files as captures that wait to be stored, each with its pid, name and
 * time.
 *
 *     files -> blocks (blocks.h) -> pending captures (intake.c, pending.c)
 *         -> pid, time (timing.c), facts of the files beside the capture (siblings.c)
 *         -> sorted by time (pending.c) -> put (import.c)
 *
 * Decisions about a file wait for its end, which shows whether the file is a log without times. The
 * siblings of a capture in an archive may come after it, so they are joined when all is read.
 *
 * Errors are sticky: `st` and `error` hold the first failure of the run, and the steps after it do
 * nothing. A file that cannot be used is not a failure but a problem, which is reported. */
#ifndef PM_API_INTAKE_H
#define PM_API_INTAKE_H

#include "api/blocks.h"
#include "api/import/place.h"
#include "api/names.h"
#include "base/map.h"
#include "classify/keep_cmdline.h"
#include "parse/files/labels.h"
#include "parse/files/siblings.h"
#include "store/file/store.h"
#include "store/rules/label.h"

/* Something that was found but cannot be stored. */
typedef struct pm_problem {
    char *path, *text;
    bool trouble;  /* the exit code must show it */
    uint64_t hash; /* the key by which it is remembered; 0: it is reported each time */
} pm_problem;

typedef struct pm_pending {
    pm_capture *capture;
    size_t file;     /* number of its file */
    char *warning;   /* or NULL */
    size_t siblings; /* 0, or 1 + the index of the siblings in its archive */
} pm_pending;

/* A report that waits to be stored. */
typedef struct pm_label_pending {
    pm_labels labels;
    pm_label_put put; /* without `labels` and `since` */
    char *path;
    uint64_t hash; /* by which a refused report is remembered; 0: it is reported each time */
} pm_label_pending;

/* Blocks of a file with nothing to store, and the message of the first. */
typedef struct pm_nothing {
    size_t n;
    const char *text;
} pm_nothing;

typedef struct pm_intake {
    pmapdb_store *store;
    const pmapdb_import_options *options;
    pmapdb_status st;
    pmapdb_error error;
    const char *const *paths; /* that the user named */
    size_t n_paths;
    pm_blocks *blocks;
    pm_pool *pool;
    pm_keep_cmdline keep_cmdline; /* made at the first command line; `keeps` is then true */
    bool keeps;
    pm_names_file names; /* with options->names */
    pm_pending *pending;
    size_t n_pending, cap_pending;
    pm_problem *problems;
    size_t n_problems, cap_problems;
    pm_siblings *siblings; /* of each process in an archive */
    size_t n_siblings, cap_siblings;
    pm_map sibling_index;     /* hash of the files' path without their kind -> index */
    pm_label_pending *labels; /* stored after all captures */
    size_t n_labels, cap_labels;
    uint64_t files, captures, bytes, empty, skipped;
    uint64_t stored, to_store; /* captures written; captures to write, as far as known */
    /* the current file: */
    const pm_source_entry *entry;
    size_t first;       /* its first pending capture */
    pm_nothing nothing; /* kernel threads and the like */
    pm_nothing foreign; /* captures whose rows cannot be read */
    uint64_t foreign_hash;
    bool cut;         /* the file was not read to its end */
    bool last_bare;   /* its last block shows no mappings */
    size_t held;      /* bytes of its captures */
    size_t in_memory; /* the same with the text, the pool and what storing needs */
    size_t pool_before;
    uint64_t bytes_before;
    /* if the file is a sibling: its kind; `slot` is the place of the kind in its name */
    pm_text kind;
    pm_slot slot;
    bool only;      /* the file is a sibling and cannot be a capture */
    bool hear;      /* the file may be a sibling in an archive */
    bool may_label; /* something in the file may name memory */
    bool heard_labels;
    pm_buf heard; /* with hear or may_label: the bytes of the file, as far as they are needed */
} pm_intake;

/* The paths must outlive *in. */
void pm_intake_open(pm_intake *in, pmapdb_store *store, const pmapdb_import_options *options,
                    const char *const *paths, size_t n_paths);
void pm_intake_free(pm_intake *in);

/* Reads a file and adds its captures. False: there is no further file, or the run has failed. */
bool pm_intake_file(pm_intake *in);

void pm_intake_problem(pm_intake *in, const char *path, const char *text, bool trouble,
                       uint64_t hash);

/* Adds a capture, which the intake then owns. */
void pm_intake_add(pm_intake *in, pm_capture *capture);

/* Returns the part of a command line that may be stored; valid until the next call. */
pm_text pm_intake_kept(pm_intake *in, pm_text arguments);

/* Reports the progress; ends the run with PMAPDB_STOPPED if the receiver says so. */
void pm_intake_go_on(pm_intake *in);

/* Joins siblings and sorts the captures into the order of storing. */
void pm_intake_settle(pm_intake *in);

/* Forgets captures and problems, which are stored or reported by now, and the pool. */
void pm_intake_clear(pm_intake *in);

/* ---- timing.c ---- */

/* Decides the times and pids of the captures of the current file. */
void pm_intake_time(pm_intake *in);
/* Decides the time of a capture of the current file. PM_TIME_NONE: --time-from name, and the name
 * shows no time. */
void pm_intake_moment(const pm_intake *in, pm_capture *c);

/* ---- siblings.c: siblings ---- */

/* In an archive, siblings come in any order: their facts are kept, and joined when the captures are
 * settled. On disk, siblings are looked for, so that one file gives the same result as its
 * directory. */
void pm_sibling_keep(pm_intake *in, pm_text kind, const pm_slot *slot);
void pm_sibling_expect(pm_intake *in);
void pm_sibling_join(pm_intake *in, size_t i); /* pending[i] has siblings */
void pm_sibling_look(pm_intake *in);

/* Takes the name if it is better than the current name of the capture. */
void pm_offer_name(pm_capture *c, pm_text name, pm_name_rank rank);

/* ---- labels.c: files in which a JVM names its own memory (parse/files/labels.h), read together
 * with the captures and stored after them ---- */

/* Ends the file: reports with names wait, others become problems, and the blocks that the reader of
 * captures saw in the text are forgotten. */
void pm_labels_end(pm_intake *in);
/* Frees the reports that wait. */
void pm_intake_free_labels(pm_intake *in);

#endif
