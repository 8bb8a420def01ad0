/* labels: what a host is, in the user's words, with history. */
#include "store/file/store.h"

#include <unistd.h>

static void store_one(pm_sql *sql, const char *host, int64_t at_ms, const pmapdb_label *label)
{
    pm_sql_do(sql,
              "INSERT OR REPLACE INTO host_label (host_id, key, at_ms, value) "
              "SELECT host_id, ?2, ?3, ?4 FROM host h WHERE name = ?1 AND ?4 IS NOT "
              "(SELECT l.value FROM host_label l WHERE l.host_id = h.host_id AND l.key = ?2 "
              "AND l.at_ms <= ?3 ORDER BY l.at_ms DESC LIMIT 1)",
              PM_ARGS(PM_S(host), PM_S(label->key), PM_I(at_ms), PM_S(label->value)));
}

pmapdb_status pmapdb_label_host(pmapdb_store *store, const char *host, int64_t at_ms,
                                const pmapdb_label *labels, size_t n_labels, pmapdb_error *err)
{
    char here[256] = "";
    pmapdb_status st;

    if (!host && gethostname(here, sizeof here - 1) != 0)
        return pm_fail(err, PMAPDB_USAGE, "this machine's name is too long: name the host");
    st = pm_store_begin(store, err);
    if (st != PMAPDB_OK)
        return st;
    host = host ? host : here;
    pm_sql_do(store->sql, "INSERT OR IGNORE INTO host (name) VALUES (?1)", PM_ARGS(PM_S(host)));
    for (size_t i = 0; i < n_labels; i++)
        store_one(store->sql, host, at_ms, &labels[i]);
    return pm_store_end(store, err);
}
