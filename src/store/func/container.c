/* container: finds the container and the unit in the path of a cgroup. */
#include "store/func/expression.h"

#include "base/num.h"

#define ID 64       /* hex digits */
#define ID_SHOWN 12 /* of them */

/* Components of the path of a cgroup that the drivers cgroupfs and systemd make: those that begin
 * with `begin`, in the folder `parent` (NULL: any). `named`: the rest is a name; otherwise it is an
 * id. */
static const struct {
    const char *parent, *begin, *runtime;
    bool named;
} kinds[] = {
    {NULL, "docker-", "docker", false},      {NULL, "cri-containerd-", "containerd", false},
    {NULL, "nerdctl-", "containerd", false}, {NULL, "crio-", "crio", false},
    {NULL, "libpod-", "podman", false},      {NULL, "lxc.payload.", "lxc", true},
    {NULL, "machine-", "machine", true},     {NULL, "systemd-nspawn@", "machine", true},
    {"docker", "", "docker", false},         {"pod*", "", "kubepods", false},
    {"default", "", "containerd", false},    {"k8s.io", "", "containerd", false},
    {"libpod_parent", "", "podman", false},  {"lxc", "", "lxc", true}};

static bool is_id(pm_text t)
{
    size_t n = 0;

    while (n < t.len && pm_char_in(t.data[n], "0123456789abcdef"))
        n++;
    return n == ID && t.len == ID;
}

/* Cuts .scope or .service off. */
static pm_text without_suffix(pm_text t)
{
    static const char *const suffixes[] = {".scope", ".service"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (pm_text_ends(t, pm_text_of(suffixes[i])))
            t.len -= strlen(suffixes[i]);
    return t;
}

/* systemd writes other characters than letters, digits and :_. as \x2d and so on. */
static void add_name(pm_text t, pm_buf *out)
{
    while (t.len) {
        uint64_t byte = 0;
        bool escaped = t.len >= 4 && t.data[0] == '\\' && t.data[1] == 'x' &&
                       pm_num_hex(t.data + 2, t.data + 4, &byte) == 2;
        char c = escaped ? (char)byte : t.data[0];

        pm_buf_add(out, &c, 1, NULL);
        t = pm_text_from(t, escaped ? 4 : 1);
    }
}

static void set(pm_buf *out, const char *runtime, pm_text name, bool named)
{
    pm_buf_clear(out);
    pm_buf_addf(out, NULL, "%s/", runtime);
    add_name(named ? name : (pm_text){name.data, ID_SHOWN}, out);
}

static bool is_in(pm_text parent, const char *folder)
{
    return !folder || pm_text_equal(parent, pm_text_of(folder)) ||
           (strcmp(folder, "pod*") == 0 && pm_text_starts(parent, PM_TEXT("pod")));
}

/* Sets the name if the component is a container; the last one of a path stays. */
static void try(pm_text parent, pm_text component, pm_buf *out)
{
    pm_text t = without_suffix(component);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        pm_text rest = pm_text_from(t, strlen(kinds[i].begin));

        if (is_in(parent, kinds[i].parent) && pm_text_starts(t, pm_text_of(kinds[i].begin)) &&
            (kinds[i].named ? rest.len > 0 : is_id(rest)))
            set(out, kinds[i].runtime, rest, kinds[i].named);
    }
}

void pm_container_of(pm_text cgroup, pm_buf *out)
{
    pm_text parent = PM_TEXT("");

    while (cgroup.len) {
        pm_text component = pm_text_cut(&cgroup, '/');

        try(parent, component, out);
        parent = component;
    }
}

pm_text pm_unit_of(pm_text cgroup)
{
    pm_text unit = PM_TEXT("");

    while (cgroup.len) {
        pm_text component = pm_text_cut(&cgroup, '/');

        if (without_suffix(component).len < component.len)
            unit = component;
    }
    return unit;
}
