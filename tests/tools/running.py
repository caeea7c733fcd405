"""Programs that tests start in a folder of their own: what they say, and what is left of them."""

import os
import subprocess
import time
import unittest
from pathlib import Path


def processes(folder, mark=None):
    """All that run in the folder, also one that is already removed, or have this in their environment."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if (mark is not None and mark.encode() in (one / "environ").read_bytes()) or \
                    os.readlink(one / "cwd").startswith(str(folder)):
                found.append(int(one.name))
        except OSError:
            pass
    return found


class RunningTest(unittest.TestCase):
    def start_program(self, command, temporary):
        run = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)},
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def read_until(self, run, words):
        """What it printed up to the line with these words."""
        said = []
        for line in run.stdout:
            said.append(line)
            if words in line:
                return "".join(said)
        self.fail(f"it never says '{words}':\n{''.join(said)}")

    def expect_no_process(self, patience_s):
        deadline = time.monotonic() + patience_s
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([], self.processes())
