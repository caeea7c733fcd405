#!/usr/bin/env python3
"""bench/peers/run_cluster with stand-ins for the load programs and for ZooKeeper, and for Baton and
etcd where no takeover is measured: its ratios, its bounds, and that nothing is left of it. With the
binary as an argument also a takeover of a real cluster."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUN_CLUSTER = Path(__file__).resolve().parents[2] / "bench" / "peers" / "run_cluster"
BATON = sys.argv.pop(1) if len(sys.argv) > 1 else ""

# Notes its process and answers what etcd is asked when it is started.
ETCD = """#!{python}
import http.server, os, sys
with open({notes!r}, "a") as notes:
    notes.write(f"{{os.getpid()}}\\n")
arguments = dict(zip(sys.argv, sys.argv[1:]))
address = arguments["--listen-client-urls"].removeprefix("http://")
# The second member says that it leads.
leads = arguments["--name"] == "etcd-2"
if leads:
    with open({notes!r} + ".leader", "w") as note:
        note.write(address)

class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{{"health": "true"}}')

    def do_POST(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{{"leader": "2", "header": {{"member_id": "%d"}}}}' % (2 if leads else 9))

host, port = address.split(":")
http.server.HTTPServer((host, int(port)), Answer).serve_forever()
"""

BATON_STAND_IN = """#!{python}
import os, socket, sys, time
arguments = dict(zip(sys.argv, sys.argv[1:]))
if sys.argv[1] == "serve":
    with open({notes!r}, "a") as notes:
        notes.write(f"{{os.getpid()}}\\n")
    host, port = arguments["--listen"].split(":")
    listener = socket.create_server((host, int(port)))
    while True:
        listener.accept()[0].close()
if sys.argv[1] == "status":
    print('{{"process": %s}}' % open({notes!r}).read().split()[3])
    sys.exit()
fast = "--fast" in sys.argv
pairs = {{"1": 10, "32": 300, "256": 700, "16": 250}}[arguments["--clients"]] * (10 if fast else 1)
print('{{"p50_us": 99, "p99_us": 9, "acquire_p50_us": %d, "acquire_p99_us": 9, "pairs_per_s": %d}}'
      % (7 if fast else 30, pairs))
"""

LOAD = """#!/bin/sh
case $* in
  *transactions*) echo '{"pairs_per_s":1,"p50_us":20,"p99_us":9}' ;;
  *) echo '{"peer":"x","pairs_per_s":100,"p50_us":5,"p99_us":9}' ;;
esac
"""
FLOORS = "#!/bin/sh\necho '{\"peer\":\"x\",\"pairs_per_s\":1,\"p50_us\":10,\"p99_us\":9}'\n"


class RunCluster(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for name in ("bin", "programs", "data"):
            (self.folder / name).mkdir()
        notes = str(self.folder / "started")
        self.write("bin/etcd", ETCD.format(python=sys.executable, notes=notes))
        self.baton = self.write("bin/baton",
                                BATON_STAND_IN.format(python=sys.executable, notes=notes))
        self.write("programs/etcd_locks", LOAD)
        self.write("programs/lock_floors", FLOORS)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def command(self, *arguments, baton=None):
        return [sys.executable, str(RUN_CLUSTER), "--programs", str(self.folder / "programs"),
                "--baton", str(baton or self.baton), "--folder", str(self.folder / "data"),
                "--json", "-", *arguments]

    def environment(self):
        return {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def run_cluster(self, *arguments):
        done = subprocess.run(self.command("--failovers", "0", *arguments), env=self.environment(),
                              capture_output=True, text=True)
        return done, json.loads(done.stdout) if done.stdout else None

    def started(self):
        notes = self.folder / "started"
        return [int(line) for line in notes.read_text().split()] if notes.exists() else []

    def expect_nothing_left(self):
        for process in self.started():
            with self.assertRaises(ProcessLookupError):
                os.kill(process, 0)
        self.assertEqual([], list((self.folder / "data").iterdir()))

    def test_ratios(self):
        # The stand-in says that the first server leads, of the first cluster: one system a time.
        done, found = self.run_cluster("--only", "Baton durable", "--only", "etcd library")
        self.assertEqual(0, done.returncode, done.stderr)
        ratios = {(row["what"], row["against"]): (row["ratio"], row["bound"], row["kept"])
                  for row in found["ratios"]}
        self.assertEqual({
            ("Baton durable, 1 client", "the best of etcd"): (0.1, 0.4, False),
            ("Baton durable, 32 clients, own names", "the best of etcd"): (3, 1.6, True),
            ("Baton durable, 256 clients, own names", "the best of etcd"): (7, 3, True),
            ("Baton durable, 16 clients, one name", "the best of etcd"): (2.5, 0.6, True),
            ("Baton durable, median acquire", "transaction"): (1.5, 1.25, False)}, ratios)
        self.expect_nothing_left()
        # Two clusters of etcd under systems, one under the transaction, and Baton's three.
        self.assertEqual(3 * 3 + 3, len(self.started()))

    def test_fast(self):
        done, found = self.run_cluster("--only", "Baton fast", "--only", "etcd library")
        self.assertEqual(0, done.returncode, done.stderr)
        ratios = {(row["what"], row["against"]): (row["ratio"], row["kept"])
                  for row in found["ratios"]}
        self.assertEqual((30, True), ratios["Baton fast, 32 clients, own names", "the best of etcd"])
        self.assertEqual((25, True), ratios["Baton fast, 16 clients, one name", "the best of etcd"])
        self.assertEqual((0.7, True), ratios["Baton fast, median acquire", "echo"])

    def test_tables(self):
        command = self.command("--failovers", "0", "--only", "Baton durable", "--only", "etcd library")
        command.remove("-")
        command.remove("--json")
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"1\.50  1\.50 … 1\.50 +at most 1\.25  MISSED\n")
        self.assertRegex(done.stdout, r"3\.00  3\.00 … 3\.00 +at least 1\.6\n")

    def test_clients_are_connected_to_the_leader(self):
        calls, leader = self.folder / "calls", self.folder / "started.leader"
        self.write("programs/etcd_locks",
                   f"#!/bin/sh\necho $* $(cat {leader}) >>{calls}\n" + LOAD.split("\n", 1)[1])
        done, _ = self.run_cluster("--only", "etcd by hand", "--scenario", "1 client")
        self.assertEqual(0, done.returncode, done.stderr)
        load, transactions = (line.split() for line in calls.read_text().splitlines())
        self.assertIn("--by-hand", load)
        self.assertIn("-transactions", transactions)
        for *_, named, leads in (load, transactions):
            self.assertEqual(leads, named)

    def test_what_is_missing_is_left_out(self):
        done, found = self.run_cluster("--only", "ZooKeeper recipe", "--only", "etcd library")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["ZooKeeper recipe"], list(found["left_out"]))
        self.expect_nothing_left()

    def test_ended_from_outside_it_stops_its_servers(self):
        loading = self.folder / "loading"
        self.write("programs/etcd_locks", f"#!/bin/sh\n: >{loading}\nexec sleep 60\n")
        run = subprocess.Popen(self.command("--only", "etcd library"), env=self.environment(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not loading.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        run.wait(timeout=60)
        self.assertEqual(3, len(self.started()))
        self.expect_nothing_left()

    def test_wrong_usage(self):
        for arguments in (["--seconds", "0"], ["--failovers", "-1"], ["--only", "Chubby"],
                          ["--fault", "meteorite"], ["--folder", "/nowhere"]):
            done, _ = self.run_cluster(*arguments)
            self.assertEqual(2, done.returncode, arguments)

    @unittest.skipUnless(BATON, "no binary was given")
    def test_takeovers(self):
        (self.folder / "bin" / "etcd").unlink()
        command = self.command("--only", "ZooKeeper recipe", "--failovers", "1", "--settle", "0", "--fault",
                               "leading server killed", "--fault", "standby killed", baton=BATON)
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True)
        found = json.loads(done.stdout)
        self.assertEqual({}, found["failed"], done.stderr)
        self.assertEqual(["leading server killed", "standby killed"],
                         [one["fault"] for one in found["takeovers"]])
        self.assertEqual([], list((self.folder / "data").iterdir()))


if __name__ == "__main__":
    unittest.main()
