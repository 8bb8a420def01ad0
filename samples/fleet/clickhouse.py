#!/usr/bin/env python3
"""ClickHouse for a trial or a test: from the distribution's package, on loopback, without root.

    python3 clickhouse.py start DIR [--shards N] [--replicas N] [--tls]    prints the URL of each server
    python3 clickhouse.py stop DIR                                         and removes what it made in DIR
    python3 clickhouse.py run URL < schema.sql                             runs statements one by one

With more than one server they are the cluster `fleet`; replicas need ZooKeeper (package zookeeper),
which is started, too. All files and the process ids are in DIR; ports are free ones. Users: default
(no password), pusher (password push), reader (password read, may only read). As a module:

    with clickhouse.Cluster(folder, shards=2, replicas=2) as fleet:
        fleet.urls, fleet.ask("SELECT 1", server=0), fleet.kill(0), fleet.start(0)
"""
import argparse
import ctypes
import glob
import hashlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SERVER = shutil.which("clickhouse-server", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")
JARS = ["zookeeper", "zookeeper-jute", "netty-all", "netty-handler", "netty-transport", "netty-common",
        "netty-buffer", "netty-codec", "slf4j-api", "slf4j-nop", "commons-cli", "snappy-java", "metrics-core"]


def missing(replicas=1):
    """What keeps a cluster from being started here, or an empty text."""
    if not SERVER:
        return "clickhouse-server is not installed"
    if replicas > 1 and not (shutil.which("java") and os.path.exists("/usr/share/java/zookeeper.jar")):
        return "zookeeper is not installed"
    return ""


def free_ports(n):
    """n ports that nobody listens on, all different."""
    held = [socket.socket() for _ in range(n)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def end_with_parent():
    """The process ends when the one that started it does."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def wait_until(ready, what, seconds=60):
    """Waits for a server; True values of ready() end the wait."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise RuntimeError(f"{what} did not get ready in {seconds} s")
        time.sleep(0.02)


def replied(port, request, reply):
    """True if the port answers the bytes `request` with `reply`."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as s:
            s.sendall(request)
            return reply in s.recv(4096)
    except OSError:
        return False


CONFIG = """<yandex>
<logger><level>warning</level><log>{dir}/log</log><errorlog>{dir}/err</errorlog></logger>
<listen_host>127.0.0.1</listen_host>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
<interserver_http_host>127.0.0.1</interserver_http_host><interserver_http_port>{inter}</interserver_http_port>
{tls}
<path>{dir}/data/</path><tmp_path>{dir}/tmp/</tmp_path><user_files_path>{dir}/files/</user_files_path>
<users_config>{dir}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<timezone>UTC</timezone><mark_cache_size>67108864</mark_cache_size>
<remote_servers><fleet>{shards}</fleet></remote_servers>
{zookeeper}
<macros><shard>{shard}</shard><replica>{replica}</replica></macros>
<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
</yandex>
"""
TLS = """<https_port>{https}</https_port><openSSL><server><certificateFile>{dir}/crt</certificateFile>
<privateKeyFile>{dir}/key</privateKeyFile><verificationMode>none</verificationMode>
<loadDefaultCAFile>false</loadDefaultCAFile></server></openSSL>"""
USERS = """<yandex>
<profiles><default></default>
<reader><readonly>2</readonly><max_execution_time>60</max_execution_time></reader></profiles>
<users>{users}</users>
<quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors><result_rows>0</result_rows>
<read_rows>0</read_rows><execution_time>0</execution_time></interval></default></quotas>
</yandex>
"""
USER = """<{name}>{password}<networks><ip>127.0.0.1</ip></networks><profile>{profile}</profile>
<quota>default</quota></{name}>"""


def users_xml():
    """default without a password; inter for the servers among themselves; pusher; reader."""
    def user(name, password, profile="default"):
        digest = hashlib.sha256(password.encode()).hexdigest()
        said = f"<password_sha256_hex>{digest}</password_sha256_hex>" if password else "<password></password>"
        return USER.format(name=name, password=said, profile=profile)
    return USERS.format(users=user("default", "") + user("inter", "inter") + user("pusher", "push") +
                        user("reader", "read", "reader"))


class Cluster:
    """Servers shard by shard: server i is replica i % replicas of shard i // replicas."""

    def __init__(self, folder, shards=1, replicas=1, tls=False, stays=False):
        self.folder = pathlib.Path(folder).resolve()
        self.shards, self.replicas, self.tls = shards, replicas, tls
        self.before = None if stays else end_with_parent
        n = shards * replicas
        ports = free_ports(4 * n + 1)
        self.zookeeper_port = ports.pop() if replicas > 1 else None
        self.ports = [ports[4 * i:4 * i + 4] for i in range(n)]  # http, tcp, interserver, https
        self.urls = [f"http://127.0.0.1:{p[0]}" for p in self.ports]
        self.tls_urls = [f"https://localhost:{p[3]}" for p in self.ports] if tls else []
        self.process = {}  # name of a server: its Popen
        self.made = []

    def __enter__(self):
        why = missing(self.replicas)
        if why:
            raise RuntimeError(why)
        try:
            if self.zookeeper_port:
                self.start_zookeeper()  # before the servers: 18.16 crashes at ON CLUSTER without it
            for i in range(len(self.ports)):
                self.start(i)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(self.process):
            self.kill(name)
        for made in self.made:
            shutil.rmtree(made, ignore_errors=True)

    def make(self, name):
        """The folder of a server."""
        path = self.folder / name
        if not path.exists():
            path.mkdir(parents=True)
            self.made.append(path)
        return path

    def spawn(self, name, command):
        with open(self.folder / name / "out", "ab") as out:
            # pylint: disable-next=consider-using-with,subprocess-popen-preexec-fn
            self.process[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                  preexec_fn=self.before, start_new_session=True)

    def write_config(self, i):
        here = self.make(f"server{i}")
        if (here / "config.xml").exists():
            return
        http, tcp, inter, https = self.ports[i]
        if self.tls:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout",
                            here / "key", "-out", here / "crt", "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        replica = "<replica><host>127.0.0.1</host><port>{}</port><user>inter</user><password>inter</password></replica>"
        shards = "".join(
            "<shard><internal_replication>true</internal_replication>" +
            "".join(replica.format(self.ports[s * self.replicas + r][1]) for r in range(self.replicas)) + "</shard>"
            for s in range(self.shards))
        zookeeper = "" if not self.zookeeper_port else (
            f"<zookeeper><node><host>127.0.0.1</host><port>{self.zookeeper_port}</port></node>"
            "<session_timeout_ms>5000</session_timeout_ms></zookeeper>")
        (here / "users.xml").write_text(users_xml())
        (here / "config.xml").write_text(CONFIG.format(
            dir=here, http=http, tcp=tcp, inter=inter, tls=TLS.format(dir=here, https=https) if self.tls else "",
            shards=shards, zookeeper=zookeeper, shard=i // self.replicas + 1, replica=f"r{i % self.replicas + 1}"))

    def start(self, i):
        """Starts server i, and waits until it answers."""
        self.write_config(i)
        self.spawn(f"server{i}", [SERVER, f"--config-file={self.folder}/server{i}/config.xml"])
        port = self.ports[i][0]
        wait_until(lambda: self.alive(f"server{i}") and replied(port, b"GET /ping HTTP/1.0\r\n\r\n", b"Ok."),
                   f"server {i}")

    def start_zookeeper(self):
        here = self.make("zookeeper")
        (here / "zoo.cfg").write_text(
            f"tickTime=500\ndataDir={here}\nclientPort={self.zookeeper_port}\nclientPortAddress=127.0.0.1\n"
            "admin.enableServer=false\n4lw.commands.whitelist=srvr\n")
        jars = [j for name in JARS for j in glob.glob(f"/usr/share/java/{name}.jar")]
        self.spawn("zookeeper", ["java", "-Xmx128m", "-cp", ":".join([str(here), *jars]),
                                 "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(here / "zoo.cfg")])
        wait_until(lambda: self.alive("zookeeper") and replied(self.zookeeper_port, b"srvr", b"Mode:"), "ZooKeeper")

    def alive(self, name):
        if self.process[name].poll() is not None:
            said = (self.folder / name / "out").read_text(errors="replace")
            raise RuntimeError(f"{name} ended: {said[-600:]}")
        return True

    def caught_up(self):
        """Waits until every replica that runs has all rows of its shard."""
        behind = ("SELECT count() FROM system.replicas WHERE queue_size > 0 OR is_readonly "
                  "OR log_pointer <= log_max_index AND log_max_index > 0")
        wait_until(lambda: all(self.ask(behind, i) == [["0"]] for i in range(len(self.urls))
                               if f"server{i}" in self.process), "replication")

    def kill(self, name):
        """Ends a server, by its number or name. TERM would take five seconds."""
        process = self.process.pop(name if isinstance(name, str) else f"server{name}", None)
        if process:
            process.kill()
            process.wait()

    def ask(self, sql, server=0, database="", data=b"", **settings):
        """The rows of an answer as lists of text; the statement may have data of an INSERT."""
        settings = {"query": sql, **({"database": database} if database else {}), **settings}
        text = post(self.urls[server], data, **settings)
        return [line.split("\t") for line in text.splitlines()]

    def run(self, script, server=0):
        """Runs the statements of `pmapdb fleet schema`."""
        run(self.urls[server], script)


def post(url, data, **settings):
    """The text of a server's reply."""
    try:
        request = urllib.request.Request(url + "/?" + urllib.parse.urlencode(settings), data=data)
        with urllib.request.urlopen(request, timeout=600) as reply:
            return reply.read().decode()
    except urllib.error.HTTPError as e:
        raise RuntimeError(e.read().decode()[:600]) from None


def run(url, script):
    """Runs statements that each end with a semicolon at the end of a line."""
    lines = [line for line in script.splitlines() if not line.startswith("--")]
    for statement in "\n".join(lines).split(";\n"):
        if statement.strip(" ;\n"):
            post(url, statement.strip(" ;\n").encode())


def start(args):
    fleet = Cluster(args.dir, args.shards, args.replicas, args.tls, stays=True)
    with_made = fleet.__enter__()
    state = {"pids": [p.pid for p in with_made.process.values()], "made": [str(m) for m in fleet.made]}
    (fleet.folder / "running.json").write_text(json.dumps(state))
    print("\n".join(itertools.chain(fleet.urls, fleet.tls_urls)))


def stop(args):
    kept = pathlib.Path(args.dir) / "running.json"
    state = json.loads(kept.read_text())
    ours = [pid for pid in state["pids"] if any(word in command_of(pid) for word in ("clickhouse", "zookeeper"))]
    for pid in ours:
        os.kill(pid, signal.SIGTERM)
    try:
        wait_until(lambda: not any(command_of(pid) for pid in ours), "the end", 15)
    except RuntimeError:
        for pid in filter(command_of, ours):
            os.kill(pid, signal.SIGKILL)
    for made in state["made"]:
        shutil.rmtree(made, ignore_errors=True)
    kept.unlink()


def command_of(pid):
    """The command line of a process; empty if it ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    starting = commands.add_parser("start")
    starting.add_argument("dir")
    starting.add_argument("--shards", type=int, default=1)
    starting.add_argument("--replicas", type=int, default=1)
    starting.add_argument("--tls", action="store_true")
    commands.add_parser("stop").add_argument("dir")
    commands.add_parser("run").add_argument("url")
    args = parser.parse_args()
    try:
        if args.command == "run":
            run(args.url, sys.stdin.read())
        else:
            (start if args.command == "start" else stop)(args)
    except (OSError, RuntimeError) as e:
        sys.exit(f"clickhouse.py: {e}")


if __name__ == "__main__":
    main()
