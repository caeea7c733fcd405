#!/usr/bin/env python3
"""Every command of Baton on docs/migrate.md works, and what the page says of the C++ library exists.

    migrate_test.py BATON

The commands of each section run in one shell, from top to bottom, with a server of their own. "(exit code
N" after a command is its exit code, otherwise 0. What prints until it is interrupted is interrupted. A
lock that is to be broken is held by somebody.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tools"))
import services  # noqa: E402

BATON = os.path.realpath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
PAGE = ROOT / "docs" / "migrate.md"
PATIENCE_S = 60
# What stands on the page for a server, and for a file.
URL = "baton://lock-a:7400,lock-b:7400"
FILE = "/tmp/nightly.lock"
# What a reader is to write; not the mere name of a command.
OURS = re.compile(r"baton [a-z]+ \S|baton (?:locks|sessions)$|token=\$\(baton|BATON_URL=\S+ baton|curl -s ")
INTERRUPTED = 124
# Tells how each command ended, and keeps the session that an answer names, as the page says.
HELPERS = r"""
run() {
  eval "$1" >out 2>&1
  echo "$? $1" | tee -a ended >>said
  cat out >>said
  found=$(sed -n 's/.*"session":"\([^"]*\)".*/\1/p' out)
  if [ -n "$found" ]; then session=$found; fi
}
hold() {
  baton lock "$1" -- sleep 60 &
  until baton locks "$1" --json | grep -q '"fence"'; do sleep 0.02; done
}
"""


def code_spans(text):
    """Each with what follows it."""
    return [(span.replace(r"\|", "|"), after) for span, after in re.findall(r"`([^`]+)`([^`]*)", text)]


def commands_of(section):
    """(command, exit code), in the order of the page."""
    found = [(line, 0) for block in re.findall(r"^```sh\n(.*?)^```$", section, re.S | re.M)
             for line in block.splitlines()]
    for row in re.findall(r"^\|.*\|$", section, re.M):
        for cell in re.split(r"(?<!\\)\|", row):
            for span, after in code_spans(cell):
                if OURS.match(span):
                    code = re.match(r" \(exit code (\d+)", after)
                    found.append((span, int(code[1]) if code else 0))
    return found


def sections():
    return {text.split("\n")[0]: text for text in re.split(r"^## ", PAGE.read_text(), flags=re.M)[1:]}


class Commands(unittest.TestCase):
    def run_section(self, title, at_least):
        commands = commands_of(sections()[title])
        self.assertGreaterEqual(len(commands), at_least)
        script = [HELPERS]
        expected = []
        for command, status in commands:
            if broken := re.match(r"baton break (\S+)$|.*/v1/break .*:\"(\w+)\"", command):
                script.append(f"hold {broken[1] or broken[2]}")
            if re.search(r" --watch$", command):
                command, status = f"timeout 1 {command}", INTERRUPTED
            # Trouble over HTTP is to be an exit code, too.
            command = command.replace("curl -s ", "curl -s -f ")
            expected.append(f"{status} {command}")
            script.append(f"run {shlex.quote(command)}")
        ended, said = self.run_script("\n".join(script))
        self.assertEqual(expected, ended, said)

    def run_script(self, script):
        """How each command ended, and all that they said."""
        tcp, http = services.reserve_ports(2)
        with tempfile.TemporaryDirectory() as scratch, services.ending_children():
            folder = Path(scratch)
            (folder / "bin").mkdir()
            (folder / "bin" / "baton").symlink_to(BATON)
            (folder / "job").write_text("#!/bin/sh\necho done\n")
            (folder / "job").chmod(0o755)
            with services.running("baton", [
                    BATON, "serve", "--listen", f"127.0.0.1:{tcp}", "--http", f"127.0.0.1:{http}",
                    "--journal", "memory:"], folder / "server",
                    lambda: services.answers(("127.0.0.1", tcp))):
                url = f"baton://127.0.0.1:{tcp}"
                script = script.replace(URL, url).replace(FILE, f"{folder}/file")
                environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "BATON_URL": url,
                               "XDG_STATE_HOME": scratch, "BATON_RUN_DIRECTORY": scratch,
                               "server": f"127.0.0.1:{http}"}
                subprocess.run(["bash", "-c", script], cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, timeout=PATIENCE_S, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
                ended, said = ((folder / name).read_text().replace(url, URL).replace(f"{folder}/file", FILE)
                               for name in ("ended", "said"))
        return ended.splitlines(), said

    def test_first(self):
        self.run_section("First", 2)

    def test_flock(self):
        self.run_section("From flock", 13)

    def test_etcdctl(self):
        self.run_section("From etcdctl", 18)

    def test_consul(self):
        self.run_section("From consul lock", 12)

    @unittest.skipIf(shutil.which("curl") is None, "there is no curl")
    def test_redlock(self):
        self.run_section("From Redlock libraries", 17)

    def test_curator(self):
        self.run_section("From Curator and kazoo", 16)

    def test_a_command_that_fails_is_noticed(self):
        ended, said = self.run_script(HELPERS + "run 'baton lock nightly --shard -- ./job'")
        self.assertEqual(["2 baton lock nightly --shard -- ./job"], ended)
        self.assertIn("--shared", said)


class Page(unittest.TestCase):
    def test_options_that_are_only_named(self):
        known = set()
        for command in ("lock", "acquire", "elect", "leader", "locks", "break", "put", "watch", "serve"):
            said = subprocess.run([BATON, command, "--help"], capture_output=True, text=True).stdout
            known |= set(re.findall(r"--[a-z][a-z-]+", said))
        for title, section in sections().items():
            # On the left are the options of others.
            text = re.sub(r"^\| [^|]*\|", "|", section, flags=re.M)
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text):
                self.assertIn(option, known, title)

    def test_names_of_the_library(self):
        header = "".join(path.read_text() for path in (ROOT / "include" / "baton").glob("*.h"))
        names = set(re.findall(r"\b\w+", header))
        rows = [re.split(r"(?<!\\)\|", row) for row in
                re.findall(r"^\|.*\|$", sections()["From Curator and kazoo"], re.M)]
        used = {name for row in rows for span, _ in code_spans(row[3])
                for name in re.findall(r"(?:\.|baton::)(\w+)", span)}
        self.assertGreater(len(used), 15)
        self.assertEqual(set(), used - names)

    def test_links(self):
        for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", PAGE.read_text()):
            path, _, heading = target.partition("#")
            page = PAGE.parent / path if path else PAGE
            self.assertTrue(page.exists(), target)
            if heading:
                headings = [re.sub(r"[^\w -]", "", line.lstrip("# ")).strip().lower().replace(" ", "-")
                            for line in page.read_text().splitlines() if line.startswith("#")]
                self.assertIn(heading, headings, target)


if __name__ == "__main__":
    unittest.main()
