/* pack: text -> raw deflate -> base64, as a browser unpacks it (DecompressionStream); or text ->
 * gzip. A text has at most 4 GiB. */
#ifndef PM_RENDER_PACK_H
#define PM_RENDER_PACK_H

#include "base/buf.h"

/* Append the packed text. */
pmapdb_status pm_pack(pm_text text, pm_buf *out, pmapdb_error *err);
pmapdb_status pm_gzip(pm_text text, pm_buf *out, pmapdb_error *err);

#endif
