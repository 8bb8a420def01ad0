/* labels_words: what a label makes of a category. NMT and System.map have two words for each. */
#include "parse/labels.h"

/* What a JVM's memory is for, as far as a category tells it apart. */
typedef enum purpose { HEAP, STACK, CODE, METASPACE, GC, CDS, OTHER, N_PURPOSES } purpose;

static const struct {
    const char *word;
    purpose purpose;
} words[] = {
    {"Java Heap", HEAP},
    {"JAVAHEAP", HEAP},
    {"Thread Stack", STACK},
    {"STACK", STACK},
    {"Code", CODE},
    {"CODE", CODE},
    {"Class", METASPACE},
    {"CLASS", METASPACE},
    {"Metaspace", METASPACE},
    {"META", METASPACE},
    {"GC", GC},
    {"GCCardSet", GC},
    {"CARDTBL", GC},
    {"Shared class space", CDS},
    {"CDS", CDS},
};

/* STACK-4712-main, STACK:4712-main: behind the word stands whose stack it is. */
static bool is_word(const char *label, const char *word)
{
    size_t n = strlen(word);

    return strncmp(label, word, n) == 0 &&
           (label[n] == '\0' || (strcmp(word, "STACK") == 0 && pm_char_in(label[n], "-:")));
}

static purpose purpose_of(const char *label)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(label, words[i].word))
            return words[i].purpose;
    return OTHER;
}

/* By base. A file or a segment keeps what its name says, but for what only the JVM knows. */
static const struct {
    pm_text base;
    const char *category[N_PURPOSES];
} categories[] = {
    {{"anonymous", 9},
     {[HEAP] = "anonymous/jvm-heap",
      [STACK] = "anonymous/thread-stack",
      [CODE] = "anonymous/jvm-code",
      [METASPACE] = "anonymous/jvm-metaspace",
      [GC] = "anonymous/jvm-gc",
      [CDS] = "anonymous/jvm-cds",
      [OTHER] = "anonymous/jvm-native"}},
    {{"reserve", 7},
     {[HEAP] = "reserve/jvm-heap",
      [STACK] = "reserve/guard",
      [CODE] = "reserve/jvm-code",
      [METASPACE] = "reserve/jvm",
      [GC] = "reserve/jvm",
      [CDS] = "reserve/jvm",
      [OTHER] = "reserve/jvm"}},
    {{"memfd", 5}, {[HEAP] = "memfd/jvm-heap"}},
    {{"shared-memory", 13}, {[HEAP] = "shared-memory/jvm-heap"}},
    {{"mapped-file", 11}, {[CDS] = "mapped-file/jvm-cds"}},
};

const char *pm_label_category(const char *label, pm_text base)
{
    if (strchr(label, ',')) /* the kernel merged memory of several: nobody's name fits */
        return NULL;
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (pm_text_equal(base, categories[i].base))
            return categories[i].category[purpose_of(label)];
    return NULL;
}

const char *pm_label_rest(const pm_labels *l, pm_text category)
{
    static const purpose mapped[] = {HEAP, CODE, METASPACE, GC, CDS};
    bool says = l->source == PM_LABELS_NMT && pm_labels_whole(l);

    for (size_t i = 0; says && i < sizeof mapped / sizeof *mapped; i++)
        if (pm_text_equal(category, pm_text_of(categories[0].category[mapped[i]])))
            return categories[0].category[OTHER];
    return NULL;
}
