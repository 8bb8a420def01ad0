/* json_value: the parts of a JSON object, for rows and for single objects. Private to src/render.
 */
#ifndef PM_RENDER_JSON_VALUE_H
#define PM_RENDER_JSON_VALUE_H

#include "base/buf.h"
#include "render/render.h"

/* "name": with the quotes and the colon. */
pmapdb_status pm_json_add_key(pm_buf *out, const char *name, pmapdb_error *err);

/* A string; what is not UTF-8 in it becomes U+FFFD. */
pmapdb_status pm_json_add_string(pm_buf *out, pm_text t, pmapdb_error *err);

/* Every value that is known and that JSON can hold. */
bool pm_json_has(const pm_value *v);
pmapdb_status pm_json_add_value(pm_buf *out, pm_unit unit, const pm_value *v, pmapdb_error *err);

/* ,"name_hex": which goes before the hex digits of bytes that are not UTF-8. */
pmapdb_status pm_json_add_hex_key(pm_buf *out, const char *name, pmapdb_error *err);
pmapdb_status pm_json_add_hex(pm_buf *out, pm_text t, pmapdb_error *err);

#endif
