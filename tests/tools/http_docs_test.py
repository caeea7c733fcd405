#!/usr/bin/env python3
"""Every example of docs/http.md does what the page says, and docs/metrics.md lists every metric.

    http_docs_test.py BATON DOCS

Each ```sh block is run with curl against a fresh server. The block after it shows the answer: JSON
is compared by its shape (the same fields, of the same types), texts by the letter, events by their
names and the shape of their data. "# 404" after a command is the status code, otherwise 200.
"$session" is the token of the last answer that had one.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ADDRESS = "localhost:7401"
failures = []


def complain(text):
    failures.append(text)
    print(text)


def start(baton, directory):
    log = open(os.path.join(directory, "log"), "w+")
    server = subprocess.Popen(
        [baton, "serve", "--http", "127.0.0.1:0", "--journal", "memory:"], stderr=log)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = re.search(r"serving http://(\S+)", open(log.name).read())
        if found:
            return server, found.group(1)
        time.sleep(0.02)
    server.kill()
    sys.exit("the server does not start: " + open(log.name).read())


def examples(page):
    """(command, status, kind of answer, answer)"""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
    for (kind, text), (next_kind, answer) in zip(blocks, blocks[1:]):
        if kind != "sh":
            continue
        line = text.strip()
        status = re.search(r"  # (\d+)$", line)
        yield (line[:status.start()] if status else line,
               int(status.group(1)) if status else 200, next_kind, answer.strip())


def shape(value):
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(
        value).__name__


def events(text):
    """The (event, shape of its data) of each event; comments and bare ids are left out."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines()
                      if ": " in line and not line.startswith(":"))
        if "data" in fields:
            found.append((fields.get("event"), "id" in fields, shape(json.loads(fields["data"]))))
    return found


def run(command, address, session):
    is_stream = "-sN" in command
    more = "--max-time 2" if is_stream else r"--max-time 60 -w '\n%{http_code}'"
    line = command.replace(ADDRESS, address).replace("curl ", f"curl {more} ", 1)
    done = subprocess.run(["bash", "-c", line], env={**os.environ, "session": session},
                          capture_output=True, text=True)
    if is_stream:
        return 200 if done.returncode == 28 else -done.returncode, done.stdout
    body, _, status = done.stdout.rpartition("\n")
    return int(status or 0), body.strip()


def check_examples(page, address):
    session = ""
    count = 0
    for command, status, kind, expected in examples(page):
        count += 1
        got_status, got = run(command, address, session)
        if got_status != status:
            complain(f"{command}\n  status {got_status} instead of {status}: {got}")
        elif kind == "json":
            answer = json.loads(got)
            session = answer.get("session", session)
            if shape(answer) != shape(json.loads(expected)):
                complain(f"{command}\n  answers {got}\n  not like {expected}")
        elif kind == "events":
            if events(got) != events(expected):
                complain(f"{command}\n  streams {got}\n  not like {expected}")
        elif got != expected:
            complain(f"{command}\n  answers {got}, not {expected}")
    if count < 25:
        complain(f"only {count} examples found")
    return count


def check_routes(page, address):
    """Each path of the page is one that there is, and the other way round is seen by the metrics."""
    for path in sorted(set(re.findall(r"localhost:7401(/[\w/]+)", page))):
        status, _ = run(f"curl -s -X BREW {ADDRESS}{path}", address, "")
        if status != 405:
            complain(f"there is nothing at {path}")


def check_metrics(page, address):
    _, text = run(f"curl -s {ADDRESS}/metrics", address, "")
    printed = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
    listed = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.M))
    for name in printed.keys() - listed.keys():
        complain(f"docs/metrics.md lacks {name}")
    for name in listed.keys() - printed.keys():
        complain(f"/metrics lacks {name}")
    for name in listed.keys() & printed.keys():
        if listed[name] != printed[name]:
            complain(f"{name} is a {printed[name]}, not a {listed[name]}")
    for line in text.splitlines():
        if not line.startswith("#") and not re.fullmatch(
                r"baton_\w+(\{(\w+=\"[^\"]*\",?)+\})? [-+.\de]+|baton_\w+ [-+.\de]+", line):
            complain(f"not the text format: {line}")
    return len(listed)


def main():
    baton, docs = os.path.realpath(sys.argv[1]), sys.argv[2]
    if shutil.which("curl") is None:
        sys.exit("there is no curl: run tools/bootstrap")
    page = open(os.path.join(docs, "http.md")).read()
    with tempfile.TemporaryDirectory() as directory:
        server, address = start(baton, directory)
        try:
            count = check_examples(page, address)
            check_routes(page, address)
            metrics = check_metrics(open(os.path.join(docs, "metrics.md")).read(), address)
        finally:
            server.terminate()
            server.wait()
    print(f"{count} examples, {metrics} metrics, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
