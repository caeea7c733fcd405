#!/usr/bin/env python3
"""tools/cluster with real servers: it shows what it says it shows, and however it ends nothing of it
is left, neither processes nor files.

    cluster_test.py BATON [Survives|Serves|Ends]
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

CLUSTER = Path(__file__).resolve().parents[2] / "tools" / "cluster"
sys.dont_write_bytecode = True
sys.path.append(str(CLUSTER.parent))
import running  # noqa: E402
import services  # noqa: E402

BATON = sys.argv.pop(1) if len(sys.argv) > 1 else ""
PATIENCE_S = 120


class Base(running.RunningTest):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()

    def start(self, *arguments):
        return self.start_program([sys.executable, str(CLUSTER), "--baton", BATON, *arguments],
                                  self.folder)

    def processes(self):
        return running.processes(self.folder)

    def expect_nothing_left(self):
        self.assertEqual([], self.processes())
        self.assertEqual([], list(self.folder.iterdir()))

    def end_by(self, number, words, *arguments):
        run = self.start(*arguments)
        said = self.read_until(run, words)
        self.assertNotEqual([], self.processes())
        run.send_signal(number)
        return run, said + run.communicate(timeout=PATIENCE_S)[0]


class Survives(Base):
    def test_the_lock_survives(self):
        run = self.start()
        said, _ = run.communicate(timeout=PATIENCE_S)
        self.assertEqual(0, run.returncode, said)
        self.expect_nothing_left()
        for words in ("which led the others", "which led etcd", "Until the next grant",
                      "third   fence"):
            self.assertIn(words, said)
        # The same fence in all three pictures.
        held = {line.split()[5] for line in said.splitlines()
                if line.startswith("nightly-backup  holds")}
        self.assertEqual(1, len(held), said)

    def test_kept_until_interrupted(self):
        run = self.start("--keep")
        said = self.read_until(run, "export BATON_URL=")
        url = said.strip().splitlines()[-1].removeprefix("export BATON_URL=")
        subprocess.run([BATON, "lock", "mine", "--url", url, "--", "true"], check=True,
                       timeout=PATIENCE_S)
        # The load goes to where the leading server says that it is.
        subprocess.run([BATON, "bench", "--clients", "1", "--seconds", "0.1", "--url", url],
                       check=True, timeout=PATIENCE_S, stdout=subprocess.DEVNULL)
        # All six, also those that it had killed.
        rest = self.read_until(run, "baton-3  process")
        listed = {int(line.split()[2]) for line in rest.splitlines() if " log " in line}
        self.assertEqual(listed, set(self.processes()))
        self.assertEqual(6, len(listed))
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE_S)
        self.assertEqual(0, run.returncode)
        self.expect_nothing_left()


def transactions_at(address):
    """How many this member of etcd was asked for."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
        return sum(float(line.split()[-1]) for line in answer.read().decode().splitlines()
                   if line.startswith("grpc_server_handled_total{") and 'grpc_method="Txn"' in line)


class Serves(Base):
    def test_the_member_that_leads_etcd_is_asked(self):
        with services.ending_children(), services.etcd_cluster(self.folder) as etcd:
            leader = etcd.wait_leader()
            address = etcd.addresses[leader]
            # The one that the servers try last.
            etcd.addresses = [one for one in etcd.addresses if one != address] + [address]
            with services.baton_cluster(BATON, self.folder, etcd) as baton:
                deadline = time.monotonic() + PATIENCE_S
                share = 0
                while share < 0.8 and time.monotonic() < deadline:
                    before = [transactions_at(one) for one in etcd.addresses]
                    baton.ask("bench", "--clients", "1", "--seconds", "0.5")
                    asked = [transactions_at(one) - had
                             for one, had in zip(etcd.addresses, before)]
                    share = asked[-1] / sum(asked)
                self.assertGreaterEqual(share, 0.8)


class Ends(Base):
    def test_interrupted_while_servers_start(self):
        run = self.start()
        deadline = time.monotonic() + PATIENCE_S
        while len(self.processes()) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE_S)
        self.assertEqual(130, run.returncode)
        self.expect_nothing_left()

    def test_interrupted_while_a_lock_is_held(self):
        run, said = self.end_by(signal.SIGINT, "kill -9")
        self.assertEqual(130, run.returncode, said)
        self.assertIn("is ended, and its data removed", said)
        self.expect_nothing_left()

    def test_terminated(self):
        run, said = self.end_by(signal.SIGTERM, "nightly-backup  holds")
        self.assertEqual(128 + signal.SIGTERM, run.returncode, said)
        self.expect_nothing_left()

    def test_killed_it_leaves_no_process(self):
        self.end_by(signal.SIGKILL, "nightly-backup  holds")
        self.expect_no_process(PATIENCE_S)

    def test_etcd_is_missing(self):
        done = subprocess.run([sys.executable, str(CLUSTER), "--baton", BATON],
                              env={**os.environ, "PATH": "/nowhere"}, capture_output=True, text=True)
        self.assertEqual(2, done.returncode)
        self.assertIn("etcd is not installed", done.stderr)

    def test_baton_is_missing(self):
        done = subprocess.run([sys.executable, str(CLUSTER), "--baton", "/nowhere/baton"],
                              capture_output=True, text=True)
        self.assertEqual(2, done.returncode)
        self.assertIn("make build", done.stderr)

    def test_a_server_that_does_not_start(self):
        broken = self.folder / "baton"
        broken.write_text("#!/bin/sh\necho 'the port is taken'\nexit 1\n")
        broken.chmod(0o755)
        done = subprocess.run([sys.executable, str(CLUSTER), "--baton", str(broken)],
                              env={**os.environ, "TMPDIR": str(self.folder)}, capture_output=True,
                              text=True, timeout=PATIENCE_S)
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertIn("the port is taken", done.stderr)
        broken.unlink()
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
