/* series: a scene with the n-th call of a kind failing, for every n. */
#include "fault/series.h"

#include "store/kit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINDINGS_SHOWN 5 /* of one series */

/* Stores of one scene that were looked at already. */
static struct {
    const scene *scene;
    uint64_t digest[4096];
    bool is_goal[4096];
    size_t n;
} known;

/* Ignores a warning that -shm or its folder is not available. */
static bool is_one_line(const char *said)
{
    const char *warning = strstr(said, "a file that does not change"), *end;

    end = strchr(warning ? strchr(warning, '\n') + 1 : said, '\n');
    return end && !end[1];
}

/* A new store has its name when it is whole, and the store that is read stays as it is. */
static const char *look_at_made(const scene *s, const undisturbed *u, const outcome *o)
{
    static char said[1024]; /* what the oracle said goes with its next word */
    content now;
    const char *wrong;

    if (!(s->traits & SCENE_MAKES))
        return NULL;
    if (scene_digest() != u->digest)
        return "the store that is read alone is another one";
    if (!scene_made() && o->exit_code == u->outcome.exit_code)
        return "says that all went well, and made nothing";
    if (!scene_made())
        return o->exit_code == FAULT_DIED || is_one_line(o->err) ? NULL : "says no line, or more";
    content_read(SCENE_MADE, &now);
    wrong = content_same(&now, &u->made);
    snprintf(said, sizeof said, SCENE_MADE ": %.900s", wrong ? wrong : "");
    content_free(&now);
    return wrong ? said : NULL;
}

bool series_measure(const scene *s, fault *f, undisturbed *u)
{
    const char *wrong;

    *u = (undisturbed){0};
    scene_set(s);
    u->digest = scene_digest();
    content_read(SCENE_STORE, &u->start);
    f->kind = NULL;
    scene_run(s, f, &u->outcome);
    u->live = f->live;
    content_read(SCENE_STORE, &u->goal);
    wrong = u->goal.wrong[0] ? u->goal.wrong : content_untrue(SCENE_STORE, "../truth");
    if (s->traits & SCENE_ADDS) /* a live process: its mappings are not in `truth` */
        wrong = u->goal.wrong[0] ? u->goal.wrong : NULL;
    if (s->traits & SCENE_MAKES)
        content_read(SCENE_MADE, &u->made);
    if (!wrong && s->traits & SCENE_MAKES)
        wrong = u->made.wrong[0] ? u->made.wrong : look_at_made(s, u, &u->outcome);
    if (!wrong &&
        (u->outcome.exit_code < 0 || u->outcome.exit_code > 1)) /* 3: check's wrong usage */
        wrong = u->outcome.err;
    if (wrong)
        printf("%s without a fault: %s\n", s->name, wrong);
    known.scene = s;
    known.n = 0;
    return !wrong;
}

void series_free(undisturbed *u)
{
    content_free(&u->start);
    content_free(&u->goal);
    content_free(&u->made);
    outcome_free(&u->outcome);
}

/* ---- after a run ---- */

/* A second run without a fault must end in the state of the undisturbed run. */
static const char *run_again(const scene *s, const undisturbed *u, fault *f)
{
    static char said[1024];
    const char *wrong = NULL;
    outcome o;
    content now;

    f->kind = NULL;
    if (s->traits & SCENE_MAKES) /* export never overwrites a file */
        scene_unmake();
    scene_run(s, f, &o);
    content_read(SCENE_STORE, &now);
    if (o.exit_code != u->outcome.exit_code) {
        snprintf(said, sizeof said, "run again: exit %d: %.300s", o.exit_code, o.err);
        wrong = said;
    } else if (now.wrong[0] || (!(s->traits & SCENE_ADDS) && content_same(&now, &u->goal))) {
        snprintf(said, sizeof said, "run again: %.900s",
                 now.wrong[0] ? now.wrong : content_same(&now, &u->goal));
        wrong = said;
    } else {
        wrong = look_at_made(s, u, &o);
    }
    outcome_free(&o);
    content_free(&now);
    return wrong;
}

/* What is wrong with the store that the run left, as it is or with a further run. */
static const char *look(const scene *s, const undisturbed *u, fault *f, bool *is_goal, tally *out)
{
    const content none = {0};
    uint64_t digest = scene_digest();
    const char *wrong;
    content now;

    for (size_t i = 0; i < known.n; i++)
        if (known.digest[i] == digest) {
            *is_goal = known.is_goal[i];
            return NULL;
        }
    out->states++;
    content_read(SCENE_STORE, &now);
    *is_goal = content_same(&now, &u->goal) == NULL;
    wrong = content_between(&now, s->traits & SCENE_NAMES ? &none : &u->start,
                            s->traits & (SCENE_ADDS | SCENE_NAMES) ? NULL : &u->goal,
                            !(s->traits & SCENE_STEPS));
    content_free(&now);
    if (!wrong)
        wrong = run_again(s, u, f);
    if (!wrong && known.n < sizeof known.digest / sizeof *known.digest) {
        known.digest[known.n] = digest;
        known.is_goal[known.n++] = *is_goal;
    }
    return wrong;
}

static bool says(const outcome *o, const char *words)
{
    return strcasestr(o->err, words) || strcasestr(o->out, words);
}

/* Names the reason and the thing. */
static const char *check_words(const fault_kind *kind, const outcome *o)
{
    static const char *const things[] = {
        "t.db",  "o.db",  "e.db",           "map.csv",         "../",     "out.csv",
        "/proc", ".sql'", "temporary file", "standard output", "process", "spool/"};

    if (!o->err[0] && !o->out[0])
        return "says nothing";
    if (kind->calls & FAULT_ALLOC)
        return says(o, "out of memory") || says(o, "Cannot allocate memory")
                   ? NULL
                   : "does not say that memory ran out";
    if (kind->os_errno == ENOSPC && !says(o, "no space left"))
        return "does not say that the disk is full";
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        if (says(o, things[i]))
            return NULL;
    return "does not name the file";
}

static const char *check_end(const scene *s, const undisturbed *u, const fault *f, const outcome *o,
                             bool is_goal, tally *out)
{
    if (o->exit_code == FAULT_DIED && f->kind->how > FAULT_SHORT) {
        out->died++;
        return NULL;
    }
    if (o->exit_code == 23 || o->exit_code == 97)
        return "a sanitizer complains";
    if (f->returned && f->live > u->live)
        return "does not give all memory back";
    if (o->exit_code == u->outcome.exit_code &&
        (s->traits & SCENE_SHOWS || strcmp(o->out, u->outcome.out) == 0)) {
        out->absorbed++;
        return is_goal || s->traits & SCENE_ADDS ? NULL : "says that all went well";
    }
    if (o->exit_code == u->outcome.exit_code && !(s->traits & SCENE_ADDS))
        return "says that all went well, and answers otherwise";
    out->reported++;
    /* libarchive, and the loader in dlopen, end the program themselves. */
    if (says(o, "Fatal Internal Error in libarchive") ||
        (o->exit_code == 127 && says(o, "out of memory")))
        return NULL;
    if (o->exit_code > 3 || (o->exit_code == 1 && !(s->traits & SCENE_SHOWS)) ||
        (o->exit_code != 2 && s->traits & SCENE_MAKES))
        return "another exit code than 2";
    return check_words(f->kind, o);
}

static void print_finding(const scene *s, const fault_kind *kind, bool onwards, uint64_t n,
                          const char *wrong, const outcome *o)
{
    char line[1200];

    snprintf(line, sizeof line, "FOUND %s %s %s %llu: %.600s (exit %d; %.300s)", s->name,
             kind->name, onwards ? "onwards" : "once", (unsigned long long)n, wrong, o->exit_code,
             o->err);
    for (char *p = line; *p; p++)
        if (*p == '\n')
            *p = '/';
    puts(line);
    fflush(stdout);
}

static const char *one(const scene *s, const undisturbed *u, const fault_kind *kind, bool onwards,
                       uint64_t n, fault *f, outcome *o, tally *out)
{
    const char *wrong, *litter, *missing, *made;
    bool is_goal = false;
    fault was;

    scene_set(s);
    *f = (fault){.kind = kind, .n = n, .onwards = onwards};
    scene_run(s, f, o);
    was = *f;
    if (!was.hit)
        return NULL;
    out->runs++;
    if (o->exit_code < 0)
        return "was killed by a signal";
    if (!(was.kind->how > FAULT_SHORT) && (litter = scene_litter()))
        return litter;
    /* The last transactions before a power cut may be lost: nothing waits for the disk. */
    missing = was.kind->how > FAULT_DIES ? NULL : content_missing(SCENE_STORE, o->out);
    made = look_at_made(s, u, o);
    wrong = look(s, u, f, &is_goal, out);
    *f = was;
    if (!wrong)
        wrong = check_end(s, u, f, o, is_goal, out);
    if (!wrong)
        wrong = made;
    return wrong ? wrong : missing;
}

static uint64_t calls_of(const scene *s, const fault_kind *kind, fault *f)
{
    outcome o = {0};

    scene_set(s);
    *f = (fault){.kind = kind};
    scene_run(s, f, &o);
    outcome_free(&o);
    return f->seen;
}

static uint64_t calls_and_places(const scene *s, const fault_kind *kind, fault_places *places,
                                 fault *f)
{
    uint64_t calls;

    if (places)
        memset(places, 0, sizeof *places);
    fault_places_now = places;
    calls = calls_of(s, kind, f);
    fault_places_now = NULL;
    return calls;
}

void series_run(const scene *s, const undisturbed *u, const fault_kind *kind, bool onwards,
                fault_places *places, fault *f, tally *out)
{
    outcome o = {0};
    bool through = false;

    *out = (tally){.calls = calls_and_places(s, kind, places, f)};
    for (uint64_t n = 1; !through; n++) {
        const char *wrong;

        if (places && n <= out->calls && n < sizeof places->first && !places->first[n])
            continue;
        wrong = one(s, u, kind, onwards, n, f, &o, out);
        through = !f->hit;
        if (wrong && ++out->found <= FINDINGS_SHOWN)
            print_finding(s, kind, onwards, n, wrong, &o);
        outcome_free(&o);
    }
}

void series_sample(const scene *s, const undisturbed *u, const char *only, uint64_t runs, fault *f,
                   tally *out)
{
    uint64_t chance = (uint64_t)(s - scenes), *calls = calloc(fault_n_kinds, sizeof *calls);
    outcome o = {0};

    if (!calls)
        abort();
    *out = (tally){0};
    for (size_t k = 0; k < fault_n_kinds; k++)
        calls[k] = UINT64_MAX; /* not counted yet */
    for (uint64_t tries = 0; out->runs < runs && tries < 100 * runs; tries++) {
        size_t k = kit_below(&chance, fault_n_kinds);
        const fault_kind *kind = &fault_kinds[k];
        bool onwards = !kind->once_only && kit_below(&chance, 2);
        const char *wrong;

        if (only && strcmp(only, kind->name) != 0)
            continue;
        if (calls[k] == UINT64_MAX)
            out->calls += calls[k] = calls_of(s, kind, f);
        if (!calls[k])
            continue;
        wrong = one(s, u, kind, onwards, 1 + kit_below(&chance, calls[k]), f, &o, out);
        if (wrong && ++out->found <= FINDINGS_SHOWN)
            print_finding(s, kind, onwards, f->n, wrong, &o);
        outcome_free(&o);
    }
    free(calls);
}

void series_show(const scene *s, const undisturbed *u, const fault_kind *kind, bool onwards,
                 uint64_t n, fault *f)
{
    outcome o = {0};
    tally t = {0};
    const char *wrong = one(s, u, kind, onwards, n, f, &o, &t);

    printf("exit %d, %llu failed, left %lld (undisturbed %lld)\n-- out\n%s-- err\n%s-- %s\n",
           o.exit_code, (unsigned long long)f->hit, (long long)f->live, (long long)u->live, o.out,
           o.err, wrong ? wrong : "as it should be");
    outcome_free(&o);
}
