#!/usr/bin/env python3
"""The tool's --json and HTTP say the same in the same words, and docs/json.md lists every field.

    json_test.py BATON DOCS

A real server is asked the same things both ways. The answers must be equal, but for times that go by
between two questions, which only have to be there. Numbers are compared as they are written.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

PATIENCE_S = 60
# These differ from one question to the next.
GOES_BY = re.compile(r"(held|waited|leads|open|lease_left)_s|connections")


class Number(str):
    """As it is written."""


def parse(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def steady(value):
    """The value without what goes by."""
    if isinstance(value, dict):
        return {key: type(inner).__name__ if GOES_BY.fullmatch(key) else steady(inner)
                for key, inner in value.items()}
    return [steady(inner) for inner in value] if isinstance(value, list) else value


def names(value):
    """All names of fields, at any depth."""
    if isinstance(value, dict):
        # The types of messages are the algorithm's own.
        return set(value).union(*(names(inner) for key, inner in value.items() if key != "by_type"))
    return set().union(*map(names, value)) if isinstance(value, list) else set()


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for inner in value for number in numbers(inner)]
    return [value] if isinstance(value, Number) else []


class OneDialect(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.environment = {**os.environ, "BATON_URL": f"unix:{cls.folder}/socket", "HOME": cls.folder}
        log = os.path.join(cls.folder, "log")
        with open(log, "w") as errors:
            cls.server = subprocess.Popen(
                [BATON, "serve", "--listen", f"unix:{cls.folder}/socket", "--http", "127.0.0.1:0",
                 "--journal", "memory:"], stderr=errors)
        cls.addClassCleanup(cls.stop, cls.server)
        cls.address = cls.wait(lambda: re.search(r"serving (http://\S+)", pathlib.Path(log).read_text())
                               ).group(1)
        cls.fields = set()

    @staticmethod
    def stop(process):
        process.terminate()
        process.wait(PATIENCE_S)

    @staticmethod
    def wait(condition):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(0.02)
        raise TimeoutError

    def start(self, *arguments):
        process = subprocess.Popen([BATON, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(self.stop, process)
        return process

    def run_tool(self, *arguments, code=0, **more):
        done = subprocess.run([BATON, *arguments], env=self.environment, timeout=PATIENCE_S,
                              capture_output=True, **more)
        self.assertEqual(code, done.returncode, done.stderr)
        return done.stdout.decode()

    def tool(self, *arguments, code=0):
        answer = parse(self.run_tool(*arguments, "--json", code=code))
        self.note(answer)
        return answer

    def http(self, path, body=None, method=None, is_noted=True):
        request = urllib.request.Request(self.address + path, method=method,
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as problem:
            with problem:
                text = problem.read().decode()
        answer = parse(text)
        if is_noted:
            self.note(answer)
        return answer

    def close(self, session):
        self.http("/v1/close", {"session": session["session"]}, is_noted=False)

    def note(self, answer):
        type(self).fields |= names(answer)
        for number in numbers(answer):
            self.assertRegex(number, r"^-?\d+(\.\d*[1-9])?$")

    def same(self, tool, http):
        self.assertEqual(steady(http), steady(tool))

    def events(self, path, count):
        """The data of the first events of a stream."""
        found = []
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE_S) as stream:
            while len(found) < count:
                line = stream.readline().decode()
                if line.startswith("data: "):
                    found.append(parse(line.removeprefix("data: ")))
                    self.note(found[-1])
        return found

    def queue(self, *arguments):
        locks = self.tool("locks", *arguments)["locks"]
        return (len(locks[0]["holders"]), len(locks[0]["waiters"])) if locks else (0, 0)

    def test_locks_and_sessions(self):
        holder = self.start("lock", "a b", "ü", "--label", "first", "--ttl", "30s", "--", "sleep", "600")
        self.wait(lambda: self.queue("ü") == (1, 0))
        self.start("lock", "ü", "--label", "\"second\"\n", "--", "true")
        self.wait(lambda: self.queue("ü") == (1, 1))
        self.start("lock", "pool", "--slots", "3", "--", "sleep", "600")
        self.start("lock", "read", "--shared", "--", "sleep", "600")
        self.wait(lambda: self.queue("pool") == (1, 0) and self.queue("read") == (1, 0))
        remote = self.http("/v1/lock", {"name": "remote", "ttl": "1m", "owner": 7})
        self.assertEqual((1, 0), self.queue("remote"))
        self.same(self.tool("locks"), self.http("/v1/locks"))
        self.same(self.tool("locks", "ü"), self.http("/v1/locks?name=%C3%BC"))
        self.same(self.tool("locks", "--prefix", "re"), self.http("/v1/locks?prefix=re"))
        self.same(self.tool("locks", "nothing"), self.http("/v1/locks?name=nothing"))
        self.same(self.tool("sessions"), self.http("/v1/sessions"))
        lock = self.tool("locks", "ü")["locks"][0]
        self.assertEqual(str(holder.pid), lock["holders"][0]["process"])
        self.assertEqual("1", lock["waiters"][0]["position"])
        self.assertEqual("7", self.tool("locks", "remote")["locks"][0]["holders"][0]["owner"])
        self.same(self.tool("status") | {"choice": None}, self.http("/v1/status") | {"choice": None})
        self.close(remote)

    def test_a_grant(self):
        taken = self.tool("acquire", "grant", "--ttl", "20s")
        over_http = self.http("/v1/lock", {"name": "other grant", "ttl": "20s"})
        own = {"session", "session_id", "names", "fence"}
        self.assertEqual(over_http.keys(), taken.keys())
        self.assertEqual({key: over_http[key] for key in over_http.keys() - own},
                         {key: taken[key] for key in taken.keys() - own})
        self.assertLess(int(taken["fence"]), int(over_http["fence"]))
        listed = {one["session_id"] for one in self.http("/v1/sessions")["sessions"]}
        self.assertLessEqual({taken["session_id"], over_http["session_id"]}, listed)
        self.run_tool("release", taken["session"])
        pooled = self.tool("acquire", "grants", "--slots", "2")
        self.assertEqual("0", pooled["slot"])
        self.run_tool("release", pooled["session"])
        self.close(over_http)

    def test_elections(self):
        self.same(self.tool("leader", "e", code=1), self.http("/v1/leader?name=e"))
        before = self.http("/v1/leader?name=e")["revision"]
        watching = self.start("leader", "e", "--watch", "--json")
        self.start("elect", "e", "--value", "host-a:8080", "--", "sleep", "600")
        self.wait(lambda: "term" in self.tool_or_error("leader", "e"))
        self.same(self.tool("leader", "e"), self.http("/v1/leader?name=e"))
        self.same(self.tool("locks", "--elections"), self.http("/v1/locks?elections=true"))
        raw = self.http("/v1/campaign", {"name": "raw", "value_base64": "/wAB"})
        self.same(self.tool("leader", "raw"), self.http("/v1/leader?name=raw"))
        self.assertEqual("/wAB", self.tool("leader", "raw")["value_base64"])
        self.close(raw)
        event = parse(watching.stdout.readline())
        self.note(event)
        self.assertEqual(self.events(f"/v1/watch?election=e&after={before}", 1), [event])
        self.assertEqual("elect", event["kind"])

    def tool_or_error(self, *arguments):
        done = subprocess.run([BATON, *arguments, "--json"], env=self.environment, timeout=PATIENCE_S,
                              capture_output=True)
        return parse(done.stdout)

    def test_files(self):
        begin = self.tool("ls")["revision"]
        self.assertEqual(self.tool("put", "jobs/1", "a").keys(),
                         self.http("/v1/files", {"key": "jobs/1", "value": "b"}, "PUT").keys())
        self.run_tool("put", "jobs/2", input=b"\xff\x00\x01")
        session = self.http("/v1/sessions", {})
        self.http("/v1/files", {"key": "jobs/3", "value": "ü\n", "tied": True,
                                "session": session["session"]}, "PUT")
        for key in ("jobs/1", "jobs/2", "jobs/3"):
            self.same(self.tool("get", key), self.http(f"/v1/files?key={key}"))
        self.same(self.tool("ls", "jobs/"), self.http("/v1/files?prefix=jobs/"))
        self.assertEqual(session["session_id"], self.tool("get", "jobs/3")["tied_to"])
        self.run_tool("rm", "jobs/1")
        lines = self.run_tool("watch", "jobs/", "--after", begin, "--count", "5", "--json").splitlines()
        changes = [parse(line) for line in lines]
        self.assertEqual(self.events(f"/v1/watch?prefix=jobs/&after={begin}", 5), changes)
        self.assertEqual(["put"] * 4 + ["remove"], [change["kind"] for change in changes])
        self.close(session)

    def test_errors(self):
        self.same(self.tool("get", "none", code=1), self.http("/v1/files?key=none"))
        self.run_tool("put", "once", "1")
        self.same(self.tool("put", "once", "2", "--new", code=75),
                  self.http("/v1/files", {"key": "once", "value": "2", "version": 0}, "PUT"))
        holder = self.http("/v1/lock", {"name": "taken", "label": "x"})
        self.same(self.tool("acquire", "taken", "--try", code=75),
                  self.http("/v1/lock", {"name": "taken", "try": True}))
        self.close(holder)
        gone = parse(self.run_tool("status", "--json", "--url", f"unix:{self.folder}/gone", code=69))
        self.assertEqual(("unavailable", "30"), (gone["error"], gone["code"]))

    def test_the_laboratory(self):
        """Only that all its fields are documented, and how its numbers are written."""
        for more in (("ricart-agrawala", "-n", "3"), ("central", "--resilient"), ("bully",), ("bakery",), ("wireless", "-n", "5"),
                     ("chandy-lamport",), ("central", "--resources", "2", "--strategy", "ascending"),
                     ("superpeer",)):
            self.assertEqual("kept", self.tool("sim", *more)["verdict"], more)
        # On average; as a fraction it would be 4.0 or 4E0.
        self.assertIn('"messages_per_entry":4,', self.run_tool("sim", "ricart-agrawala", "-n", "3", "--json"))
        saved = os.path.join(self.folder, "broken.jsonl")
        broken = self.tool("check", "wrong-permission-ring-literal", "--save", saved, code=1)
        self.assertIn("broken", [one["verdict"] for one in broken["properties"]])
        self.assertEqual("broken", self.tool("sim", "--replay", saved, code=1)["verdict"])
        self.tool("check", "central", "-n", "2")
        for more in (("central", "-n", "3"), ("--kind", "election", "bully", "-n", "3"),
                     ("--kind", "formulas"), ("--layers", "central", "-n", "3"),
                     ("--network", "central", "-n", "2", "--seconds", "0.2")):
            self.tool("compare", *more)
        self.tool("list")
        self.tool("demo", "counter", "--algorithm", "central", "--increments", "20")
        self.tool("bench", "--clients", "2", "--seconds", "0.2")

    # After all the others, which note what they see.
    def test_zz_every_field_is_documented(self):
        listed = set(re.findall(r"^\| `(\w+)`", PAGE, re.M))
        listed |= {name for row in re.findall(r"^\| (`[^|]*) \|", PAGE, re.M)
                   for name in re.findall(r"`(\w+)`", row)}
        self.assertGreater(len(self.fields), 50)
        self.assertEqual(set(), self.fields - listed, "docs/json.md lacks them")


if __name__ == "__main__":
    BATON = os.path.realpath(sys.argv[1])
    PAGE = pathlib.Path(sys.argv[2], "json.md").read_text()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
