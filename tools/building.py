"""Compiles and tests, says beforehand how long that takes here, and shows how far it is in one line.

What tools/build and tools/demo share. On a terminal the line is written anew; otherwise, and with
TERM=dumb, there is a line for every tenth part. What a compiler or a test that fails has to say is shown in full.
"""

import contextlib
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import services
from services import Failed

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "release"
# CPU seconds for a target in an empty folder, by bench/build; a machine may need half as much again.
CPU_S = {"baton-service": 260, "baton": 850, "all": 1400}
# For all tests, once they are compiled.
TESTS_CPU_S = 1100
OBJECT = re.compile(r" -o (\S+\.o) ")


def cores():
    return len(os.sched_getaffinity(0))


def duration(cpu_s):
    """In words, for so many seconds of work on this machine."""
    minutes = cpu_s / cores() / 60
    if minutes < 0.75:
        return "less than a minute"
    return "about a minute" if minutes < 1.5 else f"about {round(minutes)} minutes"


def on_these_cores():
    count = cores()
    return f"on the {count} cores of this machine" if count > 1 else "on the one core of this machine"


def share_missing(folder, target):
    """Of the objects that the target needs. Those that are out of date count as there."""
    if not (folder / "build.ninja").exists() or shutil.which("ninja") is None:
        return 1.0
    commands = subprocess.run(["ninja", "-C", str(folder), "-t", "commands", target],
                              capture_output=True, text=True).stdout
    objects = set(OBJECT.findall(commands))
    return sum(not (folder / one).exists() for one in objects) / max(len(objects), 1)


def cpu_s_left(folder, target):
    return CPU_S[target] * share_missing(folder, target)


def configure(folder=FOLDER):
    """Installs what is missing, and lets CMake write what ninja reads. Only `make` knows how."""
    if folder != FOLDER:
        return
    if subprocess.run(["make", "--no-print-directory", str(FOLDER.relative_to(ROOT) / "build.ninja")],
                      cwd=ROOT).returncode != 0:
        raise Failed("nothing could be compiled (above)")


def takes_escapes(stream):
    """Whether it is a terminal that understands escape sequences."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def takes_colour(stream):
    return takes_escapes(stream) and not os.environ.get("NO_COLOR")


class Line:
    """How far something is."""

    def __init__(self, stream=sys.stdout):
        self.stream = stream
        self.is_rewritten = takes_escapes(stream)
        self.tenth = 0
        self.is_shown = False

    def show(self, done, total, text):
        if self.is_rewritten:
            width = shutil.get_terminal_size().columns - 1
            self.stream.write(f"\r\033[K{text[:width]}")
            self.stream.flush()
            self.is_shown = True
        elif 10 * done // total > self.tenth:
            self.tenth = 10 * done // total
            print(text, file=self.stream, flush=True)

    def clear(self):
        if self.is_shown:
            self.stream.write("\r\033[K")
            self.stream.flush()
            self.is_shown = False


class Work:
    """A program that says how far it is, beside whatever else is done here."""

    # A line that says how far it is, and one that nobody needs.
    STATUS = re.compile(r"\[(\d+)/(\d+)\] ")
    NOISE = re.compile("$^")

    def __init__(self, what, unit, command, **options):
        self.what, self.unit = what, unit
        self.done = self.total = 0
        self.said = queue.SimpleQueue()
        self.begin = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", preexec_fn=services.end_with_parent, **options)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            if self.NOISE.match(line):
                continue
            status = self.STATUS.match(line)
            if status:
                self.done, self.total = int(status[1]), int(status[2])
            else:
                self.said.put(line)

    def is_running(self):
        return self.process.poll() is None

    def close(self):
        """Stops it if it still runs."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def text(self):
        part = self.done / self.total
        passed_s = time.monotonic() - self.begin
        left = ""
        if part >= 0.05 and passed_s > 10:
            minutes = passed_s / part * (1 - part) / 60
            left = f", {minutes:.0f} min left" if minutes >= 1 else ", less than a minute left"
        return f"{self.what}: {100 * part:.0f} %, {self.done} of {self.total} {self.unit}{left}"

    def wait(self):
        """Shows how far it is until it is done, and all that it says. Throws Failed."""
        line = Line()
        is_over = False
        while not is_over:
            is_over = not self.is_running() and not self.reader.is_alive()
            while not self.said.empty():
                line.clear()
                print(self.said.get(), end="", file=sys.stderr, flush=True)
            if self.total:
                line.show(self.done, self.total, self.text())
            if not is_over:
                time.sleep(0.1)
        line.clear()
        self.process.stdout.close()
        if self.process.returncode != 0:
            raise Failed(f"{self.what} failed (above)")


class Build(Work):
    """A target being compiled. Ctrl-C reaches this program alone, which then ends ninja; that removes
    what is half written."""

    # What ninja says of itself, and CMake while all is well.
    NOISE = re.compile(r"ninja: (no work to do|Entering directory|build stopped)|-- |"
                       r"\[\d+/\d+\] Re-(checking globbed|running CMake)")

    def __init__(self, target, folder=FOLDER, what="compiling", jobs=None):
        command = ["nice", "ninja", "-C", str(folder), target]
        if jobs is not None:
            command += ["-j", str(jobs)]
        super().__init__(what, "steps", command, start_new_session=True,
                         env={**os.environ, "NINJA_STATUS": "[%f/%t] "})


class Tests(Work):
    """All tests. Of those that fail everything is shown. Ctrl-C reaches each of them."""

    STATUS = re.compile(r" *(\d+)/(\d+) Test +#\d+: .*(?:Passed|Skipped)")
    NOISE = re.compile(r" *Start +\d+: |Test project |\s*$")

    def __init__(self, folder=FOLDER):
        # Three places for each processor: see tests/CMakeLists.txt.
        super().__init__("testing", "tests",
                         ["ctest", "--parallel", str(3 * cores()), "--output-on-failure",
                          "--no-tests=error"], cwd=folder)
