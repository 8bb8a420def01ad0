/* beside: what the small files beside a capture (stat, status, comm, cmdline) add to it. */
#include "api/intake.h"

#include "api/place.h"
#include "base/buf.h"
#include <stdlib.h>

#define SIBLING_MAX 65536

void pm_offer_name(pm_capture *c, pm_text name, pm_name_rank rank)
{
    char *copy;

    if (name.len == 0 || (c->name && c->name_rank <= rank) ||
        !(copy = strndup(name.data, name.len)))
        return;
    free(c->name);
    c->name = copy;
    c->name_rank = rank;
}

static void join_siblings(pm_capture *c, const pm_siblings *s)
{
    pm_block *b = &c->block;

    if (c->pid != PMAPDB_UNKNOWN && s->pid != PMAPDB_UNKNOWN && c->pid != s->pid)
        return;
    if (s->start_time != PMAPDB_UNKNOWN)
        c->start_time = s->start_time;
    /* comm is cut at 15 bytes; the command line is not, but titles overwrite it. */
    if (s->comm[0] && strncmp(s->argv0, s->comm, strlen(s->comm)) == 0)
        pm_offer_name(c, pm_text_of(s->argv0), PM_NAME_COMM);
    else
        pm_offer_name(c, pm_text_of(s->comm[0] ? s->comm : s->argv0), PM_NAME_COMM);
    if (s->rss_kib == PMAPDB_UNKNOWN || b->checked != PM_CHECKED_NONE ||
        b->totals.v[PM_TOTAL_RSS] < 0)
        return;
    b->tool_rss_kib = s->rss_kib;
    if (b->state == PM_STATE_COMPLETE && s->rss_kib == b->totals.v[PM_TOTAL_RSS])
        b->checked = PM_CHECKED_STATUS;
}

/* dir with its slash, and the stem: what siblings have in common. */
static pmapdb_status beside_key(pm_text path, pm_text stem, pm_buf *out, pmapdb_error *err)
{
    pm_text dir = {path.data, path.len - pm_text_basename(path).len};

    return pm_buf_addf(out, err, "%.*s%.*s", (int)dir.len, dir.data, (int)stem.len, stem.data);
}

static pm_beside *find_beside(pm_intake *in, const char *key)
{
    for (size_t i = in->n_beside; i > 0; i--)
        if (strcmp(in->beside[i - 1].key, key) == 0)
            return &in->beside[i - 1];
    return NULL;
}

/* Inside an archive siblings come as they come: kept until the captures are settled. */
pmapdb_status pm_beside_keep(pm_intake *in, pm_source *source, pm_text kind, pm_text stem,
                             pmapdb_error *err)
{
    pm_buf key = {0}, text = {0};
    const char *bytes;
    size_t n;
    pm_beside *b;
    pmapdb_status st = beside_key(pm_text_of(in->entry->path), stem, &key, err);

    while (st == PMAPDB_OK && text.len < SIBLING_MAX &&
           pm_source_read(source, &bytes, &n, NULL) == PMAPDB_OK && n)
        st = pm_buf_add(&text, bytes, n, err);
    b = st == PMAPDB_OK ? find_beside(in, key.data) : NULL;
    if (st == PMAPDB_OK && !b) {
        st = pm_grow(&in->beside, &in->cap_beside, in->n_beside, sizeof *in->beside, err);
        if (st == PMAPDB_OK) {
            b = &in->beside[in->n_beside++];
            b->key = key.data;
            pm_siblings_init(&b->found);
            key = (pm_buf){0};
        }
    }
    if (b)
        pm_siblings_read(&b->found, kind, pm_buf_text(&text));
    pm_buf_free(&key);
    pm_buf_free(&text);
    return st;
}

static void slurp_sibling(pm_siblings *s, const char *prefix, const char *kind, const char *dot)
{
    pm_buf path = {0};
    char *bytes = malloc(SIBLING_MAX);
    size_t n;

    if (bytes && pm_buf_addf(&path, NULL, "%s%s%s", prefix, dot, kind) == PMAPDB_OK &&
        pm_source_slurp(path.data, SIBLING_MAX, bytes, &n))
        pm_siblings_read(s, pm_text_of(kind), (pm_text){bytes, n});
    free(bytes);
    pm_buf_free(&path);
}

/* On disk they are looked for, so that one file and its whole directory give the same. */
pmapdb_status pm_beside_look(pm_intake *in, pmapdb_error *err)
{
    static const char *const kinds[] = {"stat", "status", "comm", "cmdline"};
    pm_text path = pm_text_of(in->entry->path), name = pm_text_of(in->entry->name);
    bool proc = pm_text_equal(name, PM_TEXT("smaps")) || pm_text_equal(name, PM_TEXT("maps"));
    pm_siblings s;
    pm_buf prefix = {0};
    pmapdb_status st = beside_key(path, proc ? PM_TEXT("") : pm_place_stem(name), &prefix, err);

    pm_siblings_init(&s);
    for (size_t i = 0; i < 4 && st == PMAPDB_OK; i++)
        slurp_sibling(&s, prefix.data ? prefix.data : "", kinds[i], proc ? "" : ".");
    for (size_t i = in->first; i < in->n_pending && st == PMAPDB_OK; i++)
        join_siblings(in->pending[i].capture, &s);
    pm_buf_free(&prefix);
    return st;
}

void pm_beside_join(pm_intake *in, pm_capture *c)
{
    pm_buf path = {0}, key = {0};
    pm_text name = pm_text_of(c->source_name);
    const char *colon = strrchr(c->source_name, ':');
    pm_beside *b;

    if (in->n_beside == 0)
        return;
    if (colon)
        name = pm_text_of(colon + 1);
    if (pm_buf_addf(&path, NULL, "%s%s", c->source_dir, c->source_name) == PMAPDB_OK) {
        if (beside_key(pm_buf_text(&path), (pm_text){"", 0}, &key, NULL) == PMAPDB_OK &&
            (pm_text_equal(name, PM_TEXT("smaps")) || pm_text_equal(name, PM_TEXT("maps"))) &&
            (b = find_beside(in, key.data)))
            join_siblings(c, &b->found);
        pm_buf_clear(&key);
        if (beside_key(pm_buf_text(&path), pm_place_stem(name), &key, NULL) == PMAPDB_OK &&
            (b = find_beside(in, key.data)))
            join_siblings(c, &b->found);
    }
    pm_buf_free(&path);
    pm_buf_free(&key);
}
