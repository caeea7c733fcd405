#!/usr/bin/env python3
"""A program that holds a lock in several Redis servers, for tools/compare.

    redlock.py PORT,PORT,… NAME LEASE_MS WAIT_S COMMAND…

It stands for a program that uses one of the many libraries: it follows the recipe that Redis publishes
as Redlock (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/), without the
optional extension of the lock. It sets one random value at every server, if there is none, with a time
to live. It holds the lock if a majority took the value in less than that time. It removes the value
where it is still its own. While the lock is taken it tries again, after random pauses, for WAIT_S.

COMMAND is the work of that program, and runs while it has the lock. Exit status: that of the work;
REFUSED if it did not get the lock.
"""

import random
import secrets
import socket
import subprocess
import sys
import time

REFUSED = 75
ANSWER_S = 1.0
REMOVE_OWN = "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0"


def ask(port, *words):
    """What one server answers to one command, as a line without its end: '+OK', ':1', '$-1', …"""
    text = f"*{len(words)}\r\n" + "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as connection:
        connection.sendall(text.encode())
        with connection.makefile("rb") as answers:
            line = answers.readline().decode().rstrip()
            if line.startswith("$") and line != "$-1":
                return answers.readline().decode().rstrip()
            return line


def ask_all(ports, *words):
    """The answers of those that answer."""
    answers = []
    for port in ports:
        try:
            answers.append(ask(port, *words))
        except OSError:
            pass
    return answers


class Redlock:
    def __init__(self, ports, name, lease_ms):
        self.ports, self.name, self.lease_ms = ports, name, lease_ms
        self.value = secrets.token_hex(20)

    def try_once(self):
        begin = time.monotonic()
        taken = ask_all(self.ports, "SET", self.name, self.value, "NX", "PX", str(self.lease_ms))
        is_in_time = time.monotonic() - begin < self.lease_ms / 1000
        if taken.count("+OK") > len(self.ports) // 2 and is_in_time:
            return True
        self.release()
        return False

    def acquire(self, wait_s):
        deadline = time.monotonic() + wait_s
        while not self.try_once():
            if time.monotonic() >= deadline:
                return False
            time.sleep(random.uniform(0.02, 0.08))
        return True

    def release(self):
        ask_all(self.ports, "EVAL", REMOVE_OWN, "1", self.name, self.value)


def main():
    ports, name, lease_ms, wait_s, *command = sys.argv[1:]
    lock = Redlock([int(port) for port in ports.split(",")], name, int(lease_ms))
    if not lock.acquire(float(wait_s)):
        return REFUSED
    try:
        return subprocess.run(command).returncode
    finally:
        lock.release()


if __name__ == "__main__":
    sys.exit(main())
