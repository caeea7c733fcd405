#!/usr/bin/env python3
"""bench/build without compiling Baton: what it counts, copies, records and says."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("bench_build", str(ROOT / "bench" / "build"))
spec = importlib.util.spec_from_loader(loader.name, loader)
bench_build = importlib.util.module_from_spec(spec)
loader.exec_module(bench_build)


class BenchBuildTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def test_lines_without_blanks_and_comments(self):
        self.assertEqual(3, bench_build.lines_of(
            '// a comment\n\nint a;  // and another\n/* two\nlines */\nint b; /* here */ int c;\n'
            'const char* d = "// no comment /*";\n'))
        self.assertEqual(1, bench_build.lines_of("char quote = '\"'; // one\n"))

    def test_an_algorithm_is_a_file_pair_and_a_line(self):
        source = self.folder / "source"
        algorithms = source / "src" / "algorithms"
        shutil.copytree(ROOT / "src/algorithms/mutex", algorithms / "mutex")
        shutil.copy(ROOT / "src/algorithms/registry.list", algorithms)
        bench_build.add_algorithm(source)
        header = (algorithms / "mutex/measured_algorithm.h").read_text()
        body = (algorithms / "mutex/measured_algorithm.cpp").read_text()
        self.assertIn("class MeasuredAlgorithm", header)
        self.assertIn('#include "algorithms/mutex/measured_algorithm.h"', body)
        self.assertIn('"measured-algorithm"', body)
        self.assertNotIn("RicartAgrawala", header + body)
        self.assertEqual("mutex/measured_algorithm MeasuredAlgorithm layered",
                         (algorithms / "registry.list").read_text().splitlines()[-1])

    def test_the_recorder_notes_what_a_compiler_cost(self):
        recorder, record = self.folder / "recorder", self.folder / "record"
        subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror",
                        ROOT / "bench/compile/recorder.cpp", "-o", recorder], check=True)
        environment = {**os.environ, "BATON_BENCH_RECORD": str(record)}
        (self.folder / "a.cpp").write_text("int a;\n")
        subprocess.run([recorder, "g++", "-c", "a.cpp", "-o", "a.o"], cwd=self.folder,
                       env=environment, check=True)
        failed = subprocess.run([recorder, "sh", "-c", "exit 3"], env=environment)
        self.assertEqual(3, failed.returncode)
        first, second = record.read_text().splitlines()
        seconds, kib, name = first.split(" ")
        self.assertGreater(float(seconds), 0)
        self.assertGreater(int(kib), 1000)
        self.assertEqual("a.o", name)

    def test_the_table_says_which_floors_hold(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            bench_build.report({"build": 700.0, "service": 200.0, "largest": 2 ** 30, "lines": 12345,
                                "reference": 7.0, "reference_runs": [6.9, 7.1]})
        said = out.getvalue()
        self.assertRegex(said, r"make build +700\.0 s +100\.0 +650 s +exceeded")
        self.assertRegex(said, r"make service +200\.0 s +28\.6 +220 s +holds")
        self.assertRegex(said, r"largest compiler process +1\.00 GiB +1\.5 GiB +holds")
        self.assertIn("12,345", said)

    def test_what_cannot_be_compiled_is_said(self):
        with self.assertRaisesRegex(bench_build.Failed, "the reason"):
            bench_build.cpu_s(["sh", "-c", "echo the reason; exit 1"])


if __name__ == "__main__":
    unittest.main()
