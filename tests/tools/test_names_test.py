#!/usr/bin/env python3
"""Every test of ctest has a name that people can read: test_names_test.py BUILD_FOLDER CTEST"""

import json
import re
import subprocess
import sys
import unittest

BUILD, CTEST = sys.argv.pop(1), sys.argv.pop(1)

# A parameter in bytes or by its address, which differs in every run.
BYTES = re.compile(r"-byte object|\b0x")
# ... by its number in a list, for want of a name generator.
NUMBER = re.compile(r"/\d+$")
HINT = "; give its INSTANTIATE_TEST_SUITE_P a name generator (tests/support/test_name.h)"


def objection_to_name(name):
    if "GetParam()" in name or BYTES.search(name):
        return f"{name}: the name tells bytes or an address{HINT}"
    if NUMBER.search(name):
        return f"{name}: the name ends in a number that says nothing{HINT}"
    return None


def objection_to_printed(line):
    if BYTES.search(line):
        return f"{line.strip()}: gtest prints bytes or an address; give the parameter's type a PrintTo()"
    return None


def tests():
    listed = subprocess.run([CTEST, "--test-dir", BUILD, "--show-only=json-v1"], check=True,
                            stdout=subprocess.PIPE)
    return json.loads(listed.stdout)["tests"]


class Names(unittest.TestCase):
    def test_the_list_of_ctest_is_readable(self):
        found = [objection_to_name(test["name"]) for test in tests()]
        self.assertGreater(len(found), 20)
        self.assertEqual([one for one in found if one], [])

    def test_what_gtest_prints_of_parameters_is_readable(self):
        programs = {test["command"][0] for test in tests()
                    if any(word.startswith("--gtest_filter=") for word in test.get("command", []))}
        self.assertTrue(programs)
        for program in sorted(programs):
            listed = subprocess.run([program, "--gtest_list_tests"], check=True,
                                    stdout=subprocess.PIPE, text=True, errors="replace").stdout
            found = [objection_to_printed(line) for line in listed.splitlines()]
            self.assertEqual([one for one in found if one], [], program)

    def test_unreadable_names_are_found(self):
        for name in ("Locks/OnLayers.KeepsItsPromises/central_lossy  # GetParam() = (0x55edd96c6100)",
                     "Journal.IsEmpty/24-byte object <FE-04 63-D9>", "Seed/Model.IsSafe/0"):
            self.assertIsNotNone(objection_to_name(name), name)
        self.assertIsNotNone(objection_to_printed("  IsSafe/bully  # GetParam() = 0x55edd96c6100"))
        for name in ("Seed/Model.IsSafe/seed_1", "Shrink.KeepsTheSizeIfTold", "docs",
                     "ThreadLock.IsFair<baton::BakeryLock>"):
            self.assertIsNone(objection_to_name(name), name)


if __name__ == "__main__":
    unittest.main()
