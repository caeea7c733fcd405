#!/usr/bin/env python3
"""What docs/cluster.md, the formats and examples/cluster/ say is so: commands are run on a real cluster,
configuration files are given to `baton serve`, options exist, links lead somewhere.

    cluster_docs_test.py BATON
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tools"))
import services  # noqa: E402

BATON = sys.argv.pop(1) if len(sys.argv) > 1 else ""
GUIDE = ROOT / "docs" / "cluster.md"
EXAMPLES = ROOT / "examples" / "cluster"
PAGES = [GUIDE, ROOT / "docs/formats/etcd.md", ROOT / "docs/formats/journal.md",
         ROOT / "docs/decisions/0008-cluster.md", EXAMPLES / "README.md"]
HOSTS = ("lock-a", "lock-b", "lock-c")
# Of etcd, etcdctl, systemctl and tools/cluster, not of baton.
OTHERS = {"--auto-compaction-mode", "--auto-compaction-retention", "--quota-backend-bytes", "--prefix",
          "--write-out", "--cluster", "--keep", "--now"}


def settings_of(path):
    """Lines like: name = "value"."""
    return dict(re.findall(r'^([A-Za-z_-]+) ?= ?"?([^"\n]*)"?$', path.read_text(), re.M))


class Guide(unittest.TestCase):
    def test_commands(self):
        commands = [line for block in re.findall(r"^```sh\n(.*?)^```$", GUIDE.read_text(), re.S | re.M)
                    for line in block.splitlines()]
        self.assertGreaterEqual(len(commands), 6)
        with tempfile.TemporaryDirectory() as folder, services.ending_children(), \
                services.etcd_cluster(Path(folder)) as etcd, \
                services.baton_cluster(BATON, Path(folder), etcd) as baton:
            (Path(folder) / "bin").mkdir()
            (Path(folder) / "bin" / "baton").symlink_to(BATON)
            environment = {**os.environ, "BATON_URL": baton.url,
                           "PATH": f"{folder}/bin:{os.environ['PATH']}"}
            for command in commands:
                with self.subTest(command):
                    expected = re.search(r"exits (\d+)", command)
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment,
                                          capture_output=True, text=True, timeout=60)
                    self.assertEqual(int(expected[1]) if expected else 0, done.returncode,
                                     done.stderr)

    def test_options(self):
        known = set(OTHERS)
        for command in ("serve", "lock", "locks", "status", "backup", "restore", "check"):
            said = subprocess.run([BATON, command, "--help"], capture_output=True, text=True).stdout
            known |= set(re.findall(r"--[a-z][a-z-]+", said))
        for page in PAGES:
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text()):
                self.assertIn(option, known, page.name)

    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", page.read_text()):
                self.assertTrue((page.parent / target.split("#")[0]).exists(), f"{page}: {target}")

    def test_keys(self):
        """Those that docs/formats/etcd.md names are those that src/service/cluster/keys.h makes."""
        source = (ROOT / "src/service/cluster/keys.h").read_text()
        made = {key.strip("/") for key in re.findall(r'prefix_ \+ "/([^"]*)"', source)} - {"live"}
        told = {re.sub("/[A-Z/]*$", "", key) for key in
                re.findall(r"^\| `PREFIX/([^`]*)`", PAGES[1].read_text(), re.M)}
        self.assertEqual(made, told)


class Examples(unittest.TestCase):
    def serve(self, config, folder):
        """A server with this configuration that serves for itself alone; ended when it is ready."""
        server = subprocess.Popen(
            [BATON, "serve", "--config", str(config), "--journal", "memory:", "--listen",
             f"unix:{folder}/socket", "--http", "127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True)
        said = []
        for line in server.stderr:
            said.append(line)
            if "listening on unix:" in line:
                server.send_signal(signal.SIGTERM)
        server.stderr.close()
        return server.wait(timeout=60), "".join(said)

    def test_configurations_can_be_read(self):
        for host in HOSTS:
            with tempfile.TemporaryDirectory() as folder:
                status, said = self.serve(EXAMPLES / f"serve-{host}.toml", folder)
                self.assertEqual(0, status, said)

    def test_a_setting_that_is_wrong_would_be_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "serve.toml"
            text = (EXAMPLES / "serve-lock-a.toml").read_text()
            config.write_text(text.replace("advertise", "advertize"))
            status, said = self.serve(config, folder)
            self.assertEqual(2, status, said)

    def test_the_hosts_agree(self):
        journals, clusters = set(), set()
        for host in HOSTS:
            serve = settings_of(EXAMPLES / f"serve-{host}.toml")
            self.assertEqual(host, serve["name"])
            self.assertEqual(f"{host}:7400", serve["advertise"])
            journals.add(serve["journal"])
            etcd = settings_of(EXAMPLES / f"etcd-{host}")
            self.assertEqual(host, etcd["ETCD_NAME"])
            self.assertEqual(f"http://{host}:2379", etcd["ETCD_ADVERTISE_CLIENT_URLS"])
            self.assertEqual(f"http://{host}:2380", etcd["ETCD_INITIAL_ADVERTISE_PEER_URLS"])
            clusters.add(etcd["ETCD_INITIAL_CLUSTER"])
        self.assertEqual({f"etcd://{','.join(f'{host}:2379' for host in HOSTS)}/baton"}, journals)
        self.assertEqual({",".join(f"{host}=http://{host}:2380" for host in HOSTS)}, clusters)

    @unittest.skipIf(shutil.which("systemd-analyze") is None, "there is no systemd-analyze")
    def test_the_unit(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = Path(folder) / "baton.service"
            text = (EXAMPLES / "baton.service").read_text()
            unit.write_text(text.replace("/usr/local/bin/baton", BATON))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)],
                                  capture_output=True, text=True)
            # It also speaks of units of this machine, which are none of our business.
            ours = [line for line in done.stderr.splitlines() if "baton" in line]
            self.assertEqual([], ours)
            self.assertEqual(0, done.returncode, done.stderr)


if __name__ == "__main__":
    unittest.main()
