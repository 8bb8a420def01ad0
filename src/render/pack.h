/* pack: text -> raw deflate -> base64, as a browser unpacks it (DecompressionStream). */
#ifndef PM_RENDER_PACK_H
#define PM_RENDER_PACK_H

#include "base/buf.h"

/* Appends the packed text. */
pmapdb_status pm_pack(pm_text text, pm_buf *out, pmapdb_error *err);

#endif
