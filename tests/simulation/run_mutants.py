#!/usr/bin/python3
"""Breaks the recipe in known ways and asks the simulation to notice.

Each patch under mutants/ is applied to a copy of liblocker; the changed files are compiled as the
build compiled them and linked before the libraries, so that everything else is the same object
code. Every mutant must be caught by the simulation's general invariants, while the library as it
is passes the same seeds. Prints which invariant caught which mutant, and after how many schedules.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
FAILURE = re.compile(r"FAILED: seed (\d+) \((\w+)\), schedule (\d+): (.*)")


class Broken(Exception):
    """The mutant could not be tried at all."""


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def touched(patch):
    """The files that a patch changes, as paths below the source's root."""
    names = re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.MULTILINE)
    wrong = [name for name in names if not re.fullmatch(r"liblocker/\S+\.cc", name)]
    if wrong or not names:
        raise Broken(f"it must change sources of liblocker and nothing else, not {wrong}")
    return names


def compile_file(commands, build, copy, name, output):
    original = (SOURCE / name).resolve()
    entry = commands.get(original)
    if entry is None:
        raise Broken(f"the build does not compile {name}")
    words = shlex.split(entry["command"])
    result = []
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        if before == "-o":
            word = str(output)
        elif before in ("-MF", "-MQ"):
            word = str(output) + ".d"
        elif word.startswith("-I"):
            folder = (build / word[2:]).resolve()
            if folder.is_relative_to(SOURCE / "liblocker"):
                word = "-I" + str(copy / folder.relative_to(SOURCE))
        elif index and (build / word).resolve() == original:
            word = str(copy / name)
        result.append(word)
    done = run(result, cwd=build)
    if done.returncode != 0:
        raise Broken(f"{name} does not compile:\n{done.stderr}")


def link(compiler, build, objects, program):
    ours = build / "tests/simulation"
    libraries = [
        ours / "libsimulation_model.a",
        build / "liblocker/runtime/liblocker_runtime.a",
        build / "liblocker/core/liblocker_core.a",
    ]
    own = sorted((ours / "simulation.p").glob("*.o"))
    words = [*compiler, "-o", program, *own, *objects, *libraries, "-lcrypto", "-pthread"]
    done = run([str(word) for word in words], cwd=build)
    if done.returncode != 0:
        raise Broken(f"it does not link:\n{done.stderr}")


def simulate(program, schedules):
    try:
        done = run([str(program), "--from", "1", "--schedules", str(schedules), "--partial"], timeout=300)
    except subprocess.TimeoutExpired as late:
        raise Broken("the simulation of it does not end") from late
    failure = FAILURE.search(done.stdout)
    if failure is None and done.returncode != 0:
        raise Broken(f"the simulation ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return failure


def try_mutant(patch, commands, build, schedules, folder):
    """The mutant's name, whether it was caught, and a line about it."""
    name = patch.stem
    copy = folder / name
    try:
        shutil.copytree(SOURCE / "liblocker", copy / "liblocker")
        files = touched(patch)
        applied = run(["patch", "-p1", "--fuzz=0", "--forward", "-i", str(patch)], cwd=copy)
        if applied.returncode != 0:
            raise Broken(f"it does not apply:\n{applied.stdout}{applied.stderr}")
        objects = []
        for index, file in enumerate(files):
            objects.append(copy / f"{index}.o")
            compile_file(commands, build, copy, file, objects[-1])
        compiler = shlex.split(commands[(SOURCE / files[0]).resolve()]["command"])
        compiler = compiler[: next(i for i, word in enumerate(compiler) if word.startswith("-"))]
        link(compiler, build, objects, copy / "simulation")
        failure = simulate(copy / "simulation", schedules)
    except Broken as why:
        return name, False, f"BROKEN: {why}"
    if failure is None:
        return name, False, f"SURVIVED {schedules} schedules"
    seed, scenario, schedule, what = failure.groups()
    return name, True, f"caught at schedule {schedule} (seed {seed}, {scenario}) by {what}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the build folder")
    parser.add_argument("--schedules", type=int, default=4000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mutants", type=pathlib.Path, default=HERE / "mutants", help="the patches")
    parser.add_argument("names", nargs="*", help="these mutants only")
    settings = parser.parse_args()
    build = settings.build.resolve()
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        commands[(pathlib.Path(entry["directory"]) / entry["file"]).resolve()] = entry
    patches = sorted(settings.mutants.resolve().glob("*.patch"))
    patches = [patch for patch in patches if not settings.names or patch.stem in settings.names]
    if not patches:
        print("no mutants: nothing is tested")
        return 1

    # What the mutants are linked with must be of this very source.
    built = run(["ninja", "-C", str(build), "tests/simulation/simulation"])
    if built.returncode != 0:
        print(f"the library as it is does not compile:\n{built.stdout}{built.stderr}")
        return 1
    try:
        failure = simulate(build / "tests/simulation/simulation", settings.schedules)
    except Broken as why:
        print(f"the library as it is: {why}")
        return 1
    if failure is not None:
        print(f"the library as it is: {failure.group(0)}")
        return 1
    print(f"the library as it is: passes {settings.schedules} schedules")

    all_caught = True
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
            tries = [
                pool.submit(try_mutant, patch, commands, build, settings.schedules, pathlib.Path(folder))
                for patch in patches
            ]
            for attempt in tries:
                name, caught, line = attempt.result()
                all_caught = all_caught and caught
                print(f"{name}: {line}", flush=True)
    return 0 if all_caught else 1


if __name__ == "__main__":
    sys.exit(main())
