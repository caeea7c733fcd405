"""What run_locks and run_cluster share: taking figures from programs that load a lock service, medians
over rounds in which all take turns, ratios with their bounds, and the tables."""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tools"))
import services  # noqa: E402
from services import Failed, Missing, say  # noqa: E402

ETCD = ("etcd library", "etcd by hand")
ZOOKEEPER = ("ZooKeeper recipe", "ZooKeeper by hand")
# Which program loads which peer, and with which options.
PROGRAMS = {"etcd library": ("etcd_locks",), "etcd by hand": ("etcd_locks", "--by-hand"),
            "ZooKeeper recipe": ("zookeeper_locks",),
            "ZooKeeper by hand": ("zookeeper_locks", "--by-hand"),
            "Redis always": ("redis_locks",), "Redis none": ("redis_locks",)}
# Its server is slow until Java has compiled what it does again and again.
WARMED_UP = ZOOKEEPER


def program(options, name):
    path = options.programs / name
    if not path.exists():
        raise Missing(f"{path} is not built")
    return str(path)


def load_command(system, options, endpoint, clients, same_name, seconds):
    load = ["--clients", str(clients), "--seconds", str(seconds)]
    load += ["--same-name"] if same_name else []
    if system.startswith("Baton"):
        fast = ["--fast"] if system == "Baton fast" else []
        return [str(options.baton), "bench", *load, *fast, "--url", endpoint, "--json"]
    name, *own = PROGRAMS[system]
    return [program(options, name), *own, *load, endpoint]


def figures(command, seconds):
    """What a program prints: its last line is JSON, with pairs_per_s, p50_us and p99_us."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 120)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{Path(command[0]).name} does not end") from error
    said = " ".join(map(str, [Path(command[0]).name, *command[1:]]))
    if done.returncode != 0:
        raise Failed(f"{said}: status {done.returncode}: {done.stderr.strip()[-500:]}")
    try:
        # One document, or a line of one after others.
        try:
            found = json.loads(done.stdout)
        except ValueError:
            found = json.loads(done.stdout.strip().splitlines()[-1])
        # `baton bench` tells the latency of a pair, and that of its acquire apart.
        return {key: float(found.get("acquire_" + key, found[key]))
                for key in ("pairs_per_s", "p50_us", "p99_us")}
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise Failed(f"{said}: its output is not understood: {done.stdout.strip()[:200]}") from error


class Results:
    """Samples by (what, scenario), and what was left out or failed, with the reason."""

    def __init__(self):
        self.samples = {}
        self.left_out = {}
        self.failed = {}

    def add(self, what, scenario, found):
        self.samples.setdefault((what, scenario), []).append(found)

    def rounds(self, what, scenario, key):
        """A figure of each round; none where it was not measured."""
        return [one[key] for one in self.samples.get((what, scenario), [])]

    def median(self, what, scenario):
        found = self.samples.get((what, scenario))
        return found and {key: statistics.median(one[key] for one in found) for key in found[0]}

    def pairs_per_s(self, what, scenario):
        return self.rounds(what, scenario, "pairs_per_s")

    def p50_us(self, what, scenario):
        return self.rounds(what, scenario, "p50_us")

    @contextlib.contextmanager
    def noting(self, what):
        """Runs a block; what is missing or fails there is said once and noted."""
        try:
            yield
        except Missing as reason:
            if what not in self.left_out:
                say(f"{what} is left out: {reason}")
            self.left_out[what] = str(reason)
        except Failed as reason:
            say(f"{what} failed: {reason}")
            self.failed[what] = str(reason)


def progress(text):
    if sys.stderr.isatty():
        print(f"\r{text:<60}", end="" if text else "\r", file=sys.stderr, flush=True)


def scratch(options):
    return tempfile.TemporaryDirectory(prefix=f"{Path(sys.argv[0]).name}.", dir=options.folder)


def warm_up(system, scenarios, options, endpoint):
    """With every load that has several clients, whichever of them are measured afterwards."""
    loads = [load for load in scenarios.values() if load[0] > 1]
    seconds = options.warm_up / len(loads)
    for load in loads if seconds > 0 else ():
        progress(f"{system}, warm-up")
        figures(load_command(system, options, endpoint, *load, seconds), seconds)


def measure_system(system, server, scenarios, options, results):
    """All scenarios on one server. `server` is a context with the endpoint."""
    with results.noting(system), scratch(options) as folder:
        if system in PROGRAMS:
            program(options, PROGRAMS[system][0])
        with server(Path(folder), options) as endpoint:
            if system in WARMED_UP:
                warm_up(system, scenarios, options, endpoint)
            for scenario in options.scenarios:
                progress(f"{system}, {scenario}")
                command = load_command(system, options, endpoint, *scenarios[scenario],
                                       options.seconds)
                with results.noting(system):
                    results.add(system, scenario, figures(command, options.seconds))


def measure_floor(floor, options, results, *arguments):
    progress(floor)
    with results.noting(floor), scratch(options) as folder:
        size = options.message_bytes if floor == "echo" else options.record_bytes
        command = [program(options, "lock_floors"), floor, folder, "--seconds",
                   str(options.seconds), "--bytes", str(size), *arguments]
        results.add(floor, floor, figures(command, options.seconds))


class Ratio(NamedTuple):
    """A row of the table of ratios, and the bound that it has to keep."""
    what: str
    against: str
    ratio: float  # of the medians
    least: float  # of a round
    most: float
    direction: str
    bound: float

    def kept(self):
        return self.ratio >= self.bound if self.direction == "at least" else self.ratio <= self.bound


def compare(direction, bound, what, against, mine, other):
    """A list of one row; of none where one of the two was not measured. Both are figures by round."""
    if not mine or not other:
        return []
    rounds = [one / another for one, another in zip(mine, other)]
    return [Ratio(what, against, statistics.median(mine) / statistics.median(other), min(rounds),
                  max(rounds), direction, bound)]


def at_least(bound, what, against, mine, other):
    return compare("at least", bound, what, against, mine, other)


def at_most(bound, what, against, mine, other):
    return compare("at most", bound, what, against, mine, other)


def pairs_against(results, bounds):
    """Rows about pairs per second. A bound: who, in which scenario, has to reach which part of whom. Of
    several others the best counts."""
    rows = []
    for mine, scenario, others, bound in bounds:
        candidates = [results.pairs_per_s(other, scenario) for other in others]
        against = max(filter(None, candidates), key=statistics.median, default=[])
        name = others[0] if len(others) == 1 else f"the best of {others[0].split()[0]}"
        rows += at_least(bound, f"{mine}, {scenario}", name, results.pairs_per_s(mine, scenario),
                         against)
    return rows


def print_tables(results, options, floors, rows):
    print(f"Lock and unlock: pairs per second and latency of an acquire (median of {options.rounds},"
          f" {options.seconds:g} s each)")
    warmed_up = [system for system in options.systems if system in WARMED_UP]
    if warmed_up:
        print(f"Before that the server was under load for {options.warm_up:g} s:"
              f" {', '.join(warmed_up)}")
    line = "{:<23}{:<18}{:>11}{:>11}{:>11}{:>12}{:>12}".format
    print("\n" + line("", "", "pairs/s", "least", "most", "p50 µs", "p99 µs"))

    def show(title, what, scenario):
        found = results.median(what, scenario)
        if found:
            pairs = results.pairs_per_s(what, scenario)
            print(line(title, what, *(f"{one:,.1f}" for one in (
                found["pairs_per_s"], min(pairs), max(pairs), found["p50_us"], found["p99_us"]))))
        return title if not found else ""

    for scenario in options.scenarios:
        title = scenario
        for system in options.systems:
            title = show(title, system, scenario)
    title = "floors"
    for floor in floors:
        title = show(title, floor, floor)
    if not rows:
        return
    print("\nBaton against the others: the ratio of the medians, and from the least to the most of a"
          " round\n")
    line = "{:<38}{:<24}{:>7}  {:<15}{}".format
    for row in rows:
        print(line(row.what, row.against, f"{row.ratio:.2f}", f"{row.least:.2f} … {row.most:.2f}",
                   f"{row.direction} {row.bound:g}{'' if row.kept() else '  MISSED'}"))


def document(results, options, rows, load):
    return {"seconds": options.seconds, "rounds": options.rounds, "cores": os.cpu_count(),
            "load_before": round(load, 2), "message_bytes": options.message_bytes,
            "record_bytes": options.record_bytes,
            "measured": [{"what": what, "scenario": scenario, **results.median(what, scenario),
                          "samples": found}
                         for (what, scenario), found in results.samples.items()],
            "warm_up_s": {system: options.warm_up for system in options.systems
                          if system in WARMED_UP},
            "ratios": [{**row._asdict(), "kept": row.kept()} for row in rows],
            "left_out": results.left_out, "failed": results.failed}


def write(found, options):
    """To a file or standard output. Whether the tables are wanted too."""
    written = json.dumps(found, indent=2, ensure_ascii=False)
    if str(options.json) == "-":
        print(written)
        return False
    if options.json is not None:
        options.json.write_text(written + "\n")
    return True


def parser_of(description, text, systems, scenarios, record_bytes, what_record, warm_up):
    parser = argparse.ArgumentParser(description=description, epilog=text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, default=ROOT / "build" / "release",
                        help="where the peers' programs were built (default build/release)")
    parser.add_argument("--baton", type=Path, help="the baton binary; without it only the peers")
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement (default 3)")
    parser.add_argument("--rounds", type=int, default=1, help="how often each (default 1)")
    parser.add_argument("--warm-up", type=float, default=warm_up, metavar="SECONDS",
                        help="of load on a server of Java before it is measured"
                        f" (default {warm_up})")
    parser.add_argument("--only", action="append", choices=systems, dest="systems",
                        help="only this system; can be repeated")
    parser.add_argument("--scenario", action="append", choices=scenarios, dest="scenarios",
                        help="only this scenario; can be repeated")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()),
                        help="where data is written (default the temporary folder)")
    parser.add_argument("--message-bytes", type=int, default=64, help="of an echo (default 64)")
    parser.add_argument("--record-bytes", type=int, default=record_bytes,
                        help=f"{what_record} (default {record_bytes})")
    parser.add_argument("--json", type=Path, help="write everything there; - is standard output")
    return parser


def parse(parser, systems, scenarios):
    options = parser.parse_args()
    if not 0 < options.seconds <= 3600 or options.rounds < 1:
        parser.error("--seconds must be above 0 and at most 3600, --rounds at least 1")
    if not 0 <= options.warm_up <= 3600:
        parser.error("--warm-up must be 0 to 3600")
    if options.baton is not None:
        found = shutil.which(options.baton)
        if found is None:
            parser.error(f"--baton: {options.baton} cannot be run")
        options.baton = Path(found).resolve()
    if not options.folder.is_dir():
        parser.error(f"--folder: {options.folder} is not a folder")
    options.folder = options.folder.resolve()
    options.programs = options.programs.resolve()
    options.systems = options.systems or list(systems)
    options.scenarios = options.scenarios or list(scenarios)
    return options


def run(measure):
    """The whole of such a program: ends its servers however it ends itself."""
    services.end_by_signals()
    with services.ending_children():
        return measure()
