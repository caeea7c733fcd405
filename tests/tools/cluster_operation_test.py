#!/usr/bin/env python3
"""A cluster in operation, by the commands of those who run it: backups to and from it, stale reading,
TLS and users towards etcd.

    cluster_operation_test.py BATON [Backups|Reading|Access]
"""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
import services  # noqa: E402

BATON = sys.argv.pop(1) if len(sys.argv) > 1 else ""
PATIENCE_S = 120


def run(*command, **variables):
    return subprocess.run([str(one) for one in command], capture_output=True, text=True,
                          timeout=PATIENCE_S, env={**os.environ, **variables})


class Base(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        children = services.ending_children()
        children.__enter__()
        self.addCleanup(children.__exit__, None, None, None)

    def enter(self, manager):
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def baton(self, *arguments):
        done = run(BATON, *arguments)
        self.assertEqual(0, done.returncode, f"{arguments}: {done.stderr}")
        return done.stdout

    def refused(self, words, *arguments):
        done = run(BATON, *arguments)
        self.assertEqual(2, done.returncode, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)

    def fence(self, url):
        return int(self.baton("lock", "name", "--url", url, "--", "sh", "-c", "echo $BATON_FENCE"))

    def serve_alone(self, journal, baton=BATON):
        """One server with this journal, until the test ends it."""
        socket = self.folder / "socket"
        server = services.Server("alone", [str(baton), "serve", "--listen", f"unix:{socket}",
                                           "--journal", str(journal)],
                                 self.folder / "alone", lambda: services.answers(str(socket)))
        server.start()
        self.addCleanup(server.stop)
        server.wait_ready()
        return server, f"unix:{socket}"

    def with_clock(self):
        """Baton on a machine whose clock can be set. A day ahead fences are larger than any of today,
        unless they are known to have been given out."""
        libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        if not libraries:
            self.skipTest("there is no libfaketime")
        self.set_clock("+0")
        program = self.folder / "baton-with-clock"
        program.write_text(f"#!/bin/sh\nLD_PRELOAD={libraries[0]} DONT_FAKE_MONOTONIC=1 "
                           f"FAKETIME_NO_CACHE=1 FAKETIME_TIMESTAMP_FILE={self.folder}/clock "
                           f"exec {BATON} \"$@\"\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    def set_clock(self, by):
        (self.folder / "clock").write_text(f"{by}\n")


class Backups(Base):
    def test_one_machine_grows_into_many(self):
        baton = self.with_clock()
        self.set_clock("+1d")
        server, url = self.serve_alone("journal.db", baton)
        before = self.fence(url)
        self.baton("put", "config", "kept", "--url", url)
        server.stop(signal.SIGTERM)
        file = self.folder / "backup"
        said = self.baton("backup", file, "--journal", f"sqlite:{self.folder}/alone/journal.db")
        self.assertIn("1 file", said)
        etcd = self.enter(services.etcd_cluster(self.folder, size=1))
        cluster = services.BatonCluster(BATON, self.folder, etcd, size=2)
        self.baton("restore", file, "--journal", cluster.journal)
        self.enter(services.all_running(cluster.servers))
        cluster.wait_leader()
        self.assertGreater(self.fence(cluster.url), before)
        self.assertEqual("kept", self.baton("get", "config", "--url", cluster.url))
        self.refused("the prefix is in use", "restore", file, "--journal", cluster.journal)
        self.assertEqual("kept", self.baton("get", "config", "--url", cluster.url))

    def test_many_become_one_again(self):
        etcd = self.enter(services.etcd_cluster(self.folder, size=1))
        cluster = services.BatonCluster(self.with_clock(), self.folder, etcd, size=2)
        cluster.baton = BATON  # of clients
        self.enter(services.all_running(cluster.servers))
        first = cluster.wait_leader()
        self.set_clock("+1d")
        cluster.servers[first].stop(signal.SIGTERM)
        cluster.wait_leader()
        before = self.fence(cluster.url)
        self.baton("put", "config", "kept", "--url", cluster.url)
        file = self.folder / "backup"
        self.baton("backup", file, "--url", cluster.url)
        for server in cluster.servers:
            server.stop(signal.SIGTERM)
        journal = self.folder / "journal.db"
        self.baton("restore", file, "--journal", f"sqlite:{journal}")
        _, url = self.serve_alone(journal)
        self.assertGreater(self.fence(url), before)
        self.assertEqual("kept", self.baton("get", "config", "--url", url))
        # Nor is either journal overwritten when nobody serves it.
        self.refused("the prefix is in use", "restore", file, "--journal", cluster.journal)

    def test_what_is_no_backup_is_refused(self):
        server, url = self.serve_alone("journal.db")
        file = self.folder / "backup"
        self.baton("backup", file, "--url", url)
        server.stop(signal.SIGTERM)
        self.refused("is in use", "restore", file, "--journal",
                     f"sqlite:{self.folder}/alone/journal.db")
        damaged = bytearray(file.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        file.write_bytes(damaged)
        journal = self.folder / "new.db"
        self.refused("not a backup, or it is damaged", "restore", file, "--journal", f"sqlite:{journal}")
        self.assertFalse(journal.exists())


class Reading(Base):
    def test_a_standby_answers_and_says_how_old(self):
        etcd = self.enter(services.etcd_cluster(self.folder, size=1))
        cluster = self.enter(services.baton_cluster(BATON, self.folder, etcd, size=2))
        leader = cluster.wait_leader()
        standby = f"baton://{cluster.addresses[1 - leader]}"
        self.baton("put", "config", "new", "--url", cluster.url)
        holder = services.Holder(cluster, "held", "holder")
        self.addCleanup(holder.process.stdout.close)
        self.addCleanup(holder.process.stderr.close)
        self.addCleanup(holder.abandon)
        holder.wait_granted()
        services.wait_until("the standby", lambda: "held" in
                            run(BATON, "locks", "--stale", "--url", standby).stdout)
        # By default the question goes to the leader; and if that one is away, to nobody.
        cluster.servers[leader].signal(signal.SIGSTOP)
        self.addCleanup(cluster.servers[leader].signal, signal.SIGCONT)
        for command in (["locks"], ["get", "config"], ["ls"], ["sessions"]):
            done = run(BATON, *command, "--stale", "--url", standby)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertRegex(done.stderr, r"the answer may lack the last \d+\.\d+ s")
        self.assertEqual("new", self.baton("get", "config", "--stale", "--url", standby))

    def test_without_etcd_only_what_may_be_old_is_answered(self):
        etcd = self.enter(services.etcd_cluster(self.folder, size=1))
        cluster = self.enter(services.baton_cluster(BATON, self.folder, etcd, size=1))
        self.baton("put", "config", "old", "--url", cluster.url)
        etcd.members[0].kill()
        services.wait_until("trouble", lambda: cluster.ask("status").get("trouble", "")
                            .startswith("it cannot prove that it still leads"))
        done = run(*cluster.command("get", "config", "--stale"))
        self.assertEqual("old", done.stdout, done.stderr)
        self.assertNotIn("last 0.000 s", done.stderr)
        asking = subprocess.Popen(cluster.command("get", "config"), stdout=subprocess.PIPE, text=True)
        self.addCleanup(asking.stdout.close)
        etcd.members[0].start()
        said, _ = asking.communicate(timeout=PATIENCE_S)
        self.assertIn(said, ("old", ""), "it waits or gives up, and never guesses")


class Access(Base):
    def openssl(self, arguments):
        done = run("openssl", *arguments.split())
        self.assertEqual(0, done.returncode, done.stderr)

    def make_certificates(self):
        at = self.folder
        key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        for name in ("ca", "stranger"):
            self.openssl(f"req -x509 {key} -days 2 -subj /CN={name} "
                         f"-keyout {at}/{name}.key -out {at}/{name}.pem")
        for name, extension in (("server", "subjectAltName=IP:127.0.0.1"),
                                ("client", "extendedKeyUsage=clientAuth")):
            (at / f"{name}.cnf").write_text(extension + "\n")
            self.openssl(f"req {key} -subj /CN={name} -keyout {at}/{name}.key -out {at}/{name}.csr")
            self.openssl(f"x509 -req -days 2 -in {at}/{name}.csr -CA {at}/ca.pem -CAkey {at}/ca.key "
                         f"-CAcreateserial -extfile {at}/{name}.cnf -out {at}/{name}.pem")

    def etcdctl(self, *arguments):
        return run("etcdctl", f"--endpoints=https://{self.address}", f"--cacert={self.folder}/ca.pem",
                   f"--cert={self.folder}/client.pem", f"--key={self.folder}/client.key", *arguments,
                   ETCDCTL_API="3")

    def start_etcd(self):
        """One that asks for certificates and for a user, who may use the prefix of Baton and no more."""
        self.make_certificates()
        client, peer = services.reserve_ports(2)
        self.address = f"127.0.0.1:{client}"
        at = self.folder
        self.enter(services.running("etcd", [
            "etcd", "--data-dir", str(at / "etcd" / "data"), "--log-level", "error", "--logger", "zap",
            "--listen-client-urls", f"https://{self.address}",
            "--advertise-client-urls", f"https://{self.address}",
            "--listen-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-cluster", f"default=http://127.0.0.1:{peer}", "--client-cert-auth",
            "--trusted-ca-file", str(at / "ca.pem"), "--cert-file", str(at / "server.pem"),
            "--key-file", str(at / "server.key")], at / "etcd",
            lambda: self.etcdctl("endpoint", "health").returncode == 0))
        for command in ("user add root:secret", "user grant-role root root", "role add baton",
                        "role grant-permission baton --prefix=true readwrite baton/",
                        "user add baton:password", "user grant-role baton baton", "auth enable"):
            done = self.etcdctl(*command.split())
            self.assertEqual(0, done.returncode, f"{command}: {done.stderr}")

    def serve(self, *options, password="password", prefix="baton"):
        (port,) = services.reserve_ports(1)
        address = f"127.0.0.1:{port}"
        server = subprocess.Popen(
            [BATON, "serve", "--listen", address, "--journal", f"etcd://{self.address}/{prefix}",
             *options],
            env={**os.environ, "BATON_ETCD_PASSWORD": password}, stderr=subprocess.PIPE,
            text=True, preexec_fn=services.end_with_parent)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server, f"baton://{address}"

    def says(self, server, words):
        said = []
        for line in server.stderr:
            said.append(line)
            if words in line:
                return
        self.fail(f"it never says '{words}':\n{''.join(said)}")

    def test_tls_and_a_user(self):
        self.start_etcd()
        at = self.folder
        tls = ["--etcd-ca", f"{at}/ca.pem", "--etcd-cert", f"{at}/client.pem",
               "--etcd-key", f"{at}/client.key"]
        server, url = self.serve(*tls, "--etcd-user", "baton")
        self.says(server, "leading in epoch")
        self.assertGreater(self.fence(url), 0)
        status = json.loads(self.baton("status", "--json", "--url", url))
        self.assertTrue(status["cluster"]["etcd"][0]["healthy"], status)
        self.assertEqual("", status["trouble"])
        # What is wrong is said, and tried again: whoever is to put it right may do so at etcd.
        user = [*tls, "--etcd-user", "baton"]
        for words, options, others in (
                ("authentication failed", user, {"password": "wrong"}),
                ("permission denied", user, {"prefix": "other"}),
                ("no connection to etcd", ["--etcd-ca", f"{at}/stranger.pem"], {}),
                ("no connection to etcd", [*tls, "--etcd-server-name", "else.example"], {}),
                ("no connection to etcd", [], {})):
            with self.subTest(words=words, options=options):
                other, _ = self.serve("--name", "other", *options, **others)
                self.says(other, words)
                self.assertIsNone(other.poll())

    def test_what_cannot_work_is_refused(self):
        journal = ["--listen", "127.0.0.1:0", "--advertise", "a:1", "--journal", "etcd://127.0.0.1:1/x"]
        self.refused("BATON_ETCD_PASSWORD", "serve", *journal, "--etcd-user", "baton")
        self.refused("need each other", "serve", *journal, "--etcd-cert", "a.pem")
        self.refused("'http:' in 'etcd://http://a:2379/x' is not HOST:PORT", "serve", *journal[:4],
                     "--journal", "etcd://http://a:2379/x")
        self.refused("cannot read the file", "serve", *journal, "--etcd-ca", "/nowhere/ca.pem")


if __name__ == "__main__":
    unittest.main()
