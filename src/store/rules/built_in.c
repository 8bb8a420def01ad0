/* built_in: the built-in schema and the rows that every store has. */
#include "store/rules/built_in.h"

#include "store/dict/categories.h"
#include "store/dict/dialects.h"
#include "store/file/embedded.h"
#include "store/rules/rule_set.h"

static void fill(pm_sql *sql, bool is_new)
{
    pm_category_ids_built_in(sql);
    pm_dialects_add(sql);
    if (is_new)
        pm_rule_text_built_in(sql);
}

const pm_schema pm_schema_built_in = {pm_embedded_schema, PM_SCHEMA_VERSION, fill};
