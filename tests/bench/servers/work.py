"""A server with a cache of bounded size."""
import ctypes
import http.server
import json
import random
import sys

cache = {}


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def work():
    words = [{"id": i, "name": "item %d" % (i * 31)} for i in range(3000)]
    cache[random.randrange(20000)] = json.dumps(words)[:8000]
    if len(cache) > 5000:
        del cache[next(iter(cache))]
    return "done"


def stats():
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Mallinfo
    m = mallinfo()
    return json.dumps({"used": m.uordblks + m.hblkhd, "held": m.arena + m.hblkhd, "blocks": sys.getallocatedblocks()})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        answer = (stats() if self.path == "/stats" else work()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
