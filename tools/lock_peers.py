"""The locks that tools/compare compares: how each is taken for a command, broken, and looked at.

A peer starts what it needs on ports of its own and in a folder of its own. A job is a command that
runs under a lock: it says when it works, and works until it is told to finish.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import redlock
import services
from services import Failed, wait_until

PATIENCE_S = 30
# How long a command is watched that is expected to go on although its lock is lost.
GLANCE_S = 0.5
POLL_S = 0.02

# The command of every job: sh -c WORK work FOLDER OTHER [INNER…]. It tells in FOLDER that it works, and
# whether the command of the folder OTHER is there at this moment. When it is told to finish it runs
# INNER, if that is given, and tells how that ended. It ends by itself when nobody tells it anything.
WORK = r"""
cd "$1" || exit
beside=no
if [ -n "$2" ] && grep -qs '^State:.[^Z]' "/proc/$(cat "$2/process")/status"; then beside=yes; fi
env >environment
echo $$ >process
echo $beside >started.new && mv started.new started
n=0
until [ -e finish ]; do
  n=$((n + 1))
  [ $n -lt 1200 ] || exit
  sleep 0.05
done
shift 2
if [ $# -gt 0 ]; then
  timeout --foreground 60 "$@"
  echo $? >inner.new && mv inner.new inner
fi
: >finished
"""
# What a shell itself sets.
OF_THE_SHELL = {"PWD", "OLDPWD", "SHLVL", "_"}


def is_running(process):
    """Also one that is stopped; not one that has ended and that nobody has waited for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def family_of(process):
    """A process, its children, and their children."""
    found = [process]
    with contextlib.suppress(FileNotFoundError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += family_of(int(child))
    return found


class Job:
    def __init__(self, peer, name, beside="", inner=(), **how):
        self.folder = Path(tempfile.mkdtemp(prefix="job-", dir=peer.folder))
        self.environment_before = peer.environment
        work = ["sh", "-c", WORK, "work", str(self.folder), str(beside), *inner]
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                peer.command(name, work, **how), env=peer.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True, preexec_fn=services.end_with_parent)

    def told(self, what):
        """The content of the file that the command has written; nothing if there is none."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / what).read_text().strip()
        return None

    def wait_started(self):
        wait_until(f"a job: {self.last_words()}", lambda: self.told("started"),
                   lambda: self.process.poll() is None, PATIENCE_S)
        return self

    def began_beside_other(self):
        return self.told("started") == "yes"

    def is_working(self):
        return is_running(int(self.told("process")))

    def has_finished(self):
        return self.told("finished") is not None

    def ended(self, seconds=PATIENCE_S):
        """Its exit code; nothing if it has not ended by then."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout=seconds)
        return None

    def tell_to_finish(self):
        (self.folder / "finish").touch()

    def finish(self):
        """Its exit code, after it has been let do all of its work."""
        self.tell_to_finish()
        status = self.ended()
        if status is None or not self.has_finished():
            raise Failed(f"a job does not finish: {self.last_words()}")
        return status

    def new_variables(self):
        """Those of the command's environment that were not there before."""
        said = dict(line.split("=", 1) for line in self.told("environment").splitlines() if "=" in line)
        return {name: value for name, value in said.items()
                if name not in self.environment_before and name not in OF_THE_SHELL}

    def signal_all(self, number):
        """To the wrapper, the command, and all between and below them."""
        for process in family_of(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def last_words(self):
        return (self.folder / "log").read_text(errors="replace").strip()[-300:]

    def abandon(self):
        (self.folder / "finish").touch()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Peer:
    """What the situations need to know of a peer. A subclass says what is different."""

    is_library = False
    lease_s = None  # the shortest that it takes; None: no time ends a lock
    stops_commands = False  # whether that is waited for when a lock is lost
    try_option = wait_option = slots_option = fence_variable = None
    break_remark = ""
    known_options = set()
    with_short_lease = {}
    with_short_wait = {}

    def __init__(self, folder):
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("BATON_", "ETCD", "_"))}
        self.servers = []
        self.jobs = []

    def start(self, name, **how):
        self.jobs.append(Job(self, name, **how))
        return self.jobs[-1]

    def clear(self):
        for job in self.jobs:
            job.abandon()
        self.jobs = []

    def run(self, *command):
        done = subprocess.run([str(one) for one in command], env=self.environment, timeout=PATIENCE_S,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{command[0]} {command[1]} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def signal_servers(self, number):
        for server in self.servers:
            server.signal(number)

    def new_options(self):
        """Options that the page does not know: it may be wrong that something is not possible."""
        return sorted(self.options() - self.known_options)

    def options(self):
        return set()

    def refusal(self, option, status):
        return f"`{option}`: exit code {status}"

    @contextlib.contextmanager
    def ready(self):
        with services.all_running(self.servers):
            yield self


class Flock(Peer):
    title = "`flock`"
    try_option, wait_option = "-n", "-w"
    break_remark = "not possible; if its file is removed: "
    known_options = {"--shared", "--exclusive", "--unlock", "--nonblock", "--timeout", "--close",
                     "--conflict-exit-code", "--command", "--no-fork", "--verbose", "--help", "--version"}

    def __init__(self, folder, _):
        super().__init__(folder)
        if shutil.which("flock") is None:
            raise services.Missing("flock is not installed")

    def file(self, name):
        return self.folder / f"{name}.lock"

    def command(self, name, work, wait=None):
        how = [] if wait is None else ["-n"] if wait == 0 else ["-w", str(wait)]
        return ["flock", *how, str(self.file(name)), *work]

    def options(self):
        return set(re.findall(r"--[a-z][a-z-]+", self.run("flock", "--help")))

    def break_lock(self, name):
        # There is no way. Somebody who does not know removes the file.
        self.file(name).unlink()

    def lines(self, name):
        """The processes that hold it and those that wait, as the kernel knows them."""
        inode = f":{self.file(name).stat().st_ino} "
        lines = [line for line in Path("/proc/locks").read_text().splitlines() if inode in line]
        processes = [int(re.search(r"WRITE +(\d+) ", line)[1]) for line in lines]
        waits = ["->" in line for line in lines]
        return ([process for process, wait in zip(processes, waits) if not wait],
                [process for process, wait in zip(processes, waits) if wait])

    def has_waiter(self, name):
        return bool(self.lines(name)[1])

    def who(self, name, holder, waiter):
        shown = {line.split()[0]: line.split()[1] for line in
                 self.run("lslocks", "--noheadings", "--output", "PID,MODE,PATH").splitlines()
                 if line.rstrip().endswith(str(self.file(name)))}
        if shown == {str(holder.process.pid): "WRITE", str(waiter.process.pid): "WRITE*"}:
            return "`lslocks`: both processes, if on this machine"
        return f"`lslocks`: {shown}"


class Etcdctl(Peer):
    title = "`etcdctl lock`"
    lease_s = 2
    with_short_lease = {"short": True}
    fence_variable = "ETCD_LOCK_REV"
    known_options = {"--help", "--ttl"}

    def __init__(self, folder, _):
        super().__init__(folder)
        if shutil.which("etcdctl") is None:
            raise services.Missing("etcdctl is not installed")
        cluster = services.EtcdCluster(folder, size=1)
        self.servers = cluster.members
        self.environment |= {"ETCDCTL_API": "3", "ETCDCTL_ENDPOINTS": cluster.addresses[0]}

    def command(self, name, work, short=False):
        how = ["--ttl", str(self.lease_s)] if short else []
        return ["etcdctl", "lock", *how, name, "--", *work]

    def options(self):
        own = self.run("etcdctl", "lock", "--help").split("GLOBAL OPTIONS")[0]
        return set(re.findall(r"--[a-z][a-z-]+", own.split("OPTIONS:")[1]))

    def keys(self, name):
        """Of the holder and of those who wait, as they asked."""
        return self.run("etcdctl", "get", "--prefix", f"{name}/", "--keys-only", "--sort-by=CREATE",
                        "--order=ASCEND").split()

    def break_lock(self, name):
        self.run("etcdctl", "del", self.keys(name)[0])

    def has_waiter(self, name):
        return len(self.keys(name)) > 1

    def who(self, name, holder, _):
        own = holder.new_variables()["ETCD_LOCK_KEY"]
        keys = self.keys(name)
        values = self.run("etcdctl", "get", "--prefix", f"{name}/", "--print-value-only").split()
        if len(keys) == 2 and keys[0] == own and not values:
            return "`get --prefix`: a key for each, with no name"
        return f"`get --prefix`: {len(keys)} keys, values {values}"


class Redlock(Peer):
    title = "Redlock"
    is_library = True
    lease_s = 1
    usual_lease_s = 30
    with_short_lease = {"short": True}
    with_short_wait = {"wait": 0.5}
    refused = redlock.REFUSED
    try_option, wait_option = "one attempt", "retries"

    def __init__(self, folder, _):
        super().__init__(folder)
        self.ports = services.reserve_ports(3)
        self.servers = [services.Server(f"redis-{port}", [
            "redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no",
        ], folder / f"redis-{port}", lambda port=port: services.answers(
            ("127.0.0.1", port), b"PING\r\n", b"+PONG")) for port in self.ports]

    def command(self, name, work, wait=PATIENCE_S, short=False):
        lease_ms = 1000 * (self.lease_s if short else self.usual_lease_s)
        return [sys.executable, redlock.__file__, ",".join(str(port) for port in self.ports), name,
                str(lease_ms), str(wait), *work]

    def refusal(self, option, status):
        return option if status == self.refused else f"{option}: exit code {status}"

    def break_lock(self, name):
        redlock.ask_all(self.ports, "DEL", name)

    def who(self, name, _, waiter):
        values = set(redlock.ask_all(self.ports, "GET", name))
        keys = set(redlock.ask_all(self.ports, "KEYS", f"*{name}*"))
        is_random = all(re.fullmatch("[0-9a-f]{40}", value) for value in values)
        if len(values) == 1 and is_random and keys == {"*1"} and waiter.process.poll() is None:
            return "`GET`: a random value; no line"
        return f"`GET`: {values}; keys: {keys}"


class Baton(Peer):
    title = "Baton"
    lease_s = 2
    with_short_lease = {"short": True}
    fence_variable = "BATON_FENCE"
    stops_commands = True
    try_option, wait_option, slots_option = "--try", "--wait", "--slots"

    def __init__(self, folder, program):
        super().__init__(folder)
        self.program = str(program)
        self.environment |= {"XDG_STATE_HOME": str(folder), "BATON_RUN_DIRECTORY": str(folder),
                             "BATON_URL": f"unix:{folder}/socket"}
        self.servers = [services.Server("baton", [
            self.program, "serve", "--listen", f"unix:{folder}/socket", "--journal", "memory:",
        ], folder / "server", lambda: services.answers(str(folder / "socket")))]

    def command(self, name, work, wait=None, slots=1, short=False):
        how = [] if wait is None else ["--try"] if wait == 0 else ["--wait", f"{wait}s"]
        if slots > 1:
            how += ["--slots", str(slots)]
        if short:
            how += ["--ttl", f"{self.lease_s}s", "--kill-after", "100ms"]
        return [self.program, "lock", name, *how, "--", *work]

    def break_lock(self, name):
        self.run(self.program, "break", name)

    def lock(self, name):
        locks = json.loads(self.run(self.program, "locks", name, "--json"))["locks"]
        return locks[0] if locks else {"holders": [], "waiters": []}

    def has_waiter(self, name):
        return bool(self.lock(name)["waiters"])

    def who(self, name, holder, waiter):
        lock = self.lock(name)
        processes = [one["process"] for one in lock["holders"] + lock["waiters"]]
        told = all(one["host"] and one["user"] and one["label"] for one in lock["holders"] + lock["waiters"])
        if processes == [holder.process.pid, waiter.process.pid] and told:
            return "`baton locks`: both, with host, user, process and command"
        return f"`baton locks`: {lock}"


PEERS = {"flock": Flock, "etcdctl": Etcdctl, "redlock": Redlock, "baton": Baton}

