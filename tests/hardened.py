"""Whether ELF files are hardened as the release flags promise: their tables read-only once they are loaded,
no memory that can be both written and run, no path of their own to look for libraries.
    hardened.py [--protected] [--fortified] FILE...
--protected: position independent, the stack is guarded, too; --fortified: and the C library checks sizes (_FORTIFY_SOURCE),
which needs the optimiser. A build with sanitizers has neither."""
import struct
import sys

DYNAMIC, INTERPRETER, LOAD = 2, 3, 1
GNU_STACK, GNU_RELRO = 0x6474E551, 0x6474E552
WRITE, RUN = 2, 1
STRTAB, SYMTAB, RPATH, RUNPATH, TEXTREL, BIND_NOW, FLAGS, FLAGS_1 = 5, 6, 15, 29, 22, 24, 30, 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW = 4, 8, 1


class Elf:
    """Of a 64-bit little-endian ELF file: program headers, the dynamic section, what it imports."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("no 64-bit little-endian ELF file")
        self.type, at, size, n = (struct.unpack_from("<" + form, self.data, where)[0]
                                  for form, where in (("H", 16), ("Q", 32), ("H", 54), ("H", 56)))
        # type, flags, offset, address, physical address, size in the file, in memory, alignment
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.data, at + i * size) for i in range(n)]
        self.dynamic = self.read_dynamic()
        self.imports = self.read_imports()

    def read_dynamic(self):
        entries = []
        for segment in self.segments:
            if segment[0] == DYNAMIC:
                entries = [struct.unpack_from("<QQ", self.data, segment[2] + i)
                           for i in range(0, segment[5], 16)]
        return {tag: value for tag, value in entries if tag}

    def offset(self, address):
        for kind, _, offset, start, _, size, _, _ in self.segments:
            if kind == LOAD and start <= address < start + size:
                return offset + address - start
        raise ValueError("address %#x is in no segment" % address)

    def read_imports(self):
        """Undefined dynamic symbols: the table ends where that of the names begins."""
        names, at, found = self.offset(self.dynamic[STRTAB]), self.offset(self.dynamic[SYMTAB]), set()
        while at < names:
            name, _, _, section = struct.unpack_from("<IBBH", self.data, at)
            if section == 0 and name:
                found.add(self.data[names + name:self.data.index(b"\0", names + name)].decode())
            at += 24
        return found


def faults(elf, protected, fortified):
    """Returns the missing protections."""
    d = elf.dynamic
    stack = [s for s in elf.segments if s[0] == GNU_STACK]
    wanted = (
        (elf.type == 3 or not protected, "not position independent"),
        (any(s[0] == GNU_RELRO for s in elf.segments), "no RELRO segment"),
        (BIND_NOW in d or d.get(FLAGS, 0) & DF_BIND_NOW or d.get(FLAGS_1, 0) & DF_1_NOW, "not bound at once"),
        (stack and not stack[0][1] & RUN, "its stack can be run"),
        (not any(s[0] == LOAD and s[1] & WRITE and s[1] & RUN for s in elf.segments), "memory to write and run"),
        (RPATH not in d and RUNPATH not in d, "an RPATH or RUNPATH"),
        (TEXTREL not in d and not d.get(FLAGS, 0) & DF_TEXTREL, "relocations in its code"),
        (not protected or "__stack_chk_fail" in elf.imports, "no stack protector"),
        (not fortified or any(s.endswith("_chk") for s in elf.imports), "no size is checked"),
    )
    return [what for good, what in wanted if not good]


def main():
    arguments = sys.argv[1:]
    files = [a for a in arguments if not a.startswith("--")]
    failed = False
    if not files:
        sys.exit(__doc__)
    for path in files:
        found = faults(Elf(path), "--protected" in arguments, "--fortified" in arguments)
        failed |= bool(found)
        print("%s: %s" % (path, ", ".join(found) or "hardened"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
