"""watch: the live screen, driven through a pseudo-terminal. It shows a growing process and its verdict,
the keys do what the screen says, a saved file is a store, and the terminal is restored at every
end. The test waits for what the screen shows, not for a time.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

PATIENCE_S = 120  # for a machine that is busy
# Grows by 1 MiB for each line that it reads.
GROWS = "import sys\nkept = []\nprint('ready', flush=True)\nfor line in sys.stdin: kept.append(b'x' * (1 << 20))\n"
check = kit.Check(shown=20)


class Screen:
    """pmapdb watch on a terminal of 90 x 30."""

    def __init__(self, place, *words):
        try:
            self.ours, theirs = pty.openpty()
        except OSError:
            kit.skip("no terminal can be made: /dev/pts is not mounted")
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
        self.theirs, self.before, self.bytes, self.folders = theirs, termios.tcgetattr(theirs), b"", set()
        self.program = subprocess.Popen([kit.PROGRAM, "watch", *words], stdin=theirs, stdout=theirs, stderr=theirs,
                                        cwd=place, env=kit.NO_LEAK_CHECK | {"TERM": "xterm"}, start_new_session=True)

    def read(self, wait=.2):
        if select.select([self.ours], [], [], wait)[0]:
            self.bytes += os.read(self.ours, 65536)
            return True
        return False

    def frame(self):
        frames = re.split(r"\x1b\[\?2026h", self.bytes.decode(errors="replace"))
        whole = [f for f in frames if "\x1b[?2026l" in f] or [""]
        return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", whole[-1])

    def until(self, what, shape):
        """Reads until the newest frame matches `shape`."""
        end = time.monotonic() + PATIENCE_S
        while not re.search(shape, self.frame()) and time.monotonic() < end:
            self.read()
        check.true(what, re.search(shape, self.frame()), self.frame())

    def snapshots(self):
        """The number of snapshots in the newest frame."""
        said = re.search(r"(\d+) snapshots?\b", self.frame())
        return int(said[1]) if said else 0

    def folder(self):
        """Notes the folder of the program's store, from its open files."""
        for entry in pathlib.Path("/proc/%d/fd" % self.program.pid).iterdir():
            place = os.path.dirname(os.path.realpath(entry))
            if re.fullmatch(r"/(dev/shm|tmp)/pmapdb-\w{6}", place):
                self.folders.add(place)

    def press(self, keys):
        os.write(self.ours, keys.encode())

    def end(self, what, status):
        end = time.monotonic() + PATIENCE_S
        while self.program.poll() is None and time.monotonic() < end:
            self.read()
        while self.read(0):
            pass
        check.equal(what + ": exit status", self.program.wait(PATIENCE_S), status)
        check.true(what + ": the screen is restored", self.bytes.rstrip().endswith(b"\x1b[?25h\x1b[?1049l"),
                   self.bytes[-80:])
        check.equal(what + ": the terminal is as before", termios.tcgetattr(self.theirs), self.before)
        os.close(self.ours)
        os.close(self.theirs)


def screens(place):
    if not os.path.exists("/dev/ptmx"):
        kit.skip("no pseudo-terminal here")
    line = subprocess.run([kit.PROGRAM, "watch"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=kit.ENVIRONMENT, check=False)
    check.equal("no terminal", (line.returncode, "capture --every" in line.stderr), (2, True))
    with subprocess.Popen([sys.executable, "-c", GROWS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as grows:
        grows.stdout.readline()
        pid = str(grows.pid)
        screen = Screen(place, pid, "--every", "100ms")
        end = time.monotonic() + PATIENCE_S
        while not re.search("LEAK|SUSPECT", screen.frame()) and time.monotonic() < end:
            seen = screen.snapshots()
            grows.stdin.write(b"\n")
            grows.stdin.flush()
            while screen.snapshots() == seen and time.monotonic() < end:
                screen.read()
        check.true("a verdict", screen.snapshots() >= 8, screen.frame())
        screen.folder()
        check.equal("a store in memory, without a file", len(screen.folders), 0)
        screen.until("categories", "anonymous")
        screen.press("\r")
        screen.until("mappings", r"mapping .*category[^#]*#\d+ ")
        screen.press("\r")
        screen.until("categories again", "category .*verdict")
        screen.press("m")
        screen.until("another number", "private by category")
        screen.press("a")
        screen.until("since A", "since A|A *\n")
        fcntl.ioctl(screen.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 70, 0, 0))
        os.kill(screen.program.pid, signal.SIGWINCH)
        screen.until("a resize", r"^(?=(?:.*\n){0,19}.*$)(?!.{80})")
        screen.press("\033")
        screen.until("the list", "1 process, by rss")
        screen.press("g")
        screen.until("a line per name", "1 name, by rss")
        screen.press("\r")
        screen.until("one process of the name", "Esc list")
        screen.press("\033")
        screen.until("the list again", "1 name, by rss")
        screen.press("g")
        screen.until("the processes again", "1 process, by rss")
        screen.press("/nobody\r")
        screen.until("a filter", "0 processes")
        screen.press("p")
        screen.until("a pause", "paused")
        screen.press("s")
        screen.until("saved", r"saved: pmapdb --db watch-\S+\.db")
        screen.press("q")
        screen.end("q", 0)
        saved = list(place.glob("watch-*.db"))
        check.equal("a store", len(saved), 1)
        check.true("its snapshots", len(kit.rows("snapshots", db=saved[0])) >= 8)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            screen = Screen(place, pid)
            screen.until("a screen", pid)
            os.kill(screen.program.pid, number)
            screen.end(number.name, 0)
        screen = Screen(place, "--match", "no such column = 1")
        screen.until("an error is shown", "no such|near|syntax")
        screen.press("q")
        screen.end("an error", 0)
        grows.stdin.close()
        grows.terminate()


kit.main(screens, check=check)
