/* dialects: fills table dialect. */
#include "store/dict/dialects.h"

void pm_dialects_add(pm_sql *sql)
{
    for (int i = 0; i < PM_DIALECT_COUNT; i++)
        pm_sql_do(sql,
                  "INSERT INTO dialect (name, rank) VALUES (?1, ?2) "
                  "ON CONFLICT (name) DO UPDATE SET rank = ?2",
                  PM_ARGS(PM_S(pm_dialect_name((pm_dialect)i)), PM_I(i)));
}
