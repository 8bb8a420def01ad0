/* pmap_names: the name at the end of a narrow row. Most tools print the kernel's own words, as far
 * as they print them at all, in brackets of their own. */
#include "parse/block.h"

static pm_text trim(pm_text t)
{
    while (t.len && t.data[0] == ' ')
        t = pm_text_from(t, 1);
    while (t.len && t.data[t.len - 1] == ' ')
        t.len--;
    return t;
}

static bool is_one_of(pm_text t, const char *const *words)
{
    for (; *words; words++)
        if (pm_text_equal(t, pm_text_of(*words)))
            return true;
    return false;
}

/* "[ anon ]", "[ stack ]" and what the translations of procps make of them; others ("[ shmid=0x1
 * ]") stay. */
static pm_text pseudo_name(pm_open *b, pm_text name)
{
    static const char *const anon[] = {"анон", "vô danh", "anôn", NULL};
    static const char *const stack[] = {"pile", "stos", "стек", "pila", "ngăn xếp", "pilha", NULL};
    pm_text word = trim((pm_text){name.data + 1, name.len - 2});
    bool is_anon = is_one_of(word, anon), is_stack = is_one_of(word, stack);

    b->translated |= is_anon || is_stack;
    if (is_anon || pm_text_equal(word, PM_TEXT("anon")))
        return PM_TEXT("");
    return is_stack || pm_text_equal(word, PM_TEXT("stack")) ? PM_TEXT("[stack]") : name;
}

/* Tools that print the kernel's names as they are. */
static bool is_plain(pm_dialect dialect)
{
    return dialect == PM_DIALECT_BUSYBOX || dialect == PM_DIALECT_BUSYBOX_X ||
           dialect == PM_DIALECT_TOYBOX_X;
}

/* "[ anon ]" has a blank inside, and procps sets it off by two more than a file's name. A web page
 * that keeps one blank of each run keeps only the one inside. */
static bool is_pseudo(const pm_open *b, pm_text name, size_t blanks, size_t separator)
{
    if (name.len < 4 || name.data[0] != '[' || name.data[name.len - 1] != ']')
        return false;
    return name.data[1] == ' ' ? blanks > separator || !b->padded : blanks == separator + 2;
}

/* toybox prints "[anon]" and the kernel's names in the place of procps' "[ anon ]". */
static bool is_tool_name(pm_text name)
{
    return pm_text_equal(name, PM_TEXT("[anon]")) || pm_text_equal(name, PM_TEXT("[heap]")) ||
           pm_text_equal(name, PM_TEXT("[vdso]")) || pm_text_equal(name, PM_TEXT("[vsyscall]")) ||
           pm_text_starts(name, PM_TEXT("[vvar")) || pm_text_starts(name, PM_TEXT("[anon:"));
}

void pm_name_read(pm_open *b, pm_dialect dialect, pm_text rest, pm_mapping *m)
{
    size_t blanks = 0, separator;
    pm_text name;

    if (is_plain(dialect))
        m->present |= PM_HAS_PSEUDO;
    while (blanks < rest.len && rest.data[blanks] == ' ')
        blanks++;
    if (blanks == rest.len) {
        m->path = PM_TEXT("");
        return;
    }
    name = pm_text_from(rest, blanks);
    if (b->name_blanks == 0)
        b->name_blanks = blanks == 2 || (blanks == 4 && name.data[0] == '[') ? 2 : 1;
    separator = blanks < (size_t)b->name_blanks ? blanks : (size_t)b->name_blanks;
    m->path = pm_text_from(rest, separator);
    if (pm_text_equal(name, PM_TEXT("[anon]"))) {
        m->path = PM_TEXT("");
        b->tool_names |= blanks > separator;
    } else if (is_pseudo(b, name, blanks, separator)) {
        bool own = name.data[1] == ' ';

        m->path = own ? pseudo_name(b, name) : name;
        b->tool_names |= !own && is_tool_name(name);
        if (!own)
            m->present |= PM_HAS_PSEUDO;
    } else if (pm_text_equal(name, PM_TEXT("[vdso]")) || pm_text_equal(name, PM_TEXT("[vvar]"))) {
        b->raw_names = true;
    }
}
