#!/usr/bin/env python3
"""docs/compare.md says what happens: tools/compare brings every peer that is installed into every situation.

    compare_test.py BATON
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tools" / "compare"
PAGE = ROOT / "docs" / "compare.md"
BATON = sys.argv.pop(1) if len(sys.argv) > 1 else ""
PATIENCE_S = 300


everything = None


def setUpModule():
    # Mostly waits, so that the other tests go on meanwhile.
    global everything
    everything = subprocess.Popen([sys.executable, str(PROGRAM), BATON, "--json"], stdout=subprocess.PIPE,
                                  text=True)


def tearDownModule():
    everything.terminate()
    everything.wait(timeout=PATIENCE_S)
    everything.stdout.close()


def compare(*arguments, baton=BATON, **variables):
    return subprocess.run([sys.executable, str(PROGRAM), baton, *map(str, arguments)], timeout=PATIENCE_S,
                          capture_output=True, text=True, env={**os.environ, **variables})


class Answers(unittest.TestCase):
    def test_a_wrong_page_is_noticed_and_can_be_written_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "compare.md"
            text = PAGE.read_text()
            page.write_text(text.replace("| passed through |", "| lost |", 1))
            self.assertNotEqual(text, page.read_text())
            done = compare("flock", "--page", page)
            if "flock is not checked" in done.stderr:
                self.skipTest(done.stderr.strip())
            self.assertEqual(1, done.returncode, done.stderr)
            self.assertIn("'Exit code of the command', flock: it is 'passed through', "
                          "and the page says 'lost'", done.stderr)
            self.assertEqual(0, compare("flock", "--page", page, "--write").returncode)
            self.assertEqual(text, page.read_text())

    def test_who_is_not_installed_is_named(self):
        done = compare("flock", PATH="/nowhere")
        self.assertIn("flock is not checked: flock is not installed", done.stderr)
        self.assertNotIn("`flock`", done.stdout)

    def test_a_server_that_does_not_start_is_told(self):
        done = compare("baton", baton="/bin/false")
        self.assertEqual(1, done.returncode)
        self.assertIn("baton: ended", done.stderr)


class Columns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.said = json.loads(everything.communicate(timeout=PATIENCE_S)[0])

    def check(self, name):
        column = self.said["columns"][name]
        if "missing" in column:
            self.skipTest(f"{name} is not checked: {column['missing']}")
        self.assertNotIn("failed", column)
        self.assertEqual(12, len(column["cells"]))
        self.assertEqual([], self.said["differences"].get(name, []))

    def test_flock(self):
        self.check("flock")

    def test_etcdctl(self):
        self.check("etcdctl")

    def test_redlock(self):
        self.check("redlock")

    def test_baton(self):
        self.assertNotIn("missing", self.said["columns"]["baton"])
        self.check("baton")

    def test_the_page_has_what_was_checked_and_no_more(self):
        titles = list(self.said["columns"]["baton"]["cells"])
        rows = [line for line in PAGE.read_text().split("<!-- The table ends")[0].splitlines()
                if line.startswith("| ")][2:]
        self.assertEqual(titles, [row.split("|")[1].strip() for row in rows])
        for row in rows:
            self.assertEqual(6, len([cell for cell in row.split("|") if cell.strip()]), row)
        headings = [line[4:] for line in PAGE.read_text().splitlines() if line.startswith("### ")]
        self.assertEqual(titles, headings)


if __name__ == "__main__":
    unittest.main()
