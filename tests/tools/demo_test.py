#!/usr/bin/env python3
"""tools/demo: it shows what it says it shows, the tool before the laboratory is compiled, and however
it ends nothing of it is left, neither processes nor files.

    demo_test.py BATON_SERVICE BATON
"""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import running  # noqa: E402

DEMO = Path(__file__).resolve().parents[2] / "tools" / "demo"
SERVICE = sys.argv.pop(1) if len(sys.argv) > 1 else ""
BATON = sys.argv.pop(1) if len(sys.argv) > 1 else ""
PATIENCE_S = 300


class DemoTest(running.RunningTest):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve() / "build"
        self.temporary = Path(scratch.name).resolve() / "tmp"
        self.folder.mkdir()
        self.temporary.mkdir()
        # "Compiles" by a link; the laboratory when it is told to.
        (self.folder / "build.ninja").write_text(
            "rule run\n  command = $command\n"
            f"build baton-service: run\n  command = ln -s {SERVICE} baton-service\n"
            "build baton: run\n  command = echo half > part && "
            f"until [ -e go ]; do sleep 0.1; done && rm part && ln -s {BATON} baton\n")

    def start(self):
        return self.start_program([sys.executable, str(DEMO), "--folder", str(self.folder)],
                                  self.temporary)

    def processes(self):
        """All that were given the folder for temporary files, or work in the build folder."""
        return running.processes(self.folder, mark=f"TMPDIR={self.temporary}")

    def expect_nothing_left(self):
        self.expect_no_process(PATIENCE_S)
        self.assertEqual([], list(self.temporary.iterdir()))

    def test_shows_the_tool_and_then_the_laboratory(self):
        run = self.start()
        said = self.read_until(run, "The laboratory is next")
        self.assertFalse((self.folder / "baton").exists())
        for words in ("first  │ backing up, fence ", "second │ my turn, fence ",
                      "nightly-backup  holds", "nightly-backup  waits", "holder │ writing a long report",
                      "exit code 123", "refused: ", "deadlock"):
            self.assertIn(words, said)
        (self.folder / "go").touch()
        rest, _ = run.communicate(timeout=PATIENCE_S)
        self.assertEqual(0, run.returncode, rest)
        for words in ("ricart-agrawala", "suzuki-kasami", "maekawa"):
            self.assertIn(words, rest)
        self.expect_nothing_left()

    def test_with_all_compiled_it_begins_at_once(self):
        (self.folder / "baton-service").symlink_to(SERVICE)
        (self.folder / "build.ninja").write_text("build baton-service baton: phony\n")
        run = self.start()
        said = self.read_until(run, "== ")
        self.assertEqual("\n== Two shells want one lock.", said[:len("\n== Two shells want one lock.")])
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=PATIENCE_S)
        self.assertEqual(128 + signal.SIGTERM, run.returncode)
        self.expect_nothing_left()

    def first_heading_on_terminal(self, **variables):
        (self.folder / "baton-service").symlink_to(SERVICE)
        (self.folder / "build.ninja").write_text("build baton-service baton: phony\n")
        environment = {**os.environ, "TMPDIR": str(self.temporary), **variables}
        leader, follower = pty.openpty()
        run = subprocess.Popen([sys.executable, str(DEMO), "--folder", str(self.folder)], env=environment,
                               stdin=subprocess.DEVNULL, stdout=follower, stderr=follower)
        os.close(follower)
        self.addCleanup(run.kill)
        said = b""
        while b"Two shells want one lock." not in said:
            said += os.read(leader, 4096)
        run.send_signal(signal.SIGTERM)
        with contextlib.suppress(OSError):  # the other end is closed
            while os.read(leader, 4096):
                pass
        run.wait(timeout=PATIENCE_S)
        os.close(leader)
        return said.decode()

    def test_bold_on_a_terminal(self):
        self.assertIn("\033[1mTwo shells", self.first_heading_on_terminal(TERM="xterm", NO_COLOR=""))

    def test_plain_on_a_dumb_terminal(self):
        said = self.first_heading_on_terminal(TERM="dumb", NO_COLOR="")
        self.assertNotIn("\033", said)
        self.assertIn("== Two shells", said)

    def test_plain_with_no_color(self):
        self.assertIn("== Two shells", self.first_heading_on_terminal(TERM="xterm", NO_COLOR="1"))

    def test_interrupted_while_a_lock_is_held(self):
        run = self.start()
        self.read_until(run, "nightly-backup  waits")
        self.assertNotEqual([], self.processes())
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE_S)
        self.assertEqual(128 + signal.SIGINT, run.returncode)
        self.expect_nothing_left()
        self.assertFalse((self.folder / "baton").exists())

    def test_a_tool_that_fails_is_noticed(self):
        broken = self.folder / "broken"
        broken.write_text("#!/bin/sh\nexit 1\n")
        broken.chmod(0o755)
        (self.folder / "baton-service").symlink_to(broken)
        (self.folder / "build.ninja").write_text("build baton-service baton: phony\n")
        run = self.start()
        said, _ = run.communicate(timeout=PATIENCE_S)
        self.assertEqual(1, run.returncode, said)
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
