/* map_cache: the newest map of a process in one piece, for a program that begins with this capture
 * and ends with it: what others find in memory, it finds in table map_cache. Of a live process the
 * piece tells the text of each mapping, too; of one that is imported, what the mapping itself
 * hashes to, so that rows which stay are not made again.
 *
 * The piece shows one capture. Versions that ended or began since are looked up, so it need not be
 * written again at every capture. It is never the truth: without it, or where anything about it is
 * in doubt, the rows are read from their tables and the map's text is parsed. */
#ifndef PM_STORE_MAP_CACHE_H
#define PM_STORE_MAP_CACHE_H

#include "base/buf.h"
#include "parse/again.h"
#include "store/stream.h"

typedef struct pm_cached_map {
    int64_t process_id; /* 0: there is none */
    int64_t epoch_id, off;
    pm_buf bytes;
} pm_cached_map;

/* Of the live process that these name. */
pmapdb_status pm_map_cache_find(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                                int64_t start_time, pm_cached_map *out, pmapdb_error *err);

/* Fills the rows of `s`, whose head is loaded, and `again` (NULL: nobody asks for the texts).
 * *out = false: it is of no use; *again then knows nothing. */
pmapdb_status pm_map_cache_read(pm_sql *sql, pm_objects *objects, const pm_cached_map *map,
                                pm_stream *s, pm_again *again, bool *out, pmapdb_error *err);

/* The same of the rows and what their mappings are told by, of a process that is known. */
pmapdb_status pm_map_cache_rows(pm_sql *sql, pm_objects *objects, int64_t process_id, pm_stream *s,
                                bool *out, pmapdb_error *err);

/* Writes the stream's newest rows, where what is there has fallen too far behind. They are those of
 * the last reading of `again`; else (NULL) mappings of `pool` tell them, where it is their ids'. */
pmapdb_status pm_map_cache_write(pm_sql *sql, int64_t process_id, pm_stream *s,
                                 const pm_again *again, const pm_pool *pool, pmapdb_error *err);

#endif
