"""Who takes part: how each one's program is started, and how Curator and kazoo are installed."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent

CURATOR = "5.9.0"  # the version in curator/pom.xml
KAZOO = "2.11.0"
OURS = ("library", "floor", "bare")
PEERS = ("curator", "kazoo")


class Missing(Exception):
    """A contestant can't take part; the text says why, in one line for a person."""


class Failed(Exception):
    """A contestant's program failed; the text has the end of what it said."""


def run(words, log):
    """Whether the command succeeded; what it said is in the log."""
    with open(log, "ab") as file:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False)
    return done.returncode == 0


def install(folder, sources, version, commands):
    """Runs the commands into `folder`, unless it is there already, made from the same sources."""
    made_of = version + "".join(
        hashlib.sha256(source.read_bytes()).hexdigest() for source in sources
    )
    stamp = folder / "made-of"
    if stamp.exists() and stamp.read_text(encoding="ascii") == made_of:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    log = folder / "install.log"
    for command in commands:
        if shutil.which(command[0]) is None:
            raise Missing(f"{command[0]} is not installed")
        if not run(command, log):
            raise Missing(f"it can't be installed here; {log} says why")
    stamp.write_text(made_of, encoding="ascii")


def curator_class_path(folder):
    """Builds Curator's programs into a folder below `folder`. Raises Missing."""
    source = HERE / "curator"
    home = folder / "curator"
    install(
        home, sorted(source.glob("*")), CURATOR,
        [["mvn", "-B", "-q", "-f", str(source / "pom.xml"), f"-Dfolder={home}", "compile",
          "dependency:copy-dependencies"]],
    )
    return f"{home}/classes:{home}/jars/*"


def kazoo_python(folder):
    """A Python with kazoo, in a folder below `folder`. Raises Missing."""
    home = folder / "kazoo"
    python = f"{home}/venv/bin/python"
    install(
        home, [], KAZOO,
        [["/usr/bin/python3", "-m", "venv", f"{home}/venv"],
         [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"kazoo=={KAZOO}"]],
    )
    return python


def command_of(name, build):
    """The words that start a contestant's program, without scenario and address. Raises Missing."""
    programs, folder = build / "tests" / "bench", build / "bench"
    if name == "curator":
        return ["java", "-cp", curator_class_path(folder), "CuratorBench"]
    if name == "kazoo":
        return [kazoo_python(folder), str(HERE / "kazoo" / "kazoo_bench.py")]
    return [str(programs / ("bench_library" if name == "library" else "bench_floor"))]


class Contestant:
    """A contestant's program at work on one scenario: started, told amounts, ended."""

    def __init__(self, name, command, scenario, address, log):
        self.name = name
        self.log = log
        word = f"bare-{scenario}" if name == "bare" else scenario
        address = f"zk://{address}" if name == "library" else address
        with open(log, "wb") as file:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *command, word, address],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True,
            )

    def await_ready(self):
        self.answer()

    def take_turn(self, amount):
        """One run of the scenario: what the program's line of JSON says, and the processor time."""
        before = self.processor_seconds()
        try:
            print(amount, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass  # Its end is told by what it answers.
        turn = self.answer()
        return turn | {"processor_seconds": self.processor_seconds() - before}

    def processor_seconds(self):
        """What all threads of the program used so far, in the kernel too."""
        text = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        user, system = text.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def answer(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        code = self.process.wait()
        said = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise Failed(f"{self.name} ended with {code}: " + "\n".join(said[-10:]))

    def end(self):
        """By the end of its input; by force where that does not help."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
