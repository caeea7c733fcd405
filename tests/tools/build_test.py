#!/usr/bin/env python3
"""tools/build on a pretended build folder: how far it is in a few lines, errors in full, and nothing
left when it is interrupted."""

import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import running  # noqa: E402

BUILD = Path(__file__).resolve().parents[2] / "tools" / "build"
PATIENCE_S = 120
RULES = "rule run\n  command = $command\n"


def edge(output, command):
    return f"build {output}: run\n  command = {command}\n"


class BuildTest(running.RunningTest):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()

    def write(self, *edges, target="all"):
        outputs = " ".join(one.split()[1].rstrip(":") for one in edges)
        phony = f"build {target}: phony {outputs}\n"
        (self.folder / "build.ninja").write_text(RULES + "".join(edges) + phony)

    def command(self, *arguments):
        return [sys.executable, str(BUILD), "--folder", str(self.folder), *arguments]

    def build(self, *arguments):
        done = subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE_S)
        return done.returncode, done.stdout, done.stderr

    def test_a_line_for_every_tenth_part(self):
        self.write(*(edge(f"file-{i}", f"sleep 0.01 && touch file-{i}") for i in range(200)))
        status, out, err = self.build("all")
        self.assertEqual((0, ""), (status, err))
        shown = [line for line in out.splitlines() if line.startswith("compiling: ")]
        self.assertTrue(1 <= len(shown) <= 10, out)
        self.assertIn("100 %, 200 of 200 steps", shown[-1])

    def said_on_terminal(self, terminal):
        self.write(*(edge(f"file-{i}", f"touch file-{i}") for i in range(50)))
        leader, follower = pty.openpty()
        with subprocess.Popen(self.command("all"), stdin=subprocess.DEVNULL, stdout=follower,
                              env={**os.environ, "TERM": terminal}) as run:
            os.close(follower)
            said = b""
            try:
                while part := os.read(leader, 4096):
                    said += part
            except OSError:  # the other end is closed
                pass
            os.close(leader)
        self.assertEqual(0, run.returncode)
        return said.decode()

    def test_lines_on_a_dumb_terminal(self):
        said = self.said_on_terminal("dumb")
        self.assertNotIn("\033", said)
        self.assertIn("100 %, 50 of 50 steps", said)
        self.assertNotIn("\r", said.replace("\r\n", "\n"))

    def test_one_line_on_a_terminal(self):
        rows = self.said_on_terminal("xterm").split("\n")
        self.assertEqual([], [row for row in rows[:-1] if "compiling:" in row], rows)
        self.assertIn("50 of 50 steps", rows[-1])

    def test_the_second_time_it_says_nothing_of_compiling(self):
        self.write(edge("file", "touch file"))
        self.build("all")
        self.assertEqual((0, "", ""), self.build("all"))

    def test_says_beforehand_how_long_it_takes(self):
        self.write(edge("file.o", "touch file.o && true -o file.o #"))
        _, out, _ = self.build("all")
        self.assertRegex(out, r"^Compiling takes (about|less than) .* of this machine")
        _, out, _ = self.build("all")
        self.assertEqual("", out)

    def test_what_a_compiler_says_is_shown_in_full(self):
        words = " && ".join(f"echo file.cpp:{i}: error" for i in range(30))
        self.write(edge("file", f"{words} && false"))
        status, _, err = self.build("all")
        self.assertEqual(1, status)
        for i in range(30):
            self.assertIn(f"file.cpp:{i}: error", err)
        self.assertIn("compiling failed", err)

    def test_of_the_tests_only_those_that_fail_are_shown(self):
        self.write(edge("file", "touch file"))
        (self.folder / "CTestTestfile.cmake").write_text(
            "".join(f"add_test(good-{i} true)\n" for i in range(20)) +
            'add_test(bad sh -c "echo this is the reason; exit 1")\n')
        status, out, err = self.build("--tests", "all")
        self.assertEqual(1, status)
        self.assertIn("he tests take", out)
        self.assertRegex(out, r"testing: \d+ %, \d+ of 21 tests")
        self.assertIn("this is the reason", err)
        self.assertNotIn("good-3", out + err)

    def test_interrupted_it_leaves_nothing(self):
        self.write(edge("file", "echo half > file && exec sleep 1000"))
        run = subprocess.Popen(self.command("all"), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        deadline = time.monotonic() + PATIENCE_S
        while not (self.folder / "file").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertNotEqual([], self.processes())
        run.send_signal(signal.SIGINT)
        self.assertEqual(128 + signal.SIGINT, run.wait(timeout=PATIENCE_S))
        self.expect_no_process(PATIENCE_S)
        self.assertFalse((self.folder / "file").exists())

    def processes(self):
        return running.processes(self.folder)


if __name__ == "__main__":
    unittest.main()
