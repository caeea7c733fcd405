#!/usr/bin/env python3
"""bench/peers/run_locks with stand-ins for Baton, Redis, etcd and the load programs: what it starts it
stops, what is missing is left out, what fails is said, servers of Java are warmed up, and its ratios and
their ranges are right."""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUN_LOCKS = Path(__file__).resolve().parents[2] / "bench" / "peers" / "run_locks"
sys.dont_write_bytecode = True
sys.path.append(str(RUN_LOCKS.parent))
import lock_bench  # noqa: E402

# Notes its process, and answers what each kind of server is asked when it is started.
SERVER = """#!{python}
import os, socket, sys
with open(os.path.join({notes!r}, "started"), "a") as notes:
    notes.write(f"{{os.getpid()}}\\n")
arguments = dict(zip(sys.argv, sys.argv[1:]))
path = arguments.get("--unixsocket") or arguments["--listen"].removeprefix("unix:")
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
while True:
    connection, _ = listener.accept()
    if connection.recv(100):
        connection.sendall(b"+PONG\\r\\n")
    connection.close()
"""

# Answers that it is healthy until it is ended.
ETCD = """#!{python}
import http.server, os, sys
with open(os.path.join({notes!r}, "started"), "a") as notes:
    notes.write(f"{{os.getpid()}}\\n")
address = dict(zip(sys.argv, sys.argv[1:]))["--listen-client-urls"].removeprefix("http://")

class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{{"health": "true"}}')

host, port = address.split(":")
http.server.HTTPServer((host, int(port)), Answer).serve_forever()
"""

BATON = """#!{python}
import os, sys
if sys.argv[1] == "serve":
    os.execv({server!r}, sys.argv)
fast = "--fast" in sys.argv
print('{{"p50_us": %d, "p99_us": 9, "pairs_per_s": %d}}' % (7 if fast else 30, 900 if fast else 300))
"""

LOAD = "#!/bin/sh\necho '{\"peer\":\"x\",\"pairs_per_s\":200,\"p50_us\":5,\"p99_us\":9}'\n"
FLOORS = "#!/bin/sh\necho '{\"peer\":\"x\",\"pairs_per_s\":1,\"p50_us\":10,\"p99_us\":9}'\n"


class RunLocks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.data = self.folder / "data"
        for name in ("bin", "programs", "data"):
            (self.folder / name).mkdir()
        server = self.write("bin/redis-server",
                            SERVER.format(python=sys.executable, notes=scratch.name))
        self.baton = self.write("bin/baton",
                                BATON.format(python=sys.executable, server=str(server)))
        self.write("programs/redis_locks", LOAD)
        self.write("programs/lock_floors", FLOORS)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def command(self, *arguments):
        return [sys.executable, str(RUN_LOCKS), "--programs", str(self.folder / "programs"),
                "--baton", str(self.baton), "--folder", str(self.data), "--json", "-", *arguments]

    def environment(self):
        return {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def run_locks(self, *arguments):
        done = subprocess.run(self.command(*arguments), env=self.environment(),
                              capture_output=True, text=True)
        return done, json.loads(done.stdout) if done.stdout else None

    def started(self):
        notes = self.folder / "started"
        return [int(line) for line in notes.read_text().split()] if notes.exists() else []

    def expect_nothing_left(self):
        for process in self.started():
            with self.assertRaises(ProcessLookupError):
                os.kill(process, 0)
        self.assertEqual([], list(self.data.iterdir()))

    def test_ratios(self):
        done, found = self.run_locks("--only", "Baton durable", "--only", "Baton fast",
                                     "--only", "Redis always", "--only", "Redis none")
        self.assertEqual(0, done.returncode, done.stderr)
        ratios = {(row["what"], row["against"]): (row["ratio"], row["kept"])
                  for row in found["ratios"]}
        self.assertEqual({
            ("Baton durable, 1 client", "Redis always"): (1.5, True),
            ("Baton durable, 32 clients, own names", "Redis always"): (1.5, True),
            ("Baton durable, 16 clients, one name", "Redis always"): (1.5, True),
            ("Baton fast, 32 clients, own names", "Redis none"): (4.5, True),
            ("Baton fast, 16 clients, one name", "Redis none"): (4.5, True),
            ("Baton durable, median acquire", "echo + append"): (1.5, True),
            ("Baton fast, median acquire", "echo"): (0.7, True)}, ratios)

    def test_a_ratio_that_is_not_kept(self):
        self.write("programs/redis_locks", LOAD.replace("200", "1000"))
        done, found = self.run_locks("--only", "Baton durable", "--only", "Redis always")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual([0.3, False], [found["ratios"][0]["ratio"], found["ratios"][0]["kept"]])

    def test_the_best_of_a_peer_counts(self):
        self.write("bin/etcd", ETCD.format(python=sys.executable, notes=str(self.folder)))
        self.write("programs/etcd_locks", """#!/bin/sh
case $* in *--by-hand*) rate=100 ;; *) rate=10 ;; esac
echo "{\\"pairs_per_s\\":$rate,\\"p50_us\\":5,\\"p99_us\\":9}"
""")
        done, found = self.run_locks("--only", "Baton durable", "--only", "etcd library", "--only",
                                     "etcd by hand", "--scenario", "16 clients, one name")
        self.assertEqual(0, done.returncode, done.stderr)
        rates = {row["what"]: row["pairs_per_s"] for row in found["measured"]}
        self.assertEqual((10, 100), (rates["etcd library"], rates["etcd by hand"]))
        self.assertEqual([("the best of etcd", 3)],
                         [(row["against"], row["ratio"]) for row in found["ratios"]])

    def test_the_median_of_the_rounds_counts(self):
        counter = self.folder / "counter"
        self.write("programs/redis_locks", f"""#!/bin/sh
echo x >>{counter}
case $(wc -l <{counter}) in 1) rate=100 ;; 2) rate=900 ;; *) rate=300 ;; esac
echo "{{\\"pairs_per_s\\":$rate,\\"p50_us\\":5,\\"p99_us\\":9}}"
""")
        _, found = self.run_locks("--only", "Redis none", "--rounds", "3", "--scenario", "1 client")
        measured = found["measured"][0]
        self.assertEqual(300, measured["pairs_per_s"])
        self.assertEqual(3, len(measured["samples"]))
        self.assertEqual(3, len(self.started()))

    def test_the_range_of_the_rounds_is_told(self):
        counter = self.folder / "counter"
        self.write("programs/redis_locks", f"""#!/bin/sh
echo x >>{counter}
case $(wc -l <{counter}) in 1) rate=100 ;; 2) rate=600 ;; *) rate=300 ;; esac
echo "{{\\"pairs_per_s\\":$rate,\\"p50_us\\":5,\\"p99_us\\":9}}"
""")
        command = self.command("--only", "Baton durable", "--only", "Redis always", "--rounds", "3",
                               "--scenario", "32 clients, own names")
        command.remove("-")
        command.remove("--json")
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"Redis always +300\.0 +100\.0 +600\.0 ")
        self.assertRegex(done.stdout, r"Redis always +1\.00  0\.50 … 3\.00  +at least")

    def test_a_server_of_java_is_warmed_up(self):
        calls = self.folder / "calls"
        self.write("programs/zookeeper_locks",
                   "#!/bin/sh\n" f"echo $* >>{calls}\n" + LOAD.split("\n", 1)[1])
        scenarios = {"alone": (1, False), "own": (32, False), "one": (16, True)}
        options = argparse.Namespace(programs=self.folder / "programs", folder=self.data, seconds=3,
                                     warm_up=20, scenarios=["alone"], baton=None)
        results = lock_bench.Results()

        def measure(system):
            calls.unlink(missing_ok=True)
            lock_bench.measure_system(system, lambda *_: contextlib.nullcontext("HOST:1"),
                                      scenarios, options, results)
            return calls.read_text().splitlines()

        self.assertEqual(["--clients 32 --seconds 10.0 HOST:1",
                          "--clients 16 --seconds 10.0 --same-name HOST:1",
                          "--clients 1 --seconds 3 HOST:1"], measure("ZooKeeper recipe"))
        self.assertEqual(1, len(results.samples["ZooKeeper recipe", "alone"]))
        self.assertNotIn(("ZooKeeper recipe", "own"), results.samples)
        self.assertEqual("--by-hand --clients 1 --seconds 3 HOST:1",
                         measure("ZooKeeper by hand")[-1])
        self.write("programs/redis_locks", f"#!/bin/sh\necho $* >>{calls}\n" + LOAD.split("\n", 1)[1])
        self.assertEqual(["--clients 1 --seconds 3 HOST:1"], measure("Redis none"))

    def test_servers_are_stopped_and_their_data_removed(self):
        self.run_locks()
        self.assertEqual(4, len(self.started()))
        self.expect_nothing_left()

    def test_what_is_missing_is_left_out(self):
        done, found = self.run_locks("--only", "etcd library", "--only", "Redis none")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("etcd library is left out", done.stderr)
        self.assertEqual(["etcd library"], list(found["left_out"]))
        self.assertIn("Redis none", {row["what"] for row in found["measured"]})

    def test_a_load_program_that_fails(self):
        self.write("programs/redis_locks", "#!/bin/sh\necho 'connection lost' >&2\nexit 3\n")
        done, found = self.run_locks("--only", "Redis none", "--only", "Baton fast")
        self.assertEqual(1, done.returncode)
        self.assertIn("connection lost", done.stderr)
        self.assertEqual(["Redis none"], list(found["failed"]))
        self.assertIn("Baton fast", {row["what"] for row in found["measured"]})
        self.expect_nothing_left()

    def test_a_load_program_that_prints_nonsense(self):
        self.write("programs/redis_locks", "#!/bin/sh\necho 'pairs: many'\n")
        done, _ = self.run_locks("--only", "Redis none")
        self.assertEqual(1, done.returncode)
        self.assertIn("not understood: pairs: many", done.stderr)

    def test_a_server_that_does_not_start(self):
        self.write("bin/redis-server", "#!/bin/sh\necho 'the port is taken'\nexit 1\n")
        done, found = self.run_locks("--only", "Redis none")
        self.assertEqual(1, done.returncode)
        self.assertIn("the port is taken", done.stderr)
        self.assertEqual(["Redis none"], list(found["failed"]))

    def test_ended_from_outside_it_stops_its_server(self):
        loading = self.folder / "loading"
        self.write("programs/redis_locks", f"#!/bin/sh\n: >{loading}\nexec sleep 60\n")
        run = subprocess.Popen(self.command("--only", "Redis none"), env=self.environment(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not loading.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        run.send_signal(signal.SIGTERM)
        run.wait(timeout=60)
        self.assertEqual(1, len(self.started()))
        self.expect_nothing_left()

    def test_wrong_usage(self):
        for arguments in (["--seconds", "0"], ["--rounds", "0"], ["--warm-up", "-1"],
                          ["--only", "Chubby"],
                          ["--baton", "/nowhere/baton"], ["--folder", "/nowhere"]):
            done, _ = self.run_locks(*arguments)
            self.assertEqual(2, done.returncode, arguments)


if __name__ == "__main__":
    unittest.main()
