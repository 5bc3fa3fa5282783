"""Times the library beside the floor of its protocol, Curator and kazoo. scripts/bench starts it.

All contestants of a scenario are started first and stay. In each round each of them has one turn,
in random order; a ratio compares two turns of one round.
"""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import random
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import contestants
import ratios
import report
import scenarios
from contestants import Contestant, Failed, Missing
from zookeeper_server import ZooKeeperServer, missing_parts

PAGE = HERE.parents[1] / "docs" / "benchmarks.md"
# A compiler of Java works for some seconds before its code is as fast as it gets.
WARM_UP_S = 4.0


class Proxy:
    """The latency proxy before a server: adds latency, and counts packets."""

    def __init__(self, build, server, latency_ms):
        program = build / "tests" / "bench" / "bench_latency_proxy"
        self.process = subprocess.Popen(
            [program, server, str(int(latency_ms * 1000))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.address = f"127.0.0.1:{self.read()['port']}"

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the latency proxy ended")
        return json.loads(line)

    def counts(self):
        """How many packets passed since the last call, by kind."""
        print(file=self.process.stdin, flush=True)
        return self.read()

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Bench:
    """One server, and the scenarios beside it."""

    def __init__(self, options, server):
        self.options = options
        self.server = server
        self.generator = random.Random(options.seed)
        self.commands = {}
        self.skipped = {}
        self.failures = 0
        self.logs = options.build / "bench" / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)

    def prepare(self):
        """Finds out who can take part."""
        names = contestants.OURS + (contestants.PEERS if self.options.peers else ())
        for name in names:
            try:
                self.commands[name] = contestants.command_of(name, self.options.build)
            except Missing as why:
                self.skipped[name] = str(why)
                say(f"{report.NAMES[name]} is skipped: {why}")

    def taking_part(self, scenario):
        return [name for name in scenario.contestants if name in self.commands]

    @contextlib.contextmanager
    def proxy(self, latency_ms):
        proxy = Proxy(self.options.build, self.server.host_port, latency_ms)
        try:
            yield proxy
        finally:
            proxy.end()

    @contextlib.contextmanager
    def contestant(self, name, scenario, address):
        log = self.logs / f"{scenario.name}-{name}.log"
        one = Contestant(name, self.commands[name], scenario.program_word, address, log)
        try:
            one.await_ready()
            yield one
        finally:
            one.end()

    def rates(self, scenario):
        """The rounds of a timed scenario: for each, contestant → cycles a second, and likewise
        microseconds of the contestant's processor time a cycle."""
        with contextlib.ExitStack() as stack:
            address = self.server.host_port
            if scenario.latency_ms:
                address = stack.enter_context(self.proxy(scenario.latency_ms)).address
            names = self.taking_part(scenario)
            here = {
                name: stack.enter_context(self.contestant(name, scenario, address)) for name in names
            }
            for one in here.values():
                one.take_turn(self.options.warm_up)
            seconds = self.options.seconds * scenario.patience
            rounds, effort = [], []
            for order in ratios.shuffled_rounds(names, self.options.rounds, self.generator):
                turns = {name: here[name].take_turn(seconds) for name in order}
                rounds.append({
                    name: turn["operations"] / turn["seconds"] for name, turn in turns.items()
                })
                effort.append({
                    name: turn["processor_seconds"] / turn["operations"] * 1e6
                    for name, turn in turns.items()
                })
        return {"scenario": scenario.name, "rounds": rounds, "effort": effort}

    def waiters(self, scenario):
        """For each contestant what passed on the wire from the first enqueueing to the last release."""
        found = {}
        for name in self.taking_part(scenario):
            with self.proxy(0) as proxy:
                with self.contestant(name, scenario, proxy.address) as one:
                    one.take_turn(1)  # Makes the directories.
                    proxy.counts()
                    turn = one.take_turn(scenarios.WAITERS_COUNT)
                    counts = proxy.counts()
            told = {"notification", "answer", "pong", "ping", "bytes"}
            found[name] = {
                "releases": turn["operations"],
                "notifications": counts.get("notification", 0),
                "requests": sum(count for kind, count in counts.items() if kind not in told),
                "packets": counts,
                "seconds": turn["seconds"],
            }
        return found

    def held(self, scenario):
        """For each contestant the memory of a process that holds many locks."""
        found = {}
        for name in self.taking_part(scenario):
            with self.contestant(name, scenario, self.server.host_port) as one:
                found[name] = one.take_turn(scenarios.HELD_COUNT)
        return found

    def attempt(self, scenario, work):
        """What a chosen scenario came to; None where it failed or was not chosen."""
        if self.options.scenario and scenario.name not in self.options.scenario:
            return None
        print(f"{scenario.title} … ", end="", flush=True)
        begin = time.monotonic()
        try:
            found = work(scenario)
        except Failed as error:
            self.failures += 1
            say(f"failed\n{error}")
            return None
        say(f"done ({time.monotonic() - begin:.0f} s)")
        return found

    def measure(self):
        result = {"load_before": load()}
        attempts = [self.attempt(scenario, self.rates) for scenario in scenarios.RATES]
        result["rates"] = [each for each in attempts if each]
        result["waiters"] = self.attempt(scenarios.WAITERS, self.waiters)
        result["held"] = self.attempt(scenarios.HELD, self.held)
        result["load_after"] = load()
        return result


def say(text):
    print(text, flush=True)


def load():
    return f"{os.getloadavg()[0]:.1f}"


def first_match(pattern, text):
    found = re.search(pattern, text)
    return found.group(1).strip() if found else "unknown"


def output_of(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout + done.stderr


def facts(server, commands):
    """The machine and the versions, as sentences' parts."""
    processor = first_match(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory_kb = first_match(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())
    machine = (
        f"{os.cpu_count()} cores ({processor}), {int(memory_kb) / 1e6:.0f} GB, "
        f"Linux {'.'.join(platform.release().split('.')[:2])}"
    )
    version = first_match(r"version: ([\w.]+)", server.four_letter("srvr").decode())
    versions = [f"ZooKeeper {version}"]
    client = output_of("dpkg-query", "-W", "-f", "${Version}", "libzookeeper-mt2")
    versions.append(f"its C client {client or 'unknown'}")
    commit = output_of("git", "-C", str(HERE), "rev-parse", "--short=9", "HEAD").strip()
    versions.append(f"locker {commit}")
    if "curator" in commands:
        java = first_match(r'version "([^"]+)"', output_of("java", "-version"))
        versions.append(f"Curator {contestants.CURATOR} on Java {java}")
    if "kazoo" in commands:
        python = first_match(r"Python (\S+)", output_of(commands["kazoo"][0], "--version"))
        versions.append(f"kazoo {contestants.KAZOO} on Python {python}")
    return {
        "day": time.strftime("%Y-%m-%d"), "machine": machine, "versions": ", ".join(versions),
    }


def new_server():
    """As a server is run in production: with all the compiling that its JVM can do."""
    return ZooKeeperServer(
        tick_ms=2000, java=["-Xmx1g", "-XX:TieredStopAtLevel=4"], config={"preAllocSize": 65536}
    )


def arguments():
    known = [each.name for each in (*scenarios.RATES, scenarios.WAITERS, scenarios.HELD)]
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("--peers", action="store_true", help="also Curator and kazoo")
    parser.add_argument("--scenario", action="append", choices=known, help="only this one")
    parser.add_argument("--rounds", type=int, help="of each scenario (with --peers 15, else 7)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each turn (1)")
    parser.add_argument("--warm-up", type=float, default=WARM_UP_S, help="seconds, once each (4)")
    parser.add_argument("--seed", type=int, default=1, help="of the orders (1)")
    parser.add_argument("--write-docs", action="store_true", help="put the table into docs/benchmarks.md")
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rounds is None:
        options.rounds = 15 if options.peers else 7
    if options.write_docs and not options.peers:
        parser.error("the page has the peers too: --write-docs goes with --peers")
    return options


def main():
    options = arguments()
    missing = missing_parts()
    if missing:
        say(f"no ZooKeeper server on this host: {', '.join(missing)} not found")
        return 1
    with new_server() as server:
        bench = Bench(options, server)
        bench.prepare()
        measured = bench.measure()
        found = facts(server, bench.commands)
    found |= {key: measured.pop(key) for key in ("load_before", "load_after")}
    result = measured | {
        "facts": found, "skipped": bench.skipped, "rounds": options.rounds,
        "seconds": options.seconds, "seed": options.seed,
    }
    file = options.build / "bench" / ("peers.json" if options.peers else "floor.json")
    file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    text = report.markdown(result)
    say(f"\n{text}\nThe figures of each round are in {file}")
    if options.write_docs and not bench.failures:
        report.write_page(PAGE, text)
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
