/* man_perf: pmapdb-perf(7): how to record call stacks for import-perf and who. */
#include "cli/man.h"

/* Each as in a help: paragraphs, and lines that begin with a blank as they are. */
static const struct {
    const char *title, *text;
} sections[] = {
    {"RECORDING",
     "What grew is known from captures; who asked for it is known from the calls mmap, munmap, "
     "brk, "
     "mremap and mprotect, which perf records with the chain of functions that led to each. Have "
     "both of the same time:\n\n"
     "  pmapdb capture --every 10s PID &\n"
     "  perf record -k CLOCK_MONOTONIC --call-graph dwarf -m 8M -p PID \\\n"
     "    -e 'syscalls:sys_*_mmap,syscalls:sys_*_munmap,syscalls:sys_*_brk' \\\n"
     "    -e 'syscalls:sys_*_mremap,syscalls:sys_*_mprotect'\n"
     "  perf script -F +pid,+ip,+sym,+symoff,+dso --show-lost-events |\n"
     "    pmapdb import-perf -\n"
     "  pmapdb who heap\n\n"
     "perf record ends with Ctrl-C, or by itself with '-- sleep 600' behind it. Instead of -p PID "
     "a command at its end is run, and recorded from its beginning. What was allocated before "
     "the recording has no chain: who prints it as not covered. So record for as long as it takes "
     "to grow by much more than it goes up and down; a first capture when the recording begins "
     "and one when it ends.\n\n"
     "Run perf script on the machine of the recording, and while the process lives: names "
     "come from the files that it maps and from /tmp/perf-PID.map. With -F, perf drops chains "
     "unless ip and sym are asked for, too; without pid its lines have the thread alone, and "
     "import-perf takes --pid, or the process that the store knows. Text of perf trace record is "
     "read as well; its raw_syscalls are passed over."},
    {"CALL CHAINS",
     "--call-graph fp follows frame pointers. It is cheap, and right where all code on the way "
     "keeps "
     "them. The C libraries of Debian 12 do not, as those of most distributions: the function that "
     "called mmap or mremap is left out of its chain, and everything above brk and above the mmap "
     "of malloc is lost, or is the one frame __mmap. import-perf says so where most chains of brk "
     "are that short. It serves for programs that map memory themselves: "
     "V8's and other heaps that are not malloc's.\n\n"
     "--call-graph dwarf copies 8 KiB of the stack with each event, and perf script unwinds it "
     "afterwards. It goes through the C library up to main, and shows inlined functions. What is "
     "deeper than 8 KiB is cut: --call-graph dwarf,16384 copies more, dwarf,4096 costs half. It "
     "ends "
     "at the first function that a JIT compiler made, which has no unwind tables."},
    {"JIT COMPILERS",
     "perf names such code from /tmp/perf-PID.map, which the program writes when it is told to:\n\n"
     "node: --perf-basic-prof --interpreted-frames-native-stack. The second gives functions names "
     "that are not compiled yet. JavaScript that fills V8's heap: --call-graph fp, with all "
     "callers. Buffers are malloc's: --call-graph dwarf, which ends at the function that asked for "
     "them. One function has several names, JS:~f as it is interpreted and JS:^f or JS:*f "
     "compiled.\n\n"
     "Python from 3.12: python3 -X perf, or PYTHONPERFSUPPORT=1. Functions are "
     "py::NAME:FILE. With --call-graph dwarf a chain ends at the innermost of them; callers need "
     "a Python that was compiled with -fno-omit-frame-pointer and --call-graph fp, or from 3.13 on "
     "-X "
     "perf_jit and perf inject --jit.\n\n"
     "Java from 17: -XX:+PreserveFramePointer, and -XX:+DumpPerfMapAtExit or, while it runs, jcmd "
     "PID "
     "Compiler.perfmap, before perf script. Older: perf-map-agent.\n\n"
     ".NET: DOTNET_PerfMapEnabled=1 in its environment."},
    {"DEBUG SYMBOLS",
     "Without symbols a frame is its address, or the exported function before it. Compile with -g, "
     "or "
     "install them: on Debian and Ubuntu the packages NAME-dbgsym and libc6-dbg, elsewhere "
     "debuginfo-install; or set DEBUGINFOD_URLS, by which a perf that was built with it loads what "
     "is missing."},
    {"COST",
     "Measured on two processors of a virtual machine, not idle, with Linux 6.18 and perf "
     "6.1, on a program that does nothing but map and unmap, 1 us a call. perf adds some 2 "
     "us a call with frame pointers and 7 us with DWARF: to a program that makes 300 such "
     "calls a second 0.06 % and 0.2 %; malloc asks the kernel seldom. perf.data grows by 100 "
     "bytes per event without chains, 160 with frame pointers, 8.5 kB with DWARF, 4.5 kB "
     "with dwarf,4096; a call is two events. perf script makes of it 200,000 events a second "
     "with frame pointers and 30,000 with DWARF; import-perf takes more than 400,000."},
    {"LOST EVENTS",
     "Where events come faster than perf writes them down it drops some. Of a lost munmap "
     "the memory seems still to be there, of a lost mmap nobody is known to have it. perf "
     "record and perf script say at their end that some are lost; with --show-lost-events it "
     "is in the text, too, and import-perf keeps the number. Larger buffers help: -m 8M is "
     "for each processor and holds 1000 events with DWARF, 50,000 with frame pointers; or "
     "dwarf,4096."},
    {"RIGHTS",
     "Processes of one's own may be recorded where the tracepoints can be read, which are "
     "root's:\n\n"
     "  chgrp -R perf /sys/kernel/tracing\n"
     "  chmod -R g+rX /sys/kernel/tracing\n\n"
     "Those of others need CAP_PERFMON (Linux 5.8 and later), too, and CAP_SYS_PTRACE. Buffers "
     "larger "
     "than kernel.perf_event_mlock_kb need CAP_IPC_LOCK: without it leave out -m. "
     "kernel.perf_event_paranoid may be 2, as on most systems; Debian's 3 keeps users away."},
    {"CONTAINERS",
     "Record and capture from the same place, for a process has one pid outside and another "
     "inside. Outside, perf finds files and the map in /tmp of the container as long as the "
     "process "
     "lives. Inside, perf needs CAP_PERFMON and /sys/kernel/tracing, which most containers lack."},
    {"CLOCKS",
     "perf's own clock is a few milliseconds off the clock that captures know, and the more the "
     "longer the machine runs: -k CLOCK_MONOTONIC. Live captures store both that and UTC; where "
     "captures are text, import-perf finds the difference from the maps: what captures see come "
     "and "
     "go, the calls say when. --clock-offset gives it."},
};

void pm_man_perf(pm_man *m)
{
    pm_man_begin(m, "pmapdb-perf", "7", "recording call stacks for pmapdb");
    pm_man_section(m, "SYNOPSIS");
    pm_man_raw(m, "\\fBperf record\\fP ... \\fB\\-p\\fP \\fIPID\\fP");
    pm_man_raw(m, ".br");
    pm_man_raw(m, "\\fBperf script\\fP ... | \\fBpmapdb\\fP \\fBimport\\-perf\\fP \\-");
    pm_man_raw(m, ".br");
    pm_man_raw(m, "\\fBpmapdb\\fP \\fBwho\\fP");
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        pm_man_section(m, sections[i].title);
        pm_man_help(m, pm_text_of(sections[i].text));
    }
    pm_man_section(m, "SEE ALSO");
    pm_man_raw(m, "\\fBpmapdb\\fP(1), \\fBperf\\-record\\fP(1), \\fBperf\\-script\\fP(1), "
                  "\\fBcapabilities\\fP(7)");
}
