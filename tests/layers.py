#!/usr/bin/env python3
"""The structure of src.     python3 layers.py SRC [--report]

A folder includes only folders of lower floors; packages stay in their homes; only cli prints or exits;
the loadable extension does not call libsqlite3. No folder has more than 25 files, no file includes
itself through others, and a chain of includes inside store has at most 8 files. --report prints the
sizes of the folders and the longest chain, and judges nothing.
"""
import pathlib
import re
import sys

FLOORS = {"base": 0, "pages": 1, "parse": 1, "perf": 1, "classify": 1, "stats": 1, "render": 1, "source": 2, "http": 2,
          "store": 2,
          "api": 3, "cli": 4, "sqlite": 4}
HOMES = {"sqlite3.h": ("store", "sqlite"), "sqlite3ext.h": ("store", "sqlite"), "csv.h": ("parse", "render"),
         "archive.h": ("source",), "archive_entry.h": ("source",), "jansson.h": ("render",),
         "libsmartcols.h": ("render",), "libsmartcols/libsmartcols.h": ("render",), "pcre2.h": ("classify",),
         "utf8proc.h": ("base", "render"), "zlib.h": ("render",), "curl/curl.h": ("http",)}
# What the extension takes of store and api needs no libsqlite3.
EXTENSION_MAY = ("store/func/functions.h", "store/rules/rules_file.h", "api/blocks.h", "api/categorize.h")
FILES_MAX, CHAIN_MAX = 25, 8
PRINTS = re.compile(r"\b(v?printf|puts|putchar|perror|exit|_exit|abort)\s*\(|\b(stdout|stderr)\b")


class Source:
    """One file: its includes as paths below src, the packages it includes, its text without comments."""

    def __init__(self, root, path):
        text = path.read_text()
        self.name = str(path.relative_to(root))
        self.folder = self.name.split("/")[0]
        self.own = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M)
        self.packages = re.findall(r"^\s*#\s*include\s+<([^>]+)>", text, re.M)
        self.code = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def includes_of(source):
    """Complaints about what one file includes and calls."""
    for header in source.own:
        if header == "pmapdb.h":
            continue
        target = header.split("/")[0]
        if target == header or target not in FLOORS:
            yield f'"{header}" is not FOLDER/NAME of a folder in src'
        elif target != source.folder and FLOORS[target] >= FLOORS[source.folder]:
            yield f"may not include {header}: floor {FLOORS[target]} from floor {FLOORS[source.folder]}"
        if source.folder == "sqlite" and target in ("store", "api") and header not in EXTENSION_MAY:
            yield f"may not include {header}: the extension does not link libsqlite3"
    for package in source.packages:
        if package in HOMES and source.folder not in HOMES[package]:
            yield f"may not include <{package}>, whose home is {' and '.join(HOMES[package])}"
        if source.folder == "sqlite" and package == "sqlite3.h":
            yield "may not include <sqlite3.h>: the extension does not link libsqlite3"
    printed = PRINTS.search(source.code) if source.folder != "cli" else None
    if printed:
        yield f"only cli prints or exits: {printed.group(0)}"


def longest_chain(graph):
    """The longest chain of includes of an acyclic graph {name: names}, as a list."""
    known = {}

    def chain(name):
        if name not in known:
            known[name] = max(([name, *chain(n)] for n in graph[name]), key=len, default=[name])
        return known[name]
    return max((chain(name) for name in graph), key=len, default=[])


def circle(graph):
    """A circle of includes as a list of names, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        path.append(name)
        found = next((c for c in map(visit, graph[name]) if c), None)
        path.pop()
        done.add(name)
        return found
    return next((c for c in map(visit, sorted(graph)) if c), None)


def graph_of(sources, prefix=""):
    """Header -> headers it includes, and source -> its headers, below a prefix."""
    names = {s.name for s in sources}
    return {s.name: [h for h in s.own if h in names and h.startswith(prefix)]
            for s in sources if s.name.startswith(prefix)}


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [Source(root, p) for p in sorted(root.rglob("*.[ch]"))]
    sys.setrecursionlimit(10000)
    complaints = [f"{s.name}: its folder has no floor" for s in sources if s.folder not in FLOORS]
    complaints += [f"{s.name}: {text}" for s in sources if s.folder in FLOORS for text in includes_of(s)]
    sizes = {}
    for s in sources:
        folder = str(pathlib.PurePath(s.name).parent)
        sizes[folder] = sizes.get(folder, 0) + 1
    complaints += [f"{folder}: {n} files, {FILES_MAX} at most" for folder, n in sorted(sizes.items())
                   if n > FILES_MAX]
    found = circle(graph_of(sources))
    chain = [] if found else longest_chain(graph_of(sources, "store/"))
    if found:
        complaints.append("a circle of includes: " + " -> ".join(found))
    elif len(chain) > CHAIN_MAX:
        complaints.append(f"store: a chain of {len(chain)} includes, {CHAIN_MAX} at most: " + " -> ".join(chain))
    if "--report" in sys.argv:
        print("\n".join(f"{n:4} {folder}" for folder, n in sorted(sizes.items())))
        print(f"longest chain in store, {len(chain)}: " + " -> ".join(chain))
    print("\n".join(complaints))
    if "--report" in sys.argv:
        return 0
    if not sources or complaints:
        print(f"{len(complaints)} complaints about {len(sources)} files")
        return 1
    print(f"{len(sources)} files keep to their floors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
