/* pack: packs a text of at most 4 GiB. */
#ifndef PM_RENDER_PACK_H
#define PM_RENDER_PACK_H

#include "base/buf.h"

typedef enum pm_packing {
    PM_PACK_BASE64, /* raw deflate in base64, as a browser unpacks it (DecompressionStream) */
    PM_PACK_GZIP
} pm_packing;

/* Appends the packed text. */
pmapdb_status pm_pack(pm_text text, pm_packing how, pm_buf *out, pmapdb_error *err);

#endif
