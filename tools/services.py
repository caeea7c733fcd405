"""Servers that a program starts on this machine for a while, and surely ends again.

What tools/cluster and the benchmarks of bench/peers share. Every server runs in a session of its own,
so that Ctrl-C at the terminal reaches only the program, which then ends its servers by their process
ids; and if the program itself is killed the kernel ends them. Data lies in a folder that the caller
gives and removes.
"""

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

READY_S = 60
STOP_S = 20
ZOOKEEPER_JAR = Path("/usr/share/java/zookeeper.jar")
# On few cores its servers are fastest with few threads: those that wait for sockets also read them, and
# one collects garbage.
ZOOKEEPER_SETTINGS = ("-Dzookeeper.nio.numWorkerThreads=0",
                      "-Dzookeeper.commitProcessor.numWorkerThreads=0", "-XX:+UseSerialGC")
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Missing(Exception):
    """A program is not installed here."""


class Failed(Exception):
    """A program is installed but does not work."""


def say(text):
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def end_by_signals():
    """If somebody ends this program, by Ctrl-C or a signal, it first ends its servers."""
    def leave(number, _):
        # The servers are being ended: nothing may come in between.
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_IGN)
        sys.exit(128 + number)

    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, leave)


def children():
    """The processes that this one has to end, with those whose own parents have ended before them."""
    return [int(one) for one in
            Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def end_children():
    for number, patience_s in ((signal.SIGTERM, 2), (signal.SIGKILL, STOP_S)):
        deadline = time.monotonic() + patience_s
        told = set()
        while children() and time.monotonic() < deadline:
            for one in set(children()) - told:
                told.add(one)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, number)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0] != 0:
                    pass
            time.sleep(0.01)


@contextlib.contextmanager
def ending_children():
    """Whatever was started in the block, and whatever that has started, has ended after it; also if
    the block is left at a bad moment, such as while a process is being started."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        end_children()


def end_with_parent():
    """In a child, before its program: the kernel kills it when this program is gone."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


RESERVED = []


def reserve_ports(count):
    """Ports on loopback that nobody else gets until this program ends, also while no server listens
    there: each is kept by a socket that is bound and never listens, beside which a server binds it
    (src/io/reserved_port.h says more)."""
    new = [socket.socket() for _ in range(count)]
    RESERVED.extend(new)
    for one in new:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("127.0.0.1", 0))
    return [one.getsockname()[1] for one in new]


def answers(address, question=b"", expected=b""):
    """Whether somebody listens there and, to a question, says something like the expected."""
    family = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
    try:
        with socket.socket(family, socket.SOCK_STREAM) as connection:
            connection.settimeout(2)
            connection.connect(address)
            if not question:
                return True
            connection.sendall(question)
            return expected in connection.recv(4096)
    except OSError:
        return False


def ask_etcd(address, path, body=None):
    """The answer of a member of etcd over HTTP; nothing if it does not answer."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", data=body, timeout=2) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return {}


def etcd_healthy(address):
    return ask_etcd(address, "/health").get("health") == "true"


def wait_until(what, condition, alive=lambda: True, seconds=READY_S):
    """Polls; fails when time is up or what it waits for cannot come any more."""
    deadline = time.monotonic() + seconds
    while not condition():
        if not alive():
            raise Failed(f"{what}: ended")
        if time.monotonic() > deadline:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(0.05)


class Server:
    """A process that this program starts, and all that it starts itself."""

    def __init__(self, name, command, folder, ready):
        if shutil.which(command[0]) is None:
            raise Missing(f"{command[0]} is not installed")
        self.name, self.command, self.folder, self.ready = name, command, folder, ready
        self.log = folder / "log"
        self.process = None

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=end_with_parent)

    def wait_ready(self):
        try:
            wait_until(self.name, self.ready, self.is_running)
        except Failed as reason:
            last = self.log.read_text(errors="replace").strip().splitlines()[-5:]
            raise Failed("\n  ".join([str(reason), *last])) from reason

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        if self.is_running():
            os.kill(self.process.pid, number)

    def wait(self):
        self.process.wait(timeout=STOP_S)

    def stop(self, *numbers):
        """Ends it and its children; without arguments gently first."""
        if self.process is None:
            return
        for number in numbers or (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.wait()
                return

    def kill(self):
        self.stop(signal.SIGKILL)


@contextlib.contextmanager
def running(name, command, folder, ready):
    """A server for as long as the block runs. `ready` says whether it answers."""
    server = Server(name, command, folder, ready)
    try:
        server.start()
        server.wait_ready()
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def all_running(servers):
    """Several, which become ready together. They end without ceremony: nobody needs their data."""
    try:
        for server in servers:
            server.start()
        for server in servers:
            server.wait_ready()
        yield
    finally:
        for server in servers:
            server.kill()


class EtcdCluster:
    """Several members of one etcd on loopback."""

    def __init__(self, folder, size=3):
        names = [f"etcd-{i + 1}" for i in range(size)]
        ports = reserve_ports(2 * size)
        self.addresses = [f"127.0.0.1:{port}" for port in ports[:size]]
        peers = [f"http://127.0.0.1:{port}" for port in ports[size:]]
        together = ",".join(f"{name}={peer}" for name, peer in zip(names, peers))
        self.members = [Server(name, [
            "etcd", "--name", name, "--data-dir", str(folder / name / "data"), "--log-level", "error",
            "--logger", "zap", "--listen-client-urls", f"http://{address}",
            "--advertise-client-urls", f"http://{address}", "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer, "--initial-cluster", together,
        ], folder / name, lambda address=address: etcd_healthy(address))
            for name, address, peer in zip(names, self.addresses, peers)]

    def leader(self):
        """Its index; None while there is none."""
        for i, address in enumerate(self.addresses):
            status = ask_etcd(address, "/v3/maintenance/status", b"{}")
            if status.get("leader", "0") == status.get("header", {}).get("member_id"):
                return i
        return None

    def wait_leader(self):
        wait_until("a leader of etcd", lambda: self.leader() is not None)
        return self.leader()


@contextlib.contextmanager
def etcd_cluster(folder, size=3):
    cluster = EtcdCluster(folder, size)
    with all_running(cluster.members):
        yield cluster


@contextlib.contextmanager
def zookeeper_cluster(folder, size=3):
    """An ensemble; yields the address of its leader. One member alone is an ensemble too."""
    if not ZOOKEEPER_JAR.exists():
        raise Missing("ZooKeeper's server is not installed (tools/bootstrap bench)")
    ports = reserve_ports(3 * size)
    clients, between = ports[:size], ports[size:]
    ensemble = "".join(
        f"server.{i + 1}=127.0.0.1:{between[2 * i]}:{between[2 * i + 1]}\n" for i in range(size))
    servers = []
    for i, port in enumerate(clients):
        home = folder / f"zookeeper-{i + 1}"
        (home / "data").mkdir(parents=True)
        (home / "data" / "myid").write_text(f"{i + 1}\n")
        (home / "zoo.cfg").write_text(
            f"dataDir={home}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\ntickTime=2000\n"
            "initLimit=10\nsyncLimit=5\nmaxClientCnxns=0\nadmin.enableServer=false\n"
            f"4lw.commands.whitelist=srvr\n{ensemble if size > 1 else ''}")
        servers.append(Server(
            home.name, ["java", *ZOOKEEPER_SETTINGS, "-cp", str(ZOOKEEPER_JAR),
                        "org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg"], home,
            lambda port=port: answers(("127.0.0.1", port), b"srvr", b"Mode: ")))

    def leader():
        """Its port. A member alone calls itself standalone."""
        modes = (b"Mode: leader", b"Mode: standalone")
        return next((port for port in clients
                     if any(answers(("127.0.0.1", port), b"srvr", mode) for mode in modes)), None)

    with all_running(servers):
        wait_until("a leader of ZooKeeper", lambda: leader() is not None)
        yield f"127.0.0.1:{leader()}"


class BatonCluster:
    """Several Baton servers that share a journal in etcd."""

    def __init__(self, baton, folder, etcd, size=3, options=()):
        self.baton, self.folder = str(baton), folder
        ports = reserve_ports(size)
        self.addresses = [f"127.0.0.1:{port}" for port in ports]
        self.url = "baton://" + ",".join(self.addresses)
        self.journal = f"etcd://{','.join(etcd.addresses)}/baton"
        names = [f"baton-{i + 1}" for i in range(size)]
        # It can be asked from the start; wait_leader() waits until one leads.
        self.servers = [Server(name, [
            self.baton, "serve", "--name", name, "--listen", address, "--advertise", address,
            "--journal", self.journal, *options,
        ], folder / name, lambda port=port: answers(("127.0.0.1", port)))
            for name, address, port in zip(names, self.addresses, ports)]

    def command(self, *arguments):
        return [self.baton, *arguments, "--url", self.url]

    def ask(self, *arguments):
        """The JSON that a command of Baton prints; nothing if it fails."""
        try:
            done = subprocess.run(self.command(*arguments, "--json"), cwd=self.folder, timeout=READY_S,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True)
            return json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            return {}

    def leader(self):
        """Its index; None while there is none that answers."""
        process = self.ask("status").get("process")
        for i, server in enumerate(self.servers):
            if server.process is not None and server.process.pid == process:
                return i
        return None

    def wait_leader(self):
        found = []

        def find():
            found.append(self.leader())
            return found[-1] is not None

        wait_until("a leading server", find)
        return found[-1]

    def queue(self, name):
        """The labels of its holders, and of those who wait for it in their order."""
        for lock in self.ask("locks", name).get("locks", []):
            return ([one["label"] for one in lock["holders"]],
                    [one["label"] for one in lock["waiters"]])
        return [], []


@contextlib.contextmanager
def baton_cluster(baton, folder, etcd, size=3, options=()):
    cluster = BatonCluster(baton, folder, etcd, size, options)
    with all_running(cluster.servers):
        cluster.wait_leader()
        yield cluster


class Holder:
    """A `baton lock` that waits for a lock and then holds it until it is let go."""

    def __init__(self, cluster, name, label, *options):
        self.label = label
        # It says that it was granted the lock, and ends with its input.
        command = cluster.command("lock", name, "--label", label, *options)
        self.process = subprocess.Popen(
            [*command, "--", "sh", "-c", 'echo "$BATON_FENCE"; exec cat'], cwd=cluster.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, preexec_fn=end_with_parent)
        self.fence = None

    def wait_granted(self, seconds=READY_S):
        """The moment at which it was."""
        readable, _, _ = select.select([self.process.stdout], [], [], seconds)
        moment = time.monotonic()
        line = self.process.stdout.readline() if readable else b""
        if not line:
            raise Failed(f"{self.label} is not granted the lock" + self.last_words())
        self.fence = int(line)
        return moment

    def last_words(self):
        if self.process.poll() is None:
            return ""
        return ": " + self.process.stderr.read().decode(errors="replace").strip()[-300:]

    def let_go(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def die(self):
        """Without a word: the process that keeps the session alive is killed."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for keeper in children.read_text().split():
            os.kill(int(keeper), signal.SIGKILL)

    def end(self):
        """Lets go and waits until the service knows it."""
        self.let_go()
        try:
            status = self.process.wait(timeout=STOP_S)
        except subprocess.TimeoutExpired as error:
            self.abandon()
            raise Failed(f"{self.label} does not end") from error
        if status != 0:
            raise Failed(f"{self.label} ended with {status}" + self.last_words())

    def abandon(self):
        """Ends it, whatever becomes of its lock."""
        self.let_go()
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=2)
                return


def seconds_to_grant(cluster, fault, name="hand-over", options=()):
    """One hands a lock over to another at the moment of a fault: how long after it the other has it.

    The time begins just before `fault` is called; the holder lets go when that has returned.
    """
    first = second = None
    try:
        first = Holder(cluster, name, "first", *options)
        first.wait_granted()
        second = Holder(cluster, name, "second", *options)
        wait_until("the waiter", lambda: cluster.queue(name) == (["first"], ["second"]))
        begin = time.monotonic()
        fault()
        first.let_go()
        took = second.wait_granted() - begin
        second.end()
        first.end()
        return took
    finally:
        for one in (first, second):
            if one is not None and one.process.poll() is None:
                one.abandon()
