"""pmapdb_served (../serve.c), a pmapdb that is started once, for checks that run it hundreds of times: each run is a
fork, in the current folder, with the environment of the server's start."""
import atexit
import os
import select
import socket
import subprocess
import threading

own = threading.local()


def server_of(program):
    """Returns the path of pmapdb_served of the same build, or None."""
    path = os.path.join(os.path.dirname(os.path.abspath(program)), "tests", "pmapdb_served")
    if os.path.exists(path) and os.path.getmtime(path) >= os.path.getmtime(program):
        return path
    return None


def fed(data):
    """A pipe that a thread fills with data."""
    reading, writing = os.pipe()

    def fill():
        try:
            with open(writing, "wb") as pipe:
                pipe.write(data)
        except BrokenPipeError:
            pass
    threading.Thread(target=fill, daemon=True).start()
    return reading


class Server:
    """Runs one command at a time. Ends with its process or thread."""

    def __init__(self, path, env):
        self.pid = os.getpid()
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen([path], stdin=theirs, env=env)
        atexit.register(self.end)

    def end(self):
        if self.pid == os.getpid():
            self.socket.close()
            self.process.wait()

    def run(self, words, stdin):
        out, err = os.pipe(), os.pipe()
        given = [os.open(".", os.O_PATH), os.open(os.devnull, os.O_RDONLY) if stdin is None else fed(stdin), out[1], err[1]]
        socket.send_fds(self.socket, [b"".join(os.fsencode(w) + b"\0" for w in [str(len(words)), *words])], given)
        for fd in given:
            os.close(fd)
        texts = {out[0]: [], err[0]: []}
        unread, poll = set(texts), select.poll()
        for fd in texts:
            poll.register(fd, select.POLLIN)
        while unread:
            for fd, _ in poll.poll():
                part = os.read(fd, 1 << 20)
                texts[fd].append(part)
                if not part:
                    poll.unregister(fd)
                    os.close(fd)
                    unread.discard(fd)
        status = self.socket.recv(4)
        if not status:
            raise RuntimeError("pmapdb_served has ended: %s" % (words,))
        return subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(int.from_bytes(status, "little")),
                                           *(b"".join(text) for text in texts.values()))


def run(words, env, stdin=None):
    """Like subprocess.run(words, env=env, input=stdin, capture_output=True), with the env of the first run."""
    server = getattr(own, "server", None)
    if server is None or server.pid != os.getpid():
        path = server_of(words[0])
        if not path:
            return subprocess.run(words, env=env, capture_output=True, check=False,
                                  **{"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin})
        server = own.server = Server(path, env)
    return server.run(words, stdin)
