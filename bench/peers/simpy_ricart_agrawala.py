#!/usr/bin/python3
"""Ricart–Agrawala in SimPy, to compare Baton's simulator with.

    simpy_ricart_agrawala.py ENTRIES [constant|exponential] [stores|callbacks]

Ten processes, each of which asks again as soon as it leaves; a message takes 1 (or an exponential
time of mean 1), the critical section lasts 1. After ENTRIES requests nobody asks any more and the
run ends once all have been served, so the number of deliveries is known exactly. Prints one JSON
line. Seconds are processor time, as in Google Benchmark's rates, so that what else the machine is
doing counts as little as possible.

`stores` is how SimPy's own guide models messages: a Store is the mailbox of each process, and a
generator per message waits for the latency and puts it there. `callbacks` is as fast as SimPy allows:
a message is a Timeout whose callback is the receiver's handler. The protocol is that of
src/algorithms/mutex/ricart_agrawala, with sets of processes in one integer.
"""

import json
import sys
import time
from math import log
from random import Random

import simpy

PROCESSES = 10
RELEASED, WANTED, HELD = range(3)


class World:
    """The processes, what they still have to do, and who is inside."""

    def __init__(self, entries, exponential):
        self.environment = simpy.Environment()
        self.exponential = exponential
        self.random = Random(1).random
        self.to_ask = entries
        self.entries = 0
        self.deliveries = 0
        self.occupied = False
        self.group = [Process(self, i) for i in range(PROCESSES)]

    def send(self, handler, message):
        delay = -log(1.0 - self.random()) if self.exponential else 1
        self.environment.timeout(delay, message).callbacks.append(handler)

    def ask(self, process):
        if self.to_ask > 0:
            self.to_ask -= 1
            process.request()

    def enter(self, process):
        if self.occupied:
            sys.exit("simpy_ricart_agrawala: two processes are in the critical section")
        self.occupied = True
        self.entries += 1
        self.environment.timeout(1, process).callbacks.append(self.leave)

    def leave(self, event):
        process = event.value
        self.occupied = False
        process.release()
        self.ask(process)

    def run(self):
        for process in self.group:
            self.ask(process)
        self.environment.run()


class Letter:
    """What a mailbox holds, in the form of an event."""

    __slots__ = ("handler", "value")

    def __init__(self, handler, value):
        self.handler = handler
        self.value = value


class WorldOfStores(World):
    """The same with SimPy's processes and stores, as its guide teaches."""

    def __init__(self, entries, exponential):
        super().__init__(entries, exponential)
        self.mailboxes = [simpy.Store(self.environment) for _ in self.group]
        for mailbox in self.mailboxes:
            self.environment.process(self.live(mailbox))

    def live(self, mailbox):
        while True:
            letter = yield mailbox.get()
            letter.handler(letter)

    def send(self, handler, message):
        mailbox = self.mailboxes[handler.__self__.self_id]
        self.environment.process(self.carry(mailbox, Letter(handler, message)))

    def carry(self, mailbox, letter):
        yield self.environment.timeout(-log(1.0 - self.random()) if self.exponential else 1)
        mailbox.put(letter)


class Process:
    """A request is (clock, node); a reply is (request, clock of the sender, bit of the sender)."""

    __slots__ = ("world", "self_id", "bit", "others", "mode", "clock", "mine", "awaited",
                 "deferred")

    def __init__(self, world, self_id):
        self.world = world
        self.self_id = self_id
        self.bit = 1 << self_id
        self.others = ((1 << PROCESSES) - 1) & ~self.bit
        self.mode = RELEASED
        self.clock = 0
        self.mine = None
        self.awaited = 0
        self.deferred = []

    def request(self):
        self.mode = WANTED
        self.clock += 1
        self.mine = mine = (self.clock, self.self_id)
        self.awaited = self.others
        send = self.world.send
        for process in self.world.group:
            if process is not self:
                send(process.upon_request, mine)

    def release(self):
        self.mode = RELEASED
        world = self.world
        for request in self.deferred:
            world.send(world.group[request[1]].upon_reply, (request, self.clock, self.bit))
        self.deferred.clear()

    def upon_request(self, event):
        world = self.world
        world.deliveries += 1
        request = event.value
        if request[0] > self.clock:
            self.clock = request[0]
        if self.mode == HELD or (self.mode == WANTED and self.mine < request):
            self.deferred.append(request)
        else:
            world.send(world.group[request[1]].upon_reply, (request, self.clock, self.bit))

    def upon_reply(self, event):
        world = self.world
        world.deliveries += 1
        request, clock, sender = event.value
        if clock > self.clock:
            self.clock = clock
        if self.mode != WANTED or request != self.mine:
            return
        self.awaited &= ~sender
        if self.awaited == 0:
            self.mode = HELD
            world.enter(self)


def main(arguments):
    delays = arguments[1] if len(arguments) > 1 else "constant"
    entries = int(arguments[0]) if arguments and arguments[0].isdigit() else 0
    style = arguments[2] if len(arguments) > 2 else "stores"
    styles = {"stores": WorldOfStores, "callbacks": World}
    if entries == 0 or delays not in ("constant", "exponential") or style not in styles:
        print("usage: simpy_ricart_agrawala.py ENTRIES [constant|exponential] [stores|callbacks]",
              file=sys.stderr)
        return 2

    world = styles[style](entries, delays == "exponential")
    begin = time.process_time()
    world.run()
    seconds = time.process_time() - begin

    if world.entries != entries:
        sys.exit("simpy_ricart_agrawala: somebody was never served")
    if world.deliveries != 2 * (PROCESSES - 1) * entries:
        sys.exit("simpy_ricart_agrawala: wrong number of deliveries")
    print(json.dumps({"peer": "SimPy", "deliveries": world.deliveries,
                      "seconds": round(seconds, 6),
                      "deliveries_per_s": round(world.deliveries / seconds)},
                     separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
