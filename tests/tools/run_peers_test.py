#!/usr/bin/env python3
"""bench/peers/run_peers with a stand-in for Baton: its medians and ratios are right, bounds that are
missed are said, and so is what fails."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN_PEERS = Path(__file__).resolve().parents[2] / "bench" / "peers" / "run_peers"

# In each call everything is slower than in the one before.
BATON = """#!{python}
import json, os, sys
with open({notes!r}, "a") as notes:
    notes.write(" ".join(sys.argv[1:]) + "\\n")
calls = len(open({notes!r}).readlines())
if {fails!r}:
    sys.exit({fails!r})
rows = []
for name in ("ricart-agrawala", "central", "suzuki-kasami"):
    rows.append({{"algorithm": name, "n": 3, "agrees": {agrees!r}, "frame_bytes": 30,
                 "acquire_us": 30 * calls, "echo_us": 25,
                 "saturated": {{"entries_per_s": 50000 / calls, "hand_offs_per_s": 40000 / calls,
                               "messages_per_entry": 4}}}})
print(json.dumps(rows))
"""


class RunPeers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.notes = self.folder / "notes"

    def run_it(self, *arguments, fails="", agrees=True):
        baton = self.folder / "baton"
        baton.write_text(BATON.format(python=sys.executable, notes=str(self.notes), fails=fails,
                                      agrees=agrees))
        baton.chmod(0o755)
        return subprocess.run([RUN_PEERS, "--baton", baton, *arguments], capture_output=True,
                              text=True, check=False, timeout=60)

    def test_takes_medians_over_rounds_in_which_all_take_turns(self):
        done = self.run_it("--rounds", "3", "--seconds", "0.5", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        # N = 3 is measured in calls 1, 3 and 5, N = 5 in calls 2, 4 and 6.
        acquire = found["acquire"][0]
        self.assertEqual((acquire["acquire_us"], acquire["echoes"]), (90, 3.6))
        self.assertFalse(acquire["kept"])
        hand_off = {row["algorithm"]: row for row in found["hand_off"]}
        self.assertEqual(hand_off["suzuki-kasami"]["entries_per_s"], 12500)
        self.assertEqual(hand_off["suzuki-kasami"]["hand_offs_per_s"], 10000)
        self.assertEqual(hand_off["suzuki-kasami"]["allowed_per_s"], 80000)
        self.assertEqual(hand_off["suzuki-kasami"]["hand_offs_per_message_time"], 0.125)
        self.assertFalse(hand_off["suzuki-kasami"]["kept"])
        self.assertIsNone(hand_off["central"]["kept"])
        calls = self.notes.read_text().splitlines()
        self.assertEqual(calls[0],
                         "compare --network --json -n 3 --seconds 0.5 ricart-agrawala central")
        self.assertEqual(calls[1], "compare --network --json -n 5 --seconds 0.5")

    def test_says_which_bounds_are_missed(self):
        done = self.run_it("--rounds", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = {line.split()[0]: line for line in done.stdout.splitlines() if "at " in line}
        self.assertNotIn("MISSED", lines["central"])
        self.assertIn("at least 0.5  MISSED", lines["suzuki-kasami"])

    def test_fails_if_the_wire_differs_from_the_simulator(self):
        done = self.run_it("--rounds", "1", agrees=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("others than in the simulator", done.stderr)

    def test_says_what_fails(self):
        done = self.run_it("--rounds", "1", fails="baton: no free port")
        self.assertEqual(done.returncode, 1)

    def test_refuses_wrong_usage(self):
        self.assertEqual(self.run_it("--rounds", "0").returncode, 2)
        self.assertEqual(self.run_it("--seconds", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
