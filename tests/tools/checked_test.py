#!/usr/bin/env python3
"""What tools/checked demands of docs/checked.md and docs/traps.md: something of every algorithm.

  checked_test.py TOOL
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

tool = pathlib.Path(sys.argv.pop(1)).resolve()

# What the pretended program lists, and which arguments of `check` break a property.
gossip = {"name": "gossip", "title": "Gossip", "kind": "mutual exclusion", "wrong": False,
          "checked": [{"options": "", "what": "", "quick": True}], "traps": []}
slow = {**gossip, "name": "slow", "checked": [{"options": "--resilient", "what": "one quits",
                                               "quick": False}]}
rumour = {**gossip, "name": "wrong-rumour", "title": "Rumour", "wrong": True,
          "why": "nobody says who said it"}
pretended = """#!/usr/bin/env python3
import json, sys
if sys.argv[1] == "list":
    print(open({listed!r}).read())
    sys.exit(0)
broken = sys.argv[2].startswith("wrong") or {{"--reorder", "--omit"}} & set(sys.argv)
search = {{"distinct": 1234, "generated": 5678, "depth": 9}}
verdict = {{"verdict": "broken", "what": "two are inside", "steps": 3}} if broken else \\
    {{"verdict": "holds"}}
print(json.dumps({{"safety": search, "properties": [{{"property": "safety", **verdict}}]}}))
print("\\n\\n1. asks")
"""


class Checked(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.docs = pathlib.Path(self.folder.name)
        (self.docs / "images").mkdir()
        for page in ("checked.md", "traps.md"):
            (self.docs / page).write_text("")
        self.baton = self.docs / "baton"
        self.baton.write_text(pretended.format(listed=str(self.docs / "listed")))
        self.baton.chmod(0o755)

    def run_tool(self, algorithms, *arguments):
        (self.docs / "listed").write_text(json.dumps(algorithms))
        return subprocess.run([tool, self.baton, self.docs, *arguments], capture_output=True,
                              text=True, check=False)

    def write(self, algorithms, *arguments):
        done = self.run_tool(algorithms, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def objection(self, algorithms):
        """What --compare says; empty if the pages are as they should be."""
        done = self.run_tool(algorithms, "--compare")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout

    def edit(self, page, old, new):
        text = (self.docs / page).read_text()
        self.assertIn(old, text)
        (self.docs / page).write_text(text.replace(old, new))

    def test_what_was_written_is_as_it_should_be(self):
        self.write([gossip, slow, rumour])
        self.assertEqual(self.objection([gossip, slow, rumour]), "")
        page = (self.docs / "checked.md").read_text()
        self.assertIn("| gossip | 1,234 | 5,678 | 9 |  | safety | `gossip` |", page)
        self.assertIn("| resilient slow, one quits | 1,234 |", page)

    def test_a_new_algorithm_needs_its_row(self):
        self.write([gossip])
        self.assertIn("newcomer", self.objection([gossip, {**gossip, "name": "newcomer"}]))
        # It need not be checked again to be missed.
        self.assertIn("no row for slow --resilient", self.objection([gossip, slow]))

    def test_a_new_wrong_variant_needs_its_trap(self):
        self.write([gossip])
        self.assertIn("## Rumour", self.objection([gossip, rumour]))
        self.write([gossip, rumour])
        self.assertIn("Nobody says who said it.", (self.docs / "traps.md").read_text())

    def test_a_trap_of_a_right_algorithm_is_demanded_too(self):
        self.write([gossip])
        reordered = {"options": "--reorder", "what": "without order", "quick": True}
        self.assertIn("## Gossip: without order", self.objection([{**gossip, "traps": [reordered]}]))

    def test_what_is_no_more_is_not_on_the_pages(self):
        self.write([gossip, slow, rumour])
        self.assertIn("-| resilient slow", self.objection([gossip, rumour]))
        self.assertIn("what nobody names", self.objection([gossip, slow]))

    def test_figures_of_what_is_quick_are_compared(self):
        self.write([gossip, slow])
        self.edit("checked.md", "| gossip | 1,234", "| gossip | 1,235")
        self.assertIn("1,235", self.objection([gossip, slow]))

    def test_only_one_algorithm_is_written_anew(self):
        self.write([gossip, slow, rumour])
        self.edit("checked.md", "| resilient slow, one quits | 1,234", "| slow | 77")
        newcomer = {**gossip, "name": "newcomer"}
        self.write([gossip, newcomer, slow, rumour], "--only", "newcomer")
        page = (self.docs / "checked.md").read_text()
        self.assertIn("| newcomer | 1,234 |", page)
        self.assertIn("| resilient slow, one quits | 77 |", page)
        self.assertEqual(self.objection([gossip, newcomer, slow, rumour]), "")
        self.assertEqual(self.run_tool([gossip], "--only", "nobody").returncode, 1)


if __name__ == "__main__":
    unittest.main()
